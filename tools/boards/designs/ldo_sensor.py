"""copperbench-ldo-sensor: 5 V in, 3.3 V regulator, humidity sensor on a six-pin connector."""

from __future__ import annotations

from pathlib import Path

from boardkit.board import Board
from boardkit.project import netclass, save, settings
from boardkit.schematic import Project

from designs.parts import RULES, footprints, symbols

NAME, LIB = "copperbench-ldo-sensor", "ldo-sensor"


def schematic() -> Project:
    """The one sheet."""
    p = Project(
        NAME,
        LIB,
        symbols(
            "R",
            "C",
            "FUSE",
            "LED",
            "TVS",
            "PMOS",
            "TESTPOINT",
            "HOLE",
            "PWR_FLAG",
            "LDO_SOT23_5",
            "SHT31",
            "CONN_2",
            "CONN_6",
            "GND",
            "+5V",
            "+3V3",
        ),
        "CHIP_0603",
    )
    s = p.sheet(f"{NAME}.kicad_sch", "${BOARD}")

    s.frame((12, 12), (142, 58), "5 V input and 3.3 V regulator")
    s.part("CONN_2", "J1", "5V IN", (20, 34), fp="PH_2", MPN="B2B-PH-K-S")
    s.part("FUSE", "F1", "500mA", (33, 33), 90, "CHIP_1206", MPN="0ZCJ0050FF2E")
    s.part("TVS", "D1", "SMAJ5.0A", (40, 37), fp="SMA", MPN="SMAJ5.0A")
    s.part("PMOS", "Q1", "AO3401A", (54, 35), 90, "SOT23_3", MPN="AO3401A", spots=((0, -6.2, ""), (0, -4.8, "")))
    s.part("R", "R1", "100k", (54, 42))
    s.part("C", "C1", "10uF", (64, 37), fp="CHIP_0805")
    s.part("LDO_SOT23_5", "U1", "AP2112K-3.3", (84, 34), fp="SOT23_5", MPN="AP2112K-3.3TRG1")
    s.part("C", "C2", "10uF", (98, 37), fp="CHIP_0805")
    s.part("R", "R2", "1k", (116, 37))
    s.part("LED", "D2", "GREEN", (116, 44), 180, "LED_0603")
    s.wire("J1.1", "F1.1")
    s.wire("F1.2", (40, 33), "Q1.3")
    s.wire((40, 33), "D1.1")
    s.label("VIN", (42, 33))
    s.wire("Q1.1", "R1.1")
    s.wire("Q1.2", "U1.1")
    s.wire((64, 33), "C1.1")
    s.wire("U1.3", (75, 35), (75, 33))
    s.wire("U1.5", (116, 33), "R2.1")
    s.wire((98, 33), "C2.1")
    s.wire("R2.2", "D2.2")
    s.wire("J1.2", (28, 35), (28, 39))
    s.wire("D1.2", (40, 41))
    s.wire("C1.2", (64, 41))
    s.wire("U1.2", (84, 41))
    s.wire("C2.2", (98, 41))
    s.power("GND", (28, 39), (40, 41), "R1.2", (64, 41), (84, 41), (98, 41), "D2.1")
    s.power("+5V", (64, 33))
    s.power("+3V3", (104, 33))
    s.power("PWR_FLAG", (70, 33), (132, 37))
    s.wire((132, 37), (132, 39))
    s.power("GND", (132, 39))

    s.frame((12, 64), (142, 122), "Humidity and temperature sensor")
    s.part("CONN_6", "J2", "I2C", (20, 92), fp="PIN_6", MPN="61300611121")
    for x, ref in ((50, "R3"), (58, "R4")):
        s.part("R", ref, "4k7", (x, 83))
    s.part("R", "R5", "10k", (66, 83))
    s.part(
        "SHT31",
        "U2",
        "SHT31-DIS",
        (90, 95),
        fp="DFN8_2.5MM",
        MPN="SHT31-DIS-B",
        spots=((9, 2.3, "left"), (9, 3.7, "left")),
    )
    s.part("C", "C3", "100nF", (104, 85))
    s.part("R", "R6", "10k", (118, 98))
    s.part("R", "R7", "10k", (118, 92), dnp=True)
    s.wire("J2.3", "U2.1")
    s.wire("J2.4", "U2.4")
    s.wire("J2.5", "U2.3")
    for ref, y in (("R3", 91), ("R4", 93), ("R5", 95)):
        s.wire(f"{ref}.2", (50 + 8 * (int(ref[1]) - 3), y))
    s.wire("R3.1", (50, 79), (58, 79), (66, 79), "R5.1")
    s.wire("R4.1", (58, 79))
    s.label("SDA", (32, 91))
    s.label("SCL", (32, 93))
    s.label("ALERT", (32, 95))
    s.wire("J2.1", (31, 87))
    s.wire("J2.2", (39, 89))
    s.wire("J2.6", (30, 97), (30, 99))
    s.wire("U2.5", (90, 83), "C3.1")
    s.wire("U2.8", (88, 105), (90, 105), (92, 105), "U2.9")
    s.wire("U2.7", (90, 107))
    s.wire("U2.2", (118, 95))
    s.wire((118, 94), (118, 96))
    s.no_connect("U2.6")
    s.power("+5V", (31, 87))
    s.power("+3V3", (39, 89), (58, 79), (90, 83), "R7.1")
    s.power("GND", (30, 99), (90, 107), "C3.2", "R6.2")
    s.text("Address 0x44; fit R7 instead of R6 for 0x45", (104, 106))

    s.frame((148, 64), (220, 122), "Test points and holes")
    for i, (net, kind) in enumerate((("+5V", ""), ("+3V3", ""), ("GND", ""), ("SDA", "l"), ("SCL", "l"))):
        x = 156 + 13 * i
        s.part("TESTPOINT", f"TP{i + 1}", net, (x, 84), fp="TP_1.5MM")
        s.wire((x, 84), (x, 88))
        if kind:
            s.label(net, (x, 88), 270)
        else:
            s.power(net, (x, 88), angle=0 if net == "GND" else 180)
    for i in range(4):
        s.part("HOLE", f"H{i + 1}", "M2.5", (158 + 15 * i, 108), fp="HOLE_M2.5")
    return p


def build(folder: Path) -> None:
    """Write the whole project into a folder. RuntimeError when a net cannot be routed or kicad-cli fails."""
    p = schematic()
    parts = footprints(
        "CHIP_0603",
        "CHIP_0805",
        "CHIP_1206",
        "LED_0603",
        "SMA",
        "SOT23_3",
        "SOT23_5",
        "DFN8_2.5MM",
        "PH_2",
        "PIN_6",
        "HOLE_M2.5",
        "TP_1.5MM",
    )
    variables = {"BOARD": "LDO sensor board", "COMPANY": "Copperbench", "DATE": "2026-01-15", "REVISION": "A"}
    classes = [netclass("Default"), netclass("Power", track=0.4, priority=0)]
    save(
        p,
        parts.values(),
        settings(p, variables, classes, {"+5V": "Power", "+3V3": "Power", "/VIN": "Power"}, RULES),
        folder,
    )
    places = {
        "J1": (4.5, 11.0, 90),
        "F1": (11.5, 5.0, 0),
        "D1": (12.0, 9.0, 0),
        "Q1": (17.5, 5.5, 0),
        "R1": (17.5, 9.5, 0),
        "C1": (22.5, 5.5, 90),
        "U1": (27.0, 5.5, 0),
        "C2": (31.5, 5.5, 90),
        "R2": (36.0, 3.5, 0),
        "D2": (36.0, 6.3, 180),
        "U2": (36.0, 16.0, 0),
        "C3": (36.0, 12.8, 0),
        "R3": (27.5, 13.5, 90),
        "R4": (25.5, 13.5, 90),
        "R5": (23.5, 13.5, 90),
        "R6": (31.0, 19.0, 0),
        "R7": (31.0, 21.0, 0),
        "J2": (14.0, 23.0, 0),
        "TP1": (22.5, 9.6, 0),
        "TP2": (31.5, 9.6, 0),
        "TP3": (9.0, 15.0, 0),
        "TP4": (13.0, 15.0, 0),
        "TP5": (17.0, 15.0, 0),
        "H1": (3.0, 3.0, 0),
        "H2": (42.0, 3.0, 0),
        "H3": (3.0, 24.0, 0),
        "H4": (42.0, 24.0, 0),
    }
    labels = {"H1": (4.2, -1.2), "H2": (0, 3.3), "R6": (-2.6, 0), "R7": (-2.6, 0), "D2": (2.9, 0), "U2": (0, 2.4)}
    board = Board(p, parts, (45, 27), places, [("GND", "F.Cu"), ("GND", "B.Cu")], ref_at=labels)
    board.place(folder)
    board.texts = [("COPPERBENCH LDO SENSOR", 22.5, 25.7, 0.9), ("REV A", 38.5, 22.0, 0.9)]
    failed = board.route({"GND"}, dict.fromkeys(("+5V", "+3V3", "/VIN", "Net-(F1-Pad1)"), 0.4))
    board.save(folder / f"{NAME}.kicad_pcb")
    if failed:
        raise RuntimeError(f"not routed: {failed}")
