"""A measurement ends in its own time, whatever runs beside it."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from polhode.testbench.certificate.running import guard
from polhode.testbench.certificate.running.guard import guarded


def test_a_step_that_never_returns_is_ended():
    def never():
        while True:
            pass

    assert guarded(never, 0.2) == (None, "did not return within 0.2 s")
    assert guarded(lambda: 1 / 0, 1.0) == (None, "raised ZeroDivisionError: division by zero")


def in_a_thread(task):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(task).result()


@pytest.mark.parametrize("place", (lambda task: task(), in_a_thread), ids=("main thread", "another thread"))
def test_waiting_for_a_core_does_not_count(monkeypatch, place):
    def busy():
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            pass
        return "done"

    monkeypatch.setattr(guard, "waited", lambda thread: 0.9 * time.monotonic())  # a tenth of a core
    assert place(lambda: guarded(busy, 0.2)) == ("done", "")
    monkeypatch.setattr(guard, "waited", lambda thread: 0.0)
    assert place(lambda: guarded(busy, 0.2)) == (None, "did not return within 0.2 s")
    monkeypatch.setattr(guard, "waited", lambda thread: None)  # a system that does not tell
    assert place(lambda: guarded(lambda: time.sleep(0.1) or "slept", 5.0)) == ("slept", "")


def test_the_system_tells_how_long_a_thread_has_waited_or_nothing():
    told = guard.waited(threading.get_native_id())
    assert told is None or 0 <= told < time.monotonic()
    assert guard.waited(-1) is None
