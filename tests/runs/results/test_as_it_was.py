"""Energies are those of the potential in which the states moved, whenever they are looked at."""

import pickle

import numpy as np
import pytest

import polhode as ph

strength = 1.0


def potential(Q):
    return -strength * Q[2, 2]


def timed(t, Q):
    return -strength * Q[2, 2] + 0.1 * t


def runs(**given):
    """The ways to states: solve, the same again, to times, adapted, between rows, an ensemble and one body of it."""
    p = ph.Problem(inertia=(1.0, 2.0, 3.0), Omega0=(0.1, 0.2, 0.3), **given)
    ph.solve(p, "VLV", h=0.1, n_steps=5)
    again = ph.solve(p, "VLV", h=0.1, n_steps=5)
    many = ph.solve_ensemble(p, "VLV", h=0.1, n_steps=5, Omega0=[(0.1, 0.2, 0.3), (0.3, 0.2, 0.1)])
    return {
        "solve": ph.solve(p, "VLV", h=0.1, n_steps=5, compiled=False),
        "again": again,
        "t_eval": ph.solve(p, "VLV", h=0.1, t_eval=[0.05, 0.3]),
        "adapt": ph.solve(p, "VLV", h=0.1, n_steps=5, adapt=True),
        "between": again.at([0.05, 0.3]),
        "ensemble": many,
        "some": many[:1],
        "one": many[1],
        "travelled": pickle.loads(pickle.dumps(again)),
    }


@pytest.mark.parametrize("function", [potential, timed])
def test_an_energy_of_another_potential_is_refused(monkeypatch, function):
    early, late = runs(potential=function), runs(potential=function)
    before = {name: s.energy.copy() for name, s in early.items()}
    monkeypatch.setitem(globals(), "strength", 4.0)
    for name, s in late.items():
        with pytest.raises(ph.InputError, match="no longer what it was"):
            _ = s.energy
        assert np.array_equal(early[name].energy, before[name])  # looked at in time, it stays
    monkeypatch.setitem(globals(), "strength", 1.0)
    assert all(np.allclose(s.energy, before[name], atol=1e-14) for name, s in late.items())


def test_the_potential_beside_a_torque_is_asked_too(monkeypatch):
    """The torque of the run is the same, so that the short way of `solve` could be taken."""
    p = ph.Problem(
        inertia=(1.0, 2.0, 3.0),
        Omega0=(0.1, 0.2, 0.3),
        torque=lambda t, Q: (-Q[2, 1], Q[2, 0], 0.0),
        potential=lambda Q: -Q[2, 2] + strength,
    )
    solved = lambda: ph.solve(p, "VLV", h=0.1, n_steps=5)
    first, second, third = solved(), solved(), solved()
    assert second.energy[0] == third.energy[0]
    monkeypatch.setitem(globals(), "strength", 4.0)
    assert solved().energy[0] == pytest.approx(second.energy[0] + 3.0)
    with pytest.raises(ph.InputError, match="no longer what it was"):
        _ = first.potential


def test_parameters_do_not_count_as_a_change():
    p = ph.Problem(
        inertia=(1, 2, 3), Omega0=(0.1, 0.2, 0.3), potential=lambda Q, p: -p.k * Q[2, 2], parameters={"k": 1.0}
    )
    first, second = (ph.solve(x, "VLV", h=0.1, n_steps=5) for x in (p, p.replaced(k=4.0)))
    assert first.energy[0] == pytest.approx(second.energy[0] + 3.0)
