"""From a task and a seed to a variant: its board, its manifests and its solutions, held against the original's."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from copperbench.errors import CopperbenchError, FixtureMismatch, SuiteError
from copperbench.kicad import KicadCli, measure, report_counts
from copperbench.publish import json_bytes
from copperbench.suite import Fixture, Suite, tree_files, tree_hash, verify_tree
from copperbench.suite.obtain import Obtained, obtain_made
from copperbench.variants.declaring import load_declaration
from copperbench.variants.manifests import TaskWriter, fixture_manifest, fixture_readme, variant_id
from copperbench.variants.scaling import scaling
from copperbench.variants.trees import Change, choose_change, write_tree


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant of a task: the ids of task and board, and every committed file of both by its path in the checkout.

    The tree of a board that is not ours is not among them: `regenerate` puts it in place.
    """

    task_id: str
    fixture_id: str
    files: Mapping[str, bytes]


def make_variant(suite: Suite, task_id: str, seed: int, cli: KicadCli) -> Variant:
    """Variant `seed` of a task; the same bytes for the same suite and seed (STANDARD 10).

    Raises SuiteError for a task that is a variant itself or declares nothing that may vary, FixtureMismatch without the
    original's tree, KicadCliFailed, and CopperbenchError when nets, ERC or DRC do not come out as the original's.
    """
    task = suite.task(task_id)
    if task.variant_of is not None:
        raise SuiteError(f"tasks/{task_id}", "is a variant already", f"vary {task.variant_of}")
    declaration = load_declaration(suite.root)
    subset, fixture = declaration.task(task_id), suite.fixture(task.fixture_id)
    _ids_are_free(suite, task_id, fixture.id, seed)
    numbers = scaling(subset, seed)
    tree = suite.root / "fixtures" / fixture.id / "tree"
    if not tree.is_dir():
        raise FixtureMismatch(tree, "is not here", f"obtain it with `copperbench fixture get {fixture.id}`")
    verify_tree(fixture, tree)
    change = choose_change(tree, fixture, declaration.pins(fixture.id), seed)
    files = _board(suite.root / "fixtures" / fixture.id, fixture, change, seed, cli)
    new_fixture = variant_id(fixture.id, seed)
    digest = str(json.loads(files[f"fixtures/{new_fixture}/fixture.json"])["sha256"])
    files |= TaskWriter(suite, task, change, numbers, seed, digest).files()
    return Variant(variant_id(task_id, seed), new_fixture, dict(sorted(files.items())))


def _ids_are_free(suite: Suite, task_id: str, fixture_id: str, seed: int) -> None:
    """Raise SuiteError where something that is no such variant bears the id of the task's or board's variant."""
    new_task, new_fixture = variant_id(task_id, seed), variant_id(fixture_id, seed)
    if new_task in suite.task_ids() and suite.task(new_task).variant_of != task_id:
        raise SuiteError(f"tasks/{new_task}", f"is there and no variant of {task_id}", "rename it, or use another seed")
    if new_fixture in suite.fixture_ids():
        made = suite.fixture(new_fixture).variant
        if made is None or (made.of, made.seed) != (fixture_id, seed):
            what = f"is there and not variant {seed} of {fixture_id}"
            raise SuiteError(f"fixtures/{new_fixture}", what, "rename it, or use another seed")


def regenerate(suite: Suite, fixture_id: str) -> Obtained:
    """Put the tree of a varied board that is not ours in place, made from the original's (STANDARD 10, 13).

    Needs no kicad-cli. Raises FixtureMismatch where the original's tree is not there or the hash is another.
    """
    fixture = suite.fixture(fixture_id)
    if fixture.variant is None:
        raise SuiteError(f"fixtures/{fixture_id}", "is no variant", "obtain it with `copperbench fixture get`")
    original, seed = suite.fixture(fixture.variant.of), fixture.variant.seed
    source = suite.root / "fixtures" / original.id

    def make(tree: Path) -> None:
        verify_tree(original, source / "tree")
        declared = load_declaration(suite.root).pins(original.id)
        write_tree(source / "tree", tree, original, choose_change(source / "tree", original, declared, seed))

    return obtain_made(fixture, suite.root / "fixtures" / fixture_id, make, source / "LICENSE")


def _board(folder: Path, fixture: Fixture, change: Change, seed: int, cli: KicadCli) -> dict[str, bytes]:
    """The files of the varied board: tree where it is committed, manifest, baseline, words."""
    place = f"fixtures/{variant_id(fixture.id, seed)}"
    files: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory(prefix="copperbench-variant-") as scratch:
        tree = Path(scratch) / "tree"
        write_tree(folder / "tree", tree, fixture, change)
        measured = measure(cli, tree, fixture.schematic, fixture.board)
        digest = tree_hash(tree)
        if fixture.availability == "committed":
            files = {f"{place}/tree/{path}": file.read_bytes() for path, file in tree_files(tree)}
            files[f"{place}/LICENSE"] = (folder / "LICENSE").read_bytes()
    for report, recorded in ((measured.erc, fixture.erc), (measured.drc, fixture.drc)):
        if report is not None:
            if report_counts(report) != recorded:
                what = f"its {report.kind.upper()} counts are not those of {fixture.id}"
                raise CopperbenchError(place, what, "use another seed")
            files[f"{place}/baseline/{report.kind}.json"] = json_bytes(report.to_json())
    files[f"{place}/fixture.json"] = fixture_manifest(fixture, change, seed, digest)
    readme = (folder / "README.md").read_text(encoding="utf-8")
    files[f"{place}/README.md"] = fixture_readme(readme, fixture, change, seed, digest)
    return files
