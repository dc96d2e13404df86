"""KiCad's ERC and DRC reports, reduced to what does not depend on machine, day or drawing position (STANDARD 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from copperbench.errors import CopperbenchError

Kind = Literal["erc", "drc"]
Severity = Literal["error", "warning"]
Part = Literal["violations", "unconnected", "parity"]

PARTS: tuple[Part, ...] = ("violations", "unconnected", "parity")
_RAW_PARTS = {"violations": "violations", "unconnected": "unconnected_items", "parity": "schematic_parity"}
_SEVERITIES = ("error", "warning")


@dataclass(frozen=True, slots=True, order=True)
class Violation:
    """One finding of KiCad: its type key, `error` or `warning`, the sheet path (ERC only) and what it says.

    The description carries the items that KiCad names, sorted. Positions are left out: kicad-cli 10.0.6 writes
    those of ERC a hundred times too small.
    """

    type: str
    severity: str
    where: str
    description: str


@dataclass(frozen=True, slots=True)
class Report:
    """A rules report, sorted, so that equal designs give equal bytes (STANDARD 4, 13).

    `unconnected` and `parity` are empty in an ERC report; `ignored` names the checks that the project switched off.
    """

    kind: Kind
    kicad_version: str
    violations: tuple[Violation, ...]
    unconnected: tuple[Violation, ...] = ()
    parity: tuple[Violation, ...] = ()
    ignored: tuple[str, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Whether the report holds no violation of any kind and severity (STANDARD 4, `erc_clean`, `drc_clean`)."""
        return not (self.violations or self.unconnected or self.parity)

    @property
    def major(self) -> int:
        """The major version of the KiCad that wrote it."""
        return int(self.kicad_version.split(".")[0])

    def part(self, name: Part) -> tuple[Violation, ...]:
        """One of the report's three lists by name."""
        lists = {"violations": self.violations, "unconnected": self.unconnected, "parity": self.parity}
        return lists[name]

    def counts(self, severity: Severity = "warning", part: Part = "violations") -> Mapping[str, int]:
        """How many of each type there are at `severity` and above, by type in code-point order."""
        found = Counter(v.type for v in self.part(part) if severity == "warning" or v.severity == "error")
        return dict(sorted(found.items()))

    def counts_of(self, severity: Severity, part: Part = "violations") -> Mapping[str, int]:
        """How many of each type there are at exactly `severity`: the form of `errorTypes` and `warningTypes`."""
        found = Counter(v.type for v in self.part(part) if v.severity == severity)
        return dict(sorted(found.items()))

    def to_json(self) -> dict[str, Any]:
        """The normalised form: no date, no path, no position; lists sorted (STANDARD 12)."""
        lists = {part: [_violation_json(v) for v in self.part(part)] for part in PARTS}
        head = {"kind": self.kind, "kicadVersion": self.kicad_version, "ignored": list(self.ignored)}
        return head | lists

    @classmethod
    def from_json(cls, data: object, where: object) -> Report:
        """Read either kicad-cli's own JSON (versions 9 and 10) or the form of `to_json`.

        `where` names the file for messages. Raises CopperbenchError when it is neither, or a part is malformed.
        """
        report = _Reader(where).mapping(data, "$")
        return _from_normalised(report, _Reader(where)) if "kind" in report else _from_raw(report, _Reader(where))


def _violation_json(violation: Violation) -> dict[str, str]:
    return {
        "type": violation.type,
        "severity": violation.severity,
        "where": violation.where,
        "description": violation.description,
    }


@dataclass(frozen=True, slots=True)
class _Reader:
    """Typed access to untrusted JSON; every fault names its place."""

    where: object

    def fault(self, place: str, what: str) -> CopperbenchError:
        return CopperbenchError(f"{self.where}: {place}", what, "measure the report again with kicad-cli")

    def mapping(self, value: object, place: str) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            raise self.fault(place, "a rules report has an object here")
        return value

    def rows(self, holder: Mapping[str, Any], key: str, place: str) -> list[tuple[str, Mapping[str, Any]]]:
        value = holder.get(key, [])
        if not isinstance(value, list):
            raise self.fault(f"{place}.{key}", "a rules report has a list here")
        return [(f"{place}.{key}[{i}]", self.mapping(row, f"{place}.{key}[{i}]")) for i, row in enumerate(value)]

    def text(self, holder: Mapping[str, Any], key: str, place: str) -> str:
        value = holder.get(key)
        if not isinstance(value, str):
            raise self.fault(f"{place}.{key}", "a rules report has a text here")
        return value

    def version(self, holder: Mapping[str, Any], key: str) -> str:
        version = self.text(holder, key, "$")
        if not version.split(".")[0].isdecimal():
            raise self.fault(f"$.{key}", f"{version!r} is no KiCad version")
        return version

    def severity(self, holder: Mapping[str, Any], place: str) -> str:
        severity = self.text(holder, "severity", place)
        if severity not in _SEVERITIES:
            raise self.fault(f"{place}.severity", f"{severity!r} is neither error nor warning")
        return severity


def _from_normalised(data: Mapping[str, Any], read: _Reader) -> Report:
    kind = read.text(data, "kind", "$")
    if kind not in ("erc", "drc"):
        raise read.fault("$.kind", f"{kind!r} is neither erc nor drc")
    ignored = data.get("ignored", [])
    if not isinstance(ignored, list) or not all(isinstance(key, str) for key in ignored):
        raise read.fault("$.ignored", "a rules report has a list of texts here")
    lists = {
        part: tuple(
            sorted(
                Violation(
                    read.text(row, "type", place),
                    read.severity(row, place),
                    read.text(row, "where", place),
                    read.text(row, "description", place),
                )
                for place, row in read.rows(data, part, "$")
            )
        )
        for part in PARTS
    }
    version = read.version(data, "kicadVersion")
    return Report("erc" if kind == "erc" else "drc", version, **lists, ignored=tuple(sorted(ignored)))


def _from_raw(data: Mapping[str, Any], read: _Reader) -> Report:
    version = read.version(data, "kicad_version")
    ignored = tuple(sorted(read.text(row, "key", place) for place, row in read.rows(data, "ignored_checks", "$")))
    if "sheets" in data:
        found = [
            violation
            for place, sheet in read.rows(data, "sheets", "$")
            for violation in _raw_violations(sheet, "violations", place, read, read.text(sheet, "path", place))
        ]
        return Report("erc", version, tuple(sorted(found)), ignored=ignored)
    if not set(_RAW_PARTS.values()) <= data.keys():
        raise read.fault("$", "is neither an ERC nor a DRC report of kicad-cli")
    lists = {part: tuple(sorted(_raw_violations(data, key, "$", read, ""))) for part, key in _RAW_PARTS.items()}
    return Report("drc", version, **lists, ignored=ignored)


def _raw_violations(holder: Mapping[str, Any], key: str, place: str, read: _Reader, sheet: str) -> Iterable[Violation]:
    for at, row in read.rows(holder, key, place):
        if row.get("excluded") is True:
            continue  # listed only on request; at default severities an exclusion is no violation
        items = sorted(read.text(item, "description", spot) for spot, item in read.rows(row, "items", at))
        said = read.text(row, "description", at)
        text = f"{said}: {'; '.join(items)}" if items else said
        yield Violation(read.text(row, "type", at), read.severity(row, at), sheet, text)
