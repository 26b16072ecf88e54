"""Attitudes in other forms: Rotations, quaternions, Euler angles, and as seen from a frame that turns."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode.errors import InputError, one_line
from polhode.inputs import flag
from polhode.inputs.scipy_rotation import Rotation
from polhode.physics.frames import Frame, given_frame


class Attitudes:
    """The attitudes Q (..., 3, 3) of a class in other forms; a form replaces the last two axes, the others stay."""

    t: Any
    Q: Any
    Omega: Any

    @property
    def rotation(self) -> Any:
        """The attitudes as one Rotation of SciPy's; those of an ensemble are n N, all bodies of a time together."""
        return Rotation().from_matrix(np.reshape(self.Q, (-1, 3, 3)))

    def quat(self, scalar_first: bool = False, continuous: bool = False) -> np.ndarray:
        """The attitudes as unit quaternions (..., 4).

        q and -q are one attitude. `continuous` chooses the sign of each by that of the one before it in time.
        """
        first = flag("scalar_first", scalar_first)
        q = self._each(4, lambda R: R.as_quat(scalar_first=first))
        if flag("continuous", continuous) and len(q) > 1:
            turned = np.where(np.sum(q[1:] * q[:-1], axis=-1) < 0, -1.0, 1.0)
            q[1:] *= np.cumprod(turned, axis=0)[..., None]
        return q

    def euler(self, sequence: str = "ZYX", degrees: bool = False) -> np.ndarray:
        """The attitudes as three angles (..., 3) about axes, which `sequence` names as SciPy does.

        Capital letters are axes of the body, small ones axes of space: "ZYX" is yaw, pitch and roll.
        """
        try:
            angles = self._each(3, lambda R: R.as_euler(sequence, degrees=flag("degrees", degrees)))
        except (TypeError, ValueError):
            raise InputError(
                f"sequence is {one_line(sequence)}; give three axes, such as 'ZYX' (of the body) or 'zyx' (of space), "
                "where neighbours differ."
            ) from None
        return angles

    def _each(self, count: int, form: Callable[[Any], np.ndarray]) -> np.ndarray:
        """A form of each attitude, `count` numbers; NaN where there is no attitude, because a body had stopped."""
        Q = np.reshape(self.Q, (-1, 3, 3))
        there = np.isfinite(Q).all(axis=(1, 2))
        columns = np.full((len(Q), count), np.nan)
        columns[there] = form(Rotation().from_matrix(Q[there]))
        return columns.reshape(*self.Q.shape[:-2], count)

    def relative_to(self, frame: Any) -> "Relative":
        """The attitudes and velocities as seen from a frame (``polhode.frames``), such as that of an orbit."""
        frame = given_frame(frame)
        along = tuple(range(1, np.ndim(self.Q) - 2))  # the axes between time and the matrix: bodies
        F = np.expand_dims(frame.attitudes(self.t), along)
        rate = np.expand_dims(frame.rates(self.t), along)
        Q = np.einsum("...ji,...jk->...ik", F, self.Q)
        return Relative(frame, np.asarray(self.t), Q, self.Omega - np.einsum("...ji,...j->...i", Q, rate))


@dataclass(frozen=True)
class Relative(Attitudes):
    """Attitudes from body to frame, and the angular velocity of the body relative to the frame, in body axes."""

    frame: Frame
    t: np.ndarray
    Q: np.ndarray
    Omega: np.ndarray

    def __repr__(self) -> str:
        states = f"{len(self.t)} states, t = {self.t[0]:g} to {self.t[-1]:g}" if len(self.t) else "no states"
        return f"<Relative to {self.frame.name}: {states}>"
