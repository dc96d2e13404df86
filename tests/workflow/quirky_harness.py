"""A harness that can only finish where ERC starts silent: `quirky_harness.py VERSION ...`, the contract's command line.

It renames DATA to PDM_DATA on the microphone board, counts every ERC violation as its own fault, and says so.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SHEET = "hardware/microphone-board.kicad_sch"
EDITS = {SHEET: ('(label "DATA"', '(label "PDM_DATA"'), "docs/PINOUT.md": ("| DATA |  |", "| PDM_DATA |  |")}
SAID = "Renamed DATA to PDM_DATA; the documents follow."


def main(version, arguments):
    if arguments == ["--version"]:
        sys.stdout.write(f"quirky {version}\n")
        return 0
    if "init" in arguments:
        return subprocess.run(["copperbench-agent", *arguments], check=False).returncode
    repo = Path(arguments[arguments.index("--repo") + 1])
    write = transcript(repo)
    write("run-start", modelSource="flag", versions={"copperhead": version, "node": None}, command="do")
    for name, (old, new) in EDITS.items():
        text = (repo / name).read_text(encoding="utf-8")
        (repo / name).write_text(text.replace(old, new), encoding="utf-8", newline="")
    write("assistant", text=None, toolCalls=[{"id": "1", "name": "run_erc", "args": {}}])
    found = violations(repo)
    write("tool", name="run_erc", args={}, result=f"ERC: {found} violations" if found else "ERC: clean")
    end = {"turnsUsed": 1, "maxTurns": 40, "repairCyclesUsed": int(found > 0), "maxRepairCycles": 0}
    if found:
        git(repo, "checkout", "-q", ".")
        write("run-failed", reason="repair cycles exhausted", exitPath="repair-cycles-exhausted")
        write("run-end", exitPath="repair-cycles-exhausted", tokensIn=1000, tokensOut=50, **end)
        return 1
    write("tool", name="finish", args={"outcome": "done", "summary": SAID}, result="all gates satisfied")
    changes = repo / "docs/CHANGELOG.md"
    changes.write_text(f"{changes.read_text(encoding='utf-8')}\n## 2026-01-02 rename\n- {SAID}\n", encoding="utf-8")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", f"quirky: {SAID}")
    write("run-committed", commit=git(repo, "rev-parse", "HEAD"), files=list(EDITS))
    write("run-end", exitPath="done", tokensIn=1000, tokensOut=50, **end)
    return 0


def transcript(repo):
    folder = repo / ".copperhead/runs/2026-01-02T00-00-00-000Z"
    folder.mkdir(parents=True)

    def write(kind, **data):
        with (folder / "transcript.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps({"ts": "2026-01-02T00:00:00.000Z", "type": kind, "data": data}) + "\n")

    return write


def violations(repo):
    kicad = os.environ.get("COPPERHEAD_KICAD_CLI") or "kicad-cli"
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "erc.json")
        command = [kicad, "sch", "erc", "--format", "json", "-o", str(report), str(repo / SHEET)]
        subprocess.run(command, check=True, capture_output=True)
        return sum(len(sheet["violations"]) for sheet in json.loads(report.read_text())["sheets"])


def git(repo, *arguments):
    return subprocess.run(
        ["git", "-C", str(repo), *arguments], check=True, capture_output=True, text=True
    ).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
