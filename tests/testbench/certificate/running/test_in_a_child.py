"""A task in a process of its own: its answer, and every way in which it may give none."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from polhode.testbench.certificate.running import in_a_child as module
from polhode.testbench.certificate.running.guard import OwnTime, guarded, waited
from polhode.testbench.certificate.running.in_a_child import Lost, in_a_child

KEPT = [0]


def changes():
    KEPT.append(1)
    print("said by the child")
    sys.stderr.write("and this")
    return os.getpid(), KEPT


def test_what_a_child_changes_and_prints_is_its_own_matter(capfd):
    sys.stdout.write("before, ")  # in a buffer, which the child has, too
    child, kept = in_a_child(changes, 10.0)
    print("after")
    assert child != os.getpid() and kept == [0, 1] and KEPT == [0]
    assert capfd.readouterr() == ("before, after\n", "")


@pytest.fixture
def children(monkeypatch):
    """The processes that are forked off."""
    fork, found = os.fork, []

    def forked():
        child = fork()
        found.append(child)
        return child

    monkeypatch.setattr(os, "fork", forked)
    return found


def is_gone(process):
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
    return True


def raises():
    raise ZeroDivisionError("of its own")


def crashes():
    os.kill(os.getpid(), signal.SIGSEGV)


def leaves():
    os._exit(3)


@pytest.mark.parametrize(
    "task, words",
    [
        (raises, "raised ZeroDivisionError: of its own"),
        (crashes, "ended without an answer"),
        (leaves, "ended without an answer"),
        (lambda: lambda: 1, "raised"),  # an answer that does not pickle
        (lambda: time.sleep(60), "did not return within 0.3 s"),
    ],
)
def test_a_child_that_gives_nothing_is_told_of(task, words, children):
    with pytest.raises(Lost, match=words):
        in_a_child(task, 0.3 if "return" in words else 30.0)
    assert len(children) == 1 and is_gone(children[0])


def test_a_child_ends_with_the_measurement_that_it_belongs_to(children):
    assert guarded(lambda: in_a_child(lambda: time.sleep(60), 50.0), 0.3) == (None, "did not return within 0.3 s")
    assert len(children) == 1 and is_gone(children[0])


def test_a_thread_may_have_a_child_in_which_signals_work():
    answers = []
    task = lambda: guarded(lambda: time.sleep(60), 0.2)
    thread = threading.Thread(target=lambda: answers.append(in_a_child(task, 10.0)))
    thread.start(), thread.join()
    assert answers == [(None, "did not return within 0.2 s")]


def busy():
    until = time.process_time() + 0.4
    while time.process_time() < until:
        pass


@pytest.mark.skipif(waited(threading.get_native_id()) is None, reason="this system does not tell who waits for a core")
def test_what_a_child_waits_for_a_core_is_not_the_time_of_who_waits_for_it(monkeypatch):
    monkeypatch.setattr(module, "waited", lambda child: 0.25)
    own, clock = OwnTime(), time.monotonic()
    in_a_child(busy, 60.0)
    assert own.seconds < time.monotonic() - clock - 0.25 and own.seconds > 0.1


def test_a_signal_comes_neither_before_the_fork_is_done_nor_before_the_end(children):
    signal.signal(signal.SIGALRM, _interrupted)
    try:
        for delay in (1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 0.1):
            with pytest.raises(KeyboardInterrupt):
                signal.setitimer(signal.ITIMER_REAL, delay)
                in_a_child(lambda: time.sleep(60), 60.0)
                time.sleep(60)
            assert all(is_gone(child) for child in children)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    logging.getLogger("any").warning("its lock is free")


def _interrupted(*_):
    raise KeyboardInterrupt


def test_closed_standard_streams_are_no_crash():
    code = (
        "import os; os.close(0); os.close(1); from polhode.testbench.certificate.running.in_a_child import in_a_child; "
    )
    code += "os.write(2, str(in_a_child(lambda: 7, 10.0)).encode())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr == "7"


def test_a_system_without_forks_is_told_of(monkeypatch):
    monkeypatch.delattr(os, "fork")
    with pytest.raises(Lost, match="does not fork"):
        in_a_child(changes, 1.0)
