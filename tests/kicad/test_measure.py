"""The promises of measuring a board, and of the baselines that are recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from copperbench.errors import SuiteError
from copperbench.kicad.cli import require_kicad_cli
from copperbench.kicad.measure import measure, read_baseline, report_counts
from copperbench.suite import load_fixture, tree_hash

MEASURED = [
    "antmicro-microphone-board",
    "copperbench-ldo-sensor",
    "copperbench-sensor-hub",
    "openlighting-dmxsun-baseboard",
    "zhiayang-mikoto",
]


@pytest.mark.parametrize("board", MEASURED)
def test_the_counts_of_a_manifest_are_those_of_its_reports(root: Path, board: str) -> None:
    folder = root / "fixtures" / board
    manifest = load_fixture(folder)
    recorded = read_baseline(folder, manifest)
    assert recorded.drc is not None
    assert (manifest.erc, manifest.drc) == (report_counts(recorded.erc), report_counts(recorded.drc))


def test_a_published_only_board_has_no_report_to_read(root: Path) -> None:
    folder = root / "fixtures" / "antmicro-jetson-orin-baseboard"
    with pytest.raises(SuiteError, match="never measured"):
        read_baseline(folder, load_fixture(folder))


@pytest.mark.kicad
@pytest.mark.parametrize("board", ["copperbench-ldo-sensor", "copperbench-sensor-hub"])
def test_our_boards_measure_as_recorded(root: Path, board: str) -> None:
    folder = root / "fixtures" / board
    manifest = load_fixture(folder)
    measured = measure(require_kicad_cli(), folder / "tree", manifest.schematic, manifest.board)
    recorded = read_baseline(folder, manifest)
    assert (measured.erc, measured.drc) == (recorded.erc, recorded.drc)


@pytest.mark.kicad
@pytest.mark.parametrize("board", [board for board in MEASURED if not board.startswith("copperbench")])
def test_third_party_boards_measure_as_recorded(root: Path, shared: Path, board: str) -> None:
    manifest = load_fixture(root / "fixtures" / board)
    tree = shared / "fixtures" / board / "tree"
    measured = measure(require_kicad_cli(), tree, manifest.schematic, manifest.board)
    recorded = read_baseline(root / "fixtures" / board, manifest)
    assert (measured.erc.violations, measured.drc) == (recorded.erc.violations, recorded.drc)


@pytest.mark.kicad
def test_measuring_leaves_no_dropping_in_the_tree(root: Path) -> None:
    tree = root / "fixtures" / "copperbench-ldo-sensor" / "tree"
    before = tree_hash(tree)
    measure(require_kicad_cli(), tree, "copperbench-ldo-sensor.kicad_sch", "copperbench-ldo-sensor.kicad_pcb")
    assert tree_hash(tree) == before


@pytest.mark.kicad
def test_a_users_own_libraries_do_not_change_a_measurement(
    root: Path, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = root / "fixtures" / "copperbench-ldo-sensor" / "tree" / "ldo-sensor.kicad_sym"
    table = tmp_path / ".config" / "kicad" / "10.0" / "sym-lib-table"
    table.parent.mkdir(parents=True)
    entry = f'(lib (name "antmicroCapacitors0402") (type "KiCad") (uri "{library}") (options "") (descr ""))'
    table.write_text(f"(sym_lib_table (version 7) {entry})")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("KICAD_CONFIG_HOME", str(table.parent.parent))
    folder = root / "fixtures" / "antmicro-microphone-board"
    manifest = load_fixture(folder)
    measured = measure(require_kicad_cli(), shared / "fixtures" / manifest.id / "tree", manifest.schematic, None)
    assert measured.erc == read_baseline(folder, manifest).erc
