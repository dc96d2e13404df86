"""Promises of the harness's parts, each by itself: redaction, replies, putting a tree back, gates."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from copperbench.agent.gates import Gates
from copperbench.agent.provider import ProviderError, parse_reply
from copperbench.agent.redaction import MARK, Redactor
from copperbench.agent.repository import Repository
from copperbench.suite import find_credentials

KEYS = [
    "sk-" + "a1B2" * 6,
    "sk-short123",
    "AIza" + "x" * 24,
    "Bearer " + "t" * 20,
    "bearer\n" + "t" * 20,
    "npm_" + "y" * 40,
    "ghp_" + "z" * 40,
    "github_pat_" + "q" * 30,
    "gsk_" + "w" * 24,
]


@pytest.mark.parametrize("key", KEYS)
def test_a_key_is_redacted_within_json_and_outside(key):
    hide = Redactor()
    assert hide(json.dumps({"text": f"it is {key}!"})) == json.dumps({"text": f"it is {MARK}!"})
    assert hide(f"it is {key}!") == f"it is {MARK}!"


def test_a_handed_secret_is_redacted_whatever_it_looks_like():
    secret = 'p"ss\\word 123'
    line = json.dumps({"text": f"<{secret}>"})
    assert json.loads(Redactor([secret])(line)) == {"text": f"<{MARK}>"}


@pytest.mark.parametrize(
    "word", ["risk-free-operation-of-the-board", "solder-mask-opening-too-small", "task-list-of-it"]
)
def test_ordinary_words_stay(word):
    assert Redactor()(word) == word


@given(st.text(), st.sampled_from(KEYS), st.text())
def test_redaction_leaves_no_credential_and_keeps_json_readable(before, key, after):
    line = Redactor()(json.dumps({"text": f"{before} {key} {after}"}))
    assert isinstance(json.loads(line)["text"], str)
    assert find_credentials(line.encode()) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
CALL = st.fixed_dictionaries({}, optional={"id": JSON, "function": JSON | st.fixed_dictionaries({"arguments": JSON})})
MESSAGE = st.fixed_dictionaries({}, optional={"content": JSON, "tool_calls": JSON | st.lists(CALL, max_size=3)})
BODY = st.fixed_dictionaries({"choices": st.lists(st.fixed_dictionaries({"message": JSON | MESSAGE}), max_size=2)})


@given(JSON | BODY)
@example({"choices": [{"message": {"tool_calls": [{"function": {"name": "x", "arguments": "[" * 3000}}]}}]})
@example({"choices": [{"message": {"tool_calls": [None]}}]})
@example({"choices": [{"message": {"content": "\ud800"}}]})
def test_any_reply_is_a_turn_or_a_provider_error(body):
    try:
        reply = parse_reply(json.dumps(body).encode(), 0)
    except ProviderError:
        return
    json.dumps(reply.as_message(), ensure_ascii=False).encode("utf-8")


@given(st.binary())
def test_any_bytes_are_a_turn_or_a_provider_error(body):
    try:
        parse_reply(body, 0)
    except ProviderError:
        return


NAMES = st.sampled_from(["a.txt", "docs/SPEC.md", "new/deep/x", "docs", ".gitignore", "ignored.kicad_prl", "link"])
DEEDS = st.lists(st.tuples(st.sampled_from(["write", "delete", "folder", "link", "chmod"]), NAMES), max_size=12)


@given(DEEDS)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_was_done_a_tree_is_put_back(project, snapshot_of, deeds):
    repository = Repository(project)
    before, kept = snapshot_of(project), repository.snapshot()
    for deed, name in deeds:
        _do(deed, project / name, project)
    repository.restore(kept)
    assert snapshot_of(project) == before


@pytest.fixture
def snapshot_of():
    def states(root: Path):
        return {
            path.relative_to(root).as_posix(): (path.lstat().st_mode, path.read_bytes() if path.is_file() else b"")
            for path in root.rglob("*")
            if ".git" not in path.relative_to(root).parts
        }

    return states


def _do(deed: str, place: Path, root: Path) -> None:
    try:
        if deed == "write":
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("x")
        elif deed == "delete":
            place.unlink()
        elif deed == "folder":
            place.mkdir(parents=True)
        elif deed == "link":
            place.symlink_to(root / "docs")
        elif place.is_file() and not place.is_symlink():
            place.chmod(0o777)
    except OSError:
        pass


EVERYTHING = frozenset({"propose_change", "validate_change", "run_erc", "run_drc", "check_drift", "resolve_affected"})


def test_a_board_edit_asks_for_all_three_checks():
    gates = Gates(EVERYTHING, 5)
    gates.edited("hw/x.kicad_pcb")
    assert {each.kind for each in gates.open} == {"erc", "drc", "drift"}


def test_a_later_edit_opens_again_what_was_verified():
    gates = Gates(EVERYTHING, 5)
    gates.edited("x.kicad_sch")
    gates.checked("erc", passed=True)
    gates.edited("x.kicad_sch")
    assert "erc" in {each.kind for each in gates.open}


def test_what_the_model_has_no_tool_for_is_not_asked_of_it():
    gates = Gates(frozenset({"edit_file"}), 5)
    gates.edited("x.kicad_pcb")
    assert gates.blockers() == ""


def test_the_check_after_the_last_allowed_one_exhausts():
    gates = Gates(EVERYTHING, 2)
    exhausted = []
    for _ in range(3):
        gates.checked("erc", passed=False)
        exhausted.append(gates.exhausted)
    assert exhausted == [False, False, True]
