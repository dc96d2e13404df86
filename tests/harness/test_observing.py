"""What a run wrote into its transcript cannot be taken back."""

import os

import pytest

from copperbench.harness.observing import TranscriptObserver

LINE = b'{"ts":"t","type":"assistant","data":{}}\n'


@pytest.fixture
def runs(tmp_path):
    folder = tmp_path / ".copperhead/runs"
    folder.mkdir(parents=True)
    return folder


def observer(tmp_path, expected=1):
    return TranscriptObserver(tmp_path, expected, poll_s=60).start()


def write(runs, data, name="a", mode="wb"):
    (runs / name).mkdir(exist_ok=True)
    with (runs / name / "transcript.jsonl").open(mode) as file:
        file.write(data)


def test_what_grows_honestly_is_copied_whole(runs, tmp_path):
    watching = observer(tmp_path)
    write(runs, LINE[:10])
    watching.look()
    write(runs, LINE[10:] + LINE, mode="ab")
    seen = watching.stop()
    assert (seen.transcript, seen.tampered) == (LINE * 2, None)


def test_a_turn_that_was_half_written_at_a_look_is_counted_once(runs, tmp_path):
    watching = observer(tmp_path)
    for place in range(0, 2 * len(LINE), 7):
        write(runs, (LINE * 2)[place : place + 7], mode="ab")
        watching.look()
    watching.stop()
    assert watching.turns == 2


@pytest.mark.parametrize(
    ("then", "said"),
    [
        (LINE, "became shorter"),
        (LINE.replace(b"assistant", b"excellent") * 2, "differs from what was seen"),
        (None, "was removed"),
    ],
)
def test_a_transcript_that_contradicts_what_was_seen_is_tampered(runs, tmp_path, then, said):
    watching = observer(tmp_path)
    write(runs, LINE * 2)
    watching.look()
    if then is None:
        (runs / "a/transcript.jsonl").unlink()
    else:
        write(runs, then)
    seen = watching.stop()
    assert said in seen.tampered
    assert seen.transcript == LINE * 2


def test_a_run_folder_too_many_is_tampering(runs, tmp_path):
    watching = observer(tmp_path)
    write(runs, LINE)
    watching.look()
    write(runs, LINE, "forged")
    assert "a run folder more" in watching.stop().tampered


def test_the_stages_of_create_come_in_the_order_of_their_names(runs, tmp_path):
    watching = observer(tmp_path, 8)
    write(runs, b"1\n", "2026-01-01")
    write(runs, b"2\n", "2026-01-02")
    seen = watching.stop()
    assert (seen.transcript, seen.tampered) == (b"1\n2\n", None)


@pytest.mark.parametrize("place", [".copperhead", ".copperhead/runs", ".copperhead/runs/a"])
def test_no_link_is_followed_to_a_transcript(tmp_path, place):
    outside = tmp_path / "outside/runs/a"
    outside.mkdir(parents=True)
    (outside / "transcript.jsonl").write_bytes(LINE)
    root = tmp_path / "sandbox"
    target = {".copperhead": outside.parent.parent, ".copperhead/runs": outside.parent}.get(place, outside)
    (root / place).parent.mkdir(parents=True)
    (root / place).symlink_to(target)
    assert TranscriptObserver(root, poll_s=60).start().stop().transcript == b""


def test_a_pipe_in_the_place_of_a_transcript_hangs_nothing(runs, tmp_path):
    (runs / "a").mkdir()
    os.mkfifo(runs / "a/transcript.jsonl")
    assert observer(tmp_path).stop().transcript == b""
