"""What a call costs beside its steps: one step by every public way, and where the time of `solve` goes."""

import numpy as np
import ours
from measure import duration
from table import Table, span

import polhode as ph
from polhode.runs.drive import Run
from polhode.runs.runners.runner import runner_of

TITLE = "Calls"
H = 0.01


def measure(quick):
    """Seconds of each call, and of the parts of `solve`."""
    least = 0.05 if quick else 0.3
    timed = lambda run: duration(run, at_least=least, fewest=200, most=20_000)
    problem, own = ph.problem("stress"), _own()
    return {
        "calls": {name: timed(run) for name, run in _calls(problem, own).items()},
        "parts": {method: _parts(problem, method, timed) for method in ("VLV", "TAYLOR")},
    }


def _own():
    """A problem with a torque of one's own, which may change from one call to the next."""
    return ph.Problem(inertia=(1.0, 2.0, 3.0), torque=lambda t, Q: (Q[2, 1], -Q[2, 0], 0.0), Omega0=(0.1, 0.2, 0.3))


def _calls(problem, own):
    held, taylor = ph.Integrator(problem, "VLV", h=H), ph.Integrator(problem, "TAYLOR", h=H)
    speeds = problem.Omega0 + np.linspace(0.0, 0.1, 8)[:, None]
    step = lambda p: lambda: ph.step(p, "VLV", p.Q0, p.Omega0, H)
    return {
        "`solve`, VLV": ours.call(problem, "VLV", H, 1),
        "`solve`, VLV, a call unlike those before": _long_way(problem, "VLV"),
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


def _long_way(problem, method):
    """A call of which nothing is kept from the one before: one that is given True or False is not looked for."""
    return lambda: ph.solve(problem, method, h=H, n_steps=1, strict=False)


def _parts(problem, method, timed):
    """Seconds of the parts of a call of `solve` unlike those before, each alone."""
    m = ph.taylor() if method == "TAYLOR" else ph.method(method)
    runner = runner_of(problem, m, H)

    def went():
        run = Run(runner, 1, 1)
        run.go(60.0, lambda done: None)
        return run

    run = went()
    parts = {
        "the runner: body, machine code, start": timed(lambda: runner_of(problem, m, H)),
        "the run and its step": timed(went),
        "the Trajectory": timed(lambda: run.trajectory(m)),
    }
    return parts | {"checks of the arguments, and the rest": timed(_long_way(problem, m)) - sum(parts.values())}


def tables(data):
    """The calls, and the parts of one."""
    calls = [(name, span(seconds)) for name, seconds in data["calls"].items()]
    names = next(iter(data["parts"].values()))
    parts = [(name, *(span(max(0.0, found[name])) for found in data["parts"].values())) for name in names]
    note = (
        "One step of the stress test, machine code there already. A call like one before, of the same Problem, method, "
        "step and interval, finds all that was checked and made for that. A torque of one's own is proved to be what "
        "it was when it was compiled before it runs. `step` runs as plain Python until a problem and a method have "
        "run, or for a thousand calls."
    )
    return [
        Table("What a call costs", ("call", "time"), calls, note),
        Table(
            "Where the time of `solve` goes",
            ("part", *data["parts"]),
            parts,
            "Of a call unlike those before. Each part timed alone.",
        ),
    ]
