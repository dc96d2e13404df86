"""A sealed run as something to read: conversation, text, drawings, electrical change."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from copperbench.errors import CopperbenchError
from copperbench.evidence import Diff, Evidence, collect
from copperbench.records import Record
from copperbench.reporting.site.conversation import conversation
from copperbench.reporting.site.drawings import Draughtsman
from copperbench.reporting.site.pages import EvidenceView, FileDiff
from copperbench.reporting.site.textdiff import text_diff
from copperbench.sandbox import Seal, open_seal
from copperbench.suite import Fixture, Task, parse_fixture, parse_task

_MOST_FILES = 60
_REMEMBERED = 64
_SEALED = "run.json (sealed)"
_LARGEST_FILE = 32 << 20


def run_view(root: Path, run: Record, draughtsman: Draughtsman) -> EvidenceView:
    """What the evidence beside a record shows. Never raises for what a run left: the page then says why it is empty."""
    folder = root / Path(run.path).with_suffix("")
    if run.quarantined:
        return EvidenceView("This run left a credential; nothing of it is published.")
    if not (folder / "run.json").is_file():
        return EvidenceView("No evidence lies beside this record.")
    try:
        seal = open_seal(folder)
        task = _task(tuple(sorted(seal.facts.task_manifests.items())))
        return _view(root, seal, task, _fixture(seal.facts.fixture_manifest), draughtsman)
    except CopperbenchError as error:
        return EvidenceView(f"The evidence cannot be shown: {error.what}.")


@lru_cache(_REMEMBERED)  # all runs of a task were asked the same
def _task(manifests: tuple[tuple[str, bytes], ...]) -> Task:
    return parse_task(dict(manifests), _SEALED)


@lru_cache(_REMEMBERED)
def _fixture(manifest: bytes) -> Fixture:
    return parse_fixture(manifest, _SEALED)


def _view(root: Path, seal: Seal, task: Task, fixture: Fixture, draughtsman: Draughtsman) -> EvidenceView:
    tree = root / "fixtures" / fixture.id / "tree"
    with collect(seal, task, fixture, tree, lambda: None) as evidence:
        parts = conversation(evidence.transcript)
        if not tree.is_dir():
            return EvidenceView(f"The tree of fixture {fixture.id} is not here, so the change cannot be shown.", parts)
        paths = list(evidence.diff.changes)
        return EvidenceView(
            missing="",
            parts=parts,
            files=tuple(_file(evidence, seal, tree, path) for path in paths[:_MOST_FILES]),
            files_left_out=max(0, len(paths) - _MOST_FILES),
            commits=tuple(f"{each.sha[:10]} {each.message.strip()[:300]}" for each in evidence.diff.commits or ()),
            schematic=draughtsman.change(evidence, seal, tree),
        )


def _file(evidence: Evidence, seal: Seal, tree: Path, path: str) -> FileDiff:
    diff: Diff = evidence.diff
    lines = diff.lines(path)
    before, after = evidence.baseline.files.get(path), evidence.end_state.files.get(path)
    small = all(each is None or (each.kind == "file" and each.size <= _LARGEST_FILE) for each in (before, after))
    shown = (
        text_diff(
            seal.read_baseline(path, tree) if before is not None else b"",
            seal.read_end(path, tree) if after is not None else b"",
        )
        if small
        else ()
    )
    return FileDiff(path, diff.changes[path].kind, lines.added, lines.deleted, shown)
