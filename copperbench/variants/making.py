"""From a task and a seed to a variant: its board, its manifests and its solutions, held against the original's."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copperbench.errors import CopperbenchError, SuiteError
from copperbench.kicad import KicadCli, Netlist, Report, load_schematic, measure, netlist, report_counts
from copperbench.publish import json_bytes
from copperbench.suite import Fixture, Suite, Task, tree_files, tree_hash, verify_tree
from copperbench.variants.naming import Renaming, choose_names
from copperbench.variants.rewriting import rewrite_board, rewrite_rules, rewrite_schematic

_KEPT_KEYS = ("op", "type", "path", "from", "to", "id", "name", "sha256", "allowed", "doc", "column", "tags")


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant of a task: the ids of task and board, and every file of both by its path in the checkout."""

    task_id: str
    fixture_id: str
    files: Mapping[str, bytes]


def variant_id(name: str, seed: int) -> str:
    """The id of a variant's task or board."""
    return f"{name}-v{seed}"


def make_variant(suite: Suite, task_id: str, seed: int, cli: KicadCli) -> Variant:
    """Variant `seed` of a task on a board of our own; the same bytes for the same suite and seed (STANDARD 10).

    Raises SuiteError for a task that is a variant itself or whose board is not ours, FixtureMismatch without a tree,
    KicadCliFailed, and CopperbenchError when nets, ERC or DRC do not come out as the original's.
    """
    task = suite.task(task_id)
    fixture = suite.fixture(task.fixture_id)
    if task.variant_of is not None:
        raise SuiteError(f"tasks/{task_id}", "is a variant already", f"vary {task.variant_of}")
    if fixture.upstream is not None:
        raise SuiteError(f"fixtures/{fixture.id}", "is not ours to change and commit", "vary a task on a board of ours")
    folder = suite.root / "fixtures" / fixture.id
    verify_tree(fixture, folder / "tree")
    names = choose_names(load_schematic(folder / "tree" / fixture.schematic, within=folder / "tree"), seed)
    board = _board(folder, fixture, names, seed, cli)
    digest = str(json.loads(board[f"fixtures/{variant_id(fixture.id, seed)}/fixture.json"])["sha256"])
    files = board | dict(_task_files(suite, task, names, seed, digest))
    return Variant(variant_id(task_id, seed), variant_id(fixture.id, seed), dict(sorted(files.items())))


def _board(folder: Path, fixture: Fixture, names: Renaming, seed: int, cli: KicadCli) -> dict[str, bytes]:
    """The files of the varied board: tree, manifest, baseline, words."""
    new_id = variant_id(fixture.id, seed)
    place = f"fixtures/{new_id}"
    with tempfile.TemporaryDirectory(prefix="copperbench-variant-") as scratch:
        tree = Path(scratch) / "tree"
        _write_tree(folder / "tree", tree, fixture, names)
        measured = measure(cli, tree, fixture.schematic, fixture.board)
        pairs = [(measured.erc, fixture.erc), (measured.drc, fixture.drc)]
        files = {f"{place}/tree/{path}": file.read_bytes() for path, file in tree_files(tree)}
        digest = tree_hash(tree)
    for report, recorded in pairs:
        if report is not None:
            if report_counts(report) != recorded:
                what = f"its {report.kind.upper()} counts are not those of {fixture.id}"
                raise CopperbenchError(place, what, "use another seed")
            files[f"{place}/baseline/{report.kind}.json"] = json_bytes(_report_json(report))
    files[f"{place}/fixture.json"] = _manifest(fixture, names, new_id, digest)
    files[f"{place}/LICENSE"] = (folder / "LICENSE").read_bytes()
    files[f"{place}/README.md"] = _fixture_readme(folder, fixture, names, seed, digest)
    return files


def _report_json(report: Report) -> Any:
    return report.to_json()


def _write_tree(old: Path, new: Path, fixture: Fixture, names: Renaming) -> None:
    """The tree under new names; the board comes last, as KiCad names some nets after parts."""
    texts = {path: place.read_bytes() for path, place in tree_files(old)}
    for path, data in texts.items():
        rewrite = _rewrite_of(path)
        (new / path).parent.mkdir(parents=True, exist_ok=True)
        (new / path).write_bytes(data if rewrite is None else rewrite(data.decode(), names).encode())
    before = netlist(load_schematic(old / fixture.schematic, within=old))
    after = netlist(load_schematic(new / fixture.schematic, within=new))
    nets = _same_nets(before, after, names, fixture.id)
    for path, data in texts.items():
        if path.endswith(".kicad_pcb"):
            (new / path).write_bytes(rewrite_board(data.decode(), names, nets).encode())


def _rewrite_of(path: str) -> Callable[[str, Renaming], str] | None:
    if path.endswith(".kicad_sch"):
        return rewrite_schematic
    return rewrite_rules if path.endswith((".kicad_pro", ".kicad_dru")) else None


def _same_nets(before: Netlist, after: Netlist, names: Renaming, board: str) -> dict[str, str]:
    """The new full name of each net by its old; raises CopperbenchError unless both netlists join the same pins."""
    new = {frozenset(net.pins): net.name for net in after.nets}
    found = {
        net.name: new.get(frozenset((names.refdes(refdes), pin) for refdes, pin in net.pins), "") for net in before.nets
    }
    lost = sorted(name for name, renamed in found.items() if not renamed)
    if lost or len(before.nets) != len(after.nets):
        what = f"its nets are not those of the original: {', '.join(lost[:5]) or 'there are more'}"
        raise CopperbenchError(f"a variant of {board}", what, "use another seed")
    return found


def _manifest(fixture: Fixture, names: Renaming, new_id: str, digest: str) -> bytes:
    value = json.loads(fixture.manifest)
    value["id"], value["sha256"] = new_id, digest
    for key in ("signalNets", "powerNets"):
        value["scale"][key] = [names.text(net) for net in value["scale"][key]]
    value["baseline"]["note"] = names.text(value["baseline"]["note"])
    return json_bytes(value)


def _fixture_readme(folder: Path, fixture: Fixture, names: Renaming, seed: int, digest: str) -> bytes:
    text = names.text((folder / "README.md").read_text(encoding="utf-8"))
    text = text.replace(f"# {fixture.id}\n", f"# {variant_id(fixture.id, seed)}\n", 1).replace(fixture.sha256, digest)
    note = (
        f"\n## A variant\n\n`{fixture.id}` under other names of nets and parts, made by `copperbench variant TASK "
        f"--seed {seed}`. Drawing, copper and\nbaseline are the original's; the words above speak of the new names.\n"
    )
    return (text.rstrip("\n") + "\n" + note).encode()


def _task_files(suite: Suite, task: Task, names: Renaming, seed: int, digest: str) -> Iterator[tuple[str, bytes]]:
    new_id = variant_id(task.id, seed)
    value = _renamed(json.loads(task.manifests["task.json"]), names)
    value["id"] = new_id
    value["fixture"] = {"path": f"fixtures/{variant_id(task.fixture_id, seed)}", "sha256": digest}
    value["variantOf"] = task.id
    if task.brief_path is not None:
        raise SuiteError(f"tasks/{task.id}", "asks by a brief, which is not varied", "vary a task with a prompt")
    yield f"tasks/{new_id}/task.json", _json(value)
    yield f"tasks/{new_id}/assertions.json", _json(_renamed(json.loads(task.manifests["assertions.json"]), names))
    readme = names.text((suite.root / "tasks" / task.id / "README.md").read_text(encoding="utf-8"))
    title, _, rest = readme.partition("\n")
    made_by = f"`copperbench variant {task.id} --seed {seed}`"
    note = f"A variant of `{task.id}` under other names of nets and parts, made by {made_by}."
    yield f"tasks/{new_id}/README.md", f"{title.replace(task.id, new_id)}\n\n{note}\n{rest}".encode()
    for place in sorted((suite.root / "solutions" / task.id).glob("*.json")):
        solution = _renamed(json.loads(place.read_bytes()), names)
        yield f"solutions/{new_id}/{place.name}", _json(solution)


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def _renamed(value: Any, names: Renaming) -> Any:
    """Every text in a manifest under new names, but for ids, paths and other words that are no part of the board."""
    if isinstance(value, str):
        return names.text(value)
    if isinstance(value, list):
        return [_renamed(each, names) for each in value]
    if isinstance(value, dict):
        return {key: each if key in _KEPT_KEYS else _renamed(each, names) for key, each in value.items()}
    return value
