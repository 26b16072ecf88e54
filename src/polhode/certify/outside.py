"""The certificate of an integrator seen from outside: a plain function, or a simulator that can only be run.

There is one precision, so a verdict comes from scaling: a property that holds leaves a defect at round-off for
every step size, a method's own defect falls with a power of h, and a defect that does neither (it is far above
round-off and stays when h is halved) is that of an equation solved too loosely, or of a wrong frame.
"""

import copy
import warnings

import numpy as np

from polhode.certify import properties
from polhode.certify.certificate import Property
from polhode.certify.diagnosis import diagnosis
from polhode.errors import InputError
from polhode.model import BlackBox, Method
from polhode.rotation import Rotation
from polhode.scalar import STEP
from polhode.solve import solve

STEPS = (0.25, 0.125, 0.0625)
LARGE_STEPS = (1.0, 0.5, 0.25)  # for orders from 5 on, whose defects at the others would pass for round-off
ROUND_OFF = 2e-13  # of a few steps in floats, with room for a careful but not optimal solver
COUNTS, FEW = (8, 16, 32, 64, 128), (2, 3, 4, 6)  # steps by which orders are measured; few for high ones
FLOOR = 1e-13  # of a global error, below which it may be round-off
DIFFERENCES = 2e-10  # of a Jacobian by differences
CHOOSES = "It chooses its own steps: what is measured here is its tolerance, not a property of the method."
CASES = {"free": properties.free, "potential": properties.potential, "forced": properties.forced}


def measured(method, tick=lambda key: None):
    """Every property that can be measured from outside, and what the failures point to."""
    run = advance_of(method)
    tolerance = getattr(method, "tolerance", None)
    tried(run, getattr(method, "__name__", "your method"))
    found, notes = {}, {}
    for case, make in CASES.items():
        tick(f"order, {case}")
        if tolerance is None:
            orders, notes[f"order_{case}"] = order(run, placed(make()))
        else:
            orders = [
                Property(None, None, "undecided", f"it chooses its own steps, to a tolerance of {tolerance:.2g}")
            ] * 2
        found[f"order_{case}_Q"], found[f"order_{case}_Omega"] = orders
    lowest = min((p.value for p in found.values() if p.value is not None), default=0.0)
    steps = STEPS if lowest < 4.5 else LARGE_STEPS
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
        p = placed(make())
        found[key], notes[key] = _judged(steps, [defect(run, p, h) for h in steps], limit, how)
    notes |= clues(run)
    tick("cost")
    found["torque_evaluations"] = torques(run)
    if tolerance is not None:
        return {key: _of_a_tolerance(key, p) for key, p in found.items()}, (CHOOSES,)
    found["largest_step"] = _largest_step(run)
    return found, diagnosis(found, notes)


def advance_of(method):
    if isinstance(method, BlackBox):
        return method.advance

    def advance(problem, Q, Omega, h, n, t):
        for i in range(n):
            Q, Omega = (np.asarray(x) for x in method(problem, Q, Omega, h, t + i * h))
        return Q, Omega

    return advance


def box(method):
    """A method of the catalogue seen from outside; anything else as it is."""
    if not isinstance(method, Method):
        return method

    def advance(problem, Q, Omega, h, n, t):
        s = solve(problem.replaced(Q0=Q, Omega0=Omega, t0=t), method, h=h, n_steps=n, save_every=n)
        return s.Q[-1], s.Omega[-1]

    return BlackBox(method.name, advance)


def tried(run, name):
    """A first step, so that an integrator that does not run gets a sentence."""
    p = placed(properties.potential())
    try:
        with np.errstate(all="ignore"):
            Q, Omega = (np.asarray(x) for x in run(p, p.Q0.copy(), p.Omega0.copy(), STEPS[-1], 1, 0.0))
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"{name} failed in its first step: {type(error).__name__}: {error}.") from error
    if Q.shape != (3, 3) or Omega.shape != (3,):
        raise InputError(f"{name} returned shapes {Q.shape} and {Omega.shape}; it must return Q (3, 3) and Omega (3,).")


def _of_a_tolerance(key, p):
    """What a tolerance makes true to round-off is no property of the method."""
    if p.verdict == "yes" and key not in ("on_group", "torque_evaluations"):
        return Property(p.value, p.threshold, "undecided", f"{p.how}, but by its tolerance")
    return p


def placed(p):
    """The problem at a generic start."""
    w, x, y, z = properties.ATTITUDE
    Q = Rotation().from_quat([x, y, z, w]).as_matrix()
    return p.replaced(Q0=Q, Pi0=properties.MOMENTUM)


# ---- verdicts ----------------------------------------------------------------------------------------


def _judged(steps, defects, floor, how):
    """The property, and the note "scales", "stays" or "" that says how a defect behaves; its value is the largest."""
    largest, smallest = max(defects), defects[-1]
    how += f" for h = {', '.join(f'{h:g}' for h in steps)}"
    if not np.isfinite(largest):
        return Property(None, floor, "undecided", how + ": it fails at some of them"), "fails"
    if largest <= floor:
        return Property(largest, floor, "yes", how + ": round-off for all"), ""
    seen = [d for d in defects if d > floor]
    exponent = np.log2(defects[0] / max(seen[-1], smallest)) / max(1, len(seen) - 1)
    if (len(seen) > 1 and exponent >= 0.7) or (len(seen) == 1 and defects[0] > 100 * floor):
        fall = f"falls like h^{exponent:.1f}" if len(seen) > 1 else f"falls to {smallest:.0e}"
        return Property(largest, floor, "no", f"{how}: {fall}"), "scales"
    if smallest > 3 * floor:
        return Property(largest, floor, "no", how + ": does not fall with h"), "stays"
    return Property(largest, floor, "undecided", how + ": too near round-off to tell"), ""


def order(run, p, span=1.0):
    """The orders of Q and Omega as properties, and the note "stalls" where an error stops falling."""
    from polhode.exact.reference import reference

    exact = reference(p, p.t0 + span)

    def errors(counts):
        found = []
        for n in counts:
            with np.errstate(all="ignore"):
                end = run(p, p.Q0.copy(), p.Omega0.copy(), span / n, n, p.t0)
            found.append([np.abs(a - b).max() for a, b in zip(end, exact)])
        return np.array(found)

    counts = COUNTS
    e = errors(counts)
    if e[0].min() < 1e4 * FLOOR:  # a high order: its errors are to be seen with large steps only
        e, counts = np.concatenate([errors(FEW), e]), FEW + counts
    results, note = [], ""
    for column in e.T:
        value, stalled = _exponent(np.array(counts), column)
        note = note or ("stalls" if stalled else "")
        how = f"global error at t = 1, h from 1/{counts[0]} to 1/{counts[-1]}, against an independent reference"
        if stalled:
            how += f"; it stops falling at {column[-1]:.1g}"
        known = value is not None and (value == float("inf") or abs(value - round(value)) < 0.1)
        results.append(Property(value, 0.1, "yes" if known else "undecided", how))
    return results, note


def clues(run):
    """Two looks at single steps that tell mistakes apart."""
    p = placed(properties.potential())
    return {"rate": _rate(run, p), "stretch": _stretch(run, p)}


def _stretch(run, p, h=0.25):
    """Whether a matrix that is no rotation is at least a multiple of one."""
    with np.errstate(all="ignore"):
        Q, _ = run(p, p.Q0.copy(), p.Omega0.copy(), h, 1, p.t0)
    off = Q.T @ Q - np.eye(3)
    return "even" if np.abs(off - np.trace(off) / 3 * np.eye(3)).max() < 0.01 * np.abs(off).max() else "uneven"


def _rate(run, p, h=2.0**-10):
    """What Euler's equations would have to read for the momentum to change as it does in one small step."""
    with np.errstate(all="ignore"):
        _, Omega = run(p, p.Q0.copy(), p.Omega0.copy(), h, 1, p.t0)
    seen = p.tensor @ (Omega - p.Omega0) / h
    gyroscopic, tau = np.cross(p.tensor @ p.Omega0, p.Omega0), p.torque(p.t0, p.Q0)
    readings = {
        "": gyroscopic + tau,
        "half": (gyroscopic + tau) / 2,
        "torque in space axes": gyroscopic + p.Q0 @ tau,
        "torque as if in space axes": gyroscopic + p.Q0.T @ tau,
        "torque of the other sign": gyroscopic - tau,
        "half the torque": gyroscopic + tau / 2,
        "twice the torque": gyroscopic + 2 * tau,
        "no torque": gyroscopic,
        "Omega x J Omega of the other sign": tau - gyroscopic,
        "no Omega x J Omega": tau,
    }
    off = {reading: np.abs(seen - value).max() for reading, value in readings.items()}
    nearest = min(off, key=off.get)
    return nearest if off[nearest] < 0.02 * np.abs(readings[""]).max() else "something else"


def _exponent(n, e):
    """The order from the finest errors that are above round-off, and whether they stall before it."""
    if not np.isfinite(e).all():
        return None, False
    if e[0] < FLOOR:
        return float("inf"), False
    clear = max(2, int((e > 10 * FLOOR).sum()))
    rates = np.log(e[: clear - 1] / e[1:clear]) / np.log(n[1:clear] / n[: clear - 1])
    best = max(rates[-4:])
    stalled = best > 0.5 and rates[-1] < 0.6 * best and e[-1] > 100 * FLOOR
    return float(best if stalled else rates[-1]), bool(stalled)


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
    p = placed(properties.potential())
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


def torques(run, steps=16):
    p = copy.copy(placed(properties.potential()))
    calls = []
    torque = p.torque
    p.torque = lambda t, Q: calls.append(t) or torque(t, Q)
    run(p, p.Q0.copy(), p.Omega0.copy(), 0.125, steps, 0.0)
    if not calls:
        return Property(None, None, "undecided", "problem.torque was never called")
    return Property(len(calls) / steps, None, "yes", f"calls of problem.torque counted in {steps} steps")


def _largest_step(run, steps=50):
    p = placed(properties.potential())
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
