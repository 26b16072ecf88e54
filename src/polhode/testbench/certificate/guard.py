"""One measurement at a time, each in its own guard: what it raises is told, and a step that never returns is ended."""

import ctypes
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

STARVED = (0.02, 0.6)  # computing for this part of the time: neither asleep nor alone on its core
LOADED = 12  # a starved process is ended, too, after so many times its seconds


class TimeUp(BaseException):
    """The time of a measurement is over. Not an Exception: what is measured must not catch it by accident."""


class Refused(Exception):
    """An integrator that did not give a result: `words` say what it did instead, and where."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """End what runs inside after so many seconds, by raising TimeUp in it.

    In the main thread by a signal, which also ends a sleep; in another thread, and where there are no such signals, by
    an exception that Python raises at its next instruction. Compiled code that never returns to Python is not ended.
    The seconds are those of a core of one's own: on a busy machine a process that computes, but rarely gets its turn,
    is given more.
    """
    clock, computing = time.monotonic(), time.process_time()
    if threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer"):

        def alarm(*_: Any) -> None:
            passed, computed = time.monotonic() - clock, time.process_time() - computing
            if computed < seconds and STARVED[0] < computed / passed < STARVED[1] and passed < LOADED * seconds:
                signal.setitimer(signal.ITIMER_REAL, seconds - computed + 0.01)
            else:
                raise TimeUp

        before = signal.signal(signal.SIGALRM, alarm)
        left, _ = signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            if left:  # somebody else's alarm goes on
                signal.setitimer(signal.ITIMER_REAL, max(0.001, left - (time.monotonic() - clock)))
    else:
        thread, done = threading.get_ident(), threading.Lock()
        timer = threading.Timer(seconds, _interrupt, (thread, done))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            with done:
                timer.cancel()


def guarded(measure: Callable[[], Any], seconds: float) -> tuple[Any, str]:
    """What a measurement gives, and ""; or None, and why there is nothing: what was raised, or that it never ended."""
    try:
        with at_most(seconds):
            return measure(), ""
    except TimeUp:
        return None, f"did not return within {seconds:g} s"
    except Refused as error:
        return None, error.words
    except Exception as error:  # an integrator may fail in any way it likes
        return None, f"raised {type(error).__name__}: {error}".rstrip(": .")


def _interrupt(thread: Any, done: Any) -> None:
    if done.acquire(blocking=False):
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(TimeUp))
        done.release()
