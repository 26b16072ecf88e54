"""Partitioned Munthe-Kaas from two tableaux."""

import pickle

import numpy as np
import pytest

import polhode as ph
from polhode.integrators.parts.tableaux import (
    CLASSICAL,
    GAUSS,
    LOBATTO_IIIA,
    LOBATTO_IIIB,
    TRAPEZOIDAL,
    partitioned_order,
)
from polhode.testbench.certificate.kernel import theorems
from polhode.testbench.certificate.states import cases


@pytest.mark.parametrize("problem", ["stress", "free-body", "forced"])
def test_two_stages_of_lobatto_are_prk(problem):
    pair = ph.munthe_kaas(LOBATTO_IIIA[0], LOBATTO_IIIB[0])
    a, b = (ph.solve(problem, m, h=0.1, n_steps=40) for m in (pair, "PRK"))
    assert np.abs(a.Q - b.Q).max() < 1e-14 and np.abs(a.Omega - b.Omega).max() < 1e-14


def test_three_stages_have_order_four():
    pair = ph.munthe_kaas(LOBATTO_IIIA[1], LOBATTO_IIIB[1])
    assert pair.order == 4 and pair.symmetric is None  # what is not known is left open
    assert theorems.order(pair, cases.forced()) == pytest.approx((4, 4), abs=0.05)


def test_orders_of_pairs():
    """A tableau with itself has its own order; tableaux that fit badly have less together than either alone."""
    assert [partitioned_order(t, t) for t in (CLASSICAL, GAUSS, TRAPEZOIDAL)] == [4, 4, 2]
    assert [partitioned_order(a, b) for a, b in zip(LOBATTO_IIIA, LOBATTO_IIIB)] == [2, 4]
    assert LOBATTO_IIIA[1].order == LOBATTO_IIIB[1].order == 4
    late = ph.Tableau("late", (("1/2", 0), ("1/2", 0)), (0, 1))
    assert partitioned_order(TRAPEZOIDAL, late) == 1 < late.order


def test_in_a_vector_space_the_pairs_are_symplectic():
    """b_i a^_ij + b^_j a_ji = b_i b^_j and b = b^."""
    for first, second in zip(LOBATTO_IIIA, LOBATTO_IIIB):
        s = range(first.stages)
        assert first.b == second.b
        for i in s:
            for j in s:
                assert first.b[i] * second.A[i][j] + second.b[j] * first.A[j][i] == first.b[i] * second.b[j]


def test_a_pair_of_a_tableau_with_itself_has_its_order():
    """Gauss with Gauss: the truncated dcay is whole at order four."""
    assert theorems.order(ph.munthe_kaas(GAUSS, GAUSS), cases.potential()) == pytest.approx((4, 4), abs=0.05)


def test_pickles_and_sentences():
    pair = ph.munthe_kaas(LOBATTO_IIIA[0], LOBATTO_IIIB[0], name="mine")
    assert pickle.loads(pickle.dumps(pair)).step is pair.step and pair.name == "mine"
    with pytest.raises(ph.InputError, match="as many of both"):
        ph.munthe_kaas(LOBATTO_IIIA[0], LOBATTO_IIIB[1])
    with pytest.raises(ph.InputError, match="tableau is 'b'"):
        ph.munthe_kaas(LOBATTO_IIIA[0], "b")
