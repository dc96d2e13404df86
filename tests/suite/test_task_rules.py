"""What `validate` refuses in a task, with the line that says so."""

from __future__ import annotations

import pytest

SHA = "1" * 64


def task(change):
    return lambda checkout: checkout.edit("tasks/do-edit/task.json", change)


def assertions(change, name="do-edit"):
    return lambda checkout: checkout.edit(f"tasks/{name}/assertions.json", change)


def add(type_, args):
    entry = {"id": "added", "type": type_, "args": args, "weight": 1, "required": False}
    return assertions(lambda value: [*value, entry])


def write(path, text):
    return lambda checkout: checkout.write(path, text)


REFUSALS = {
    "a fourth file": (
        write("tasks/do-edit/check.py", "pass"),
        "tasks/do-edit/check.py: a task is exactly task.json, assertions.json, README.md; remove it (STANDARD 1) "
        "[three-files]",
    ),
    "a folder": (
        write("tasks/do-edit/deep/x", ""),
        "tasks/do-edit/deep: a task is exactly task.json, assertions.json, README.md; remove it (STANDARD 1) "
        "[three-files]",
    ),
    "no README": (
        lambda checkout: checkout.remove("tasks/do-edit/README.md"),
        "tasks/do-edit/README.md: is missing or no regular file; add it (STANDARD 1) [three-files]",
    ),
    "malformed JSON": (
        write("tasks/do-edit/task.json", '{"id": '),
        "tasks/do-edit/task.json:1:8: is not JSON (Expecting value); correct the syntax [readable]",
    ),
    "unknown type": (
        assertions(lambda value: value[0].update(type="net_exists")),
        "tasks/do-edit/assertions.json: $[0].type: 'net_exists' is not in the vocabulary; the nearest is 'net_present' "
        "(STANDARD 4) [schema]",
    ),
    "weight zero": (
        assertions(lambda value: value[0].update(weight=0)),
        "tasks/do-edit/assertions.json: $[0].weight: 0 is not a weight above 0; correct it (STANDARD 1.2) [schema]",
    ),
    "foreign id": (
        task(lambda value: value.update(id="do-other")),
        "tasks/do-edit/task.json: $.id: 'do-other' is not the folder's name 'do-edit'; make the two equal "
        "(STANDARD 1.1) [id-is-folder]",
    ),
    "id of another task": (
        task(lambda value: value.update(id="do-flag")),
        "tasks/do-edit/task.json: $.id: tasks/do-flag has the id 'do-flag' already; choose another (STANDARD 1.1) "
        "[duplicate-id]",
    ),
    "assertion id twice": (
        assertions(lambda value: value[1].update(id="ending")),
        "tasks/do-edit/assertions.json: $[1].id: 'ending' stands twice; rename one (STANDARD 1.2) [duplicate-id]",
    ),
    "nothing required": (
        assertions(lambda value: [entry | {"required": False} for entry in value]),
        "tasks/do-edit/assertions.json: $: no assertion is required, so every run would pass; require some "
        "(STANDARD 6) "
        "[required]",
    ),
    "unknown fixture": (
        task(lambda value: value["fixture"].update(path="fixtures/own-boards")),
        "tasks/do-edit/task.json: $.fixture.path: fixtures/own-boards: is no fixture of the suite; the nearest is "
        "'own-board' [fixture]",
    ),
    "variant of nothing": (
        task(lambda value: value.update(variantOf="do-gone")),
        "tasks/do-edit/task.json: $.variantOf: 'do-gone' is no other task; name the task that this varies "
        "(STANDARD 10) "
        "[variant]",
    ),
    "variant of itself": (
        task(lambda value: value.update(variantOf="do-edit")),
        "tasks/do-edit/task.json: $.variantOf: 'do-edit' is no other task; name the task that this varies "
        "(STANDARD 10) "
        "[variant]",
    ),
    "check_clean on a baseline": (
        add("check_clean", {}),
        "tasks/do-edit/assertions.json: $[3].type: check_clean can never pass on own-board, whose recorded baseline is "
        "not empty; use the types that compare with the baseline (STANDARD 4) [check-clean]",
    ),
    "a design file that is not there": (
        add("file_unchanged", {"path": "other.kicad_pcb"}),
        "tasks/do-edit/assertions.json: $[3].args.path: 'other.kicad_pcb' is no design file of own-board, so the "
        "assertion checks nothing; correct the path (STANDARD 4) [design-file]",
    ),
    "empty README": (
        write("tasks/do-edit/README.md", " \n"),
        "tasks/do-edit/README.md: is empty; say what the task tests and the trap that it sets (STANDARD 1) [readme]",
    ),
    "README in latin-1": (
        write("tasks/do-edit/README.md", b"\xb5A trap-a trap-b trap-c"),
        "tasks/do-edit/README.md: is not UTF-8; save it as UTF-8 (STANDARD 1) [readme]",
    ),
    "a brief that is not there": (
        task(lambda value: value.update(mode="create", request={"briefPath": "briefs/no.md"})),
        "briefs/no.md: is missing or no regular file; add the file (STANDARD 1) [readable]",
    ),
}


@pytest.mark.parametrize(("spoil", "line"), REFUSALS.values(), ids=REFUSALS)
def test_a_spoilt_task_is_refused_in_so_many_words(checkout, spoil, line):
    spoil(checkout)
    assert line in checkout.findings("tasks/do-edit")


def test_a_task_whose_hash_is_not_the_fixtures_is_refused_with_both(checkout):
    checkout.edit("tasks/do-edit/task.json", lambda value: value["fixture"].update(sha256=SHA))
    (finding,) = checkout.findings("tasks/do-edit")
    assert finding.startswith(f"tasks/do-edit/task.json: $.fixture.sha256: {SHA} is not the fixture's hash ")


@pytest.mark.parametrize(
    ("spoil", "place"),
    [
        (add("doc_contains", {"doc": "X.md", "pattern": "("}), "assertions.json: $[3].args.pattern"),
        (
            add("doc_row_matches", {"doc": "X.md", "key": "R1", "column": "Value", "pattern": "["}),
            "assertions.json: $[3].args.pattern",
        ),
        (
            add("transcript_event", {"event": "tool", "matches": {"name": "*"}}),
            "assertions.json: $[3].args.matches.name",
        ),
        (
            task(
                lambda value: value["setup"].update(
                    seed=[{"op": "replace-regex", "path": "x", "pattern": "(", "replacement": "", "count": 1}]
                )
            ),
            "task.json: $.setup.seed[0].pattern",
        ),
    ],
)
def test_a_pattern_that_does_not_compile_is_refused_where_it_stands(checkout, spoil, place):
    spoil(checkout)
    (finding,) = checkout.findings("tasks/do-edit")
    assert finding.startswith(f"tasks/do-edit/{place}: ") and finding.endswith("; correct it [pattern]")  # noqa: PT018


@pytest.mark.parametrize(("name", "needed"), [("do-refuse", "refusal_cites_budget"), ("do-flag", "doc_contains")])
def test_a_refusal_or_flag_must_be_held_to_its_words(checkout, name, needed):
    assertions(lambda value: value[:3], name)(checkout)
    checkout.edit(f"solutions/{name}/gold.json", lambda value: value.update(impliedBy={}))
    (finding,) = checkout.findings(f"tasks/{name}")
    assert f"task has no required {needed}; add one (STANDARD 5) [outcome]" in finding


def test_a_refusal_needs_its_budget_in_the_readme(checkout):
    checkout.write("tasks/do-refuse/README.md", "trap-a, trap-b, trap-c\n")
    (finding,) = checkout.findings("tasks/do-refuse")
    assert "the arithmetic behind the budget vdd_volts is not there" in finding


def test_check_clean_is_fine_where_the_baseline_is_empty(checkout):
    checkout.edit("fixtures/own-board/fixture.json", lambda v: v["baseline"]["erc"].update(warnings=0, warningTypes={}))
    checkout.edit("fixtures/own-board/baseline/erc.json", lambda value: value.update(violations=[]))
    add("check_clean", {})(checkout)
    assert checkout.findings("tasks/do-edit", "fixtures/own-board") == []


def test_a_design_file_that_the_seed_makes_can_be_asserted(checkout):
    seed = [{"op": "copy", "from": "own.kicad_sch", "to": "second.kicad_sch"}]
    checkout.edit("tasks/do-edit/task.json", lambda value: value["setup"].update(seed=seed))
    add("file_unchanged", {"path": "second.kicad_sch"})(checkout)
    assert checkout.findings("tasks/do-edit") == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            task(lambda value: value["request"].update(prompt="widen the solder-mask-opening of R1")),
            "tasks/do-edit/task.json: $.request.prompt: 'solder-mask-opening' holds sk-, which a harness may take for "
            "a key and hide in its transcript; choose another word (STANDARD 4.1) [redacted]",
        ),
        (
            add("refusal_cites_budget", {"budgetKey": "disk-current"}),
            "'disk-current' holds sk-, which a harness may take for a key",
        ),
    ],
)
def test_a_word_that_a_harness_would_redact_is_refused(checkout, change, said):
    change(checkout)
    assert [finding for finding in checkout.findings("tasks/do-edit") if said in finding] != []


def test_a_task_that_holds_a_credential_is_refused_without_showing_it(checkout):
    secret = "gh" + "p_" + "a1B2" * 9
    checkout.edit("tasks/do-edit/task.json", lambda value: value["request"].update(prompt=f"use {secret}"))
    (finding,) = checkout.findings("tasks/do-edit")
    assert ("holds what looks like a credential (github-token at byte" in finding, secret in finding) == (True, False)


def test_a_link_in_place_of_a_manifest_is_refused(checkout):
    place = checkout.remove("tasks/do-edit/task.json").root / "tasks/do-edit/task.json"
    place.symlink_to("../do-flag/task.json")
    findings = checkout.findings("tasks/do-edit")
    assert findings[0] == "tasks/do-edit/task.json: is missing or no regular file; add it (STANDARD 1) [three-files]"


def test_all_faults_of_a_manifest_are_said_at_once(checkout):
    assertions(lambda value: [entry | {"weight": 0} for entry in value])(checkout)
    assert [finding.split(": ")[1] for finding in checkout.findings("tasks/do-edit")] == [
        "$[0].weight",
        "$[1].weight",
        "$[2].weight",
    ]
