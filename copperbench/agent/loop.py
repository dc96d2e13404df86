"""The loop of turns: ask the model, carry out its calls, until a gate or the model ends it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from copperbench.agent.conversation import CUT_OFF, GO_ON, HURRY, TURNS_LEFT_WARNING
from copperbench.agent.provider import Message, Provider, ProviderError, Reply, SessionLimit, ToolCall
from copperbench.agent.session import Session
from copperbench.agent.tools import Tool, call
from copperbench.agent.tools.tool import Arguments

ExitPath = Literal[
    "done",
    "refused",
    "turn-budget-exhausted",
    "repair-cycles-exhausted",
    "commit-failed",
    "provider-error",
    "session-limit",
    "stalled",
]
_STALLED_AFTER = 3
_MOST_CALLS = 64
_TOO_MANY = f"error: more than {_MOST_CALLS} calls in one turn; this one was not carried out, make it again in the next"
_AFTER_FINISH = "error: the run is finished; this call was not carried out"


@dataclass(frozen=True, slots=True)
class Ending:
    """How the loop ended; `text` is the model's summary or the reason of a failure."""

    exit_path: ExitPath
    text: str


@dataclass(slots=True)
class Course:
    """What the loop counts as it goes: turns that were completed, their replies, and the first plan."""

    replies: list[Reply] = field(default_factory=list)
    plan: str = ""

    @property
    def turns(self) -> int:
        """Completed model turns."""
        return len(self.replies)


@dataclass(frozen=True, slots=True)
class Loop:
    """One run's loop over a provider; `say` reports progress to whoever watches."""

    provider: Provider
    provider_name: str
    session: Session
    tools: tuple[Tool, ...]
    max_turns: int
    course: Course
    say: Callable[[str], None]

    def run(self, messages: list[Message]) -> Ending:
        """Go on until something ends the run; `messages` grows by what is said."""
        silent = 0
        while self.course.turns < self.max_turns:
            try:
                reply = self.provider.reply(messages, [tool.offer() for tool in self.tools])
            except ProviderError as error:
                return self._gave_up(error)
            self._heard(reply)
            messages.append(reply.as_message())
            messages += self._carried_out(reply)
            if self.session.gates.exhausted:
                cycles = self.session.gates.max_repair_cycles
                return Ending("repair-cycles-exhausted", f"repair cycles exhausted ({cycles}); violations persist")
            if (finish := self.session.finish) is not None:
                return Ending("done" if finish.outcome == "done" else "refused", finish.summary)
            silent = 0 if reply.calls else silent + 1
            if silent >= _STALLED_AFTER:
                return Ending("stalled", "model stopped calling tools without finishing")
            messages += self._nudges(reply)
        touched = len(self.session.workspace.touched)
        reason = f"turn budget exhausted ({self.max_turns} turns, {touched} files touched but unverified)"
        return Ending("turn-budget-exhausted", reason)

    def _heard(self, reply: Reply) -> None:
        course = self.course
        course.replies.append(reply)
        course.plan = course.plan or (reply.text or "")
        usage = reply.usage
        self.session.note(
            "assistant",
            text=reply.text,
            toolCalls=[_noted(each) for each in reply.calls],
            usage=None if usage is None else usage.as_counts(),
            served=reply.served,
            finishReason=reply.finish_reason,
            askedAgain=reply.asked_again,
        )
        names = ", ".join(each.name for each in reply.calls) or "no tool call"
        self.say(f"turn {course.turns}/{self.max_turns}: {names}")

    def _carried_out(self, reply: Reply) -> Sequence[Message]:
        answers = []
        for number, each in enumerate(reply.calls):
            result = self._one(each, reply) if number < _MOST_CALLS else _TOO_MANY
            self.session.note("tool", name=each.name, args=each.args, result=result)
            answers.append({"role": "tool", "tool_call_id": each.id, "content": result})
        return answers

    def _one(self, each: ToolCall, reply: Reply) -> str:
        """What is called after an accepted finish is not carried out: it would be committed unverified."""
        if self.session.finish is not None:
            return _AFTER_FINISH
        return call(self.tools, self.session, each.name, Arguments(each.args, cut_off=reply.finish_reason == "length"))

    def _nudges(self, reply: Reply) -> Sequence[Message]:
        texts = []
        if not reply.calls:
            texts.append(CUT_OFF if reply.finish_reason == "length" else GO_ON)
        if self.max_turns - self.course.turns == TURNS_LEFT_WARNING:
            texts.append(HURRY)
        return [{"role": "user", "content": text} for text in texts]

    def _gave_up(self, error: ProviderError) -> Ending:
        if isinstance(error, SessionLimit):
            self.session.note("session-limit", resetsAt=None, provider=self.provider_name)
            return Ending("session-limit", f"session limit: {error.what}")
        return Ending("provider-error", f"provider error: {error.what}")


def _noted(each: ToolCall) -> Mapping[str, Any]:
    """A call as the transcript has it."""
    return {"id": each.id, "name": each.name, "args": each.args, **({"extra": each.extra} if each.extra else {})}
