"""The promises of the kicad-cli wrapper."""

from __future__ import annotations

import shutil
import stat
import time
from pathlib import Path

import pytest

from copperbench.errors import KicadCliFailed, KicadCliMissing
from copperbench.kicad.cli import DesignUnloadable, KicadCli, find_kicad_cli, require_kicad_cli

LDO = Path(__file__).parents[2] / "fixtures" / "copperbench-ldo-sensor" / "tree"


@pytest.fixture
def ldo(tmp_path: Path) -> Path:
    """A copy of our one-sheet board, to be spoiled."""
    return Path(shutil.copytree(LDO, tmp_path / "ldo"))


@pytest.fixture
def kicad_cli() -> KicadCli:
    return require_kicad_cli()


def program(folder: Path, body: str, name: str = "kicad-cli") -> Path:
    """A stand-in for kicad-cli; `$output` is what it was told to write."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    find_output = 'for a; do [ "$p" = -o ] && output=$a; p=$a; done\n'
    path.write_text(f"#!/bin/sh\n{find_output}{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def stand_in(tmp_path: Path, body: str, time_limit_s: float = 30.0) -> KicadCli:
    return KicadCli(program(tmp_path / "bin", body), "10.0.6", time_limit_s)


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    path = tmp_path / "design" / "a.kicad_sch"
    path.parent.mkdir()
    path.write_text("(kicad_sch)")
    return path


@pytest.mark.kicad
def test_our_board_has_no_electrical_finding(kicad_cli: KicadCli, ldo: Path) -> None:
    assert kicad_cli.erc(ldo / "copperbench-ldo-sensor.kicad_sch").is_clean


@pytest.mark.kicad
def test_our_board_has_no_layout_finding_and_agrees_with_its_schematic(kicad_cli: KicadCli, ldo: Path) -> None:
    assert kicad_cli.drc(ldo / "copperbench-ldo-sensor.kicad_pcb").is_clean


@pytest.mark.kicad
def test_a_renamed_net_shows_as_parity(kicad_cli: KicadCli, ldo: Path) -> None:
    sheet = ldo / "copperbench-ldo-sensor.kicad_sch"
    sheet.write_text(sheet.read_text().replace('(label "SCL"', '(label "CLOCK"'))
    parity = kicad_cli.drc(ldo / "copperbench-ldo-sensor.kicad_pcb").counts("warning", "parity")
    assert set(parity) == {"net_conflict"}


@pytest.mark.kicad
def test_a_truncated_schematic_is_the_designs_fault(kicad_cli: KicadCli, ldo: Path) -> None:
    sheet = ldo / "copperbench-ldo-sensor.kicad_sch"
    sheet.write_bytes(sheet.read_bytes()[:30_000])
    with pytest.raises(DesignUnloadable):
        kicad_cli.erc(sheet)


@pytest.mark.kicad
def test_a_truncated_schematic_is_the_designs_fault_for_drc_too(kicad_cli: KicadCli, ldo: Path) -> None:
    sheet = ldo / "copperbench-ldo-sensor.kicad_sch"
    sheet.write_bytes(sheet.read_bytes()[:30_000])
    with pytest.raises(DesignUnloadable):
        kicad_cli.drc(ldo / "copperbench-ldo-sensor.kicad_pcb")


@pytest.mark.kicad
def test_a_deleted_schematic_does_not_pass_as_perfect_parity(kicad_cli: KicadCli, ldo: Path) -> None:
    (ldo / "copperbench-ldo-sensor.kicad_sch").unlink()
    with pytest.raises(DesignUnloadable, match="no such file"):
        kicad_cli.drc(ldo / "copperbench-ldo-sensor.kicad_pcb")


@pytest.mark.kicad
def test_what_is_wrong_is_said_alike_in_every_folder(kicad_cli: KicadCli, ldo: Path) -> None:
    board = ldo / "copperbench-ldo-sensor.kicad_pcb"
    board.write_bytes(board.read_bytes()[:30_000])
    with pytest.raises(DesignUnloadable) as caught:
        kicad_cli.drc(board)
    assert caught.value.remedy.endswith(" in 'copperbench-ldo-sensor.kicad_pcb', line 1528, offset 1.")


def test_what_is_wrong_is_said_without_the_clock(tmp_path: Path, sheet: Path) -> None:
    with pytest.raises(DesignUnloadable) as caught:
        stand_in(tmp_path, f"echo \"02:49:18: Error: no number in '{sheet}', line 7\"; exit 3").erc(sheet)
    assert caught.value.remedy == "no number in 'a.kicad_sch', line 7"


@pytest.mark.kicad
@pytest.mark.parametrize("suffix", [".kicad_sch", ".kicad_pcb"])
def test_loads_tells_a_whole_file_from_a_truncated_one(kicad_cli: KicadCli, ldo: Path, suffix: str) -> None:
    file = ldo / f"copperbench-ldo-sensor{suffix}"
    whole = kicad_cli.loads(file)
    file.write_bytes(file.read_bytes()[:30_000])
    assert (whole, kicad_cli.loads(file)) == (True, False)


@pytest.mark.kicad
def test_the_netlist_names_every_component(kicad_cli: KicadCli, ldo: Path) -> None:
    netlist = kicad_cli.export_netlist(ldo / "copperbench-ldo-sensor.kicad_sch")
    assert netlist.count(b"(comp\n") == 27


def test_parity_that_was_not_tested_is_no_empty_parity(tmp_path: Path, sheet: Path) -> None:
    board = sheet.with_suffix(".kicad_pcb")
    board.write_text("(kicad_pcb)")
    raw = '{"kicad_version": "10.0.6", "violations": [], "unconnected_items": [], "schematic_parity": []}'
    kicad_cli = stand_in(tmp_path, f"echo '{raw}' > \"$output\"; echo Found 0 violations")
    with pytest.raises(DesignUnloadable, match="could not test parity"):
        kicad_cli.drc(board)


def test_configuration_and_secrets_of_the_user_stay_out(
    tmp_path: Path, sheet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KICAD10_SYMBOL_DIR", "/usr/share/kicad/symbols")
    monkeypatch.setenv("MODEL_API_KEY", "swordfish")
    seen = stand_in(tmp_path, 'env > "$output"').export_netlist(sheet).decode()
    assert "KICAD10_SYMBOL_DIR" not in seen
    assert "swordfish" not in seen


def test_kicads_homes_are_empty_folders(tmp_path: Path, sheet: Path) -> None:
    body = 'ls -A "$HOME" "$KICAD_CONFIG_HOME" "$KICAD_DOCUMENTS_HOME" "$KICAD_CACHE_HOME" | grep -v : > "$output"'
    assert stand_in(tmp_path, f"{body}; true").export_netlist(sheet).split() == []


def test_a_kicad_cli_that_hangs_is_stopped_with_its_children(tmp_path: Path, sheet: Path) -> None:
    marker = tmp_path / "survived"
    kicad_cli = stand_in(tmp_path, f"(sleep 1.5; touch {marker}) & wait", time_limit_s=0.3)
    with pytest.raises(KicadCliFailed, match=r"did not finish within 0\.3 s"):
        kicad_cli.export_netlist(sheet)
    time.sleep(2)
    assert not marker.exists()


def test_a_crash_names_the_signal(tmp_path: Path, sheet: Path) -> None:
    with pytest.raises(KicadCliFailed, match="killed by signal 11"):
        stand_in(tmp_path, "kill -SEGV $$").erc(sheet)


def test_a_report_that_is_no_json_is_refused(tmp_path: Path, sheet: Path) -> None:
    with pytest.raises(KicadCliFailed, match="no JSON"):
        stand_in(tmp_path, 'echo "<html>" > "$output"').erc(sheet)


def test_success_without_a_report_is_a_failure(tmp_path: Path, sheet: Path) -> None:
    with pytest.raises(KicadCliFailed, match="wrote nothing"):
        stand_in(tmp_path, "exit 0").erc(sheet)


def test_a_named_kicad_cli_that_does_not_exist_is_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "bin", "echo 10.0.6")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert find_kicad_cli(str(tmp_path / "missing")) is None


def test_the_variable_beats_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "bin", "echo 9.0.8")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("COPPERBENCH_KICAD_CLI", str(program(tmp_path / "own", "echo 10.0.7")))
    found = find_kicad_cli()
    assert found is not None
    assert (found.version, found.major) == ("10.0.7", 10)


def test_a_verb_that_needs_kicad_cli_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COPPERBENCH_KICAD_CLI", "/nowhere/kicad-cli")
    with pytest.raises(KicadCliMissing, match=r"/nowhere/kicad-cli: no such program; install .*install_kicad\.sh"):
        require_kicad_cli()


def test_a_program_without_a_version_is_not_taken(tmp_path: Path) -> None:
    with pytest.raises(KicadCliFailed, match="does not tell its version"):
        find_kicad_cli(str(program(tmp_path / "bin", "echo hello")))
