"""Splittings of the free body, their composition, and the lifting of free flows to torques."""

import mpmath
import numpy as np
import pytest
from mpmath import mpf

import polhode as ph
from polhode.integrators import splitting
from polhode.integrators.midpoint_lie import liemid
from polhode.integrators.parts.kicked import kicked, started
from polhode.integrators.splitting import LP2, SR2, SR4, SR6
from polhode.kernels.implicit import NO_SOLVE
from polhode.kernels.rotations import compose, exp, rotated_back
from polhode.kernels.scalar import kernel
from polhode.kernels.step import start_plain, start_tangent
from tests.support.dop853 import dop853

PRINTED = {  # Kahan & Li's nine stages, as in Hairer, Lubich & Wanner, section V.3, up to the middle one
    "SR6": (
        "0.39216144400731413927925056",
        "0.33259913678935943859974864",
        "-0.70624617255763935980996482",
        "0.08221359629355080023149045",
        "0.79854399093482996339895035",
    ),
}


@pytest.mark.parametrize("name, stages", [("SR2", 1), ("SR4", 5), ("SR6", 9)])
def test_times_of_the_parts(name, stages):
    """Both parts take the whole step; the composition reads the same backwards; its sums of odd powers vanish."""
    with mpmath.workdps(50):
        c = ph.method(name).coefficients((1, 2, 3), mpf)
        R, S = c[0::2], c[1::2]
        assert len(S) == stages and c == c[::-1]
        assert max(abs(sum(R) - 2), abs(sum(S) - 1)) < mpf(10) ** -48
        for power in (3, 5)[: stages // 4]:
            assert abs(sum(x**power for x in S)) < mpf(10) ** -48
        for x, printed in zip(S, PRINTED.get(name, ())):
            assert abs(x - mpf(printed)) < mpf(10) ** -25


@pytest.mark.parametrize("axis", [1, 2, 3])
def test_turns_about_an_axis_are_the_exponential(axis):
    q, p, a = (0.9, 0.3, -0.2, 0.25), (0.7, -0.4, 1.1), 0.37
    v = tuple(2 * a if i == axis - 1 else 0.0 for i in range(3))
    turned = getattr(splitting, f"turned_{axis}")(q, p, a)
    assert turned[0] == pytest.approx(compose(q, exp(v)), abs=1e-15)
    assert turned[1] == pytest.approx(rotated_back(exp(v), p), abs=1e-15)


ERRORS = {"SR2": 4.2e-4, "SR4": 1.6e-7, "SR6": 1.6e-10, "LP2": 2.5e-2}


@pytest.mark.parametrize("name, error", ERRORS.items())
def test_momentum_errors_of_the_asymmetric_body(name, error):
    """h = 0.1, T = 10, against DOP853."""
    J = np.array([0.6, 0.8, 1.0])
    p = ph.Problem(inertia=J, Omega0=np.array([1.8, 0.4, -0.9]) / J)
    s = ph.solve(p, name, h=0.1, t_end=10)
    assert np.linalg.norm((s.Omega[-1] - dop853(p, 10.0)[1]) * J) == pytest.approx(error, rel=0.05)


@pytest.mark.parametrize("method", [SR2, SR4, SR6], ids=lambda m: m.name)
def test_exact_on_a_symmetric_body(method):
    p = ph.Problem(inertia=(2, 2, 4), Omega0=(0.5, -0.3, 0.4), Q0=(0.3, 0.2, -0.5))
    Q, Omega = dop853(p, 3.0)
    s = ph.solve(p, method, h=1.5, t_end=3)
    assert s.Q[-1] == pytest.approx(Q, abs=1e-12)
    assert s.Omega[-1] == pytest.approx(Omega, abs=1e-12)


def test_energy_errs_but_stays():
    p = ph.problem("free-body")
    for method in (SR2, LP2):
        s = ph.solve(p, method, h=0.125, t_end=1000, save_every=8)
        error = np.abs(s.energy_error)
        assert 1e-7 < error.max() < 1e-2
        assert error[-100:].max() < 1.5 * error[:100].max()


# ---- the lifting -------------------------------------------------------------------------------------


@kernel
def liemid_flow(h, q, p, trail, body):
    """The free midpoint-Lie step."""
    return liemid(h, q, p, trail, body[0], body[1])


@pytest.mark.parametrize("problem", ["stress", "forced"])
def test_mcg_is_midpoint_lie_between_half_kicks(problem):
    mine = ph.Method(name="kicked", step=kicked(liemid_flow), start=start_tangent, torques_per_step=1)
    a, b = (ph.solve(problem, m, h=0.1, n_steps=50) for m in (mine, "MCG"))
    assert np.array_equal(a.Q, b.Q) and np.array_equal(a.Omega, b.Omega)


@kernel
def resting(h, q, p, memory, body):
    """A free flow in which nothing moves; it counts the time."""
    return q, p, (memory[0] + h,), NO_SOLVE


@kernel
def clock(h, q, Pi, body):
    """A memory of one number."""
    return (0 * h,)


def test_kicks_alone_integrate_the_torque():
    """With a flow that does nothing the kicks are the trapezoidal rule for the torque, and the memory is carried."""
    p = ph.Problem(inertia=(1, 2, 3), torque=lambda t, Q: (t, t * t, 1.0), Omega0=(0, 0, 0))
    method = ph.Method(name="kicks", step=kicked(resting), start=started(clock), torques_per_step=1)
    s = ph.solve(p, method, h=0.5, t_end=2.0)
    assert s.Omega[-1] * p.moments == pytest.approx([2.0, 2.75, 2.0])
    assert s.stats["n_torque"] == 5
    state = method.start(0.5, 0.0, (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), ((1.0, 2.0, 3.0), (), (), (torque, ())))
    assert method.step(0.5, 0.0, state, ((), (), (), (torque, ())))[0][3] == (0.5,)


def torque(t, Q, par):
    return (t, t * t, 1.0)


def test_the_lecture_of_a_lifted_step_is_that_of_its_flow():
    assert "Symmetric + Rotation" in SR6.lecture and "Lie-Poisson" in LP2.lecture
    assert kicked(splitting.lp2) is LP2.step
    assert start_plain is LP2.start
