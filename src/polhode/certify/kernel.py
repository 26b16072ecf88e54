"""The certificate of a kernel method: everything can be measured, in as many digits as it takes."""

import mpmath

from polhode.certify import outside, properties
from polhode.certify.certificate import Property
from polhode.solve import solve

TWO_PRECISIONS = "the defect at {} and at {} digits: round-off falls with the precision, a defect of the method stays"
BY_THEOREM = {
    "symmetric": "a step of h and one of -h from a generic state under a torque in time; ",
    "symplectic_free": "D^T W D - W of a free step, derivatives by the complex step; ",
    "symplectic_potential": "D^T W D - W of a step in a potential without symmetry, derivatives by the complex step; ",
    "poisson_free": "A hat(Pi0) A^T - hat(Pi1) of a free step, derivatives by the complex step; ",
    "momentum_free": "change of Q Pi in three free steps; ",
    "energy_free": "change of the energy in three free steps; ",
    "momentum_top": "change of the vertical momentum of a heavy top without symmetry in three steps; ",
    "energy_top": "change of the energy of a heavy top without symmetry in three steps; ",
}
ORDER_CASES = {"free": properties.free, "potential": properties.potential, "forced": properties.forced}


def measured(method, tick=lambda key: None):
    """Every property of a kernel method but its drift."""
    found = {}
    for case, make in ORDER_CASES.items():
        if method.free_only and case != "free":
            continue
        tick(f"order, {case}")
        for what, value in zip(("Q", "Omega"), properties.order(method, make())):
            found[f"order_{case}_{what}"] = _order(value)
    for key in BY_THEOREM:
        claim = "symplectic" if key == "symplectic_potential" else key
        if method.free_only and claim in properties.WITH_TORQUE:
            continue
        tick(key)
        finding = properties.finding(properties.DEFECTS[claim], method)
        found[key] = Property(
            value=finding.high,
            threshold=10.0 ** (8 - properties.DIGITS[1]),
            verdict="yes" if finding.holds else "no",
            how=BY_THEOREM[key] + TWO_PRECISIONS.format(*properties.DIGITS),
        )
    tick("cost")
    found["on_group"] = _on_group(method)
    found["torque_evaluations"] = _torques(method)
    found["iterations"] = _iterations(method)
    found["largest_step"] = _largest_step(method)
    return found


def clues(method):
    """What tells the mistakes in a kernel of one's own apart; see `outside`."""
    run = outside.advance_of(outside.box(method))
    p = None if not method.free_only else properties.free()
    notes = {} if method.free_only else outside.clues(run)
    with mpmath.workdps(properties.DIGITS[0]):
        coarse, fine = (properties.symmetry(method, p, properties.STEP_SIZE / k) for k in (1, 4))
    if coarse > 10.0 ** (8 - properties.DIGITS[0]):
        notes["symmetric"] = "scales" if coarse > 4 * fine else "stays"
    return notes


def _order(value):
    exact = value == float("inf")
    near = exact or abs(value - round(value)) <= 0.05
    how = "global error at 60 digits against an independent reference, halving h and extrapolating to h = 0"
    return Property(value, 0.05, "yes" if near else "undecided", "exact to 60 digits" if exact else how)


def _on_group(method, steps=1000):
    p = properties.free() if method.free_only else properties.potential()
    off = float(solve(p, method, h=0.125, n_steps=steps, save_every=steps).orthogonality.max())
    verdict = "yes" if off < 1e-14 else "no"
    return Property(off, 1e-14, verdict, f"max |Q^T Q - I| after {steps} steps in floats")


def _torques(method, steps=16):
    if method.free_only:
        return Property(0.0, None, "yes", "a free body has no torque")
    per_step = (properties.torque_evaluations(method, steps=steps) - 1) / steps
    return Property(per_step, None, "yes", f"calls counted in {steps} steps, without the one at the start")


def _iterations(method, steps=400):
    p = properties.free() if method.free_only else properties.potential()
    s = solve(p, method, h=0.125, n_steps=steps)
    return Property(s.stats["n_iterations"] / steps, None, "yes", f"mean over {steps} steps of h = 0.125")


def _largest_step(method, steps=200):
    """The largest h = 2^(k/4) up to 16 with which so many steps succeed, going up until one fails."""
    p = properties.free() if method.free_only else properties.potential()
    largest = 0.0
    for k in range(-16, 17):
        h = 2.0 ** (k / 4)
        if not solve(p, method, h=h, n_steps=steps, save_every=steps).success:
            break
        largest = h
    how = f"{steps} steps from the start of the test problem, h growing by 2^(1/4) until a step does not solve"
    return Property(largest, None, "yes", how)
