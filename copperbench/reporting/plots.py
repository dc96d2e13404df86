"""The figures: cost against pass rate, pass@1 against pass^k, tiers, failures; as SVG or PNG (STANDARD 6, 8, 9).

Drawn from the aggregate alone, with a fixed salt and no date, so that equal records give equal files.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from copperbench.reporting.models import Aggregate, ModelRow, ReliabilityRow, Who

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Form = Literal["svg", "png"]
_INK = "#010203"
_LEGIBLE = 36
_COLUMNS = 3
_MARKERS = MappingProxyType({"simple": "o", "medium": "s", "hard": "^"})
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c8c00", "#7f4fc9")
_RC: Any = MappingProxyType(
    {
        "svg.fonttype": "none",
        "text.parse_math": False,
        "font.family": "sans-serif",
        "font.size": 10,
        "text.color": _INK,
        "axes.edgecolor": _INK,
        "axes.labelcolor": _INK,
        "xtick.color": _INK,
        "ytick.color": _INK,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "legend.frameon": False,
    }
)


def plot(name: str, aggregate: Aggregate, form: Form) -> bytes:
    """One of `PLOTS` as a file: SVG with real text, or PNG at 200 dpi on white."""
    with _figure(name, aggregate) as figure:
        return _bytes(figure, form, name)


def inline_plot(name: str, aggregate: Aggregate) -> str | None:
    """One of `PLOTS` as an `<svg>` element for a page: no background, and ink in the page's own colour.

    None where there is nothing to draw.
    """
    with _figure(name, aggregate) as figure:
        if not figure.axes:
            return None
        text = _bytes(figure, "svg", name, transparent=True).decode("utf-8")
    body = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    sized = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", body, count=1)
    return re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", sized, count=1).replace(_INK, "currentColor")


def cost_against_pass(figure: Figure, aggregate: Aggregate) -> None:
    """Cost per passing task against strict pass rate; segments share no cost axis, so each has a panel (STANDARD 8)."""
    found: dict[str, list[tuple[str, ModelRow]]] = {}
    for table in aggregate.tiers:
        for segment in table.segments:
            costed = [(table.tier, row) for row in segment.rows if row.usd_per_pass is not None]
            found.setdefault(segment.segment, []).extend(costed)
    panels = {segment: rows for segment, rows in found.items() if rows}
    if not panels:
        _nothing(figure, "no model has a defined cost per passing task")
        return
    _resize(figure, len(panels), 4.6, 3.6)
    for axes, (title, rows) in zip(_panels(figure, len(panels)), panels.items(), strict=True):
        colours = _colours(row.who for _, row in rows)
        for tier, row in rows:
            rate = 100 * (row.strict_pass.rate or 0)
            axes.plot(row.usd_per_pass or 0, rate, _MARKERS[tier], color=colours[row.who], markersize=8, alpha=0.85)
        axes.set(title=title, xlabel="USD per passing task", ylabel="strict pass rate, %", ylim=(-4, 104))
        axes.set_xlim(0, 1.08 * max(row.usd_per_pass or 0 for _, row in rows) or 1)
        _legend(axes, colours, {tier for tier, _ in rows})


def reliability(figure: Figure, aggregate: Aggregate) -> None:
    """pass@1 with its 95 % interval against pass^k; on the line, a model either always or never passes (STANDARD 6)."""
    points = [(row, each) for row in aggregate.reliability for each in row.all_repeats if each.k > 1]
    if not points:
        _nothing(figure, "no model has a task with two scoreable repeats")
        return
    figure.set_size_inches(6, 4.6)
    axes = figure.add_subplot()
    axes.plot([0, 100], [0, 100], color=_INK, linewidth=0.6, linestyle=":")
    colours = _colours(row.who for row, _ in points)
    for row, each in points:
        x, y = 100 * (row.pass_at_1 or 0), 100 * (each.tasks.rate or 0)
        axes.errorbar(x, y, xerr=_bars(row), fmt="o", color=colours[row.who], alpha=0.85, capsize=2, linewidth=1)
        axes.annotate(f"k={each.k}", (x, y), textcoords="offset points", xytext=(5, -11), fontsize=7)
    axes.set(xlabel="pass@1, % (95 % interval)", ylabel="pass^k, %", xlim=(-4, 104), ylim=(-4, 104))
    _legend(axes, colours, set())


def tiers(figure: Figure, aggregate: Aggregate) -> None:
    """Strict pass rate by tier and model."""
    rows = {tier.tier: [row for segment in tier.segments for row in segment.rows] for tier in aggregate.tiers}
    everyone = list(dict.fromkeys(row.who for each in rows.values() for row in each))
    if not everyone:
        _nothing(figure, "no model has a comparable record")
        return
    figure.set_size_inches(7, 1.4 + 0.3 * len(everyone) * len(rows))
    axes = figure.add_subplot()
    step = 0.8 / len(rows)
    for place, (tier, each) in enumerate(rows.items()):
        at = {row.who: row.strict_pass.rate for row in each if row.strict_pass.rate is not None}
        ys = [everyone.index(who) + (place - (len(rows) - 1) / 2) * step for who in at]
        axes.barh(ys, [100 * rate for rate in at.values()], step * 0.9, color=_COLOURS[place], label=tier)
    axes.set_yticks(range(len(everyone)), [_name(who) for who in everyone])
    axes.set(xlabel="strict pass rate, %", xlim=(0, 100))
    axes.invert_yaxis()
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1))


def failures(figure: Figure, aggregate: Aggregate) -> None:
    """Failed runs by category, one panel per segment (STANDARD 9)."""
    queues = [queue for queue in aggregate.work_queue if queue.items]
    if not queues:
        _nothing(figure, "no agent run failed")
        return
    _resize(figure, len(queues), 4.4, 3)
    most = max(len(queue.items) for queue in queues)
    for axes, queue in zip(_panels(figure, len(queues)), queues, strict=True):
        items = sorted(queue.items, key=lambda item: (item.runs, item.category))
        axes.barh([item.category for item in items], [item.runs for item in items], color=_COLOURS[0])
        axes.set(title=queue.segment, xlabel="failed runs", ylim=(len(items) - most - 0.6, len(items) - 0.4))
        axes.locator_params(axis="x", integer=True)


PLOTS: Mapping[str, tuple[str, Callable[[Figure, Aggregate], None]]] = MappingProxyType(
    {
        "cost-against-pass-rate": ("Cost per passing task against strict pass rate", cost_against_pass),
        "reliability": ("pass@1 against pass^k", reliability),
        "tiers": ("Strict pass rate by tier", tiers),
        "failures": ("Failed runs by category", failures),
    }
)
"""Every figure: its title and what draws it."""


@contextmanager
def _figure(name: str, aggregate: Aggregate) -> Iterator[Figure]:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({**_RC, "svg.hashsalt": name}):
        figure = Figure(figsize=(6, 4), layout="constrained")
        PLOTS[name][1](figure, aggregate)
        yield figure


def _bytes(figure: Figure, form: Form, name: str, *, transparent: bool = False) -> bytes:
    out = io.BytesIO()
    metadata = (
        {"Date": None, "Creator": "copperbench", "Title": PLOTS[name][0]} if form == "svg" else {"Software": None}
    )
    figure.savefig(out, format=form, dpi=200, metadata=metadata, transparent=transparent)
    return out.getvalue()


def _panels(figure: Figure, count: int) -> Sequence[Axes]:
    columns = min(count, _COLUMNS)
    return [figure.add_subplot(-(-count // columns), columns, n + 1) for n in range(count)]


def _resize(figure: Figure, panels: int, width: float, height: float) -> None:
    figure.set_size_inches(width * min(panels, _COLUMNS), height * -(-panels // _COLUMNS))


def _bars(row: ReliabilityRow) -> list[list[float]] | None:
    if row.interval is None or row.pass_at_1 is None:
        return None
    low, high = row.pass_at_1 - row.interval.low, row.interval.high - row.pass_at_1
    return [[100 * max(0.0, low)], [100 * max(0.0, high)]]


def _colours(everyone: Iterable[Who]) -> dict[Who, str]:
    return {who: _COLOURS[n % len(_COLOURS)] for n, who in enumerate(dict.fromkeys(everyone))}


def _legend(axes: Axes, colours: Mapping[Who, str], shapes: Iterable[str]) -> None:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], marker="o", linestyle="", color=each, label=_name(who)) for who, each in colours.items()]
    handles += [
        Line2D([], [], marker=_MARKERS[tier], linestyle="", color=_INK, fillstyle="none", label=tier)
        for tier in sorted(shapes, key=list(_MARKERS).index)
    ]
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1, 1), fontsize=8)


def _name(who: Who) -> str:
    """A model's name in one legible line without what XML cannot carry: matplotlib writes text as it gets it."""
    clean = "".join(letter if letter.isprintable() else " " for letter in f"{who.model} ({who.harness})")
    return clean if len(clean) <= _LEGIBLE else f"{clean[: _LEGIBLE - 1]}…"


def _nothing(figure: Figure, why: str) -> None:
    figure.set_size_inches(6, 1)
    figure.text(0.5, 0.5, f"Nothing to draw: {why}.", ha="center", va="center")
