"""The parameters of a problem's kernels: first what follows from the inertia, then what the user named."""

import math
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np

from polhode import inputs
from polhode.errors import InputError
from polhode.inputs import functions
from polhode.inputs import parameters as named
from polhode.physics.problem_data import ProblemData

REPLACED = (
    " Q0, Omega0, Pi0, t0, inertia, damping, rotor, args and its parameters can be replaced; for anything else build "
    "the problem anew."
)
"""What `Problem.replaced` says of any other name."""


class ParameterRow(ProblemData):
    """A problem's parameters, and those of the same problem with another inertia or other values."""

    def parameters_for(self, moments: np.ndarray, axes: np.ndarray) -> np.ndarray:
        """The parameters of n bodies of these moments (n, 3) and axes (n, 3, 3): (1 or n, PARAMETERS)."""
        if self.parameters_of is None:
            return np.array([self.parameters])
        numbers = self.parameters_of(moments, axes)
        if self.functions is not None:
            if self.internal.any:
                numbers = np.concatenate([numbers, self.internal.numbers(axes)], axis=1)
            rest = self.parameters[numbers.shape[1] :]  # what the user named stays what it is
        else:
            rest = (0.0,) * (functions.PARAMETERS - numbers.shape[1])
        return np.concatenate([numbers, np.broadcast_to(rest, (len(numbers), len(rest)))], axis=1)

    @property
    def _first(self) -> int:
        """The place of the first parameter that the user named."""
        return named.FIRST + self.internal.count

    def parameter_rows(self, moments: np.ndarray, axes: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """As `parameters_for`, with rows (1 or n, k) of what the user named."""
        numbers = self.parameters_for(moments, axes)
        n = max(len(numbers), len(rows))
        numbers = np.array(np.broadcast_to(numbers, (n, numbers.shape[1])), order="C")
        numbers[:, self._first : self._first + rows.shape[1]] = rows
        return numbers

    @property
    def row(self) -> tuple[float, ...]:
        """The numbers of the parameters that the user named, one after the other."""
        return self.parameters[self._first :][: sum(map(math.prod, self.fields.shapes)) if self.fields else 0]

    def for_functions(self, parameters: Any = None) -> tuple[Any, ...]:
        """What the user's functions are given last: (p,), or args one by one; `parameters` are those of some body."""
        if self.fields is None:
            return ()
        p = named.view(named.record(self.fields), self.parameters if parameters is None else parameters)
        return p if self.fields.spread else (p,)

    def with_row(self, row: tuple[float, ...]) -> Self:
        """A copy with other values of the parameters that the user named."""
        at = self._first
        return self.copied(parameters=self.parameters[:at] + row + self.parameters[at + len(row) :])

    def replaced_row(self, args: Any, parameters: Mapping[str, Any]) -> tuple[float, ...]:
        """The numbers of the parameters that the user named, with some replaced by name, or all as args."""
        fields = named.check_names(self.fields, parameters, f"The problem {self.name!r}", REPLACED)
        if args is None:
            return fields.replaced(self.row, parameters)
        if self.fields is None or not self.fields.spread:
            raise InputError(f"The problem {self.name!r} was made without args=.")
        values = dict(zip(self.fields.names, inputs.items("args", args, "a sequence of numbers and arrays")))
        if len(values) != len(self.fields.names) or len(args) != len(values):
            raise InputError(f"args has {len(args)} values; the problem has {len(self.fields.names)}.")
        return self.fields.replaced(self.row, values)

    def own_parameters(self) -> tuple[float, ...]:
        """The parameters that follow from the inertia of this body."""
        return tuple(self.parameters_for(self.moments[None], self.axes[None])[0].tolist())

    @property
    def given_invariants(self) -> dict[str, Callable[..., Any]]:
        """The invariants that are functions of the user's own: not those that follow from the inertia."""
        return self.invariants if self._invariants_of is None else {}

    def invariants_for(
        self, inertia: np.ndarray, otherwise: dict[str, Callable[..., Any]]
    ) -> dict[str, Callable[..., Any]]:
        """The invariants of a body of this inertia; `otherwise` if they are functions of the user's own."""
        return otherwise if self._invariants_of is None else self._invariants_of(inertia)

    def keeping(self, invariants_of: Callable[..., dict[str, Callable[..., Any]]]) -> Self:
        """A copy with invariants that follow from the inertia."""
        return self.copied(_invariants_of=invariants_of, invariants=invariants_of(self.inertia))

    def check_inertia(self, is_tensor: bool) -> None:
        """Raise InputError if the kernels, or the user's numbers for them, do not allow another inertia."""
        if self.internal.wheels is not None:
            raise InputError(
                f"The inertia of {self.name!r} cannot be replaced, since that of its wheels is part of it: build the "
                "problem anew with the other inertia."
            )
        if self.parameters_of is None and (is_tensor or not np.array_equal(self.axes, np.eye(3))):
            raise InputError(
                f"The torque of {self.name!r} is written in principal axes: give moments (N, 3) for a problem made "
                "with moments, or a sequence of problems."
            )
        if self.parameters != self.own_parameters():
            raise InputError(
                f"The parameters of {self.name!r} depend on its inertia, but were given as numbers: build the problem "
                "anew with the other inertia."
            )

    def with_inertia(
        self, inertia: np.ndarray, moments: np.ndarray, axes: np.ndarray, parameters: tuple[float, ...]
    ) -> Self:
        """A copy of another inertia; `parameters` are those that belong to it."""
        return self.copied(
            inertia=inertia,
            moments=moments,
            axes=axes,
            parameters=parameters,
            invariants=self.invariants_for(inertia, self.invariants),
        )
