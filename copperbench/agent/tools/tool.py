"""The form of a tool, and reading the arguments that a model sends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from copperbench.agent.session import Session
from copperbench.agent.workspace import ToolError

Schema = Mapping[str, Any]
TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
COUNT: Schema = {"type": "integer", "minimum": 1}
FLAG: Schema = {"type": "boolean"}
TEXTS: Schema = {"type": "array", "items": {"type": "string"}}
_MANGLED = "\ufffd"
_LARGEST = 1e300


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool by the name that the model calls; a `locked` one waits for a validated proposal.

    `optional` names the parameters that may be left out.
    """

    name: str
    description: str
    function: Callable[[Session, Arguments], str]
    parameters: Mapping[str, Schema]
    optional: tuple[str, ...] = ()
    locked: bool = False

    def offer(self) -> Mapping[str, Any]:
        """The tool in the form of the OpenAI protocol."""
        schema = {
            "type": "object",
            "properties": dict(self.parameters),
            "required": [name for name in self.parameters if name not in self.optional],
        }
        function = {"name": self.name, "description": self.description, "parameters": schema}
        return {"type": "function", "function": function}


class Arguments:
    """A call's arguments, read with their types; whatever is missing or mistyped raises ToolError."""

    def __init__(self, values: Mapping[str, Any], *, cut_off: bool = False) -> None:
        self._values = values
        self._cut_off = cut_off

    def demand_readable(self) -> None:
        """Raises ToolError when the arguments were no JSON object, or were cut off at the token limit."""
        if set(self._values) == {"_raw"}:
            why = "they were cut off at the token limit: make a smaller call" if self._cut_off else "send one object"
            raise ToolError(f"the arguments are no JSON object; {why}")

    def text(self, name: str) -> str:
        """A text that is not blank."""
        value = self._values.get(name)
        if not isinstance(value, str) or not value.strip():
            raise ToolError(f'missing required string arg "{name}"')
        return value

    def content(self, name: str) -> str:
        """A text that may be empty or blank."""
        value = self._values.get(name)
        if not isinstance(value, str):
            raise ToolError(f'missing required string arg "{name}"')
        return value

    def optional_text(self, name: str) -> str | None:
        """A text, or None where it is not given."""
        return None if self._values.get(name) is None else self.text(name)

    def optional_number(self, name: str) -> float | None:
        """A number, or None where it is not given."""
        value = self._values.get(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not -_LARGEST < value < _LARGEST:
            raise ToolError(f'arg "{name}" must be a number')
        return value

    def optional_count(self, name: str) -> int | None:
        """A whole number from 1, or None where it is not given."""
        value = self.optional_number(name)
        if value is not None and (value < 1 or value != int(value)):
            raise ToolError(f'arg "{name}" must be a whole number from 1')
        return None if value is None else int(value)

    def flag(self, name: str) -> bool:
        """A yes or no; no where it is not given."""
        value = self._values.get(name, False)
        if not isinstance(value, bool):
            raise ToolError(f'arg "{name}" must be true or false')
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts; a single text counts as a list of one, nothing as an empty one."""
        value = self._values.get(name)
        if value is None:
            return ()
        found = [value] if isinstance(value, str) else value
        if not isinstance(found, list) or not all(isinstance(each, str) and each.strip() for each in found):
            raise ToolError(f'arg "{name}" must be a list of texts')
        return tuple(found)

    def value(self, name: str) -> str | float | None:
        """A text or a number, or None where it is not given."""
        value = self._values.get(name)
        return self.text(name) if isinstance(value, str) else self.optional_number(name)


def told(schema: Schema, meaning: str) -> Schema:
    """A parameter's schema with what it means, for the model to read."""
    return {**schema, "description": meaning}


PATH = told(TEXT, "relative to the project's root, for example docs/BOM.md")


def mangled(text: str) -> bool:
    """Whether a text holds the replacement character: a special character got lost on the way."""
    return _MANGLED in text
