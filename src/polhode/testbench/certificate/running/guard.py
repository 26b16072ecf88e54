"""One measurement at a time, each in its own guard: what it raises is told, and a step that never returns is ended."""

import contextlib
import ctypes
import random
import signal
import sys
import threading
import time
import types
from collections.abc import Callable
from typing import Any

STARVED_SHARES = (0.02, 0.6)  # of the time, in which a process computed that is neither asleep nor alone on its core
LOADED_TIMES = 12  # times the seconds given, after which a starved process is ended, too
AGAIN_SECONDS = 0.01  # seconds, after which a look at the time that was too early is repeated
CAUGHT_SECONDS = 0.1  # seconds, after which what has not ended is ended again: it may tidy up, or have caught its end
PATIENT_TIMES = 5  # times that it is given these
AT_ONCE_SECONDS = (1e-6, 1e-4)  # seconds after that, some of which end it while it handles the end before
NO_RETURN = "did not return"
WAITED_BY_CHILDREN: dict[int, float] = {}  # of each thread
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
        self.clock, self.computing, self.waited = time.monotonic(), time.process_time(), self._waited()

    @property
    def seconds(self) -> float:
        """So far; asleep or computing. Where the system does not tell how long a thread waits, one that computes, but
        rarely gets its turn, is taken to wait."""
        passed, now = time.monotonic() - self.clock, self._waited()
        if self.waited is not None and now is not None:
            return passed - (now - self.waited)
        computed = time.process_time() - self.computing
        is_starved = STARVED_SHARES[0] * passed < computed < STARVED_SHARES[1] * passed
        return max(computed, passed / LOADED_TIMES) if is_starved else passed

    def _waited(self) -> float | None:
        """The seconds that the thread has waited for a core, or for children that waited for one."""
        own = waited(self.thread)
        return None if own is None else own + WAITED_BY_CHILDREN.get(self.thread, 0.0)


def waited(thread: int) -> float | None:
    """The seconds that a thread, or a process of one thread, has waited for a core, where the system tells."""
    try:
        with open(f"/proc/{thread}/schedstat") as file:
            return int(file.read().split()[1]) * 1e-9
    except (OSError, IndexError, ValueError):
        return None


class at_most:
    """End what runs inside after so many seconds, by raising TimeUp in it; again and again, until it ends.

    In the main thread by a signal, which also ends a sleep; in another thread, and where there are no such signals, by
    an exception that Python raises at its next instruction. Compiled code that never returns to Python is not ended.
    The seconds are those of a core of one's own: how busy the machine is decides nothing.

    A loop whose `except:` catches everything catches TimeUp, too. So it is raised again after a while, and from some
    time on nearly at once, where it may meet what handles the one before: outside of the `try` of the loop. In another
    thread that is more a matter of chance: one that sleeps, or is inside another such loop, may not be ended there.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.raised = 0  # how many times it was ended
        self.has_signals = threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer")

    def __enter__(self) -> None:
        self.own, self.thread, self.done = OwnTime(), threading.get_ident(), threading.Event()
        if self.has_signals:
            self.hook, sys.unraisablehook = sys.unraisablehook, self._lost
            self.before = signal.signal(signal.SIGALRM, self._alarm)
            self.left, _ = signal.setitimer(signal.ITIMER_REAL, max(self.seconds, AT_ONCE_SECONDS[0]))  # zero: never
        else:
            threading.Thread(target=self._watch, daemon=True).start()

    def __exit__(self, *_: Any) -> None:
        while not self.done.is_set():
            with contextlib.suppress(TimeUp), ENDING:  # one that was raised too late to end anything
                self.done.set()
        if self.has_signals:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self.before)
            sys.unraisablehook = self.hook
            if self.left:  # somebody else's alarm goes on
                signal.setitimer(signal.ITIMER_REAL, max(0.001, self.left - (time.monotonic() - self.own.clock)))

    def _alarm(self, _: int, frame: types.FrameType | None) -> None:
        """Raise TimeUp if the time is over, and come again in any case: what is run may catch it."""
        if self.done.is_set():
            return
        is_over = self.own.seconds >= self.seconds and not _enters_or_leaves(frame)
        self.raised += is_over
        signal.setitimer(signal.ITIMER_REAL, self._pause(is_over))
        if is_over:
            raise TimeUp

    def _lost(self, unraisable: "sys.UnraisableHookArgs") -> None:
        """Tell what was raised where nobody could catch it, if it is not TimeUp."""
        if not issubclass(unraisable.exc_type, TimeUp):
            self.hook(unraisable)

    def _watch(self) -> None:
        """Raise TimeUp in the thread when its time is over, until it is done."""
        pause, interval = self.seconds + AGAIN_SECONDS, sys.getswitchinterval()
        while not self.done.wait(pause):
            with ENDING:
                frame = sys._current_frames().get(self.thread)
                is_over = self.own.seconds >= self.seconds and not _enters_or_leaves(frame)
                if is_over and not self.done.is_set():
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.thread), ctypes.py_object(TimeUp))
            self.raised += is_over
            pause = self._pause(is_over)
            if self.raised > PATIENT_TIMES:
                sys.setswitchinterval(pause)  # so that the thread goes no further meanwhile
        sys.setswitchinterval(interval)

    def _pause(self, is_over: bool) -> float:
        """Seconds until the time is looked at again."""
        if not is_over:
            return max(self.seconds - self.own.seconds, 0.0) + AGAIN_SECONDS
        least, most = AT_ONCE_SECONDS
        return CAUGHT_SECONDS if self.raised <= PATIENT_TIMES else least * (most / least) ** random.random()


OURS = tuple(function.__code__ for function in (at_most.__enter__, at_most.__exit__, at_most._alarm))


def _enters_or_leaves(frame: types.FrameType | None) -> bool:
    """Whether a thread is just entering or leaving a guard, or about to raise TimeUp, which must come to its end."""
    while frame is not None and frame.f_code not in OURS:
        frame = frame.f_back
    return frame is not None


def guarded(measure: Callable[[], Any], seconds: float) -> tuple[Any, str]:
    """What a measurement gives, and ""; or None, and why there is nothing: what was raised, or that it never ended."""
    try:
        with at_most(seconds):
            return measure(), ""
    except TimeUp:
        return None, f"{NO_RETURN} within {seconds:.3g} s"
    except Refused as error:
        return None, error.words
    except KeyboardInterrupt:  # who waits has had enough
        raise
    except BaseException as error:  # an integrator may fail in any way it likes: a library in Rust panics with one
        return None, f"raised {type(error).__name__}: {error}".rstrip(": .")
