"""What `recommend` ranks by, measured for every method of the catalogue: python -m polhode.testbench.advice.measure

Writes measured.json beside this file: errors against the step on a free body and in the stress test's potential, both
without symmetry, and there for a body with two equal moments; the time of a step; torque evaluations; drift; and how
much code a step is. Times are those of the machine it ran on and are used as ratios; all else is the same anywhere.
With names behind it only these methods are measured; their times are scaled to the machine of the file by the time of
VLV here and there.
"""

import json
import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from polhode.integrators.lookup import methods
from polhode.integrators.method import Method
from polhode.kernels.implicit import NO_SOLVE
from polhode.kernels.numbers import Body, Number, Report, State
from polhode.kernels.references import reachable
from polhode.kernels.scalar import kernel
from polhode.kernels.step import torque_at
from polhode.physics.problem import Problem
from polhode.reference.reference import reference
from polhode.runs.solve import solve
from polhode.testbench.advice.ranking import DRIFT_STEP, FILE
from polhode.testbench.certificate.states import cases
from polhode.testbench.drift.stress import stress

SPAN = 5.0
LOOKS = 4  # times at which errors are taken, the largest counts: one alone may be small by accident
STEPS = (4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024)
CASES = {"free": cases.free, "potential": cases.potential, "axisymmetric": cases.stress}


def measurements(tick: Callable[[str], Any] = print, names: Sequence[str] = ()) -> dict[str, Any]:
    """The measurements as plain data: of every method, or of those named, with the others taken from the file."""
    problems = {case: make() for case, make in CASES.items()}
    times = SPAN / LOOKS * np.arange(1, LOOKS + 1)
    exact = {case: reference(p, times)[0] for case, p in problems.items()}
    torque = step_time(problems["potential"], Method(name="torque only", step=torque_only))
    data: dict[str, Any] = {
        "span": SPAN,
        "steps": list(STEPS),
        "radians": {case: radians(p) for case, p in problems.items()},
        "torque_ns": round(torque, 1),
        "methods": {},
    }
    for m in (methods()[name] for name in names or methods()):
        tick(m.name)
        data["methods"][m.name] = measured(m, problems, exact, torque)
    return with_others(data, problems, torque) if names else data


def with_others(data: dict[str, Any], problems: Mapping[str, Problem], torque: float) -> dict[str, Any]:
    """The data of a few methods, completed from the file with those of all others; in the order of the catalogue."""
    there = json.loads(FILE.read_text(encoding="utf-8"))
    yardstick = methods()["VLV"]
    here = step_time(problems["potential"], yardstick) - torque
    faster = here / there["methods"][yardstick.name]["step_ns"]["potential"]
    for entry in data["methods"].values():
        entry["step_ns"] = {case: round(ns / faster, 1) for case, ns in entry["step_ns"].items()}
    entries = there["methods"] | data["methods"]
    return there | {"methods": {name: entries[name] for name in methods()}}


def measured(
    m: Method, problems: Mapping[str, Problem], exact: Mapping[str, np.ndarray], torque: float
) -> dict[str, Any]:
    """The data of one method."""
    evaluations = 0.0 if m.free_only else _evaluations(m, problems["potential"])
    assert evaluations is not None  # every method takes a step of 1/16
    own = lambda case: round(max(1.0, step_time(problems[case], m) - evaluations * torque / max(1, m.nodes)), 1)
    entry: dict[str, Any] = {
        "errors": {c: errors(p, m, exact[c]) for c, p in problems.items() if c == "free" or not m.free_only},
        "step_ns": {case: own(case) for case in (("free",) if m.free_only else ("potential", "axisymmetric"))},
        "torques": evaluations,
        "code": code(m),
    }
    if not m.free_only and not m.explicit_torque:
        entry["torques_at"] = [_evaluations(m, problems["potential"], SPAN / n, n) for n in STEPS]
    if not m.free_only:
        entry["drift"] = _drift(m)
    return entry


def _drift(m: Method) -> float | str:
    """The rate of the energy, "none" or "unstable".

    A drift that shows at twice the step, but is too slow for the short run, is measured by a long one.
    """
    row = stress([m], t_end=4000.0, ensemble=4).rows[0]
    if row.sign == "none" and stress([m], h=2 * DRIFT_STEP).rows[0].sign in ("+", "-"):
        return _digits(abs(stress([m]).rows[0].evidence[0].rate))
    return _digits(abs(row.evidence[0].rate)) if row.sign in ("+", "-") else row.sign


def errors(p: Problem, m: Method, exact: np.ndarray) -> list[float | None]:
    """The largest angle between computed and exact attitudes, by number of steps; None where the method fails."""
    largest: list[float | None] = []
    for n in STEPS:
        s = solve(p, m, h=SPAN / n, n_steps=n, save_every=n // LOOKS, on_failure="return")
        if not s.success:
            largest.append(None)
            continue
        off = np.einsum("nji,njk->nik", exact, s.Q[1:])
        axis = np.stack([off[:, 2, 1] - off[:, 1, 2], off[:, 0, 2] - off[:, 2, 0], off[:, 1, 0] - off[:, 0, 1]])
        angle = np.arctan2(np.linalg.norm(axis, axis=0), np.einsum("nii->n", off) - 1)
        largest.append(_digits(max(float(angle.max()), 1e-16)))
    return largest


def radians(p: Problem) -> float:
    """How far the body turns in the span."""
    s = solve(p, "RKMK4", h=SPAN / 1000, n_steps=1000, on_failure="return")
    return round(float(np.linalg.norm(s.Omega, axis=1).mean() * SPAN), 3)


def step_time(p: Problem, m: Method, few: int = 500, many: int = 2500, repeats: int = 60) -> float:
    """Nanoseconds a step: the difference between many steps and few, each the best of many runs."""
    best = {few: math.inf, many: math.inf}
    for _ in range(repeats):
        for n in best:
            clock = time.perf_counter()
            solve(p, m, h=0.0625, n_steps=n, save_every=n, on_failure="return")
            best[n] = min(best[n], time.perf_counter() - clock)
    return 1e9 * (best[many] - best[few]) / (many - few)


def code(m: Method) -> int:
    """Lines of code that a step consists of, without the algebra of rotations and the solver."""
    apart = tuple(f"polhode.kernels.{x}" for x in ("vectors", "rotations", "scalar", "stumpff", "implicit", "step"))
    own = [f for f in reachable([m.step]) if not f.__module__.startswith(apart)]
    return sum(len({line for *_, line in f.__code__.co_lines() if line}) - 1 for f in own)


@kernel
def torque_only(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """A step that goes nowhere and evaluates the torque: its time is taken off that of a method's step."""
    q, Pi, _, memory = state
    return (q, Pi, torque_at(t, q, body), memory), NO_SOLVE


def _evaluations(m: Method, p: Problem, h: float = 0.0625, steps: int = 400) -> float | None:
    """Torque evaluations a step; None where it fails."""
    s = solve(p, m, h=h, n_steps=steps, save_every=steps, on_failure="return")
    return round((s.stats["n_torque"] - m.torques_at_start) / steps, 2) if s.success else None


def _digits(x: float) -> float:
    return float(f"{x:.3g}")


def main() -> None:
    """Measure everything, or the methods named, and write the file."""
    FILE.write_text(json.dumps(measurements(names=sys.argv[1:]), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
