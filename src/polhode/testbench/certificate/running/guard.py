"""One measurement at a time, each in its own guard: what it raises is told, and a step that never returns is ended."""

import ctypes
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

STARVED_SHARES = (0.02, 0.6)  # of the time, in which a process computed that is neither asleep nor alone on its core
LOADED_TIMES = 12  # times the seconds given, after which a starved process is ended, too
AGAIN_SECONDS = 0.01  # seconds, after which a look at the time that was too early is repeated
NO_RETURN = "did not return"
ENDING = threading.Lock()  # a thread is either done or interrupted


class TimeUp(BaseException):
    """The time of a measurement is over. Not an Exception: what is measured must not catch it by accident."""


class Refused(Exception):
    """An integrator that did not give a result: `words` say what it did instead, and where."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


class OwnTime:
    """The time of this thread as if it had a core of its own: what it waits for one does not count."""

    def __init__(self) -> None:
        self.thread = threading.get_native_id()
        self.clock, self.computing, self.waited = time.monotonic(), time.process_time(), waited(self.thread)

    @property
    def seconds(self) -> float:
        """So far; asleep or computing. Where the system does not tell how long a thread waits, one that computes, but
        rarely gets its turn, is taken to wait."""
        passed, now = time.monotonic() - self.clock, waited(self.thread)
        if self.waited is not None and now is not None:
            return passed - (now - self.waited)
        computed = time.process_time() - self.computing
        is_starved = STARVED_SHARES[0] * passed < computed < STARVED_SHARES[1] * passed
        return max(computed, passed / LOADED_TIMES) if is_starved else passed


def waited(thread: int) -> float | None:
    """The seconds that a thread of this process has waited for a core, where the system tells."""
    try:
        with open(f"/proc/self/task/{thread}/schedstat") as file:
            return int(file.read().split()[1]) * 1e-9
    except (OSError, IndexError, ValueError):
        return None


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """End what runs inside after so many seconds, by raising TimeUp in it.

    In the main thread by a signal, which also ends a sleep; in another thread, and where there are no such signals, by
    an exception that Python raises at its next instruction. Compiled code that never returns to Python is not ended.
    The seconds are those of a core of one's own: how busy the machine is decides nothing.
    """
    own = OwnTime()
    if threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer"):

        def alarm(*_: Any) -> None:
            if own.seconds >= seconds:
                raise TimeUp
            signal.setitimer(signal.ITIMER_REAL, seconds - own.seconds + AGAIN_SECONDS)

        before = signal.signal(signal.SIGALRM, alarm)
        left, _ = signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            if left:  # somebody else's alarm goes on
                signal.setitimer(signal.ITIMER_REAL, max(0.001, left - (time.monotonic() - own.clock)))
    else:
        done = threading.Event()
        watch = threading.Thread(target=_interrupt, args=(threading.get_ident(), done, own, seconds), daemon=True)
        watch.start()
        try:
            yield
        finally:
            with ENDING:
                done.set()


def guarded(measure: Callable[[], Any], seconds: float) -> tuple[Any, str]:
    """What a measurement gives, and ""; or None, and why there is nothing: what was raised, or that it never ended."""
    try:
        with at_most(seconds):
            return measure(), ""
    except TimeUp:
        return None, f"{NO_RETURN} within {seconds:.3g} s"
    except Refused as error:
        return None, error.words
    except (Exception, SystemExit) as error:  # an integrator may fail in any way it likes
        return None, f"raised {type(error).__name__}: {error}".rstrip(": .")


def _interrupt(thread: int, done: threading.Event, own: OwnTime, seconds: float) -> None:
    """Raise TimeUp in a thread when its time is over, unless it is done before."""
    while not done.wait(max(seconds - own.seconds, 0.0) + AGAIN_SECONDS):
        if own.seconds >= seconds:
            with ENDING:
                if not done.is_set():
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(TimeUp))
            return
