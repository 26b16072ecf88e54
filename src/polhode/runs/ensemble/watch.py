"""Events of many bodies: the loop in lanes notes steps in which one may be; here it is found what happened there.

The steps noted and what is found in them are those of `solve` for each body alone; its times agree to 12 digits, since
there the function is called by Python, here as machine code.
"""

from typing import Any

import numpy as np

from polhode.errors import InputError
from polhode.inputs.events import Events
from polhode.integrators.method import Method
from polhode.runs.between_steps.crossings import Changes, Many, crossings_of_many
from polhode.runs.between_steps.machine_events import check_event
from polhode.runs.between_steps.watched import Watched, warn_of_no_numbers
from polhode.runs.ensemble.bodies import Bodies
from polhode.runs.ensemble.events import Table
from polhode.runs.runners.kernel_runner import KernelRunner, machine_torque

NUMBERS_OF_A_NOTE = 19
"""Numbers of a note: see ``machine.lanes.ensemble_watching``."""

NOTES_AT_ONCE = 2048
"""Notes looked at together: more make no look cheaper, and a function with kinks takes 34 kB for each."""


class Watch:
    """What is watched in a run of bodies: the functions, their values at the states, and what was found."""

    def __init__(self, bodies: Bodies, method: Method, h: float, events: Events, code: list[Any]) -> None:
        from polhode.machine import inside_blocks

        self.bodies, self.events, self.h, self._held = bodies, events, h, code
        self.t0 = bodies.kinds[0].t0
        self.tables: list[Table] = []
        self.ended: dict[int, str] = {}  # the event that ended a body
        self._no_number: dict[str, float] = {}  # by event, a time at which it was seen to be no number
        self._names = list(events.functions)
        self._addresses = np.array([machine.address for machine in code])
        self._axes = np.array(bodies.axes.reshape(-1, 9), order="C")
        torque, kind = machine_torque(bodies.kinds[0], method)
        self._torque = torque
        numbers = method.coefficients if method.coefficients else None
        moments = np.where(np.isfinite(bodies.moments), bodies.moments, 1.0)
        each = [(*J, *(1 / x for x in J), *(numbers(tuple(J), float) if numbers else ())) for J in moments.tolist()]
        self._constants, self._parameters = np.array(each), np.ascontiguousarray(bodies.parameters)
        self._inside = inside_blocks(method.step, method.start, len(each[0]) - 6, kind)

    def check(self, method: Method, kernels: list[Any]) -> None:
        """Before anything runs: a sentence for what cannot be an event, or whose machine code says something else."""
        good = np.flatnonzero(self.bodies.finite)
        if not len(good):
            return
        runner = KernelRunner(self.bodies.problem(good[0]), method, self.h, False)
        Watched(runner, 1, None, self.events)
        axes = np.array(self._axes[0])
        for kernel, machine in zip(kernels, self._held):
            check_event(runner, kernel, machine, axes)

    def begin(self, width: int, places: np.ndarray, states: np.ndarray) -> None:
        """The values at the start; `states` (blocks, numbers, width) are of the bodies of `places`."""
        own = np.repeat(self._axes, width, axis=0) if len(self._axes) == 1 else self._axes[places]
        self._in_blocks = own.reshape(-1, width, 9)
        rows = np.swapaxes(states[:, :7], 1, 2).reshape(-1, 7)
        self.values = np.empty((len(self._names), 1, len(places)))
        nothing = np.zeros(len(places))
        for k in range(len(self._names)):
            event, t = np.full(len(places), k), nothing + self.t0
            self.values[k, 0], _ = self._look(places, event, t, nothing, rows)
        wrong = np.argwhere(~np.isfinite(self.values[:, 0, : len(self.bodies)]) & self.bodies.finite)
        if len(wrong):
            k, i = wrong[0].tolist()
            raise InputError(
                f"The event {self._names[k]!r} of body {i} is {self.values[k, 0, i]} at the start, t = {self.t0:g}; it "
                "must be a finite number."
            )

    def paper(self, body_steps: int) -> tuple[np.ndarray, np.ndarray]:
        """A table with room for all notes of some steps, and their number; only what is written takes memory."""
        return np.empty((body_steps * len(self._names), NUMBERS_OF_A_NOTE)), np.zeros(1, dtype=np.int64)

    def given(self, failed: np.ndarray, notes: np.ndarray, count: np.ndarray) -> tuple[Any, ...]:
        """The last arguments of the machine code."""
        return len(self.bodies), self._addresses, self._in_blocks, self.values, failed, notes, count

    def _look(self, body: Any, event: Any, t: Any, theta: Any, rows: Any) -> tuple[np.ndarray, np.ndarray]:
        values, states = np.empty(len(rows)), np.empty((len(rows), 7))
        head = (self._torque.address, self._constants, self._parameters, self._axes, self.h)
        arrays = (np.ascontiguousarray(x) for x in (body, self._addresses[event], t, theta, rows))
        self._inside(*head, *arrays, values, states)
        return values, states

    def met(self, notes: np.ndarray, failed: np.ndarray) -> tuple[Table, dict[int, int], list[int]]:
        """What happened in the steps noted; {body: step} of those that it ended; bodies that must run one by one."""
        body, step, event = (notes[:, k].astype(np.int64) for k in range(3))
        sure = (failed[body] < 0) | (step < failed[body])  # in a step that fails nothing has happened
        notes, body, step, event = notes[sure], body[sure], step[sure], event[sure]
        t, lost = self.t0 + step * self.h, set()

        def g(which: np.ndarray, theta: np.ndarray) -> np.ndarray:
            values, states = self._look(body[which], event[which], t[which], theta, notes[which, 5:12])
            is_state = np.isfinite(states).all(axis=1)
            lost.update(body[which][~is_state].tolist())
            no_number = np.isnan(values) & is_state
            for k in np.unique(event[which[no_number]]).tolist():
                first = which[no_number & (event[which] == k)][0]
                self._no_number.setdefault(self._names[k], float(t[first]))
            return values

        which, theta, way = _in_pieces(g, notes[:, 3], notes[:, 4])
        wanted = np.array([self.events.direction.get(name, 0) for name in self._names])[event[which]]
        which, theta, way = (x[(wanted == 0) | (wanted == way)] for x in (which, theta, way))
        which, theta, way = (
            x[np.lexsort((event[which], theta, step[which], body[which]))] for x in (which, theta, way)
        )
        _, rows = self._look(body[which], event[which], t[which], theta, notes[which, 5:12])
        at_end = theta == 1
        rows[at_end] = notes[which[at_end], 12:19]
        place = np.where(at_end, self.t0 + (step[which] + 1) * self.h, t[which] + theta * self.h)
        table, ends = self._ended(Table(body[which], place, event[which], way, rows), step[which])
        return table, ends, sorted(lost)

    def _ended(self, table: Table, step: np.ndarray) -> tuple[Table, dict[int, int]]:
        """The table without what came after an event that ends a body, and the steps in which bodies ended."""
        ending = np.array([name in self.events.terminal for name in self._names])[table.event]
        if not ending.any():
            return table, {}
        numbers = np.arange(len(ending))
        bodies, first = np.unique(table.body[ending], return_index=True)
        first = numbers[ending][first]
        last = np.full(len(self.bodies), len(ending))
        last[bodies] = first
        return table.only(numbers <= last[table.body]), dict(zip(bodies.tolist(), step[first].tolist()))

    def keep(self, table: Table, ends: dict[int, int]) -> None:
        """Keep crossings; a body that an event ended, ended with the last of its own."""
        self.tables.append(table)
        last = dict(zip(table.body.tolist(), table.event.tolist()))
        self.ended.update((i, self._names[last[i]]) for i in ends)

    def keep_alone(self, i: int, runner: Watched) -> None:
        """Keep the crossings of a body that ran by itself."""
        order = sorted((t, k, way, row) for k, name in enumerate(self._names) for t, way, row in runner.crossed[name])
        if self.h < 0:
            order.reverse()
        t, event, way, rows = zip(*order) if order else ((), (), (), ())
        met = Table(
            np.full(len(t), i),
            np.array(t, float),
            np.array(event, int),
            np.array(way, int),
            np.array(rows, float).reshape(-1, 7),
        )
        self.tables = [table.only(table.body != i) for table in self.tables]
        self.ended.pop(i, None)
        self.keep(met, {})
        if runner.ended:
            self.ended[i] = runner.ended

    def warn(self) -> None:
        """Say of which events a function was no number on the way."""
        warn_of_no_numbers(self._no_number)

    def ended_as_numbers(self) -> np.ndarray:
        """(body, number of the event that ended it), for a file."""
        return np.array([(i, self._names.index(name)) for i, name in self.ended.items()], dtype=np.int64).reshape(-1, 2)

    def end_by_numbers(self, ended: np.ndarray) -> None:
        """Take back what `ended_as_numbers` gave."""
        self.ended = {i: self._names[k] for i, k in ended.tolist()}


def _in_pieces(g: Many, first: np.ndarray, last: np.ndarray) -> list[np.ndarray]:
    """``crossings_of_many``, some functions at a time."""
    changes = [Changes(np.empty(0, int), np.empty(0), np.empty(0, int))]
    for k in range(0, len(first), NOTES_AT_ONCE):
        piece = slice(k, k + NOTES_AT_ONCE)
        own = lambda which, theta, k=k: g(which + k, theta)
        which, theta, way = crossings_of_many(own, first[piece], last[piece])
        changes.append(Changes(which + k, theta, way))
    return [np.concatenate(column) for column in zip(*changes)]
