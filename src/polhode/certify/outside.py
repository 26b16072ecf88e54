"""The certificate of an integrator seen from outside: a plain function, or a simulator that can only be run.

There is one precision, so a verdict comes from scaling: a property that holds leaves a defect at round-off for
every step size, a method's own defect falls with a power of h, and a defect that does neither (it is far above
round-off and stays when h is halved) is that of an equation solved too loosely, or of a wrong frame.
"""

import copy
import itertools
import warnings

import numpy as np

from polhode.certify import properties
from polhode.certify.blackbox import BlackBox
from polhode.certify.certificate import Property
from polhode.certify.diagnosis import diagnosis
from polhode.rotation import Rotation
from polhode.scalar import STEP

STEPS = (0.25, 0.125, 0.0625)
ROUND_OFF = 2e-13  # of a few steps in floats, with room for a careful but not optimal solver
DIFFERENCES = 2e-10  # of a Jacobian by differences
CASES = {"free": properties.free, "potential": properties.potential, "forced": properties.forced}


def measured(method, tick=lambda key: None):
    """Every property that can be measured from outside, and what the failures point to."""
    run = _advance_of(method)
    found, notes = {}, {}
    for case, make in CASES.items():
        tick(f"order, {case}")
        orders, notes[f"order_{case}"] = _order(run, _placed(make()))
        found[f"order_{case}_Q"], found[f"order_{case}_Omega"] = orders
    jacobian, floor, way = _derivatives(run)
    checks = {
        "symmetric": (_symmetry, properties.forced, ROUND_OFF, "a step of h and one of -h under a torque in time"),
        "symplectic_free": (jacobian(_symplectic), properties.free, floor, f"D^T W D - W of a free step, {way}"),
        "symplectic_potential": (
            jacobian(_symplectic),
            properties.potential,
            floor,
            f"D^T W D - W in a potential, {way}",
        ),
        "poisson_free": (
            jacobian(_poisson),
            properties.free,
            floor,
            f"A hat(Pi0) A^T - hat(Pi1) of a free step, {way}",
        ),
        "momentum_free": (_momentum, properties.free, ROUND_OFF, "change of Q Pi in three free steps"),
        "energy_free": (_energy, properties.free, ROUND_OFF, "change of the energy in three free steps"),
        "momentum_top": (_vertical, properties.top, ROUND_OFF, "change of a top's vertical momentum in three steps"),
        "energy_top": (_energy, properties.top, ROUND_OFF, "change of a top's energy in three steps"),
        "on_group": (_off_group, properties.potential, 1e-13, "max |Q^T Q - I| after 64 steps"),
    }
    for key, (defect, make, limit, how) in checks.items():
        tick(key)
        p = _placed(make())
        found[key], notes[key] = _judged([defect(run, p, h) for h in STEPS], limit, how)
    tick("cost")
    found["torque_evaluations"] = _torques(run)
    found["largest_step"] = _largest_step(run)
    return found, diagnosis(found, notes)


def _advance_of(method):
    if isinstance(method, BlackBox):
        return method.advance

    def advance(problem, Q, Omega, h, n, t):
        for i in range(n):
            Q, Omega = (np.asarray(x) for x in method(problem, Q, Omega, h, t + i * h))
        return Q, Omega

    return advance


def _placed(p):
    """The problem at a generic start."""
    w, x, y, z = properties.ATTITUDE
    Q = Rotation().from_quat([x, y, z, w]).as_matrix()
    return p.replaced(Q0=Q, Pi0=properties.MOMENTUM)


# ---- verdicts ----------------------------------------------------------------------------------------


def _judged(defects, floor, how):
    """The property, and the note "scales", "stays" or "" that says how a defect behaves."""
    largest, smallest = max(defects), defects[-1]
    how += f" for h = {', '.join(f'{h:g}' for h in STEPS)}"
    if not np.isfinite(largest):
        return Property(None, floor, "undecided", how + ": it fails at some of them"), "fails"
    if largest <= floor:
        return Property(largest, floor, "yes", how + ": round-off for all"), ""
    exponent = np.log2(max(defects[0], floor) / max(smallest, floor)) / (len(STEPS) - 1)
    if exponent >= 0.7:
        return Property(smallest, floor, "no", how + f": falls like h^{exponent:.1f}"), "scales"
    if smallest > 3 * floor:
        return Property(smallest, floor, "no", how + ": does not fall with h"), "stays"
    return Property(smallest, floor, "undecided", how + ": too near round-off to tell"), ""


def _order(run, p, span=1.0):
    from polhode.exact.reference import by_dop853

    Q, Omega = by_dop853(p, span)
    errors = []
    for n in (8, 16, 32, 64, 128):
        with np.errstate(all="ignore"):
            Q1, Omega1 = run(p, p.Q0.copy(), p.Omega0.copy(), span / n, n, p.t0)
        errors.append((np.abs(Q1 - Q).max(), np.abs(Omega1 - Omega).max()))
    results, note = [], ""
    for e in np.array(errors).T:
        value, stalled = _exponent(e)
        note = note or ("stalls" if stalled else "")
        how = "global error at t = 1 against DOP853, h from 1/8 to 1/128"
        if stalled:
            how += f"; it stops falling at {e[-1]:.1g}"
        known = value is not None and (value == float("inf") or abs(value - round(value)) < 0.1)
        results.append(Property(value, 0.1, "yes" if known else "undecided", how))
    return results, note


def _exponent(e, floor=1e-11):
    """The order from errors at halved steps above round-off, and whether they stall before it."""
    if not np.isfinite(e).all():
        return None, False
    if e[0] < floor:
        return float("inf"), False
    rates = [np.log2(a / b) for a, b in itertools.pairwise(e) if b > floor]
    if not rates:
        return float(np.log2(e[0] / e[1])), False
    best = max(rates[:2])
    stalled = best > 0.5 and rates[-1] < best - 0.7 and e[-1] > 100 * floor
    settled = [r for r in rates if r > best - 0.7]
    return float(settled[-1]), bool(stalled)


# ---- defects -----------------------------------------------------------------------------------------


def _three(run, p, h):
    with np.errstate(all="ignore"):
        return run(p, p.Q0.copy(), p.Omega0.copy(), h, 3, p.t0)


def _symmetry(run, p, h):
    with np.errstate(all="ignore"):
        Q, Omega = run(p, p.Q0.copy(), p.Omega0.copy(), h, 1, 0.0)
        Q, Omega = run(p, Q, Omega, -h, 1, h)
    return max(np.abs(Q - p.Q0).max(), np.abs(Omega - p.Omega0).max())


def _momentum(run, p, h):
    Q, Omega = _three(run, p, h)
    return np.abs(Q @ p.tensor @ Omega - p.Q0 @ p.tensor @ p.Omega0).max()


def _vertical(run, p, h):
    Q, Omega = _three(run, p, h)
    return abs(Q[2] @ p.tensor @ Omega - p.Q0[2] @ p.tensor @ p.Omega0)


def _energy(run, p, h):
    Q, Omega = _three(run, p, h)
    return abs(float(p.energy(Q, Omega) - p.energy(p.Q0, p.Omega0)))


def _off_group(run, p, h):
    with np.errstate(all="ignore"):
        Q, _ = run(p, p.Q0.copy(), p.Omega0.copy(), h, 64, 0.0)
    return np.abs(Q.T @ Q - np.eye(3)).max()


def _symplectic(D, Pi0, Pi1):
    return np.abs(D.T @ _form(Pi1) @ D - _form(Pi0)).max()


def _poisson(D, Pi0, Pi1):
    A = D[3:, 3:]
    return np.abs(A @ _hat(Pi0) @ A.T - _hat(Pi1)).max()


def _hat(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def _form(Pi):
    return np.block([[-_hat(Pi), np.eye(3)], [-np.eye(3), np.zeros((3, 3))]])


# ---- derivatives -------------------------------------------------------------------------------------


def _derivatives(run):
    """How the Jacobian of a step is to be had: by the complex step where it agrees with differences."""
    p = _placed(properties.potential())
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exact, _ = _complex_jacobian(run, p, STEPS[0])
        agrees = np.allclose(exact, _difference_jacobian(run, p, STEPS[0])[0], rtol=1e-6, atol=1e-7)
    except Exception:  # a function that cannot take complex numbers may fail in any way it likes
        agrees = False
    jacobian = _complex_jacobian if agrees else _difference_jacobian
    way = "derivatives by the complex step" if agrees else "derivatives by differences of sixth order"

    def of(measure):
        def defect(run, p, h):
            D, Pi1 = jacobian(run, p, h)
            return measure(D, p.tensor @ p.Omega0, Pi1)

        return defect

    return of, 20 * ROUND_OFF if agrees else DIFFERENCES, way


def _complex_jacobian(run, p, h):
    D = np.empty((6, 6))
    inverse = np.linalg.inv(p.tensor)
    for j in range(6):
        e = np.zeros(6, complex)
        e[j] = 1j * STEP
        Q1, Omega1 = run(p, p.Q0 @ (np.eye(3) + _hat(e[:3])), p.Omega0 + inverse @ e[3:], h, 1, 0.0)
        S = Q1.real.T @ Q1.imag / STEP
        D[:, j] = [S[2, 1], S[0, 2], S[1, 0], *(p.tensor @ Omega1.imag / STEP)]
    return D, p.tensor @ Omega1.real


def _difference_jacobian(run, p, h, d=2e-3):
    """Central differences of sixth order: truncation (2e-3)^6, round-off 1e-16/2e-3."""
    inverse = np.linalg.inv(p.tensor)
    Q1, Omega1 = run(p, p.Q0.copy(), p.Omega0.copy(), h, 1, 0.0)
    D = np.empty((6, 6))
    for j in range(6):
        column = np.zeros(6)
        for k, weight in ((1, 45), (2, -9), (3, 1)):
            for sign in (1, -1):
                e = np.zeros(6)
                e[j] = sign * k * d
                turn = Rotation().from_rotvec(e[:3]).as_matrix()
                Q, Omega = run(p, p.Q0 @ turn, p.Omega0 + inverse @ e[3:], h, 1, 0.0)
                F = Q1.T @ Q
                moved = [F[2, 1] - F[1, 2], F[0, 2] - F[2, 0], F[1, 0] - F[0, 1]]
                column += sign * weight * np.array([*(np.array(moved) / 2), *(p.tensor @ Omega)])
        D[:, j] = column / (60 * d)
    return D, p.tensor @ Omega1


# ---- cost --------------------------------------------------------------------------------------------


def _torques(run, steps=16):
    p = copy.copy(_placed(properties.potential()))
    calls = []
    torque = p.torque
    p.torque = lambda t, Q: calls.append(t) or torque(t, Q)
    run(p, p.Q0.copy(), p.Omega0.copy(), 0.125, steps, 0.0)
    if not calls:
        return Property(None, None, "undecided", "problem.torque was never called")
    return Property(len(calls) / steps, None, "yes", f"calls of problem.torque counted in {steps} steps")


def _largest_step(run, steps=50):
    p = _placed(properties.potential())
    largest = 0.0
    for k in range(-8, 9):
        h = 2.0 ** (k / 2)
        try:
            with np.errstate(all="ignore"):
                Q, Omega = run(p, p.Q0.copy(), p.Omega0.copy(), h, steps, 0.0)
        except Exception:  # a step that raises is a step that fails
            break
        if not (np.isfinite(Q).all() and np.isfinite(Omega).all() and np.abs(Omega).max() < 1e3):
            break
        largest = h
    return Property(largest, None, "yes", f"{steps} steps, h growing by 2^(1/2) until one fails or Omega passes 1000")
