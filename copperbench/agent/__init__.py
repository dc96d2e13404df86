"""The reference harness: an agent loop of our own, so that any OpenAI-compatible endpoint can be measured.

Console script `copperbench-agent`. The command line, the `.copperhead/` layout, the transcript and the exit paths are
those of the one harness contract (STANDARD 3), so that nothing downstream can tell it from another harness but by name.
"""

from copperbench.agent.main import HARNESS_NAME, main

__all__ = ["HARNESS_NAME", "main"]
