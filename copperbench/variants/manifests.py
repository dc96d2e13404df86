"""The words of a variant: manifests, READMEs and solutions of board and task, changed alike (STANDARD 10)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from copperbench.errors import SuiteError
from copperbench.publish import json_bytes
from copperbench.suite import Fixture, Solution, Suite, Task
from copperbench.variants.scaling import Scaling
from copperbench.variants.trees import Change

_KEPT_KEYS = ("op", "type", "path", "from", "to", "id", "name", "sha256", "allowed", "doc", "column", "tags")
_LEAST_TRAPS = 3
_ROW = re.compile(r"\| `(trap-[a-z0-9-]+)`")
_TRAP = re.compile(r"trap-[a-z0-9]+(?:-[a-z0-9]+)*")


def variant_id(name: str, seed: int) -> str:
    """The id of a variant's task or board."""
    return f"{name}-v{seed}"


def fixture_manifest(fixture: Fixture, change: Change, seed: int, digest: str) -> bytes:
    """The `fixture.json` of a varied board; `digest` is the canonical hash of its tree."""
    value = json.loads(fixture.manifest)
    value["id"], value["sha256"] = variant_id(fixture.id, seed), digest
    value["variant"] = {"of": fixture.id, "seed": seed}
    for key in ("signalNets", "powerNets"):
        value["scale"][key] = [change.names.text(net) for net in value["scale"][key]]
    value["baseline"]["note"] = change.text(value["baseline"]["note"])
    if value["upstream"] is not None:
        old = value["upstream"]["modifications"]
        changed = f"names of nets and numbers of parts changed by `copperbench variant` with seed {seed}"
        value["upstream"]["modifications"] = f"{changed}; otherwise as fixtures/{fixture.id}: {old}"
    return json_bytes(value)


def fixture_readme(text: str, fixture: Fixture, change: Change, seed: int, digest: str) -> bytes:
    """The README of a varied board. What an author should know of the original's names is left to the original."""
    new_id = variant_id(fixture.id, seed)
    text = text.partition("\n## Good to know")[0]
    text = change.text(text).replace(f"# {fixture.id}\n", f"# {new_id}\n", 1).replace(fixture.sha256, digest)
    text = text.replace(f"fixture get {fixture.id}`", f"fixture get {new_id}`")
    words = "other names of nets and parts"
    if change.pins.parts:
        parts = ", ".join(sorted(map(change.names.refdes, change.pins.parts)))
        words += f", with the pins of {parts} numbered otherwise"
    made = f"`{fixture.id}` under {words}, made by `copperbench variant TASK --seed {seed}`."
    said = "Drawing, copper and\nbaseline are the original's; the words above speak of the new names."
    if fixture.upstream is not None:
        made += "\nIts tree is made anew from the original's, and its hash is checked."
    return f"{text.rstrip()}\n\n## A variant\n\n{made} {said}\n".encode()


@dataclass(frozen=True)
class TaskWriter:
    """Writes the files of a task's variant; `digest` is the canonical hash of the varied board's tree."""

    suite: Suite
    task: Task
    change: Change
    scaling: Scaling
    seed: int
    digest: str

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Path in the checkout and bytes of each file. Raises SuiteError for a task that cannot be varied."""
        task, new_id = self.task, variant_id(self.task.id, self.seed)
        if task.brief_path is not None:
            raise SuiteError(f"tasks/{task.id}", "asks by a brief, which is not varied", "vary a task with a prompt")
        value = self._changed(json.loads(task.manifests["task.json"]))
        value["id"], value["variantOf"] = new_id, task.id
        value["fixture"] = {"path": f"fixtures/{variant_id(task.fixture_id, self.seed)}", "sha256": self.digest}
        budgets = value["config"].get("budgets", {})
        for key in budgets:
            budgets[key] = self.scaling.budget(key, budgets[key])
        yield f"tasks/{new_id}/task.json", _json(value)
        yield f"tasks/{new_id}/assertions.json", _json(self._changed(json.loads(task.manifests["assertions.json"])))
        readme = (self.suite.root / "tasks" / task.id / "README.md").read_text(encoding="utf-8")
        kept = kept_solutions(task, self.suite.solutions(task.id), readme)
        yield f"tasks/{new_id}/README.md", self._readme(readme, kept)
        raw = {name: (self.suite.root / "solutions" / task.id / f"{name}.json").read_bytes() for name in kept}
        self._all_forms_used(readme, *map(json.loads, (*task.manifests.values(), *raw.values())))
        for name, data in raw.items():
            yield f"solutions/{new_id}/{name}.json", _json(self._changed(json.loads(data)))

    def _readme(self, text: str, kept: tuple[str, ...]) -> bytes:
        task = self.task
        lines = [line for line in text.splitlines() if not (row := _ROW.match(line)) or row[1] in kept]
        title, _, rest = "\n".join(lines).partition("\n")
        made_by = f"`copperbench variant {task.id} --seed {self.seed}`"
        what = "names of nets and parts" + (" and other numbers" if self.scaling.words else "")
        note = f"A variant of `{task.id}` under other {what}, made by {made_by}."
        title = title.replace(task.id, variant_id(task.id, self.seed))
        return f"{title}\n\n{note}\n{self._text(rest)}\n".encode()

    def _all_forms_used(self, *values: Any) -> None:
        """A declaration that speaks of words which the task does not hold is out of date."""
        held = "\n".join(text for value in values for text in _texts(value))
        for form in self.scaling.words:
            if self.scaling.text(form) != form and form not in held:
                place = f"config/variants.yaml: $.tasks.{self.task.id}"
                raise SuiteError(place, f"{form!r} stands nowhere in the task", "correct the forms of that quantity")

    def _text(self, text: str) -> str:
        return self.change.text(self.scaling.text(text))

    def _changed(self, value: Any) -> Any:
        """Every text in a manifest, but for ids, paths and other words that are no part of the board."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self._changed(each) for each in value]
        if not isinstance(value, dict):
            return value
        new = {key: each if key in _KEPT_KEYS else self._changed(each) for key, each in value.items()}
        if isinstance(value.get("refdes"), str) and isinstance(value.get("pin"), str):
            new["refdes"], new["pin"] = self.change.pin(value["refdes"], value["pin"])
        if value.get("op") == "json-set" and type(value.get("value")) in (int, float):
            for key in str(value["pointer"]).split("/"):
                new["value"] = self.scaling.budget(key, new["value"]) if key else new["value"]
        return new


def kept_solutions(task: Task, solutions: tuple[Solution, ...], readme: str) -> tuple[str, ...]:
    """The solutions that a variant keeps: gold, the README's first trap, and for every required assertion a trap of
    its own; others only where fewer than three are left, or the README speaks of them outside its table.

    They prove of the variant all that the original's prove; a suite has ten minutes on two cores.
    """
    gold = next(each for each in solutions if each.name == "gold")
    traps = {each.name: each.caught_by for each in solutions if each.name != "gold"}
    rows = [row[1] for line in readme.splitlines() if (row := _ROW.match(line))]
    prose = "\n".join(line for line in readme.splitlines() if not _ROW.match(line))
    kept = {*rows[:1], *_TRAP.findall(prose)} & set(traps)
    for spec in task.required:
        if spec.id not in gold.implied_by:
            kept |= {min((name for name, caught in traps.items() if caught == (spec.id,)), default="")} - {""}
    for name in sorted(traps):
        if len(kept) < _LEAST_TRAPS:
            kept.add(name)
    return ("gold", *sorted(kept))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
