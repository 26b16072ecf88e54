"""What a problem holds: the body, its start, the torque as kernels and their numbers. None of it changes."""

import copy
from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from polhode.errors import FrozenError
from polhode.inputs.parameters import Fields
from polhode.integrators.velocity import Forces
from polhode.kernels.numbers import Kernel
from polhode.physics.control import Continuous, Sampled
from polhode.physics.forces import Internal
from polhode.pickling import Travels
from polhode.shown import shown


class ProblemData(Travels):
    """The attributes of a problem, each set once."""

    name: str
    inertia: np.ndarray  # moments (3,) or tensor (3, 3), in the user's body axes
    moments: np.ndarray  # (3,) principal
    axes: np.ndarray  # (3, 3) from principal axes to the user's
    Q0: np.ndarray
    Omega0: np.ndarray
    given_Pi0: np.ndarray | None  # the momentum, if the user gave the start by it
    t0: float
    h: float | None
    t_end: float | None
    breaks: tuple[float, ...]
    invariants: dict[str, Callable[..., Any]]
    sources: Sequence[str]  # for shipped problems: BibTeX keys
    landmarks: dict[str, Any]  # and attitudes worth marking in a picture

    torque_kernel: Kernel  # tau(t, Q, parameters)
    conservative_kernel: Kernel  # the part of it that has a potential, if there is one
    moving_kernels: dict[str, Any]  # torques that take the velocity: "pull", "without rotor", "all"
    potential_kernel: Kernel | None  # U(Q, parameters)
    timed_potential_kernel: Kernel | None  # U(t, Q, parameters)
    has_torque: bool
    functions: dict[str, Callable[..., Any]] | None  # the user's own, by label
    internal: Internal
    forces: Forces
    control: Sampled | Continuous | None
    law: Kernel | None  # of the controller: (t, Q, Omega, parameters) -> numbers, in the user's axes
    fields: Fields | None  # names and shapes of what the user named
    parameters: tuple[float, ...]
    parameters_of: Callable[[np.ndarray, np.ndarray], np.ndarray] | None  # (moments, axes) -> the first of them

    _is_made = False  # from the end of the construction on, a problem does not change
    _told: set[str]  # warnings that were given, by what they are about
    _invariants_of: Callable[..., dict[str, Callable[..., Any]]] | None

    def __setattr__(self, name: str, value: Any) -> None:
        if self._is_made:
            raise FrozenError(
                f"A Problem does not change, so {name} of {self.name!r} cannot be set: make another one, or a copy "
                "with another start or inertia by problem.replaced(...)."
            )
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        raise FrozenError(f"A Problem does not change, so {name} of {self.name!r} cannot be deleted.")

    def copied(self, **data: Any) -> Self:
        """A copy with some attributes replaced by `data`, which the caller has checked; see `replaced`."""
        other = copy.copy(self)
        vars(other).update(data)
        other.settle()
        return other

    def settle(self) -> None:
        """Make read-only what belongs together: writing into the inertia would leave moments and axes behind."""
        for array in (self.inertia, self.moments, self.axes):
            array.setflags(write=False)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.settle()

    def _repr_html_(self) -> str:
        return shown("problem, a card", self)

    def __repr__(self) -> str:
        kind = "free" if not self.has_torque else "with a potential" if self.has_energy else "with a torque"
        return f"<Problem {self.name}: {kind}, inertia {np.array2string(self.inertia, separator=', ')}>"

    @property
    def tensor(self) -> np.ndarray:
        """The inertia as a 3x3 tensor in the user's body axes; a copy, which may be written to."""
        return np.diag(self.inertia) if self.inertia.ndim == 1 else self.inertia.copy()

    @property
    def has_potential(self) -> bool:
        """Whether there is a potential of the attitude alone: without other torques the energy is then conserved."""
        return self.potential_kernel is not None

    @property
    def has_energy(self) -> bool:
        """Whether there is an energy: a potential U(Q) or U(t, Q)."""
        return self.has_potential or self.timed_potential_kernel is not None
