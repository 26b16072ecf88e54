"""The certificate of a kernel method: everything can be measured, in as many digits as it takes."""

import mpmath

from polhode.integrators.properties import BY_KEY, groups, measured_by
from polhode.runs.solve import solve
from polhode.testbench.certificate import outside, theorems
from polhode.testbench.certificate.cases import case_of
from polhode.testbench.certificate.certificate import Property
from polhode.testbench.certificate.clues import clues_of
from polhode.testbench.certificate.defects import BY_DERIVATIVES

TWO_PRECISIONS = "the defect at {} and at {} digits: round-off falls with the precision, a defect of the method stays"
DERIVATIVES = ", derivatives by the complex step"


def measured(method, tick=lambda key: None):
    """Every property of a kernel method but its drift."""
    found = {}
    for rows in groups():
        p = case_of(rows[0], method)
        if p is None or rows[0].measure not in MEASURES:
            continue
        tick(rows[0].group or rows[0].key)
        found |= zip((row.key for row in rows), MEASURES[rows[0].measure](method, p, rows[0]))
    return found


def clues(method):
    """What tells the mistakes in a kernel of one's own apart; see `outside`."""
    notes = {} if method.free_only else clues_of(outside.advance_of(outside.box(method)))
    for key in measured_by("symmetry"):
        p = case_of(BY_KEY[key], method)
        with mpmath.workdps(theorems.DIGITS[0]):
            coarse, fine = (theorems.symmetry(method, p, theorems.STEP_SIZE / k) for k in (1, 4))
        if coarse > 10.0 ** (8 - theorems.DIGITS[0]):
            notes[key] = "scales" if coarse > 4 * fine else "stays"
    return notes


# ---- what is measured, and how ------------------------------------------------------------------------


def by_theorem(method, p, row):
    """A defect at two precisions."""
    finding = theorems.finding(theorems.DEFECTS[row.measure], method, p)
    way = DERIVATIVES if row.measure in BY_DERIVATIVES else ""
    yield Property(
        value=finding.high,
        threshold=10.0 ** (8 - theorems.DIGITS[1]),
        verdict="yes" if finding.holds else "no",
        how=f"{row.how}{way}; {TWO_PRECISIONS.format(*theorems.DIGITS)}",
    )


def orders(method, p, row):
    """The orders of Q and of Omega."""
    for value in theorems.order(method, p):
        exact = value == float("inf")
        near = exact or abs(value - round(value)) <= 0.05
        how = f"{row.how} at 60 digits against an independent reference, halving h and extrapolating to h = 0"
        yield Property(value, 0.05, "yes" if near else "undecided", "exact to 60 digits" if exact else how)


def orthogonality(method, p, row, steps=1000):
    """How far from a rotation Q gets."""
    off = float(solve(p, method, h=0.125, n_steps=steps, save_every=steps, on_failure="return").orthogonality.max())
    yield Property(off, 1e-14, "yes" if off < 1e-14 else "no", f"{row.how} after {steps} steps in floats")


def torques(method, p, row, steps=16):
    """Evaluations of the torque a step."""
    if method.free_only:
        yield Property(0.0, None, "yes", "a free body has no torque")
        return
    per_step = (theorems.torque_calls(method, p, steps=steps) - 1) / steps
    yield Property(per_step, None, "yes", f"calls counted in {steps} steps, without the one at the start")


def iterations(method, p, row, steps=400):
    """Iterations a step."""
    s = solve(p, method, h=0.125, n_steps=steps, on_failure="return")
    yield Property(s.stats["n_iterations"] / steps, None, "yes", f"mean over {steps} steps of h = 0.125")


def largest_step(method, p, row, steps=200):
    """The largest h = 2^(k/4) up to 16 with which so many steps succeed, going up until one fails."""
    largest = 0.0
    for k in range(-16, 17):
        h = 2.0 ** (k / 4)
        if not solve(p, method, h=h, n_steps=steps, save_every=steps, on_failure="return").success:
            break
        largest = h
    how = f"{steps} steps from the start of the test problem, h growing by 2^(1/4) until a step does not solve"
    yield Property(largest, None, "yes", how)


MEASURES = {
    "order": orders,
    **dict.fromkeys(theorems.DEFECTS, by_theorem),
    "orthogonality": orthogonality,
    "torque evaluations": torques,
    "iterations": iterations,
    "largest step": largest_step,
}
"""By what a row of the table of properties measures, a generator (method, problem, row) of what each row gets."""
