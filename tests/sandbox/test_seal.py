"""What a run left is sealed whole, and a seal is opened only when nothing in it has changed."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from copperbench.errors import CopperbenchError, FixtureMismatch, SealBroken
from copperbench.publish import json_bytes, self_sealed
from copperbench.sandbox import FileState, SealLimits, commit_all, open_seal, parse_run, run_json, seal_run, tool_owned
from copperbench.sandbox.archive import Member, pack
from copperbench.sandbox.end_state import pack_end_state, parse_end_state


def state(path: str, data: bytes, mode: int = 0o644, kind: str = "file") -> FileState:
    return FileState(path, kind, mode, hashlib.sha256(data).hexdigest(), len(data))


def test_an_untouched_sandbox_ends_as_it_began(seal):
    sealed = seal()
    assert (sealed.end, sealed.commits, sealed.notes) == (sealed.baseline, (), ())


def test_the_facts_come_back_as_they_were(seal, facts):
    sealed = seal()
    assert sealed.facts == dataclasses.replace(facts, files=sealed.facts.files)


def test_the_transcript_comes_back_as_it_was(seal):
    assert seal(b"\xff\x00 no json").transcript == b"\xff\x00 no json"


def test_changes_of_every_kind_are_in_the_end_state(seal, sandbox, tree):
    (sandbox / "hw/board.kicad_sch").write_text("edited")
    (sandbox / "hw/board.kicad_pro").unlink()
    (sandbox / "hw/board.kicad_pcb").chmod(0o744)
    (sandbox / "ignored.kicad_prl").write_text("ignored")
    sealed = seal()
    before, after = sealed.baseline, sealed.end
    assert {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)} == {
        "hw/board.kicad_sch",
        "hw/board.kicad_pro",
        "hw/board.kicad_pcb",
        "ignored.kicad_prl",
    }


def test_both_trees_are_materialised_byte_for_byte(seal, sandbox, tree, tmp_path):
    sheet = sandbox / "hw/board.kicad_sch"
    before = sheet.read_bytes()
    sheet.write_bytes(before.replace(b"N7", b"Q7"))
    (sandbox / ".copperhead/runs/1").mkdir(parents=True)
    (sandbox / ".copperhead/runs/1/t").write_text("tool's")
    sealed = seal()
    for which in ("baseline", "end"):
        sealed.materialise(which, tree, tmp_path / which)
    assert (
        (tmp_path / "baseline/hw/board.kicad_sch").read_bytes(),
        (tmp_path / "end/hw/board.kicad_sch").read_bytes(),
        (tmp_path / "end/.copperhead/runs/1/t").read_text(),
    ) == (before, sheet.read_bytes(), "tool's")


def test_a_one_line_edit_of_a_megabyte_costs_kilobytes(seal, sandbox, tree, run_folder, archive, task, fixture, init):
    lines = [f"(segment {random.Random(n).random()} {n})\n" for n in range(40_000)]
    edited = "".join(lines[:20_000]) + "(new)\n" + "".join(lines[20_000:])
    (tree / "hw/board.kicad_pcb").write_text("".join(lines))
    (sandbox / "hw/board.kicad_pcb").write_text(edited)
    sealed = seal()
    assert (run_folder / "end-state.tar.zst").stat().st_size < 4096
    assert sealed.read_end("hw/board.kicad_pcb", tree) == edited.encode()


def test_what_the_fixture_has_under_another_name_is_not_stored(seal, sandbox, tree):
    (sandbox / "hw/board.kicad_sch").rename(sandbox / "hw/moved.kicad_sch")
    sealed = seal()
    moved = sealed.end["hw/moved.kicad_sch"].sha256
    assert sealed.archive.sources[moved] == ("fixture", "hw/board.kicad_sch")


@pytest.mark.parametrize("name", ["transcript.jsonl", "end-state.tar.zst"])
def test_one_flipped_byte_is_named(seal, run_folder, name):
    seal(b"x" * 100)
    data = bytearray((run_folder / name).read_bytes())
    data[40] ^= 1
    (run_folder / name).write_bytes(data)
    with pytest.raises(SealBroken, match=f"{name}: has changed since it was sealed"):
        open_seal(run_folder)


@pytest.mark.parametrize("name", ["transcript.jsonl", "end-state.tar.zst", "run.json"])
def test_a_missing_file_is_named(seal, run_folder, name):
    seal()
    (run_folder / name).unlink()
    with pytest.raises(SealBroken, match=f"{name}: cannot be read"):
        open_seal(run_folder)


@pytest.mark.parametrize(
    "change",
    [
        {"repeat": 0},
        {"files": {"../x": "0" * 64}},
        {"unknown": 1},
        {"llmCache": True},
        {"campaign": "../../x"},
        {"exit": {}},
    ],
)
def test_a_run_json_that_does_not_fit_its_schema_is_broken(facts, change):
    value = json.loads(run_json(facts)) | change
    del value["seal"]
    with pytest.raises(SealBroken, match=r"^run\.json: \$"):
        parse_run(self_sealed(value), "run.json")


def test_a_run_json_without_its_own_digest_is_broken(facts):
    value = json.loads(run_json(facts))
    del value["seal"]
    with pytest.raises(SealBroken, match="seal"):
        parse_run(json_bytes(value), "run.json")


def test_no_flipped_bit_of_run_json_goes_unnoticed(facts):
    data = run_json(facts)
    assert parse_run(data, "run.json") == facts
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] ^= 1 << at % 7
        with pytest.raises(SealBroken, match=r"^run\.json"):
            parse_run(bytes(changed), "run.json")


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff", b"[" * 10**5, b'{"a":1,"a":2}', b"null"])
def test_a_run_json_that_is_no_json_is_broken(data):
    with pytest.raises(SealBroken, match=r"^run\.json"):
        parse_run(data, "run.json")


def test_a_fixture_that_is_no_longer_the_one_sealed_against_is_named(seal, sandbox, tree):
    sealed = seal()
    (tree / "hw/board.kicad_sch").write_text("other")
    with pytest.raises(FixtureMismatch, match=r"board\.kicad_sch: is not the file that the run was sealed against"):
        sealed.read_end("hw/board.kicad_sch", tree)


def test_a_sealed_run_is_never_sealed_over(seal, run_folder):
    seal()
    before = {path.name: path.read_bytes() for path in run_folder.iterdir()}
    with pytest.raises(CopperbenchError, match="is sealed already"):
        seal(b"other")
    assert {path.name: path.read_bytes() for path in run_folder.iterdir()} == before


def test_what_a_killed_sealing_left_is_replaced(seal, run_folder):
    run_folder.mkdir(parents=True)
    for name in ("transcript.jsonl", ".transcript.jsonl.abcd_123", ".run.json.zzzzzzzz"):
        (run_folder / name).write_text("half")
    seal(b"whole")
    assert sorted(path.name for path in run_folder.iterdir()) == ["end-state.tar.zst", "run.json", "transcript.jsonl"]


def test_run_json_is_what_makes_a_run_and_is_published_last(seal, run_folder, monkeypatch):
    def broken(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("copperbench.sandbox.seal.publish_new", broken)
    with pytest.raises(KeyboardInterrupt):
        seal()
    assert sorted(path.name for path in run_folder.iterdir()) == ["end-state.tar.zst", "transcript.jsonl"]


@pytest.mark.parametrize(
    "disk", [{"file_bytes": 100}, {"paths": 5}, {"total_bytes": 1000}, {"depth": 0}, {"path_bytes": 5}]
)
def test_a_run_that_leaves_too_much_is_sealed_as_tampered(seal, sandbox, disk):
    (sandbox / "big").write_text("x" * 2000)
    (sandbox / "deep/er").mkdir(parents=True)
    (sandbox / "deep/er/x").write_text("x")
    assert seal(limits=SealLimits(**disk)).facts.exit.tampered.startswith("left more than can be sealed: ")


def test_an_honest_run_is_not_tampered(seal):
    assert seal().facts.exit.tampered is None


def test_a_file_above_the_limit_is_recorded_without_its_bytes(seal, sandbox):
    with (sandbox / "sparse").open("wb") as file:
        file.truncate(1 << 30)
    assert seal().end["sparse"].kind == "special"


def test_past_the_limit_on_paths_no_part_passes_for_the_tree(seal, sandbox):
    for number in range(50):
        (sandbox / f"n{number}").touch()
    assert seal(limits=SealLimits(paths=40)).end == {}


def test_a_sandbox_that_was_removed_leaves_nothing_and_is_recorded(seal, sandbox):
    sandbox.rename(sandbox.parent / "away")
    sealed = seal()
    assert (sealed.end, sealed.commits, "cannot be opened" in sealed.facts.exit.tampered) == ({}, None, True)


@pytest.mark.parametrize(
    ("path", "owned"),
    [
        (".copperhead/runs/1/transcript.jsonl", True),
        (".copperhead/llm-cache/x.json", True),
        (".history/a", True),
        ("hw/.history/a", True),
        ("hw/board.kicad_prl", True),
        ("hw/~board.kicad_sch.lck", True),
        ("fp-info-cache", True),
        (".copperhead/runs", False),
        (".copperhead/config.json", False),
        ("x.copperhead/runs/1", False),
        ("board.kicad_prl/x", False),
        ("hw/board.kicad_prl.txt", False),
        ("hw/board.lck", False),
        ("docs/PINOUT.md", False),
        (".history", False),
        ("a\n.kicad_prl", True),
    ],
)
def test_what_tools_own_is_one_list(path, owned):
    assert tool_owned(path) is owned


NAMES = st.lists(
    st.binary(min_size=1, max_size=12)
    .map(lambda raw: raw.replace(b"/", b"_").replace(b"\0", b"_"))
    .filter(lambda raw: raw not in (b".", b"..", b".git"))
    .map(os.fsdecode),
    min_size=1,
    max_size=3,
)


@given(st.lists(st.tuples(NAMES, st.binary(max_size=400), st.booleans()), max_size=8), st.integers())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_tree_is_sealed_and_opened_without_loss(archive, facts, tree, tmp_path, files, unique):
    place = tmp_path / hashlib.sha256(repr((files, unique)).encode()).hexdigest()
    box, run = place / "box", place / "results/2026-12-31/m/t/run-1"
    box.mkdir(parents=True)
    written = {}
    for parts, data, executable in files:
        target = box.joinpath(*parts)
        if any(parent.is_file() for parent in target.parents) or target.is_dir():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        target.chmod(0o755 if executable else 0o644)
        written["/".join(parts)] = (data, 0o755 if executable else 0o644)
    seal_run(run, facts, box, archive, tree, b"")
    sealed = open_seal(run)
    read = {path: (sealed.read_end(path, tree), each.mode) for path, each in sealed.end.items()}
    sealed.materialise("end", tree, place / "out")
    assert read == written
    assert {os.fspath(path.relative_to(place / "out")) for path in (place / "out").rglob("*") if path.is_file()} == set(
        written
    )


def test_equal_runs_have_equal_seals_wherever_their_objects_lie(facts, archive, tree, sandbox, tmp_path):
    (sandbox / "hw/board.kicad_sch").write_text("edited")
    commit_all(sandbox, "edit", when=1_800_000_000)
    sealed = []
    for number in (1, 2):
        folder = tmp_path / f"results/2026-12-31/m/t/run-{number}"
        seal_run(folder, facts, sandbox, archive, tree, b"")
        sealed.append((folder / "end-state.tar.zst").read_bytes())
        os.system(f"git -C {sandbox} gc -q 2>/dev/null")
    assert sealed[0] == sealed[1]


def tampered(change) -> bytes:
    """An end state with a changed manifest, as an archive that is otherwise ours."""
    data = b"hello"
    value = {
        "format": 1,
        "baseline": [],
        "end": [{"path": "a", "sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}],
        "commits": [],
        "notes": [],
        "sources": {hashlib.sha256(data).hexdigest(): {"from": "blob", "path": ""}},
    }
    members = {f"blobs/{hashlib.sha256(data).hexdigest()}": Member(data)}
    change(value, members)
    return pack({"manifest.json": Member(json.dumps(value).encode()), **members}, "manifest.json")


def entry(value) -> dict:
    return value["end"][0]


@pytest.mark.parametrize(
    "change",
    [
        lambda value, _: entry(value).update(path="../escape"),
        lambda value, _: entry(value).update(path="/etc/passwd"),
        lambda value, _: entry(value).update(path="a/../../b"),
        lambda value, _: entry(value).update(path=""),
        lambda value, _: entry(value).update(path="a\0b"),
        lambda value, _: entry(value).update(path=".git/hooks/x"),
        lambda value, _: entry(value).update(path=7),
        lambda value, _: entry(value).update(size=1 << 40),
        lambda value, _: entry(value).update(size=-1),
        lambda value, _: entry(value).update(mode="4755"),
        lambda value, _: entry(value).update(kind="device"),
        lambda value, _: entry(value).update(sha256="../../x"),
        lambda value, _: value["end"].append(entry(value)),
        lambda value, _: value["end"].append({**entry(value), "path": "a/b"}),
        lambda value, _: value["end"].extend({**entry(value), "path": f"n{n}", "size": 1 << 29} for n in range(9)),
        lambda value, _: value.update(format=2),
        lambda value, _: value.update(sources=[]),
        lambda value, _: value.update(commits=[{}]),
        lambda value, _: value.pop("notes"),
        lambda value, _: value["sources"].clear(),
        lambda value, _: next(iter(value["sources"].values())).update({"from": "fixture", "path": "../x"}),
        lambda value, _: next(iter(value["sources"].values())).update({"from": "url"}),
        lambda _, members: members.clear(),
        lambda _, members: members.update({"blobs/" + "0" * 64: Member(b"stray")}),
        lambda _, members: members.update({"../../evil": Member(b"stray")}),
    ],
)
def test_an_end_state_that_no_seal_would_hold_is_broken(change):
    with pytest.raises(SealBroken):
        parse_end_state(tampered(change), "end-state.tar.zst")


def test_an_end_state_with_the_wrong_bytes_is_broken_when_they_are_read(tree):
    def swap(_, members):
        members[next(iter(members))] = Member(b"other")

    opened = parse_end_state(tampered(swap), "end-state.tar.zst")
    with pytest.raises(SealBroken, match="holds other bytes for 'a'"):
        opened.read(opened.end["a"], tree, "end-state.tar.zst")


def test_a_difference_that_unpacks_to_more_than_it_says_is_broken(tree):
    import zstandard

    base = (tree / "hw/board.kicad_sch").read_bytes()
    known = zstandard.ZstdCompressionDict(base, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
    bomb = zstandard.ZstdCompressor(dict_data=known).compress(bytes(50 << 20))
    digest = hashlib.sha256(b"hello").hexdigest()

    def swap(value, members):
        members.clear()
        members[f"deltas/{digest}"] = Member(bomb)
        value["sources"][digest] = {"from": "delta", "path": "hw/board.kicad_sch"}

    opened = parse_end_state(tampered(swap), "x")
    with pytest.raises(SealBroken, match="unpacks to more than 5 bytes"):
        opened.read(opened.end["a"], tree, "x")


@given(st.binary(max_size=3000), st.binary(max_size=3000), st.binary(max_size=30))
def test_a_difference_gives_back_the_file_whatever_the_two_are(base, left, right):
    changed = left + base + right
    packed = pack_end_state({}, {"f": state("f", changed)}, {state("f", changed).sha256: changed}, {"f": base}, (), ())
    opened = parse_end_state(packed, "x")
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "f").write_bytes(base)
        assert opened.read(opened.end["f"], Path(folder), "x") == changed
