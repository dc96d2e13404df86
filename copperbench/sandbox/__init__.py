"""The starting state of a run and what a run left: building sandboxes, sealing them, opening seals.

What lies in a sandbox after a run was written by an adversary: it is walked without following links, read within
limits, and never executed.
"""

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
from copperbench.sandbox.commits import commit_all
from copperbench.sandbox.models import (
    Commit,
    CostStamp,
    ExitFacts,
    FileState,
    HarnessStamp,
    ModelStamp,
    RunFacts,
)
from copperbench.sandbox.operations import apply_operation
from copperbench.sandbox.paths import tool_owned

__all__ = [
    "Commit",
    "CostStamp",
    "ExitFacts",
    "FileState",
    "HarnessStamp",
    "Init",
    "ModelStamp",
    "RunFacts",
    "Sandbox",
    "SandboxArchive",
    "SandboxInfo",
    "SetupSkipped",
    "apply_operation",
    "build_sandbox",
    "builtin_init",
    "commit_all",
    "parse_sandbox",
    "read_sandbox",
    "tool_owned",
    "unpack_archive",
    "unpack_sandbox",
]
