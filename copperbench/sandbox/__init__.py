"""The starting state of a run and what a run left: building sandboxes, sealing them, opening seals.

What lies in a sandbox after a run was written by an adversary: it is walked without following links, read within
limits, and never executed.
"""

from typing import TYPE_CHECKING

from copperbench.on_demand import on_demand

if TYPE_CHECKING:
    from copperbench.sandbox.build import (
        Init,
        Sandbox,
        SandboxArchive,
        SandboxInfo,
        SetupSkipped,
        build_sandbox,
        builtin_init,
        parse_sandbox,
        read_sandbox,
        unpack_archive,
        unpack_sandbox,
    )
    from copperbench.sandbox.claim import RunClaimed, claim, drop_stale_claim
    from copperbench.sandbox.commits import commit_all
    from copperbench.sandbox.history import History, read_history
    from copperbench.sandbox.models import (
        Commit,
        CostStamp,
        ExitFacts,
        FileState,
        HarnessStamp,
        ModelStamp,
        RunFacts,
    )
    from copperbench.sandbox.opening import Seal, open_seal
    from copperbench.sandbox.operations import apply_operation
    from copperbench.sandbox.paths import IGNORE_RULES, inside, tool_owned
    from copperbench.sandbox.quarantine import quarantine_notices
    from copperbench.sandbox.run_json import parse_run, run_json
    from copperbench.sandbox.seal import seal_run
    from copperbench.sandbox.walk import DEFAULT_LIMITS, SealLimits

__all__ = [
    "DEFAULT_LIMITS",
    "IGNORE_RULES",
    "Commit",
    "CostStamp",
    "ExitFacts",
    "FileState",
    "HarnessStamp",
    "History",
    "Init",
    "ModelStamp",
    "RunClaimed",
    "RunFacts",
    "Sandbox",
    "SandboxArchive",
    "SandboxInfo",
    "Seal",
    "SealLimits",
    "SetupSkipped",
    "apply_operation",
    "build_sandbox",
    "builtin_init",
    "claim",
    "commit_all",
    "drop_stale_claim",
    "inside",
    "open_seal",
    "parse_run",
    "parse_sandbox",
    "quarantine_notices",
    "read_history",
    "read_sandbox",
    "run_json",
    "seal_run",
    "tool_owned",
    "unpack_archive",
    "unpack_sandbox",
]

__getattr__ = on_demand(__name__)
