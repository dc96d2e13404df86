"""Text variables: what `${NAME}` means on a sheet, in a symbol's field, in a sheet's pin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from copperbench.kicad.hierarchy import Instance
from copperbench.kicad.project import Project
from copperbench.kicad.text import expand, unescape

_TITLE = {"TITLE": "title", "ISSUE_DATE": "date", "REVISION": "rev", "COMPANY": "company"}
_COMMENTS = frozenset(f"COMMENT{place}" for place in range(1, 10))


class Variables:
    """Resolves the text variables of a design's sheets: fields first, then the sheet, its parents, the project.

    `${R1:VALUE}` is a field of another part, in whatever case it is written. `name` is the root sheet's without suffix.
    """

    def __init__(self, name: str, project: Project, instances: Sequence[Instance]) -> None:
        self._name = name
        self._project = project
        self._instances = instances

    def shown(self, text: str, instance: Instance, fields: Mapping[str, str] | None = None) -> str:
        """The text as KiCad shows it on a sheet instance; `fields` are those of the symbol it belongs to."""
        if "${" in text:
            text = expand(text, lambda name: self._resolve(name, instance, fields or {}))
        return unescape(text)

    def _resolve(self, name: str, instance: Instance, fields: Mapping[str, str]) -> str | None:
        for key, text in fields.items():
            if key == name or key.upper() == name:
                return text
        refdes, colon, key = name.partition(":")
        return self._of_part(refdes, key.upper()) if colon else self._of_sheet(name, instance)

    def _of_part(self, refdes: str, key: str) -> str:
        fields = self._parts.get(refdes)
        if fields is None:
            return f"<Unresolved: {refdes}>"
        return fields.get(key, f"<Unresolved: {refdes}:{key}>")

    @cached_property
    def _parts(self) -> Mapping[str, Mapping[str, str]]:
        """The fields of every annotated part by reference, their names in upper case."""
        found: dict[str, Mapping[str, str]] = {}
        for instance in self._instances:
            for placed in instance.drawing.symbols:
                placement = instance.placement(placed, self._instances[0].drawing)
                fields = {"FOOTPRINT": ""} | {key.upper(): text for key, text in placed.fields.items()}
                fields["REFERENCE"] = placement.reference
                if placement.value is not None:
                    fields["VALUE"] = placement.value
                found.setdefault(placement.reference, fields)
        return found

    def _of_sheet(self, name: str, instance: Instance) -> str | None:
        if name == "SHEETNAME":
            return instance.name or "Root"
        if name == "SHEETPATH":
            return instance.prefix
        if name == "SHEETFILE":
            return instance.file
        if name == "FILENAME":
            return f"{self._name}.kicad_sch"
        if name == "##":
            return str(len(self._instances))
        above: Instance | None = instance
        while above is not None:
            if above.symbol is not None and name in above.symbol.fields:
                return above.symbol.fields[name]
            above = None if above.parent is None else self._instances[above.parent]
        if name in self._project.variables:
            return self._project.variables[name]
        if name == "PROJECTNAME":
            return self._name
        key = f"comment{name[7:]}" if name in _COMMENTS else _TITLE.get(name, "")
        return instance.drawing.title.get(key, "") if key else None
