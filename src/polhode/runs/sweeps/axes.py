"""The axes of a sweep: what varies, in which order it is stored, and what the bodies of a block have."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode import inputs
from polhode.errors import InputError, one_line
from polhode.integrators.lookup import integrator, name_of
from polhode.physics.problem import Problem
from polhode.runs.ensemble.starts import gathered, inertias
from polhode.runs.sweeps.draws import Draws

DATA = ("Q0", "Omega0", "Pi0", "inertia")
"""What `solve_ensemble` takes for each body, beside the parameters of the problem."""

Block = tuple[slice, ...]


@dataclass(frozen=True)
class Axis:
    """One axis: its name, which is a dimension of the result, and what it gives: {name of the data: values (n, ...)}.

    A method or a step varies from run to run, all else from body to body of one run.
    """

    name: str
    length: int
    values: dict[str, Any]  # arrays, or Draws

    def part(self, data: str, piece: slice) -> np.ndarray:
        """The values of a stretch of the axis."""
        values = self.values[data]
        return values.values(data, piece.start, piece.stop) if isinstance(values, Draws) else values[piece]


@dataclass(frozen=True)
class Grid:
    """All axes in the order of storage: methods and steps first, so that a block of bodies is one run."""

    axes: tuple[Axis, ...]
    order: tuple[str, ...]  # as the user gave them

    @property
    def names(self) -> tuple[str, ...]:
        """The dimensions, in the order of storage."""
        return tuple(axis.name for axis in self.axes)

    @property
    def shape(self) -> tuple[int, ...]:
        """How long each is."""
        return tuple(axis.length for axis in self.axes)

    def chunks(self, wanted: int) -> tuple[int, ...]:
        """The shape of a block of about `wanted` bodies: whole axes, from the last one on, then a part of one."""
        shape = [1] * len(self.axes)
        room = max(1, wanted)
        for k in reversed(range(len(self.axes))):
            if set(self.axes[k].values) & {"method", "h"}:
                break
            shape[k] = min(self.axes[k].length, room)
            room //= shape[k]
            if shape[k] < self.axes[k].length:
                break
        return tuple(shape)

    def block(self, index: int, chunks: tuple[int, ...]) -> Block:
        """The part of the grid that chunk number `index` covers."""
        counts = [-(-n // c) for n, c in zip(self.shape, chunks)]
        places = place_of(index, counts)
        return tuple(slice(p * c, min((p + 1) * c, n)) for p, c, n in zip(places, chunks, self.shape))

    def bodies(self, block: Block) -> dict[str, np.ndarray]:
        """What each body of a block has, by name, (bodies, ...), in the order of storage."""
        lengths = [piece.stop - piece.start for piece in block]
        arguments = {}
        for k, (axis, piece) in enumerate(zip(self.axes, block)):
            for data in axis.values:
                if data in ("method", "h"):
                    continue
                x = axis.part(data, piece)
                x = x.reshape((1,) * k + (len(x),) + (1,) * (len(lengths) - k - 1) + x.shape[1:])
                rest = x.shape[len(lengths) :]
                arguments[data] = np.broadcast_to(x, (*lengths, *rest)).reshape(math.prod(lengths), *rest)
        return arguments

    def setting(self, data: str, block: Block, otherwise: Any) -> Any:
        """The method or the step of a block, if it is an axis."""
        for axis, piece in zip(self.axes, block):
            if data in axis.values:
                return axis.values[data][piece.start]
        return otherwise


def place_of(index: int, counts: Sequence[int]) -> tuple[int, ...]:
    """Where number `index` is among so many along each axis, the last axis first; NumPy's way costs twenty times it."""
    places = []
    for count in reversed(counts):
        index, place = divmod(index, count)
        places.append(place)
    return tuple(reversed(places))


def grid(problem: Problem, over: Any, product: bool) -> Grid:
    """The axes from what the user gave as `over`: a product of all, or (zipped) one axis called "body"."""
    if not isinstance(over, Mapping) or not over:
        raise InputError(f"over is {one_line(over)}; give a dictionary {{name: values}}, at least one.")
    axes = [_axis(problem, name, values) for name, values in over.items()]
    _check_once(axes)
    if not product:
        lengths = {axis.length for axis in axes}
        if len(lengths) > 1:
            lengths_of = ", ".join(f"{axis.name} {axis.length}" for axis in axes)
            raise InputError(f"With grid=False the axes go together, and they are of several lengths: {lengths_of}.")
        if any({"method", "h"} & set(axis.values) for axis in axes):
            raise InputError("method and h are axes of a product; with grid=False give one method and one step.")
        values = {data: x for axis in axes for data, x in axis.values.items()}
        return Grid((Axis("body", lengths.pop(), values),), ("body",))
    first = sorted(axes, key=lambda axis: 0 if "method" in axis.values else 1 if "h" in axis.values else 2)
    return Grid(tuple(first), tuple(axis.name for axis in axes))


def _axis(problem: Problem, name: Any, values: Any) -> Axis:
    if not isinstance(name, str) or not name.isidentifier():
        raise InputError(f"{one_line(name)} cannot be the name of an axis: it must be a Python name.")
    if isinstance(values, Draws):
        if name in ("method", "h"):
            raise InputError(f"{name} is the name of an axis of {name}s, and draws are under it; give another name.")
        for data in values.of:
            _check_data(problem, data)
            _check_drawn(problem, values, data)
        return Axis(name, values.n, dict.fromkeys(values.of, values))
    if name == "method":
        integrators = [integrator(m) for m in inputs.items("method", values, "a sequence of methods")]
        names = [name_of(m) for m in integrators]
        if len(set(names)) < len(names):
            raise InputError(f"The methods of an axis need different names; these are {', '.join(names)}.")
        return _whole(name, integrators)
    if name == "h":
        return _whole(name, [inputs.step_size(h) for h in inputs.items("h", values, "a sequence of steps")])
    _check_data(problem, name)
    return _whole(name, _checked(problem, name, values))


def _checked(problem: Problem, name: str, values: Any, first: int = 0) -> np.ndarray:
    """The values of data as an array (n, ...) that the ensemble will accept; NaN is left for the ensemble to report.

    An error names the place of the first value that is wrong, counted from `first`.
    """
    if name == "Q0":
        return _each_right(name, values, first, inputs.attitudes, lambda Q: inputs.attitudes([Q]))
    if name in ("Omega0", "Pi0"):
        return np.array(inputs.vectors(name, values))
    numbers = inputs.real_array(name, values, "an array whose first axis is that of the sweep")
    if not numbers.size:
        return numbers
    if name == "inertia":
        one = lambda J: inputs.principal_axes(name, J)
        return _each_right(name, numbers, first, lambda J: inertias([problem], J)[0], one)
    assert problem.fields is not None  # as the name was found there
    shape = dict(zip(problem.fields.names, problem.fields.shapes))[name]
    numbers = numbers[None] if numbers.shape == shape else numbers
    if numbers.shape[1:] != shape:
        raise InputError(
            f"{name} has shape {numbers.shape}; the parameter has shape {shape}, so an axis of n values has shape "
            f"(n{''.join(f', {k}' for k in shape)}{'' if shape else ','})."
        )
    return np.array(numbers)


def _each_right(
    name: str, values: Any, first: int, all_: Callable[[Any], np.ndarray], one: Callable[[Any], Any]
) -> np.ndarray:
    """The values, checked all at once; if that fails, one by one, to name the place of the first that is wrong."""
    try:
        return np.array(all_(values))
    except InputError:
        for i, value in enumerate(values if np.ndim(values) > 1 else ()):
            try:
                if np.isfinite(value).all():
                    one(value)
            except InputError as error:
                raise InputError(f"{name}[{first + i}]: {error}") from None
        raise


def _check_drawn(problem: Problem, values: Draws, data: str) -> None:
    """Check draws as numbers are checked: all of them where some may be wrong, else a piece for its shape."""
    some = data in ("Q0", "inertia") and values.of[data] != "uniform"
    for first, numbers in values.pieces(data):
        _checked(problem, data, numbers, first)
        if not some:
            return


def check_bodies(problem: Problem, axes: Grid) -> None:
    """Let the ensemble check the first body, so that what it cannot take is said before the sweep begins."""
    bodies = axes.bodies(tuple(slice(0, 1) for _ in axes.axes))
    Q0, Omega0, Pi0, inertia = (bodies.pop(name) if name in bodies else None for name in DATA)
    gathered(problem, Q0, Omega0, Pi0, inertia, bodies or None)


def _whole(name: str, values: Sequence[Any] | np.ndarray) -> Axis:
    if not len(values):
        raise InputError(f"The axis {name} is empty; give at least one value.")
    return Axis(name, len(values), {name: values})


def _check_data(problem: Problem, name: str) -> None:
    names = problem.fields.names if problem.fields is not None and not problem.fields.spread else ()
    if name not in (*DATA, *names):
        raise InputError(
            f"A sweep cannot run over {name}: it can over {', '.join((*DATA, *names))} of the problem "
            f"{problem.name!r}, and over method and h. Problem(..., parameters={{name: value}}) makes a parameter."
        )


def _check_once(axes: Sequence[Axis]) -> None:
    data_names = [data for axis in axes for data in axis.values]
    twice = sorted({data for data in data_names if data_names.count(data) > 1})
    if twice:
        raise InputError(f"{', '.join(twice)} stands on two axes; one is enough.")
    if {"Omega0", "Pi0"} <= set(data_names):
        raise InputError("Give Omega0 or Pi0, one of them; both are axes.")
