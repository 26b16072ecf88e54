"""A task in a process of its own: its answer, and every way in which it may give none."""

import multiprocessing
import os
import signal
import sys
import threading
import time

import pytest

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
        in_a_child(task, 0.3)
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
def test_what_a_child_waits_for_a_core_is_not_the_time_of_who_waits_for_it():
    others = [multiprocessing.get_context("fork").Process(target=_spin) for _ in range(3 * os.cpu_count())]
    for other in others:
        other.start()
    try:
        own, clock = OwnTime(), time.monotonic()
        in_a_child(busy, 60.0)
        assert time.monotonic() - clock > own.seconds + 0.2  # the machine was busy
        assert own.seconds < 1.0
    finally:
        for other in others:
            other.kill(), other.join()


def _spin():
    while True:
        pass


def test_a_system_without_forks_is_told_of(monkeypatch):
    monkeypatch.delattr(os, "fork")
    with pytest.raises(Lost, match="does not fork"):
        in_a_child(changes, 1.0)
