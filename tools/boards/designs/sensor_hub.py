"""copperbench-sensor-hub: 5 V in, 3.3 V and switched 1.8 V, a microcontroller, two sensor channels, CAN and UART."""

from __future__ import annotations

from pathlib import Path

from boardkit.board import Board
from boardkit.project import netclass, save, settings
from boardkit.schematic import Project

from designs.hub_mcu import mcu_sheet
from designs.hub_sheets import channel_sheet, comms_sheet, power_sheet, root
from designs.parts import RULES, footprints, symbols

NAME, LIB = "copperbench-sensor-hub", "sensor-hub"


def schematic() -> Project:
    """Root and four sheets, one of them used twice."""
    p = Project(
        NAME,
        LIB,
        symbols(
            "R",
            "C",
            "FUSE",
            "LED",
            "TVS",
            "BUTTON",
            "PMOS",
            "NMOS",
            "TESTPOINT",
            "HOLE",
            "PWR_FLAG",
            "LDO_SOT23_5",
            "LOADSW_TPS22918",
            "BME280",
            "CAN_TRX",
            "ESD_2LINE",
            "XTAL4",
            "STM32F042K6",
            "CONN_2",
            "CONN_3",
            "CONN_4",
            "CONN_5",
            "GND",
            "+5V",
            "+3V3",
            "+3V3_SENS",
            "+1V8",
        ),
        "CHIP_0603",
    )
    top = p.sheet(f"{NAME}.kicad_sch", "${BOARD}", "Two sensor channels, CAN and UART")
    power = p.sheet("power.kicad_sch", "${BOARD}: power tree")
    mcu = p.sheet("mcu.kicad_sch", "${BOARD}: microcontroller")
    channel = p.sheet("channel.kicad_sch", "${BOARD}: sensor channel", "This sheet is used twice")
    comms = p.sheet("comms.kicad_sch", "${BOARD}: interfaces")
    root(top, power, mcu, channel, comms)
    power_sheet(power)
    mcu_sheet(mcu)
    channel_sheet(channel)
    comms_sheet(comms)
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
        "SOT23_6",
        "SOIC8",
        "LGA8_2.5MM",
        "XTAL_3225",
        "SW_SMD_4.2MM",
        "LQFP32_7MM",
        "PIN_4",
        "PIN_5",
        "TERM_2",
        "TERM_3",
        "HOLE_M2.5",
        "TP_1.5MM",
    )
    variables = {"BOARD": "Sensor hub", "COMPANY": "Copperbench", "DATE": "2026-01-15", "REVISION": "B"}
    classes = [netclass("Default"), netclass("CAN", priority=0), netclass("Power", track=0.4, priority=1)]
    save(
        p,
        parts.values(),
        settings(p, variables, classes, {"*CAN_P": "CAN", "*CAN_N": "CAN", "+*": "Power", "*VIN": "Power"}, RULES),
        folder,
    )
    places: dict[str, tuple[float, float, float]] = {
        "J1": (5.2, 13.0, 270),
        "F1": (13.0, 12.0, 0),
        "D1": (14.0, 16.5, 0),
        "Q1": (19.5, 12.5, 0),
        "R1": (20.5, 17.0, 0),
        "C1": (24.0, 13.0, 90),
        "U1": (28.5, 13.0, 0),
        "C2": (33.0, 13.0, 90),
        "R2": (13.0, 8.2, 0),
        "D2": (13.0, 5.0, 180),
        "C3": (22.0, 6.0, 90),
        "U2": (26.0, 6.0, 0),
        "C4": (22.5, 9.2, 0),
        "R3": (18.0, 8.0, 90),
        "C5": (30.0, 6.0, 90),
        "U3": (34.5, 6.0, 0),
        "C6": (38.5, 6.0, 90),
        "U4": (44.0, 27.0, 0),
        "Y1": (34.5, 25.5, 90),
        "C8": (31.0, 24.0, 180),
        "C9": (31.0, 27.0, 180),
        "C10": (37.2, 21.8, 0),
        "C12": (36.0, 29.5, 180),
        "C13": (36.0, 31.7, 180),
        "C7": (33.0, 35.0, 0),
        "C11": (52.0, 30.5, 0),
        "C14": (52.5, 34.0, 0),
        "R5": (39.0, 36.0, 90),
        "R6": (41.5, 36.0, 90),
        "R7": (44.0, 36.0, 90),
        "R8": (46.5, 36.0, 90),
        "SW1": (42.5, 12.0, 0),
        "R4": (42.0, 16.5, 0),
        "J2": (47.0, 3.2, 0),
        "D4": (49.5, 9.0, 90),
        "D5": (52.5, 9.0, 90),
        "D6": (55.5, 9.0, 90),
        "R19": (49.5, 13.7, 90),
        "R20": (52.5, 13.7, 90),
        "R21": (55.5, 13.7, 90),
        "J4": (45.0, 45.8, 0),
        "J3": (5.2, 29.0, 270),
        "R18": (11.5, 34.25, 270),
        "D3": (15.0, 34.25, 180),
        "U7": (26.0, 34.25, 180),
        "C19": (27.5, 39.2, 0),
        "R17": (21.5, 39.2, 180),
        "TP1": (14.0, 46.0, 0),
        "TP2": (19.0, 46.0, 0),
        "TP3": (24.0, 46.0, 0),
        "TP4": (29.0, 46.0, 0),
        "H1": (3.5, 3.5, 0),
        "H2": (72.5, 3.5, 0),
        "H3": (3.5, 46.5, 0),
        "H4": (72.5, 46.5, 0),
    }
    for (x, y), refs in (
        ((68.0, 15.0), "U5 Q2 Q3 R9 R10 R11 R12 C15 C16"),
        ((68.0, 35.0), "U6 Q4 Q5 R13 R14 R15 R16 C17 C18"),
    ):
        spots = [
            (0, 0, 0),
            (-7, -2.2, 180),
            (-7, 2.2, 180),
            (-10.5, -2.2, 90),
            (-3.2, -4.2, 0),
            (-10.5, 2.2, 90),
            (-3.2, 4.2, 0),
            (3.6, 1.8, 90),
            (3.6, -2.0, 90),
        ]
        places |= {ref: (x + dx, y + dy, a) for ref, (dx, dy, a) in zip(refs.split(), spots, strict=True)}
    labels = {"H1": (0, 3.3), "H2": (0, 3.3), "C12": (-2.7, 0), "C13": (-2.7, 0)}
    zones = [("GND", "F.Cu"), ("GND", "In1.Cu"), ("+3V3", "In2.Cu"), ("GND", "B.Cu")]
    board = Board(p, parts, (76, 50), places, zones, layers=4, ref_at=labels)
    board.place(folder)
    board.texts = [
        ("COPPERBENCH SENSOR HUB", 38.0, 41.5, 1.2),
        ("REV B", 38.0, 43.3, 1.0),
        ("5V", 9.8, 9.8, 0.8),
        ("CAN", 9.8, 38.8, 0.8),
    ]
    for net, points in (
        (
            "/Comms/CAN_N",
            ((23.3, 33.615), (21.9, 33.615), (21.465, 34.05), (16.75, 34.05), (16.0, 33.3), (9.5, 33.3), (5.2, 29.0)),
        ),
        (
            "/Comms/CAN_P",
            ((23.3, 34.885), (21.9, 34.885), (21.465, 34.45), (16.75, 34.45), (16.0, 35.2), (7.9, 35.2), (5.2, 32.5)),
        ),
    ):
        board.track(net, 0, 0.2, *points)
    failed = board.route(
        {"GND", "+3V3"}, dict.fromkeys(("+5V", "+3V3", "+3V3_SENS", "+1V8", "/Power/VIN", "Net-(F1-Pad1)"), 0.4)
    )
    board.save(folder / f"{NAME}.kicad_pcb")
    if failed:
        raise RuntimeError(f"not routed: {failed}")
