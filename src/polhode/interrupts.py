"""Ctrl-C while the command line is being loaded: a sentence, as in any other moment, and no traceback.

Loading takes longer than many a verb, and Python imports the whole package before the first line of a verb. So the
package imports this module first, and `main` takes over from it. A program that only imports the package is left alone.
"""

import os
import pathlib
import signal
import sys
import threading
from typing import Any


def _is_command_line() -> bool:
    """Whether this process is `polhode VERB` or `python -m polhode VERB`; a worker of one has its name, but is none."""
    processes = sys.modules.get("multiprocessing.process")  # a worker has it; to import it here would cost time
    if processes is not None and processes.parent_process() is not None:
        return False
    called = pathlib.Path(sys.argv[0]).stem if sys.argv else ""
    by_name = "-m" in sys.orig_argv and sys.orig_argv[sys.orig_argv.index("-m") + 1 :][:1] == ["polhode"]
    return called == "polhode" or (called == "-m" and by_name)


def _end(number: int, frame: Any) -> None:
    os.write(2, b"polhode: interrupted.\n")
    os._exit(1)


def loaded() -> None:
    """From here on a Ctrl-C raises KeyboardInterrupt again."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


if (
    _is_command_line()
    and threading.current_thread() is threading.main_thread()
    and signal.getsignal(signal.SIGINT) is signal.default_int_handler
):
    signal.signal(signal.SIGINT, _end)
