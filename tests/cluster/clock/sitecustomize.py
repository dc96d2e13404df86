"""A clock that stands still for copperbench and its harness, and for nobody else: put on PYTHONPATH, Python loads it.

Snakemake and SLURM need theirs. With this, nothing in a run or a record can differ because of when it was made.
"""

import os
import sys

NOW = 1767355200.0
OURS = {"copperbench", "copperbench-agent"}

if OURS & {os.path.basename(each) for each in sys.orig_argv[:3]}:  # noqa: PTH119 - at every start of Python
    import datetime
    import time

    class Still(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return cls.fromtimestamp(NOW, tz)

    datetime.datetime = Still  # type: ignore[misc]
    time.time = lambda: NOW
    time.time_ns = lambda: int(NOW) * 10**9
    time.monotonic = time.perf_counter = lambda: 0.0
