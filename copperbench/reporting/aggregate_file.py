"""`results/aggregate.json`, and the aggregate that a verb is asked about: in a file, or of the records on disk.

What makes an aggregate is loaded only once the file, or the suite, is known to be readable.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from copperbench.errors import CopperbenchError
from copperbench.publish import json_bytes

if TYPE_CHECKING:
    from copperbench.reporting.models import Aggregate


def aggregate_at(root: Path, path: Path | None) -> Aggregate:
    """The aggregate in the file `path`, else that of every record under `root/results` (STANDARD 12).

    Raises CopperbenchError as `read_aggregate` does, and SuiteError for a checkout that cannot be read.
    """
    if path is not None:
        return read_aggregate(path)
    from copperbench.suite import load_suite

    suite = load_suite(root)
    from copperbench.reporting.aggregate import aggregate_checkout

    return aggregate_checkout(root, suite)


def aggregate_bytes(value: Aggregate) -> bytes:
    """The bytes of results/aggregate.json: equal for equal records."""
    from copperbench.reporting.codec import encode

    return json_bytes(encode(value))


def read_aggregate(path: Path) -> Aggregate:
    """Read back what `aggregate_bytes` wrote. Raises CopperbenchError when the file holds something else."""
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise CopperbenchError(path, "is missing or no JSON", "make it with `copperbench aggregate`") from error
    from copperbench.reporting.codec import decode
    from copperbench.reporting.models import Aggregate

    return decode(Aggregate, value, str(path))
