"""Writes a recorded transcript where a harness would and ends as the recorded run ended: `replay <folder>`."""

import json
import os
import signal
import sys
from pathlib import Path


def main(arguments):
    recorded = Path(arguments.pop(0))
    if arguments == ["--version"]:
        sys.stdout.write("replay 0.9.0\n")
        return 0
    repo = Path(arguments[arguments.index("--repo") + 1])
    folder = repo / ".copperhead/runs/2026-01-01T00-00-00-000Z"
    folder.mkdir(parents=True)
    (folder / "transcript.jsonl").write_bytes((recorded / "transcript.jsonl").read_bytes())
    meta = json.loads((recorded / "meta.json").read_text())
    if meta["exit_code"] is None or meta["exit_code"] < 0:
        os.kill(os.getpid(), signal.SIGTERM)
    return meta["exit_code"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
