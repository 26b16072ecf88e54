"""Units are the user's: another unit of inertia or time changes no bit, or is refused with a sentence."""

import numpy as np
import pytest

import polhode as ph


def problem(inertia, time):
    """A top in other units: inertia in 2^inertia, time in 2^time."""
    k = 0.7 * 2.0 ** (inertia - 2 * time)
    return ph.Problem(
        inertia=np.array((1.0, 2.0, 2.5)) * 2.0**inertia,
        torque=lambda t, Q: (k * Q[2, 1], -k * Q[2, 0], 0.0),
        Q0=(0.3, 0.1, 0.0),
        Omega0=np.array((0.4, 1.0, -0.3)) * 2.0**-time,
    )


def attitude(method, inertia, time):
    s = ph.solve(problem(inertia, time), method, h=0.1 * 2.0**time, n_steps=20, save_every=20, compiled=False)
    assert s.success
    return s.Q[-1]


@pytest.mark.parametrize("method", [name for name, m in ph.methods().items() if not m.free_only])
def test_units_change_no_bit(method):
    right = attitude(method, 0, 0)
    for units in ((40, -60), (-40, 60)):
        assert np.abs(attitude(method, *units) - right).max() <= 1e-12


@pytest.mark.parametrize("method", ["VLV", "GAUSS8", "RKMK4", "DMV4"])
def test_molecules_in_kilograms_and_metres(method):
    """1e-47 kg m^2, steps of 1e-15 s."""
    assert np.abs(attitude(method, -156, -50) - attitude(method, 0, 0)).max() <= 1e-12


@pytest.mark.parametrize("method", ["DMV8", "DMV12"])
def test_a_series_that_leaves_the_range_of_floats_is_refused(method):
    """Its coefficients would underflow, and the method silently be of a lower order."""
    with pytest.raises(ph.InputError, match="choose a unit in which the moments are nearer to 1"):
        attitude(method, -156, -50)


@pytest.mark.parametrize("inertia", [400, -400])
def test_moments_beyond_all_measure_are_refused(inertia):
    with pytest.raises(ph.InputError, match=r"choose a (larger|smaller) unit"):
        problem(inertia, 0)
