"""What is measured: tasks, assertions, fixtures, solutions, and the rules that they must obey.

Everything here is data from the checkout, read strictly and handed on as frozen values; nothing here knows
KiCad, a sandbox or a run. `load_suite` is the way in; `validate` says what is wrong with a suite.
"""

from typing import TYPE_CHECKING

from copperbench.on_demand import on_demand

if TYPE_CHECKING:
    from copperbench.suite.campaign import Campaign, load_campaign
    from copperbench.suite.credentials import (
        CREDENTIAL_PATTERNS,
        CredentialMatch,
        CredentialPattern,
        find_credentials,
    )
    from copperbench.suite.findings import Finding, Skipped, Validation
    from copperbench.suite.hash_fixture import tree_files
    from copperbench.suite.jobs import Needs, Shard, batches, shards
    from copperbench.suite.kill_matrix import BrokenImplication, Kill, broken_implications, kill_matrix
    from copperbench.suite.loading import (
        Suite,
        load_fixture,
        load_solution,
        load_suite,
        load_task,
        manifest_hash,
        parse_assertions,
        parse_fixture,
        parse_task,
        tree_hash,
        verify_tree,
    )
    from copperbench.suite.lock import suite_lock, write_lock
    from copperbench.suite.models import (
        TIERS,
        AssertionSpec,
        Availability,
        Caps,
        ExpectedOutcome,
        Fixture,
        FixtureFile,
        Mode,
        Operation,
        ReportCounts,
        RunMode,
        Solution,
        Task,
        TaskConfig,
        Tier,
        Upstream,
    )
    from copperbench.suite.patterns import Pattern, PatternTimeout, compile_pattern
    from copperbench.suite.plan import UNPRICED, Plan, PlanRow, worst_turns, worst_usd
    from copperbench.suite.readiness import why_not_confined, why_not_ready
    from copperbench.suite.reading import parse_json, parse_yaml, read_bytes
    from copperbench.suite.roster import (
        Ablations,
        Contender,
        HarnessEntry,
        ModeCall,
        ModelEntry,
        Price,
        Quirk,
        Roster,
        load_roster,
        parse_contender,
        parse_harness,
        parse_model,
    )
    from copperbench.suite.schemas import check_schema, schema_bytes, schema_errors
    from copperbench.suite.validation import examine, validate

__all__ = [
    "CREDENTIAL_PATTERNS",
    "TIERS",
    "UNPRICED",
    "Ablations",
    "AssertionSpec",
    "Availability",
    "BrokenImplication",
    "Campaign",
    "Caps",
    "Contender",
    "CredentialMatch",
    "CredentialPattern",
    "ExpectedOutcome",
    "Finding",
    "Fixture",
    "FixtureFile",
    "HarnessEntry",
    "Kill",
    "Mode",
    "ModeCall",
    "ModelEntry",
    "Needs",
    "Operation",
    "Pattern",
    "PatternTimeout",
    "Plan",
    "PlanRow",
    "Price",
    "Quirk",
    "ReportCounts",
    "Roster",
    "RunMode",
    "Shard",
    "Skipped",
    "Solution",
    "Suite",
    "Task",
    "TaskConfig",
    "Tier",
    "Upstream",
    "Validation",
    "batches",
    "broken_implications",
    "check_schema",
    "compile_pattern",
    "examine",
    "find_credentials",
    "kill_matrix",
    "load_campaign",
    "load_fixture",
    "load_roster",
    "load_solution",
    "load_suite",
    "load_task",
    "manifest_hash",
    "parse_assertions",
    "parse_contender",
    "parse_fixture",
    "parse_harness",
    "parse_json",
    "parse_model",
    "parse_task",
    "parse_yaml",
    "read_bytes",
    "schema_bytes",
    "schema_errors",
    "shards",
    "suite_lock",
    "tree_files",
    "tree_hash",
    "validate",
    "verify_tree",
    "why_not_confined",
    "why_not_ready",
    "worst_turns",
    "worst_usd",
    "write_lock",
]

__getattr__ = on_demand(__name__)
