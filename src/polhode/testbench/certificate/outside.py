"""The certificate of an integrator seen from outside: a plain function, or a simulator that can only be run.

There is one precision, so a verdict comes from scaling: a property that holds leaves a defect at round-off for
every step size, a method's own defect falls with a power of h, and a defect that does neither (it is far above
round-off and stays when h is halved) is that of an equation solved too loosely, or of a wrong frame.
"""

import functools

import numpy as np

from polhode.errors import InputError
from polhode.integrators.lookup import name_of
from polhode.integrators.method import BlackBox, Method
from polhode.integrators.properties import BY_KEY, ORDER, groups
from polhode.physics.problem import Problem
from polhode.runs.solve import solve
from polhode.testbench.certificate.cases import CASES, placed, potential
from polhode.testbench.certificate.certificate import Property
from polhode.testbench.certificate.clues import clues_of
from polhode.testbench.certificate.defects import BY_DERIVATIVES, DIRECT, derivatives
from polhode.testbench.certificate.diagnosis import diagnosis

STEPS = (0.25, 0.125, 0.0625)
LARGE_STEPS = (1.0, 0.5, 0.25)  # for orders from 5 on, whose defects at the others would pass for round-off
COUNTS, FEW = (8, 16, 32, 64, 128), (2, 3, 4, 6)  # steps by which orders are measured; few for high ones
FLOOR = 1e-13  # of a global error, below which it may be round-off
CHOOSES = "It chooses its own steps: what is measured here is its tolerance, not a property of the method."
WHATEVER_THE_STEPS = ("orthogonality", "torque evaluations")  # what a tolerance does not make true
GIVEN_STEPS = ("largest step",)  # what means nothing of one that chooses its own


class Look:
    """An integrator that is looked at, and what its measurements share."""

    def __init__(self, method):
        self.run = advance_of(method)
        self.tolerance = getattr(method, "tolerance", None)
        self.orders = []  # as measured so far, where they could be

    @property
    def steps(self):
        """The steps at which defects are taken."""
        return STEPS if min(self.orders, default=0.0) < 4.5 else LARGE_STEPS

    @functools.cached_property
    def derivatives(self):
        """The Jacobian of a step, its round-off, and how it is had."""
        return derivatives(self.run, STEPS[0])


def measured(method, tick=lambda key: None):
    """Every property that can be measured from outside, and what the failures point to."""
    look = Look(method)
    tried(look.run, name_of(method))
    found, notes = {}, {}
    for rows in groups():
        first = rows[0]
        if first.measure not in MEASURES or (look.tolerance is not None and first.measure in GIVEN_STEPS):
            continue
        name = first.group or first.key
        tick(name)
        values, notes[name] = MEASURES[first.measure](look, placed(CASES[first.case]()), first)
        found |= zip((row.key for row in rows), values)
        if first.kind == ORDER:
            look.orders += [p.value for p in values if p.value is not None]
    if look.tolerance is not None:
        return {key: _of_a_tolerance(BY_KEY[key], p) for key, p in found.items()}, (CHOOSES,)
    return found, diagnosis(found, notes | clues_of(look.run))


def advance_of(method):
    """How a plain function or a black box is run: (problem, Q, Omega, h, n, t) -> (Q, Omega) after n steps."""
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
        s = solve(problem.replaced(Q0=Q, Omega0=Omega, t0=t), method, h=h, n_steps=n, save_every=n, on_failure="return")
        return s.Q[-1], s.Omega[-1]

    return BlackBox(method.name, advance)


def tried(run, name):
    """A first step, so that an integrator that does not run gets a sentence."""
    p = placed(potential())
    try:
        with np.errstate(all="ignore"):
            Q, Omega = (np.asarray(x) for x in run(p, p.Q0.copy(), p.Omega0.copy(), STEPS[-1], 1, 0.0))
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"{name} failed in its first step: {type(error).__name__}: {error}.") from error
    if Q.shape != (3, 3) or Omega.shape != (3,):
        raise InputError(f"{name} returned shapes {Q.shape} and {Omega.shape}; it must return Q (3, 3) and Omega (3,).")


def _of_a_tolerance(row, p):
    """What a tolerance makes true to round-off is no property of the method."""
    if p.verdict == "yes" and row.measure not in WHATEVER_THE_STEPS:
        return Property(p.value, p.threshold, "undecided", f"{p.how}, but by its tolerance")
    return p


# ---- yes or no ----------------------------------------------------------------------------------------


def direct(look, p, row):
    """A defect that a few steps show."""
    defect, floor, more = DIRECT[row.measure]
    found = [defect(look.run, p, h) for h in look.steps]
    return judged(look.steps, found, floor, f"{row.how_outside or row.how}{more}")


def by_derivatives(look, p, row):
    """A defect of the Jacobian of a step."""
    jacobian, floor, way = look.derivatives
    defects = []
    for h in look.steps:
        D, Pi1 = jacobian(look.run, p, h)
        defects.append(BY_DERIVATIVES[row.measure](D, p.tensor @ p.Omega0, Pi1))
    return judged(look.steps, defects, floor, f"{row.how_outside or row.how}, {way}")


def judged(steps, defects, floor, how):
    """The property, alone in a list, and the note "scales", "stays" or "" that says how its defect behaves."""
    largest, smallest = max(defects), defects[-1]
    how += f" for h = {', '.join(f'{h:g}' for h in steps)}"
    if not np.isfinite(largest):
        return [Property(None, floor, "undecided", how + ": it fails at some of them")], "fails"
    if largest <= floor:
        return [Property(largest, floor, "yes", how + ": round-off for all")], ""
    seen = [d for d in defects if d > floor]
    exponent = np.log2(defects[0] / max(seen[-1], smallest)) / max(1, len(seen) - 1)
    if (len(seen) > 1 and exponent >= 0.7) or (len(seen) == 1 and defects[0] > 100 * floor):
        fall = f"falls like h^{exponent:.1f}" if len(seen) > 1 else f"falls to {smallest:.0e}"
        return [Property(largest, floor, "no", f"{how}: {fall}")], "scales"
    if smallest > 3 * floor:
        return [Property(largest, floor, "no", how + ": does not fall with h")], "stays"
    return [Property(largest, floor, "undecided", how + ": too near round-off to tell")], ""


# ---- order --------------------------------------------------------------------------------------------


def orders(look, p, row):
    """The orders of Q and of Omega, unless it chooses its own steps."""
    if look.tolerance is None:
        return order(look.run, p, words=row.how_outside or row.how)
    how = f"it chooses its own steps, to a tolerance of {look.tolerance:.2g}"
    return [Property(None, None, "undecided", how)] * 2, ""


def order(run, p, span=1.0, words="global error"):
    """The orders of Q and Omega as properties, and the note "stalls" where an error stops falling."""
    from polhode.reference.reference import reference

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
        how = f"{words} at t = 1, h from 1/{counts[0]} to 1/{counts[-1]}, against an independent reference"
        if stalled:
            how += f"; it stops falling at {column[-1]:.1g}"
        known = value is not None and (value == float("inf") or abs(value - round(value)) < 0.1)
        results.append(Property(value, 0.1, "yes" if known else "undecided", how))
    return results, note


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


# ---- cost --------------------------------------------------------------------------------------------


def torques(look, p, row):
    """Evaluations of the torque a step."""
    return [counted(look.run, p)], ""


class Counted(Problem):
    """A problem that notes when its torque is asked for."""

    def __init__(self, problem):
        vars(self).update(vars(problem), calls=[])

    def torque(self, t, Q):
        """The torque, and a note of the time."""
        self.calls.append(t)
        return super().torque(t, Q)


def counted(run, p, steps=16):
    """The evaluations of the torque a step, as a property."""
    p = Counted(p)
    run(p, p.Q0.copy(), p.Omega0.copy(), 0.125, steps, 0.0)
    if not p.calls:
        return Property(None, None, "undecided", "problem.torque was never called")
    return Property(len(p.calls) / steps, None, "yes", f"calls of problem.torque counted in {steps} steps")


def largest_step(look, p, row, steps=50):
    """The largest h = 2^(k/2) up to 16 with which so many steps succeed, going up until one fails."""
    largest = 0.0
    for k in range(-8, 9):
        h = 2.0 ** (k / 2)
        try:
            with np.errstate(all="ignore"):
                Q, Omega = look.run(p, p.Q0.copy(), p.Omega0.copy(), h, steps, 0.0)
        except Exception:  # a step that raises is a step that fails
            break
        if not (np.isfinite(Q).all() and np.isfinite(Omega).all() and np.abs(Omega).max() < 1e3):
            break
        largest = h
    how = f"{steps} steps, h growing by 2^(1/2) until one fails or Omega passes 1000"
    return [Property(largest, None, "yes", how)], ""


MEASURES = {
    "order": orders,
    **dict.fromkeys(DIRECT, direct),
    **dict.fromkeys(BY_DERIVATIVES, by_derivatives),
    "torque evaluations": torques,
    "largest step": largest_step,
}
"""By what a row of the table of properties measures, a function (look, problem, row) that returns what each row of its
group gets, and the note that goes to the diagnosis."""
