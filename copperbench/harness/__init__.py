"""Who performs a run: the in-process harnesses and any outside command with the contract; and the way to the seal.

`harness-noop` does nothing, `harness-gold` and `harness-trap-<name>` follow their solution: they show that a task
tells a right answer from a wrong one, without a model and without a network (STANDARD 12). An `Agent` drives the
command of a harness and a model, from outside: limits, clean environment, a transcript copied while it grows.
"""

from typing import TYPE_CHECKING

from copperbench.on_demand import on_demand

if TYPE_CHECKING:
    from copperbench.harness.budget import Budget
    from copperbench.harness.cost import Usage, cost_of, usd
    from copperbench.harness.external import Agent, HarnessProbe, harness_init, probe_harness
    from copperbench.harness.in_process import (
        SLUG_PREFIX,
        AgentStamps,
        Job,
        Performance,
        Performer,
        Performing,
        perform,
        performer,
    )
    from copperbench.harness.isolation import Confinement, Isolation, confinement, parse_isolation
    from copperbench.harness.observing import Observed, TranscriptObserver
    from copperbench.harness.proving import prove
    from copperbench.harness.running import Perform, RunOrder, Sealed, carry_out
    from copperbench.harness.stopping import Stop

__all__ = [
    "SLUG_PREFIX",
    "Agent",
    "AgentStamps",
    "Budget",
    "Confinement",
    "HarnessProbe",
    "Isolation",
    "Job",
    "Observed",
    "Perform",
    "Performance",
    "Performer",
    "Performing",
    "RunOrder",
    "Sealed",
    "Stop",
    "TranscriptObserver",
    "Usage",
    "carry_out",
    "confinement",
    "cost_of",
    "harness_init",
    "parse_isolation",
    "perform",
    "performer",
    "probe_harness",
    "prove",
    "usd",
]

__getattr__ = on_demand(__name__)
