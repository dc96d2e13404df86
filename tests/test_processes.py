"""Waiting for a process: it is told when it ends, and not before."""

import subprocess
import sys

import pytest

from copperbench.processes import over_within

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells when a process ends")


def test_the_end_of_a_child_is_told_and_leaves_it_to_be_reaped():
    with subprocess.Popen([sys.executable, "-c", "raise SystemExit(7)"]) as child:
        assert over_within(child.pid, 600) is True
        assert child.wait() == 7


def test_a_child_that_goes_on_is_not_over():
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert over_within(child.pid, 0.01) is False
        child.communicate(b"")


def test_a_process_that_is_nobody_is_not_waited_for():
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        child.wait()
    assert over_within(child.pid, 600) is None
