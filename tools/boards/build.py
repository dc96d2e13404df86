"""Write one of our own boards: `python tools/boards/build.py BOARD FOLDER` (see the README beside this file)."""

from __future__ import annotations

import argparse
from pathlib import Path

from designs import ldo_sensor, sensor_hub

BOARDS = {design.NAME: design.build for design in (ldo_sensor, sensor_hub)}


def main() -> None:
    """Build the board that the command line names into FOLDER/BOARD."""
    parser = argparse.ArgumentParser(description="Write one of our own boards into FOLDER/BOARD.")
    parser.add_argument("board", choices=sorted(BOARDS))
    parser.add_argument("folder", type=Path)
    chosen = parser.parse_args()
    target = chosen.folder / chosen.board
    if target.exists():
        parser.error(f"{target} exists: name a folder without it")
    try:
        BOARDS[chosen.board](target)
    except RuntimeError as error:
        parser.exit(1, f"{error}\n")


if __name__ == "__main__":
    main()
