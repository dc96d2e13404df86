"""Bus names that stand for more nets than there is time for."""

from __future__ import annotations

import pytest

SHEET = "copperbench-ldo-sensor.kicad_sch"


def bus(number: int, name: str) -> str:
    y = 200 + number * 2.54
    points = f"(pts (xy 10 {y}) (xy 20 {y}))"
    return f'(bus {points} (uuid "b{number}"))(label "{name}" (at 15 {y} 0) (uuid "l{number}"))\n'


def add(box, *names: str) -> None:
    text = (box.root / SHEET).read_text().rstrip()
    assert text.endswith(")")
    box.write(SHEET, text[:-1] + "".join(bus(number, name) for number, name in enumerate(names)) + ")\n")


@pytest.mark.parametrize(
    "names",
    [
        [f"E{number}[0..9999]" for number in range(2_000)],
        ["D[0..9999]"] * 2_000,
        ["{" + " ".join(f"A{number}[0..9999]" for number in range(2_000)) + "}"],
    ],
    ids=["many", "one many times", "a group of them"],
)
def test_buses_of_millions_of_nets_fail_and_stop_nobody(sandbox, twin, names):
    add(sandbox, *names)
    add(twin, "D[0..7]")
    assert "buses of more than" in sandbox.outcome("net_present", net="ALERT").detail
    assert (sandbox.outcome("net_present", net="ALERT").status, twin.outcome("net_present", net="ALERT").status) == (
        "fail",
        "pass",
    )


def test_one_big_bus_drawn_a_hundred_times_is_one_bus(sandbox):
    add(sandbox, *["D[0..9999]"] * 100)
    assert sandbox.outcome("net_present", net="ALERT").status == "pass"
