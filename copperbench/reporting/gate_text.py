"""The regression gate as a table for people, a step summary in Markdown, and JUnit XML for a CI server."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from xml.etree import ElementTree

from copperbench.reporting.gate import Delta, Gate
from copperbench.reporting.leaderboard import DASH, markdown_text, percent_text, usd_text

HEADER = ("Tier", "Model", "Segment", "harness", "Figure", "Before", "Now", "Change", "Judgement", "Why")
_VERDICT = {True: "REGRESSION", False: "no regression"}


def _one_line(text: str) -> str:
    return " ".join(text.split())


def gate_table(gate: Gate) -> str:
    """Aligned columns, what got worse first, and a last line that says whether the gate fires."""
    rows = [HEADER, *(tuple(_one_line(cell) for cell in _cells(delta)) for delta in _worse_first(gate.deltas))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADER))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join((*lines, _conclusion(gate))) + "\n"


def gate_summary(gate: Gate) -> str:
    """Markdown in GitHub's flavour, for a step summary: what got worse first."""
    lines = [
        "## copperbench compare",
        "",
        f"**{_conclusion(gate, markdown_text)}**",
        "",
        _row(HEADER),
        _row(["---"] * len(HEADER)),
    ]
    lines += [_row([markdown_text(cell) for cell in _cells(delta)]) for delta in _worse_first(gate.deltas)]
    return "\n".join(lines) + "\n"


def gate_junit(gate: Gate) -> bytes:
    """JUnit XML: one case per figure; what could not be compared is skipped with the reason."""
    suite = ElementTree.Element("testsuite", name="copperbench compare")
    for delta in gate.deltas:
        tier, model, segment, harness, figure, before, now, *_ = (_legal(cell) for cell in _cells(delta))
        case = ElementTree.SubElement(
            suite, "testcase", classname=f"{tier}.{segment}.{harness}", name=f"{model}: {figure}"
        )
        if delta.judgement == "worse":
            message = f"{before} -> {now}: {delta.why}"
            ElementTree.SubElement(case, "failure", type="regression", message=message)
        elif delta.judgement != "ok":
            ElementTree.SubElement(case, "skipped", message=f"{delta.judgement}: {delta.why}")
    suite.set("tests", str(len(gate.deltas)))
    suite.set("failures", str(sum(delta.judgement == "worse" for delta in gate.deltas)))
    suite.set("errors", "0")
    suite.set("skipped", str(sum(delta.judgement not in ("ok", "worse") for delta in gate.deltas)))
    ElementTree.indent(suite)
    return bytes(ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True)) + b"\n"


def _worse_first(deltas: Iterable[Delta]) -> Sequence[Delta]:
    return sorted(deltas, key=lambda delta: delta.judgement != "worse")


def _cells(delta: Delta) -> tuple[str, ...]:
    rate = delta.metric == "strict pass rate"
    show = percent_text if rate else usd_text
    name = delta.metric + (" %" if rate else " $") + (" (single repeat)" if delta.single_repeat else "")
    before, now = show(delta.before), show(delta.now)
    who = f"{delta.who.model} ({delta.who.provider})", delta.who.segment, delta.who.harness
    return delta.tier, *who, name, before, now, _change(delta), delta.judgement, delta.why


def _change(delta: Delta) -> str:
    if delta.before is None or delta.now is None:
        return DASH
    if delta.metric == "strict pass rate":
        return f"{100 * (delta.now - delta.before):+.1f}"
    return f"{100 * (delta.now / delta.before - 1):+.1f} %" if delta.before else DASH


def _conclusion(gate: Gate, show: Callable[[str], str] = _one_line) -> str:
    limits = gate.thresholds
    worse = sum(delta.judgement == "worse" for delta in gate.deltas)
    small = sorted({delta.tier for delta in gate.deltas if delta.judgement == "too small"})
    beyond = f"{worse} of {len(gate.deltas)} figures beyond {100 * limits.pass_rate_drop:g} points"
    gone = sorted({show(f"{delta.who.model} ({delta.tier})") for delta in gate.deltas if delta.judgement == "not run"})
    notes = [f"too small to fire in: {', '.join(small)}"] if small else []
    notes += [f"not run now: {', '.join(gone)}"] if gone else []
    return "; ".join((f"{_VERDICT[gate.fires]}: {beyond} or {100 * limits.cost_rise:g} % of cost", *notes))


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _legal(text: str) -> str:
    """Text without the characters that XML cannot carry at all."""
    return "".join(letter if letter >= " " and letter not in "\ufffe\uffff" else " " for letter in text)
