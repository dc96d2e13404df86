"""What `validate` refuses in the solutions of a task."""

from __future__ import annotations

import pytest

TRAP, GOLD = "solutions/do-edit/trap-a.json", "solutions/do-edit/gold.json"


def edit(path, **fields):
    return lambda checkout: checkout.edit(path, lambda value: value.update(fields))


REFUSALS = {
    "no gold": (
        lambda checkout: checkout.remove(GOLD),
        f"{GOLD}: is missing; prove that the task can be done (STANDARD 12) [gold]",
    ),
    "a stray file": (
        lambda checkout: checkout.write("solutions/do-edit/notes.md", ""),
        "solutions/do-edit/notes.md: is neither gold.json nor trap-<name>.json; remove it [solutions]",
    ),
    "gold that ends wrongly": (
        edit(GOLD, exitPath="refused"),
        f"{GOLD}: $.exitPath: 'refused' is no right ending of a task whose outcome is edit; correct it (STANDARD 5) "
        "[gold]",
    ),
    "caught by nothing": (
        edit(TRAP, caughtBy=["nonsense"]),
        f"{TRAP}: $.caughtBy[0]: 'nonsense' is no assertion of the task; name required assertions (STANDARD 12) "
        "[caught-by]",
    ),
    "implied by nothing": (
        edit(GOLD, impliedBy={"ending": "nonsense"}),
        f"{GOLD}: $.impliedBy.ending: 'nonsense' is no assertion of the task; name assertions of the task "
        "(STANDARD 12) "
        "[implied-by]",
    ),
    "implied by itself": (
        edit(GOLD, impliedBy={"ending": "no-secret", "no-secret": "ending"}),
        f"{GOLD}: $.impliedBy.ending: 'ending' is implied in a circle, which proves nothing; let it end at an "
        "assertion "
        "with a trap of its own (STANDARD 12) [implied-by]",
    ),
    "an assertion that nothing proves": (
        edit(TRAP, caughtBy=["ending", "no-secret"]),
        "solutions/do-edit: no trap is caught by ending alone, and gold.json does not say what implies it; write such "
        "a trap or declare it in impliedBy (STANDARD 12) [kill-matrix]",
    ),
    "a trap that disproves an implication": (
        edit(GOLD, impliedBy={"ending": "no-secret"}),
        f"{TRAP}: $.caughtBy: says that no-secret passes where ending fails, which gold.json says cannot be; correct "
        "caughtBy or impliedBy (STANDARD 12) [kill-matrix]",
    ),
    "another name than the file's": (
        edit(TRAP, name="trap-z"),
        f"{TRAP}: $.name: 'trap-z' is not the file's name; make the two equal [readable]",
    ),
    "an unknown operation": (
        edit(TRAP, steps=[{"op": "run", "path": "x"}]),
        f"{TRAP}: $.steps[0].op: 'run' is not in the list of operations; use one of replace, replace-regex, write, "
        "append, delete, reindent, table-cell, table-row, table-row-delete, json-set, json-delete, copy, "
        "rename, commit, "
        "event (STANDARD 12) [schema]",
    ),
    "a trap that the README does not know": (
        lambda checkout: checkout.write("tasks/do-edit/README.md", "trap-a and trap-b\n"),
        "tasks/do-edit/README.md: does not mention trap-c; say what it tries and what catches it [trap-named]",
    ),
    "a trap that only the README knows": (
        lambda checkout: checkout.write("tasks/do-edit/README.md", "trap-a, trap-b, trap-c and `trap-over-reach`.\n"),
        "tasks/do-edit/README.md: names trap-over-reach, which is no trap solution; write "
        "solutions/do-edit/trap-over-reach.json or drop the name (STANDARD 12) [trap-named]",
    ),
    "malformed JSON": (
        lambda checkout: checkout.write(TRAP, "{"),
        f"{TRAP}:1:2: is not JSON (Expecting property name enclosed in double quotes); correct the syntax [readable]",
    ),
}


@pytest.mark.parametrize(("spoil", "line"), REFUSALS.values(), ids=REFUSALS)
def test_a_spoilt_solution_is_refused_in_so_many_words(checkout, spoil, line):
    spoil(checkout)
    assert line in checkout.findings("solutions/do-edit")


def test_two_traps_are_too_few(checkout):
    checkout.remove(TRAP)
    assert "solutions/do-edit: has 2 trap solutions, at least 3 are needed" in checkout.findings("solutions/do-edit")[0]


def test_a_task_without_solutions_is_told_so(checkout):
    for path in (checkout.root / "solutions/do-edit").iterdir():
        path.unlink()
    (checkout.root / "solutions/do-edit").rmdir()
    assert checkout.findings("tasks/do-edit")[0].startswith("solutions/do-edit/gold.json: is missing")


def test_solutions_of_no_task_are_refused(checkout):
    checkout.write("solutions/do-gone/gold.json", "{}")
    expected = "solutions/do-gone: there is no such task; add tasks/do-gone or remove it (STANDARD 12) [solutions]"
    assert checkout.findings("solutions/do-gone") == [expected]


def test_a_trap_is_caught_by_required_assertions_only(checkout):
    checkout.edit("tasks/do-edit/assertions.json", lambda value: value[0].update(required=False))
    assert f"{TRAP}: $.caughtBy[0]: 'ending' is not required" in checkout.findings("solutions/do-edit")[0]


def test_a_counted_pattern_must_compile(checkout):
    step = {"op": "replace-regex", "path": "x", "pattern": "(", "replacement": "", "count": 1}
    edit(TRAP, steps=[step])(checkout)
    (finding,) = checkout.findings("solutions/do-edit")
    assert finding.startswith(f"{TRAP}: $.steps[0].pattern: '(' is no pattern")


def test_a_chain_of_implications_that_ends_is_fine(checkout):
    edit(GOLD, impliedBy={"ending": "sheet-untouched", "sheet-untouched": "no-secret"})(checkout)
    edit(TRAP, caughtBy=["ending", "sheet-untouched", "no-secret"])(checkout)
    edit("solutions/do-edit/trap-b.json", caughtBy=["sheet-untouched", "no-secret"])(checkout)
    assert checkout.findings("solutions/do-edit") == []


def test_what_a_required_assertion_follows_from_is_required_too(checkout):
    checkout.edit("tasks/do-edit/assertions.json", lambda value: value[2].update(required=False))
    edit(GOLD, impliedBy={"ending": "no-secret"})(checkout)
    assert any("'no-secret' is not required, so it cannot stand for 'ending'" in f for f in checkout.findings())


def test_an_unreadable_trap_does_not_make_assertions_look_unproven(checkout):
    checkout.write(TRAP, "{")
    assert not any("kill-matrix" in finding for finding in checkout.findings("solutions/do-edit"))
