"""A measurement ends in its own time, whatever runs beside it."""

import functools
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import polhode as ph
from polhode.testbench.certificate import certify
from polhode.testbench.certificate.running import guard
from polhode.testbench.certificate.running.guard import Refused, TimeUp, guarded
from polhode.testbench.certificate.running.look import Look
from tests.testbench.certificate.adversary import third


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


def some():
    return sum(range(1000))


def catches_everything():
    while True:
        try:
            some()
        except:  # noqa: E722
            some()


def catches_everything_and_tries_again():
    while True:
        try:
            catches_everything()
        except BaseException:
            continue


def catches_everything_and_sleeps():
    while True:
        try:
            time.sleep(0.01)
        except:  # noqa: E722
            continue


@pytest.mark.parametrize(
    "loop", (catches_everything, catches_everything_and_tries_again, catches_everything_and_sleeps)
)
def test_a_loop_that_catches_everything_is_ended(loop):
    before = signal.getsignal(signal.SIGALRM)
    assert guarded(loop, 0.2) == (None, "did not return within 0.2 s")
    assert signal.getsignal(signal.SIGALRM) is before and signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_a_loop_that_catches_everything_is_ended_in_another_thread():
    assert in_a_thread(lambda: guarded(catches_everything, 0.2)) == (None, "did not return within 0.2 s")
    assert in_a_thread(lambda: guarded(some, 5.0)) == (sum(range(1000)), "")


@pytest.mark.parametrize("place", (lambda task: task(), in_a_thread), ids=("main thread", "another thread"))
def test_what_ends_just_when_its_time_is_over_leaves_nothing_behind(place):
    def busy(seconds):
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            pass

    def many():
        return {guarded(functools.partial(busy, k * 1e-5), 1e-3)[1] for k in range(200)} | {guarded(some, 5.0)[1]}

    assert place(many) <= {"", "did not return within 0.001 s"}
    time.sleep(0.05)
    assert not [t for t in threading.enumerate() if "_watch" in t.name]


def test_certificates_in_threads_wait_for_each_other(monkeypatch):
    under_way, most = [], []

    def measured(method, *options):
        under_way.append(method)
        time.sleep(0.02)
        most.append(len(under_way))
        under_way.remove(method)

    monkeypatch.setattr(certify, "_measured", measured)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(ph.certify, [third.right, panics, some, "VLV"]))
    assert most == [1, 1, 1, 1]


class Panic(BaseException):
    """What PyO3 raises where a library in Rust panics."""


def panics(problem, Q, Omega, h, t):
    raise Panic("index out of bounds")


def test_a_panic_is_an_answer():
    p = ph.problem("stress")
    assert guarded(lambda: panics(p, p.Q0, p.Omega0, 0.1, 0.0), 1.0) == (None, "raised Panic: index out of bounds")
    with pytest.raises(Refused, match=r"raised Panic at h = 0\.1"):
        Look(panics).run(p, p.Q0, p.Omega0, 0.1, 1, 0.0)


def test_the_end_of_a_measurement_is_no_answer(monkeypatch):
    look, p = Look(panics), ph.problem("stress")
    for end in (TimeUp, KeyboardInterrupt):

        def ended(*given, end=end):
            raise end

        monkeypatch.setattr(look, "_advanced", ended)
        with pytest.raises(end):
            look.run(p, p.Q0, p.Omega0, 0.1, 1, 0.0)
    with pytest.raises(KeyboardInterrupt):
        guarded(ended, 1.0)


class TidiesUpSlowly:
    """Its end takes longer than the guard allows, so that TimeUp is raised in it first, where nobody catches it."""

    def __del__(self):
        until = time.monotonic() + 1.0
        while time.monotonic() < until:
            pass


def tidies_up():
    thing = TidiesUpSlowly()
    del thing
    while True:
        pass


class FailsToTidyUp:
    def __del__(self):
        raise ValueError("its own")


def test_time_that_is_up_while_python_tidies_up_is_not_printed(monkeypatch):
    told = []
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: told.append(unraisable.exc_type))
    hook = sys.unraisablehook
    assert guarded(tidies_up, 0.2) == (None, "did not return within 0.2 s")
    assert told == [] and sys.unraisablehook is hook
    guarded(lambda: bool(FailsToTidyUp()), 1.0)
    assert told == [ValueError]


def test_what_nobody_has_thought_of_costs_one_certificate_of_several(monkeypatch):
    whole = certify.certify

    def breaks(method, **options):
        if method is panics:
            raise AttributeError("nobody has thought of this")
        return whole(method, **options)

    monkeypatch.setattr(certify, "certify", breaks)
    lost, kept = certify.certified([panics, third.right], False, False, None, 1e-9)
    assert lost.summary == "Nothing was measured: AttributeError('nobody has thought of this')" and kept.properties
