"""Building the values of the suite from its files: tasks, fixtures, solutions, the suite (STANDARD 1, 7, 13)."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from copperbench.errors import FixtureMismatch, SuiteError
from copperbench.suite import hash_fixture
from copperbench.suite.models import (
    AssertionSpec,
    Caps,
    Fixture,
    FixtureFile,
    FixtureVariant,
    Operation,
    Package,
    ReportCounts,
    Solution,
    Task,
    TaskConfig,
    Upstream,
)
from copperbench.suite.reading import parse_json, parse_yaml, read_bytes
from copperbench.suite.schemas import check_schema

TASK_FILES = ("task.json", "assertions.json", "README.md")
RUN_RELEVANT = ("fixture", "mode", "request", "setup", "config", "caps")


@dataclass(frozen=True, slots=True)
class Suite:
    """The suite of a checkout: its version, its named selections and where its parts lie (STANDARD 1, 7).

    `named` maps a selection to the modes it takes (`modes`) or to the tasks it lists (`tasks`). A task or fixture
    is read once and stays as it was then: a matrix asks for each of them thousands of times.
    """

    root: Path
    version: str
    named: Mapping[str, Mapping[str, tuple[str, ...]]]
    lock: Mapping[str, Any] | None
    _tasks: dict[str, Task] = field(default_factory=dict, repr=False, compare=False)
    _fixtures: dict[str, Fixture] = field(default_factory=dict, repr=False, compare=False)

    def task_ids(self) -> tuple[str, ...]:
        """The ids of all tasks, sorted."""
        return _folders(self.root / "tasks")

    def has_task(self, task_id: str) -> bool:
        """Whether there is such a task; without listing all of them, since a matrix asks thousands of times."""
        return task_id in self._tasks or _has_folder(self.root / "tasks", task_id)

    def fixture_ids(self) -> tuple[str, ...]:
        """The ids of all fixtures, sorted."""
        return _folders(self.root / "fixtures")

    def solved_ids(self) -> tuple[str, ...]:
        """The ids of all tasks that have a folder of solutions, sorted."""
        return _folders(self.root / "solutions")

    def task(self, task_id: str) -> Task:
        """A task by id. Raises SuiteError, naming the nearest id where there is no such task."""
        if task_id not in self._tasks:
            if not self.has_task(task_id):
                raise SuiteError(f"tasks/{task_id}", "is no task of the suite", _nearest(task_id, self.task_ids()))
            self._tasks[task_id] = load_task(self.root / "tasks" / task_id, self.root)
        return self._tasks[task_id]

    def tasks_without_a_tree(self, trees: Path | None = None) -> Mapping[str, str]:
        """Tasks whose fixture has no tree here (in `trees`, else in `fixtures/`), with what to do about it.

        Raises SuiteError as `task` and `fixture` do.
        """
        reasons = {}
        for task_id in self.task_ids():
            fixture = self.fixture(self.task(task_id).fixture_id)
            if not ((trees or self.root / "fixtures") / fixture.id / "tree").is_dir():
                cannot = f"fixture {fixture.id} is published only: its design files are not available"
                fetch = f"fixture {fixture.id} is not here: `copperbench fixture get {fixture.id}` obtains it"
                reasons[task_id] = cannot if fixture.availability == "published-only" else fetch
        return reasons

    def fixture(self, fixture_id: str) -> Fixture:
        """A fixture's manifest by id. Raises SuiteError, naming the nearest id where there is no such fixture."""
        if fixture_id not in self._fixtures:
            if not _has_folder(self.root / "fixtures", fixture_id):
                nearest = _nearest(fixture_id, self.fixture_ids())
                raise SuiteError(f"fixtures/{fixture_id}", "is no fixture of the suite", nearest)
            self._fixtures[fixture_id] = load_fixture(self.root / "fixtures" / fixture_id)
        return self._fixtures[fixture_id]

    def solutions(self, task_id: str) -> tuple[Solution, ...]:
        """The solutions of a task: gold first, then the traps in order of their name. Raises SuiteError."""
        folder = self.root / "solutions" / task_id
        paths = sorted(folder.glob("*.json"), key=lambda path: (path.stem != "gold", path.stem))
        return tuple(load_solution(path) for path in paths)

    def select(self, name: str) -> tuple[str, ...]:
        """The task ids of a named selection (`smoke`, `full`, or one of your own), sorted.

        Raises SuiteError when there is no such selection, or when it lists a task that does not exist.
        """
        if name not in self.named:
            raise SuiteError("config/suite.yaml: $.suites", f"{name!r} is no suite", _nearest(name, tuple(self.named)))
        rule = self.named[name]
        if "tasks" in rule:
            return tuple(self.task(task_id).id for task_id in sorted(rule["tasks"]))
        tasks = (self.task(task_id) for task_id in self.task_ids())
        return tuple(task.id for task in tasks if task.mode in rule["modes"])


def load_suite(root: Path) -> Suite:
    """Read `config/suite.yaml` and, where there is one, `config/suite.lock` (STANDARD 7). Raises SuiteError."""
    where = "config/suite.yaml"
    data = parse_yaml(read_bytes(root / where, where), where)
    check_schema("suite", data, where)
    named = {name: {key: tuple(value) for key, value in rule.items()} for name, rule in data["suites"].items()}
    lock_path = root / "config" / "suite.lock"
    lock = None
    if lock_path.exists():
        lock = parse_json(read_bytes(lock_path, "config/suite.lock"), "config/suite.lock")
        if not isinstance(lock, dict):
            raise SuiteError(
                "config/suite.lock: $", "is no object", "write it with `copperbench validate --write-lock`"
            )
    return Suite(root, data["suiteVersion"], named, lock)


def load_task(folder: Path, root: Path) -> Task:
    """Read a task's folder and the brief or rubric it names under `root` (STANDARD 1.1, 1.2). Raises SuiteError."""
    where = _where(folder, root)
    manifests = {name: read_bytes(folder / name, f"{where}/{name}") for name in TASK_FILES[:2]}
    data = parse_json(manifests["task.json"], f"{where}/task.json")
    check_schema("task", data, f"{where}/task.json")
    for named in (data["request"].get("briefPath"), data.get("rubric")):
        if named is not None:
            manifests[named] = read_bytes(root / named, named)
    return parse_task(manifests, where)


def parse_task(manifests: Mapping[str, bytes], where: str) -> Task:
    """Build a task from the bytes of its manifests, as they stand on disk or in a seal (STANDARD 1.1, 1.2).

    `manifests` holds `task.json`, `assertions.json` and the brief and rubric that the task names; `where` is the
    task's folder for messages. Raises SuiteError.
    """
    for name in TASK_FILES[:2]:
        if name not in manifests:
            raise SuiteError(f"{where}/{name}", "is missing", "a task is task.json and assertions.json (STANDARD 1)")
    data = parse_json(manifests["task.json"], f"{where}/task.json")
    check_schema("task", data, f"{where}/task.json")
    request, setup, config = data["request"], data.get("setup", {}), data["config"]
    named = [path for path in (request.get("briefPath"), data.get("rubric")) if path is not None]
    ordered = {name: _named(manifests, name, where) for name in (*TASK_FILES[:2], *named)}
    return Task(
        id=data["id"],
        tier=data["tier"],
        mode=data["mode"],
        fixture_id=data["fixture"]["path"].removeprefix("fixtures/"),
        fixture_sha256=data["fixture"]["sha256"],
        setup_commands=tuple(setup.get("commands", ())),
        seed=tuple(_operation(entry) for entry in setup.get("seed", ())),
        prompt=request.get("prompt"),
        brief_path=request.get("briefPath"),
        expected_outcome=data["expectedOutcome"],
        config=TaskConfig(
            budgets=dict(config.get("budgets", {})),
            max_turns=int(config.get("maxTurns", 40)),
            max_repair_cycles=int(config.get("maxRepairCycles", 5)),
            stage_max_turns=dict(config.get("stageMaxTurns", {})),
        ),
        caps=Caps(turns=int(data["caps"]["turns"]), wall_clock_s=float(data["caps"]["wallClockSec"])),
        repeats=int(data.get("repeats", 3)),
        tags=tuple(data["tags"]),
        variant_of=data.get("variantOf"),
        rubric=data.get("rubric"),
        assertions=parse_assertions(manifests["assertions.json"], f"{where}/assertions.json"),
        manifests=ordered,
        manifest_hash=manifest_hash(ordered),
        run_relevant_hash=_run_relevant_hash(data, ordered),
    )


def parse_assertions(data: bytes, where: str) -> tuple[AssertionSpec, ...]:
    """The assertions of a task in file order (STANDARD 1.2, 4). Raises SuiteError; ids are unique."""
    entries = parse_json(data, where)
    check_schema("assertions", entries, where)
    seen: set[str] = set()
    for index, entry in enumerate(entries):
        if entry["id"] in seen:
            raise SuiteError(f"{where}: $[{index}].id", f"{entry['id']!r} stands twice", "rename one (STANDARD 1.2)")
        seen.add(entry["id"])
    return tuple(
        AssertionSpec(
            id=entry["id"],
            type=entry["type"],
            args=dict(entry["args"]),
            weight=float(entry["weight"]),
            required=entry["required"],
            note=entry.get("note", ""),
        )
        for entry in entries
    )


def manifest_hash(manifests: Mapping[str, bytes]) -> str:
    """SHA-256 over each manifest's name in UTF-8, a 0x00 byte and its bytes, in the mapping's order (STANDARD 7)."""
    digest = hashlib.sha256()
    for name, data in manifests.items():
        digest.update(name.encode("utf-8") + b"\0" + data)
    return digest.hexdigest()


def load_solution(path: Path) -> Solution:
    """Read `solutions/<task>/<name>.json` (STANDARD 12). Raises SuiteError."""
    where = f"solutions/{path.parent.name}/{path.name}"
    raw = read_bytes(path, where)
    data = parse_json(raw, where)
    check_schema("solution", data, where)
    if data["name"] != path.stem:
        raise SuiteError(f"{where}: $.name", f"{data['name']!r} is not the file's name", "make the two equal")
    return Solution(
        task_id=path.parent.name,
        name=data["name"],
        summary=data["summary"],
        exit_path=data["exitPath"],
        steps=tuple(_operation(entry) for entry in data["steps"]),
        caught_by=tuple(data.get("caughtBy", ())),
        implied_by=dict(data.get("impliedBy", {})),
        sha256=hashlib.sha256(raw).hexdigest(),
    )


def load_fixture(folder: Path) -> Fixture:
    """Read `fixture.json` of a fixture's folder (STANDARD 13). Raises SuiteError; looks at no tree."""
    where = f"fixtures/{folder.name}/fixture.json"
    return parse_fixture(read_bytes(folder / "fixture.json", where), where)


def parse_fixture(data: bytes, where: str) -> Fixture:
    """Build a fixture from the bytes of its manifest, as they stand on disk or in a seal. Raises SuiteError."""
    value = parse_json(data, where)
    check_schema("fixture", value, where)
    kicad, artifacts, scale, baseline = value["kicad"], value["artifacts"], value["scale"], value["baseline"]
    return Fixture(
        id=value["id"],
        sha256=value["sha256"],
        complexity=value["complexity"],
        upstream=None if value["upstream"] is None else _upstream(value["upstream"]),
        authored_version=kicad["authoredVersion"],
        file_format_version=kicad["fileFormatVersion"],
        verified_with_kicad_cli=kicad["verifiedWithKicadCli"],
        schematic=artifacts["schematic"],
        board=artifacts["board"],
        project=artifacts["project"],
        signal_nets=tuple(scale["signalNets"]),
        power_nets=tuple(scale["powerNets"]),
        scale={key: int(number) for key, number in scale.items() if isinstance(number, (int, float))},
        erc=_counts(baseline["erc"]),
        drc=None if baseline["drc"] is None else _counts(baseline["drc"]),
        baseline_note=baseline["note"],
        files=tuple(
            FixtureFile(file["path"], file.get("upstreamPath") or file["path"], file["eol"]) for file in value["files"]
        ),
        availability=value["availability"],
        manifest=data,
        variant=None if "variant" not in value else FixtureVariant(**value["variant"]),
    )


def tree_hash(tree: Path) -> str:
    """The canonical hash of a tree (STANDARD 13), by the very code of `workflow/scripts/hash_fixture.py`.

    Raises FixtureMismatch when the tree is missing or no frozen copy (links, special files, `.git`).
    """
    try:
        return hash_fixture.tree_hash(tree)
    except hash_fixture.TreeRefused as refused:
        raise FixtureMismatch(refused.where, refused.what, refused.remedy) from refused


def verify_tree(fixture: Fixture, tree: Path) -> None:
    """Raise FixtureMismatch, with expected and actual hash, unless `tree` is the fixture's (STANDARD 1.1, 13)."""
    actual = tree_hash(tree)
    if actual != fixture.sha256:
        what = f"the tree's hash is {actual}, expected {fixture.sha256}"
        raise FixtureMismatch(tree, what, f"obtain it anew with `copperbench fixture get {fixture.id}`")


def _where(folder: Path, root: Path) -> str:
    try:
        return folder.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        return folder.as_posix()


def _folders(parent: Path) -> tuple[str, ...]:
    if not parent.is_dir():
        return ()
    with os.scandir(parent) as entries:
        return tuple(sorted(entry.name for entry in entries if entry.is_dir() and not entry.name.startswith(".")))


def _has_folder(parent: Path, name: str) -> bool:
    return bool(name) and name[0] != "." and "/" not in name and "\0" not in name and (parent / name).is_dir()


def _nearest(name: str, known: tuple[str, ...]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=1)
    return f"the nearest is {near[0]!r}" if near else f"known: {', '.join(known) or 'none'}"


def _named(manifests: Mapping[str, bytes], name: str, where: str) -> bytes:
    if name not in manifests:
        raise SuiteError(f"{where}/task.json", f"{name} is not among its manifests", "add the file that the task names")
    return manifests[name]


def _operation(entry: Mapping[str, Any]) -> Operation:
    return Operation(entry["op"], {key: value for key, value in entry.items() if key != "op"})


def _run_relevant_hash(data: Mapping[str, Any], manifests: Mapping[str, bytes]) -> str:
    """What a run depends on (STANDARD 7): a change to anything else can be re-graded without a new run."""
    fields = {name: data.get(name) for name in RUN_RELEVANT}
    brief = data["request"].get("briefPath")
    fields["brief"] = hashlib.sha256(manifests[brief]).hexdigest() if brief else None
    canonical = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def _upstream(value: Mapping[str, Any]) -> Upstream:
    package = value.get("package")
    return Upstream(
        name=value["name"],
        url=value["url"],
        commit=value.get("commit", ""),
        retrieved=value["retrieved"],
        license=value["license"],
        license_file=value["licenseFile"],
        copyright=value["copyright"],
        modifications=value["modifications"],
        package=None if package is None else Package(package["name"], package["version"], package["path"]),
    )


def _counts(value: Mapping[str, Any]) -> ReportCounts:
    return ReportCounts(
        report=value["report"] or "",
        errors=int(value["errors"]),
        error_types=dict(value["errorTypes"]),
        warnings=int(value["warnings"]),
        warning_types=dict(value["warningTypes"]),
        unconnected_items=int(value.get("unconnectedItems", 0)),
        schematic_parity=int(value.get("schematicParity", 0)),
        schematic_parity_types=dict(value.get("schematicParityTypes", {})),
    )
