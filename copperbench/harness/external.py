"""Any command with the harness contract's command line, run on a task as an outsider would (STANDARD 2)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from copperbench.errors import HarnessUnavailable, SealBroken
from copperbench.evidence import Transcript, read_transcript
from copperbench.harness.cost import cost_of
from copperbench.harness.in_process import AgentStamps, Job, Performance
from copperbench.harness.observing import Observed, TranscriptObserver
from copperbench.harness.process import GRACE_S, Ended, Limits, run_process
from copperbench.harness.quirks import apply_quirks, quirks_of
from copperbench.harness.stopping import Stop
from copperbench.harness.surroundings import Surroundings, redacted, surroundings
from copperbench.sandbox import ExitFacts, HarnessStamp, Init, ModelStamp, SetupSkipped
from copperbench.suite import Contender, Fixture, HarnessEntry, ModeCall, RunMode, Task, why_not_ready, worst_turns

_PROBE_S, _INIT_S = 60.0, 300.0
_VERSION = re.compile(r"\d+(?:\.\d+)+[\w.+-]*")
_INSTALLED = frozenset({"node_modules", "site-packages", ".venv", "venv"})
_SOURCES = frozenset({"flag", "env", "config", "openai-key", "anthropic-key", "picker"})
# A key that is not taken, an address or a model that is not there; a status stands first in what a harness says.
_REJECTED = re.compile(
    r"^(?:provider error: *)?40[134]\b|no connection|connection (?:error|refused)|ECONNREFUSED|ENOTFOUND", re.IGNORECASE
)
_NODE = re.compile(r"v?\d+(?:\.\d+)*")
_LONGEST_SAYING = 300

Wrap = Callable[[list[str], Path, Surroundings], list[str]]
"""Puts a command into a confinement: argv, sandbox, surroundings to argv."""


@dataclass(frozen=True, slots=True)
class HarnessProbe:
    """What a harness says of itself: its version, and the commit of the checkout that it runs from, if it does."""

    version: str
    commit: str | None


@dataclass(frozen=True, slots=True)
class Agent:
    """A contender as the performer of runs. `environment` is where the variables that its entry names come from."""

    contender: Contender
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    kicad_cli: str | None = None
    wrap: Wrap | None = None
    grace_s: float = GRACE_S
    solution: None = None
    run_mode: RunMode = "agent"

    @property
    def slug(self) -> str:
        """The slug of its runs: the model and its ablations."""
        return self.contender.slug

    def check(self, task: Task) -> None:
        """Raise HarnessUnavailable when a run could not start: no key, no harness, no such option or mode."""
        problem = why_not_ready(self.contender, task.mode, self.environment)
        if problem:
            raise HarnessUnavailable(f"model {self.slug}", *problem)

    def perform(self, job: Job, stop: Stop) -> Performance:
        """Run the harness on the sandbox until it ends or is ended (STANDARD 2).

        Raises HarnessUnavailable when no run came about, which must leave no record: nothing was written down, the
        credential was turned down or nobody answered before the first turn. Raises KeyboardInterrupt when it was
        stopped before the first turn.
        """
        contender, task = self.contender, job.task
        harness = contender.harness
        call = harness.modes[task.mode]
        with surroundings(harness, contender.model, self.environment, self.kicad_cli) as around:
            probe = probe_harness(harness, around)
            _same_scaffold(job, harness, probe)
            argv = self._argv(call, task, job.root, around)
            observer = TranscriptObserver(job.root, call.run_folders).start()
            turns = worst_turns(task, contender)
            limits = Limits(task.caps.wall_clock_s, turns, lambda: observer.turns, self.grace_s)
            try:
                confined = self.wrap is not None
                ended = run_process(argv, around.folder, around.environment, limits, stop, confined=confined)
            finally:
                seen = observer.stop()
            cap = ended.cap or ("turns" if observer.turns > turns else None)
            transcript = read_transcript(seen.transcript)
            self._require_run(ended, seen, transcript, stop, around)
            facts = ExitFacts(ended.code, ended.signal, cap, seen.tampered)
            return Performance(seen.transcript, facts, self._stamps(task, probe, transcript, seen, around))

    def _argv(self, call: ModeCall, task: Task, root: Path, around: Surroundings) -> list[str]:
        words = {"request": task.prompt or "", "model": self.contender.model.id, "brief": ""}
        if task.brief_path:
            brief = around.folder / "brief.md"
            brief.write_bytes(task.manifests[task.brief_path])
            words["brief"] = str(brief)
        settings = self.contender.ablations.settings() | {"maxTurns": worst_turns(task, self.contender)}
        options: list[str] = []
        for name, option in call.options.items():
            if name == "maxTurns" and task.mode == "create":  # a stage has its own limit; the cap holds for their sum
                continue
            if name in settings:
                value = settings[name]
                options += [option, ",".join(value) if isinstance(value, list) else str(value)]
        harness = self.contender.harness
        arguments = [words[each[1:-1]] if each[1:-1] in words and each[0] == "{" else each for each in call.arguments]
        argv = [*_command(harness, around), "--repo", str(root), *arguments, *options, *self.contender.model.arguments]
        return argv if self.wrap is None else self.wrap(argv, root, around)

    def _require_run(
        self, ended: Ended, seen: Observed, transcript: Transcript, stop: Stop, around: Surroundings
    ) -> None:
        turns = len(transcript.of_type("assistant"))
        if stop.signal is not None and not turns:
            raise KeyboardInterrupt
        name = self.contender.harness.name
        if not seen.transcript.strip() and seen.tampered is None:
            code = f"signal {ended.signal}" if ended.code is None else f"exit code {ended.code}"
            said = _last_line(ended.said, around.secrets)
            cap = f", {ended.cap} limit passed" if ended.cap else ""
            what = f"{name} ended without starting a run ({code}{cap}){': ' if said else ''}{said}"
            raise HarnessUnavailable(f"model {self.slug}", what, "put that right; no record was made")
        if not turns and transcript.exit_path == "provider-error":
            reason = " ".join(event.text("reason") for event in transcript.of_type("run-failed"))
            if _REJECTED.search(reason):
                what = f"the endpoint could not be used: {_last_line(reason, around.secrets)}"
                raise HarnessUnavailable(f"model {self.slug}", what, "check key, endpoint and id; no record was made")

    def _stamps(
        self, task: Task, probe: HarnessProbe, transcript: Transcript, seen: Observed, around: Surroundings
    ) -> AgentStamps:
        contender, model = self.contender, self.contender.model
        starts = transcript.of_type("run-start")
        said = starts[0].text("modelSource") if starts else ""
        versions = starts[0].data.get("versions") if starts else None
        node = versions.get("node") if isinstance(versions, dict) else None
        quirks = quirks_of(contender.harness, probe.version) if "init" in task.setup_commands else ()
        return AgentStamps(
            harness=HarnessStamp(contender.harness.name, probe.version, probe.commit, quirks),
            model=ModelStamp(
                id=model.id,
                provider=model.provider,
                selection_source=said if said in _SOURCES else "flag",
                segment=model.segment,
                pinning=model.pinning,
                served=served_model(transcript),
            ),
            cost=cost_of(model, contender.price, transcript, tampered=seen.tampered is not None),
            ablations=contender.ablations.settings(),  # type: ignore[arg-type]
            node_version=node if isinstance(node, str) and _NODE.fullmatch(node) else None,
            secrets=around.secrets,
        )


def served_model(transcript: Transcript) -> str | None:
    """What the endpoint said it served, where the harness writes it down; several are joined by commas."""
    names: list[str] = []
    for end in transcript.of_type("run-end"):
        served = end.data.get("served")
        found = served if isinstance(served, list) else [served]
        names += [name for name in found if isinstance(name, str) and name]
    return ", ".join(dict.fromkeys(names))[:200] or None


def probe_harness(harness: HarnessEntry, around: Surroundings) -> HarnessProbe:
    """Ask a harness for its version, and its checkout for the commit.

    Raises HarnessUnavailable when it is not here or does not answer.
    """
    command = _command(harness, around)
    said = _call([*command, *harness.version], around, _PROBE_S, harness.name)
    match = _VERSION.search(said)
    if match is None:
        raise HarnessUnavailable(harness.name, "does not say its version", f"try {command[0]} --version")
    return HarnessProbe(match.group()[:80], _commit(harness, Path(command[0]), around))


def scaffold_name(harness: HarnessEntry, version: str) -> str:
    """How a sandbox names the init that made its documents: another version's init may make others."""
    return f"{harness.name} {version}"


def harness_init(
    harness: HarnessEntry, environment: Mapping[str, str], kicad_cli: str | None = None
) -> tuple[Init, str]:
    """The `init` of a harness for building sandboxes, with the name of the scaffold that it makes (STANDARD 2).

    It runs without any secret, and then the quirks of its version are seen to. Raises HarnessUnavailable.
    """
    with surroundings(harness, None, environment, kicad_cli) as around:
        version = probe_harness(harness, around).version

    def init(root: Path, _task: Task, fixture: Fixture) -> SetupSkipped:
        with surroundings(harness, None, environment, kicad_cli) as inside:
            argv = [*_command(harness, inside), "--repo", str(root), *harness.init]
            _call(argv, inside, _INIT_S, f"{harness.name} init")
        apply_quirks(quirks_of(harness, version), root, fixture)
        return ()

    return init, scaffold_name(harness, version)


def _same_scaffold(job: Job, harness: HarnessEntry, probe: HarnessProbe) -> None:
    wanted = scaffold_name(harness, probe.version)
    if job.scaffold != wanted:
        what = f"was made by {job.scaffold}, and this run is {wanted}'s"
        raise SealBroken(f"the sandbox of {job.task.id}", what, "remove it from build/sandboxes and build it again")


def _command(harness: HarnessEntry, around: Surroundings) -> list[str]:
    found = shutil.which(harness.command[0], path=around.environment["PATH"])
    if found is None:
        raise HarnessUnavailable(harness.name, f"{harness.command[0]} is not on PATH", f"install {harness.name}")
    return [str(Path(found).absolute()), *harness.command[1:]]


def _call(argv: list[str], around: Surroundings, seconds: float, name: str) -> str:
    with (around.folder / "stdout").open("w+b") as out:
        try:
            done = subprocess.run(
                argv,
                cwd=around.folder,
                env=dict(around.environment),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.PIPE,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise HarnessUnavailable(name, f"did not answer within {seconds:g} s", "try it by hand") from error
        except OSError as error:
            raise HarnessUnavailable(name, f"cannot be started ({error.strerror})", "install it") from error
        out.seek(0)
        text = out.read(100_000).decode("utf-8", "replace")
    (around.folder / "stdout").unlink()
    if done.returncode != 0:
        said = _last_line(done.stderr.decode("utf-8", "replace"), around.secrets)
        raise HarnessUnavailable(name, f"failed with exit code {done.returncode}: {said}", "try it by hand")
    return text


def _commit(harness: HarnessEntry, command: Path, around: Surroundings) -> str | None:
    """The commit of the harness's checkout, `-dirty` where it has changes; None for an installed package."""
    if harness.checkout is not None:
        folder = Path(harness.checkout)
    else:
        folder = command.resolve().parent
        above = next((each for each in (folder, *folder.parents) if (each / ".git").exists()), None)
        if above is None or _INSTALLED & set(folder.relative_to(above).parts):
            return None
    git = shutil.which("git", path=around.environment["PATH"])
    if git is None:
        return None
    argv = [git, "-C", str(folder), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        return _call(argv, around, _PROBE_S, "git").strip()[:100] or None
    except HarnessUnavailable:
        return None


def _last_line(text: str, secrets: tuple[bytes, ...]) -> str:
    lines = [line.strip() for line in redacted(text, secrets).splitlines() if line.strip()]
    return lines[-1][:_LONGEST_SAYING] if lines else ""
