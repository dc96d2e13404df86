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
}
STANDS_FOR = {
    "do-rename-net": "do-raise-led-resistor",
    "results/2026-12-01": "results/2026-01-02",
    "results/2026-11-30": "results/2026-01-02",
    "baseline=FILE": "baseline=results/aggregate.json",
    "csv|parquet|inspect": "csv",
}


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
        assert result.returncode == 0, f"{name}: {command}\n{result.stdout[-2000:]}{result.stderr[-2000:]}"


@pytest.mark.slow
def test_every_exception_is_still_needed():
    every = [command for name in documents() for command in commands(name)]
    assert [pattern for pattern in CANNOT if not any(re.search(pattern, each) for each in every)] == []


def test_every_verb_that_a_document_names_exists():
    from copperbench.cli import VERBS

    named = {
        words[1]
        for name in documents()
        for command in commands(name)
        if len(words := shlex.split(command)) > 1 and words[0] == "copperbench" and not words[1].startswith("-")
    }
    assert named - set(VERBS) == set()
