"""What a run is worth, written down once: build a record, stamp it, scan it, publish it, supersede it, read it.

A record is append-only and self-describing (STANDARD 12); this room is the only one that writes under
`results/*/*/*/run-<n>.json`.
"""

from typing import TYPE_CHECKING

from copperbench.on_demand import on_demand

if TYPE_CHECKING:
    from copperbench.records.comparability import comparable, suite_stamps
    from copperbench.records.models import (
        Ablations,
        AssertionResult,
        LegacyRecord,
        ModelFacts,
        Record,
        Segment,
        Stamps,
        SuiteStamps,
        TaskStamp,
        Unreadable,
        Verdict,
    )
    from copperbench.records.paths import RecordPlace, record_place, record_places
    from copperbench.records.publishing import publish_record
    from copperbench.records.read import parse_record, read_record, read_records
    from copperbench.records.stats import SCHEMA_VERSION, AgentStats

__all__ = [
    "SCHEMA_VERSION",
    "Ablations",
    "AgentStats",
    "AssertionResult",
    "LegacyRecord",
    "ModelFacts",
    "Record",
    "RecordPlace",
    "Segment",
    "Stamps",
    "SuiteStamps",
    "TaskStamp",
    "Unreadable",
    "Verdict",
    "comparable",
    "parse_record",
    "publish_record",
    "read_record",
    "read_records",
    "record_place",
    "record_places",
    "suite_stamps",
]

__getattr__ = on_demand(__name__)
