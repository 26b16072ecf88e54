"""What a user's functions must not do where their branches are looked for: anything outside of the memory of that
process. What would write, send or start there is refused, and told."""

import os
import sys
import types
from typing import Any

from polhode.testbench.certificate.branches.belongings import OURS, Owner

REFUSED = {
    "socket.": "it has a connection",
    "sqlite3.": "it has a database",
    "subprocess.": "it starts other programs",
    "os.fork": "it starts other programs",
    "os.posix_spawn": "it starts other programs",
    "os.exec": "it starts other programs",
    "os.system": "it starts other programs",
    "os.kill": "it sends signals",
    "os.remove": "it changes files",
    "os.rename": "it changes files",
    "os.rmdir": "it changes files",
    "os.mkdir": "it changes files",
    "os.link": "it changes files",
    "os.symlink": "it changes files",
    "os.truncate": "it changes files",
    "shutil.": "it changes files",
}
"""What is refused, by the beginning of the name of its event in Python, in words."""

WRITES = "it writes files"
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC


class Seal:
    """A process in which the user's functions reach nothing outside of it; `broken` is what one has tried, in words."""

    def __init__(self, owner: Owner) -> None:
        self.owner, self.broken = owner, ""
        sys.addaudithook(self._asked)

    def _asked(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            words = WRITES if _writes(*arguments) else ""
        else:
            words = next((REFUSED[name] for name in REFUSED if event.startswith(name)), "")
        if words and self._is_of_the_user(sys._getframe(1)):
            self.broken = self.broken or words
            raise PermissionError(f"{event} is not for a look at branches")

    def _is_of_the_user(self, frame: types.FrameType | None) -> bool:
        """Whether it is the user's function that asks, not one of polhode that keeps what it has compiled."""
        while frame is not None:
            file = frame.f_code.co_filename
            if file.startswith(OURS):
                return False
            if self.owner.has_file(file):
                return True
            frame = frame.f_back
        return False


def _writes(path: Any, mode: Any, flags: Any) -> bool:
    """Whether a file is opened to be written."""
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return bool(isinstance(flags, int) and flags & WRITING)
