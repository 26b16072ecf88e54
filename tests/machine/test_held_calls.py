"""Calls of machine code whose arguments lie in memory do what the calls with those arguments do."""

import numba
import numpy as np
import pytest
from numba import types

from polhode.machine.held_calls import held_call
from polhode.machine.pointers import address_of

F8, I8 = types.float64, types.int64
ROW, TABLE = types.Array(F8, 1, "C"), types.Array(F8, 2, "C")
KIND = types.Tuple((I8, F8))(I8, F8, types.boolean, ROW, TABLE, types.UniTuple(F8, 3))


@numba.njit(KIND)
def everything(n, x, negative, row, table, three):
    if n < 0:
        raise ValueError("n")
    for i in range(table.shape[0]):
        for k in range(table.shape[1]):
            table[i, k] = row[k] + 10 * i + n
    row[0] += x
    a, b, c = three
    return n + len(row), (-1 if negative else 1) * (a + 2 * b + 4 * c + row[0])


@numba.njit(KIND)
def another(n, x, negative, row, table, three):
    return n, x


for _function in (everything, another):
    _function.address = address_of(_function)  # as ``machine_code`` does


def arguments(n=3, negative=True):
    return n, 0.5, negative, np.array([1.0, 2.0]), np.zeros((3, 2)), (1.0, 2.0, -0.25)


@pytest.mark.parametrize("negative", [True, False])
def test_it_is_the_call_with_these_arguments_from_the_same_state_each_time(negative):
    direct, held = arguments(negative=negative), arguments(negative=negative)
    expected = everything(*direct)
    call = held_call(everything, held, held[3])
    for _ in range(3):
        held[4][:] = 0.0
        assert call() == expected
        assert np.array_equal(held[3], direct[3]) and np.array_equal(held[4], direct[4])


def test_numbers_in_arrays_are_those_of_the_moment():
    held = arguments()
    other = np.array([5.0, 6.0])
    call = held_call(everything, (*held[:3], other, *held[4:]), held[3])
    call()
    other[1] = -7.0
    call()
    assert held[4][2, 1] == -7.0 + 20 + 3


def test_what_it_raises_is_raised():
    held = arguments(n=-1)
    with pytest.raises(ValueError, match="n"):
        held_call(everything, held, held[3])()


def test_the_address_is_the_one_from_when_the_function_was_made(monkeypatch):
    """A later look-up by name may find other code: of files made in different processes, several have one name."""
    monkeypatch.setattr(everything, "address", another.address, raising=False)
    held = arguments()
    assert held_call(everything, held, held[3])() == (3, 0.5)


def test_arguments_of_another_number_are_refused():
    with pytest.raises(ValueError, match="zip"):
        held_call(everything, arguments()[:4], np.zeros(1))
