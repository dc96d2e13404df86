"""Which records may stand in one table: those stamped with what the checked-out suite says (STANDARD 7)."""

from __future__ import annotations

from copperbench.records.models import LegacyRecord, Record, SuiteStamps, TaskStamp
from copperbench.records.stats import SCHEMA_VERSION, kicad_major
from copperbench.suite import Suite


def suite_stamps(suite: Suite) -> SuiteStamps:
    """The comparability keys of `suite`, task by task. Raises SuiteError when a manifest is invalid."""
    tasks = {}
    for task_id in suite.task_ids():
        task = suite.task(task_id)
        fixture = suite.fixture(task.fixture_id)
        tasks[task_id] = TaskStamp(task.manifest_hash, fixture.sha256, kicad_major(fixture.verified_with_kicad_cli))
    return SuiteStamps(SCHEMA_VERSION, suite.version, tasks)


def comparable(record: Record | LegacyRecord, suite: SuiteStamps) -> tuple[str, ...]:
    """The keys that keep `record` out of every table, empty when it may enter (STANDARD 7).

    A record that was never graded with KiCad is comparable: where a required assertion needs KiCad it is unscoreable.
    A task that the suite does not hold is the key `task`.
    """
    if isinstance(record, LegacyRecord):
        return _differing(("schemaVersion", record.schema_version, suite.schema_version), _version(record, suite))
    stamps = record.stamps
    common = ("schemaVersion", stamps.schema_version, suite.schema_version), _version(record, suite)
    here = suite.tasks.get(record.task)
    if here is None:
        return (*_differing(*common), "task")
    recorded = None if stamps.kicad_cli_version is None else kicad_major(stamps.kicad_cli_version)
    return _differing(
        *common,
        ("taskManifestHash", stamps.task_manifest_hash, here.manifest_hash),
        ("fixtureSha256", stamps.fixture_sha256, here.fixture_sha256),
        ("kicadCliVersion", recorded or here.kicad_major, here.kicad_major),
    )


def _version(record: Record | LegacyRecord, suite: SuiteStamps) -> tuple[str, str, str]:
    recorded = record.suite_version if isinstance(record, LegacyRecord) else record.stamps.suite_version
    return "suiteVersion", recorded, suite.suite_version


def _differing(*keys: tuple[str, str, str]) -> tuple[str, ...]:
    return tuple(name for name, recorded, here in keys if recorded != here)
