#!/usr/bin/env python3
"""A program with the harness contract's command line whose agent misbehaves as the model's name says."""

import json
import os
import subprocess
import sys
from pathlib import Path

KEY = "sk" + "-" + "a1B2" * 8  # from pieces: this file holds none


def main(arguments):
    if arguments == ["--version"]:
        sys.stdout.write("hostile 1.0.0\n")
        return 0
    repo = Path(arguments[arguments.index("--repo") + 1])
    os.chdir(repo)
    Path("docs").mkdir(exist_ok=True)
    if "init" in arguments:
        Path("docs/SPEC.md").write_text("# Spec\n")
        return 0
    event("run-start")
    event("assistant", text="working", toolCalls=[])
    model = arguments[arguments.index("--model") + 1]
    DEEDS[model]()
    event("run-end", exitPath="done")
    if model in AFTERWARDS:
        AFTERWARDS[model]()
    return 0


def event(kind, run="1", **data):
    place = Path(".copperhead/runs", run)
    place.mkdir(parents=True, exist_ok=True)
    with (place / "transcript.jsonl").open("a") as file:
        file.write(json.dumps({"ts": "t", "type": kind, "data": data}) + "\n")


def write(path, text):
    Path(path).write_text(text)


def git(*arguments):
    subprocess.run(["git", *arguments], check=True, capture_output=True)


def commit(message):
    git("add", "-A", "--", "docs")
    git("commit", "-q", "--allow-empty", "-m", message)


def delete_a_blob():
    write("docs/NOTE.md", f"use {KEY}")
    commit("note")
    Path("docs/NOTE.md").unlink()
    commit("no note")


def fill():
    Path("docs/many").mkdir()
    for number in range(600):
        write(f"docs/many/{number}", "x")


def spy():
    found = {name: os.access(Path(os.environ["SPIED"], name), os.R_OK) for name in ("solutions", "tasks", "results")}
    event("assistant", text=json.dumps(found), toolCalls=[])


DEEDS = {
    "honest": lambda: None,
    "fills": fill,
    "monster": lambda: write("docs/PINOUT.md", "| R1 | aaaaaaaaaaaaaaaaaaaaaaaaaaaaa |\n" * 1_400_000),
    "appends": lambda: None,
    "two-folders": lambda: event("run-end", run="2", exitPath="done"),
    "leaks-document": lambda: write("docs/NOTE.md", f"use {KEY}"),
    "leaks-message": lambda: commit(f"use {KEY}"),
    "leaks-blob": delete_a_blob,
    "leaks-name": lambda: write(f"docs/{KEY}.md", "x"),
    "leaks-transcript": lambda: event("assistant", text=f"use {KEY}", toolCalls=[]),
    "leaks-its-own": lambda: write("docs/NOTE.md", os.environ["PLANTED_KEY"]),
    "spy": spy,
}
AFTERWARDS = {"appends": lambda: event("tool", name="shell", args={}, result="ok")}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
