"""Text variables: what `${NAME}` means on a sheet, in a symbol's field, in a sheet's pin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from copperbench.kicad.hierarchy import Instance
from copperbench.kicad.project import Project
from copperbench.kicad.text import expand, unescape

_TITLE = {"TITLE": "title", "ISSUE_DATE": "date", "REVISION": "rev", "COMPANY": "company"}


class Variables:
    """Resolves the text variables of a design's sheets: fields first, then the sheet, its parents, the project."""

    def __init__(self, project: Project, instances: Sequence[Instance]) -> None:
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
        return self._of_sheet(name, instance)

    def _of_sheet(self, name: str, instance: Instance) -> str | None:
        if name == "SHEETNAME":
            return instance.name or "Root"
        if name == "SHEETPATH":
            return instance.prefix
        if name == "SHEETFILE":
            return instance.file
        above: Instance | None = instance
        while above is not None:
            if above.symbol is not None and name in above.symbol.fields:
                return above.symbol.fields[name]
            above = None if above.parent is None else self._instances[above.parent]
        if name in self._project.variables:
            return self._project.variables[name]
        comment = f"comment{name[7:]}" if name.startswith("COMMENT") else _TITLE.get(name, "")
        return instance.drawing.title.get(comment)
