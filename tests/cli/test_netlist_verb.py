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
    def run(*words, memory=None):
        command = [str(Path(sys.executable).with_name("copperbench")), *map(str, words)]
        if memory:
            command = ["prlimit", f"--as={memory}", *command]
        return subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=600, check=False)

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


HOSTILE = {
    b"": "x.kicad_sch:1:1: the file is empty",
    b"\r\n \t\n": "x.kicad_sch:1:1: the file is empty",
    b"(kicad_sch\n (a\0))": "x.kicad_sch:2:4: a NUL byte",
    b'(kicad_sch\n "\xff")': "x.kicad_sch:2:3: not UTF-8 text",
    b"\xff\xfe(\0k\0": "x.kicad_sch:1:4: a NUL byte",
    b'(kicad_sch\r\n  (uuid "a)': "x.kicad_sch:2:9: a string that does not end",
    b"(kicad_sch " * 3000 + b")" * 3000: "x.kicad_sch:1:11001: lists are nested more than 1000 deep",
    b"(" * 60_000_000: "x.kicad_sch:1:1001: lists are nested more than 1000 deep",
    b"(" * 100_000_000: "x.kicad_sch: is larger than 64 MiB",
    b"(kicad_pcb (version 20260206))": "x.kicad_sch:1:1: not a KiCad schematic (no kicad_sch list)",
}


@pytest.mark.parametrize("verb", ["netlist", "symbols"])
@pytest.mark.parametrize("data", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_file_is_one_line_with_its_place_in_bounded_memory(copperbench, tmp_path, verb, data):
    (tmp_path / "x.kicad_sch").write_bytes(data)
    done = copperbench(verb, tmp_path / "x.kicad_sch", memory=1 << 30)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert HOSTILE[data] in done.stderr


def test_a_missing_file_is_one_line(copperbench, tmp_path):
    done = copperbench("netlist", tmp_path / "none.kicad_sch")
    assert (done.returncode, done.stderr.count("\n"), "none.kicad_sch" in done.stderr) == (2, 1, True)


def test_line_ends_of_windows_change_no_net(copperbench, root, tmp_path):
    data = (root / HUB.replace("sensor-hub", "ldo-sensor")).read_bytes()
    (tmp_path / "old.kicad_sch").write_bytes(data)
    (tmp_path / "new.kicad_sch").write_bytes(data.replace(b"\n", b"\r\n"))
    done = copperbench("netlist", "--diff", tmp_path / "old.kicad_sch", tmp_path / "new.kicad_sch")
    assert (done.returncode, done.stdout) == (0, "")


def test_a_difference_as_json_says_the_same(copperbench, root, tmp_path):
    text = (root / HUB.replace("sensor-hub", "ldo-sensor")).read_text()
    (tmp_path / "old.kicad_sch").write_text(text)
    (tmp_path / "new.kicad_sch").write_text(text.replace('(label "ALERT"', '(label "WARN"'))
    done = copperbench("netlist", "--diff", tmp_path / "old.kicad_sch", tmp_path / "new.kicad_sch", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, {key: found[key] for key in found if found[key]}) == (
        1,
        {"nets_renamed": [{"before": "/ALERT", "after": "/WARN"}]},
    )


def test_a_difference_from_a_broken_file_is_no_difference(copperbench, tmp_path, root):
    (tmp_path / "x.kicad_sch").write_bytes(b"(kicad_sch")
    assert copperbench("netlist", "--diff", root / HUB, tmp_path / "x.kicad_sch").returncode == 2


def test_neither_file_nor_diff_is_bad_usage(copperbench):
    assert copperbench("netlist").returncode == 2
