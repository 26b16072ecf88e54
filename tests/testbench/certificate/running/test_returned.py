"""Every form in which a step may return its state gets a certificate, and what is none gets a sentence."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.errors import InputError
from tests.testbench.certificate.adversary.third import right

pytestmark = pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")

FORMS = {
    "matrices": lambda Q, Omega: (np.matrix(Q), np.matrix(Omega)),
    "a column": lambda Q, Omega: (Q, Omega.reshape(3, 1)),
    "a row": lambda Q, Omega: (Q, Omega.reshape(1, 3)),
    "a Rotation": lambda Q, Omega: (Rotation.from_matrix(Q), Omega),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_forms_of_a_state_change_no_verdict(form):
    c = ph.certify(lambda *arguments: form(*right(*arguments)), drift=False)
    known = {"symmetric": "yes", "symplectic_free": "yes", "momentum_free": "yes", "energy_free": "no"}
    assert {key: c[key].verdict for key in known} == known
    assert c["order_potential_Q"].value == pytest.approx(2, abs=0.1)
    assert c.kin == "This is LP2, to round-off."


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_solve_takes_the_same_forms(form):
    p = ph.problem("stress")
    s = ph.solve(p, lambda *arguments: form(*right(*arguments)), h=0.1, n_steps=5)
    assert np.allclose(s.Omega[-1], ph.solve(p, right, h=0.1, n_steps=5).Omega[-1], atol=1e-13)


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (lambda Q, Omega: None, "returned None; it must return"),
        (lambda Q, Omega: Q, "it must return"),
        (lambda Q, Omega: (Q, Omega, 1.0), "it must return"),
        (lambda Q, Omega: (Q, "fast"), "it must return"),
        (lambda Q, Omega: (Omega, Q), r"returned shapes \(3,\) and \(3, 3\)"),
        (lambda Q, Omega: (Rotation.from_matrix([Q, Q]), Omega), r"returned shapes \(2, 3, 3\)"),
    ],
)
def test_what_is_no_state_gets_a_sentence(result, words):
    with pytest.raises(InputError, match=words):
        ph.certify(lambda *arguments: result(*right(*arguments)), drift=False)
