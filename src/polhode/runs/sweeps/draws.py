"""Random numbers of bodies that depend on the index of a body and on the seed, and on nothing else.

The bodies are dealt out in blocks of a fixed size, and each block of each name has a stream of its own. So a body has
the same numbers in a sweep of a hundred and of ten million, whichever worker computes it and however it is cut.
"""

import functools
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode import inputs
from polhode.errors import InputError, one_line

BODIES_A_STREAM = 4096
"""Bodies that share a stream. Another number would change every draw."""


@dataclass(frozen=True, eq=False)
class Draws:
    """n bodies with random numbers; `of` says by name how each is drawn."""

    n: int
    seed: int
    of: dict[str, Any]

    def __len__(self) -> int:
        return self.n

    def values(self, name: str, first: int, last: int) -> np.ndarray:
        """The numbers of bodies first to last - 1."""
        parts = [
            drawn_block(self, name, b)[max(first - b * BODIES_A_STREAM, 0) : last - b * BODIES_A_STREAM]
            for b in range(first // BODIES_A_STREAM, -(-last // BODIES_A_STREAM))
        ]
        return np.concatenate(parts) if parts else drawn_block(self, name, 0)[:0]

    def pieces(self, name: str) -> Iterator[tuple[int, np.ndarray]]:
        """All numbers of one name in pieces, each with the index of its first body."""
        for first in range(0, self.n, BODIES_A_STREAM):
            yield first, self.values(name, first, min(first + BODIES_A_STREAM, self.n))


@functools.lru_cache(maxsize=8)
def drawn_block(draws: Draws, name: str, block: int) -> np.ndarray:
    """The numbers of a block, kept for a while: a task needs them twice, and small tasks share them."""
    stream = np.random.SeedSequence(draws.seed, spawn_key=(zlib.crc32(name.encode()), block))
    rng, how = np.random.Generator(np.random.Philox(stream)), draws.of[name]
    try:
        matrices = _drawn(rng, how, name)
    except InputError:
        raise
    except Exception as error:  # of the user's function
        raise InputError(f"The draw of {name} raised {type(error).__name__}: {error}.") from error
    if name == "Q0" and matrices.ndim == 2:  # rotation vectors: here their number leaves no doubt
        matrices = inputs.attitudes(matrices)
    if matrices.ndim == 0 or len(matrices) != BODIES_A_STREAM:
        raise InputError(
            f"The draw of {name} gave numbers of shape {matrices.shape}; asked for n = {BODIES_A_STREAM} it must give "
            "as many values, as lambda rng, n: rng.normal(size=(n, 3)) does."
        )
    return matrices


def _drawn(rng: np.random.Generator, how: Any, name: str) -> np.ndarray:
    """A block of numbers, our own; Rotations as matrices."""
    if how == "uniform":
        from scipy.spatial.transform import Rotation

        return Rotation.random(BODIES_A_STREAM, rng=rng).as_matrix()
    drawn = how.rvs(size=BODIES_A_STREAM, random_state=rng) if hasattr(how, "rvs") else how(rng, BODIES_A_STREAM)
    drawn = drawn.as_matrix() if hasattr(drawn, "as_matrix") else drawn
    return inputs.real_array(f"The draw of {name}", drawn, "a function that returns real numbers")


@inputs.checked_call
def draws(n: int, *, rng: int, **of: Any) -> Draws:
    """Random bodies for `sweep`: ``over={"draw": ph.draws(10_000, rng=1, Q0="uniform", Omega0=normal)}``.

    Parameters
    ----------
    n : int
        how many bodies
    rng : int
        the seed, a whole number. Body i has the same numbers for every n above i, with any number of workers
    ... : callable, distribution or str
        for each name (Q0, Omega0, Pi0, inertia, a parameter of the problem) how it is drawn: a function (rng, n) -> n
        values, a distribution of scipy.stats, or, for Q0, "uniform": every rotation is equally likely

    Returns
    -------
    Draws
        An axis for `sweep`.

    Examples
    --------
    >>> import polhode as ph
    >>> s = ph.sweep("free-body", over={"draw": ph.draws(4, rng=1, Q0="uniform")}, method="VLV", h=0.1, t_end=1)
    >>> s.Q_final.shape
    (4, 3, 3)
    """
    n, seed = inputs.whole("n", n), inputs.whole("rng", rng, least=0)
    if not of:
        raise InputError("Nothing is drawn: say what and how, as in draws(n, rng=1, Omega0=lambda rng, n: ...).")
    for name, how in of.items():
        if how == "uniform" if isinstance(how, str) else callable(how) or hasattr(how, "rvs"):
            if how == "uniform" and name != "Q0":
                raise InputError(f'{name} cannot be "uniform"; that is for rotations, Q0.')
            continue
        raise InputError(
            f"{name} is {one_line(how)}; give a function (rng, n) -> n values, a distribution of scipy.stats, or "
            '"uniform" for Q0.'
        )
    return Draws(n, seed, dict(of))
