"""Steps that never return: of a size that was not tried before, one has some seconds; after it all larger ones are
refused, so that it costs no more than these."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from polhode.testbench.certificate.running.guard import NO_RETURN, Refused, TimeUp, at_most


class Returning:
    """Which steps have returned, and which have not, forwards and back."""

    def __init__(self) -> None:
        self.returned = {True: 0.0, False: 0.0}  # the largest |h| with which steps returned
        self.hung = {True: np.inf, False: np.inf}  # the smallest |h| with which one did not

    def call(self, h: float, seconds: float, step: Callable[[], Any]) -> Any:
        """What steps of this size give, or a refusal."""
        way = h > 0
        if abs(h) >= self.hung[way]:
            raise Refused(NO_RETURN)
        if abs(h) <= self.returned[way] or threading.current_thread() is not threading.main_thread():
            return step()
        try:
            with at_most(seconds):
                state = step()
        except TimeUp:
            self.hung[way] = abs(h)
            raise Refused(f"{NO_RETURN} within {seconds:.3g} s") from None
        self.returned[way] = abs(h)
        return state
