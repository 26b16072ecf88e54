"""Engines side by side: the same free body and the same stress test for everybody's integrators."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from polhode.errors import InputError
from polhode.integrators.lookup import Integrator, integrator, name_of
from polhode.integrators.method import Method
from polhode.physics.catalogue import problem
from polhode.physics.problem import Problem
from polhode.runs.solve import solve
from polhode.testbench.certificate.orders import runs as orders
from polhode.testbench.certificate.outside import cost
from polhode.testbench.certificate.outside import measurements as outside
from polhode.testbench.certificate.running.look import Look, box
from polhode.testbench.certificate.states import cases
from polhode.testbench.certificate.states.cases import Run
from polhode.testbench.drift.evidence import Row
from polhode.testbench.drift.stress import stress
from polhode.testbench.peers import ENGINES, installed, shown

OURS = ("VLV", "RKMK4")
"""Two methods of the catalogue to compare with: a symplectic one, and a Runge-Kutta one of order 4."""

H = 0.125
STEP_SIZES = (0.125, 0.25)
T_END = 500.0
STARTS = 2
VAGUE = 0.5
"""If a drift could be more than this part of the largest energy error, the verdict is undecided, not "none"."""


@dataclass(frozen=True)
class Measured:
    """One integrator: orders, the largest errors with h = 0.125, drift and cost on the stress test."""

    name: str
    title: str
    order_free: float | None  # the lower of those of Q and Omega; None if it chooses its own steps
    order_potential: float | None
    energy_free: float  # largest |E - E(0)| of the free body on [0, 100]
    momentum_free: float  # largest |Q Pi - Q0 Pi0|
    energy_stress: float  # largest |E - E(0)| on the stress test
    drift: str  # the verdict in words
    slope: float
    slope_error: float
    torques: float | None  # evaluations a step
    microseconds: float  # a step of the stress test, torque included


@dataclass(frozen=True)
class Absent:
    """An engine, or one of its integrators, that cannot be measured, and why."""

    name: str
    why: str


def across(
    names: Sequence[str] | None = None,
    t_end: float = T_END,
    tick: Callable[[str], None] = lambda name: None,
) -> list[Measured | Absent]:
    """Measure integrators, given as "engine", "engine:integrator" or the name of a method. By default: ours and some of
    every engine."""
    wanted: list[str] = []
    results: list[Measured | Absent] = []
    absent: list[Measured | Absent] = []
    there = installed()
    for name in names or (*OURS, *ENGINES):
        package = name.lower()
        if package not in ENGINES:
            wanted.append(name)
            continue
        offered = there[package]
        if isinstance(offered, str):
            absent.append(Absent(package, offered))
        else:
            wanted += [f"{package}:{one}" for one in shown(package)]
    for name in dict.fromkeys(wanted):
        method = integrator(name)  # an unknown name is an error; an integrator that does not run is a row
        tick(name)
        try:
            results.append(measured(method, t_end))
        except InputError as error:
            results.append(Absent(name, str(error)))
    return results + absent


def measured(method: Integrator, t_end: float = T_END) -> Measured:
    """The row of one integrator."""
    if isinstance(method, Method) and method.free_only:
        raise InputError(f"{method.name} is for a free body only: it cannot take the stress test.")
    look = Look(box(method))
    outside.check_first_step(look.advance, name_of(method))
    run = look.run  # which turns what an engine raises into a refusal
    orders: list[float | None] = [None, None]
    if getattr(method, "tolerance", None) is None:
        orders = [_order(run, case) for case in (cases.free, cases.potential)]
    free = solve(problem("free-body"), method, h=H, n_steps=800, save_every=8, on_failure="return")
    row = stress([method], h=STEP_SIZES, t_end=t_end, ensemble=STARTS).rows[0]
    with np.errstate(all="ignore"):
        return Measured(
            name=row.method,
            title=getattr(method, "title", ""),
            order_free=orders[0],
            order_potential=orders[1],
            energy_free=float(np.abs(free.energy_error).max()),
            momentum_free=float(np.abs(free.momentum - free.momentum[0]).max()),
            energy_stress=row.evidence[0].largest,
            drift=_drift(row),
            slope=row.evidence[0].rate,
            slope_error=row.evidence[0].error,
            torques=_torques(method, run),
            microseconds=_cost(method),
        )


def _drift(row: Row) -> str:
    """The verdict in words; undecided where a possible drift is as large as the energy errors."""
    e = row.evidence[0]
    beyond = e.bound > e.round_off and e.bound * (e.t[-1] - e.t[0]) > VAGUE * e.largest
    vague = row.sign == "none" and beyond
    return "undecided" if vague else row.words


def _order(run: Run, case: Callable[[], Problem]) -> float | None:
    values = [p.value for p in orders.order(run, cases.placed(case()))[0]]
    known = [v for v in values if v is not None]
    return min(known) if len(known) == len(values) else None


def _torques(method: Integrator, run: Run) -> float | None:
    if isinstance(method, Method):
        s = solve(problem("stress"), method, h=H, n_steps=1000, on_failure="return")
        return (s.stats["n_torque"] - method.torques_at_start) / 1000
    return cost.counted(run, cases.placed(cases.potential())).value


def _cost(method: Integrator, seconds: float = 0.2) -> float:
    """Microseconds a step, the best of three after one to warm up; as many steps as take some time."""
    p, n, best = problem("stress"), 16, np.inf
    solve(p, method, h=H, n_steps=n, save_every=n, on_failure="return")
    for _ in range(3):
        clock = time.perf_counter()
        solve(p, method, h=H, n_steps=n, save_every=n, on_failure="return")
        each = (time.perf_counter() - clock) / n
        best = min(best, each)
        n = min(100_000, max(16, int(seconds / each)))
    return 1e6 * float(best)
