"""Simulated agents for a published campaign: an OpenAI-compatible endpoint that plays known answers turn by turn.

No model is behind it. `scholar` knows the reference solutions and plays them through the reference harness, `yes-man`
does the same but carries out what should be declined, `refuser` declines everything, `unsteady` is the scholar two
times in three and otherwise never calls a tool. Runs in a checkout: `scripted_players.py PORT`; it says
its base URL first, with a free port for 0.
"""

from __future__ import annotations

import difflib
import json
import re
import sys
import tempfile
import threading
from collections import Counter
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from copperbench.sandbox import apply_operation, unpack_sandbox
from copperbench.suite import Solution, Task, load_suite

SERVED = "scripted-player-1"
SANDBOXES = Path("build/sandboxes/reference")
MOST_CALLS = 40  # in one turn; the harness carries out 64 at most
COMPLIES = ("trap-complies-silently", "trap-trusts-the-documents", "trap-trusts-the-schematic")
SUITE = load_suite(Path())
STARTED: Counter[tuple[str, str]] = Counter()
LOCK = threading.Lock()
Call = tuple[str, dict[str, Any]]


def play(player: str, messages: list[dict[str, Any]]) -> tuple[str | None, list[Call]]:
    """The next turn of a player: text, tool calls. What was begun stands in the first turn's text."""
    task = task_of(messages)
    turns = [message for message in messages if message["role"] == "assistant"]
    if not turns:
        with LOCK:
            STARTED[player, task.id] += 1
            attempt = STARTED[player, task.id]
        idle = player == "unsteady" and attempt % 3 == 2
        return ("Let me think about it.", []) if idle else ("Let me look.", [("list_nets", {}), ("list_symbols", {})])
    if turns[0]["content"] == "Let me think about it.":
        return "I believe it is done.", []
    if player == "refuser":
        return None, [finish("refuse", f"{first_budget(messages)} would not be kept.")]
    script = answer(task.id, solution_of(task, player).name)
    return script[len(turns) - 1] if len(turns) <= len(script) else ("There is nothing to add.", [])


def task_of(messages: list[dict[str, Any]]) -> Task:
    """The task whose request the conversation began with."""
    asked = str(messages[1]["content"])
    return next(task for task in map(SUITE.task, SUITE.task_ids()) if task.prompt and task.prompt in asked)


def first_budget(messages: list[dict[str, Any]]) -> str:
    """The first budget that the system prompt lists."""
    found = re.search(r"^- ([a-z0-9_]+): [\d.]+$", str(messages[0]["content"]), re.MULTILINE)
    return found[1] if found else "The budget"


def solution_of(task: Task, player: str) -> Solution:
    """The known answer that a player gives to a task."""
    known = {solution.name: solution for solution in SUITE.solutions(task.id)}
    if player == "yes-man" and task.expected_outcome != "edit":
        return next(known[name] for name in COMPLIES if name in known)
    return known["gold"]


@cache
def answer(task_id: str, name: str) -> list[tuple[str | None, list[Call]]]:
    """A solution as turns: propose, edit, check, finish."""
    solution = next(each for each in SUITE.solutions(task_id) if each.name == name)
    if solution.exit_path == "refused":
        return [(None, [finish("refuse", solution.summary)])]
    propose = {"id": "asked-change", "why": solution.summary, "what_changes": "- as asked", "tasks": "- [ ] do it"}
    changes = edits(task_id, solution)
    checks: list[Call] = [("run_erc", {}), ("run_drc", {}), ("check_drift", {})]
    return [
        (None, [("propose_change", propose), ("validate_change", {})]),
        *((None, changes[at : at + MOST_CALLS]) for at in range(0, len(changes), MOST_CALLS)),
        (None, checks),
        (None, [finish("done", solution.summary)]),
    ]


def finish(outcome: str, summary: str) -> Call:
    """The call that ends a run."""
    return "finish", {"outcome": outcome, "summary": summary}


def edits(task_id: str, solution: Solution) -> list[Call]:
    """What a solution changes in the starting state, as calls of the harness's editing tools."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "sandbox"
        unpack_sandbox(SANDBOXES / f"{task_id}.tar.zst", root)
        before = texts(root)
        for step in solution.steps:
            if step.kind not in ("commit", "event"):
                apply_operation(root, step, solution.name)
        after = texts(root)
    calls: list[Call] = []
    for path, text in after.items():
        if path not in before:
            calls.append(("write_file", {"path": path, "content": text}))
        elif text != before[path]:
            calls += [("edit_file", {"path": path, **hunk}) for hunk in hunks(before[path], text)]
    return calls


def texts(root: Path) -> dict[str, str]:
    """The files of a starting state by path, git's own left out."""
    files = (path for path in sorted(root.rglob("*")) if path.is_file() and ".git" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_bytes().decode("utf-8") for path in files}


def hunks(before: str, after: str) -> list[dict[str, str]]:
    """The replacements that turn one text into the other, last first; each excerpt is unique when its turn comes."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    changes = [op for op in difflib.SequenceMatcher(None, old, new).get_opcodes() if op[0] != "equal"]
    found = []
    for _, start, end, new_start, new_end in reversed(changes):
        top, bottom = start, end
        while top == bottom or not _is_unique(old, top, bottom):
            top, bottom = max(0, top - 1), min(len(old), bottom + 1)
        replaced = [*old[top:start], *new[new_start:new_end], *old[end:bottom]]
        found.append({"old_string": "".join(old[top:bottom]), "new_string": "".join(replaced)})
        old[start:end] = new[new_start:new_end]
    return found


def _is_unique(lines: list[str], top: int, bottom: int) -> bool:
    """Whether the lines from `top` to `bottom` stand nowhere else in the text, overlapping themselves included."""
    text, excerpt = "".join(lines), "".join(lines[top:bottom])
    first = text.find(excerpt)
    return first == len("".join(lines[:top])) and text.find(excerpt, first + 1) < 0


class Player(BaseHTTPRequestHandler):
    """One request: the model's name is the player's."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer a chat completion."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text, calls = play(asked["model"], asked["messages"])
        tool_calls = [
            {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for n, (name, arguments) in enumerate(calls)
        ]
        message = {"role": "assistant", "content": text, **({"tool_calls": tool_calls} if calls else {})}
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
        usage = {"prompt_tokens": 0, "completion_tokens": 0}
        answered = {"id": "x", "object": "chat.completion", "model": SERVED, "choices": [choice], "usage": usage}
        body = json.dumps(answered).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        """Say that the endpoint is up."""
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


if __name__ == "__main__":
    players = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Player)
    print(f"http://127.0.0.1:{players.server_address[1]}/v1", flush=True)
    players.serve_forever()
