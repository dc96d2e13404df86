"""The reader: exact text, errors with a place, and an end for whatever it is given."""

from __future__ import annotations

import re
from re import _parser as re_parser

import pytest
import sexpdata
from hypothesis import given, settings
from hypothesis import strategies as st

from copperbench.errors import KicadFileError
from copperbench.kicad import read_list, read_small
from copperbench.kicad.drawing_reader import read_drawing, read_tree
from copperbench.kicad.sexpr import child, flag, lists, parse, pruning, value, word

ATOMS = st.text(st.characters(codec="ascii", exclude_characters='()" \t\r\n\f\v\x00#', categories=("L", "N", "P", "S")))
STRINGS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=12)
HEADS = st.sampled_from(["kicad_sch", "version", "symbol", "property", "effects", "pin", "wire", "xy", "at", "label"])


def written(tree):
    """A tree of ("atom", text), ("string", text) and lists, as text."""
    if isinstance(tree, list):
        return f"({' '.join(map(written, tree))})"
    kind, text = tree
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return text if kind == "atom" else f'"{escaped}"'


def without(tree, heads):
    inner = [item for item in tree if not (isinstance(item, list) and item and item[0] in heads)]
    return [without(item, heads) if isinstance(item, list) else item for item in inner]


def plain(tree):
    return [plain(item) if isinstance(item, list) else item[1] for item in tree]


LEAVES = st.one_of(st.tuples(st.just("atom"), ATOMS.filter(bool)), st.tuples(st.just("string"), STRINGS))
TREES = st.recursive(
    st.builds(lambda head, rest: [("atom", head), *rest], HEADS, st.lists(LEAVES, max_size=4)),
    lambda inner: st.builds(lambda head, rest: [("atom", head), *rest], HEADS, st.lists(st.one_of(LEAVES, inner))),
    max_leaves=30,
)


def place(data, read=read_list):
    with pytest.raises(KicadFileError) as caught:
        read(data, "f")
    return caught.value.where


@settings(deadline=None)
@given(TREES)
def test_every_tree_reads_back_as_it_was_written(tree):
    assert read_list(written(tree).encode(), "f") == plain(tree)


@settings(deadline=None)
@given(TREES)
def test_a_small_file_reads_the_same_through_sexpdata(tree):
    assert read_small(written(tree).encode(), "f") == read_list(written(tree).encode(), "f")


@settings(deadline=None)
@given(st.binary(max_size=400))
def test_bytes_end_in_a_tree_or_in_our_error(data):
    for read in (read_list, read_small, read_drawing):
        try:
            read(data, "f")
        except KicadFileError:
            continue


@settings(deadline=None)
@given(st.text('()"\\ \n#ab1', max_size=300))
def test_brackets_and_quotes_in_any_order_end_in_a_tree_or_in_our_error(text):
    for read in (read_list, read_small, read_drawing):
        try:
            read(b"(kicad_sch (version 20260306) " + text.encode() + b")", "f")
        except KicadFileError:
            continue


@settings(deadline=None)
@given(TREES)
def test_a_file_cut_anywhere_ends_in_our_error(tree):
    data = written(tree).encode()
    for length in range(len(data)):
        with pytest.raises(KicadFileError):
            read_list(data[:length], "f")


def test_atoms_stay_text():
    assert read_list(b"(a 1E10 012 0.10 t nil [1-4] 'b' ;c {d} |e|)", "f")[1:] == (
        ["1E10", "012", "0.10", "t", "nil", "[1-4]", "'b'", ";c", "{d}", "|e|"]
    )


def test_escapes_in_strings_are_decoded():
    assert read_list(rb'(a "q\"b\\n\nt\tx\x41o\101c\c")', "f")[1] == 'q"b\\n\nt\txAoAcc'


def test_line_ends_of_windows_read_alike():
    assert read_list(b'(a\r\n\t(b "c")\r\n)\r\n', "f") == ["a", ["b", "c"]]


def test_a_line_that_begins_with_a_hash_is_a_comment():
    assert read_list(b"(a\n  # (b\n(c))", "f") == ["a", ["c"]]


def test_what_follows_the_first_list_is_ignored():
    assert read_list(b"(a) (b", "f") == ["a"]


def test_several_lists_of_a_small_file_are_all_read():
    assert read_small(b"(version 1)\n(rule x)", "f") == [["version", "1"], ["rule", "x"]]


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b"", "f:1:1"),
        (b" \n ", "f:1:1"),
        (b"(a\n (b\0))", "f:2:4"),
        (b'(a\n "\xff")', "f:2:3"),
        (b"(a\n (b", "f:2:4"),
        (b'(a\n  "b)', "f:2:3"),
        (b"a (b)", "f:1:1"),
        (b")", "f:1:1"),
        (b"\xef\xbb\xbf(a)", "f:1:1"),
    ],
)
def test_a_fault_is_reported_with_line_and_column(data, where):
    assert place(data) == where


def test_a_fault_inside_an_item_is_reported_where_the_item_starts():
    text = b'(kicad_sch (version 20260306) (uuid "u")\n  (label "A" (at 1 2 0))\n  (junction (at x 2)))'
    assert place(text, read_drawing) == "f:3:13"


@pytest.mark.parametrize("read", [read_list, read_small, read_drawing])
def test_three_thousand_levels_end_in_our_error(read):
    assert place(b"(a " * 3000 + b")" * 3000, read).startswith("f:1:")


def test_a_hundred_megabytes_of_brackets_end_in_our_error():
    assert place(b"(" * 100_000_000).startswith("f:1:")


def test_megabytes_of_blanks_end_in_our_error():
    assert place(b"(a" + b" " * 5_000_000) == "f:1:5000003"


@pytest.mark.parametrize("unit", [b"(effects ", b'(effects "', b"(effects (a)", b'"\\', b"(property ", b"(pin "])
def test_a_long_run_of_unended_pieces_ends_in_our_error(unit):
    assert place(b"(kicad_sch " + unit * 100_000, read_drawing).startswith("f:1:")


def test_a_swallowed_list_that_nests_too_deep_is_read_plainly():
    deep = b"(effects " + b"(a " * 20 + b")" * 20 + b")"
    assert child(read_tree(b"(kicad_sch " + deep + b' (uuid "u"))', "f").root, "uuid") == ["uuid", "u"]


def parts(item):
    """Every operation of a parsed expression, with what it holds."""
    waiting = [item]
    while waiting:
        item = waiting.pop()
        if isinstance(item, tuple) and item and type(item[0]).__name__ == "_NamedIntConstant":
            yield item
        waiting += item if isinstance(item, tuple | list | re_parser.SubPattern) else ()


def test_no_expression_rests_on_what_python_only_learnt_in_a_patch_release():
    """Before 3.11.5 a possessive repetition may end inside of what it repeats; a group inside one may get lost."""
    tokens = read_tree(b"(kicad_sch)", "f").tokens
    found = list(parts(re_parser.parse(tokens.pattern, tokens.flags & re.DOTALL)))
    kept = [operand for operation, operand in found if str(operation) in ("POSSESSIVE_REPEAT", "ATOMIC_GROUP")]
    repeated = {
        str(inner) for operation, operand in found if str(operation) == "POSSESSIVE_REPEAT" for inner, _ in operand[2]
    }
    captured = [
        operand for item in kept for operation, operand in parts(item) if str(operation) == "SUBPATTERN" and operand[0]
    ]
    assert (repeated, captured) == ({"IN"}, [])


@settings(deadline=None)
@given(TREES)
def test_swallowing_leaves_the_rest_of_the_tree_as_it_is(tree):
    text = written([("atom", "kicad_sch"), tree, [("atom", "uuid"), ("string", "u")]])
    tokens = pruning(["effects", "pin"], abridged=False)
    assert parse(text, "f", tokens).root == without(parse(text, "f").root, {"effects", "pin"})


def test_blanks_of_other_languages_belong_to_a_word():
    assert read_list("(a b\u00a0c\u3000d\n(e\x1cf 1))".encode(), "f") == ["a", "b\u00a0c\u3000d", ["e\x1cf", "1"]]


def test_a_hash_on_a_new_line_inside_a_string_begins_no_comment():
    text = b'(a "b\n# c" # d\n # "e\n (f "# g"))'
    assert read_list(text, "f") == read_small(text, "f") == ["a", "b\n# c", "#", "d", ["f", "# g"]]


def test_a_word_that_looks_like_a_list_inside_a_string_stays_text():
    tree = read_tree(b'(kicad_sch (label "(effects (font))" (at 1 2)))', "f").root
    assert word(child(tree, "label")) == "(effects (font))"


@pytest.mark.parametrize("text", ["(hide yes)", "(hide true)", "(hide)", "hide"])
def test_a_flag_of_any_file_version_is_true(text):
    assert flag(read_list(f"(pin {text})".encode(), "f"), "hide") is True


def test_the_pruned_tree_agrees_with_sexpdata_about_what_it_keeps(root):
    path = root / "fixtures/copperbench-sensor-hub/tree/copperbench-sensor-hub.kicad_sch"
    ours = read_tree(path.read_bytes(), "f").root
    theirs = sexpdata.loads(path.read_text(encoding="utf-8"), nil=None, true=None)
    labels = [item[1] for item in theirs if isinstance(item, list) and str(item[0]) == "global_label"]
    assert [word(label) for label in lists(ours, "global_label")] == labels
    assert value(ours, "uuid") == next(item[1] for item in theirs if isinstance(item, list) and str(item[0]) == "uuid")
