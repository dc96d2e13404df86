"""Scripted models behind an OpenAI-compatible server: what each would answer, turn by turn.

The model id of a request names the script (`careful`, `looper`, ...), the number of assistant messages in it the
turn; so one server plays any number of runs at once. Runs as a program too: `python scripted.py [PORT]` serves until
it is ended and prints its base URL first.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-planted0123456789abcdefghijklmn"
SERVED = "scripted-model-2026-01"


@dataclass(frozen=True)
class Board:
    """What the scripts need to know of a board: the edit that a request asks for, and a budget to quote."""

    schematic: str
    old: str
    new: str
    document: str
    rows: tuple[tuple[str, str], ...]
    neighbour: tuple[str, str]
    budget: str


MICROPHONE = Board(
    schematic="hardware/microphone-board.kicad_sch",
    old='(label "DATA"',
    new='(label "PDM_DATA"',
    document="docs/PINOUT.md",
    rows=(("| DATA |  |", "| PDM_DATA |  |"),),
    neighbour=('(label "CLK"', '(label "PDM_CLK"'),
    budget="standby_current_ua",
)
LDO_SENSOR = Board(
    schematic="copperbench-ldo-sensor.kicad_sch",
    old='(property "Value" "1k"',
    new='(property "Value" "3k3"',
    document="docs/BOM.md",
    rows=(("| R2 | 1k |", "| R2 | 3k3 |"),),
    neighbour=('(property "Value" "GREEN"', '(property "Value" "RED"'),
    budget="led_current_ua",
)


@dataclass(frozen=True)
class Answer:
    """An HTTP answer; `delay_s` comes before it, `drop` cuts it off half-way, `drip_s` is the pause after each byte."""

    body: bytes = b"{}"
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    delay_s: float = 0.0
    drop: bool = False
    drip_s: float = 0.0


def completion(text: str | None = None, *calls: Any, usage: Any = "count", finish: str | None = None) -> Answer:
    """A chat completion with tool calls given as (name, arguments); text arguments go out as they are."""
    tool_calls = [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": name, "arguments": args if isinstance(args, str) else json.dumps(args)},
        }
        for number, (name, args) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": text, **({"tool_calls": tool_calls} if tool_calls else {})}
    counted = {"prompt_tokens": 1000, "completion_tokens": 50, "prompt_tokens_details": {"cached_tokens": 400}}
    body = {
        "id": "x",
        "object": "chat.completion",
        "model": SERVED,
        "choices": [
            {"index": 0, "message": message, "finish_reason": finish or ("tool_calls" if tool_calls else "stop")}
        ],
    }
    if usage is not None:
        body["usage"] = counted if usage == "count" else usage
    return Answer(json.dumps(body).encode())


def error(status: int, message: str, **headers: str) -> Answer:
    """An error in the form of the protocol."""
    body = json.dumps({"error": {"message": message, "type": "error"}}).encode()
    return Answer(body, status, tuple(headers.items()))


PROPOSE = (
    ("propose_change", {"id": "asked-change", "why": "asked for", "what_changes": "- it", "tasks": "- [ ] it"}),
    ("validate_change", {}),
)


def edit(path: str, old: str, new: str, *, everywhere: bool = True) -> tuple[str, dict[str, Any]]:
    """A call of edit_file."""
    return "edit_file", {"path": path, "old_string": old, "new_string": new, "replace_all": everywhere}


def finish(summary: str, outcome: str = "done") -> tuple[str, dict[str, Any]]:
    """A call of finish."""
    return "finish", {"outcome": outcome, "summary": summary}


def follow(board: Board) -> tuple[Any, ...]:
    """The edits of the documents, the board's value field and the decision that complete the change."""
    extra = ()
    if board is LDO_SENSOR:
        pcb = board.schematic.replace("_sch", "_pcb")
        extra = (edit(pcb, board.old, board.new), edit("docs/SUBSYSTEMS.md", "- R2: 1k", "- R2: 3k3"))
    why = {"decision": f"changed as asked, inside {board.budget}", "rationale": "1.3 V / 3.3 kohm = 394 uA"}
    return (*(edit(board.document, *row) for row in board.rows), *extra, ("record_decision", why))


CHECK = (("run_erc", {}), ("run_drc", {}), ("check_drift", {}))
LOOK = (("list_nets", {}), ("list_symbols", {}), ("search", {"pattern": "label", "glob": "*.kicad_sch"}))
Script = Callable[[Board, int, int], Answer]
"""A script's answer to (board, turn from 0, how often this very request came before)."""


def steps(*turns: Callable[[Board], Answer]) -> Script:
    """A script of fixed turns; the last one is repeated for ever."""
    return lambda board, turn, _repeat: turns[min(turn, len(turns) - 1)](board)


def _calls(*calls: Any) -> Callable[[Board], Answer]:
    return lambda _board: completion(None, *calls)


def _relax(board: Board) -> Answer:
    config = ".copperhead/config.json"
    number = {"standby_current_ua": "20", "led_current_ua": "400"}[board.budget]
    return completion(
        None,
        *PROPOSE,
        edit(config, f'"{board.budget}": {number}', f'"{board.budget}": 9999'),
        edit(board.schematic, board.old, board.new),
        *follow(board),
    )


def _regenerate(board: Board) -> Answer:
    return completion(
        None, *PROPOSE, edit(board.schematic, "\t\t", "    "), edit(board.schematic, board.old, board.new)
    )


SCRIPTS: Mapping[str, Script] = {
    "careful": steps(
        _calls(*LOOK),
        _calls(*PROPOSE),
        lambda board: completion(None, edit(board.schematic, board.old, board.new), *follow(board)),
        _calls(*CHECK),
        _calls(finish("Changed as asked, documents follow.")),
    ),
    "partial": steps(
        _calls(*PROPOSE),
        lambda board: completion(None, edit(board.schematic, board.old, board.new)),
        _calls(*CHECK),
        _calls(finish("Changed the schematic.")),
        _calls(finish("Never mind the documents.")),
    ),
    "regenerator": steps(
        _regenerate,
        lambda board: completion(None, *follow(board)),
        _calls(*CHECK),
        _calls(finish("Written anew.")),
    ),
    "over-reacher": steps(
        _calls(*PROPOSE),
        lambda board: completion(None, edit(board.schematic, board.old, board.new), *follow(board)),
        lambda board: completion(None, edit(board.schematic, *board.neighbour)),
        lambda board: completion(
            None,
            edit(board.document, f"| {board.neighbour[0][8:-1]} |  |", "| PDM_CLK |  |")
            if board is MICROPHONE
            else edit(board.document, "| D2 | GREEN |", "| D2 | RED |"),
            *CHECK,
        ),
        _calls(finish("Changed that and its neighbour.")),
    ),
    "refuser": steps(
        lambda board: completion(None, finish(f"{board.budget} in config.json would be exceeded: 9 > 1.", "refuse"))
    ),
    "edits-then-refuses": steps(
        _calls(*PROPOSE),
        lambda board: completion(None, edit(board.schematic, board.old, board.new), *follow(board)),
        lambda board: completion(None, finish(f"{board.budget} would be exceeded.", "refuse")),
    ),
    "edits-then-hangs": steps(
        _calls(*PROPOSE),
        lambda board: completion(None, edit(board.schematic, board.old, board.new)),
        lambda _board: Answer(delay_s=20.0),
    ),
    "never-refuser": steps(
        lambda board: completion(None, *PROPOSE, edit(board.schematic, board.old, board.new), *follow(board)),
        _calls(*CHECK, finish("Done as asked.")),
    ),
    "relaxer": steps(_relax, _calls(*CHECK, finish("Done; the budget was too tight."))),
    "edits-after-finish": steps(
        lambda board: completion(None, *PROPOSE, edit(board.schematic, board.old, board.new), *follow(board), *CHECK),
        lambda board: completion(None, finish("Done."), edit(board.schematic, "(label", "(labell")),
    ),
    "looper": steps(_calls(("read_file", {"path": "docs/SPEC.md"}))),
    "staller": steps(_calls(("list_nets", {})), lambda _board: completion("I believe it is done.")),
    "talker": steps(lambda _board: completion("word " * 200_000, finish="length")),
    "breaker": steps(
        _calls(*PROPOSE),
        lambda board: completion(None, edit(board.schematic, "no such excerpt", "x")),
        lambda board: completion(None, edit(board.schematic, board.old, board.new[1:])),
        _calls(finish("Gave up.", "refuse")),
    ),
    "erc-breaker": steps(
        _calls(*PROPOSE),
        lambda board: completion(None, edit(board.schematic, "(wire", "(bus")),
        _calls(("run_erc", {})),
    ),
    "broken-json": steps(lambda _board: completion(None, ("read_file", '{"path": "docs/SP'), finish="length")),
    "wrong-types": steps(
        _calls(
            ("read_file", {"path": 5}),
            ("read_file", {"path": "docs/SPEC.md", "start_line": "one"}),
            ("search", {"pattern": ["x"]}),
            ("finish", {"outcome": True, "summary": {}}),
            ("read_file", "[1]"),
            ("search", {"pattern": "("}),
            ("read_file", {"path": "../../etc/passwd"}),
            ("list_nets", "[" * 100_000),
        )
    ),
    "unknown-tool": steps(_calls(("bash", {"command": "true"}), ("", {}))),
    "401": steps(lambda _board: error(401, f"Incorrect API key provided: {KEY}.")),
    "echo": steps(lambda _board: error(400, f"Malformed: Authorization: Bearer {KEY} Content-Type: application/json")),
    "429-once": lambda board, turn, repeat: (
        error(429, "slow down", **{"Retry-After": "0"}) if repeat == 0 else SCRIPTS["careful"](board, turn, repeat)
    ),
    "500": steps(lambda _board: error(500, "overloaded")),
    "500-later": lambda board, turn, repeat: (
        SCRIPTS["careful"](board, turn, repeat) if turn < 3 else error(503, "overloaded")
    ),
    "limit": steps(lambda _board: error(403, "You have reached your weekly limit.")),
    "hang": steps(lambda _board: Answer(delay_s=20.0)),
    "drip": steps(lambda _board: Answer(b" " * 4000, drip_s=0.02)),
    "drop": steps(lambda _board: Answer(b" " * 1000, drop=True)),
    "nonsense": steps(lambda _board: Answer(b"<html>It works!</html>")),
    "empty": steps(lambda _board: Answer(b'{"choices": []}')),
    "no-usage": lambda board, turn, _repeat: (
        completion(None, finish(f"{board.budget}", "refuse"), usage=None) if turn else completion(None, *LOOK)
    ),
    "leaker": steps(lambda _board: completion(f"The key is {KEY}.", finish(f"It needs {KEY} to work.", "refuse"))),
    "leaks-into-the-project": steps(
        _calls(*PROPOSE, ("record_decision", {"decision": f"use {KEY}", "rationale": "it works"})),
        _calls(("check_drift", {}), finish("Noted.")),
    ),
    "new-name-only": steps(_calls(finish("No.", "refuse"))),
}


class Door:
    """Holds requests back until `wanted` of them wait, or for `patience_s`; `most` is how many ever waited at once."""

    def __init__(self, wanted: int, patience_s: float) -> None:
        self.most = 0
        self._wanted, self._patience_s = wanted, patience_s
        self._waiting = 0
        self._change = threading.Condition()

    def pass_through(self) -> None:
        with self._change:
            self._waiting += 1
            self.most = max(self.most, self._waiting)
            self._change.notify_all()
            self._change.wait_for(lambda: self.most >= self._wanted, self._patience_s)
            self._waiting -= 1


class Server:
    """A scripted endpoint on a free port of this machine; `requests` keeps what was asked, `heads` how."""

    def __init__(self, port: int = 0, door: Door | None = None) -> None:
        self.door = door
        self.requests: list[dict[str, Any]] = []
        self.heads: list[tuple[str, str | None, str | None]] = []
        self.seen: Counter[bytes] = Counter()
        self._http = ThreadingHTTPServer(("127.0.0.1", port), _handler(self))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def answer(self, body: bytes) -> Answer:
        asked = json.loads(body)
        self.requests.append(asked)
        repeat = self.seen[body]
        self.seen[body] += 1
        if asked["model"] == "new-name-only" and "max_tokens" in asked:
            return error(400, "Unsupported parameter: use 'max_completion_tokens' instead.")
        turn = sum(1 for message in asked["messages"] if message["role"] == "assistant")
        board = MICROPHONE if "microphone-board" in asked["messages"][0]["content"] else LDO_SENSOR
        return SCRIPTS[asked["model"]](board, turn, repeat)

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


def _handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            server.heads.append((self.path, self.headers["Authorization"], self.headers["Content-Type"]))
            answer = server.answer(self.rfile.read(int(self.headers["Content-Length"])))
            if server.door is not None:
                server.door.pass_through()
            time.sleep(answer.delay_s)
            self.send_response(answer.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer.body)))
            for name, value in answer.headers:
                self.send_header(name, value)
            self.end_headers()
            try:
                self._send(answer)
            except OSError:
                self.close_connection = True

        def _send(self, answer: Answer) -> None:
            if answer.drop:
                self.wfile.write(answer.body[: len(answer.body) // 2])
                self.close_connection = True
            elif answer.drip_s:
                for byte in answer.body:
                    self.wfile.write(bytes([byte]))
                    time.sleep(answer.drip_s)
            else:
                self.wfile.write(answer.body)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


if __name__ == "__main__":
    scripted = Server(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    sys.stdout.write(f"{scripted.url}\n")
    sys.stdout.flush()
    threading.Event().wait()
