"""`copperbench netlist` and `copperbench symbols` as people and scripts use them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HUB = "fixtures/copperbench-sensor-hub/tree/copperbench-sensor-hub.kicad_sch"


@pytest.fixture
def copperbench(root):
    def run(*words):
        command = [str(Path(sys.executable).with_name("copperbench")), *map(str, words)]
        return subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=120, check=False)

    return run


def test_the_netlist_as_json_has_names_pins_and_doubts(copperbench):
    found = json.loads(copperbench("netlist", HUB, "--json").stdout)
    assert {key for net in found["nets"] for key in net} | found.keys() == {
        "nets",
        "warnings",
        "name",
        "pins",
        "ambiguous",
    }


def test_the_symbols_as_json_tell_the_net_of_each_pin(copperbench):
    found = json.loads(copperbench("symbols", HUB, "--json").stdout)
    nets = {pin["net"] for part in found["symbols"] if part["refdes"] == "U4" for pin in part["pins"]}
    assert "GND" in nets


def test_the_symbols_as_a_table_have_a_line_for_each_part(copperbench):
    assert len(copperbench("symbols", HUB).stdout.splitlines()) == 74


def test_equal_schematics_differ_in_nothing_and_exit_0(copperbench):
    done = copperbench("netlist", "--diff", HUB, HUB)
    assert (done.returncode, done.stdout) == (0, "")


def test_a_renamed_label_is_told_and_exits_1(copperbench, root, tmp_path):
    text = (root / "fixtures/copperbench-ldo-sensor/tree/copperbench-ldo-sensor.kicad_sch").read_text()
    old, new = tmp_path / "old.kicad_sch", tmp_path / "new.kicad_sch"
    old.write_text(text)
    new.write_text(text.replace('(label "ALERT"', '(label "WARN"'))
    done = copperbench("netlist", "--diff", old, new)
    assert (done.returncode, done.stdout) == (1, "net renamed: /ALERT -> /WARN\n")


def test_a_broken_file_is_one_line_on_stderr_and_exits_2(copperbench, tmp_path):
    broken = tmp_path / "x.kicad_sch"
    broken.write_text("(kicad_sch\n  (version 20260306")
    done = copperbench("netlist", broken)
    assert (done.returncode, done.stdout, done.stderr.count("\n"), ":2:20:" in done.stderr) == (2, "", 1, True)


def test_neither_file_nor_diff_is_bad_usage(copperbench):
    assert copperbench("netlist").returncode == 2
