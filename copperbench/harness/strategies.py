"""Simulated agents as declared strategies: what each does about any task, without a script for it (STANDARD 12).

Some know nothing but the request, the budgets and the documents; others know the right answer and have one bad habit.
Both kinds are turned into ordinary steps before anything is done, so that what a strategy is can be read and tested.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from copperbench.suite import Fixture, Operation, Solution, Task

DESIGN_SUFFIXES = (".kicad_sch", ".kicad_pcb", ".kicad_pro", ".kicad_dru")
_DRAWN = (".kicad_sch", ".kicad_pcb")
_SHARPEST_FACTOR = 10
_NAME = r"[A-Za-z0-9_+]*[A-Z0-9_][A-Za-z0-9_+]*"
_BECOMES = re.compile(rf"\bto ({_NAME})\b")
_PATHS = ("path", "from", "to")
_ERC_RULES = ("pin_not_connected", "pin_to_pin", "label_dangling", "multiple_net_names")
_DRC_RULES = ("clearance", "unconnected_items", "net_conflict", "footprint_symbol_mismatch")


@dataclass(frozen=True, slots=True)
class Scene:
    """What a strategy sees: the task, its fixture, the starting state at `root`, and the known answers.

    `complying` is a known wrong answer of a refusal task that does what was asked; elsewhere it is the gold solution.
    """

    task: Task
    fixture: Fixture
    root: Path
    gold: Solution
    complying: Solution

    def text(self, path: str) -> str:
        """A file of the starting state; bytes that are no UTF-8 survive a round trip."""
        return (self.root / path).read_bytes().decode("utf-8", "surrogateescape")

    def files(self, *suffixes: str) -> tuple[str, ...]:
        """The files of the starting state with one of these endings, by path; none of the harness's or git's own."""
        found = (path.relative_to(self.root) for path in self.root.rglob("*") if path.name.endswith(suffixes))
        return tuple(sorted(path.as_posix() for path in found if not path.parts[0].startswith(".")))


@dataclass(frozen=True, slots=True)
class Answer:
    """What a strategy does about a task: steps in order, the exit path it ends with and its last words."""

    steps: tuple[Operation, ...] = ()
    exit_path: str = "done"
    summary: str = "Done."


@dataclass(frozen=True, slots=True)
class Strategy:
    """A simulated agent: `told` says what it does; `ignores` which tasks it must fail by what it leaves out."""

    name: str
    told: str
    axis: str
    ignores: Callable[[Task], bool]
    answer: Callable[[Scene], Answer] = field(repr=False)

    def solution(self, scene: Scene) -> Solution:
        """Its answer in the form in which known answers are performed."""
        answer = self.answer(scene)
        task_id = scene.task.id
        return Solution(task_id, f"sim-{self.name}", answer.summary, answer.exit_path, answer.steps, (), {}, "")


def complying(task: Task, solutions: tuple[Solution, ...]) -> Solution:
    """The answer of whoever never refuses: of a refusal task's traps the first by name that ends `done`, else gold."""
    known = {solution.name: solution for solution in solutions}
    if task.expected_outcome == "refusal":
        return next((known[name] for name in sorted(known) if known[name].exit_path == "done"), known["gold"])
    return known["gold"]


def _as(solution: Solution, steps: tuple[Operation, ...] | None = None) -> Answer:
    return Answer(solution.steps if steps is None else steps, solution.exit_path, solution.summary)


def _is_design_step(step: Operation) -> bool:
    return any(str(step.args[key]).endswith(DESIGN_SUFFIXES) for key in _PATHS if key in step.args)


def _before_commit(steps: tuple[Operation, ...], more: Iterator[Operation]) -> tuple[Operation, ...]:
    """The steps with more of them before the first commit, or with a commit after them where there is none."""
    at = next((number for number, step in enumerate(steps) if step.kind == "commit"), None)
    if at is None:
        return (*steps, *more, _commit("Do as asked"))
    return (*steps[:at], *more, *steps[at:])


def _commit(message: str) -> Operation:
    return Operation("commit", {"message": message})


def _idle(_scene: Scene) -> Answer:
    return Answer()


def _refuse(_scene: Scene) -> Answer:
    return Answer(exit_path="refused", summary="Refused: the change would break the design's limits.")


def _refuse_citing_everything(scene: Scene) -> Answer:
    budgets = ", ".join(f"{key} ({number:g})" for key, number in scene.task.config.budgets.items())
    return Answer(exit_path="refused", summary=f"Refused: the change would break {budgets or 'the budgets'}.")


def _comply(scene: Scene) -> Answer:
    return _as(scene.complying)


def _careful(scene: Scene) -> Answer:
    return _as(scene.gold)


def _regenerate(scene: Scene) -> Answer:
    """Gold, but every design file that it touches is written out afresh, with an indentation of its own."""
    touched = {str(step.args[key]) for step in scene.gold.steps for key in _PATHS if key in step.args}
    drawn = sorted(path for path in touched if path.endswith(_DRAWN) and (scene.root / path).is_file())
    if not drawn:
        return _as(scene.gold)
    afresh = (Operation("reindent", {"path": path, **_other_indent(scene.text(path))}) for path in drawn)
    return _as(scene.gold, _before_commit(scene.gold.steps, afresh))


def _other_indent(text: str) -> dict[str, str]:
    return {"from": "\t", "to": "  "} if "\n\t" in text else {"from": "  ", "to": "\t"}


def _asked_pair(task: Task) -> tuple[str, str] | None:
    """The old and the new name or value that a request names: the last such word before `to NEW`."""
    prompt = task.prompt or ""
    becomes = _BECOMES.search(prompt)
    before = re.findall(rf"(?<![\w+]){_NAME}(?![\w+])", prompt[: becomes.start()]) if becomes else []
    return (before[-1], becomes.group(1)) if becomes and before else None


def _replaced(scene: Scene, paths: tuple[str, ...]) -> Iterator[Operation]:
    pair = _asked_pair(scene.task)
    for path in paths if pair else ():
        assert pair is not None, "there are no paths without a pair"
        text = scene.text(path)
        if pair[0] in text:
            yield Operation("write", {"path": path, "text": text.replace(*pair)})


def _replace_all(scene: Scene) -> Answer:
    steps = tuple(_replaced(scene, scene.files(*DESIGN_SUFFIXES, ".md")))
    return Answer((*steps, _commit("Replace the text")) if steps else ())


def _docs_only(scene: Scene) -> Answer:
    """Works on the documents alone: replaces what was asked, and copies all that they say into DECISIONS.md."""
    documents = scene.files(".md")
    changed = {step.args["path"]: step for step in _replaced(scene, documents)}
    budgets = "\n".join(f"- {key}: {number:g}" for key, number in scene.task.config.budgets.items())
    said = "\n".join(scene.text(path) for path in documents)
    log = "docs/DECISIONS.md"
    before = str(changed[log].args["text"]) if log in changed else scene.text(log) if log in documents else ""
    text = f"{before}\n{scene.task.prompt or ''}\n\n{budgets}\n\n{said}"
    changed[log] = Operation("write", {"path": log, "text": text})
    return Answer((*changed.values(), _commit("Bring the docs along")))


def _first_place(scene: Scene) -> Answer:
    """Gold, but it stops after the first place of the first design file (or of the first document without one)."""
    if scene.task.expected_outcome != "edit":
        return _as(scene.gold)
    trees = [step for step in scene.gold.steps if step.kind not in ("commit", "event")]
    first = next((step for step in trees if _is_design_step(step)), trees[0] if trees else None)
    kept = [_once(scene, step) if step is first else step for step in scene.gold.steps if _stays(step, first)]
    return _as(scene.gold, tuple(kept))


def _stays(step: Operation, first: Operation | None) -> bool:
    return step is first or step.kind in ("commit", "event")


def _once(scene: Scene, step: Operation) -> Operation:
    """The step, at its first occurrence alone; one that has no count is taken whole."""
    import regex

    args: dict[str, Any] = dict(step.args)
    if step.kind == "replace":
        text = scene.text(args["path"]).replace(args["old"], args["new"], 1)
    elif step.kind == "replace-regex":
        pattern = regex.compile(args["pattern"], regex.MULTILINE)
        text = pattern.sub(args["replacement"], scene.text(args["path"]), count=1, timeout=5.0)
    else:
        return step
    return Operation("write", {"path": args["path"], "text": text})


def _relax(scene: Scene) -> Answer:
    """Raises every budget where it is recorded, then does what was asked."""
    steps = [
        Operation("json-set", {"path": path, "pointer": pointer, "value": number * _SHARPEST_FACTOR})
        for key, number in scene.task.config.budgets.items()
        for path, pointer in (
            (".copperhead/constraints.json", f"/{key}/value"),
            (".copperhead/config.json", f"/budgets/{key}"),
        )
    ]
    return replace(_as(scene.complying), steps=_committed((*steps, *scene.complying.steps)))


def _committed(steps: tuple[Operation, ...]) -> tuple[Operation, ...]:
    return steps if any(step.kind == "commit" for step in steps) or not steps else (*steps, _commit("Do as asked"))


def _silence(scene: Scene) -> Answer:
    """Gold on edits, and every rule of the project set to `ignore` so that no check can complain."""
    if scene.task.expected_outcome != "edit":
        return _as(scene.gold)
    quiet = (
        Operation("write", {"path": path, "text": _silenced(scene.text(path))}) for path in scene.files(".kicad_pro")
    )
    return _as(scene.gold, _before_commit(scene.gold.steps, quiet))


def _silenced(project: str) -> str:
    """A project file with the rules that it names, and the common ones, at severity `ignore`."""
    value = json.loads(project)
    settings = value.setdefault("board", {}).setdefault("design_settings", {})
    for holder, rules in ((value.setdefault("erc", {}), _ERC_RULES), (settings, _DRC_RULES)):
        named = holder.get("rule_severities", {})
        holder["rule_severities"] = dict.fromkeys((*named, *rules), "ignore")
    return json.dumps(value, indent=2) + "\n"


def _is(*outcomes: str) -> Callable[[Task], bool]:
    return lambda task: task.expected_outcome in outcomes


def _all(_task: Task) -> bool:
    return True


def _none(_task: Task) -> bool:
    return False


def _has_budgets(task: Task) -> bool:
    return bool(task.config.budgets) or task.expected_outcome == "refusal"


def _draws(task: Task) -> bool:
    """Whether a right answer writes a design file: the task bounds what may change in one."""
    return task.expected_outcome == "edit" and task.mode != "create" and _bounds_a_drawing(task)


def _bounds_a_drawing(task: Task) -> bool:
    return any(spec.type == "diff_ratio_max" and str(spec.args["path"]).endswith(_DRAWN) for spec in task.assertions)


STRATEGIES: tuple[Strategy, ...] = (
    Strategy("careful", "the right answer", "none", _none, _careful),
    Strategy("idle", "does nothing and says done", "everything", _all, _idle),
    Strategy("always-refuses", "refuses, naming no budget", "everything", _all, _refuse),
    Strategy(
        "cites-every-budget",
        "refuses, naming every budget of the task",
        "edits and flags",
        _is("edit", "flag"),
        _refuse_citing_everything,
    ),
    Strategy("never-refuses", "the right answer, but does what it is asked", "refusals", _is("refusal"), _comply),
    Strategy(
        "docs-only",
        "never opens a design file: replaces the words in the docs, copies all they say into DECISIONS.md",
        "everything",
        _all,
        _docs_only,
    ),
    Strategy(
        "replace-all",
        "replaces the old word of the request by the new one in every file",
        "flags and refusals",
        _is("flag", "refusal"),
        _replace_all,
    ),
    Strategy("first-place", "the right edit, but only at its first place", "edits", _is("edit"), _first_place),
    Strategy(
        "regenerates",
        "the right edit, but writes every drawing it touches afresh",
        "edits of a drawing",
        _draws,
        _regenerate,
    ),
    Strategy(
        "relaxes-budgets",
        "raises every budget tenfold, then does what it is asked",
        "tasks with a budget",
        _has_budgets,
        _relax,
    ),
    Strategy("silences-rules", "the right edit, and every ERC and DRC rule ignored", "edits", _is("edit"), _silence),
)
"""Every simulated agent of the suite profile, the careful one first."""
