"""Bodies on their way: the drive of all blocks through their steps, in sweeps and on threads."""

import concurrent.futures
import math
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from polhode.integrators.method import Method
from polhode.kernels.fingerprint import is_static
from polhode.kernels.rotations import compose
from polhode.machine import check, floats_or_none, nearby
from polhode.runs.between_steps.watched import Watched
from polhode.runs.drive import Run as One
from polhode.runs.ensemble.blocks import Blocks
from polhode.runs.ensemble.bodies import Bodies
from polhode.runs.ensemble.way import Way
from polhode.runs.interrupt import Interrupt
from polhode.runs.progress import bar
from polhode.runs.runners.kernel_runner import KernelRunner, body_of
from polhode.runs.runners.runner import Runner

SWEEP_SECONDS, TASK_SECONDS = 0.5, 0.05
"""Seconds of a sweep, in which all bodies go ahead together, and of one call of machine code."""

TASKS_A_THREAD = 16
"""Tasks for each thread in a sweep, if there are blocks enough."""

FIRST_RATE = 4e6
"""Body-steps a second and thread, until the rate is measured."""

FEWEST_STEPS = 64
"""The fewest steps of a sweep: to load and store a state costs about one step."""

FEW_STEPS = 20_000
"""Up to so many steps of all bodies together one thread is enough: to start others costs as much."""

TURNED = (0.6, 0.48, -0.4, 0.5)
"""From a start to another attitude, about no axis of symmetry: where torques that vanish at the start have a size."""

RAISED, ENDED = -1.0, -2.0
"""In place of its error: a body was in a block whose torque raised; an event has ended it."""


class Run:
    """The arrays of a run in blocks, and the drive through its steps."""

    def __init__(
        self,
        bodies: Bodies,
        method: Method,
        h: float,
        n: int,
        every: int,
        way: Way,
        memory: int,
        *,
        watch: Any = None,
        sink: Any = None,
        blocks: Blocks | None = None,
    ) -> None:
        self.bodies, self.method, self.h, self.n, self.every, self.way = bodies, method, h, n, every, way
        arranged = blocks or Blocks(bodies, method, way)
        self.arranged, self.blocks, places, width = arranged, arranged.count, arranged.places, arranged.width
        self.constants, self.parameters = arranged.constants, arranged.parameters
        self.failed, self.errors = np.empty(len(places), dtype=np.int64), np.empty(len(places))
        self.failed[:], self.errors[:] = -1, np.nan
        if arranged.lame is not None:
            self.failed[arranged.lame] = 0
        self.sink, rows = sink, n // every + (n % every > 0)
        self.out = np.empty((rows if sink is None else sink.capacity(len(places)), 7, len(places)))
        self.states = np.empty((self.blocks, 10 + memory, width))
        if arranged.lame is None or bodies.finite.any():
            q, Pi = bodies.starts(places)
            self.states[:, :4] = q.T if len(q) == 1 else arranged.arranged(q)
            self.states[:, 4:7] = arranged.arranged(Pi)
        self.done, self.row, self.left, self.iterations, self.interrupted = 0, 0, every, 0, False
        self.wall_time, self.threads, self.watch = 0.0, 1, watch
        self.before: tuple[np.ndarray, np.ndarray] | None = None  # failures and errors before a sweep
        self.checkpoint: Any = None
        if watch is not None:
            watch.begin(width, places, self.states)

    @property
    def has_lost(self) -> bool:
        """Whether a body has failed, raised, or was ended."""
        return bool(self.failed.max() >= 0)

    def guard(self) -> None:
        """Check that the machine code starts bodies as Python does, with the torque at the start."""
        bodies = self.bodies
        kernel, _ = bodies.kinds[0].source(self.method)
        if is_static(kernel) and is_static(self.method.start):
            return
        good = np.flatnonzero(bodies.finite)
        if not len(good):
            return
        states, width, t0 = self.states.copy(), self.way.width, bodies.kinds[0].t0
        chosen = dict.fromkeys((good[0], good[min(len(good), width) - 1], good[-1]))  # the ends of a block, too
        alone = {i: bodies.problem(i) for i in chosen}
        places = [(i, *alone[i].start()) for i in chosen]
        i, q, Pi = places[0]
        turned = compose((q[0], q[1], q[2], q[3]), TURNED)

        def of_machine(place: Any) -> Any:
            block, lane = divmod(place[0], width)
            self._loop(0, block, block + 1, states)
            return states[block, 7:, lane]

        def of_python(place: Any) -> Any:
            i, q, Pi = place
            _, _, tau, memory = self.method.start(self.h, t0, q, Pi, body_of(alone[i], self.method))
            return tau + memory

        check(
            f"torque of {bodies.kinds[0].name!r} (or of the start of {self.method.name})",
            kernel,
            places,
            lambda place: floats_or_none(lambda: of_machine(place)),
            lambda place: floats_or_none(lambda: of_python(place)),
            lambda place, rng: (place[0], tuple(nearby(np.array(place[1]), rng).tolist()), place[2]),
            size=max(map(abs, floats_or_none(lambda: of_python((i, turned, Pi))) or ()), default=0.0),
        )

    def drive(self, threads: int | None, progress: Any, guarded: bool = True) -> None:
        """Sweeps of all bodies over some steps, each in tasks of a fraction of a second: progress, Ctrl-C, balance."""
        if guarded:
            self.guard()
        if self.checkpoint is not None:
            self.checkpoint.restore(self)
        N, begin, before = len(self.bodies), time.perf_counter(), self.wall_time
        saved = begin
        small = N * self.n <= FEW_STEPS  # over before threads would have begun
        self.threads = threads = min(threads or (1 if small else _processors()), self.blocks)
        if small and threads == 1 and not progress and self.checkpoint is None and self.sink is None:
            try:
                self._sweep(self.n, self._group(self.n, 0.0), None, _untold, _LEFT)
            except KeyboardInterrupt:
                self.interrupted = True
            self.wall_time = time.perf_counter() - begin
            return
        rate = 0.0  # body-steps a second and thread: the first sweep is short, then it is known
        pool = concurrent.futures.ThreadPoolExecutor(threads) if threads > 1 else None
        with (
            bar(progress, self.n * self.blocks, f"{self.method.name} on {N} bodies") as tick,
            Interrupt(small and self.checkpoint is None) as interrupt,
        ):
            try:
                while self.done < self.n and (self.failed[:N] < 0).any() and not self.interrupted:
                    steps = min(self.n - self.done, max(FEWEST_STEPS, int(SWEEP_SECONDS * rate * threads / N)))
                    if self.sink is not None:
                        steps = min(steps, self.left + (len(self.out) - 1) * self.every)
                    clock = time.perf_counter()
                    self._sweep(steps, self._group(steps, rate), pool, tick, interrupt)
                    now = time.perf_counter()
                    rate, self.wall_time = N * steps / max(now - clock, 1e-6) / threads, before + now - begin
                    if self.checkpoint is not None and now - saved >= self.checkpoint.seconds:
                        self.checkpoint.save(self)
                        saved = time.perf_counter()
            except KeyboardInterrupt:  # a second Ctrl-C
                self.interrupted = True
            finally:
                if pool:
                    pool.shutdown(cancel_futures=True)
                if self.before:  # failures in a sweep that does not count
                    self.failed[:], self.errors[:] = self.before
        self.wall_time = before + time.perf_counter() - begin
        if self.checkpoint is not None and not self.before:
            self.checkpoint.save(self)

    def _group(self, steps: int, rate: float) -> int:
        """Blocks in a task: what takes a fraction of a second, and few enough for threads of unequal speed."""
        few = -(-self.blocks // (TASKS_A_THREAD * self.threads))
        return max(1, min(few, int(TASK_SECONDS * (rate or FIRST_RATE) / (steps * self.way.width))))

    def _sweep(self, steps: int, group: int, pool: Any, tick: Callable[[int], None], interrupt: Any) -> None:
        """Take all blocks over some steps, a group of blocks at a time; a sweep cut short by Ctrl-C does not count."""

        def task(first: int) -> tuple[int, Any] | None:
            if interrupt.seen and self.checkpoint is None:
                return None
            last = min(first + group, self.blocks)
            try:
                return self._advance_blocks(steps, first, last)
            except Exception:  # of a user's function: these bodies leave the blocks, and run one by one at the end
                self._leave(first, last)
                return 0, None

        firsts, iterations, noted = range(0, self.blocks, group), 0, []
        self.before = self.failed.copy(), self.errors.copy()
        for k, took in enumerate(pool.map(task, firsts) if pool else map(task, firsts)):
            if took is None:
                self.interrupted = True
                return
            iterations += took[0]
            if took[1] is not None:
                noted.append((firsts[k], min(firsts[k] + group, self.blocks), took[1]))
            tick(self.done * self.blocks + steps * min(self.blocks, (k + 1) * group))
        if noted:
            self._look_at(noted, pool)
        saved = (self.every - self.left + steps) // self.every
        self.row += saved
        self.left += saved * self.every - steps
        self.done += steps
        self.iterations += iterations
        self.interrupted, self.before = interrupt.seen and self.done < self.n, None
        if self.sink is not None:
            self.sink.take(self.out, self.row, self.failed)
            self.row = 0

    def _advance_blocks(self, steps: int, begin: int, end: int) -> tuple[int, Any]:
        """Some blocks over some steps: the iterations, and the notes of steps in which an event may be."""
        if self.watch is None:
            return self._loop(steps, begin, end, self.states), None
        paper, count = self.watch.paper((end - begin) * self.way.width * steps)
        iterations = self._loop(steps, begin, end, self.states, paper, count)
        return iterations, paper[: count[0]].copy() if count[0] else None

    def _look_at(self, noted: list[tuple[int, int, np.ndarray]], pool: Any) -> None:
        """What happened in the steps noted: (first block, last, notes), looked at together, as each look costs."""
        parts = shared_out(noted, self.threads)
        for crossings in pool.map(self._met, parts) if pool else map(self._met, parts):
            for table, ends, lost in crossings:
                for i, k in ends.items():
                    self.failed[i], self.errors[i] = k, ENDED
                for i in lost:
                    self.failed[i], self.errors[i] = self.done, RAISED
                self.watch.keep(table, ends)

    def _met(self, noted: list[tuple[int, int, np.ndarray]]) -> list[Any]:
        """What `Watch.met` finds in notes; where a user's function raises, their bodies leave the blocks."""
        try:
            return [self.watch.met(np.concatenate([notes for _, _, notes in noted]), self.failed)]
        except Exception:
            if len(noted) == 1:
                self._leave(*noted[0][:2])
                return []
            return [crossing for one in noted for crossing in self._met([one])]

    def _leave(self, first: int, last: int) -> None:
        """Bodies of some blocks leave them, and run one by one at the end."""
        leave = slice(first * self.way.width, last * self.way.width)
        here = self.failed[leave] < 0
        self.failed[leave][here], self.errors[leave][here] = self.done, RAISED

    def _loop(self, steps: int, begin: int, end: int, states: np.ndarray, *paper: Any) -> int:
        """Machine code: some blocks over some steps."""
        assert self.way.loop is not None  # without one the bodies run through `solve`
        watched = self.watch.given(self.failed, *(paper or self.watch.paper(0))) if self.watch else ()
        return self.way.loop(
            *(self.way.given, self.h, self.bodies.kinds[0].t0, self.done, steps, self.every, self.left, self.row),
            *(len(self.bodies), begin, end),
            *(self.constants, self.parameters, states, self.out, self.failed, self.errors, watched),
        )

    def one_by_one(self) -> dict[int, str]:
        """Bodies that left their blocks, each from its start, as `solve` runs it; {body: sentence} of those that fail.

        Their torque raised, or that of a body beside them; what each computed before that is kept.
        """
        sentences, steps = {}, self.done if self.interrupted else self.n
        left = np.flatnonzero(self.errors[: len(self.bodies)] == RAISED).tolist()
        for i in left:
            self.failed[i], self.errors[i] = 0, np.nan
        for i in left:
            if self.interrupted and steps == self.n:
                sentences[i] = "Interrupted before it began."
                continue
            try:
                runner: Runner = KernelRunner(self.bodies.problem(i), self.method, self.h, None)
                runner = Watched(runner, steps, None, self.watch.events) if self.watch else runner
                alone = One(runner, steps, self.every)
            except Exception as raised:  # by the torque at the start
                sentences[i] = f"{type(raised).__name__} at the start: {raised}."
                continue
            alone.go(math.inf, lambda done: None)
            rows = alone.rows.table[: min(alone.rows.at, len(self.out))]
            self.out[: len(rows), :, i] = rows
            self.failed[i] = alone.done if alone.message else -1
            if alone.message:
                sentences[i] = alone.message
            if self.watch:
                self.watch.keep_alone(i, runner)
            if runner.ended:
                self.failed[i], self.errors[i] = alone.done, ENDED
            self.iterations += alone.iterations
            self.interrupted = self.interrupted or alone.interrupted
        if left and steps == self.n:
            self.done = steps
        return sentences


def shared_out(noted: list[Any], threads: int) -> list[list[Any]]:
    """Groups of notes for each thread, as many notes for one as for another, as far as whole groups go."""
    sizes = np.cumsum([len(notes) for _, _, notes in noted])
    places = np.searchsorted(sizes, sizes[-1] * np.arange(1, threads) / threads).tolist()
    return [part for a, b in zip([0, *places], [*places, len(noted)]) if (part := noted[a:b])]


def _untold(done: int, label: str | None = None) -> None:
    """No progress is shown."""


_LEFT = Interrupt(leave=True)  # never entered: a Ctrl-C is raised at once


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
