"""Gold gives the same bytes wherever and whenever it runs: only run.json holds times (STANDARD 2, 12)."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

REPEATS = 20
TASK = "do-raise-led-resistor"
ZONES = ["UTC", "Asia/Kathmandu", "America/St_Johns", "Pacific/Kiritimati", "XYZ+11:30"]
LOCALES = ["C", "C.UTF-8", "POSIX", "tr_TR.UTF-8", "xx_XX"]
UMASKS = [0o000, 0o022, 0o027, 0o077]
ONE_RUN = Path(__file__).with_name("one_run.py")


def run(root, folder, number):
    temporary = folder / f"temporary {'x' * number}"
    temporary.mkdir(parents=True)
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(root),
        "PYTHONHASHSEED": str(number),
        "TZ": ZONES[number % len(ZONES)],
        "LC_ALL": LOCALES[number % len(LOCALES)],
        "TMPDIR": str(temporary),
        "HOME": str(temporary),
    }
    settings = [root, TASK, folder / f"checkout {number}", UMASKS[number % len(UMASKS)], number * 40_000_000]
    command = [sys.executable, ONE_RUN, *map(str, settings)]
    result = subprocess.run(command, env=environment, cwd=temporary, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_twenty_repeats_under_other_zones_locales_umasks_paths_and_clocks_are_one(root, tmp_path):
    with ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(lambda number: run(root, tmp_path, number), range(REPEATS)))
    assert len({each.pop("startedAt")[:4] for each in runs}) > 10, "the clocks were to be years apart"
    assert len(runs[0]["commits"]) == 1
    assert runs == [runs[0]] * REPEATS
