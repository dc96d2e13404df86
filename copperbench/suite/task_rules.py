"""The rules that a task's folder must obey beyond its schemas (STANDARD 1, 4, 5)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from copperbench.errors import SuiteError
from copperbench.suite.credentials import find_credentials
from copperbench.suite.findings import Finding, from_error, schema_findings
from copperbench.suite.loading import TASK_FILES, Suite, load_task
from copperbench.suite.models import AssertionSpec, Fixture, ReportCounts, Task
from copperbench.suite.patterns import compile_pattern
from copperbench.suite.reading import parse_json, read_bytes

_TAKEN_FOR_A_KEY = re.compile(r"[\w-]*sk-[\w-]+")
DESIGN_SUFFIXES = (".kicad_sch", ".kicad_pcb", ".kicad_pro", ".kicad_dru", ".kicad_sym", ".kicad_mod", ".kicad_wks")


def check_task(suite: Suite, task_id: str) -> list[Finding]:
    """Everything that is wrong with `tasks/<task_id>`, solutions apart."""
    folder, where = suite.root / "tasks" / task_id, f"tasks/{task_id}"
    findings = list(_folder(folder, where))
    faults = [fault for name in TASK_FILES[:2] for fault in _manifest(folder / name, f"{where}/{name}")]
    if faults:
        return findings + faults
    try:
        task = load_task(folder, suite.root)
    except SuiteError as error:
        return [*findings, from_error(error, "duplicate-id" if "twice" in error.what else "readable")]
    findings += _identity(suite, task, task_id)
    findings += _fixture(suite, task, where)
    findings += _patterns(task, where)
    findings += _outcome(task, where)
    findings += _readme(folder / "README.md", task, where)
    findings += _taken_for_keys(task, where)
    return findings + list(_credentials(task, where))


def _folder(folder: Path, where: str) -> Iterator[Finding]:
    """Exactly three regular files, nothing else: there is no per-task code (STANDARD 1)."""
    present = {path.name: path for path in folder.iterdir()}
    for name in TASK_FILES:
        path = present.pop(name, None)
        if path is None or path.is_symlink() or not path.is_file():
            yield Finding(f"{where}/{name}", "three-files", "is missing or no regular file", "add it (STANDARD 1)")
    for name in sorted(present):
        what = f"a task is exactly {', '.join(TASK_FILES)}"
        yield Finding(f"{where}/{name}", "three-files", what, "remove it (STANDARD 1)")


def _manifest(path: Path, where: str) -> list[Finding]:
    kind = path.stem
    try:
        return schema_findings(kind, parse_json(read_bytes(path, where), where), where)
    except SuiteError as error:
        return [from_error(error, "readable")]


def _identity(suite: Suite, task: Task, task_id: str) -> Iterator[Finding]:
    where = f"tasks/{task_id}/task.json"
    if task.id != task_id:
        taken = f"{task.id!r} is not the folder's name {task_id!r}"
        yield Finding(f"{where}: $.id", "id-is-folder", taken, "make the two equal (STANDARD 1.1)")
        if task.id in suite.task_ids():
            what = f"tasks/{task.id} has the id {task.id!r} already"
            yield Finding(f"{where}: $.id", "duplicate-id", what, "choose another (STANDARD 1.1)")
    if task.variant_of is not None and (task.variant_of == task.id or task.variant_of not in suite.task_ids()):
        what = f"{task.variant_of!r} is no other task"
        yield Finding(f"{where}: $.variantOf", "variant", what, "name the task that this varies (STANDARD 10)")
    if not task.required:
        what = "no assertion is required, so every run would pass"
        yield Finding(f"tasks/{task_id}/assertions.json: $", "required", what, "require some (STANDARD 6)")


def _fixture(suite: Suite, task: Task, where: str) -> list[Finding]:
    place = f"{where}/task.json: $.fixture"
    try:
        fixture = suite.fixture(task.fixture_id)
    except SuiteError as error:
        return [Finding(f"{place}.path", "fixture", f"{error.where}: {error.what}", error.remedy or "correct it")]
    findings = [
        finding
        for index, spec in enumerate(task.assertions)
        for finding in _against_fixture(spec, task, fixture, f"{where}/assertions.json: $[{index}]")
    ]
    if task.fixture_sha256 != fixture.sha256:
        what = f"{task.fixture_sha256} is not the fixture's hash {fixture.sha256}"
        remedy = "copy the hash from the fixture's manifest (STANDARD 1.1)"
        findings.insert(0, Finding(f"{place}.sha256", "fixture-hash", what, remedy))
    return findings


def _against_fixture(spec: AssertionSpec, task: Task, fixture: Fixture, place: str) -> Iterator[Finding]:
    if spec.type == "check_clean" and not (_is_empty(fixture.erc) and (fixture.drc is None or _is_empty(fixture.drc))):
        what = f"check_clean can never pass on {fixture.id}, whose recorded baseline is not empty"
        remedy = "use the types that compare with the baseline (STANDARD 4)"
        yield Finding(f"{place}.type", "check-clean", what, remedy)
    path = str(spec.args.get("path", ""))
    if spec.type in ("file_unchanged", "diff_ratio_max") and path.endswith(DESIGN_SUFFIXES):
        seeded = {op.args.get(key) for op in task.seed for key in ("path", "to")}
        if path not in {file.path for file in fixture.files} | seeded:
            what = f"{path!r} is no design file of {fixture.id}, so the assertion checks nothing"
            yield Finding(f"{place}.args.path", "design-file", what, "correct the path (STANDARD 4)")


def _is_empty(counts: ReportCounts) -> bool:
    return not (counts.errors or counts.warnings or counts.unconnected_items or counts.schematic_parity)


def _patterns(task: Task, where: str) -> Iterator[Finding]:
    for index, spec in enumerate(task.assertions):
        place = f"{where}/assertions.json: $[{index}].args"
        texts = {f"{place}.pattern": spec.args["pattern"]} if "pattern" in spec.args else {}
        texts |= {f"{place}.matches.{field}": text for field, text in spec.args.get("matches", {}).items()}
        yield from bad_patterns(texts)
    for index, step in enumerate(task.seed):
        yield from bad_patterns(step_patterns(step.args, f"{where}/task.json: $.setup.seed[{index}]"))


def step_patterns(args: object, place: str) -> dict[str, str]:
    """The patterns of an operation by their place: `pattern` of a counted replacement, `rows` of a table cell."""
    fields = args if hasattr(args, "items") else {}
    return {f"{place}.{key}": text for key, text in fields.items() if key in ("pattern", "rows")}


def bad_patterns(texts: dict[str, str]) -> Iterator[Finding]:
    """A finding for every text that does not compile (STANDARD 4)."""
    for place, text in texts.items():
        try:
            compile_pattern(text, place)
        except SuiteError as error:
            yield from_error(error, "pattern")


def _outcome(task: Task, where: str) -> Iterator[Finding]:
    """A refusal must be held to its budget, a flag to its writing: else "no edit" alone would pass (STANDARD 5)."""
    needed = {"refusal": "refusal_cites_budget", "flag": "doc_contains"}.get(task.expected_outcome)
    if needed is not None and needed not in {spec.type for spec in task.required}:
        what = f"a {task.expected_outcome} task has no required {needed}"
        yield Finding(f"{where}/assertions.json: $", "outcome", what, "add one (STANDARD 5)")


def _readme(path: Path, task: Task, where: str) -> Iterator[Finding]:
    place = f"{where}/README.md"
    try:
        text = read_bytes(path, place).decode("utf-8")
    except SuiteError:
        return  # the folder's rule has said so
    except UnicodeDecodeError:
        yield Finding(place, "readme", "is not UTF-8", "save it as UTF-8 (STANDARD 1)")
        return
    if not text.strip():
        yield Finding(place, "readme", "is empty", "say what the task tests and the trap that it sets (STANDARD 1)")
        return
    for spec in task.assertions:
        key = spec.args.get("budgetKey")
        if key is not None and key not in text:
            what = f"the arithmetic behind the budget {key} is not there"
            yield Finding(place, "readme", what, "write it down (STANDARD 1)")


def _taken_for_keys(task: Task, where: str) -> Iterator[Finding]:
    """Words that a harness may take for a key and hide: a refusal that cites such a budget would not be heard."""
    texts = {f"{where}/task.json: $.request.prompt": task.prompt or ""}
    texts |= {f"{where}/task.json: $.config.budgets": name for name in task.config.budgets}
    for index, spec in enumerate(task.assertions):
        texts[f"{where}/assertions.json: $[{index}].args.budgetKey"] = str(spec.args.get("budgetKey", ""))
    for place, text in texts.items():
        word = _TAKEN_FOR_A_KEY.search(text)
        if word:
            what = f"{word[0]!r} holds sk-, which a harness may take for a key and hide in its transcript"
            yield Finding(place, "redacted", what, "choose another word (STANDARD 4.1)")


def _credentials(task: Task, where: str) -> Iterator[Finding]:
    for name, data in task.manifests.items():
        for match in find_credentials(data):
            place = name if "/" in name else f"{where}/{name}"
            what = f"holds what looks like a credential ({match.kind} at byte {match.offset})"
            yield Finding(place, "credential", what, "reword it: every run would be quarantined (STANDARD 4.1, 12)")
