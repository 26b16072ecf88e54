"""What people write: the same torque in every form that is taken, one trajectory and bodies in lanes.

The measure is the torque with indices and scalars. Torques that take the velocity make VLV implicit, and damping makes
every kick linear: each is compared with what it replaces.
"""

import statistics

import numpy as np
import ours
from measure import interleaved, ratio
from table import Table, times

import polhode as ph

TITLE = "What people write"
H, STEPS = 0.125, 40_000
BODIES, BODY_STEPS = 1024, 250
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
    """The potential of the stress test, with indices; the torque is derived from it."""
    near = np.sqrt(2 * (3 - (Q[0, 0] + Q[1, 1] + Q[2, 2])))
    far = np.sqrt(2 * (3 - (M * Q).sum()))
    return (near - 1) ** 2 - ALPHA / far


def potential_of_matrices(Q):
    """The same with products of matrices."""
    return (np.sqrt(2 * (3 - np.trace(Q))) - 1) ** 2 - ALPHA / np.sqrt(2 * (3 - np.trace(M.T @ Q)))


def with_friction(t, Q, Omega):
    """The torque with indices, and friction that depends on the velocity."""
    x, y, z = by_indices(t, Q)
    return (x - FRICTION * Omega[0], y - FRICTION * Omega[1], z - FRICTION * Omega[2])


FRICTION = 0.01


def in_c():
    """The same as a function of C, compiled by Numba's cfunc."""
    from numba import carray, cfunc, njit

    torque = njit(error_model="numpy")(by_indices)

    @cfunc("void(float64, CPointer(float64), CPointer(float64), CPointer(float64), voidptr)")
    def function(t, Q, Omega, out, data):
        tau = torque(t, carray(Q, (3, 3)))
        for k in range(3):
            out[k] = tau[k] - FRICTION * Omega[k]

    return function


def forms():
    """Problems by (what is written, what it is compared with)."""
    stress = ph.problem("stress")
    given = dict(inertia=(2, 2, 4), Q0=stress.Q0, Omega0=stress.Omega0)
    made = {
        INDICES: ph.Problem(torque=by_indices, **given),
        "a shipped kernel": stress,
        "matrices: @, .T, np.trace": ph.Problem(torque=by_matrices, **given),
        "a potential alone": ph.Problem(potential=potential, **given),
        "a potential alone, of matrices": ph.Problem(potential=potential_of_matrices, **given),
        "damping": ph.Problem(torque=by_indices, damping=FRICTION, **given),
        VELOCITY: ph.Problem(torque=with_friction, **given),
        "a torque of the velocity from C": ph.Problem(torque=ph.c_function(in_c()), **given),
    }
    return {name: (problem, VELOCITY if name.endswith("C") else INDICES) for name, problem in made.items()}


INDICES, VELOCITY = "indices and a tuple", "a torque of the velocity, indices"


def measure(quick):
    """VLV with each form of the torque, in turn; those that are the same torque must give the same trajectory."""
    made = forms()
    _agree(made, [name for name, (problem, _) in made.items() if not problem.forces.any])
    _agree(made, [VELOCITY, "a torque of the velocity from C"])
    alone = {name: lambda p=problem: ours.loop(p, "VLV", H, STEPS) for name, (problem, _) in made.items()}
    seconds = interleaved(alone, 3 if quick else 11)
    rng = np.random.default_rng(1)
    starts = 0.1 * rng.normal(size=(BODIES, 3)) + made[INDICES][0].Omega0
    runs, lanes = {}, {}
    for name, (problem, _) in made.items():
        given = dict(Omega0=starts, h=H, n_steps=BODY_STEPS, save_every=BODY_STEPS, threads=1)
        runs[name] = lambda p=problem, given=given: lambda: ph.solve_ensemble(p, "VLV", **given)
        stats = runs[name]()().stats
        lanes[name] = "in lanes" if not stats["reason"] else "one body after the other"
    together = interleaved(runs, 3 if quick else 7)
    return [
        {
            "form": name,
            "against": against,
            "ns": statistics.median(seconds[name]) / STEPS * 1e9,
            "ratio": ratio(seconds, name, against),
            "ns in lanes": statistics.median(together[name]) / BODY_STEPS / BODIES * 1e9,
            "ratio in lanes": ratio(together, name, against),
            "torque": lanes[name],
        }
        for name, (_, against) in made.items()
    ]


def _agree(made, names):
    """Raise RuntimeError unless these give one trajectory."""
    expected, _ = ours.loop(made[names[0]][0], "VLV", H, 1000)()
    for name in names[1:]:
        off = np.abs(ours.loop(made[name][0], "VLV", H, 1000)()[0] - expected).max()
        if off > 1e-11:
            raise RuntimeError(f"The torque by {name} gives another trajectory: {off:.1e} off after 1000 steps.")


def tables(data):
    """One table."""
    rows = [
        (
            *(r["form"], "-" if r["against"] == r["form"] else r["against"], r["torque"]),
            *(f"{r['ns']:.0f}", times(r["ratio"]), f"{r['ns in lanes']:.1f}", times(r["ratio in lanes"])),
        )
        for r in data
    ]
    head = ("written as", "relative to", "the torque of many bodies", "ns/step", "ratio", "ns/body-step", "ratio")
    note = (
        f"VLV on the stress test, one trajectory of {STEPS} steps (the compiled loop), and {BODIES} bodies of "
        f"{BODY_STEPS} steps on one thread (the whole call). The same torque in all forms, but for the friction of the "
        "last three, which take the velocity: damping is a linear kick, done exactly, and any other function of the "
        "velocity is solved for in every kick."
    )
    return [Table("What people write", head, rows, note, words=3)]
