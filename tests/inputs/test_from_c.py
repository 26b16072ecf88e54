"""Torques from C: the numbers of the Python torque, compiled, interpreted and in ensembles; what is refused."""

import ctypes

import numpy as np
import pytest
from numba import cfunc, njit, types

import polhode as ph

J, W = np.array([1.0, 2.0, 2.5]), np.array([1.0, 0.2, 0.3])
TENSOR = np.array([[1, 0.1, 0], [0.1, 2, 0.05], [0, 0.05, 2.5]])
F8, AT = types.float64, types.CPointer(types.float64)
PLACE, RUN = ctypes.c_void_p, dict(h=0.05, n_steps=20)


@cfunc(types.void(F8, AT, AT, AT, AT))
def by_cfunc(t, Q, Omega, out, data):
    out[0] = 0.5 * Q[7] - 0.3 * Omega[0] * Omega[0] * Omega[0]
    out[1] = -0.4 * Q[2] + 0.2 * t
    out[2] = 0.3 * Q[4] - 0.2 * Omega[2]


@cfunc(types.void(F8, AT, AT, AT, AT))
def with_data(t, Q, Omega, out, data):
    out[0], out[1], out[2] = data[0] * Q[6], data[1] * Omega[1], data[2] * t


@cfunc(types.void(F8, AT, AT, AT, AT))
def nothing(t, Q, Omega, out, data):
    pass


def in_python(t, Q, Om):
    return 0.5 * Q[2, 1] - 0.3 * Om[0] * Om[0] * Om[0], -0.4 * Q[0, 2] + 0.2 * t, 0.3 * Q[1, 1] - 0.2 * Om[2]


def called_back(t, Q, Omega, out, data):
    Q, Omega, out = (ctypes.cast(x, ctypes.POINTER(ctypes.c_double)) for x in (Q, Omega, out))
    for i, x in enumerate(in_python(t, np.ctypeslib.as_array(Q, (3, 3)), Omega)):
        out[i] = x


BY_CTYPES = ctypes.CFUNCTYPE(None, ctypes.c_double, PLACE, PLACE, PLACE, PLACE)(called_back)
GIVEN = {"cfunc": by_cfunc, "address": by_cfunc.address, "ctypes of cfunc": by_cfunc.ctypes, "ctypes": BY_CTYPES}


def body(torque, **more):
    return ph.Problem(**(dict(inertia=TENSOR, Omega0=W, torque=torque) | more))


@pytest.mark.parametrize("kind", GIVEN)
@pytest.mark.parametrize("method", ["VLV", "GAUSS8"])
def test_the_bits_of_the_python_torque(method, kind, recwarn):
    p = body(ph.c_function(GIVEN[kind]))
    s, expected = ph.solve(p, method, **RUN), ph.solve(body(in_python), method, **RUN)
    assert s.stats["compiled"] and not recwarn.list
    assert np.array_equal(s.Omega, expected.Omega) and np.array_equal(s.Q, expected.Q)
    assert np.array_equal(ph.solve(p, method, compiled=False, **RUN).Omega, expected.Omega)


def test_in_space_axes_beside_a_potential_and_in_an_ensemble():
    U = lambda Q: 0.3 * Q[2, 2]
    c, python = (dict(potential=U, nonconservative=f) for f in (ph.c_function(by_cfunc), in_python))
    a, b = (ph.solve(body(None, **x), "RKMK4", **RUN) for x in (c, python))
    assert np.array_equal(a.Omega, b.Omega)
    a, b = (ph.solve(body(None, torque_space=f), "RKMK4", **RUN) for f in (ph.c_function(by_cfunc), in_python))
    assert np.array_equal(a.Omega, b.Omega)
    starts = W + 0.01 * np.arange(9)[:, None]
    a, b = (ph.solve_ensemble(body(f), "VLV", Omega0=starts, **RUN) for f in (ph.c_function(by_cfunc), in_python))
    assert np.array_equal(a.Omega, b.Omega)


def test_two_functions_are_not_taken_for_each_other_and_data_is_seen():
    numbers = (ctypes.c_double * 3)(1.0, 2.0, 3.0)
    expected = ph.solve(body(lambda t, Q, Om: (Q[2, 0], 2.0 * Om[1], 3.0 * t)), "RKMK4", **RUN).Omega
    for data in (numbers, ctypes.addressof(numbers), ctypes.pointer(numbers)):
        p = body(ph.c_function(with_data, data=data))
        assert np.array_equal(ph.solve(p, "RKMK4", **RUN).Omega, expected)
    numbers[2] = 5.0
    assert not np.array_equal(ph.solve(p, "RKMK4", **RUN).Omega, expected)
    other = ph.solve(body(ph.c_function(by_cfunc)), "RKMK4", **RUN).Omega
    assert np.array_equal(other, ph.solve(body(in_python), "RKMK4", **RUN).Omega)


def test_functions_of_njit_go_to_the_torque_itself():
    s = ph.solve(body(njit(in_python)), "VLV", **RUN)
    assert s.stats["compiled"] and np.array_equal(s.Omega, ph.solve(body(in_python), "VLV", **RUN).Omega)


BAD = {
    "c_function got 'no'": lambda: ph.c_function("no"),
    "c_function got 0": lambda: ph.c_function(0),
    "goes to torque= itself": lambda: ph.c_function(njit(in_python)),
    "data of c_function is 'no'": lambda: ph.c_function(by_cfunc, data="no"),
    "it must be finite there": lambda: body(ph.c_function(nothing)),
    "A checkpoint must tell": lambda: ph.solve(body(ph.c_function(by_cfunc)), "VLV", checkpoint="x", **RUN),
    r"torque is a C function: wrap it by c_function\(": lambda: body(by_cfunc),
    r"torque_space is a C function: wrap it by c_function\(": lambda: body(None, torque_space=BY_CTYPES),
}


@pytest.mark.parametrize("sentence", BAD)
def test_a_sentence_for(sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ph.InputError, match=sentence):
        BAD[sentence]()
