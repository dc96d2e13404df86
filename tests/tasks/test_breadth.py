"""What the suite covers: its tiers, outcomes, modes and kinds, and that no two of its tasks ask the same of a board."""

import re
from collections import Counter
from pathlib import Path

import pytest

from copperbench.suite import load_suite

KINDS = {
    "do-rename-data-line": ("rename a local net", "SDA"),
    "do-rename-net": ("rename a global net", "DATA"),
    "do-rename-clock-net": ("rename a net that is part of other names", "CLK"),
    "do-rename-chip-select": ("rename one of a pair of nets", "SPI_CS1"),
    "do-rename-main-rail": ("rename a net across a hierarchy", "+3V3"),
    "do-rename-sensor-enable": ("rename a net across a hierarchy", "SENS_EN"),
    "do-rename-lamp-line": ("rename a member of a bus", "LED0"),
    "do-add-ground-test-point": ("add a part", "TP6"),
    "do-remove-address-strap": ("remove a part", "R7"),
    "do-replace-microphone": ("replace a part", "MK1"),
    "do-raise-led-resistor": ("change a value", "R2"),
    "do-lower-charge-current": ("change a value", "R1"),
    "do-lower-gate-resistor": ("do what looks over budget and is not", "R1"),
    "do-stiffen-sensor-pullups": ("change a value on a sheet used twice", "shifted_pullup_ua"),
    "do-move-chip-select": ("move a net to another pin", "SPI_CS1"),
    "do-swap-lamp-designators": ("swap reference designators", "D4"),
    "do-split-sensor-rail": ("split a power rail", "+1V8"),
    "do-shrink-output-capacitor": ("change a footprint", "C2"),
    "do-uart-through-sheet-pins": ("take nets through sheet pins", "UART_TX"),
    "do-repair-channel-address": ("repair an ERC error", "channel.kicad_sch"),
    "do-rollback-can-termination": ("roll back", "R18"),
    "sync-drifted-docs": ("sync the documents", "PINOUT.md"),
    "sync-hub-both-ways": ("sync documents and design both ways", "PINOUT.md"),
    "create-quiet-alert": ("create", "alert_pullup_ua"),
    "create-second-lamp": ("create what cannot be", "lamp_current_ua"),
    "do-budget-refusal-bus-pullups": ("refuse by a current", "bus_sink_ua"),
    "do-budget-refusal-lamps": ("refuse by a current", "lamp_supply_ma"),
    "do-budget-refusal-pullup": ("refuse by a current", "standby_current_ua"),
    "do-sleep-refusal-pull-down": ("refuse by a current", "sleep_ua"),
    "do-refuse-mezzanine-pullup": ("refuse by a current", "i2c0_sink_ua"),
    "do-headroom-refusal-inrush-resistor": ("refuse by a voltage", "ldo_headroom_mv"),
    "do-forbidden-pin-refusal-can-reference": ("refuse by a forbidden pin", "U4"),
    "do-cost-refusal-bulk-capacitors": ("refuse by a cost", "board_cost_cents"),
    "do-keepout-refusal-test-point": ("refuse by a keep-out", "screw_keepout_mm"),
    "do-limit-refusal-supply-capacitor": ("refuse by a budget in prose", "C3"),
    "do-flag-alert-pullup": ("flag documents against the sheet", "alert_low_current_ua"),
    "do-flag-bus-pullups": ("flag documents against the sheet", "bus_pullup_ua"),
    "do-flag-bulk-capacitance": ("flag documents against the sheet", "vdd_bulk_uf"),
    "do-flag-connector-enable": ("flag documents against the sheet", "pen_low_ua"),
    "do-flag-supply-current": ("flag documents against the sheet", "supply_current_ua"),
    "do-flag-antenna-matching": ("flag the board against the sheet", "match_inductor_nh"),
}
"""What each task asks, and of what; the variants of a task ask the same."""

ROOT = Path(__file__).resolve().parents[2]
SUITE = load_suite(ROOT)
TASKS = [task for task in map(SUITE.task, SUITE.task_ids()) if task.variant_of is None]


def test_every_task_is_of_a_kind_and_no_two_ask_the_same_of_a_board():
    assert {task.id for task in TASKS} == set(KINDS)
    asked = Counter((task.fixture_id, *KINDS[task.id]) for task in TASKS)
    assert [each for each, times in asked.items() if times > 1] == []


@pytest.mark.parametrize("task", KINDS)
def test_the_readme_names_what_the_task_is_about(task):
    text = (ROOT / "tasks" / task / "README.md").read_text(encoding="utf-8")
    assert re.search(rf"(?<!\w){re.escape(KINDS[task][1])}(?!\w)", text)


@pytest.mark.parametrize(
    ("count_of", "least"),
    [
        ("tier", {"simple": 10, "medium": 10, "hard": 6}),
        ("expected_outcome", {"edit": 16, "refusal": 7, "flag": 5}),
        ("mode", {"do": 1, "sync": 2, "create": 2}),
    ],
)
def test_every_tier_outcome_and_mode_has_its_share(count_of, least):
    have = Counter(getattr(task, count_of) for task in TASKS)
    assert {name: have[name] for name, number in least.items() if have[name] < number} == {}


def test_a_brief_that_cannot_be_met_is_among_the_creating_tasks():
    assert {task.expected_outcome for task in TASKS if task.mode == "create"} == {"edit", "refusal"}


def test_every_board_has_tasks_and_the_hard_ones_need_no_board_that_must_be_fetched():
    hard = Counter(task.fixture_id for task in TASKS if task.tier == "hard")
    assert {fixture for fixture, number in hard.items() if number >= 6} == {"copperbench-sensor-hub"}
    originals = {each for each in SUITE.fixture_ids() if SUITE.fixture(each).variant is None}
    assert {task.fixture_id for task in TASKS} == originals - {"antmicro-jetson-orin-baseboard"}


def test_ten_tasks_have_a_variant_with_the_same_question():
    variants = [task for task in map(SUITE.task, SUITE.task_ids()) if task.variant_of is not None]
    assert len({task.variant_of for task in variants}) >= 10
    for task in variants:
        original = SUITE.task(task.variant_of)
        assert (task.tier, task.mode, task.expected_outcome) == (
            original.tier,
            original.mode,
            original.expected_outcome,
        )
        assert [spec.id for spec in task.required] == [spec.id for spec in original.required]


def test_variants_differ_in_names_everywhere_and_in_numbers_where_the_arithmetic_allows():
    pairs = [(task, SUITE.task(task.variant_of)) for task in map(SUITE.task, SUITE.task_ids()) if task.variant_of]
    other_words = [task.id for task, original in pairs if task.manifests == original.manifests]
    other_numbers = {task.id for task, original in pairs if task.config.budgets != original.config.budgets}
    other_pins = {
        board
        for board in {original.fixture_id for _, original in pairs}
        if "numbered otherwise" in (ROOT / "fixtures" / f"{board}-v1" / "README.md").read_text(encoding="utf-8")
    }
    assert (other_words, len(other_numbers) >= 3, len(other_pins) >= 2) == ([], True, True)
