"""A task in a process of its own, forked off this one. It has all that there is here, as it is now, in a memory of its
own: what it changes there, what it prints and how it ends, in a crash too, is its own matter. Files and connections
that are open here are closed there. Only memory that processes share on purpose is shared."""

import _thread
import contextlib
import faulthandler
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, NoReturn

from polhode.testbench.certificate.running.guard import NO_RETURN, WAITED_BY_CHILDREN, waited

LOOK_SECONDS = 0.05  # between two looks at the time of the child
STANDARD_STREAMS = (0, 1, 2)
MOST_FILES = 65536  # that a process has open


class Lost(Exception):
    """A child that gave nothing: `words` say what it did instead."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


def in_a_child(task: Callable[[], Any], seconds: float) -> Any:
    """What a task returns, which must pickle; the child is ended after so many seconds, not counting those in which it
    waits for a core.

    It is forked, and ended, by a thread of its own: a signal comes to the main thread, and what it raises there, as
    Ctrl-C does, must not be raised between a fork and what Python does after it, nor before the child has ended.
    """
    if not hasattr(os, "fork"):
        raise Lost("this system does not fork processes")
    answers, ours = multiprocessing.Pipe(duplex=False)
    children: list[int] = []
    caller = threading.get_native_id()
    try:
        _in_a_thread(lambda: _fork(task, ours, children))
        ours.close()
        return _received(answers, children[0], seconds)
    finally:
        _in_a_thread(lambda: _end(children, caller))
        answers.close()


def _in_a_thread(task: Callable[[], None]) -> None:
    """Do a task in a thread; what a signal raises meanwhile is raised when it is done."""
    done, begun, raised = threading.Event(), False, None

    def doing() -> None:
        try:
            task()
        finally:
            done.set()

    while not done.is_set():
        try:
            if not begun:
                begun = bool(_thread.start_new_thread(doing, ()))  # at once: Thread.start may be interrupted half way
            done.wait()
        except BaseException as error:
            raised = raised or error
    if raised is not None:
        raise raised


def _fork(task: Callable[[], Any], ours: Connection, children: list[int]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of threads, which the child does not have: what waits for one is ended
        child = os.fork()
    if child == 0:
        _answer(task, ours)
    children.append(child)


def _end(children: list[int], caller: int) -> None:
    """End what is left of the child. How busy the machine is decides nothing: what it has waited for a core, the thread
    that waits for it has waited, too."""
    for child in children:
        WAITED_BY_CHILDREN[caller] = WAITED_BY_CHILDREN.get(caller, 0.0) + (waited(child) or 0.0)
        for end in (os.killpg, os.kill):  # with all that it has started; or itself, if it has not begun yet
            with contextlib.suppress(ProcessLookupError):
                end(child, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):  # somebody else has seen its end
            os.waitpid(child, 0)


def _answer(task: Callable[[], Any], parent: Connection) -> NoReturn:
    """What the child does."""
    try:
        os.setsid()  # it has no terminal, and no Ctrl-C: its parent tells what there is to tell
        parent = _sealed_off(parent)
        try:
            answer: tuple[bool, Any] = True, pickle.dumps(task())
        except BaseException as error:
            answer = False, f"raised {type(error).__name__}: {error}".rstrip(": .")
        parent.send(answer)
    finally:
        os._exit(0)  # no end of any object, no buffer, no thread of the parent's


def _sealed_off(parent: Connection) -> Connection:
    """The way back, when all other files and connections of the parent's are closed, and nothing is printed."""
    import fcntl
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.disable()  # which may tell of a crash
    way = fcntl.fcntl(parent.fileno(), fcntl.F_DUPFD_CLOEXEC, 1 + max(STANDARD_STREAMS))
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    os.closerange(0, way)
    os.closerange(way + 1, min(most, MOST_FILES))
    for _ in STANDARD_STREAMS:
        os.open(os.devnull, os.O_RDWR)  # as the lowest number that is free
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # those of a notebook do not go by these numbers
    return Connection(way, readable=False)


def _received(answers: Connection, child: int, seconds: float) -> Any:
    begun = time.monotonic()
    while not answers.poll(LOOK_SECONDS):
        if time.monotonic() - begun - (waited(child) or 0.0) > seconds:
            raise Lost(f"{NO_RETURN} within {seconds:.3g} s")
    try:
        is_done, answer = answers.recv()
    except (EOFError, OSError):
        raise Lost("ended without an answer, as in a crash") from None
    if not is_done:
        raise Lost(answer)
    return pickle.loads(answer)
