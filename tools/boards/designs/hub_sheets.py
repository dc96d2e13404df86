"""The sensor hub: root, power, sensor channel and interface sheets."""

from __future__ import annotations

from boardkit.schematic import Sheet


def root(s: Sheet, power: Sheet, mcu: Sheet, channel: Sheet, comms: Sheet) -> None:
    """Root: four blocks, of which the sensor channel is placed twice."""
    s.child("Power", power, (16, 30), (30, 18), right="SENS_EN:input")
    s.child(
        "MCU",
        mcu,
        (66, 30),
        (36, 22),
        left="SENS_EN:output",
        right="SDA:bidirectional SCL:output - CAN_TX:output CAN_RX:input - LED[0..2]:output",
    )
    s.child("Channel A", channel, (140, 20), (34, 14), left="SDA:bidirectional SCL:input ADDR:input")
    s.child("Channel B", channel, (140, 48), (34, 14), left="SDA:bidirectional SCL:input ADDR:input")
    s.child("Comms", comms, (140, 76), (34, 16), left="CAN_TX:input CAN_RX:output - LED[0..2]:input")
    s.wire((46, 32), (66, 32))
    s.wire((102, 32), (120, 32))
    s.wire((140, 22), (120, 22), (120, 32), (120, 50), (140, 50))
    s.wire((102, 34), (124, 34))
    s.wire((140, 24), (124, 24), (124, 34), (124, 52), (140, 52))
    s.wire((102, 38), (116, 38), (116, 78), (140, 78))
    s.wire((102, 40), (112, 40), (112, 80), (140, 80))
    s.wire((102, 44), (108, 44), (108, 84), (140, 84), kind="bus")
    s.label("LED[0..2]", (122, 84))
    s.label("I2C_SDA", (106, 32))
    s.label("I2C_SCL", (106, 34))
    s.wire((140, 26), (132, 26), (132, 28))
    s.wire((140, 54), (132, 54), (132, 57))
    s.power("GND", (132, 28))
    s.power("+1V8", (132, 57), angle=180)
    s.text("Address 0x76", (142, 32))
    s.text("Address 0x77", (142, 60))
    for i in range(4):
        s.part("HOLE", f"H{i + 1}", "M2.5", (20 + 16 * i, 100), fp="HOLE_M2.5")


def power_sheet(s: Sheet) -> None:
    """5 V input, 3.3 V rail, and the switched rails of the sensors."""
    s.frame((12, 14), (200, 62), "5 V input and 3.3 V rail")
    s.part("CONN_2", "J1", "5V IN", (20, 36), fp="TERM_2", MPN="1984617")
    s.part("FUSE", "F1", "1.1A", (33, 35), 90, "CHIP_1206", MPN="MF-NSMF110-2")
    s.part("TVS", "D1", "SMAJ5.0A", (42, 39), fp="SMA", MPN="SMAJ5.0A")
    s.part("PMOS", "Q1", "AO3401A", (58, 37), 90, "SOT23_3", MPN="AO3401A", spots=((0, -6.2, ""), (0, -4.8, "")))
    s.part("R", "R1", "100k", (58, 44))
    s.part("C", "C1", "10uF", (72, 39), fp="CHIP_0805")
    s.part("LDO_SOT23_5", "U1", "TLV75733P", (96, 36), fp="SOT23_5", MPN="TLV75733PDBVR")
    s.part("C", "C2", "10uF", (112, 39), fp="CHIP_0805")
    s.part("R", "R2", "1k", (136, 39))
    s.part("LED", "D2", "GREEN", (136, 46), 180, "LED_0603")
    s.wire("J1.1", "F1.1")
    s.wire("F1.2", "Q1.3")
    s.wire((42, 35), "D1.1")
    s.label("VIN", (45, 35))
    s.wire("Q1.1", "R1.1")
    s.wire("Q1.2", "U1.1")
    s.wire((72, 35), "C1.1")
    s.wire("U1.3", (87, 37), (87, 35))
    s.wire("U1.5", (136, 35), "R2.1")
    s.wire((112, 35), "C2.1")
    s.wire("R2.2", "D2.2")
    s.wire("J1.2", (28, 37), (28, 43))
    for pin, x in (("D1.2", 42), ("C1.2", 72), ("U1.2", 96), ("C2.2", 112)):
        s.wire(pin, (x, 43))
        s.power("GND", (x, 43))
    s.power("GND", (28, 43), "R1.2", "D2.1", (168, 43))
    s.power("+5V", (72, 35))
    s.power("+3V3", (124, 35))
    s.power("PWR_FLAG", (80, 35), (168, 40))
    s.wire((168, 40), (168, 43))

    s.frame((12, 66), (200, 118), "Switched sensor rails")
    s.part("LOADSW_TPS22918", "U2", "TPS22918", (56, 84), fp="SOT23_6", MPN="TPS22918DBVR")
    s.part("C", "C3", "1uF", (32, 86))
    s.part("C", "C4", "1nF", (46, 90))
    s.part("C", "C5", "1uF", (74, 86))
    s.part("R", "R3", "100k", (30, 102))
    s.part("LDO_SOT23_5", "U3", "TLV75518P", (98, 83), fp="SOT23_5", MPN="TLV75518PDBVR")
    s.part("C", "C6", "1uF", (114, 86))
    s.wire((32, 82), "U2.1")
    s.wire((32, 82), "C3.1")
    s.wire("U2.3", (42, 84), (42, 98), (22, 98))
    s.wire((30, 98), "R3.1")
    s.wire("U2.4", (46, 86), "C4.1")
    s.wire("U2.6", "U3.1")
    s.wire("U2.5", (66, 84), (66, 82))
    s.wire((74, 82), "C5.1")
    s.wire("U3.3", (89, 84), (89, 82))
    s.wire("U3.5", (122, 82))
    s.wire((114, 82), "C6.1")
    s.port("SENS_EN", (22, 98), 180, "input")
    s.power("+3V3", (32, 82))
    s.power("+3V3_SENS", (74, 82))
    s.power("+1V8", (122, 82))
    s.power("GND", "C3.2", "C4.2", "C5.2", "C6.2", "R3.2", "U2.2", "U3.2")
    for i, net in enumerate(("+5V", "+3V3", "+1V8", "GND")):
        x = 146 + 12 * i
        s.part("TESTPOINT", f"TP{i + 1}", net, (x, 86), fp="TP_1.5MM")
        s.wire((x, 86), (x, 90))
        s.power(net, (x, 90), angle=0 if net == "GND" else 180)


def channel_sheet(s: Sheet) -> None:
    """One sensor behind level shifters; `A|B` are the references of the two channels."""
    for line, y, hi, lo, q in (("SDA", 60, "R9|R13", "R10|R14", "Q2|Q4"), ("SCL", 82, "R11|R15", "R12|R16", "Q3|Q5")):
        s.part("NMOS", q, "BSS138", (80, y + 2), 90, "SOT23_3", MPN="BSS138", spots=((0, -6.2, ""), (0, -4.8, "")))
        s.part("R", hi, "10k", (56, y - 5))
        s.part("R", lo, "10k", (98, y - 5))
        s.wire((30, y), f"{q.split('|')[0]}.3")
        s.port(line, (30, y), 180, "bidirectional" if line == "SDA" else "input")
        s.wire((56, y), f"{hi.split('|')[0]}.2")
        s.wire((98, y), f"{lo.split('|')[0]}.2")
        s.label(f"{line}_1V8", (86, y))
        s.power("+3V3_SENS", (56, y - 7))
        s.power("+1V8", (98, y - 7))
        s.power("+1V8", (80, y + 5), angle=180)
    s.part(
        "BME280",
        "U5|U6",
        "BME280",
        (132, 70),
        fp="LGA8_2.5MM",
        MPN="BME280",
        spots=((9, -0.7, "left"), (9, 0.7, "left")),
    )
    s.wire("Q2.2", (108, 60), (108, 69), "U5.3")
    s.wire("Q3.2", (112, 82), (112, 71), "U5.4")
    s.wire("U5.2", (120, 65))
    s.power("+1V8", (120, 65))
    s.port("ADDR", (30, 98), 180, "input")
    s.wire((30, 98), (118, 98), (118, 75), "U5.5")
    s.wire("U5.6", (130, 55), (134, 55), "U5.8")
    s.power("+1V8", (134, 55))
    s.part("C", "C15|C17", "100nF", (150, 60))
    s.part("C", "C16|C18", "100nF", (162, 60))
    s.wire((134, 55), (150, 55), (162, 55), "C16.1")
    s.wire((150, 55), "C15.1")
    s.wire("U5.1", (130, 82), (132, 82), (134, 82), "U5.7")
    s.power("GND", (132, 82), "C15.2", "C16.2")
    s.text("Level shift between the 3.3 V bus and the 1.8 V sensor", (30, 44), 1.778)


def comms_sheet(s: Sheet) -> None:
    """CAN, UART and the status lamps."""
    s.frame((12, 14), (200, 66), "CAN interface")
    s.part(
        "CAN_TRX",
        "U7",
        "SN65HVD230",
        (72, 40),
        fp="SOIC8",
        MPN="SN65HVD230DR",
        spots=((2, -8.0, "left"), (2, -6.4, "left")),
    )
    s.part("R", "R17", "10k", (50, 45))
    s.part("C", "C19", "100nF", (92, 29))
    s.part("R", "R18", "120", (106, 39), dnp=True)
    s.part(
        "ESD_2LINE",
        "D3",
        "PESD1CAN",
        (119, 54),
        fp="SOT23_3",
        MPN="PESD1CAN",
        spots=((4, -0.7, "left"), (4, 0.7, "left")),
    )
    s.part(
        "CONN_3",
        "J3",
        "CAN",
        (146, 39),
        fp="TERM_3",
        mirror=True,
        MPN="1984620",
        spots=((3, -6.5, "right"), (3, -5.1, "right")),
    )
    for pin, name, shape in (("1", "CAN_TX", "input"), ("4", "CAN_RX", "output")):
        y = s.point(f"U7.{pin}")[1]
        s.wire((34, y), f"U7.{pin}")
        s.port(name, (34, y), 180, shape)
    s.wire("U7.8", (50, 41), "R17.1")
    s.no_connect("U7.5")
    s.wire("U7.3", (72, 25), (92, 25), "C19.1")
    s.power("+3V3", (72, 25))
    s.power("GND", "C19.2", "R17.2", "U7.2", "D3.3")
    s.wire("U7.6", "J3.1")
    s.wire("U7.7", (128, 41), (128, 39), "J3.2")
    s.label("CAN_N", (84, 37))
    s.label("CAN_P", (84, 41))
    s.wire("D3.1", (117, 41))
    s.wire("D3.2", (121, 37))
    s.wire("J3.3", (136, 41), (136, 45))
    s.power("GND", (136, 45))

    s.frame((12, 70), (62, 114), "UART header")
    s.part("CONN_4", "J4", "UART", (22, 88), fp="PIN_4")
    s.wire("J4.1", (32, 85))
    s.power("+3V3", (32, 85))
    for pin, name, shape in (("2", "UART_TX", "input"), ("3", "UART_RX", "output")):
        x, y = s.point(f"J4.{pin}")
        s.wire((x, y), (x + 9, y))
        s.label(name, (x + 9, y), 0, "global_label", shape)
    s.wire("J4.4", (32, 91), (32, 94))
    s.power("GND", (32, 94))

    s.frame((68, 70), (200, 114), "Status LEDs")
    s.port("LED[0..2]", (86, 82), 180, "input")
    s.wire((86, 82), (92, 82), (92, 84), (92, 92), (92, 100), kind="bus")
    for i, (ref, led, colour) in enumerate((("R19", "D4", "RED"), ("R20", "D5", "YELLOW"), ("R21", "D6", "GREEN"))):
        y = 86 + 8 * i
        s.entry((92, y - 2), (94, y))
        s.part("R", ref, "1k", (108, y), 90)
        s.part("LED", led, colour, (124, y), 270, "LED_0603", spots=((0, -2.1, ""), (0, 3.3, "")))
        s.wire((94, y), f"{ref}.1")
        s.label(f"LED{i}", (97, y))
        s.wire(f"{ref}.2", f"{led}.2")
        s.wire(f"{led}.1", (140, y))
    s.wire((140, 86), (140, 94), (140, 102), (140, 105))
    s.power("GND", (140, 105))
