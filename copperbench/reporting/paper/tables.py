"""The paper's tables, each a macro that the text places; what is thin or absent is said in words (STANDARD 12)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from copperbench.reporting import statistics
from copperbench.reporting.aggregate import HEADLINE_SEGMENTS
from copperbench.reporting.models import ModelRow
from copperbench.reporting.paper.macros import dollars, escaped, macro_name, percent, provenance
from copperbench.reporting.paper.snapshot import Snapshot
from copperbench.suite import TIERS

THIN_TASKS = 10
"""A segment with fewer tasks than this in a tier is called thin: one task moves its rate by a tenth or more."""


def tables_tex(snapshot: Snapshot) -> str:
    """The file of tables: equal bytes for equal records (STANDARD 12)."""
    made = (
        ("coverage", _coverage(snapshot)),
        ("headlines table", _headlines(snapshot)),
        ("simulated table", _simulated(snapshot)),
        ("failures table", _failures(snapshot)),
        ("discrimination table", _discrimination(snapshot)),
        ("suite table", _suite(snapshot)),
    )
    return provenance(snapshot) + "".join(f"\\newcommand{{\\{macro_name(name)}}}{{%\n{body}}}\n" for name, body in made)


def _tabular(columns: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [" & ".join(row) + r" \\" for row in rows]
    title = " & ".join(head) + r" \\"
    begin = rf"\begin{{tabular}}{{{columns}}}"
    return "\n".join([begin, r"\toprule", title, r"\midrule", *lines, r"\bottomrule"]) + "\n\\end{tabular}%\n"


def _long(columns: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [" & ".join(row) + r" \\" for row in rows]
    title = " & ".join(head) + r" \\"
    # Narrower gaps than usual: the longest ids of tasks and boards share a line.
    begin = [r"\setlength{\tabcolsep}{3pt}%", rf"\begin{{longtable}}{{{columns}}}"]
    head_rules = [r"\toprule", title, r"\midrule", r"\endhead"]
    return "\n".join([*begin, *head_rules, *lines, r"\bottomrule"]) + "\n\\end{longtable}%\n"


def _coverage(snapshot: Snapshot) -> str:
    """One sentence for each headline segment that is absent or thin in a tier: silence would read as coverage."""
    said = []
    for table in snapshot.figures.tiers:
        present = {each.segment: each.rows for each in table.segments}
        absent = [name for name in HEADLINE_SEGMENTS if name not in present]
        if absent:
            said.append(f"Tier {table.tier}: no record of a model in {_list(absent)}.")
        thin = [name for name, rows in present.items() if _tasks(snapshot, table.tier, rows) < THIN_TASKS]
        if thin:
            said.append(f"Tier {table.tier}: fewer than {THIN_TASKS} tasks in {_list(thin)}.")
    if not snapshot.figures.saved_login:
        said.append("No record of a saved-login agent.")
    if not snapshot.figures.variant_gaps:
        said.append("No variant gap: no model ran both a task and its variant.")
    if not snapshot.figures.ablated:
        said.append("No ablation was run.")
    return " ".join(said) + "%\n"


def _tasks(snapshot: Snapshot, tier: str, rows: Iterable[ModelRow]) -> int:
    who = {row.who for row in rows}
    return len({each.task for each in snapshot.figures.tasks if each.tier == tier and each.who in who})


def _list(names: Sequence[str]) -> str:
    return ", ".join(escaped(name) for name in names)


def _row(tier: str, row: ModelRow) -> tuple[str, ...]:
    passes = f"{row.strict_pass.count}/{row.strict_pass.of}"
    extra = f" +{row.unscoreable}" if row.unscoreable else ""
    repeats = str(row.fewest_repeats)
    if row.most_repeats != row.fewest_repeats:
        repeats = f"{row.fewest_repeats}--{row.most_repeats}"
    return tier, escaped(row.who.model), percent(row.strict_pass.rate), passes + extra, repeats


def _headlines(snapshot: Snapshot) -> str:
    rows = [
        (*_row(table.tier, row), dollars(row.usd_per_pass), escaped(each.segment))
        for table in snapshot.figures.tiers
        for each in table.segments
        for row in each.rows
    ]
    if not rows:
        return "\\emph{Empty: the snapshot holds no comparable record of a model.}%\n"
    head = ("Tier", "Model", "Strict pass", "Passes", "Repeats", "USD/pass", "Segment")
    return _tabular("llrrrrl", head, rows)


def _simulated(snapshot: Snapshot) -> str:
    rows = [_row(each.tier, each.row) for each in snapshot.figures.simulated]
    if not rows:
        return "\\emph{Empty: the snapshot holds no record of a simulated agent.}%\n"
    return _tabular("llrrr", ("Tier", "Simulated agent", "Strict pass", "Passes", "Repeats"), rows)


def _failures(snapshot: Snapshot) -> str:
    groups = statistics.failure_groups(run for run in snapshot.runs if run.model is not None)
    if not groups:
        return "\\emph{Empty: no agent run failed.}%\n"
    ordered = sorted(groups, key=lambda each: (-len(each.runs), each.category))
    rows = [
        (escaped(each.category), str(len(each.runs)), _list(sorted({run.run_model for run in each.runs})))
        for each in ordered
    ]
    return _tabular(r"lrp{0.55\linewidth}", ("Category", "Runs", "Agents"), rows)


def _discrimination(snapshot: Snapshot) -> str:
    rows = [
        (
            escaped(row.task),
            row.tier,
            row.expected,
            row.noop.verdict or "--",
            row.gold.verdict or "--",
            f"{sum(trap.state == 'caught' for trap in row.traps)}/{len(row.traps)}",
        )
        for row in snapshot.figures.discrimination
        if row.state not in ("not run", "skipped")
    ]
    if not rows:
        return "\\emph{Empty: the snapshot holds no harness run.}%\n"
    return _long("lllllr", ("Task", "Tier", "Expected", "No-op", "Reference", "Traps caught"), rows)


def _suite(snapshot: Snapshot) -> str:
    tier = {name: place for place, name in enumerate(TIERS)}
    rows = [
        (
            escaped(task.id),
            task.tier,
            task.mode,
            task.expected_outcome,
            escaped(task.fixture_id),
            str(len(task.required)),
        )
        for task in sorted(snapshot.tasks, key=lambda task: (tier[task.tier], task.id))
    ]
    return _long("lllllr", ("Task", "Tier", "Mode", "Expected", "Fixture", "Required"), rows)
