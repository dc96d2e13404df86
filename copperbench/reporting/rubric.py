"""A judgement by a model, beside a record and in no figure (STANDARD 11): its form, and reading it without trust."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from copperbench.publish import json_bytes
from copperbench.reporting.models import RubricRow, Who

FORMAT = "1.0.0"
_LARGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class Rubric:
    """`score` in [0, 1] with the judge's reason; `record_sha256` is the digest of the record that was judged."""

    record_sha256: str
    judge: str
    prompt_sha256: str
    score: float
    rationale: str


def rubric_path(record: Path) -> Path:
    """Where the judgement of a record lies: `run-<n>.rubric.json`."""
    return record.with_suffix(".rubric.json")


def rubric_bytes(rubric: Rubric) -> bytes:
    """The bytes of the file."""
    return json_bytes(
        {
            "formatVersion": FORMAT,
            "recordSha256": rubric.record_sha256,
            "judge": rubric.judge,
            "promptSha256": rubric.prompt_sha256,
            "score": rubric.score,
            "rationale": rubric.rationale,
        }
    )


def read_rubric(record: Path) -> Rubric | None:
    """The judgement beside a record, None where there is none of this very record or it cannot be understood."""
    path = rubric_path(record)
    try:
        if path.is_symlink() or path.stat().st_size > _LARGEST:
            return None
        value = json.loads(path.read_bytes())
        digest = hashlib.sha256(record.read_bytes()).hexdigest()
        names = ("recordSha256", "judge", "promptSha256", "rationale")
        texts = [value[name] for name in names]
        score = value["score"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    usable = all(isinstance(text, str) for text in texts) and texts[0] == digest
    if not usable or isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
        return None
    return Rubric(texts[0], texts[1], texts[2], float(score), texts[3])


def read_rubrics(root: Path) -> Mapping[str, Rubric]:
    """Every judgement under `root/results` that is of the record beside it, by that record's path."""
    records = (path.with_name(f"{path.name.removesuffix('.rubric.json')}.json") for path in _answers(root))
    found = ((record.relative_to(root).as_posix(), read_rubric(record)) for record in records)
    return {name: rubric for name, rubric in found if rubric is not None}


def rubric_rows(tier: str, who: Who, rubrics: Sequence[Rubric]) -> Iterator[RubricRow]:
    """The mean score of each judge over the runs of one row: judges are never pooled."""
    for judge in sorted({each.judge for each in rubrics}):
        scores = [each.score for each in rubrics if each.judge == judge]
        yield RubricRow(tier, who, judge, len(scores), sum(scores) / len(scores))


def _answers(root: Path) -> Iterator[Path]:
    yield from sorted(root.glob("results/*/*/*/run-*.rubric.json"))
