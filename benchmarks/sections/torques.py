"""A torque of one's own: what the ways of writing it cost, relative to the shipped one."""

import statistics

import numpy as np
import ours
from measure import interleaved, ratio
from table import Table, times

import polhode as ph

TITLE = "Torques"
H, STEPS = 0.125, 40_000
ALPHA = 0.3
M = np.array(ph.problem("stress").parameters[1:10]).reshape(3, 3)
a, b, c, d, e, f, g, h, i = (float(x) for x in M.ravel())


def by_indices(t, Q):
    """The torque of the stress test with indices and scalars, returning a tuple: the fast form."""
    near = np.sqrt(2 * (3 - (Q[0, 0] + Q[1, 1] + Q[2, 2])))
    s = 6 - 2 * (
        (a * Q[0, 0] + d * Q[1, 0] + g * Q[2, 0])
        + (b * Q[0, 1] + e * Q[1, 1] + h * Q[2, 1])
        + (c * Q[0, 2] + f * Q[1, 2] + i * Q[2, 2])
    )
    u = 2 / near - 2
    v = -ALPHA / (s * np.sqrt(s))
    x = (c * Q[0, 1] + f * Q[1, 1] + i * Q[2, 1]) - (b * Q[0, 2] + e * Q[1, 2] + h * Q[2, 2])
    y = (a * Q[0, 2] + d * Q[1, 2] + g * Q[2, 2]) - (c * Q[0, 0] + f * Q[1, 0] + i * Q[2, 0])
    z = (b * Q[0, 0] + e * Q[1, 0] + h * Q[2, 0]) - (a * Q[0, 1] + d * Q[1, 1] + g * Q[2, 1])
    return (
        u * (Q[2, 1] - Q[1, 2]) + v * x,
        u * (Q[0, 2] - Q[2, 0]) + v * y,
        u * (Q[1, 0] - Q[0, 1]) + v * z,
    )


def by_matrices(t, Q):
    """The same with products of matrices and temporary arrays."""
    A = M.T @ Q
    near, far = np.sqrt(2 * (3 - np.trace(Q))), np.sqrt(2 * (3 - np.trace(A)))
    S = (2 / near - 2) * (Q - Q.T) - ALPHA / far**3 * (A - A.T)
    return np.array([S[2, 1], S[0, 2], S[1, 0]])


def potential(Q):
    """The potential of the stress test, from which the torque is derived by the complex step."""
    near = np.sqrt(2 * (3 - (Q[0, 0] + Q[1, 1] + Q[2, 2])))
    far = np.sqrt(2 * (3 - (M * Q).sum()))
    return (near - 1) ** 2 - ALPHA / far


def measure(quick):
    """VLV with each form of the torque, in turn; all must give the same trajectory."""
    stress = ph.problem("stress")
    given = dict(inertia=(2, 2, 4), Q0=stress.Q0, Omega0=stress.Omega0)
    forms = {
        "shipped kernel": stress,
        "indices and a tuple": ph.Problem(torque=by_indices, **given),
        "matrices": ph.Problem(torque=by_matrices, **given),
        "potential only": ph.Problem(potential=potential, **given),
    }
    expected, _ = ours.loop(stress, "VLV", H, 1000)()
    runs = {}
    for name, problem in forms.items():
        off = np.abs(ours.loop(problem, "VLV", H, 1000)()[0] - expected).max()
        if off > 1e-11:
            raise RuntimeError(f"The torque by {name} gives another trajectory: {off:.1e} off after 1000 steps.")
        runs[name] = lambda problem=problem: ours.loop(problem, "VLV", H, STEPS)
    seconds = interleaved(runs, 3 if quick else 11)
    return [
        {"form": k, "ns": statistics.median(v) / STEPS * 1e9, "ratio": ratio(seconds, k, "shipped kernel")}
        for k, v in seconds.items()
    ]


def tables(data):
    """One table."""
    rows = [(r["form"], f"{r['ns']:.0f}", times(r["ratio"])) for r in data]
    note = "VLV on the stress test with the same torque written in four ways. The second form is the one to use."
    return [Table("A torque of one's own", ("torque", "ns/step", "relative to the shipped one"), rows, note)]
