"""The sensor hub: microcontroller sheet."""

from __future__ import annotations

from boardkit.schematic import Sheet


def mcu_sheet(s: Sheet) -> None:
    """Microcontroller with clock, reset, identity straps and debug header."""
    s.part(
        "STM32F042K6",
        "U4",
        "STM32F042K6T6",
        (112, 75),
        fp="LQFP32_7MM",
        MPN="STM32F042K6T6",
        spots=((6, -21.6, "left"), (6, -20.2, "left")),
    )
    s.wire("U4.1", (108, 50), (112, 50), (116, 50), "U4.5")
    s.wire("U4.17", (112, 50))
    s.power("+3V3", (112, 50))
    s.wire("U4.16", (110, 98), (112, 98), (114, 98), "U4.32")
    s.power("GND", (112, 98))
    for pin, name in (("4", "NRST"), ("31", "BOOT0"), ("2", "OSC_IN"), ("3", "OSC_OUT"), ("9", "ID0"), ("10", "ID1")):
        x, y = s.point(f"U4.{pin}")
        s.wire((x, y), (x - 6, y))
        s.label(name, (x - 6, y), 180)
    s.no_connect(*(f"U4.{n}" for n in ("6", "7", "8", "11", "12", "13", "25", "14", "15")))
    for pin, name, shape in (
        ("18", "SENS_EN", "output"),
        ("29", "SCL", "output"),
        ("30", "SDA", "bidirectional"),
        ("21", "CAN_RX", "input"),
        ("22", "CAN_TX", "output"),
    ):
        x, y = s.point(f"U4.{pin}")
        out = x - 8 if pin == "18" else x + 8
        s.wire((x, y), (out, y))
        s.port(name, (out, y), 180 if pin == "18" else 0, shape)
    for pin, name, shape in (("19", "UART_TX", "output"), ("20", "UART_RX", "input")):
        x, y = s.point(f"U4.{pin}")
        s.wire((x, y), (x + 8, y))
        s.label(name, (x + 8, y), 0, "global_label", shape)
    for pin, name in (("23", "SWDIO"), ("24", "SWCLK")):
        x, y = s.point(f"U4.{pin}")
        s.wire((x, y), (x + 4, y))
        s.label(name, (x + 4, y))
    for pin, name in (("26", "LED0"), ("27", "LED1"), ("28", "LED2")):
        x, y = s.point(f"U4.{pin}")
        s.wire((x, y), (x + 10, y))
        s.label(name, (x + 3, y))
        s.entry((x + 10, y), (x + 12, y + 2))
    s.wire((139, 86), (139, 88), (139, 90), (139, 98), (146, 98), kind="bus")
    s.port("LED[0..2]", (146, 98), 0, "output")

    s.frame((12, 12), (78, 50), "Reset and boot")
    s.part("C", "C7", "100nF", (30, 32))
    s.part("BUTTON", "SW1", "BOOT", (56, 25), fp="SW_SMD_4.2MM")
    s.part("R", "R4", "10k", (56, 35))
    s.wire((22, 28), (30, 28), "C7.1")
    s.label("NRST", (22, 28))
    s.wire("SW1.2", (56, 30), "R4.1")
    s.wire((56, 30), (60, 30))
    s.label("BOOT0", (60, 30))
    s.power("+3V3", "SW1.1")
    s.power("GND", "C7.2", "R4.2")

    s.frame((12, 54), (78, 84), "8 MHz clock")
    s.part(
        "XTAL4", "Y1", "8MHz", (46, 66), fp="XTAL_3225", MPN="ABM8-8.000MHZ-B2-T", spots=((0, -4.2, ""), (0, -2.8, ""))
    )
    s.wire("Y1.2", (46, 71), "Y1.4")
    s.wire((46, 71), (46, 73))
    s.part("C", "C8", "12pF", (32, 70))
    s.part("C", "C9", "12pF", (62, 70))
    s.wire((20, 66), "Y1.1")
    s.wire((32, 66), "C8.1")
    s.wire("Y1.3", (68, 66))
    s.wire((62, 66), "C9.1")
    s.label("OSC_IN", (20, 66))
    s.label("OSC_OUT", (68, 66))
    s.power("GND", "C8.2", "C9.2", (46, 73))

    s.frame((12, 88), (78, 124), "Board identity straps")
    for i in range(2):
        x = 30 + 26 * i
        s.part("R", f"R{5 + 2 * i}", "10k", (x, 102), dnp=True)
        s.part("R", f"R{6 + 2 * i}", "10k", (x, 112))
        s.wire((x, 104), (x, 107), (x, 110))
        s.wire((x, 107), (x + 5, 107))
        s.label(f"ID{i}", (x + 5, 107))
        s.power("+3V3", (x, 100))
        s.power("GND", (x, 114))

    s.frame((140, 12), (216, 50), "Supply decoupling")
    for i, (ref, value) in enumerate(
        (("C10", "100nF"), ("C11", "100nF"), ("C12", "100nF"), ("C13", "1uF"), ("C14", "10uF"))
    ):
        x = 150 + 12 * i
        s.part("C", ref, value, (x, 32), fp="CHIP_0805" if ref == "C14" else "CHIP_0603")
        s.wire((x, 26), (x, 30))
        s.wire((x, 34), (x, 38))
    s.wire((150, 26), (162, 26), (174, 26), (186, 26), (198, 26))
    s.wire((150, 38), (162, 38), (174, 38), (186, 38), (198, 38))
    s.power("+3V3", (174, 26))
    s.power("GND", (174, 38))

    s.frame((160, 60), (216, 98), "Debug header")
    s.part("CONN_5", "J2", "SWD", (172, 78), fp="PIN_5")
    s.wire("J2.1", (182, 74))
    s.power("+3V3", (182, 74))
    for pin, name in (("2", "SWDIO"), ("3", "SWCLK"), ("4", "NRST")):
        x, y = s.point(f"J2.{pin}")
        s.wire((x, y), (x + 6, y))
        s.label(name, (x + 6, y))
    s.wire("J2.5", (182, 82), (182, 84))
    s.power("GND", (182, 84))
