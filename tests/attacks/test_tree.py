"""Tricks with files: links, special files, monsters, names; what they may read, hide or break."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from copperbench.sandbox import SealLimits

SHEET = "copperbench-ldo-sensor.kicad_sch"
PROJECT = "copperbench-ldo-sensor.kicad_pro"


def test_the_twin_of_every_attack_here_passes(twin):
    """A sandbox as it was given out: what the attacks below fail at is due to them."""
    assert twin.touched().status == "pass"
    assert twin.outcome("file_unchanged", path=SHEET).status == "pass"
    assert twin.outcome("rollback_byte_identical").status == "pass"
    assert twin.outcome("diff_ratio_max", path=SHEET, ratio=0.9).status == "pass"
    assert twin.outcome("exit_path_in", paths=["done"]).status == "pass"
    assert twin.outcome("doc_contains", doc="PINOUT.md", pattern="ALERT").status == "pass"
    assert twin.outcome("doc_row_matches", doc="PINOUT.md", key="U2:3", column="Net", pattern="ALERT").status == "pass"


@pytest.mark.parametrize(
    "target", ["/etc/passwd", "{repository}", "{tree}", ".", "link", "../../../..", "/dev/zero", "\n"]
)
def test_a_link_is_recorded_and_never_followed(sandbox, target):
    (sandbox.root / "link").symlink_to(target.format(tree=sandbox.tree, repository=sandbox.tree.parents[2]))
    assert sandbox.touched().detail == "outside the allowed set: link"
    assert [path for path in sandbox.seal.end if path.startswith("link")] == ["link"]


def test_what_a_link_points_at_is_never_in_the_seal(sandbox, tmp_path):
    (tmp_path / "private.txt").write_text("the operator's own words, which no seal may hold")
    (sandbox.root / "docs/NOTE.md").symlink_to(tmp_path / "private.txt")
    sandbox.seal.materialise("end", sandbox.tree, tmp_path / "out")
    assert not (tmp_path / "out/docs/NOTE.md").exists()
    sealed = b"".join(member.data for member in sandbox.seal.archive.members.values())
    assert b"the operator's own words" not in sealed


def test_a_linked_folder_leads_nowhere(sandbox, tmp_path):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/a.md").write_text("x")
    (sandbox.root / "docs/more").symlink_to(tmp_path / "secret")
    assert [path for path in sandbox.seal.end if path.startswith("docs/more")] == ["docs/more"]


def test_a_sheet_replaced_by_a_link_to_the_same_bytes_is_changed(sandbox):
    text = (sandbox.root / SHEET).read_bytes()
    sandbox.write("docs/sheet", text)
    (sandbox.root / SHEET).unlink()
    (sandbox.root / SHEET).symlink_to("docs/sheet")
    assert (sandbox.root / SHEET).read_bytes() == text
    assert sandbox.outcome("file_unchanged", path=SHEET).status == "fail"


def test_a_document_that_is_a_link_is_no_document(sandbox, tmp_path):
    (tmp_path / "right.md").write_text("| Refdes | Pin | Net |\n|---|---|---|\n| U2 | 3 | ALARM |\n")
    (sandbox.root / "docs/PINOUT.md").unlink()
    (sandbox.root / "docs/PINOUT.md").symlink_to(tmp_path / "right.md")
    assert "ALARM" in (sandbox.root / "docs/PINOUT.md").read_text()
    assert sandbox.outcome("doc_contains", doc="PINOUT.md", pattern="ALARM").status == "fail"


def test_a_hard_link_is_the_file_that_it_is(sandbox):
    os.link(sandbox.root / "docs/SPEC.md", sandbox.root / "hard.md")
    assert sandbox.touched().detail == "outside the allowed set: hard.md"


def test_a_fifo_stops_nobody(sandbox):
    os.mkfifo(sandbox.root / "pipe")
    (sandbox.root / "docs/PINOUT.md").unlink()
    os.mkfifo(sandbox.root / "docs/PINOUT.md")
    assert sandbox.outcome("doc_contains", doc="PINOUT.md", pattern="x").status == "fail"
    assert sandbox.touched("docs/**").detail == "outside the allowed set: pipe"


def test_a_socket_is_recorded(sandbox):
    here = Path.cwd()
    os.chdir(sandbox.root)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("sock")
    finally:
        os.chdir(here)
    assert sandbox.seal.end["sock"].kind == "special"
    assert sandbox.touched().status == "fail"


def test_a_sparse_gigabyte_costs_nothing_and_fails(sandbox, twin):
    with (sandbox.root / "docs/huge.md").open("wb") as file:
        file.truncate(1 << 30)
    twin.write("docs/huge.md", "small")
    assert sandbox.outcome("exit_path_in", paths=["done"]).status == "fail"
    assert sandbox.seal.facts.exit.tampered == (
        "left more than can be sealed: docs/huge.md: no file of at most 134217728 bytes"
    )
    assert (
        twin.outcome("exit_path_in", paths=["done"]).status,
        (sandbox.run / "end-state.tar.zst").stat().st_size < 1 << 20,
    ) == (
        "pass",
        True,
    )


def test_two_hundred_thousand_files_are_recorded_and_fail(sandbox):
    (sandbox.root / "docs/many").mkdir()
    folder = os.open(sandbox.root / "docs/many", os.O_RDONLY)
    for number in range(200_000):
        os.close(os.open(f"{number}", os.O_CREAT | os.O_WRONLY, dir_fd=folder))
    os.close(folder)
    assert sandbox.outcome("exit_path_in", paths=["done"]).detail == "exit path tampered"
    assert sandbox.outcome("rollback_byte_identical").status == "fail"


def test_folders_three_hundred_deep_are_recorded_and_fail(sandbox, twin):
    sandbox.write("/".join(["docs", *("d" * 300), "x"]))
    twin.write("docs/d/d/d/x")
    assert (
        sandbox.outcome("exit_path_in", paths=["done"]).status,
        twin.outcome("exit_path_in", paths=["done"]).status,
    ) == ("fail", "pass")


def test_folders_too_deep_to_be_named_are_recorded_and_fail(sandbox):
    here = Path.cwd()
    os.chdir(sandbox.root / "docs")
    try:
        for _ in range(40):
            Path("n" * 250).mkdir()
            os.chdir("n" * 250)
    finally:
        os.chdir(here)
    assert sandbox.outcome("exit_path_in", paths=["done"]).status == "fail"
    assert sandbox.outcome("file_unchanged", path=SHEET).status == "pass"


@pytest.mark.parametrize(
    "name",
    [
        b"new\nline",
        b"\"quoted\" 'twice'",
        b"\xff\xfe",
        b"...",
        b"..x",
        b"x..",
        b".. ",
        b"..\\..\\x",
        b" ",
        b"-rf",
        b"$(touch canary)",
        b"tab\there",
        b"\xe2\x80\xae.md",
        b".GIT",
        b"a\\b",
        b"*",
        b"x" * 255,
    ],
)
def test_a_file_of_any_name_is_one_change_of_that_name(sandbox, name):
    (sandbox.root / os.fsdecode(name)).write_text("x")
    changed = [path for path, state in sandbox.seal.end.items() if sandbox.seal.baseline.get(path) != state]
    assert ([os.fsencode(path) for path in changed], sandbox.touched().status) == ([name], "fail")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"defaults": {},', '"defaults": {}, "rule_severities": {"clearance": "ignore"},'),
        ('"drc_exclusions": [', '"drc_exclusions": ["everything"'),
    ],
    ids=["severities", "exclusions"],
)
def test_softer_rules_in_the_project_file_are_a_change(sandbox, twin, old, new):
    sandbox.edit(PROJECT, old, new)
    assert (sandbox.touched("**/*.kicad_sch").status, twin.touched("**/*.kicad_sch").status) == ("fail", "pass")


def test_design_rules_added_beside_the_board_are_a_change(sandbox):
    sandbox.write("copperbench-ldo-sensor.kicad_dru", "(version 1)\n(rule x (severity ignore))\n")
    assert sandbox.touched("*.kicad_sch").detail == "outside the allowed set: copperbench-ldo-sensor.kicad_dru"


@pytest.mark.parametrize("where", ["config", "constraints", "both"])
def test_a_raised_budget_is_found_wherever_it_is_raised(sandbox, twin, where):
    if where != "constraints":
        sandbox.edit(".copperhead/config.json", '"standby_current_ua": 20', '"standby_current_ua": 2000')
    if where != "config":
        sandbox.edit(".copperhead/constraints.json", '"value": 20', '"value": 2000')
    key = {"key": "standby_current_ua"}
    assert (
        sandbox.outcome("constraint_registered", **key).status,
        twin.outcome("constraint_registered", **key).status,
    ) == (
        "fail",
        "pass",
    )


def test_a_budget_that_two_readers_read_differently_is_not_registered(sandbox):
    sandbox.write(
        ".copperhead/constraints.json",
        '{"standby_current_ua": {"value": 20, "source": "config.budgets", "affects": []},'
        ' "standby_current_ua": {"value": 2000, "source": "config.budgets", "affects": []}}',
    )
    assert sandbox.outcome("constraint_registered", key="standby_current_ua").status == "fail"


@pytest.mark.parametrize("text", ["{" * 100_000, "\xff", "[]", "", '{"standby_current_ua": 20}'])
def test_constraints_that_cannot_be_read_fail(sandbox, text):
    sandbox.write(".copperhead/constraints.json", text.encode("latin-1"))
    assert sandbox.outcome("constraint_registered", key="standby_current_ua").status == "fail"


def test_a_case_only_rename_is_two_changes(sandbox):
    (sandbox.root / "docs/SPEC.md").rename(sandbox.root / "docs/Spec.md")
    assert sandbox.touched("x").detail == "outside the allowed set: docs/SPEC.md, docs/Spec.md"


def test_other_line_ends_throughout_are_a_rewritten_file(sandbox):
    text = (sandbox.root / SHEET).read_bytes()
    sandbox.write(SHEET, text.replace(b"\n", b"\r\n"))
    assert sandbox.git("diff", "--stat", "--ignore-cr-at-eol", "--ignore-space-at-eol", "-w") == ""
    assert sandbox.outcome("diff_ratio_max", path=SHEET, ratio=0.9).status == "fail"


def test_an_execute_bit_is_a_change(sandbox):
    (sandbox.root / SHEET).chmod(0o755)
    sandbox.git("config", "core.fileMode", "false")
    assert (sandbox.git("status", "--porcelain"), sandbox.touched().status) == ("", "fail")


@pytest.mark.parametrize(
    "owned", [".copperhead/runs/1/notes.md", ".history/x", "~x.lck", "docs/x.kicad_prl", "fp-info-cache"]
)
def test_what_tools_own_is_no_change_but_is_kept(sandbox, owned):
    sandbox.write(owned, "x")
    assert (sandbox.touched("none").status, owned in sandbox.seal.end) == ("pass", True)


@pytest.mark.parametrize("name", ["docs/PINOUT.md", "docs/BOM.md", "docs/SPEC.md"])
def test_a_document_of_fifty_megabytes_cannot_hang_a_grade(sandbox, name):
    sandbox.write(name, "| a | b |\n|---|---|\n" + "| R1 | x |\n" * 5_000_000)
    assert sandbox.outcome("doc_row_matches", doc=name, key="R1", column="b", pattern="y").status == "fail"


@pytest.mark.parametrize(
    "text", [b"\0" * 100_000, b"> " * 500_000, b"| a" * 300_000, b"\xff" * 1000, b"|a|\n|-|\n" * 10_000]
)
def test_a_document_of_nonsense_is_no_right_document(sandbox, text):
    sandbox.write("docs/PINOUT.md", text)
    assert (
        sandbox.outcome("doc_row_matches", doc="PINOUT.md", key="U2:3", column="Net", pattern="ALERT").status == "fail"
    )


def test_files_changed_while_they_are_sealed_are_sealed_as_one_state(sandbox):
    import threading

    stop = threading.Event()

    def fidget():
        number = 0
        while not stop.is_set():
            number += 1
            sandbox.write("docs/moving.md", str(number) * (number % 500))
            (sandbox.root / "docs/moving.md").unlink(missing_ok=True)
            (sandbox.root / "docs/moving.md").symlink_to("/etc/passwd")
            (sandbox.root / "docs/moving.md").unlink()

    thread = threading.Thread(target=fidget)
    thread.start()
    try:
        sealed = sandbox.seal
    finally:
        stop.set()
        thread.join()
    moving = sealed.end.get("docs/moving.md")
    assert (
        moving is None
        or moving.kind == "special"
        or len(sealed.read_end("docs/moving.md", sandbox.tree)) == moving.size
    )


def test_a_sandbox_that_is_a_link_to_another_place_is_not_followed(sandbox):
    sandbox.root.rename(sandbox.place / "real")
    sandbox.root.symlink_to(sandbox.place / "real")
    assert (sandbox.seal.end, sandbox.outcome("file_unchanged", path=SHEET).status) == ({}, "fail")


def test_the_limits_can_be_set_for_a_campaign(sandbox, twin):
    sandbox.limits = SealLimits(file_bytes=1000)
    sandbox.write("docs/x.md", "x" * 2000)
    twin.write("docs/x.md", "x" * 2000)
    assert (sandbox.seal.facts.exit.tampered is None, twin.seal.facts.exit.tampered) == (False, None)
