"""What all records say together: statistics, the aggregate, the leaderboard, whether tasks discriminate.

Everything here is computed from records on disk and the checked-out suite, offline and in a fixed order: the same
records give the same bytes (STANDARD 6 to 12).
"""

from typing import TYPE_CHECKING

from copperbench.on_demand import on_demand

if TYPE_CHECKING:
    from copperbench.reporting.aggregate import aggregate, aggregate_checkout
    from copperbench.reporting.aggregate_file import aggregate_at, aggregate_bytes, read_aggregate
    from copperbench.reporting.codec import encode
    from copperbench.reporting.discrimination import Expectation, discrimination, expectation, expectations
    from copperbench.reporting.gate import Delta, Gate, Thresholds, gate
    from copperbench.reporting.leaderboard import (
        HandEdit,
        cell_text,
        check_leaderboard,
        kill_text,
        leaderboard,
        traps_text,
    )
    from copperbench.reporting.models import Aggregate, DiscriminationRow

__all__ = [
    "Aggregate",
    "Delta",
    "DiscriminationRow",
    "Expectation",
    "Gate",
    "HandEdit",
    "Thresholds",
    "aggregate",
    "aggregate_at",
    "aggregate_bytes",
    "aggregate_checkout",
    "cell_text",
    "check_leaderboard",
    "discrimination",
    "encode",
    "expectation",
    "expectations",
    "gate",
    "kill_text",
    "leaderboard",
    "read_aggregate",
    "traps_text",
]

__getattr__ = on_demand(__name__)
