"""What a step returns is taken in every form that has one meaning, and copied."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from polhode.inputs.returned import state_returned

pytestmark = pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")

Q = Rotation.from_rotvec([0.3, -0.2, 0.5]).as_matrix()
OMEGA = np.array([0.25, -0.5, 1.0])


@pytest.mark.parametrize(
    "result",
    [
        (Q, OMEGA),
        [Q.tolist(), tuple(OMEGA)],
        (np.matrix(Q), np.matrix(OMEGA)),
        (np.matrix(Q), np.matrix(OMEGA).T),
        (Q, OMEGA.reshape(3, 1)),
        (Q, OMEGA.reshape(1, 3)),
        (Rotation.from_matrix(Q), OMEGA),
        (Q, [Fraction(1, 4), Fraction(-1, 2), Fraction(1)]),
    ],
)
def test_forms_with_one_meaning_are_taken(result):
    A, Omega = state_returned(result)
    assert type(A) is np.ndarray and A.shape == (3, 3) and np.allclose(A, Q, atol=1e-15, rtol=0)
    assert type(Omega) is np.ndarray and np.array_equal(Omega, OMEGA)


def test_what_is_returned_is_copied():
    A, Omega = state_returned((Q, OMEGA))
    assert not np.shares_memory(A, Q) and not np.shares_memory(Omega, OMEGA)


@pytest.mark.parametrize("result", [None, Q, (Q, OMEGA, 0.0), (Q, "fast"), ("turned", OMEGA)])
def test_what_is_no_state_is_refused(result):
    with pytest.raises((TypeError, ValueError)):
        state_returned(result)


def test_complex_numbers_do_not_lose_a_part():
    result = Q, OMEGA * (1 + 1j)
    assert np.array_equal(state_returned(result)[1], result[1])  # as the complex step needs them
    with pytest.raises(TypeError):
        state_returned(result, float)


def test_what_has_no_one_meaning_keeps_its_shape():
    assert state_returned((Q, np.eye(3)))[1].shape == (3, 3)  # whoever runs the step says what it must be
