"""Every command in every document is run, but for those listed here with the reason."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CANNOT = {
    r"make (bench|test)\b": "it is what runs this test, or takes as long",
    r"gpt-|my-model|qwen|^ollama": "it needs a key or a model; scripted models take this way in test_models.py",
    r"tools/boards/build\.py copperbench-sensor-hub|/tmp/boards": "the router takes a minute; tests/tools has it",
    r"^cat >> .*<<": "it is an entry that the reader fills in",
    r"^export\b": "it prepares the reader's shell",
    r"fixture get (--all|antmicro)": "it asks the boards' upstreams; tests/suite/test_obtain.py has their stand-ins",
    r"fixture new URL@COMMIT": "it stands for a board of the reader's; tests/curation takes one in",
    r"profiles/slurm|install_slurm\.sh": "it needs SLURM; tests/cluster has it",
    r"^snakemake compare": "two campaigns of a model have to share a row; tests/reporting has the gate",
}
SAYS_THAT_SOMETHING_DIFFERS = r"^diff |netlist --diff"
STANDS_FOR = {
    "yes-man/do-budget-refusal-bus-pullups": "harness-gold/do-raise-led-resistor",
    "results/2026-12-01": "results/2026-01-02",
    "results/2026-11-30": "results/2026-01-02",
    "baseline=FILE": "baseline=results/aggregate.json",
    "csv|parquet|inspect": "csv",
}


PROSE = ("STANDARD.md", "docs/troubleshooting.md", "CONTRIBUTING.md", "fixtures/FIXTURES.md")


def documents():
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file() and commands(name)]


def commands(name):
    blocks = re.findall(r"^```(?:sh|bash|console)\n(.*?)^```", (ROOT / name).read_text(), re.DOTALL | re.MULTILINE)
    # A here-document is part of its command.
    whole = [re.sub(r"<<'(\w+)'\n.*?\n\1$", "<<'...'", each, flags=re.DOTALL | re.MULTILINE) for each in blocks]
    lines = [line for block in whole for line in block.replace("\\\n", " ").splitlines()]
    return [bare for line in lines if (bare := re.sub(r"(^|\s+)#.*", "", line).strip().removeprefix("$ "))]


def runnable(name):
    return [each for each in commands(name) if not any(re.search(pattern, each) for pattern in CANNOT)]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in documents() if runnable(name)])
def test_the_documents_commands_work_as_they_stand(name, finished):
    for command in runnable(name):
        said = command
        for placeholder, real in STANDS_FOR.items():
            said = said.replace(placeholder, real)
        result = finished.call("sh", "-c", said, ok=False)
        differs = re.search(SAYS_THAT_SOMETHING_DIFFERS, command) is not None
        assert result.returncode == differs, f"{name}: {command}\n{result.stdout[-2000:]}{result.stderr[-2000:]}"


@pytest.mark.slow
def test_every_exception_is_still_needed():
    every = [command for name in documents() for command in commands(name)]
    assert [pattern for pattern in CANNOT if not any(re.search(pattern, each) for each in every)] == []


def named(program):
    """Every command of a program that a document names, in a block or in the text, as words."""
    for name in [*documents(), *PROSE]:
        text = re.sub(r"^```.*?^```", "", (ROOT / name).read_text(), flags=re.DOTALL | re.MULTILINE)
        inline = [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", text)]
        for command in [*commands(name), *inline]:
            if command.startswith(f"{program} ") and "<" not in command:
                yield name, shlex.split(command, comments=True)


def unknown_words(words):
    """The verb and the options of a command line that the program does not have."""
    from typer.main import get_command

    from copperbench.cli import VERBS, app

    verb, rest = words[1], words[2:]
    if verb.startswith("-"):
        return []
    if verb not in VERBS:
        return [verb]
    command = get_command(app).get_command(None, verb)
    if hasattr(command, "commands") and rest and rest[0] in command.commands:
        command = command.commands[rest[0]]
    known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    return [word for word in rest if word.startswith("--") and word.partition("=")[0] not in known | {"--help"}]


def test_every_verb_and_option_that_a_document_names_exists():
    assert [(name, wrong) for name, words in named("copperbench") if (wrong := unknown_words(words))] == []


def test_every_target_that_a_document_names_is_a_rule():
    texts = [path.read_text() for path in (ROOT / "Snakefile", *(ROOT / "workflow/rules").glob("*.smk"))]
    rules = {name for text in texts for name in re.findall(r"^(?:rule|checkpoint) (\w+):", text, re.MULTILINE)}
    targets = {(name, words[1]) for name, words in named("snakemake") if re.fullmatch(r"[a-z_]+", words[1])}
    assert {each for each in targets if each[1] not in rules} == set()
    assert targets
