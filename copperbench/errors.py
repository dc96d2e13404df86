"""The small family of errors that the rooms raise; only `cli` turns them into lines and exit codes."""

from __future__ import annotations


class CopperbenchError(Exception):
    """Something that the user can put right, said as place, fault and remedy (STANDARD 14).

    `where` names the file and the place in it (`tasks/x/task.json: $.caps`), `what` the fault in one
    clause, `remedy` what to do about it. `str()` is the single line that the command line prints.
    """

    exit_code = 2

    def __init__(self, where: object, what: str, remedy: str = "") -> None:
        self.where = str(where)
        self.what = what
        self.remedy = remedy
        line = f"{self.where}: {what}" + (f"; {remedy}" if remedy else "")
        super().__init__(" ".join(line.split()))


class SuiteError(CopperbenchError):
    """A task, solution, fixture manifest or configuration file is not what the standard allows."""


class FixtureMismatch(CopperbenchError):
    """A fixture's tree is missing, or its canonical hash is not the manifest's."""


class KicadFileError(CopperbenchError):
    """A KiCad file that cannot be read; `where` is `file:line:column`."""


class KicadCliMissing(CopperbenchError):
    """kicad-cli is needed as the verb's whole point and cannot be found."""

    exit_code = 3


class KicadCliFailed(CopperbenchError):
    """kicad-cli was found and did not do its work (time limit, crash, no report)."""


class OperationFailed(CopperbenchError):
    """A declared operation (seed, solution) does not apply to the tree it was written for."""


class SealBroken(CopperbenchError):
    """Sealed evidence is missing, changed since it was sealed, or cannot be opened safely."""


class RecordConflict(CopperbenchError):
    """A new grading under the same stamps disagrees with the record on disk."""


class HarnessUnavailable(CopperbenchError):
    """A run cannot start: no harness, no endpoint or no key. It leaves no record."""
