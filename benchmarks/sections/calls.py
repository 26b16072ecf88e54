"""What a call costs beside its steps: one step by every public way."""

import itertools

import numpy as np
import ours
from measure import duration
from table import Table, span

import polhode as ph

TITLE = "Calls"
H = 0.01


def measure(quick):
    """Seconds of each call."""
    least = 0.05 if quick else 0.3
    timed = lambda run: duration(run, at_least=least, fewest=200, most=20_000)
    problem, own = ph.problem("stress"), _own()
    return {"calls": {name: timed(run) for name, run in _calls(problem, own).items()}}


def _own():
    """A problem with a torque of one's own, which may change from one call to the next."""
    return ph.Problem(
        inertia=(1.0, 2.0, 3.0),
        torque=lambda t, Q, p: (p.k * Q[2, 1], -p.k * Q[2, 0], 0.0),
        parameters={"k": 1.0},
        Omega0=(0.1, 0.2, 0.3),
    )


def _calls(problem, own):
    held, taylor = ph.Integrator(problem, "VLV", h=H), ph.Integrator(problem, "TAYLOR", h=H)
    speeds = problem.Omega0 + np.linspace(0.0, 0.1, 8)[:, None]
    step = lambda p: lambda: ph.step(p, "VLV", p.Q0, p.Omega0, H)
    return {
        "`solve`, VLV": ours.call(problem, "VLV", H, 1),
        "`solve`, VLV, from another start": _of_each(problem.replaced(Omega0=x) for x in _starts()),
        "`solve`, VLV, a torque of one's own, from another start": _of_each(own.replaced(Omega0=x) for x in _starts()),
        "`solve`, VLV, a torque of one's own, another parameter": _of_each(own.replaced(k=x) for x in _starts()[:, 0]),
        "`solve`, TAYLOR, another step": _another_step(problem),
        "`solve`, TAYLOR": ours.call(problem, "TAYLOR", H, 1),
        "`solve`, VLV, and `.Q` of the Trajectory": lambda: ours.call(problem, "VLV", H, 1)().Q,
        "`solve`, VLV, a torque of one's own": ours.call(own, "VLV", H, 1),
        "`solve`, TAYLOR, a torque of one's own": ours.call(own, "TAYLOR", H, 1),
        "`step`, VLV": step(problem),
        "`step`, VLV, a torque of one's own": step(own),
        "`solve_ensemble`, VLV, eight bodies": lambda: ph.solve_ensemble(problem, "VLV", h=H, n_steps=1, Omega0=speeds),
        "`Integrator.step`, VLV": held.step,
        "`Integrator.reset().step()`, VLV": lambda: held.reset().step(),
        "`Integrator.reset().step()`, TAYLOR": lambda: taylor.reset().step(),
    }


def _starts():
    """More than any call remembers."""
    return np.random.default_rng(1).normal(size=(4096, 3))


def _of_each(problems):
    """A call of one problem after the other, made beforehand."""
    each = itertools.cycle(list(problems))
    return lambda: ph.solve(next(each), "VLV", h=H, n_steps=1)


def _another_step(problem):
    sizes = itertools.count(1)
    return lambda: ph.solve(problem, "TAYLOR", h=H + 1e-8 * next(sizes), n_steps=1)


def tables(data):
    """The calls."""
    calls = [(name, span(seconds)) for name, seconds in data["calls"].items()]
    note = (
        "One step of the stress test, machine code there already. A call like one before, of the same Problem, method, "
        "step and interval, finds all that was checked and made for that; from another start, or with another "
        "parameter, it finds the machine code. A torque of one's own is proved to be what it was when it was compiled "
        "before it runs, and compared with its machine code where it has not been yet; it is also called once, in "
        "Python, by the start of the method. `step` runs as plain Python until a problem and a method have run, or for "
        "a thousand calls."
    )
    return [Table("What a call costs", ("call", "time"), calls, note)]
