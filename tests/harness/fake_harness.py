"""A program with the harness contract's command line that behaves as the model's name says: good, bad or hostile."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

SLOWLY_S = 3600


def main(arguments):
    if arguments == ["--version"]:
        sys.stdout.write("fake 1.2.3\n")
        return 0
    repo = Path(arguments[arguments.index("--repo") + 1])
    if "init" in arguments:
        (repo / "docs").mkdir()
        (repo / "docs/SPEC.md").write_text("# Spec\n")
        return 0
    model = arguments[arguments.index("--model") + 1]
    return BEHAVIOURS[model](Run(repo, arguments))


class Run:
    def __init__(self, repo, arguments):
        self.repo, self.arguments = repo, arguments
        self.folder = repo / ".copperhead/runs/2026-01-01T00-00-00-000Z"

    def event(self, kind, **data):
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "transcript.jsonl").open("a") as file:
            file.write(json.dumps({"ts": "t", "type": kind, "data": data}, separators=(",", ":")) + "\n")

    def start(self):
        command = next(each for each in ("do", "sync", "create") if each in self.arguments)
        data = {
            "arguments": self.arguments,
            "environment": {name: name if name == "FAKE_KEY" else value for name, value in os.environ.items()},
            "folder": [path.name for path in Path().iterdir()],
            "command": command,
        }
        versions = {"copperhead": "0.9.0", "node": "v20.20.2"}
        self.event("run-start", modelSource="flag", versions=versions, stdin=sys.stdin.read(), **data)

    def turn(self):
        self.event("assistant", text="...", toolCalls=[])

    def is_seen(self):
        """Wait until the test says that the transcript so far was seen."""
        while not (self.repo / ".seen").exists():
            time.sleep(0.02)

    def end(self, path, tokens=1000, turns=1):
        each = [{"turn": n, "in": tokens, "out": 10} for n in range(1, turns + 1)]
        total = {"tokensIn": tokens * turns, "tokensOut": 10 * turns, "served": ["fake-model-1"]}
        self.event("run-end", exitPath=path, turnsUsed=turns, perTurn=each, **total)
        return 0 if path in ("done", "refused") else 1


def reopens(run):
    run.event("deferred-affects-reopened", reopened=[{"key": "rail_volts", "item": "BOM"}])
    return done(run)


def reopens_and_dies(run):
    run.event("deferred-affects-reopened", reopened=[{"key": "rail_volts", "item": "BOM"}])
    run.event("run-start")
    os.kill(os.getpid(), signal.SIGKILL)


def with_null_probes(run):
    run.event("run-start", request="x", modelSource=None, versions=None, config=None, git=None, priorRuns=0)
    run.turn()
    return run.end("done")


def uses_git(run):
    project = Path("project")
    hooks = project / ".git/hooks"
    subprocess.run(["git", "init", "-q", project], check=True)
    hooks.mkdir(exist_ok=True)
    (hooks / "pre-commit").write_text("#!/bin/sh\nexit 1\n")
    (hooks / "pre-commit").chmod(0o755)
    subprocess.run(["git", "-C", project, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    said = subprocess.run(["git", "-C", project, "log", "--format=%an <%ae>"], capture_output=True, text=True)
    shutil.rmtree(project)
    run.event("run-start", author=said.stdout.strip())
    run.turn()
    return run.end("done")


def done(run):
    run.start()
    run.turn()
    return run.end("done")


def two_stages(run):
    done(run)
    run.folder = run.folder.with_name("2026-01-01T00-00-01-000Z")
    return done(run)


def no_usage(run):
    run.start()
    run.turn()
    return run.end("done", tokens=0)


def silent(run):
    return 0


def refuses_to_start(run):
    sys.stderr.write(f"error: the working tree is dirty; the key is {os.environ.get('FAKE_KEY')}\n")
    return 1


def empty(run):
    run.folder.mkdir(parents=True)
    (run.folder / "transcript.jsonl").touch()
    return 1


def rejected(run):
    run.start()
    run.event(
        "run-failed", reason="provider error: 401 Incorrect API key provided: [REDACTED]", exitPath="provider-error"
    )
    return run.end("provider-error", turns=0)


def not_known(run):
    run.start()
    run.event("run-failed", reason="provider error: 404 no such model", exitPath="provider-error")
    return run.end("provider-error", turns=0)


def failing(run):
    run.start()
    run.event("run-failed", reason="provider error: 500 overloaded (401 waiting)", exitPath="provider-error")
    return run.end("provider-error", turns=0)


def rejected_later(run):
    run.start()
    run.turn()
    run.event("run-failed", reason="provider error: 401 key revoked", exitPath="provider-error")
    return run.end("provider-error")


def endless(run):
    run.start()
    while True:
        run.turn()
        time.sleep(0.02)


def hangs(run):
    run.start()
    time.sleep(SLOWLY_S)


def deaf(run):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    return hangs(run)


def tidy(run):
    def put_away(*_):
        run.end(None)
        sys.exit(143)

    signal.signal(signal.SIGTERM, put_away)
    run.start()
    run.turn()
    time.sleep(SLOWLY_S)


def leaves_a_child(run, apart=False):
    sleeper = [sys.executable, "-c", f"import time; time.sleep({SLOWLY_S})", "sleeper", str(run.repo)]
    child = subprocess.Popen(sleeper, start_new_session=apart)
    (run.repo / "child.txt").write_text(str(child.pid))
    return done(run)


def leaves_a_daemon(run):
    return leaves_a_child(run, apart=True)


def rewrites(run):
    run.start()
    run.turn()
    run.event("run-failed", reason="stalled", exitPath="stalled")
    run.is_seen()
    (run.folder / "transcript.jsonl").unlink()
    return done(run)


def erases(run):
    run.start()
    run.turn()
    run.is_seen()
    shutil.rmtree(run.repo / ".copperhead/runs")
    return 0


def stops_writing(run):
    run.start()
    run.turn()
    return 0


def floods(run):
    run.start()
    run.turn()
    line = b"x" * 4095 + b"\n"
    for _ in range(5000):
        os.write(1, line)
        os.write(2, line)
    return run.end("done")


def leaks(run):
    run.start()
    run.turn()
    (run.repo / "notes.txt").write_text(os.environ["FAKE_KEY"])
    return run.end("done")


BEHAVIOURS = {name.replace("_", "-"): value for name, value in list(globals().items()) if callable(value)}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
