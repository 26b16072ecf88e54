"""A task in a process of its own, forked off this one. It has all that there is here, as it is now, in a memory of its
own: what it changes there, what it prints and how it ends, in a crash too, is its own matter. Only what is outside of
the memory is shared: files, sockets, other programs."""

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


class Lost(Exception):
    """A child that gave nothing: `words` say what it did instead."""

    def __init__(self, words: str) -> None:
        super().__init__(words)
        self.words = words


def in_a_child(task: Callable[[], Any], seconds: float) -> Any:
    """What a task returns, which must pickle; the child is ended after so many seconds, not counting those in which it
    waits for a core."""
    if not hasattr(os, "fork"):
        raise Lost("this system does not fork processes")
    answers, ours = multiprocessing.Pipe(duplex=False)
    here, child = os.getpid(), 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of threads, which the child does not have: what waits for one is ended
            child = os.fork()
        if child == 0:
            _answer(task, ours)
        ours.close()
        return _received(answers, child, seconds)
    finally:
        if os.getpid() != here:  # a signal that came with the fork: the child must never go on as its parent
            os._exit(1)
        answers.close()
        if child:
            _note_waited(child)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _note_waited(child: int) -> None:
    """How busy the machine is decides nothing: what the child has waited, this thread has waited, too."""
    thread = threading.get_native_id()
    WAITED_BY_CHILDREN[thread] = WAITED_BY_CHILDREN.get(thread, 0.0) + (waited(child) or 0.0)


def _answer(task: Callable[[], Any], parent: Connection) -> NoReturn:
    """What the child does."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it; its parent tells what there is to tell
        _be_silent()
        try:
            answer: tuple[bool, Any] = True, pickle.dumps(task())
        except BaseException as error:
            answer = False, f"raised {type(error).__name__}: {error}".rstrip(": .")
        parent.send(answer)
    finally:
        os._exit(0)  # no end of any object, no buffer, no thread of the parent's


def _be_silent() -> None:
    faulthandler.disable()  # which may tell of a crash
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # those of a notebook do not go by these numbers


def _received(answers: Connection, child: int, seconds: float) -> Any:
    begun = time.monotonic()
    while not answers.poll(LOOK_SECONDS):
        if time.monotonic() - begun - (waited(child) or 0.0) > seconds:
            raise Lost(f"{NO_RETURN} within {seconds:.3g} s")
    try:
        is_done, answer = answers.recv()
    except EOFError:
        raise Lost("ended without an answer, as in a crash") from None
    if not is_done:
        raise Lost(answer)
    return pickle.loads(answer)
