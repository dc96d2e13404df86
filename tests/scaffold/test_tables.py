"""Tables are read as a Markdown reader sees them, and changed without touching another byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copperbench.scaffold import DocumentTooLarge, add_row, cell_text, delete_rows, plain, replace_cells, tables
from copperbench.scaffold.tables import MAX_DOCUMENT_BYTES, MAX_DOCUMENT_LINES

PINOUT = "# Pinout\r\n\r\n| Refdes | Pin | Net |\r\n|---|---|---|\r\n| R1 | 1 |  DATA  |\r\n| J1 | DATA | GND |\r\n"
TEXT = st.text(st.characters(codec="utf-8"), max_size=20)


def test_a_table_gives_its_cells_and_the_lines_they_stand_on():
    (table,) = tables(PINOUT)
    assert (table.headers, table.rows, table.lines) == (
        ("Refdes", "Pin", "Net"),
        (("R1", "1", "DATA"), ("J1", "DATA", "GND")),
        (5, 6),
    )


@pytest.mark.parametrize(
    "hidden", ["```\n{}```\n", "~~~\n{}~~~\n", "<!--\n{}-->\n"], ids=["backticks", "tildes", "comment"]
)
def test_what_a_reader_does_not_see_as_a_table_is_none(hidden):
    assert tables(hidden.format("| Refdes | Net |\n|---|---|\n| R1 | DATA |\n")) == ()


def test_outer_pipes_are_optional():
    assert tables("Refdes | Net\n--|--\nR1 | DATA\n")[0].rows == (("R1", "DATA"),)


def test_a_cell_is_replaced_in_its_column_only_and_its_padding_and_line_ends_stay():
    assert replace_cells(PINOUT, "Net", "DATA", "PDM_DATA") == (PINOUT.replace("  DATA  ", "  PDM_DATA  "), 1)


def test_rows_can_be_chosen_by_their_first_cell():
    assert replace_cells(PINOUT, "Net", "DATA", "X", lambda key: key == "J1") == (PINOUT, 0)


def test_a_new_value_with_a_pipe_stays_one_cell():
    changed, _ = replace_cells(PINOUT, "Net", "DATA", "A|B")
    assert tables(changed)[0].rows[0] == ("R1", "1", "A|B")


def test_a_row_is_added_behind_the_one_named():
    changed, count = add_row(PINOUT, ("R9", "1", "CLK"), after="R1")
    assert (count, tables(changed)[0].rows[1]) == (1, ("R9", "1", "CLK"))


def test_a_row_is_added_at_the_end_of_a_table_that_ends_without_a_line_end():
    changed, count = add_row(PINOUT.rstrip(), ("R9", "1", "CLK"))
    assert (count, tables(changed)[0].rows[-1]) == (1, ("R9", "1", "CLK"))


def test_rows_are_deleted_by_their_first_cell():
    changed, count = delete_rows(PINOUT, "R1")
    assert (count, tables(changed)[0].rows) == (1, (("J1", "DATA", "GND"),))


@given(st.lists(st.tuples(TEXT, TEXT, TEXT), max_size=6))
def test_any_text_written_as_a_cell_is_read_back_as_its_plain_form(rows):
    written = "| a | b | c |\n|---|---|---|\n" + "".join(
        "| " + " | ".join(cell_text(cell) for cell in row) + " |\n" for row in rows
    )
    assert tables(written)[0].rows == tuple(tuple(plain(cell) for cell in row) for row in rows)


@given(TEXT.filter(plain), TEXT.filter(plain))
def test_a_replaced_cell_reads_as_what_it_was_replaced_by(old, new):
    written = f"| a | b |\n|---|---|\n| k | {cell_text(old)} |\n"
    changed, count = replace_cells(written, "b", plain(old), new)
    assert (count, tables(changed)[0].rows) == (1, (("k", plain(new)),))


@given(st.text(max_size=400))
def test_reading_tables_of_any_text_raises_nothing(text):
    assert all(len(row) == len(table.headers) for table in tables(text) for row in table.rows)


@pytest.mark.parametrize("text", ["x" * (MAX_DOCUMENT_BYTES + 1), "\n" * (MAX_DOCUMENT_LINES + 1), "\r" * 70_000])
def test_a_document_that_no_board_needs_is_refused_before_it_is_read(text):
    with pytest.raises(DocumentTooLarge, match=r"^docs/BOM\.md: longer than"):
        tables(text, "docs/BOM.md")


@pytest.mark.parametrize(
    "text", [">" * 10**6, "- " * 10**6, "|" * 10**6, "\\" * 10**6, "[" * 10**6, "`" * 10**6, "> " * 300_000 + "\n|a|"]
)
def test_nesting_without_end_is_read_to_its_end(text):
    assert tables(text) == ()
