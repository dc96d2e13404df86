"""The promises of putting a fixture's tree in place."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from given.repositories import git

from copperbench.errors import FixtureMismatch
from copperbench.suite import Fixture, FixtureFile, load_fixture, tree_hash
from copperbench.suite.models import Package
from copperbench.suite.obtain import obtain

SHEET, WORKSHEET = b"(kicad_sch)\n", b"(page_layout)\n"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with one board of two files, and one file that no manifest lists."""
    board = tmp_path / "store" / "antmicro-microphone-board"
    (board / "tree" / "hardware").mkdir(parents=True)
    (board / "tree" / "hardware" / "a.kicad_sch").write_bytes(SHEET)
    (board / "tree" / "empty.kicad_wks").write_bytes(WORKSHEET)
    (board / "LICENSE").write_text("the licence\n")
    return tmp_path / "store"


@pytest.fixture
def fixture(root: Path, store: Path) -> Fixture:
    """A manifest of that board; upstream keeps the sheet in its root and the worksheet with CRLF."""
    manifest = load_fixture(root / "fixtures" / "antmicro-microphone-board")
    files = (
        FixtureFile("empty.kicad_wks", "empty.kicad_wks", "lf"),
        FixtureFile("hardware/a.kicad_sch", "a.kicad_sch", "lf"),
    )
    return replace(manifest, sha256=tree_hash(store / manifest.id / "tree"), files=files)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "fixtures" / "antmicro-microphone-board"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def clone(tmp_path: Path, fixture: Fixture) -> tuple[Path, Fixture]:
    """A repository whose pinned commit holds the board, under a newer commit that does not; and the manifest for it."""
    repository = tmp_path / "clone"
    repository.mkdir()
    git(repository, "init", "--quiet")
    (repository / "a.kicad_sch").write_bytes(SHEET)
    (repository / "empty.kicad_wks").write_bytes(WORKSHEET.replace(b"\n", b"\r\n"))
    (repository / "LICENSE").write_text("the licence\n")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "-m", "pinned")
    commit = git(repository, "rev-parse", "HEAD")
    git(repository, "config", "uploadpack.allowAnySHA1InWant", "true")
    git(repository, "rm", "--quiet", "a.kicad_sch")
    git(repository, "commit", "--quiet", "-m", "newer")
    assert fixture.upstream is not None
    upstream = replace(fixture.upstream, commit=commit, url=repository.as_uri())
    return repository, replace(fixture, upstream=upstream)


def contents(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_a_store_fills_the_tree_and_the_licence(fixture: Fixture, folder: Path, store: Path) -> None:
    obtain(fixture, folder, store=store)
    assert contents(folder) == ["LICENSE", "tree/empty.kicad_wks", "tree/hardware/a.kicad_sch"]


def test_only_the_manifests_files_are_copied(fixture: Fixture, folder: Path, store: Path) -> None:
    (store / fixture.id / "tree" / "fp-info-cache").write_text("a dropping")
    obtain(fixture, folder, store=store)
    assert "tree/fp-info-cache" not in contents(folder)


def test_a_store_is_never_linked(fixture: Fixture, folder: Path, store: Path) -> None:
    obtain(fixture, folder, store=store)
    copied = folder / "tree" / "empty.kicad_wks"
    assert not copied.samefile(store / fixture.id / "tree" / "empty.kicad_wks")


def test_a_clone_gives_the_pinned_commit_at_the_manifests_paths(clone: tuple[Path, Fixture], folder: Path) -> None:
    repository, fixture = clone
    obtain(fixture, folder, clone=str(repository))
    assert (folder / "tree" / "hardware" / "a.kicad_sch").read_bytes() == SHEET


def test_line_ends_are_those_of_the_manifest(clone: tuple[Path, Fixture], folder: Path) -> None:
    repository, fixture = clone
    obtain(fixture, folder, clone=str(repository))
    assert (folder / "tree" / "empty.kicad_wks").read_bytes() == WORKSHEET


def test_upstream_is_fetched_at_the_pinned_commit(clone: tuple[Path, Fixture], folder: Path) -> None:
    _, fixture = clone
    assert obtain(fixture, folder).source.startswith("file:///")


def test_a_git_environment_of_a_hook_does_not_lead_elsewhere(
    clone: tuple[Path, Fixture], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository, fixture = clone
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    assert obtain(fixture, folder, clone=str(repository)).sha256 == fixture.sha256


def test_a_changed_source_is_refused_with_both_hashes(fixture: Fixture, folder: Path, store: Path) -> None:
    (store / fixture.id / "tree" / "empty.kicad_wks").write_bytes(b"(page_layout )\n")
    actual = tree_hash(store / fixture.id / "tree")
    with pytest.raises(FixtureMismatch, match=f"{actual}, expected {fixture.sha256}"):
        obtain(fixture, folder, store=store)


def test_a_refused_source_leaves_nothing_behind(fixture: Fixture, folder: Path, store: Path) -> None:
    (store / fixture.id / "tree" / "empty.kicad_wks").write_bytes(b"(page_layout )\n")
    with pytest.raises(FixtureMismatch):
        obtain(fixture, folder, store=store)
    assert list(folder.iterdir()) == []


def test_a_tree_in_place_is_left_alone(fixture: Fixture, folder: Path, store: Path) -> None:
    obtain(fixture, folder, store=store)
    before = (folder / "tree" / "empty.kicad_wks").stat()
    assert obtain(fixture, folder, store=store).source == "in place"
    assert (folder / "tree" / "empty.kicad_wks").stat() == before


def test_a_changed_tree_in_place_is_not_overwritten(fixture: Fixture, folder: Path, store: Path) -> None:
    obtain(fixture, folder, store=store)
    (folder / "tree" / "empty.kicad_wks").write_bytes(b"my own notes\n")
    with pytest.raises(FixtureMismatch, match="not overwritten"):
        obtain(fixture, folder, store=store)
    assert (folder / "tree" / "empty.kicad_wks").read_bytes() == b"my own notes\n"


def test_a_link_in_a_store_is_refused(fixture: Fixture, folder: Path, store: Path, tmp_path: Path) -> None:
    design = store / fixture.id / "tree" / "empty.kicad_wks"
    (tmp_path / "elsewhere").write_bytes(design.read_bytes())
    design.unlink()
    design.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FixtureMismatch, match="is a link"):
        obtain(fixture, folder, store=store)


def test_a_linked_tree_in_a_store_is_refused(fixture: Fixture, folder: Path, store: Path, tmp_path: Path) -> None:
    tree = store / fixture.id / "tree"
    tree.rename(tmp_path / "elsewhere")
    tree.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FixtureMismatch, match="is a link"):
        obtain(fixture, folder, store=store)


def test_a_pipe_in_a_store_does_not_hang(fixture: Fixture, folder: Path, store: Path) -> None:
    design = store / fixture.id / "tree" / "empty.kicad_wks"
    design.unlink()
    os.mkfifo(design)
    with pytest.raises(FixtureMismatch, match="no regular file"):
        obtain(fixture, folder, store=store)


def test_a_store_without_the_licence_is_refused(fixture: Fixture, folder: Path, store: Path) -> None:
    (store / fixture.id / "LICENSE").unlink()
    with pytest.raises(FixtureMismatch, match="LICENSE"):
        obtain(fixture, folder, store=store)


def test_a_clone_without_the_pinned_commit_says_so(clone: tuple[Path, Fixture], folder: Path) -> None:
    repository, fixture = clone
    assert fixture.upstream is not None
    other = replace(fixture, upstream=replace(fixture.upstream, commit="0" * 40))
    with pytest.raises(FixtureMismatch, match="git cat-file"):
        obtain(other, folder, clone=str(repository))


def test_an_upstream_that_cannot_be_reached_is_named_with_the_remedy(
    fixture: Fixture, folder: Path, tmp_path: Path
) -> None:
    assert fixture.upstream is not None
    gone = replace(fixture, upstream=replace(fixture.upstream, url=(tmp_path / "gone").as_uri()))
    with pytest.raises(FixtureMismatch, match=r"^file:///.*/gone: git fetch .* failed .*--store or --from"):
        obtain(gone, folder)


def test_an_upstream_that_hangs_is_given_up(
    fixture: Fixture, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in = tmp_path / "bin" / "git"
    stand_in.parent.mkdir()
    stand_in.write_text('#!/bin/sh\ncase "$*" in *" fetch "*) sleep 60 ;; esac\n')
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", f"{stand_in.parent}:/usr/bin:/bin")
    with pytest.raises(FixtureMismatch, match=r"git fetch did not finish within 0\.5 s"):
        obtain(fixture, folder, fetch_limit_s=0.5)


def test_a_published_only_board_is_said_to_be_out_of_reach(fixture: Fixture, folder: Path, store: Path) -> None:
    with pytest.raises(FixtureMismatch, match="published-only"):
        obtain(replace(fixture, availability="published-only"), folder, store=store)


def test_a_committed_board_is_not_sought_elsewhere(fixture: Fixture, folder: Path, store: Path) -> None:
    with pytest.raises(FixtureMismatch, match="git checkout"):
        obtain(replace(fixture, availability="committed", upstream=None), folder, store=store)


@pytest.mark.parametrize("board", ["antmicro-microphone-board", "openlighting-dmxsun-baseboard", "zhiayang-mikoto"])
def test_the_boards_of_a_store_have_the_hashes_of_their_manifests(
    root: Path, shared: Path, tmp_path: Path, board: str
) -> None:
    manifest = load_fixture(root / "fixtures" / board)
    assert obtain(manifest, tmp_path, store=shared / "fixtures").sha256 == manifest.sha256


@pytest.fixture
def packaged(fixture: Fixture, folder: Path, store: Path, tmp_path: Path) -> tuple[Fixture, Path]:
    """The same board out of a package, and the folder where that is unpacked; its licence lies beside the manifest."""
    board = tmp_path / "unpacked/usr/share/demos/board"
    for path in ("empty.kicad_wks", "hardware/a.kicad_sch"):
        (board / path).parent.mkdir(parents=True, exist_ok=True)
        (board / path).write_bytes((store / fixture.id / "tree" / path).read_bytes())
    (folder / "LICENSE").write_text("the licence\n")
    assert fixture.upstream is not None
    upstream = replace(fixture.upstream, commit="", package=Package("demos", "1.0-1", "usr/share/demos/board"))
    return replace(fixture, upstream=upstream), tmp_path / "unpacked"


@pytest.mark.parametrize("named", ["", "usr/share/demos"])
def test_a_board_out_of_a_package_is_taken_from_where_that_is_unpacked(packaged, folder, named):
    board, unpacked = packaged
    obtain(board, folder, clone=str(unpacked / named))
    assert tree_hash(folder / "tree") == board.sha256


def test_a_package_is_not_fetched_and_the_refusal_names_it(packaged, folder):
    board, _ = packaged
    with pytest.raises(FixtureMismatch, match=r"demos 1\.0-1, which is not fetched here; .*--from"):
        obtain(board, folder)


def test_a_folder_without_the_package_is_refused_and_leaves_nothing(packaged, folder, tmp_path):
    board, _ = packaged
    with pytest.raises(FixtureMismatch, match="no usr/share/demos/board there"):
        obtain(board, folder, clone=str(tmp_path))
    assert not (folder / "tree").exists()
