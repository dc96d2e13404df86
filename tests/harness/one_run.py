"""Build a sandbox and run gold in it under another umask and clock; print what has to be the same every time."""

import hashlib
import json
import os
import sys
import time
from pathlib import Path

root, task_id, folder, umask, seconds = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), *map(int, sys.argv[4:])
os.umask(umask)
_time, _time_ns = time.time, time.time_ns
time.time = lambda: _time() + seconds
time.time_ns = lambda: _time_ns() + seconds * 10**9

import datetime  # noqa: E402


class Shifted(datetime.datetime):
    """A clock that is wrong by some years."""

    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(time.time(), tz)


datetime.datetime = Shifted

from copperbench.harness import RunOrder, carry_out, perform, performer  # noqa: E402
from copperbench.records import record_place  # noqa: E402
from copperbench.sandbox import build_sandbox, open_seal  # noqa: E402
from copperbench.suite import load_suite  # noqa: E402

suite = load_suite(root)
task = suite.task(task_id)
fixture = suite.fixture(task.fixture_id)
built = build_sandbox(task, fixture, root / "fixtures" / fixture.id / "tree")
archive = folder / "sandbox.tar.zst"
folder.mkdir(parents=True)
archive.write_bytes(built.data)
place = record_place(Path(f"results/2026-01-02/harness-gold/{task_id}/run-1.json"), folder)
who = performer(suite, task_id, "harness-gold")
assert who is not None
carry_out(RunOrder(place, who, archive, suite.version, fixtures=root / "fixtures"), suite, perform)
seal = open_seal(place.folder)
digests = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in place.folder.iterdir()}
del digests["run.json"]
sys.stdout.write(
    json.dumps(
        {
            "startedAt": seal.facts.started_at,
            "baselineSha": seal.facts.baseline_sha,
            "sandbox": hashlib.sha256(built.data).hexdigest(),
            "commits": [commit.sha for commit in seal.commits or ()],
            "digests": digests,
        }
    )
)
