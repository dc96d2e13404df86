"""verify.json: KiCad's judgement under the fixture's rules, whatever the run did to the rules."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from copperbench.errors import KicadCliFailed, SealBroken
from copperbench.evidence import Unloadable, put_rules_back, read_verify, tree_digest, verify
from copperbench.kicad import DesignUnloadable, KicadCli, Report, find_kicad_cli
from copperbench.publish import self_sealed
from copperbench.sandbox import Seal
from copperbench.suite import Fixture

Sealed = Callable[..., Seal]
PROJECT = "copperbench-ldo-sensor.kicad_pro"
RULES = "copperbench-ldo-sensor.kicad_dru"


@dataclass
class StubCli:
    """Stands in for kicad-cli: clean reports, or the failures that it is told to have."""

    failures: list[Exception | None] = field(default_factory=list)
    version: str = "10.0.6"

    def _answer(self, kind: str) -> Report:
        failure = self.failures.pop(0) if self.failures else None
        if failure:
            raise failure
        return Report(kind, self.version, ())  # type: ignore[arg-type]

    def erc(self, schematic: Path) -> Report:
        return self._answer("erc")

    def drc(self, board: Path) -> Report:
        return self._answer("drc")


def cli() -> KicadCli:
    found = find_kicad_cli()
    assert found is not None
    return found


def stub(*failures: Exception | None) -> Any:
    return StubCli(list(failures))


def test_a_run_cannot_soften_the_rules_it_is_judged_by(board_tree: Path, tmp_path: Path) -> None:
    (tmp_path / PROJECT).write_text('{"erc": {"rule_severities": {}}}')
    (tmp_path / RULES).write_text("(rule everything (severity ignore))")
    (tmp_path / "x.kicad_prl").write_text("{}")
    put_rules_back(tmp_path, board_tree)
    assert sorted(path.name for path in tmp_path.iterdir()) == [PROJECT]
    assert (tmp_path / PROJECT).read_bytes() == (board_tree / PROJECT).read_bytes()


def test_a_deleted_project_file_is_put_back(board_tree: Path, tmp_path: Path) -> None:
    put_rules_back(tmp_path, board_tree)
    assert (tmp_path / PROJECT).read_bytes() == (board_tree / PROJECT).read_bytes()


def test_a_folder_in_place_of_the_project_file_is_no_hindrance(board_tree: Path, tmp_path: Path) -> None:
    (tmp_path / PROJECT / "deep").mkdir(parents=True)
    put_rules_back(tmp_path, board_tree)
    assert (tmp_path / PROJECT).is_file()


def test_a_file_in_place_of_the_projects_folder_is_no_hindrance(tmp_path: Path) -> None:
    tree, copy = tmp_path / "tree", tmp_path / "copy"
    (tree / "hw").mkdir(parents=True)
    (tree / "hw/x.kicad_pro").write_text("{}")
    copy.mkdir()
    (copy / "hw").write_text("in the way")
    put_rules_back(copy, tree)
    assert (copy / "hw/x.kicad_pro").read_text() == "{}"


def test_the_reports_are_bound_to_the_end_state(sealed: Sealed, board_fixture: Fixture, board_tree: Path) -> None:
    seal = sealed()
    assert read_verify(verify(seal, board_fixture, board_tree, stub())).end_state == tree_digest(seal.end)


def test_a_fixture_without_a_board_has_no_drc(sealed: Sealed, board_fixture: Fixture, board_tree: Path) -> None:
    made = verify(sealed(), replace(board_fixture, board=None), board_tree, stub())
    assert read_verify(made).drc is None


def test_a_broken_schematic_is_recorded_as_unloadable(
    sealed: Sealed, board_fixture: Fixture, board_tree: Path, schematic: str
) -> None:
    seal = sealed(lambda sandbox: (sandbox / schematic).write_text("(broken"))
    erc = read_verify(verify(seal, board_fixture, board_tree, stub())).erc
    assert isinstance(erc, Unloadable)
    assert erc.reason.startswith(f"{schematic}:")


def test_a_schematic_that_became_a_link_is_recorded_as_unloadable(
    sealed: Sealed, board_fixture: Fixture, board_tree: Path, schematic: str
) -> None:
    def edit(sandbox: Path) -> None:
        (sandbox / schematic).unlink()
        (sandbox / schematic).symlink_to("/etc/hostname")

    assert isinstance(read_verify(verify(sealed(edit), board_fixture, board_tree, stub())).erc, Unloadable)


def test_a_design_that_kicad_does_not_get_through_is_the_runs_fault(
    sealed: Sealed, board_fixture: Fixture, board_tree: Path
) -> None:
    slow = KicadCliFailed("x.kicad_sch", "kicad-cli did not finish within 300 s")
    erc = read_verify(verify(sealed(), board_fixture, board_tree, stub(slow))).erc
    assert erc == Unloadable("x.kicad_sch: kicad-cli did not finish within 300 s (the fixture's own design passes)")


@pytest.mark.parametrize(
    "failure", [KicadCliFailed("x", "ended with code 139"), DesignUnloadable("x", "kicad-cli cannot load it")]
)
def test_a_kicad_that_fails_on_the_fixture_too_says_nothing_about_the_run(
    sealed: Sealed, board_fixture: Fixture, board_tree: Path, failure: Exception
) -> None:
    with pytest.raises(KicadCliFailed, match="cannot be judged, changed or not"):
        verify(sealed(), board_fixture, board_tree, stub(failure, failure))


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"null", b"[" * 100_000, b'{"format": 1}', b'{"format": 2}', b"\xff"],
    ids=["empty", "cut", "list", "null", "deep", "lacking", "other format", "not UTF-8"],
)
def test_a_damaged_verify_json_is_a_broken_seal(data: bytes) -> None:
    with pytest.raises(SealBroken, match=r"^verify\.json"):
        read_verify(data)


@pytest.mark.parametrize("part", [7, [], {"kind": "erc"}, {"unloadable": 3}])
def test_a_report_of_another_form_is_a_broken_seal(part: object) -> None:
    body = {"format": 1, "kicadCliVersion": "10.0.6", "endState": "0", "settings": {}, "erc": part, "drc": None}
    with pytest.raises(SealBroken, match="cannot be read"):
        read_verify(self_sealed(body))


def test_no_flipped_bit_of_verify_json_goes_unnoticed(sealed: Sealed, board_fixture: Fixture, board_tree: Path) -> None:
    data = verify(sealed(), board_fixture, board_tree, stub())
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] ^= 1 << at % 7
        with pytest.raises(SealBroken, match=r"^verify\.json"):
            read_verify(bytes(changed))


@pytest.mark.kicad
def test_the_same_seal_gives_the_same_bytes(sealed: Sealed, board_fixture: Fixture, board_tree: Path) -> None:
    seal = sealed()
    assert verify(seal, board_fixture, board_tree, cli()) == verify(seal, board_fixture, board_tree, cli())


@pytest.mark.kicad
def test_violations_that_the_run_silenced_in_the_project_file_are_found(
    sealed: Sealed, board_fixture: Fixture, board_tree: Path, schematic: str
) -> None:
    def edit(sandbox: Path) -> None:
        project = json.loads((sandbox / PROJECT).read_text())
        project.setdefault("erc", {})["rule_severities"] = {"label_dangling": "ignore"}
        (sandbox / PROJECT).write_text(json.dumps(project))
        text = (sandbox / schematic).read_text().rstrip()
        effects = "(effects (font (size 1.27 1.27)))"
        loose = f'(label "GHOST" (at 20.32 20.32 0) {effects} (uuid "a0b1c2d3-0000-4000-8000-000000000000"))'
        (sandbox / schematic).write_text(f"{text[:-1]}{loose})\n")

    erc = read_verify(verify(sealed(edit), board_fixture, board_tree, cli())).erc
    assert isinstance(erc, Report)
    assert "label_dangling" in {violation.type for violation in erc.violations}


@pytest.mark.kicad
def test_a_broken_board_is_recorded_as_unloadable_by_kicad_itself(
    sealed: Sealed, board_fixture: Fixture, board_tree: Path
) -> None:
    assert board_fixture.board is not None
    seal = sealed(lambda sandbox: (sandbox / str(board_fixture.board)).write_text("(broken"))
    found = read_verify(verify(seal, board_fixture, board_tree, cli()))
    assert (isinstance(found.erc, Report), isinstance(found.drc, Unloadable)) == (True, True)


@pytest.mark.kicad
def test_the_cache_of_reports_changes_no_byte(
    sealed: Sealed, board_fixture: Fixture, board_tree: Path, tmp_path: Path
) -> None:
    seal = sealed()
    plain = verify(seal, board_fixture, board_tree, cli())
    cached = [verify(seal, board_fixture, board_tree, cli(), tmp_path / "cache") for _ in range(2)]
    assert cached == [plain, plain]
