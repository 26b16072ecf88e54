"""Memory: what may be asked for, compared with what the process may have."""

import contextlib
import os
import pathlib

from polhode.errors import InputError

MOST_OF_MEMORY = 0.8
"""Of the memory there is, how much arrays that stay may take."""

FEW_BYTES = 2**20
"""Bytes that every process has left; to look the limits up takes longer than a short run."""

CGROUP = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def memory_limit() -> tuple[int, str]:
    """Bytes that this process may have at most, and who sets the limit."""
    limits: list[tuple[int, str]] = []
    with contextlib.suppress(AttributeError, ValueError, OSError):  # not everywhere
        limits.append((os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), "this machine has"))
    for file in CGROUP:
        with contextlib.suppress(OSError, ValueError):  # no group, or "max"
            limits.append((int(pathlib.Path(file).read_text()), "the group of this process may have"))
    with contextlib.suppress(ImportError, OSError):
        import resource

        soft = resource.getrlimit(resource.RLIMIT_AS)[0]
        if soft != resource.RLIM_INFINITY:
            limits.append((max(0, soft - _in_use()), "the limit of this process leaves"))
    return min(limits, default=(2**62, "this machine has"))


def check_memory(size: int, n: int, every: int, advice: str = "") -> None:
    """The states kept, of `size` bytes each, every so many of n steps, must fit."""
    samples = n // every + 1
    if size * samples <= FEW_BYTES:
        return
    have, who = memory_limit()
    if size * samples > MOST_OF_MEMORY * have:
        enough = -(-n // max(1, int(0.2 * have / size)))
        raise InputError(
            f"{samples} states of {size} bytes take {1e-9 * size * samples:.3g} GB, and {who} {1e-9 * have:.3g}. "
            + (
                f"Keep fewer states: save_every={enough}.{advice}"
                if size * 2 <= MOST_OF_MEMORY * have
                else "Take fewer bodies."
            )
        )


def check_bytes(what: str, size: float, advice: str) -> None:
    """So many bytes for something must fit."""
    have, who = memory_limit()
    if size > MOST_OF_MEMORY * have:
        raise InputError(f"{what} would take {1e-9 * size:.3g} GB, and {who} {1e-9 * have:.3g}. {advice}")


def _in_use() -> int:
    """Bytes of address space that the process has already."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    return 0
