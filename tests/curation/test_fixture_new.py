"""What `copperbench fixture new` prepares, and what it refuses, naming the rule."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from copperbench.curation import find_projects, folder_source, repository_source
from copperbench.suite import load_fixture, load_suite, validate, verify_tree

BOARD = "copperbench-ldo-sensor"
URL = "https://example.org/somebody/a-board"
COMMIT = "1" * 40


def new(copperbench, folder: Path, *options: str, commit: str = COMMIT):
    return copperbench("fixture", "new", f"{URL}@{commit}", "--local", folder, *options)


def refused(done, rule: str) -> bool:
    """Whether a board was refused by this rule, in one line, with nothing on stdout."""
    return (done.returncode, done.stdout, done.stderr.splitlines()[-1].split(":")[0]) == (1, "", rule)


@pytest.fixture
def prepared(copperbench, clone, checkout: Path) -> Path:
    repository, commit = clone
    done = new(copperbench, repository, commit=commit)
    assert done.returncode == 0, done.stderr
    return checkout / "fixtures" / "a-board"


@pytest.mark.kicad
def test_the_committed_state_is_taken_and_not_the_working_tree(prepared: Path, root: Path):
    sheet = f"{BOARD}.kicad_sch"
    taken = (prepared / "tree/hardware" / sheet).read_bytes()
    assert taken == (root / "fixtures" / BOARD / "tree" / sheet).read_bytes()


@pytest.mark.kicad
def test_only_design_files_are_taken(prepared: Path, root: Path):
    ours = {
        path.relative_to(root / "fixtures" / BOARD / "tree") for path in (root / "fixtures" / BOARD).rglob("tree/**/*")
    }
    taken = {path.relative_to(prepared / "tree/hardware") for path in (prepared / "tree/hardware").rglob("*")}
    assert taken == ours


@pytest.mark.kicad
def test_the_manifest_is_valid_and_its_hash_is_the_trees(prepared: Path):
    verify_tree(load_fixture(prepared), prepared / "tree")


@pytest.mark.kicad
def test_the_counts_are_those_that_were_measured_for_our_board(prepared: Path, root: Path):
    ours, new_ = load_fixture(root / "fixtures" / BOARD), load_fixture(prepared)
    assert (new_.erc, new_.drc, dict(new_.scale)) == (ours.erc, ours.drc, dict(ours.scale))


@pytest.mark.kicad
def test_provenance_is_in_manifest_and_readme(prepared: Path, clone):
    upstream = load_fixture(prepared).upstream
    assert upstream is not None
    assert (upstream.license, upstream.copyright) == ("MIT", "Copyright (c) 2026 Somebody Else")
    text = (prepared / "README.md").read_text()
    assert [fact for fact in (URL, clone[1], upstream.retrieved, upstream.copyright) if fact not in text] == []


@pytest.mark.kicad
def test_what_is_left_to_a_person_keeps_the_fixture_from_passing(prepared: Path, checkout: Path):
    rules = {finding.rule for finding in validate(checkout, [prepared])}
    assert {"to-do", "notice"} <= rules


@pytest.mark.kicad
def test_validate_has_nothing_else_to_say(prepared: Path, checkout: Path):
    rules = {finding.rule for finding in validate(checkout, [prepared])}
    assert rules <= {"to-do", "notice"}


@pytest.mark.kicad
def test_a_plain_folder_is_taken_with_a_warning_that_nothing_verified_it(copperbench, candidate: Path):
    done = new(copperbench, candidate)
    assert done.returncode == 0
    assert f"is no repository: that its files are those of {COMMIT} is not verified" in done.stderr


@pytest.mark.kicad
def test_a_board_of_our_own_has_no_upstream(copperbench, candidate: Path, checkout: Path):
    done = copperbench("fixture", "new", "--own", "--local", candidate, "--id", "ours", "--json")
    assert json.loads(done.stdout)["sha256"] == load_suite(checkout).fixture("ours").sha256
    assert load_suite(checkout).fixture("ours").upstream is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("GNU GENERAL PUBLIC LICENSE\nVersion 3", "GPL is not on the list"),
        ("Attribution-ShareAlike 4.0 International", "CC-BY-SA is not on the list"),
        ("CERN Open Hardware Licence Version 2 - Strongly Reciprocal", "CERN-OHL-S is not on the list"),
        ("You may do what you want.", "is not recognised"),
        (
            "Software: Permission is hereby granted, free of charge, to any person obtaining a copy\n"
            "Hardware: CC BY-NC, NonCommercial",
            "speaks of CC-BY-NC, MIT",
        ),
    ],
)
@pytest.mark.kicad
def test_a_licence_that_does_not_allow_it_is_refused(copperbench, candidate: Path, text: str, said: str):
    (candidate / "LICENSE").write_text(text)
    done = new(copperbench, candidate)
    assert refused(done, "licence")
    assert said in done.stderr


@pytest.mark.kicad
def test_the_licence_nearest_to_the_design_counts(copperbench, candidate: Path):
    (candidate / "hardware" / "LICENSE").write_text("GNU General Public License, version 2")
    assert refused(new(copperbench, candidate), "licence")


@pytest.mark.kicad
def test_a_board_without_a_licence_is_refused(copperbench, candidate: Path):
    (candidate / "LICENSE").unlink()
    assert refused(new(copperbench, candidate), "licence")


@pytest.mark.kicad
def test_a_legacy_schematic_is_refused(copperbench, candidate: Path):
    sheet = candidate / "hardware" / f"{BOARD}.kicad_sch"
    sheet.rename(sheet.with_suffix(".sch"))
    assert refused(new(copperbench, candidate), "legacy-format")


@pytest.mark.kicad
def test_a_sheet_older_than_the_oldest_format_is_refused(copperbench, candidate: Path):
    sheet = candidate / "hardware" / f"{BOARD}.kicad_sch"
    sheet.write_text(sheet.read_text().replace("20260306", "20200310", 1))
    assert refused(new(copperbench, candidate), "legacy-format")


@pytest.mark.kicad
def test_a_design_that_does_not_load_is_refused(copperbench, candidate: Path):
    (candidate / "hardware" / f"{BOARD}.kicad_pcb").write_text("(kicad_pcb")
    assert refused(new(copperbench, candidate), "loads")


@pytest.mark.kicad
def test_a_design_that_holds_a_credential_is_refused(copperbench, candidate: Path):
    sheet = candidate / "hardware" / f"{BOARD}.kicad_sch"
    sheet.write_text(
        sheet.read_text().replace("(lib_symbols", f'(title_block (comment 1 "sk-{"a1" * 20}"))\n(lib_symbols', 1)
    )
    assert refused(new(copperbench, candidate), "credential")


@pytest.mark.kicad
def test_a_board_with_other_parts_than_its_schematic_is_refused(copperbench, candidate: Path):
    board = candidate / "hardware" / f"{BOARD}.kicad_pcb"
    board.write_text(board.read_text().replace('(property "Reference" "R5"', '(property "Reference" "R55"', 1))
    assert refused(new(copperbench, candidate), "parity")


@pytest.mark.kicad
def test_a_refusal_leaves_nothing_behind(copperbench, candidate: Path, checkout: Path):
    (candidate / "hardware" / f"{BOARD}.kicad_pcb").write_text("(kicad_pcb")
    new(copperbench, candidate)
    assert list((checkout / "fixtures").iterdir()) == []


@pytest.mark.kicad
def test_an_id_that_is_taken_is_not_overwritten(copperbench, candidate: Path, checkout: Path):
    (checkout / "fixtures/a-board").mkdir()
    done = new(copperbench, candidate)
    assert (done.returncode, "exists already" in done.stderr) == (2, True)


@pytest.mark.kicad
def test_several_projects_are_listed(copperbench, candidate: Path):
    shutil.copytree(candidate / "hardware", candidate / "panel")
    done = new(copperbench, candidate)
    assert done.returncode == 2
    assert f"--project: hardware/{BOARD}.kicad_pro, panel/{BOARD}.kicad_pro" in done.stderr


@pytest.mark.parametrize(
    "source",
    [
        "",
        "somebody/a-board",
        f"{URL}@main",
        f"http://example.org/a@{COMMIT}",
        f"https://me:word@example.org/a@{COMMIT}",
    ],
)
def test_a_board_without_a_pinned_upstream_is_refused(copperbench, source: str):
    done = copperbench("fixture", "new", *filter(None, [source]))
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


def test_without_kicad_cli_nothing_is_prepared(copperbench, candidate: Path):
    assert new(copperbench, candidate, "--kicad-cli", "/nowhere/kicad-cli").returncode == 3


@pytest.mark.kicad
@pytest.mark.parametrize("board", ["antmicro-microphone-board", "openlighting-dmxsun-baseboard", "zhiayang-mikoto"])
def test_it_arrives_at_the_very_trees_that_the_suite_has(
    copperbench, checkout: Path, root: Path, shared: Path, tmp_path: Path, board: str
):
    source = tmp_path / board
    shutil.copytree(shared / "fixtures" / board / "tree", source, copy_function=shutil.copyfile)
    shutil.copyfile(shared / "fixtures" / board / "LICENSE", source / "LICENSE")
    new(copperbench, source, "--id", board)
    made, ours = load_fixture(checkout / "fixtures" / board), load_fixture(root / "fixtures" / board)
    assert (made.sha256, made.erc, made.drc, made.scale) == (ours.sha256, ours.erc, ours.drc, ours.scale)


def test_a_commit_is_fetched_without_a_checkout(clone: tuple[Path, str]):
    repository, commit = clone
    git(repository, "config", "uploadpack.allowAnySHA1InWant", "true")
    with repository_source(repository.as_uri(), commit) as source:
        assert find_projects(source) == (f"hardware/{BOARD}.kicad_pro",)


def test_a_link_in_a_repository_is_no_file_of_it(candidate: Path):
    git(candidate, "init", "--quiet")
    (candidate / "hardware" / "elsewhere.kicad_sym").symlink_to("/etc/passwd")
    git(candidate, "add", "--all")
    git(candidate, "commit", "--quiet", "-m", "a link")
    with repository_source(URL, git(candidate, "rev-parse", "HEAD"), candidate) as source:
        assert "hardware/elsewhere.kicad_sym" not in source.paths


def test_a_tree_that_no_file_system_takes_is_refused_in_one_line(copperbench, candidate: Path, checkout: Path):
    """A commit may hold a file and a folder of one name; git's own checkout would refuse it as well."""
    git(candidate, "init", "--quiet")
    git(candidate, "add", "--all")
    inner = git(candidate, "rev-parse", ":hardware/sym-lib-table")
    folder = hash_tree(candidate, f"100644 blob {inner}\tx.kicad_sch\n")
    odd = hash_tree(candidate, f"100644 blob {inner}\ta.kicad_sch\n040000 tree {folder}\ta.kicad_sch\n")
    commit = git(candidate, "commit-tree", odd, "-m", "odd")
    done = new(copperbench, candidate, commit=commit)
    assert (done.returncode, done.stderr.count("\n"), list((checkout / "fixtures").iterdir())) == (2, 1, [])
    assert "cannot be written" in done.stderr


def hash_tree(repository: Path, listing: str) -> str:
    """The id of a tree object of these entries, whatever git thinks of them."""
    entries = []
    for line in listing.splitlines():
        about, name = line.split("\t")
        mode, _, sha = about.split()
        entries.append(f"{mode.lstrip('0')} {name}\0".encode() + bytes.fromhex(sha))
    command = ["git", "-C", str(repository), "hash-object", "-t", "tree", "-w", "--stdin", "--literally"]
    return subprocess.run(command, input=b"".join(entries), check=True, capture_output=True).stdout.decode().strip()


def test_a_link_in_a_folder_is_no_file_of_it(candidate: Path):
    (candidate / "hardware" / "elsewhere.kicad_sym").symlink_to("/etc/passwd")
    assert "hardware/elsewhere.kicad_sym" not in folder_source(candidate).paths


def git(repository: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=A", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(repository), *identity, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def test_a_commit_that_a_clone_does_not_hold_is_one_line_with_the_way_out(copperbench, clone: tuple[Path, str]):
    done = new(copperbench, clone[0])
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "name a clone that holds the commit with --local" in done.stderr
