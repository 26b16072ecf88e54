"""A sampled controller: the run in one piece is the run in pieces, each with the torque that is held."""

import pickle

import numpy as np
import pytest

import polhode as ph
from polhode.reference.reference import by_dop853, reference

J, W = np.array([1.0, 2.0, 2.5]), np.array([1.0, 0.2, 0.3])


def law(t, Q, Omega):
    """Proportional and derivative."""
    return -0.8 * Omega - 0.5 * np.array([Q[2, 1] - Q[1, 2], Q[0, 2] - Q[2, 0], Q[1, 0] - Q[0, 1]]) + (0, 0, 0.1 * t)


def controlled(**more):
    return ph.Problem(inertia=J, Omega0=W, Q0=(0.2, 0.1, 0.3), control=ph.Sampled(law, period=0.25), **more)


@pytest.mark.parametrize("method", ["VLV", "RKMK4", "GAUSS8", "ELN"])
@pytest.mark.parametrize("compiled", [None, False])
def test_a_run_is_that_of_its_pieces(method, compiled):
    s = ph.solve(controlled(), method, h=0.05, n_steps=20, compiled=compiled)
    Q, Omega = controlled().Q0, W
    for k in range(4):
        u = law(0.25 * k, Q, Omega)
        piece = ph.Problem(inertia=J, Omega0=Omega, Q0=Q, t0=0.25 * k, torque=lambda t, Q, u=u: (u[0], u[1], u[2]))
        end = ph.solve(piece, method, h=0.05, n_steps=5, compiled=False)
        Q, Omega = end.Q[-1], end.Omega[-1]
        assert np.abs(s.Omega[5 * (k + 1)] - Omega).max() < 1e-13 and np.abs(s.Q[5 * (k + 1)] - Q).max() < 1e-13


def test_rows_are_kept_across_the_looks_of_the_controller():
    every, some = (ph.solve(controlled(), "VLV", h=0.05, n_steps=24, save_every=k) for k in (1, 3))
    assert np.array_equal(every.Omega[::3], some.Omega)


def test_it_settles_a_body_in_other_axes_with_damping_and_for_several_bodies():
    tensor = np.array([[1, 0.1, 0], [0.1, 2, 0.05], [0, 0.05, 2.5]])
    p = ph.Problem(inertia=tensor, Omega0=W, damping=0.1, control=ph.Sampled(lambda t, Q, Om: -Om, period=0.1))
    s = ph.solve(p, "VLV", h=0.05, t_end=40, save_every=100)
    assert np.abs(s.Omega[-1]).max() < 1e-4
    e = ph.solve_ensemble(p, "VLV", Omega0=[W, 2 * W], h=0.05, n_steps=20)
    assert np.array_equal(e.Omega[:, 0], ph.solve(p, "VLV", h=0.05, n_steps=20).Omega)
    again = pickle.loads(pickle.dumps(controlled()))
    assert again.control.period == 0.25


def test_what_would_need_the_torques_that_were_held_refuses():
    s = ph.solve(controlled(), "VLV", h=0.05, n_steps=20)
    for call in (
        lambda: s(0.33),
        lambda: s.rotation_increments,
        lambda: reference(controlled(), 1.0),
        lambda: by_dop853(controlled(), 1.0),
    ):
        with pytest.raises(ph.InputError, match="controller"):
            call()
    asked = ph.solve(controlled(), "VLV", h=0.05, n_steps=20, t_eval=[0.33, 0.5])
    assert np.array_equal(asked.Omega[1], s.Omega[10])


def test_bodies_of_an_ensemble_share_the_controller():
    other = ph.Problem(inertia=J, Omega0=W, control=ph.Sampled(law, period=0.5))
    with pytest.raises(ph.InputError, match="problem 1 has other functions"):
        ph.solve_ensemble([controlled(), other], "VLV", h=0.05, n_steps=2)


def test_sentences():
    for sentence, call in {
        "it must be a whole number of them: take h": lambda: ph.solve(controlled(), "VLV", h=0.1, n_steps=2),
        "give Sampled": lambda: ph.Problem(inertia=J, Omega0=W, control=law),
        "above zero": lambda: ph.Sampled(law, period=-1),
        "takes no controller": lambda: ph.solve(controlled(), "TAYLOR", h=0.05, n_steps=2),
    }.items():
        with pytest.raises(ph.InputError, match=sentence):
            call()
