"""Ctrl-C: noted while a piece of a run is under way, and heeded when the piece is over."""

import signal
import threading
from typing import Any


class Interrupt:
    """Notes a first Ctrl-C, so that it takes effect between two pieces; a second one is raised at once.

    A run that is over in an instant leaves Ctrl-C to Python, which raises it at once: asking for it costs 10 us.
    """

    def __init__(self, leave: bool = False) -> None:
        self.seen, self._leave = False, leave

    def __enter__(self) -> "Interrupt":
        self._ours = not self._leave and threading.current_thread() is threading.main_thread()
        if self._ours:
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, number: int, frame: Any) -> None:
        self.seen = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def __exit__(self, *exception: Any) -> None:
        if self._ours:
            signal.signal(signal.SIGINT, self._before or signal.SIG_DFL)  # None: not set from Python
