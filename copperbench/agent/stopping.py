"""INT and TERM during a run: the run is put back, its transcript closed, and the process dies of the signal."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_ORDERS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(BaseException):
    """The run was told to stop; `number` is the signal's. No error: nothing on the way may swallow it."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


class Stop:
    """Whether a run may be interrupted: it may until it is `concluding`, and only once."""

    def __init__(self) -> None:
        self.concluding = False

    def ask(self, number: int, _frame: FrameType | None = None) -> None:
        """A signal came. Raises Interrupted, unless the run is about to end anyway."""
        if not self.concluding:
            self.concluding = True
            raise Interrupted(number)


@contextmanager
def interruptible() -> Iterator[Stop]:
    """Within this block INT and TERM raise Interrupted in the main thread; what is concluding is made whole first."""
    stop = Stop()
    before = {number: signal.signal(number, stop.ask) for number in _ORDERS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def die_of(number: int) -> None:
    """End this process as the signal would have: whoever started it sees that it was killed."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
