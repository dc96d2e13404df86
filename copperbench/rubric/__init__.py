"""Leaf: asking a model to judge a run by its task's rubric. Off unless called, and in no figure (STANDARD 11)."""

from copperbench.rubric.judging import Endpoint, judge

__all__ = ["Endpoint", "judge"]
