"""What a sweep is, before anything runs: problem, grid, methods, steps, what is kept; and a hash of all of it.

The plan is stored first. A task is then nothing but the folder of the store and the number of a chunk, and whoever
takes it (a thread, a process, a machine of a cluster; today, or after a crash) computes the same bytes.
"""

import hashlib
import json
import math
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode import inputs
from polhode.errors import InputError, one_line
from polhode.inputs.events import Events
from polhode.integrators.lookup import name_of
from polhode.integrators.method import Method
from polhode.kernels.fingerprint import fingerprint
from polhode.physics.problem import Problem
from polhode.runs.results.invariants import labels
from polhode.runs.results.reductions import QUANTITIES, chosen_names, meant
from polhode.runs.sweeps.axes import Block, Grid, place_of
from polhode.runs.sweeps.draws import Draws
from polhode.runs.sweeps.statistics import STATISTICS

BODIES_A_CHUNK = 16384
"""Bodies of a chunk, unless what is kept of them is large."""

BYTES_A_CHUNK = 64 * 2**20
"""What is kept of a chunk, at most, unless `chunk` asks for more."""

MOST_CROSSINGS = 100_000
"""The most crossings that are kept of one event of a body; each has room of 13 numbers, whether it occurs or not."""

BYTES_A_LOOK = 200
"""Bytes that a body takes for each look at it while its energy and momentum are computed."""


@dataclass(frozen=True)
class Variable:
    """A variable of the store: its dimensions and shape beside the axes of the sweep, and what an empty place holds."""

    dims: tuple[str, ...] = ()
    shape: tuple[int, ...] = ()
    dtype: str = "f8"
    empty: float = math.nan

    @property
    def bytes(self) -> int:
        """Of one body."""
        return np.dtype(self.dtype).itemsize * math.prod(self.shape)


@dataclass(frozen=True)
class Kept:
    """What is stored of each body."""

    save_every: int | None
    final: bool
    reduce: tuple[str, ...]  # names of quantities
    reduce_every: int
    events: Events | None
    crossings: int  # kept of each event, from the first on

    @property
    def invariants(self) -> list[str]:
        """Those among what is reduced."""
        return [name for name in self.reduce if name not in QUANTITIES]

    @property
    def labels(self) -> dict[str, str]:
        """By name of what is reduced, how the names of its variables begin."""
        return {name: name for name in self.reduce if name in QUANTITIES} | labels(self.invariants, QUANTITIES)

    def variables(self, samples: int) -> dict[str, Variable]:
        """By name; after them come `failed_step` and `status`, which every sweep has."""
        variables: dict[str, Variable] = {}
        if self.save_every is not None:
            variables["Q"] = Variable(("t", "space", "body_axis"), (samples, 3, 3))
            variables["Omega"] = Variable(("t", "body_axis"), (samples, 3))
        if self.final:
            variables["Q_final"] = Variable(("space", "body_axis"), (3, 3))
            variables["Omega_final"] = Variable(("body_axis",), (3,))
        if self.final and self.events is not None and self.events.terminal:
            variables["t_final"] = Variable()
        for label in self.labels.values():
            variables |= {f"{label}_{statistic}": Variable() for statistic in STATISTICS}
        some = (("crossing",), (self.crossings,)) if self.crossings > 1 else ((), ())
        for name in () if self.events is None else self.events.functions:
            variables[f"{name}_count"] = Variable(dtype="i8", empty=-1)
            variables[f"{name}_t"] = Variable(*some)
            variables[f"{name}_Q"] = Variable((*some[0], "space", "body_axis"), (*some[1], 3, 3))
            variables[f"{name}_Omega"] = Variable((*some[0], "body_axis"), (*some[1], 3))
        variables["failed_step"] = Variable(dtype="i8", empty=-1)
        variables["status"] = Variable(dtype="i1", empty=-1)
        return variables

    def described(self) -> dict[str, Any]:
        """What a plan says of it."""
        about: dict[str, Any] = {
            "save_every": self.save_every,
            "final": self.final,
            "reduce": list(self.reduce),
            "reduce_every": self.reduce_every,
        }
        if self.events is not None:
            watched = self.events
            about |= {
                "events": list(watched.functions),
                "functions of the events": _seen_through("the functions of the events", watched.functions.values()),
                "terminal": list(watched.terminal),
                "direction": watched.direction,
                "crossings": self.crossings,
            }
        return about


@dataclass(frozen=True)
class Plan:
    """What a sweep runs: a problem, a grid of what varies, what is kept of each body, and the chunks of the grid."""

    problem: Problem
    method: Any
    h: float | None
    t_end: float | None
    n_steps: int | None
    grid: Grid
    kept: Kept
    chunks: tuple[int, ...]

    @property
    def counts(self) -> tuple[int, ...]:
        """How many chunks there are along each axis."""
        return tuple(-(-n // c) for n, c in zip(self.grid.shape, self.chunks))

    @property
    def count(self) -> int:
        """How many chunks there are."""
        return math.prod(self.counts)

    @property
    def bodies(self) -> int:
        """How many bodies there are in all."""
        return math.prod(self.grid.shape)

    def places(self, index: int) -> tuple[int, ...]:
        """Where a chunk is along each axis."""
        return place_of(index, self.counts)

    def bodies_of(self, index: int) -> int:
        """How many bodies a chunk has."""
        return math.prod(piece.stop - piece.start for piece in self.block(index))

    def block(self, index: int) -> Block:
        """The part of the grid that a chunk covers."""
        return self.grid.block(index, self.chunks)

    def steps(self, h: float | None) -> tuple[float, int]:
        """The step and how many there are."""
        return inputs.interval(self.problem, h, self.t_end, self.n_steps)

    def times(self) -> np.ndarray | None:
        """The times at which states are kept."""
        if self.kept.save_every is None:
            return None
        h, n = self.steps(self.h)
        every = self.kept.save_every
        return self.problem.t0 + h * np.append(0, np.minimum(every * np.arange(1, -(-n // every) + 1), n))

    def described(self) -> dict[str, Any]:
        """All that two sweeps must have in common to be the same, by name; functions and arrays as hashes."""
        p = self.problem
        numbers = (p.moments, p.axes, p.parameters, p.Q0, p.Omega0, p.t0)
        functions = p.made_of
        about: dict[str, Any] = {
            "problem": p.name,
            "data of the problem": _digest(*(np.asarray(x, float).tobytes() for x in numbers)),
            "functions of the problem": _seen_through("the functions of the problem", functions),
            "method": None if self.method is None else name_of(self.method),
            "code of the method": None if self.method is None else _code(self.method),
            "h": self.h,
            "t_end": self.t_end,
            "n_steps": self.n_steps,
            **self.kept.described(),
            "chunk": list(self.chunks),
            "storage": list(self.grid.names),
            "order": list(self.grid.order),
            "versions": versions(),
        }
        if self.kept.invariants:
            invariants = [p.invariants[name] for name in self.kept.invariants]
            about["functions of the invariants"] = _seen_through("the functions of the invariants", invariants)
        for axis in self.grid.axes:
            about[f"axis {axis.name}"] = [axis.length, *(_axis(data, x) for data, x in axis.values.items())]
        return about


def identity(about: dict[str, Any]) -> str:
    """The hash of a description."""
    return _digest(json.dumps(about, sort_keys=True).encode())


def versions() -> dict[str, str]:
    """What the bits depend on beside the plan; the processor, too, so the machines of a cluster should be alike."""
    from importlib.metadata import version

    ours = sys.modules["polhode"].__version__  # of the package itself, which is above this layer
    return {"polhode": ours, **{name: version(name) for name in ("numpy", "numba")}}


def chosen_chunks(grid: Grid, kept: Kept, samples: int, steps: int, chunk: Any) -> tuple[int, ...]:
    """The shape of a chunk. It depends on the plan alone, not on the machine, as the bytes of the store must."""
    if chunk is not None:
        return grid.chunks(inputs.whole("chunk", chunk))
    size = sum(variable.bytes for variable in kept.variables(samples).values())
    size += BYTES_A_LOOK * (steps // kept.reduce_every) if kept.reduce else 0
    return grid.chunks(min(BODIES_A_CHUNK, max(64, BYTES_A_CHUNK // max(size, 1))))


def chosen_kept(
    problem: Problem, save_every: Any, final: Any, reduce: Any, reduce_every: Any, events: Events | None, crossings: Any
) -> Kept:
    """What is kept; the last state if nothing else is asked for."""
    wanted = [q for name in chosen_names(reduce, problem.invariants) for q in meant(name)]
    names = tuple(q for q in dict.fromkeys((*QUANTITIES, *problem.invariants)) if q in wanted)
    every = None if save_every is None else inputs.whole("save_every", save_every)
    nothing = every is None and not names and events is None
    last = nothing if final is None else inputs.flag("final", final)
    if nothing and not last:
        raise InputError("Nothing would be kept: give save_every, reduce, events or final=True.")
    if names and every is not None:
        raise InputError("Give save_every (states) or reduce (statistics of them), not both.")
    some = inputs.whole("crossings", crossings, most=MOST_CROSSINGS)
    if some > 1 and events is None:
        raise InputError("crossings= goes with events, and there are none: give events={name: function}.")
    for name in () if events is None else events.functions:
        if not name.isidentifier():
            raise InputError(f"{one_line(name)} cannot be the name of an event of a sweep: it must be a Python name.")
    return Kept(every, last, names, inputs.whole("reduce_every", reduce_every), events, some)


def _axis(data: str, values: Any) -> list[Any]:
    if isinstance(values, Draws):
        return [data, "drawn", values.seed, _seen_through(f"the draw of {data}", [values.of[data]])]
    if data == "method":
        return [data, *([name_of(m), _code(m)] for m in values)]
    numbers = np.asarray(values, float)
    return [data, list(numbers.shape), _digest(numbers.tobytes())]


def _code(method: Any) -> str:
    """A fingerprint of a method: its functions, and the coefficients that it keeps in the body."""
    parts = (method.step, method.start, method.coefficients) if isinstance(method, Method) else (method,)
    return _seen_through(f"the code of {name_of(method)}", parts)


def _seen_through(what: str, values: Any) -> str:
    mark = fingerprint(values)
    if mark.unseen:
        raise InputError(
            f"A sweep must tell whether a later one is the same, and {what} cannot be compared because of "
            f"{', '.join(mark.unseen[:3])}. Write it with numbers, arrays and functions."
        )
    return mark.digest


def _digest(*parts: bytes) -> str:
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()
