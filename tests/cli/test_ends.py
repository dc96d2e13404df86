"""How a verb ends that did not come to its end: one line, the exit code of the standard, no traceback."""

import sys
from types import ModuleType

import pytest

from copperbench import cli


@pytest.fixture
def verb(monkeypatch):
    """Call a verb that raises what it is given; returns the exit code."""

    def called(error):
        module = ModuleType("copperbench_test_verb")

        def command():
            raise error

        module.command = command
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setitem(cli.VERBS, "ends", module.__name__)
        monkeypatch.setattr(sys, "argv", ["copperbench", "ends"])
        with pytest.raises(SystemExit) as end:
            cli.main()
        return end.value.code

    return called


def test_an_interrupted_verb_says_that_it_may_be_repeated(verb, capsys):
    assert verb(KeyboardInterrupt()) == 130
    assert capsys.readouterr().err == (
        "copperbench: interrupted; nothing half-written is left, repeat the command to go on\n"
    )


def test_a_reader_that_went_away_is_no_error(verb, capfd):
    assert verb(BrokenPipeError()) == 0
    assert capfd.readouterr().err == ""
