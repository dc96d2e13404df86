"""Declared operations apply exactly as declared, or not at all."""

from __future__ import annotations

import json

import pytest

from copperbench.errors import OperationFailed
from copperbench.sandbox import apply_operation
from copperbench.sandbox.operations import _HANDLERS
from copperbench.suite import Operation

TABLE = "| Refdes | Pin | Net |\n|---|---|---|\n| R1 | 1 | DATA |\n| J1 | 5 | DATA |\n"


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"one two\r\ntwo \xff\n\tthree\n")
    (tmp_path / "t.md").write_text(TABLE)
    (tmp_path / "c.json").write_text('{"budgets": {"a/b": 1}, "list": [1, 2]}')
    return tmp_path


@pytest.fixture
def apply(tree):
    return lambda kind, **args: apply_operation(tree, Operation(kind, args), "solutions/x/gold.json: $.steps[0]")


def test_a_replacement_keeps_every_other_byte(tree, apply):
    apply("replace", path="a.txt", old="two", new="2", count=2)
    assert (tree / "a.txt").read_bytes() == b"one 2\r\n2 \xff\n\tthree\n"


@pytest.mark.parametrize("count", [1, 3])
def test_a_replacement_with_another_count_than_declared_changes_nothing(tree, apply, count):
    before = (tree / "a.txt").read_bytes()
    with pytest.raises(OperationFailed, match=rf"\$\.steps\[0\]: 'two' stands 2 times in a.txt, declared {count}"):
        apply("replace", path="a.txt", old="two", new="2", count=count)
    assert (tree / "a.txt").read_bytes() == before


def test_a_counted_pattern_replaces_with_groups(tree, apply):
    apply("replace-regex", path="a.txt", pattern=r"^(\w+) (two)", replacement=r"\2 \1", count=1)
    assert (tree / "a.txt").read_bytes().startswith(b"two one\r\n")


@pytest.mark.parametrize("pattern", ["(", "(a+)+$", r"(?P<x>a)\g"])
def test_a_pattern_that_is_wrong_or_runs_away_is_one_error(tree, apply, pattern, monkeypatch):
    monkeypatch.setattr("copperbench.sandbox.operations.REGEX_SECONDS", 0.2)
    (tree / "a.txt").write_text("a" * 5000 + "b")
    with pytest.raises(OperationFailed):
        apply("replace-regex", path="a.txt", pattern=pattern, replacement="", count=1)


def test_files_are_written_appended_copied_renamed_and_deleted(tree, apply):
    apply("write", path="new/b.txt", text="b\n")
    apply("append", path="new/b.txt", text="c\n")
    apply("copy", **{"from": "new/b.txt", "to": "d.txt"})
    apply("rename", **{"from": "d.txt", "to": "e/d.txt"})
    apply("delete", path="new/b.txt")
    assert ((tree / "e/d.txt").read_text(), (tree / "new/b.txt").exists()) == ("b\nc\n", False)


def test_a_reindented_file_means_the_same_and_differs_in_its_lines(tree, apply):
    apply("reindent", path="a.txt", **{"from": "\t", "to": "  "})
    assert (tree / "a.txt").read_bytes() == b"one two\r\ntwo \xff\n  three\n"


def test_a_cell_is_replaced_wherever_it_stands_in_its_column(tree, apply):
    apply("table-cell", path="t.md", column="Net", old="DATA", new="PDM", min=2)
    assert (tree / "t.md").read_text() == TABLE.replace("DATA", "PDM")


def test_fewer_cells_than_needed_are_an_error(apply):
    with pytest.raises(OperationFailed, match="'DATA' 2 times in column 'Net', not 3 or more"):
        apply("table-cell", path="t.md", column="Net", old="DATA", new="PDM", min=3)


def test_no_cell_is_fine_where_the_scaffold_may_have_none(tree, apply):
    apply("table-cell", path="t.md", column="Net", old="GONE", new="X")
    assert (tree / "t.md").read_text() == TABLE


def test_rows_are_chosen_added_and_deleted(tree, apply):
    apply("table-cell", path="t.md", column="Net", old="DATA", new="X", rows="^J")
    apply("table-row", path="t.md", after="R1", cells=["R2", "1", "CLK"])
    apply("table-row", path="t.md", end=True, cells=["R3", "1", "CLK"])
    apply("table-row-delete", path="t.md", key="R1")
    assert (tree / "t.md").read_text().splitlines()[2:] == ["| R2 | 1 | CLK |", "| J1 | 5 | X |", "| R3 | 1 | CLK |"]


def test_json_values_are_set_appended_and_deleted_by_pointer(tree, apply):
    apply("json-set", path="c.json", pointer="/budgets/a~1b", value=2.5)
    apply("json-set", path="c.json", pointer="/list/-", value=3)
    apply("json-delete", path="c.json", pointer="/list/0")
    assert json.loads((tree / "c.json").read_text()) == {"budgets": {"a/b": 2.5}, "list": [2, 3]}


@pytest.mark.parametrize("pointer", ["/x/y", "/list/x", "/list/9/1", "", "/budgets/a~1b/c"])
def test_a_pointer_to_nothing_is_an_error(apply, pointer):
    with pytest.raises(OperationFailed, match="has no"):
        apply("json-set", path="c.json", pointer=pointer, value=1)


@pytest.mark.parametrize(
    "path", ["../x", "/etc/x", ".git/config", ".GIT/config", "a/../../x", "link/x", "out", "a.txt/x"]
)
@pytest.mark.parametrize("kind", ["write", "append", "delete"])
def test_no_operation_leaves_the_sandbox_or_follows_a_link(tree, apply, kind, path):
    outside = tree.parent / "outside.txt"
    outside.write_text("mine")
    (tree / "link").symlink_to(tree.parent)
    (tree / "out").symlink_to(outside)
    with pytest.raises(OperationFailed):
        apply(kind, path=path, text="x")
    assert outside.read_text() == "mine"


def test_every_operation_of_the_schema_on_a_tree_is_there(root):
    schema = json.loads((root / "schema/solution.schema.json").read_text())
    assert set(schema["$defs"]["treeOperation"]["properties"]["op"]["enum"]) == set(_HANDLERS)


def test_an_unknown_operation_is_refused(apply):
    with pytest.raises(OperationFailed, match="'patch' is no operation on a tree"):
        apply("patch", path="a.txt")
