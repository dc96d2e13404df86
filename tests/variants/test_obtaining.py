"""A varied board that is not ours is made anew from its original, and its hash says whether it is the one."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from copperbench.errors import FixtureMismatch, SuiteError
from copperbench.suite import load_suite, tree_hash
from copperbench.variants import make_variant, regenerate

ROOT = Path(__file__).resolve().parents[2]
BOARD = "copperbench-ldo-sensor"


@pytest.fixture
def checkout(tmp_path):
    """A checkout whose LDO board counts as somebody else's: the variant's tree is not there."""
    for name in ("config/suite.yaml", "config/variants.yaml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for name in (f"fixtures/{BOARD}", f"fixtures/{BOARD}-v1", "tasks/do-raise-led-resistor"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.rmtree(tmp_path / f"fixtures/{BOARD}-v1/tree")
    return tmp_path


def edit(path, change):
    value = json.loads(path.read_bytes())
    change(value)
    path.write_text(json.dumps(value))


def test_the_tree_comes_out_with_the_hash_that_the_manifest_names(checkout):
    suite = load_suite(checkout)
    regenerate(suite, f"{BOARD}-v1")
    assert tree_hash(checkout / f"fixtures/{BOARD}-v1/tree") == suite.fixture(f"{BOARD}-v1").sha256


def test_a_tree_of_another_hash_is_not_put_in_place(checkout):
    edit(checkout / f"fixtures/{BOARD}-v1/fixture.json", lambda value: value.update(variant={"of": BOARD, "seed": 2}))
    with pytest.raises(FixtureMismatch, match="the tree's hash is"):
        regenerate(load_suite(checkout), f"{BOARD}-v1")
    assert not (checkout / f"fixtures/{BOARD}-v1/tree").exists()


def test_without_the_original_nothing_is_made(checkout):
    shutil.rmtree(checkout / f"fixtures/{BOARD}/tree")
    with pytest.raises(FixtureMismatch, match=f"copperbench fixture get {BOARD}"):
        make_variant(load_suite(checkout), "do-raise-led-resistor", 1, None)


def test_a_task_that_bears_the_variant_s_id_is_not_overwritten(checkout):
    shutil.copytree(checkout / "tasks/do-raise-led-resistor", checkout / "tasks/do-raise-led-resistor-v1")
    with pytest.raises(SuiteError, match="is there and no variant of do-raise-led-resistor"):
        make_variant(load_suite(checkout), "do-raise-led-resistor", 1, None)


def test_the_microphone_board_s_variant_is_made_from_an_obtained_original(shared, tmp_path):
    for name in ("config", "fixtures/antmicro-microphone-board", "fixtures/antmicro-microphone-board-v1"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("tree", "LICENSE"))
    verb = ["fixture", "get", "antmicro-microphone-board-v1", "--store", str(shared / "fixtures")]
    command = [sys.executable, "-c", "from copperbench.cli import main; main()", *verb]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=300)
    wanted = load_suite(tmp_path).fixture("antmicro-microphone-board-v1").sha256
    assert tree_hash(tmp_path / "fixtures/antmicro-microphone-board-v1/tree") == wanted
