"""How round-off grows: energy and momentum of long runs, over an ensemble of starts.

    python benchmarks/roundoff.py                          as in docs/round-off.md
    python benchmarks/roundoff.py --steps 1e6 --runs 4     quick
    python benchmarks/roundoff.py --scan                   a bias in anything that any method of the catalogue keeps

Rounding errors that go either way add up like a random walk, the square root of the number of steps (Brouwer's
law); errors that always go the same way add up in proportion. So the root mean square of the change over n steps is
fitted by n^p, for n from 1/64 to 1/4 of the run, with the uncertainty of p from the ensemble (resampled), and the mean
of the change over the whole run is compared with its standard error.

The error of the method must not hide that of the arithmetic. Where the method keeps the quantity exactly, nothing
has to be done. Elsewhere the method is composed to order 8 (17 of its steps in one, "VLV/KL8"), with a step at which
the error left is below round-off; or, where the motion is periodic, the energy is averaged over windows with a
smooth weight, which leaves nothing of the oscillation.
"""

import argparse
import json
import sys
import time

import numpy as np

import polhode as ph
from polhode.integrators.catalogue import method as look_up
from polhode.kernels.rotations import compose, matrix
from polhode.kernels.scalar import STEP
from polhode.runs.runners.kernel_runner import body_of

EPS = 2.0**-52
SAMPLES = 200

CASES = (  # problem, method, h, quantity, steps of the method in one step of the run, windows
    ("free-body", "RATTLE", 0.01, "energy", 1, False),
    ("free-body", "VLV", 0.01, "momentum", 1, False),
    ("free-body", "VLV", 0.01, "energy", 1, True),
    ("free-body", "SR2", 0.01, "momentum", 1, False),
    ("heavy-top", "VLV", 0.01, "momentum_z", 1, False),
    ("heavy-top", "HP-EXP", 0.01, "momentum_z", 1, False),
    ("free-body", "VLV-KAHAN", 0.001, "momentum", 1, False),
    ("heavy-top", "VLV-KAHAN", 0.001, "momentum_z", 1, False),
    ("stress", "VLV/KL8", 0.05, "energy", 17, False),
    ("stress", "RATTLE/KL8", 0.05, "energy", 17, False),
)


def errors(case, steps, runs):
    """Relative errors (runs, samples) and the numbers of steps at which they were taken; the worst orthogonality."""
    name, method, h, quantity, inner, windows = case
    problem, found = ph.problem(name), look_up(method)
    rng = np.random.default_rng(1937)
    n = int(steps) // inner
    every = max(1, n // (SAMPLES * 200 if windows else SAMPLES))
    table, worst = [], 0.0
    for k in range(runs):
        Omega0 = problem.Omega0 * (1 + (0.02 * rng.standard_normal(3) if k else 0))
        s = ph.solve(problem.replaced(Omega0=Omega0), found, h=h, n_steps=n // every * every, save_every=every)
        assert s.success, s.message
        value = {"energy": lambda s=s: s.energy, "momentum_z": lambda s=s: s.momentum[:, 2]}.get(
            quantity, lambda s=s: np.linalg.norm(s.momentum, axis=1)
        )()
        change = (value - value[0]) / abs(value[0])
        worst = max(worst, s.orthogonality.max())
        table.append(smoothed(change[1:], 1000) if windows else change[1:])
    table = np.array(table)
    return table, (np.arange(table.shape[1]) + 1) * (n // table.shape[1]) * inner, worst


def smoothed(values, size):
    """Means over windows with the weight exp(-1/(u (1 - u))), less that of the first."""
    u = (np.arange(size) + 0.5) / size
    weight = np.exp(-1 / (u * (1 - u)))
    means = values[: len(values) // size * size].reshape(-1, size) @ weight / weight.sum()
    return means[1:] - means[0]


def exponent(table, n):
    """p in rms ~ n^p, from changes over 1/64 to 1/4 of the run; with its standard error over resampled ensembles."""
    whole = np.concatenate([np.zeros((len(table), 1)), table], axis=1)
    lags = np.unique(np.geomspace(max(1, len(n) // 64), len(n) // 4, 12).astype(int))
    squares = np.array([((whole[:, k:] - whole[:, :-k]) ** 2).mean(axis=1) for k in lags])  # by lag and run

    def fit(squares):
        return np.polyfit(np.log(lags), np.log(squares.mean(axis=1)) / 2, 1)[0]

    rng = np.random.default_rng(1)
    draws = [fit(squares[:, rng.integers(0, len(table), len(table))]) for _ in range(400)]
    return fit(squares), float(np.std(draws))


def symplectic_defect(method, problem, h):
    """max |D^T W(Pi1) D - W(Pi0)| of one step in floats, D its Jacobian by the complex step: see `certify`."""
    m = look_up(method)
    body = body_of(problem, m)
    q, Pi = problem.start()
    D = np.empty((6, 6))
    for j in range(6):
        e = np.zeros(6, complex)
        e[j] = 1j * STEP
        turned = compose(q, (1, *(e[:3] / 2).tolist()))
        pushed = tuple((np.array(Pi) + e[3:]).tolist())
        (q1, Pi1, _, _), _ = m.step(h, problem.t0, m.start(h, problem.t0, turned, pushed, body), body)
        Q = np.array(matrix(q1)).reshape(3, 3)
        S = Q.real.T @ Q.imag / STEP
        D[:, j] = [S[2, 1], S[0, 2], S[1, 0], *(np.array(Pi1).imag / STEP)]

    def W(Pi):
        x, y, z = np.real(Pi)
        hat = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        return np.block([[-hat, np.eye(3)], [-np.eye(3), np.zeros((3, 3))]])

    return np.abs(D.T @ W(Pi1) @ D - W(Pi)).max()


def there_and_back(method, problem, h, n):
    """How far from its start a run ends that goes n steps forwards and n steps back."""
    s = ph.solve(problem, method, h=h, n_steps=n, save_every=n)
    back = problem.replaced(Q0=s.Q[-1], Omega0=s.Omega[-1], t0=s.t[-1])
    r = ph.solve(back, method, h=-h, n_steps=n, save_every=n)
    return max(np.abs(r.Q[-1] - problem.Q0).max(), np.abs(r.Omega[-1] - problem.Omega0).max())


def show_normalisation():
    """Print what normalising the quaternion in every step leaves of symplecticity and symmetry."""
    print("| method | symplectic defect of a step | there and back, 10^2 steps | 10^4 | 10^6 |")
    print("|---|---|---|---|---|")
    for method in ("VLV", "RATTLE", "HP-EXP", "SR2"):
        defect = symplectic_defect(method, ph.problem("heavy-top"), 0.05)
        ends = [there_and_back(method, ph.problem("free-body"), 0.05, n) for n in (100, 10_000, 1_000_000)]
        print(f"| {method} | {defect:.0e} | " + " | ".join(f"{x:.0e}" for x in ends) + " |", flush=True)


def show_compensated():
    """Print what compensated sums gain: rms/(eps sqrt n) after 10^6 steps, 12 starts."""
    print("| problem | quantity | h | VLV | VLV-KAHAN |")
    print("|---|---|---|---|---|")
    for name, quantity in (("free-body", "momentum"), ("heavy-top", "momentum_z")):
        for h in (0.05, 0.01, 0.001):
            walks = []
            for method in ("VLV", "VLV-KAHAN"):
                table, n, _ = errors((name, method, h, quantity, 1, False), 1e6, 12)
                walks.append(np.sqrt((table[:, -1] ** 2).mean() / n[-1]) / EPS)
            print(f"| {name} | {quantity} | {h:g} | {walks[0]:.2g} | {walks[1]:.1g} |", flush=True)


FREE_BODIES, PIECES, BIASED = ("free-body", "asymmetric"), 16, 4.0


def kept_quantities(method, problem, h, steps, runs):
    """Relative changes over pieces of runs, by quantity that the method keeps on a free body: (runs, pieces) each.

    The momentum in space can change its length, or turn: "turn" is the part along two directions across it.
    """
    rng = np.random.default_rng(1937)
    changes = {"length": [], "turn 1": [], "turn 2": [], "energy": []}
    for k in range(runs):
        start = problem.replaced(Omega0=problem.Omega0 * (1 + (0.02 * rng.standard_normal(3) if k else 0)))
        s = ph.solve(start, method, h=h, n_steps=steps, save_every=steps // PIECES)
        assert s.success, s.message
        pi = np.array(s.momentum) / np.linalg.norm(s.momentum[0])
        frame = np.linalg.svd(pi[:1])[2]
        changes["length"].append(np.diff(np.linalg.norm(pi, axis=1)))
        changes["turn 1"].append(np.diff(pi @ frame[1]))
        changes["turn 2"].append(np.diff(pi @ frame[2]))
        changes["energy"].append(np.diff(s.energy) / s.energy[0])
    kept = ["length", "turn 1", "turn 2"] * bool(method.momentum_free) + ["energy"] * bool(method.energy_free)
    return {name: np.array(changes[name]) for name in kept}


def bias(changes, steps):
    """The mean change a step in eps, its standard error, and the ratio: the pieces of a random walk are independent."""
    unit = EPS * steps / changes.shape[1]
    mean, error = changes.mean() / unit, changes.std(ddof=1) / unit / changes.size**0.5
    return mean, error, mean / error if error else 0.0


def show_scan(steps, runs, h, only, moments=None):
    """Print, for each method that keeps momentum or energy of a free body, the mean change a step."""
    bodies = {name: ph.problem(name) for name in FREE_BODIES}
    if moments:
        bodies = {f"moments {moments}": ph.Problem(inertia=moments, Omega0=(0.31, -0.83, 0.57))}
    print(f"{runs} starts, {steps:.0e} steps of h = {h:g}: mean change a step in eps (in its standard errors)")
    print("| method " + "".join(f"| {name}: length | turn | energy | walk " for name in bodies) + "|")
    print("|---|" + len(bodies) * 4 * "---|", flush=True)
    found = []
    for method in ph.methods().values():
        if not (method.momentum_free or method.energy_free) or only not in method.name:
            continue
        cells = []
        for name, problem in bodies.items():
            try:
                changes = kept_quantities(method, problem, h, steps, runs)
            except AssertionError:  # too large a step
                cells += 4 * ["fails"]
                continue
            biases = {key: bias(x, steps) for key, x in changes.items()}
            found += [f"{method.name} on {name}: {k}" for k, (_, _, t) in biases.items() if abs(t) > BIASED]
            turn = max(("turn 1", "turn 2"), key=lambda k: abs(biases.get(k, (0, 0, 0))[2]))
            cells += [f"{b[0]:+.1e} ({b[2]:+.1f})" if (b := biases.get(k)) else "" for k in ("length", turn, "energy")]
            walk = max(float(np.sqrt((x.sum(axis=1) ** 2).mean() / steps)) for x in changes.values()) / EPS
            cells.append(f"{walk:.2g}")
        print(f"| {method.name} | {' | '.join(cells)} |", flush=True)
    print(f"beyond {BIASED:g} standard errors: {', '.join(found) or 'none'}")


def main():
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=float, help="steps of each run (default: 1e8, of a scan 1e6)")
    parser.add_argument("--runs", type=int, default=8, help="starts (default: 8)")
    parser.add_argument("--only", default="", help="only cases whose method or problem contains this")
    parser.add_argument("--json", metavar="FILE", help="write the numbers there, too")
    parser.add_argument("--scan", action="store_true", help="look for a bias in every method of the catalogue")
    parser.add_argument("--h", type=float, default=0.01, help="step size of the scan (default: 0.01)")
    parser.add_argument("--moments", type=float, nargs=3, metavar="J", help="scan a body with these moments instead")
    arguments = parser.parse_args()
    if arguments.scan:
        show_scan(int(arguments.steps or 1e6), arguments.runs, arguments.h, arguments.only, arguments.moments)
        return 0
    arguments.steps = arguments.steps or 1e8
    print(
        f"{arguments.runs} starts, {arguments.steps:.0e} steps each; errors relative to the start, eps = 2^-52",
        flush=True,
    )
    print(
        "| problem | method | h | quantity | rms at end | rms/(eps sqrt n) | exponent | mean a step | in its errors ",
        end="",
    )
    print("| Q^T Q - I |")
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    rows = []
    for case in CASES:
        if arguments.only not in f"{case[0]} {case[1]}":
            continue
        begin = time.perf_counter()
        table, n, worst = errors(case, arguments.steps, arguments.runs)
        p, p_error = exponent(table, n)
        end = table[:, -1]
        rms = float(np.sqrt((end**2).mean()))
        mean, error = end.mean(), end.std(ddof=1) / len(end) ** 0.5
        row = {
            "problem": case[0],
            "method": case[1],
            "h": case[2],
            "quantity": case[3],
            "rms": rms,
            "per_sqrt": rms / EPS / n[-1] ** 0.5,
            "exponent": p,
            "exponent_error": p_error,
            "bias_per_step": mean / EPS / n[-1],
            "bias_in_errors": mean / error,
            "orthogonality": worst,
            "seconds": time.perf_counter() - begin,
        }
        rows.append(row)
        print(
            f"| {case[0]} | {case[1]} | {case[2]:g} | {case[3]} | {rms:.1e} | {row['per_sqrt']:.2f} "
            f"| {p:.2f} +- {p_error:.2f} | {row['bias_per_step']:+.0e} eps | {row['bias_in_errors']:+.1f} "
            f"| {worst / EPS:.0f} eps |",
            flush=True,
        )
    if not arguments.only:
        print()
        show_normalisation()
        print()
        show_compensated()
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(rows, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
