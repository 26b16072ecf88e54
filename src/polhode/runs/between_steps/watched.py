"""A runner that watches while it runs: states at times that the user chose, and events.

Between two steps the state is that of one shorter step from the last (``Runner.part``): the method's own solution, to
its order, for every one-step method. A run with times or events takes the same steps, bit for bit, as one without.
"""

import dataclasses
import math
import sys
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from polhode.errors import EventWarning, InputError, one_line
from polhode.inputs.events import Events
from polhode.inputs.warning import warn
from polhode.kernels.watching import NODES, may_cross
from polhode.runs.between_steps.crossings import crossings
from polhode.runs.between_steps.machine_events import machine_events, watching
from polhode.runs.results.trajectory import Crossings, Trajectory
from polhode.runs.runners.kernel_runner import KernelRunner
from polhode.runs.runners.runner import Runner

Row: TypeAlias = Sequence[float] | np.ndarray

STEPS_BY_PYTHON = 64
"""Steps watched by Python after machine code has raised."""


class Watched:
    """A runner around another, which it asks for states inside steps."""

    def __init__(self, runner: Runner, n: int, times: Sequence[float] | None, events: Events | None) -> None:
        self._runner, self._n, self.ended = runner, n, ""
        self._times, self._next = list(times or ()), 0
        self._is_sampled = times is not None
        self._rows: list[Row] = []
        self._events = events or Events({}, (), {})
        self._crossed: dict[str, list[tuple[float, int, Row]]] = {k: [] for k in self._events.functions}
        self._last: tuple[float, Row] | None = None
        self._no_number: dict[str, float] = {}  # by event, the first time at which it was seen to be no number
        if events:
            self._values = [self._first(name) for name in events.functions]
            self._machine = _machine_watch(runner, events)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._runner, name)

    def advance(self, first: int, n: int, every: int, left: int, out: np.ndarray, row: int) -> tuple[Any, ...]:
        """As ``Runner.advance``; fewer steps than asked also mean that an event has ended the run."""
        i, end, iterations = first, first + n, 0
        while True:
            self._sample_here(i)
            if i == end:
                return n, row, left, iterations, 0.0, None
            k = self._step_of_next(end)
            try:
                inside = self._samples_inside(i) if k == i else []
            except Exception as raised:
                self._runner.raised = raised
                return i - first, row, left, iterations, 0.0, None
            size = max(1, k - i)
            took, row, left, its, error = self._go(i, size, every, left, out, row)
            iterations, i = iterations + its, i + took
            if took == size or self.ended:
                self._keep(inside)
            if took < size:
                return i - first, row, left, iterations, error, None

    # ---- states at times ----------------------------------------------------------------------------

    def _time(self, i: int) -> float:
        return self._runner.t0 + i * self._runner.h

    def _step_of(self, t: float) -> int:
        """The step in which a time lies; a time within rounding of the beginning of a step belongs to that step."""
        x = (t - self._runner.t0) / self._runner.h
        k = round(x)
        return k if self._is_at(t, k) else math.floor(x)

    def _is_at(self, t: float, k: int) -> bool:
        return abs(self._time(k) - t) <= 4 * sys.float_info.epsilon * max(abs(t), abs(self._runner.t0))

    def _step_of_next(self, end: int) -> int:
        return min(end, self._step_of(self._times[self._next])) if self._next < len(self._times) else end

    def _sample_here(self, i: int) -> None:
        while self._next < len(self._times) and self._is_at(self._times[self._next], i):
            self._rows.append(tuple(self._runner.row()))
            self._next += 1

    def _samples_inside(self, i: int) -> list[tuple[float, Row]]:
        samples: list[tuple[float, Row]] = []
        k, begin = self._next, self._time(i)
        while k < len(self._times) and self._step_of(self._times[k]) == i:
            row = self._runner.part(self._times[k] - begin, begin)
            if row is None:
                break
            samples.append((self._times[k], row))
            k += 1
        return samples

    def _keep(self, inside: list[tuple[float, Row]]) -> None:
        """Keep samples of the step that was taken; of one in which an event ended the run, those before it."""
        sign = math.copysign(1, self._runner.h)
        for t, row in inside:
            if self._last is None or sign * t <= sign * self._last[0]:
                self._rows.append(row)
                self._next += 1

    # ---- events -------------------------------------------------------------------------------------

    def _go(self, i: int, n: int, every: int, left: int, out: np.ndarray, row: int) -> tuple[Any, ...]:
        if not self._crossed:
            return self._runner.advance(i, n, every, left, out, row)[:5]
        begin, end, iterations = i, i + n, 0
        while i < end:
            sure, raised = 0, False
            if self._machine is not None:
                try:
                    took, row, left, its, error, stop = self._machine(i, end - i, every, left, out, row, self._values)
                except Exception:  # a user's function raised: Python says which, and where
                    raised = True
                else:
                    i, iterations = i + took, iterations + its
                    if not stop and i < end:
                        return i - begin, row, left, iterations, error
                    sure = int(stop)
            for _ in range(min(end - i, STEPS_BY_PYTHON if raised or self._machine is None else sure)):
                took, row, left, its, error = self._watched_step(i, every, left, out, row)
                i, iterations = i + took, iterations + its
                if not took:
                    return i - begin, row, left, iterations, error
        return n, row, left, iterations, 0.0

    def _watched_step(self, i: int, every: int, left: int, out: np.ndarray, row: int) -> tuple[Any, ...]:
        """One step, with a close look where a function may change sign."""
        runner, t = self._runner, self._time(i)
        before = runner.numbers()
        took, after_row, after_left, its, error, _ = runner.advance(i, 1, every, left, out, row)
        if not took:
            return 0, row, left, its, error
        after, here = runner.numbers(), tuple(runner.row())
        runner.restore(before)
        try:
            if self._has_ended(t, self._time(i + 1), here):
                return 0, row, left, its, 0.0
        except Exception as raised:
            runner.raised = raised
            return 0, row, left, its, 0.0
        runner.restore(after)
        return 1, after_row, after_left, its, 0.0

    def look(self, t: float, row: Row, t_after: float, after: Row) -> bool:
        """Look closely at one step of the runner, from a row to a row; whether an event in it ends the run."""
        self._values = [self._value(name, t, row) for name in self._crossed]
        return self._has_ended(t, t_after, after)

    def _has_ended(self, t: float, t_after: float, after: Row) -> bool:
        """Note what happens in the step from t, where the runner is; True where an event has ended the run."""
        values = [self._value(name, t_after, after) for name in self._crossed]
        for theta, name, way in self._met(t, values):
            place = t + theta * self._runner.h if theta < 1 else t_after
            state = after if theta == 1 else self._part(t, theta)
            self._crossed[name].append((place, way, state))
            if name in self._events.terminal:
                self._last, self.ended = (place, state), name
                return True
        self._values[:] = values
        return False

    def _met(self, t: float, values: list[float]) -> list[tuple[float, str, int]]:
        """(theta, name, direction) of all events in the step from here, in order; `values` are those at its end."""
        events: list[tuple[float, str, int]] = []
        middle = {theta: self._part(t, theta) for theta in NODES}
        for name, first, last in zip(self._crossed, self._values, values):

            def g(theta: float, name: str = name) -> float:
                row = middle[theta] if theta in middle else self._part(t, theta)
                return self._value(name, t + theta * self._runner.h, row)

            b, c, d = map(g, NODES)
            if may_cross(first, b, c, d, last):
                events.extend((x, name, way) for x, way in crossings(g, first, last) if self._events.counts(name, way))
        return sorted(events)

    def _part(self, t: float, theta: float) -> Row:
        row = self._runner.part(theta * self._runner.h, t)
        if row is None:
            raise ArithmeticError(f"{self._runner.name} cannot take {theta:.3g} of a step")
        return row

    def _first(self, name: str) -> float:
        """The value at the start; a sentence if the function cannot be an event."""
        t = self._runner.t0
        try:
            value = self._value(name, t, self._runner.row())
        except InputError:
            raise
        except Exception as error:
            raise InputError(
                f"The event {name!r} raised {type(error).__name__} at the start, t = {t:g}: {error}. It is called as "
                "event(t, Q, Omega) and must return one number."
            ) from error
        if not math.isfinite(value):
            raise InputError(f"The event {name!r} is {value} at the start, t = {t:g}; it must be a finite number.")
        return value

    def _value(self, name: str, t: float, row: Row) -> float:
        Q, Omega = self._runner.in_users_axes(np.array([row]))
        value = self._events.functions[name](t, Q[0], Omega[0])
        if isinstance(value, bool | np.bool_):
            raise InputError(
                f"The event {name!r} is {value} at t = {t:g}; it must be a number that changes its sign at the event, "
                "as t - 1 does, and t > 1 does not."
            )
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise InputError(f"The event {name!r} is {one_line(value)} at t = {t:g}; it must be one number.") from None
        if math.isnan(number):
            self._no_number.setdefault(name, t)
        return number

    # ---- the result ---------------------------------------------------------------------------------

    def completed(self, s: Trajectory) -> Trajectory:
        """The Trajectory of the run, with what was seen on the way."""
        changed: dict[str, Any] = {}
        if self._is_sampled:
            Q, Omega = self._states(self._rows)
            if self._rows and self._times[0] == s.t[0]:  # as it was given
                Q[0], Omega[0] = s.Q[0], s.Omega[0]
            changed |= {"t": np.array(self._times[: len(self._rows)]), "Q": Q, "Omega": Omega}
        return self.with_events(dataclasses.replace(s, **changed), keep_last=not self._is_sampled)

    def with_events(self, s: Trajectory, keep_last: bool) -> Trajectory:
        """A Trajectory with the events. If one has ended the run, `keep_last` adds the state there as the last."""
        changed: dict[str, Any] = {}
        warn_of_no_numbers(self._no_number)
        if self._last is not None:
            t, last = self._last
            Q, Omega = self._states([last])
            if keep_last:
                columns = (("t", np.array([t])), ("Q", Q), ("Omega", Omega))
                changed |= {k: np.concatenate([getattr(s, k), x]) for k, x in columns}
            changed["message"] = f"The event {self.ended!r} ended the run at t = {t:g}."
        if self._crossed:
            changed["events"] = {name: self._crossings(crossings) for name, crossings in self._crossed.items()}
        return dataclasses.replace(s, **changed)

    @property
    def last_time(self) -> float:
        """When an event ended the run; NaN if none has."""
        return math.nan if self._last is None else self._last[0]

    @property
    def crossed(self) -> dict[str, list[tuple[float, int, Row]]]:
        """(time, direction, row) of all that happened, by the name of the event."""
        return self._crossed

    def _crossings(self, crossings: list[tuple[float, int, Row]]) -> Crossings:
        Q, Omega = self._states([row for _, _, row in crossings])
        ways = np.array([way for _, way, _ in crossings], dtype=int)
        return Crossings(np.array([t for t, _, _ in crossings], dtype=float), Q, Omega, ways)

    def _states(self, rows: list[Row]) -> tuple[np.ndarray, np.ndarray]:
        return self._runner.in_users_axes(np.array(rows, dtype=float).reshape(len(rows), self._runner.width))


def warn_of_no_numbers(first: dict[str, float]) -> None:
    """Say of which events, from which time on, a function was no number."""
    for name, t in first.items():
        warn(
            f"The event {name!r} is nan at t = {t:.6g}, and perhaps later: beside a value that is no number no event "
            "is seen. Give a function that is a number everywhere (arccos and sqrt want their arguments clipped).",
            EventWarning,
        )


def _machine_watch(runner: Runner, events: Events) -> Any:
    """watch(first, n, every, left, out, row, values) by machine code; None where that cannot be."""
    if not isinstance(runner, KernelRunner) or not runner.is_compiled:
        return None
    compiled = machine_events(events)
    return None if compiled is None else watching(runner, *compiled)
