"""Who performs a run: the in-process harnesses here, outside commands in time; and the way from claim to seal.

`harness-noop` does nothing, `harness-gold` and `harness-trap-<name>` follow their solution: they show that a task
tells a right answer from a wrong one, without a model and without a network (STANDARD 12).
"""

from copperbench.harness.in_process import SLUG_PREFIX, Job, Performance, Performer, perform, performer
from copperbench.harness.proving import prove
from copperbench.harness.running import RunOrder, Sealed, carry_out
from copperbench.harness.stopping import Stop

__all__ = [
    "SLUG_PREFIX",
    "Job",
    "Performance",
    "Performer",
    "RunOrder",
    "Sealed",
    "Stop",
    "carry_out",
    "perform",
    "performer",
    "prove",
]
