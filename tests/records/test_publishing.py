"""The rules of replacing a record, apart from any grading."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from copperbench.errors import CopperbenchError, RecordConflict
from copperbench.records import RecordPlace, publish_record, record_place
from copperbench.records.publishing import differences

STAMPS = {
    "schemaVersion": "2.0.0",
    "suiteVersion": "1.0.0",
    "taskManifestHash": "a",
    "fixtureSha256": "b",
    "kicadCliVersion": "10.0.6",
}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


def record(verdict: str = "pass", **stamps: object) -> bytes:
    return json.dumps({"verdict": verdict, "comparability": STAMPS | stamps, "scoredBy": {}}).encode()


@pytest.fixture
def place(tmp_path: Path) -> RecordPlace:
    return record_place(Path("results/2026-01-02/m/do-x/run-1.json"), tmp_path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (record(), record("fail", suiteVersion="1.1.0")),
        (record(schemaVersion="1.0.0"), record()),
        (record("unscoreable", kicadCliVersion=None), record()),
    ],
)
def test_a_record_under_other_stamps_is_kept_and_replaced(place: RecordPlace, old: bytes, new: bytes) -> None:
    publish_record(place, old)
    assert publish_record(place, new) == "superseded"
    assert place.path.read_bytes() == new
    assert [path.read_bytes() for path in (place.root / "superseded").rglob("*.json")] == [old]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (record(), record("fail")),
        (record(), record(kicadCliVersion=None)),
        (record(), record(kicadCliVersion="10.0.7")),
        (record(), record(taskManifestHash="x")),
        (record(kicadCliVersion=None), record(fixtureSha256="x")),
    ],
)
def test_any_other_difference_is_a_conflict_and_changes_nothing(place: RecordPlace, old: bytes, new: bytes) -> None:
    publish_record(place, old)
    with pytest.raises(RecordConflict):
        publish_record(place, new)
    assert place.path.read_bytes() == old
    assert not (place.root / "superseded").exists()


def test_going_back_and_forth_between_suites_keeps_one_copy_of_each(place: RecordPlace) -> None:
    first, second = record(), record(suiteVersion="1.1.0")
    for data in (first, second, first, second):
        publish_record(place, data)
    assert len(list((place.root / "superseded").rglob("*.json"))) == 2


def test_a_full_disk_leaves_the_old_record(place: RecordPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    publish_record(place, record())

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(CopperbenchError, match="No space left on device"):
        publish_record(place, record(suiteVersion="1.1.0"))
    assert place.path.read_bytes() == record()


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)  # the order of keys is no difference


@given(value=json_values, other=json_values)
@example(value={"a": 1, "b": 2}, other={"b": 2, "a": 1})
def test_two_records_differ_exactly_when_a_path_is_named(value: Any, other: Any) -> None:
    assert bool(differences({"x": value}, {"x": other})) == (_text(value) != _text(other))


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ({"a": {"b": 1}}, {"a": {"b": 2}}, "$.a.b: 1 was, 2 is"),
        ({"a": [1, 2]}, {"a": [1, 3]}, "$.a[1]: 2 was, 3 is"),
        ({"a": 1}, {}, "$.a: 1 was, nothing is"),
        ({"a": True}, {"a": 1}, "$.a: true was, 1 is"),
    ],
)
def test_a_difference_names_its_path_and_both_values(old: object, new: object, shown: str) -> None:
    assert differences(old, new) == (shown,)


@pytest.mark.parametrize(
    "path",
    [
        "results/2026-01-02/m/do-x/run-0.json",
        "results/2026-01-02/m/do-x/run-1/run.json",
        "results/2026-01-02/M/do-x/run-1.json",
        "results/2026-01-02/m/do-x/../../../../../etc/run-1.json",
        "/etc/passwd",
        "results",
    ],
)
def test_a_path_where_no_record_can_lie_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(CopperbenchError, match="is no record's path"):
        record_place(Path(path), tmp_path)


def test_an_absolute_path_in_the_checkout_names_the_same_place(place: RecordPlace) -> None:
    assert record_place(place.path.absolute(), place.root) == place


@pytest.fixture
def racing(place: RecordPlace, monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    """Another process publishes its record just before ours."""

    def first(data: bytes) -> None:
        place.path.parent.mkdir(parents=True)
        place.path.write_bytes(data)

    return first


def test_of_two_processes_that_agree_the_second_keeps_the_firsts_record(
    place: RecordPlace, racing: Callable[[bytes], None]
) -> None:
    racing(record())
    assert publish_record(place, record()) == "kept"
