"""Runs as logs that Inspect AI's viewer opens: one `.eval` archive per model, harness and setting."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from copperbench.evidence import Transcript
from copperbench.records import Record
from copperbench.reporting.rubric import Rubric

_SCORES = {"pass": "C", "fail": "I"}


def eval_name(runs: Sequence[Record]) -> str:
    """A file name for the runs of one model, harness and setting: legible, and unique by a digest."""
    run = runs[0]
    key = "\0".join((run.run_model, run.model.provider if run.model else "", run.harness, run.ablations.label))
    words = re.sub(r"[^A-Za-z0-9.]+", "-", f"{run.run_model}-{run.harness}").strip("-.")[:80]
    return f"{words}-{hashlib.sha256(key.encode('utf-8', 'replace')).hexdigest()[:8]}.eval"


def eval_log(
    runs: Sequence[Record],
    transcripts: Mapping[str, Transcript],
    suite_version: str,
    rubrics: Mapping[str, Rubric] = MappingProxyType({}),
) -> bytes:
    """The archive of these runs, which belong to one model; `transcripts` by record path, where there is evidence.

    A task is a sample, a run one of its epochs; the verdict is the score (C, I, N for what could not be scored), every
    assertion stands in its explanation. A judgement (`rubrics`, by record path) is a score of its own. Equal records,
    transcripts and judgements give equal bytes.
    """
    ordered = sorted(runs, key=lambda run: (run.task, run.campaign, run.repeat))
    samples: list[dict[str, Any]] = []
    for run in ordered:
        epoch = 1 + sum(sample["id"] == run.task for sample in samples)
        samples.append(_sample(run, epoch, transcripts.get(run.path), rubrics.get(run.path)))
    spec = _spec(ordered, samples, suite_version)
    plan = {"name": "plan", "steps": [], "config": {}}
    usage = _usage(ordered)
    started = min(run.started_at for run in ordered)
    header = {
        "version": 2,
        "status": "success",
        "eval": spec,
        "plan": plan,
        "results": _results(ordered, samples),
        "stats": {"started_at": started, "completed_at": started, "model_usage": usage},
    }
    files: dict[str, Any] = {"_journal/start.json": {"version": 2, "eval": spec, "plan": plan}}
    files |= {f"samples/{sample['id']}_epoch_{sample['epoch']}.json": sample for sample in samples}
    files |= {"summaries.json": [_summary(sample) for sample in samples], "header.json": header}
    return _zip(files)


def _spec(runs: Sequence[Record], samples: Sequence[Mapping[str, Any]], suite_version: str) -> dict[str, Any]:
    run, tasks = runs[0], sorted({each.task for each in runs})
    provider = run.model.provider if run.model else "harness"
    return {
        "eval_id": hashlib.sha256("\0".join(each.path for each in runs).encode("utf-8", "replace")).hexdigest()[:22],
        "run_id": run.campaign,
        "created": min(each.started_at for each in runs),
        "task": "copperbench",
        "task_id": "copperbench",
        "task_version": suite_version,
        "dataset": {"name": "copperbench", "samples": len(tasks), "sample_ids": tasks},
        "model": f"{provider}/{run.run_model}",
        "config": {"epochs": max(sample["epoch"] for sample in samples)},
        "metadata": {"harness": run.harness, "harness_version": run.harness_version, "ablations": run.ablations.label},
    }


def _sample(run: Record, epoch: int, transcript: Transcript | None, rubric: Rubric | None) -> dict[str, Any]:
    messages = _messages(transcript) if transcript is not None else []
    request = next((each["content"] for each in messages if each["role"] == "user"), run.task)
    lines = [f"{each.status}: {each.id} ({each.type}): {each.detail}" for each in run.assertions]
    exit_path = run.stats.exit_path if run.stats else None
    return {
        "id": run.task,
        "epoch": epoch,
        "input": request,
        "target": run.expected,
        "messages": messages,
        "output": {"model": run.run_model, "choices": [], "completion": exit_path or ""},
        "scores": {
            "verdict": {
                "value": _SCORES.get(run.verdict, "N"),
                "answer": exit_path,
                "explanation": "\n".join(lines),
                "metadata": {"failure_category": run.failure_category},
            },
            "partial_credit": {"value": run.partial_credit},
        }
        | _judgement(rubric),
        "metadata": {
            "record": run.path,
            "tier": run.tier,
            "fixture": run.fixture,
            "usd": run.usd,
            "repeat": run.repeat,
            "lines_changed": run.lines_changed,
        },
        "total_time": run.duration_ms / 1000,
        "model_usage": _usage([run]),
    }


def _judgement(rubric: Rubric | None) -> dict[str, Any]:
    if rubric is None:
        return {}
    return {"rubric": {"value": rubric.score, "explanation": rubric.rationale, "metadata": {"judge": rubric.judge}}}


def _summary(sample: Mapping[str, Any]) -> dict[str, Any]:
    kept = ("id", "epoch", "input", "target", "scores", "metadata", "model_usage", "total_time")
    return {key: sample[key] for key in kept} | {"completed": True, "message_count": len(sample["messages"])}


def _messages(transcript: Transcript) -> list[dict[str, Any]]:
    """The conversation: the request, what the model said and called, and what each call gave."""
    messages: list[dict[str, Any]] = []
    waiting: list[tuple[str, str]] = []
    for event in transcript.events:
        if event.type == "run-start":
            messages.append({"id": f"l{event.line}", "role": "user", "content": event.text("request")})
        elif event.type == "assistant":
            calls = _calls(event.data.get("toolCalls"))
            waiting = [(call["id"], call["function"]) for call in calls]
            message = {"id": f"l{event.line}", "role": "assistant", "content": event.text("text")}
            messages.append(message | ({"tool_calls": calls} if calls else {}))
        elif event.type == "tool":
            name = event.text("name")
            place = next((n for n, (_, called) in enumerate(waiting) if called == name), None)
            call_id = waiting.pop(place)[0] if place is not None else f"l{event.line}"
            tool = {"role": "tool", "content": event.text("result"), "function": name, "tool_call_id": call_id}
            messages.append({"id": f"l{event.line}"} | tool)
    return messages


def _calls(value: object) -> list[dict[str, Any]]:
    calls = [call for call in value if isinstance(call, dict)] if isinstance(value, list) else []
    return [
        {
            "id": str(call.get("id")),
            "function": str(call.get("name")),
            "arguments": args if isinstance(args := call.get("args"), dict) else {"args": args},
            "type": "function",
        }
        for call in calls
    ]


def _results(runs: Sequence[Record], samples: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    judged = [run for run in runs if run.verdict != "unscoreable"]
    rate = sum(run.verdict == "pass" for run in judged) / len(judged) if judged else 0.0
    score = {"name": "verdict", "scorer": "verdict", "metrics": {"accuracy": {"name": "accuracy", "value": rate}}}
    scores = [score] if judged else []
    return {"total_samples": len(samples), "completed_samples": len(samples), "scores": scores}


def _usage(runs: Iterable[Record]) -> dict[str, Any]:
    known = [(run.run_model, run.stats) for run in runs if run.stats and run.stats.tokens_in is not None]
    if not known:
        return {}
    into = sum(stats.tokens_in or 0 for _, stats in known)
    out = sum(stats.tokens_out or 0 for _, stats in known)
    return {known[0][0]: {"input_tokens": into, "output_tokens": out, "total_tokens": into + out}}


def _zip(files: Mapping[str, Any]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            archive.writestr(entry, json.dumps(value, sort_keys=True).encode("ascii"), zipfile.ZIP_DEFLATED)
    return out.getvalue()
