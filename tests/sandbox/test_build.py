"""A starting state is the same on every machine, and holds what every run must start with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from copperbench.errors import CopperbenchError, FixtureMismatch, OperationFailed, SealBroken
from copperbench.sandbox import build_sandbox, read_sandbox, unpack_sandbox
from copperbench.sandbox.archive import Member, pack
from copperbench.suite import Operation


def git(folder, *arguments: str) -> str:
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, env=environment, check=True)
    return done.stdout


def test_the_baseline_commit_is_the_one_that_was_promised(sandbox, archive):
    assert git(sandbox, "rev-parse", "HEAD").strip() == read_sandbox(archive).info.baseline_sha


def test_git_finds_the_unpacked_repository_whole_and_clean(sandbox):
    git(sandbox, "fsck", "--strict")
    assert git(sandbox, "status", "--porcelain") == ""


def test_what_tools_drop_is_ignored_from_the_first_commit(sandbox):
    for path in (".copperhead/runs/1/t.jsonl", ".history/x", "hw/board.kicad_prl", "hw/~board.lck", "fp-info-cache"):
        (sandbox / path).parent.mkdir(parents=True, exist_ok=True)
        (sandbox / path).write_text("x")
    assert git(sandbox, "status", "--porcelain") == ""


def test_the_config_holds_the_tasks_settings_over_those_of_init(sandbox):
    config = json.loads((sandbox / ".copperhead/config.json").read_text())
    assert (config["schematic"], config["llmCache"], config["budgets"], config["model"]) == (
        "hw/board.kicad_sch",
        False,
        {"standby_current_ua": 20},
        None,
    )


def test_each_budget_is_a_registered_constraint(sandbox):
    assert json.loads((sandbox / ".copperhead/constraints.json").read_text()) == {
        "standby_current_ua": {"value": 20, "source": "config.budgets", "affects": []}
    }


def test_what_the_setup_skipped_is_told(archive, tmp_path):
    assert unpack_sandbox(archive, tmp_path / "x").setup_skipped == ({"command": "hooks", "reason": "none wanted"},)


def test_a_seed_changes_what_the_setup_made_before_the_baseline_commit(task, fixture, tree, init, tmp_path):
    cell = {"path": "docs/PINOUT.md", "column": "Net", "old": "DATA", "new": "CLK", "min": 1}
    seeded = replace(task, seed=(Operation("table-cell", cell),))
    (tmp_path / "a").write_bytes(build_sandbox(seeded, fixture, tree, init).data)
    unpack_sandbox(tmp_path / "a", tmp_path / "s")
    assert git(tmp_path / "s", "show", "HEAD:docs/PINOUT.md").endswith("| R1 | 1 | CLK |\n")


def test_a_seed_that_does_not_apply_names_the_task_and_the_operation(task, fixture, tree, init):
    seed = (Operation("replace", {"path": "docs/PINOUT.md", "old": "GONE", "new": "", "count": 1}),)
    with pytest.raises(OperationFailed, match=r"^tasks/do-toy/task.json: \$\.setup\.seed\[0\]: 'GONE' stands 0 times"):
        build_sandbox(replace(task, seed=seed), fixture, tree, init)


def test_without_setup_commands_init_is_not_called(task, fixture, tree, init, tmp_path):
    (tmp_path / "a").write_bytes(build_sandbox(replace(task, setup_commands=()), fixture, tree, init).data)
    assert "docs/PINOUT.md" not in read_sandbox(tmp_path / "a").files


def test_droppings_of_the_setup_are_no_part_of_the_baseline(task, fixture, tree, init, tmp_path):
    def messy(root, task, fixture):
        (root / "hw/board.kicad_prl").write_text("{}")
        return init(root, task, fixture)

    assert build_sandbox(task, fixture, tree, messy) == build_sandbox(task, fixture, tree, init)


def test_execute_bits_that_a_store_invented_change_nothing(task, fixture, tree, init):
    before = build_sandbox(task, fixture, tree, init)
    (tree / "hw/board.kicad_sch").chmod(0o777)
    assert build_sandbox(task, fixture, tree, init) == before


def test_a_missing_tree_says_how_to_get_it(task, fixture, tmp_path, init):
    with pytest.raises(FixtureMismatch, match="copperbench fixture get toy"):
        build_sandbox(task, fixture, tmp_path / "none", init)


def test_a_link_in_a_fixture_is_refused(task, fixture, tree, init):
    (tree / "hw/link").symlink_to("/etc/passwd")
    with pytest.raises(FixtureMismatch, match="no regular file"):
        build_sandbox(task, fixture, tree, init)


def test_a_folder_with_something_in_it_is_left_alone(archive, tmp_path):
    (tmp_path / "used").mkdir()
    (tmp_path / "used/mine").write_text("x")
    with pytest.raises(CopperbenchError, match="is not empty"):
        unpack_sandbox(archive, tmp_path / "used")


@pytest.mark.parametrize("path", ["../escape", "/etc/x", "a/../../b", ".git/hooks/post-commit", "a//b", "./a"])
def test_an_archive_that_leads_out_of_the_sandbox_is_refused(archive, tmp_path, path):
    members = {f"tree/{name}": member for name, member in read_sandbox(archive).files.items()}
    meta = b'{"baselineSha": "", "scaffold": "", "setupSkipped": [], "taskId": ""}'
    archive.write_bytes(pack({"sandbox.json": Member(meta), **members, f"tree/{path}": Member(b"x")}, "sandbox.json"))
    with pytest.raises(SealBroken, match="something other than"):
        unpack_sandbox(archive, tmp_path / "out")


def test_an_archive_whose_files_make_another_commit_is_refused(archive, tmp_path):
    contents = read_sandbox(archive)
    members = {f"tree/{name}": member for name, member in contents.files.items()}
    members["tree/docs/PINOUT.md"] = Member(b"other")
    meta = {"baselineSha": contents.info.baseline_sha, "scaffold": "x", "setupSkipped": [], "taskId": "do-toy"}
    archive.write_bytes(pack({"sandbox.json": Member(json.dumps(meta).encode()), **members}, "sandbox.json"))
    with pytest.raises(SealBroken, match="makes baseline"):
        unpack_sandbox(archive, tmp_path / "out")


ELSEWHERE = """
import os, sys, tempfile, time, hashlib, pathlib, dataclasses
sys.path.insert(0, {tests!r})
os.umask({umask})
time.tzset()
shift = {shift}
really = time.time
time.time = lambda: really() + shift
import conftest as world
from copperbench.sandbox import build_sandbox, commit_all, open_seal, seal_run, unpack_sandbox
task, fixture, tree = [
    getattr(world, name).__wrapped__ if hasattr(getattr(world, name), "__wrapped__")
    else getattr(world, name)._get_wrapped_function() for name in ("task", "fixture", "tree")
]
facts = world.facts.__wrapped__ if hasattr(world.facts, "__wrapped__") else world.facts._get_wrapped_function()
place = pathlib.Path(tempfile.mkdtemp())
task, fixture, tree = task(), fixture(), tree(place)
built = build_sandbox(task, fixture, tree, world.toy_init)
(place / "a.tar.zst").write_bytes(built.data)
unpack_sandbox(place / "a.tar.zst", place / "box")
sheet = place / "box" / world.SCHEMATIC
sheet.write_text(sheet.read_text().replace("N7", "Q7"))
(place / "box" / "n\\u00e9w.md").write_text("x", "utf-8")
sha = commit_all(place / "box", "edit", when=1_800_000_000)
run = place / "results/2026-12-31/m/t/run-1"
seal_run(run, facts(task), place / "box", place / "a.tar.zst", tree, b"x")
print(built.baseline_sha, sha, *(hashlib.sha256(data).hexdigest() for data in (
    built.data, (run / "end-state.tar.zst").read_bytes(), (run / "run.json").read_bytes())))
"""


@pytest.fixture
def elsewhere(root, tmp_path):
    """Build, edit, commit and seal in a process of its own, in surroundings of its own; what it made, as digests."""

    def made(name: str, zone: str, locale: str, umask: int, shift: int) -> str:
        (tmp_path / name).mkdir()
        script = ELSEWHERE.format(tests=str(root / "tests/sandbox"), umask=umask, shift=shift)
        environment = {"PATH": os.environ["PATH"], "TZ": zone, "LC_ALL": locale, "TMPDIR": str(tmp_path / name)}
        environment |= {"HOME": str(tmp_path / name), "PYTHONPATH": f"{root}{os.pathsep}{root}/tests"}
        (tmp_path / name / ".gitconfig").write_text(
            f"[user]\n\tname = {name}\n[core]\n\tautocrlf = true\n\texcludesfile = ~/ignore\n"
            "[feature]\n\tmanyFiles = true\n"
        )
        (tmp_path / name / "ignore").write_text("*.md\n")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return made


def test_time_zone_locale_umask_folder_clock_and_git_settings_change_no_byte(elsewhere):
    made = {
        elsewhere("a", "UTC", "C", 0o022, 0),
        elsewhere("b", "Asia/Kathmandu", "C.UTF-8", 0o077, 400_000_000),
        elsewhere("c d", "America/St_Johns", "de_DE.UTF-8", 0o000, -1_000_000_000),
    }
    assert len(made) == 1
