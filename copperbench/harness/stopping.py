"""INT and TERM during a run: noted, not obeyed at once, so that what was paid for is sealed before the process ends."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_ORDERS = (signal.SIGINT, signal.SIGTERM)


class Stop:
    """What the user or the scheduler asked for while a run is under way; `signal` is its number, None until then."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self._heeded_by: Callable[[int], None] | None = None

    def heed(self, react: Callable[[int], None]) -> None:
        """Call `react` with the signal's number when one comes, at once when one came already (kill a child, say)."""
        self._heeded_by = react
        if self.signal is not None:
            react(self.signal)

    def ask(self, number: int) -> None:
        """Note a signal; only the first counts."""
        if self.signal is None:
            self.signal = number
            if self._heeded_by is not None:
                self._heeded_by(number)


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Within this block INT and TERM are noted in the yielded Stop; afterwards they act as before (STANDARD 2).

    The block has to end soon after one came: a performer that waits for a child heeds it, one that takes a second
    may finish.
    """
    stop = Stop()

    def note(number: int, _frame: FrameType | None) -> None:
        stop.ask(number)

    before = {number: signal.signal(number, note) for number in _ORDERS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
