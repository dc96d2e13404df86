"""Writing the site: every page from the aggregate, the records and the evidence beside them (STANDARD 12)."""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copperbench.kicad import KicadCli
from copperbench.publish import publish
from copperbench.records import Record, comparable, read_records, suite_stamps
from copperbench.reporting.aggregate import aggregate
from copperbench.reporting.discrimination import expectations
from copperbench.reporting.leaderboard import DASH, cell_text, kill_text, percent_text, usd_text
from copperbench.reporting.models import Aggregate
from copperbench.reporting.plots import PLOTS, inline_plot, plot
from copperbench.reporting.rubric import read_rubric, read_rubrics
from copperbench.reporting.site.documents import read_documents
from copperbench.reporting.site.drawings import Draughtsman
from copperbench.reporting.site.pages import addresses, fixture_address, model_address, run_address, task_address
from copperbench.reporting.site.run_view import run_view
from copperbench.reporting.statistics import group
from copperbench.suite import Suite

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class SiteReport:
    """What was written: pages by kind, and how many runs had no evidence to show."""

    pages: Mapping[str, int]
    without_evidence: int


def build_site(
    root: Path,
    suite: Suite,
    out: Path,
    cli: KicadCli | None,
    progress: Callable[[str], None] = lambda _: None,
) -> SiteReport:
    """Write the site of the checkout at `root` into `out`; `cli` draws schematics, None leaves the drawings out.

    Pages are written one by one and link to each other relatively. Drawings are kept under `root`/build/drawings, so
    that a second site draws only what is new. Raises CopperbenchError when a file cannot be written.
    """
    entries = list(read_records(root))
    stamps = suite_stamps(suite)
    made = aggregate(entries, stamps, expectations(suite), read_rubrics(root))
    runs = [each for each in entries if isinstance(each, Record) and not comparable(each, stamps)]
    site = _Site(root, suite, out, made, runs)
    site.overview()
    counts = {"overview": 1, "models": site.models(), "tasks": site.tasks(), "fixtures": site.fixtures()}
    counts["documents"] = site.documents()
    draughtsman = Draughtsman(cli, root / "build" / "drawings", out)
    without = 0
    with ThreadPoolExecutor(_cores() + 1) as pool:  # kicad-cli draws on the other cores
        for number, shown in enumerate(pool.map(lambda run: site.run(run, draughtsman), runs), 1):
            without += not shown
            if number % 100 == 0:
                progress(f"{number} of {len(runs)} runs")
    return SiteReport(counts | {"runs": len(runs)}, without)


def _cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Site:
    """The pages of one site; `runs` are the comparable records in path order."""

    def __init__(self, root: Path, suite: Suite, out: Path, made: Aggregate, runs: Sequence[Record]) -> None:
        self._root, self._suite, self._out = root, suite, out
        self._made, self._runs = made, runs
        self._environment = _environment()
        by_path = {run.path: run for run in runs}
        self._environment.globals.update(by_path=by_path, has_documents=(root / "STANDARD.md").is_file())

    def overview(self) -> None:
        """index.html, and its figures as files too."""
        for name in PLOTS:
            publish(self._out / "plots" / f"{name}.svg", plot(name, self._made, "svg"))
            publish(self._out / "plots" / f"{name}.png", plot(name, self._made, "png"))
        drawn = ((title, name, inline_plot(name, self._made)) for name, (title, _) in PLOTS.items())
        figures = [each for each in drawn if each[2] is not None]
        self._write("index.html", "index.html.j2", title="Leaderboard", figures=figures)

    def models(self) -> int:
        """One page per model and per in-process harness."""
        everyone = group(self._runs, lambda run: run.run_model)
        for name, runs in everyone.items():
            rows = [row for row in self._made.tasks if row.who.model == name]
            self._write(model_address(name), "model.html.j2", title=name, name=name, runs=_sorted(runs), rows=rows)
        return len(everyone)

    def tasks(self) -> int:
        """One page per task of the suite: what is asked, what proves it, how it was answered."""
        runs = group(self._runs, lambda run: run.task)
        proofs = {row.task: row for row in self._made.discrimination}
        for task_id in self._suite.task_ids():
            values = {
                "task": self._suite.task(task_id),
                "runs": _sorted(runs.get(task_id, ())),
                "rows": [row for row in self._made.tasks if row.task == task_id],
                "proof": proofs.get(task_id),
                "readme": self._readme(self._root / "tasks" / task_id / "README.md"),
            }
            self._write(task_address(task_id), "task.html.j2", title=task_id, **values)
        return len(self._suite.task_ids())

    def fixtures(self) -> int:
        """One page per fixture."""
        tasks = [self._suite.task(task_id) for task_id in self._suite.task_ids()]
        for name in self._suite.fixture_ids():
            readme = self._readme(self._root / "fixtures" / name / "README.md")
            used = [task for task in tasks if task.fixture_id == name]
            fixture = self._suite.fixture(name)
            self._write(
                fixture_address(name), "fixture.html.j2", title=name, fixture=fixture, tasks=used, readme=readme
            )
        return len(self._suite.fixture_ids())

    def documents(self) -> int:
        """One page per document of the project."""
        documents = read_documents(self._root)
        for each in documents:
            title, values = each.title, {"document": each, "documents": documents}
            self._write(each.address, "document.html.j2", title=title, **values)
        return len(documents)

    def run(self, run: Record, draughtsman: Draughtsman) -> bool:
        """A run's page; whether it had evidence to show."""
        view = run_view(self._root, run, draughtsman)
        notes = {}
        if self._suite.has_task(run.task):
            notes = {each.id: each.note for each in self._suite.task(run.task).assertions}
        rubric = read_rubric(self._root / run.path)
        title = f"{run.run_model} on {run.task}, repeat {run.repeat}"
        self._write(run_address(run), "run.html.j2", title=title, run=run, view=view, notes=notes, rubric=rubric)
        return not view.missing

    def _write(self, address: str, template: str, **values: Any) -> None:
        depth = "../" * address.count("/")
        page = self._environment.get_template(template).render(a=self._made, up=depth, address=address, **values)
        publish(self._out / address, page.encode("utf-8", "replace"))

    @staticmethod
    def _readme(path: Path) -> Any:
        """A committed Markdown file as HTML; markup that it holds itself stays text."""
        from markdown_it import MarkdownIt
        from markupsafe import Markup

        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
        markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
        return Markup(markdown.render(text))  # noqa: S704 - rendered with HTML off; link targets are validated


def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    script = (_TEMPLATES / "site.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(percent=percent_text, usd=usd_text, cell=cell_text, kill=kill_text, legible=_legible)
    environment.globals.update(
        addresses(),
        dash=DASH,
        script=Markup(script),  # noqa: S704 - our own file
        script_digest=digest,
        style=Markup((_TEMPLATES / "style.css").read_text(encoding="utf-8")),  # noqa: S704 - our own file
        own_markup=Markup,
    )
    return environment


def _legible(text: object) -> str:
    """Text without characters that turn the direction of a line or that no page may hold; they show as their number."""
    hidden = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
    return re.sub(hidden, lambda match: f"\\u{ord(match[0]):04x}", str(text))


def _sorted(runs: Iterable[Record]) -> list[Record]:
    return sorted(runs, key=lambda run: (run.task, run.run_model, run.campaign, run.repeat))
