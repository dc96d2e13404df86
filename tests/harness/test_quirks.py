"""What a harness version needs done to the starting state is done there, and only there."""

import json

import pytest

from copperbench.harness.quirks import apply_quirks, quirks_of
from copperbench.suite import HarnessEntry, Quirk, load_fixture

SILENCE = "silence-standing-violations"


@pytest.mark.parametrize(("version", "found"), [("0.9.0", (SILENCE,)), ("0.9.12", (SILENCE,)), ("0.10.0", ())])
def test_a_quirk_belongs_to_versions(version, found):
    harness = HarnessEntry("h", ("h",), {}, quirks=(Quirk(SILENCE, ("0.9.*",)),))
    assert quirks_of(harness, version) == found


def test_every_standing_type_is_silenced_and_nothing_else(root, tmp_path):
    fixture = load_fixture(root / "fixtures/antmicro-microphone-board")
    place = tmp_path / fixture.project
    place.parent.mkdir(parents=True)
    before = {"erc": {"rule_severities": {"pin_not_driven": "error"}}, "board": {"design_settings": {}}, "meta": 1}
    place.write_text(json.dumps(before))
    apply_quirks((SILENCE,), tmp_path, fixture)
    after = json.loads(place.read_text())
    standing = {*fixture.erc.error_types, *fixture.erc.warning_types} - {"pin_not_driven"}
    silenced = {name for name, severity in after["erc"]["rule_severities"].items() if severity == "ignore"}
    assert silenced - {"pin_not_driven"} == standing
    assert after["meta"] == 1
    assert after["board"]["design_settings"]["rule_severities"]


def test_a_silent_board_is_left_alone(root, tmp_path):
    apply_quirks((SILENCE,), tmp_path, load_fixture(root / "fixtures/copperbench-ldo-sensor"))
    assert list(tmp_path.iterdir()) == []
