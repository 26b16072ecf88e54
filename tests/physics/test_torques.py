"""Kernels of users' functions: problems made of the same functions share them, and run what the functions are now."""

import gc
import weakref

import numpy as np
import pytest

import polhode as ph
from polhode.physics.torques import MOST_RECENT

STRENGTH = 1.0
BODY = dict(inertia=(1.0, 2.0, 2.5), Q0=(0.1, 0.2, 0.3), Omega0=(0.1, 0.5, 1.0))


def pull(t, Q, p):
    return 0.0, -STRENGTH * p.k * Q[2, 2], STRENGTH * p.k * Q[2, 1]


def turned(torque=pull, **more):
    """Where the body is after a few steps, of a problem that is made anew."""
    return ph.solve(ph.Problem(torque=torque, **more, **BODY), "VLV", h=0.1, n_steps=5).Q[-1]


def test_problems_made_of_the_same_functions_share_their_kernels():
    one, two = (ph.Problem(torque=pull, parameters={"k": k}, **BODY) for k in (1.0, 2.0))
    assert one.torque_kernel is two.torque_kernel
    wrapped = ph.Problem(torque=lambda t, Q, p: pull(t, Q, p), parameters={"k": 1.0}, **BODY)
    assert wrapped.torque_kernel is not one.torque_kernel
    shaped = ph.Problem(torque=pull, parameters={"k": 1.0, "m": (0, 0, 1)}, **BODY)
    damped = ph.Problem(torque=pull, parameters={"k": 1.0}, damping=0.1, **BODY)
    assert shaped.torque_kernel is not one.torque_kernel
    assert damped.moving_kernels["all"] is not one.moving_kernels["all"]


def test_each_runs_with_its_own_numbers_and_with_the_function_as_it_is_now(monkeypatch):
    of = lambda k: lambda t, Q: (0.0, -k * Q[2, 2], k * Q[2, 1])
    alone = {k: turned(of(k)) for k in (1.0, 2.0, 6.0)}
    for k in (1.0, 2.0, 1.0, 2.0):
        np.testing.assert_allclose(turned(parameters={"k": k}), alone[k], atol=1e-14)
    monkeypatch.setitem(globals(), "STRENGTH", 3.0)
    np.testing.assert_allclose(turned(parameters={"k": 2.0}), alone[6.0], atol=1e-14)


def test_functions_are_freed_when_a_few_other_problems_have_been_made():
    def made(scale):
        def torque(t, Q):
            return 0.0, scale * Q[2, 2], 0.0

        return ph.Problem(torque=torque, **BODY), weakref.ref(torque)

    _, gone = made(1.0)
    for k in range(MOST_RECENT):
        made(2.0 + k)
    del _
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("potential", [lambda Q: Q[2, 2] ** 2, lambda t, Q: t * Q[2, 2] ** 2])
@pytest.mark.parametrize("of", ["torque", "conservative_torque"])
def test_a_derived_torque_has_no_value_at_a_complex_attitude_or_time(potential, of):
    p = ph.Problem(potential=potential, **BODY)
    at = getattr(p, of)
    np.testing.assert_array_equal(at(1.0, p.Q0.astype(complex)), at(1.0, p.Q0))
    for t, Q in ((1.0, p.Q0 + 1e-20j), (1.0 + 1e-20j, p.Q0)):
        with pytest.raises(ph.InputError, match=r"derived from its potential .* give the torque beside the potential"):
            at(t, Q)


def test_a_torque_that_is_given_beside_its_potential_has_a_value_at_a_complex_attitude():
    torque = lambda t, Q: (2 * Q[2, 2] * Q[2, 1], -2 * Q[2, 2] * Q[2, 0], 0.0)
    p = ph.Problem(potential=lambda Q: Q[2, 2] ** 2, torque=torque, **BODY)
    np.testing.assert_allclose(p.torque(0.0, p.Q0 + 1e-20j).real, p.torque(0.0, p.Q0), rtol=1e-14)
