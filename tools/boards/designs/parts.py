"""Symbols and footprints of our boards: our own drawings, from pinouts and package dimensions."""

from __future__ import annotations

from boardkit import footprints as f
from boardkit.sexpr import Node
from boardkit.symbols import G, Pin, Symbol, chip, circle, line, rect

RULES = {
    "max_error": 0.005,
    "min_clearance": 0.15,
    "min_connection": 0.15,
    "min_copper_edge_clearance": 0.3,
    "min_hole_clearance": 0.25,
    "min_hole_to_hole": 0.25,
    "min_through_hole_diameter": 0.3,
    "min_track_width": 0.15,
    "min_via_annular_width": 0.1,
    "min_via_diameter": 0.5,
}


def two_pin(
    name: str,
    prefix: str,
    description: str,
    filters: str,
    inner: float,
    *art: Node,
    first: str = "1",
    second: str = "2",
) -> Symbol:
    """A vertical part: pin 1 on top, pin 2 below. `inner`: how far from the centre the leads end, in mm."""
    pins = (Pin("1", first, "p", 0, 2, 270, 2 - inner / G), Pin("2", second, "p", 0, -2, 90, 2 - inner / G))
    return Symbol(name, prefix, pins, art, (1, 1), description, filters)


def power(name: str) -> Symbol:
    """A supply bar, or the ground mark."""
    art = [line((0, 0), (0, 1.524)), line((-1.016, 1.524), (1.016, 1.524), width=0.3)]
    if name == "GND":
        art = [line((-w, y), (w, y)) for w, y in ((1.27, -1.27), (0.762, -1.778), (0.254, -2.286))] + [
            line((0, 0), (0, -1.27))
        ]
    pin = Pin("1", name, "w", 0, 0, 270 if name == "GND" else 90, 0)
    return Symbol(name, "#PWR", (pin,), tuple(art), (0, 0), f"Supply net {name}", bom=False, board=False)


def fet(name: str, description: str) -> Symbol:
    """An enhancement-mode MOSFET; `PMOS` points its arrow outwards."""
    arrow = (
        [(-0.1, 0.35), (-0.1, -0.35), (0.8, 0), (-0.1, 0.35)]
        if name == "PMOS"
        else [(0.5, 0.35), (0.5, -0.35), (-0.4, 0), (0.5, 0.35)]
    )
    art = [
        line((-1.27, 1.6), (-1.27, -1.6)),
        line((-0.6, 1.9), (-0.6, 0.7)),
        line((-0.6, 0.6), (-0.6, -0.6)),
        line((-0.6, -0.7), (-0.6, -1.9)),
        line((-0.6, 1.3), (2.54, 1.3), (2.54, 2.54)),
        line((-0.6, -1.3), (2.54, -1.3), (2.54, -2.54)),
        line((-0.6, 0), (1.2, 0), (1.2, -1.3)),
        line(*arrow, fill="outline"),
    ]
    pins = (Pin("1", "G", "p", -3, 0, 0, 2), Pin("3", "D", "p", 2, 3, 270, 1), Pin("2", "S", "p", 2, -3, 90, 1))
    return Symbol(name, "Q", pins, tuple(art), (2, 2), description, "SOT*", numbered=True)


def symbols(*names: str) -> dict[str, Symbol]:
    """The symbols of these names."""
    triangle, bar = line((-1.1, -1), (1.1, -1), (0, 0.9), (-1.1, -1)), line((-1.1, 0.9), (1.1, 0.9))
    can = line((-3.4, -1.6), (-3.4, -3.81), (3.4, -3.81), (3.4, -1.6))
    rays = [
        line(*points)
        for y in (0.2, -0.9)
        for points in (((1.5, y), (2.5, y + 1)), ((2.5, y + 1), (1.95, y + 0.85)), ((2.5, y + 1), (2.35, y + 0.45)))
    ]
    made = [
        two_pin("R", "R", "Resistor", "CHIP_*", 1.6, rect(0.85, 1.6)),
        two_pin(
            "C",
            "C",
            "Capacitor",
            "CHIP_*",
            0.4,
            line((-1.4, 0.4), (1.4, 0.4), width=0.35),
            line((-1.4, -0.4), (1.4, -0.4), width=0.35),
        ),
        two_pin("FUSE", "F", "Resettable fuse", "CHIP_*", 1.6, rect(0.85, 1.6), line((0, 1.6), (0, -1.6))),
        two_pin("LED", "D", "Light-emitting diode", "LED_*", 1.0, triangle, bar, *rays, first="K", second="A"),
        two_pin(
            "TVS",
            "D",
            "Transient suppressor, one direction",
            "SM*",
            1.0,
            triangle,
            line((-1.5, 0.5), (-1.1, 0.9), (1.1, 0.9), (1.5, 1.3)),
            first="K",
            second="A",
        ),
        two_pin(
            "BUTTON",
            "SW",
            "Push button, normally open",
            "SW_*",
            1.6,
            circle(0, 1.3, 0.3),
            circle(0, -1.3, 0.3),
            line((1.1, 1.5), (1.1, -1.5)),
            line((1.1, 0), (2, 0)),
        ),
        fet("PMOS", "P-channel MOSFET"),
        fet("NMOS", "N-channel MOSFET"),
        Symbol(
            "TESTPOINT",
            "TP",
            (Pin("1", "1", "p", 0, 0, 90, 1),),
            (circle(0, 1.9, 0.65),),
            (1, 2),
            "Test point",
            "TP_*",
            bom=False,
        ),
        Symbol("HOLE", "H", (), (circle(0, 0, 1.4), circle(0, 0, 0.7)), (1, 1), "Mounting hole", "HOLE_*", bom=False),
        Symbol(
            "PWR_FLAG",
            "#FLG",
            (Pin("1", "pwr", "W", 0, 0, 90, 0),),
            (line((0, 0), (0, 1.27), (-0.9, 1.9), (0, 2.54), (0.9, 1.9), (0, 1.27)),),
            (0, 0),
            "Tells the rule check that this net is supplied",
            bom=False,
            board=False,
        ),
        Symbol(
            "XTAL4",
            "Y",
            (
                Pin("1", "X1", "p", -4, 0, 0, 2),
                Pin("3", "X2", "p", 4, 0, 180, 2),
                Pin("2", "CASE", "p", -2, -5, 90, 2),
                Pin("4", "CASE", "p", 2, -5, 90, 2),
            ),
            (line((-2.54, 1.3), (-2.54, -1.3)), line((2.54, 1.3), (2.54, -1.3)), rect(1.7, 2.1), can),
            (3, 2),
            "Crystal in a four-pad case",
            "XTAL*",
            numbered=True,
        ),
        chip(
            "LDO_SOT23_5",
            "U",
            5,
            "Linear regulator",
            "SOT23_5",
            left="1:VIN:w 3:EN:i",
            right="5:VOUT:W 4:NC:n",
            bottom="2:GND:w",
        ),
        chip(
            "SHT31",
            "U",
            8,
            "Humidity and temperature sensor, I2C",
            "DFN8*",
            left="1:SDA:b 4:SCL:i 3:ALERT:o - -",
            right="6:~{RESET}:i - 2:ADDR:i - -",
            top="5:VDD:w",
            bottom="8:VSS:w 7:R:p 9:EP:p",
        ),
        chip(
            "BME280",
            "U",
            8,
            "Pressure, humidity and temperature sensor",
            "LGA8*",
            left="2:CSB:i - 3:SDI:b 4:SCK:i - 5:SDO:i",
            top="6:VDDIO:w - 8:VDD:w",
            bottom="1:GND:w - 7:GND:w",
        ),
        chip(
            "LOADSW_TPS22918",
            "U",
            5,
            "Load switch, 2 A",
            "SOT23_6",
            left="1:VIN:w 3:ON:i 4:CT:p",
            right="6:VOUT:W 5:QOD:p",
            bottom="2:GND:w",
        ),
        chip(
            "CAN_TRX",
            "U",
            6,
            "CAN transceiver, 3.3 V",
            "SOIC8",
            left="1:D:i 4:R:o 8:RS:i 5:VREF:o",
            right="6:CANL:b - 7:CANH:b",
            top="3:VCC:w",
            bottom="2:GND:w",
        ),
        chip("ESD_2LINE", "D", 3, "Two-line bus protection", "SOT23_3", top="1:IO1:p - 2:IO2:p", bottom="3:GND:p"),
        chip(
            "STM32F042K6",
            "U",
            13,
            "Cortex-M0 microcontroller with CAN",
            "LQFP32*",
            left="4:NRST:i 31:BOOT0:i - 2:PF0:b 3:PF1:b - 6:PA0:b 7:PA1:b 8:PA2:b 9:PA3:b "
            "10:PA4:b 11:PA5:b 12:PA6:b 13:PA7:b 18:PA8:b",
            right="29:PB6:b 30:PB7:b - 21:PA11:b 22:PA12:b - 19:PA9:b 20:PA10:b - 23:PA13:b 24:PA14:b 25:PA15:b "
            "- 26:PB3:b 27:PB4:b 28:PB5:b 14:PB0:b 15:PB1:b",
            top="1:VDD:w - 17:VDDIO2:w - 5:VDDA:w",
            bottom="16:VSS:w - 32:VSS:w",
        ),
        *(
            chip(
                f"CONN_{n}",
                "J",
                3,
                f"Connector, {n} pins",
                f"*_{n}",
                right=" ".join(f"{i}:{i}:p" for i in range(1, n + 1)),
            )
            for n in range(2, 7)
        ),
        *(power(n) for n in ("GND", "+5V", "+3V3", "+3V3_SENS", "+1V8")),
    ]
    known = {s.name: s for s in made}
    return {n: known[n] for n in names}


def footprints(*names: str) -> dict[str, f.Footprint]:
    """The footprints of these names."""
    made = [
        f.chip("CHIP_0603", (1.45, 1.75), (0.7, 0.95), (0.2, 0.5), "Chip part 0603, 1.6 x 0.8 mm"),
        f.chip("CHIP_0805", (1.85, 2.15), (1.1, 1.4), (0.25, 0.75), "Chip part 0805, 2.0 x 1.25 mm"),
        f.chip("CHIP_1206", (3.0, 3.4), (1.45, 1.75), (0.25, 0.75), "Chip part 1206, 3.2 x 1.6 mm"),
        f.chip("LED_0603", (1.5, 1.7), (0.7, 0.9), (0.2, 0.4), "Chip LED 0603, pin 1 is the cathode", polar=True),
        f.chip("SMA", (4.8, 5.6), (1.25, 1.65), (0.76, 1.52), "DO-214AC, pin 1 is the cathode", body=2.6, polar=True),
        f.two_rows(
            "SOT23_3", "SOT-23, three leads", 0.95, "1 - 2", "- 3 -", (2.1, 2.64), (0.3, 0.6), (0.3, 0.5), (1.3, 2.9)
        ),
        f.two_rows(
            "SOT23_5", "SOT-23, five leads", 0.95, "1 2 3", "4 - 5", (2.6, 3.0), (0.3, 0.6), (0.3, 0.5), (1.6, 2.9)
        ),
        f.two_rows(
            "SOT23_6", "SOT-23, six leads", 0.95, "1 2 3", "4 5 6", (2.6, 3.0), (0.3, 0.6), (0.3, 0.5), (1.6, 2.9)
        ),
        f.two_rows(
            "SOIC8",
            "SOIC, eight leads, 3.9 mm body",
            1.27,
            "1 2 3 4",
            "5 6 7 8",
            (5.8, 6.2),
            (0.4, 1.27),
            (0.31, 0.51),
            (3.9, 4.9),
        ),
        f.two_rows(
            "DFN8_2.5MM",
            "DFN, eight pads, 2.5 x 2.5 mm, exposed pad",
            0.5,
            "1 2 3 4",
            "5 6 7 8",
            (2.4, 2.6),
            (0.3, 0.4),
            (0.2, 0.3),
            (2.5, 2.5),
            (0.3, 0.0, -0.04),
            f.Pad("9", 0, 0, 1.0, 1.7, solid=True),
        ),
        f.two_rows(
            "LGA8_2.5MM",
            "LGA, eight pads, 2.5 x 2.5 mm",
            0.65,
            "1 2 3 4",
            "5 6 7 8",
            (2.2, 2.4),
            (0.45, 0.55),
            (0.3, 0.4),
            (2.5, 2.5),
            (0.1, 0.0, -0.02),
        ),
        f.two_rows(
            "XTAL_3225",
            "Crystal, four pads, 3.2 x 2.5 mm",
            1.7,
            "1 2",
            "3 4",
            (3.1, 3.3),
            (0.8, 1.0),
            (1.0, 1.2),
            (3.2, 2.5),
            (0.2, 0.0, 0.0),
        ),
        f.two_rows(
            "SW_SMD_4.2MM",
            "Push button with two leads, 4.2 x 3.3 mm",
            2.0,
            "1",
            "2",
            (5.0, 5.4),
            (0.5, 0.8),
            (1.3, 1.5),
            (4.2, 3.3),
            (0.4, 0.2, 0.1),
        ),
        f.quad(
            "LQFP32_7MM",
            "LQFP, 32 leads, 7 x 7 mm body, 0.8 mm pitch",
            0.8,
            32,
            (8.8, 9.2),
            (0.45, 0.75),
            (0.3, 0.45),
            7.0,
        ),
        f.header("PH_2", "Shrouded header, 2.0 mm pitch, 2 pins", 2, 2.0, 1.2, 0.75, (1.95, 1.7, 1.95, 2.8)),
        *(
            f.header(f"PIN_{n}", f"Pin header, 2.54 mm pitch, {n} pins", n, 2.54, 1.7, 1.0, (1.27, 1.27, 1.27, 1.27))
            for n in (4, 5, 6)
        ),
        *(
            f.header(f"TERM_{n}", f"Screw terminal, 3.5 mm pitch, {n} pins", n, 3.5, 2.0, 1.2, (1.75, 3.4, 1.75, 3.6))
            for n in (2, 3)
        ),
        f.spot("HOLE_M2.5", "Mounting hole for an M2.5 screw", 5.0, drill=2.7),
        f.spot("TP_1.5MM", "Round test pad, 1.5 mm", 1.5),
    ]
    known = {fp.name: fp for fp in made}
    return {n: known[n] for n in names}
