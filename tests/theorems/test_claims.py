"""Every claim of every method in the catalogue, yes and no, measured. Change a claim and a test here fails."""

import mpmath
import numpy as np
import pytest

import polhode as ph
from polhode.integrators.properties import CLAIMED, groups
from polhode.runs.runners.kernel_runner import body_of
from polhode.testbench.certificate.kernel import theorems
from polhode.testbench.certificate.states import cases

METHODS = list(ph.methods().values())
YES_OR_NO = [pytest.param(m, row, id=f"{m.name}-{row.claim}") for m in METHODS for row in CLAIMED if row.is_of(m)]


@pytest.mark.parametrize("method, row", YES_OR_NO)
def test_claim(method, row):
    found = theorems.tested(row, method)
    assert found.holds is getattr(method, row.claim), f"defect {found.low:.2g} at 30 digits, {found.high:.2g} at 50"


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_no_claim_is_left_open(method):
    assert method.open_claims() == []


@pytest.mark.parametrize("method", [m for m in METHODS if not m.free_only], ids=lambda m: m.name)
def test_torque_evaluations_are_as_claimed(method):
    n = 16
    counted = theorems.torque_calls(method, steps=n)
    if method.explicit_torque:
        assert counted == method.torques_at_start + n * method.torques_per_step
    else:
        assert counted > 1 + n  # an iteration that never iterates would not be implicit
    problem = cases.potential()
    assert ph.solve(problem, method, h=0.125, n_steps=n, compiled=False).stats["n_torque"] == counted


ORDERS = [
    pytest.param(m, rows[0], id=f"{m.name}-{rows[0].group}")
    for m in METHODS
    for rows in groups()
    if rows[0].part and rows[0].is_of(m)
]


@pytest.mark.parametrize("method, row", ORDERS)
def test_order(method, row):
    measured = theorems.order(method, cases.case_of(row, method))
    assert measured == pytest.approx(getattr(method.orders, row.part), abs=0.05)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_sources_are_in_the_bibliography(method):
    from polhode.bibliography import entries

    known = entries()
    assert method.sources and all(key in known for key in method.sources)
    assert len(method.lecture) > 200


@pytest.mark.parametrize("method", [m for m in METHODS if not m.free_only], ids=lambda m: m.name)
def test_drift(method):
    """The stress test as published; where it resolves no drift that is claimed, a longer span of larger steps."""
    row = ph.stress([method]).rows[0]
    if row.sign == "none" and method.drift != "none":
        row = ph.stress([method], h=(0.2, 0.25), t_end=40_000).rows[0]
    assert row.sign == method.drift, row.notes


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_solves_converge_as_fast_as_they_should(method):
    """A wrong term in a Jacobian still converges, only slowly: this is what tells."""
    p = cases.free() if method.free_only else cases.potential()
    steps = 60
    s = ph.solve(p, method, h=0.125, n_steps=steps, compiled=False)
    memory = method.start(0.125, 0.0, *p.start(), body_of(p, method))[3]
    solves = len(memory) // 9  # the trail of an implicit equation is nine numbers
    most = 2.05 * solves if method.explicit_torque else 8 if method.nodes else 4.1  # sweeps gain two digits each
    if method.name in STAGES:  # of Broyden, for all stages at once: a digit and a half each
        most = 11 * STAGES[method.name]
    assert s.stats["n_iterations"] / steps <= most


STAGES = {"PRK4": 3}
"""Methods that count every stage of an iteration."""

LIMIT = 0.9  # radians a step; stated at the head of docs/methods.md


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
def test_solves_up_to_the_stated_limit(method):
    """Steps that turn a random free body by 0.9 rad are solved, whatever the body; against thirty digits."""
    rng = np.random.default_rng(1991)
    for _ in range(8):
        moments = rng.uniform(0.05, 1, 3)
        moments[2] = rng.uniform(abs(moments[0] - moments[1]), moments[0] + moments[1])
        axis = rng.normal(size=3)
        p = ph.problem("free-body", inertia=moments, Omega0=axis / np.linalg.norm(axis))
        s = ph.solve(p, method, h=LIMIT, n_steps=2, compiled=False)
        assert s.success, s.message
        with mpmath.workdps(30):
            body = body_of(p, method, number=mpmath.mpf)
            q, Pi = (tuple(mpmath.mpf(x) for x in part) for part in p.start())
            h = mpmath.mpf(LIMIT)
            state = method.start(h, mpmath.mpf(0), q, Pi, body)
            for i in range(2):
                state = theorems.one_step(method, h, i * h, state, body)
        exact = np.array([float(x) for x in state[1]])
        assert s.Omega[-1] * p.moments == pytest.approx(exact, abs=2e-14 * np.abs(exact).max() / moments.min())


def test_beyond_its_limit_a_method_says_so():
    s = ph.solve("free-body", "RATTLE", h=1.2, n_steps=5)
    assert not s.success and "RATTLE did not solve its equations at step" in s.message and "Reduce h" in s.message
