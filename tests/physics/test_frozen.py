"""A Problem does not change: what would change it is refused, and `replaced` makes a copy."""

import copy
import pickle

import pytest

import polhode as ph


@pytest.mark.parametrize(
    "make", [lambda: ph.problem("stress"), lambda: ph.Problem(inertia=(1, 2, 2.5), Omega0=(1, 0, 0))]
)
@pytest.mark.parametrize("attribute", ["Omega0", "torque", "name", "inertia", "anything"])
def test_no_attribute_can_be_given_or_taken(make, attribute):
    p = make()
    with pytest.raises(ph.InputError, match=r"does not change.*problem\.replaced"):
        setattr(p, attribute, 1.0)
    with pytest.raises(AttributeError, match="does not change"):
        delattr(p, attribute)


def test_a_copy_leaves_the_problem_as_it_was():
    p = ph.Problem(inertia=(1, 2, 2.5), Pi0=(1, 0, 0.5))
    q = p.replaced(inertia=(2, 3, 4))
    assert p.Omega0.tolist() == [1, 0, 0.2] and q.Omega0.tolist() == [0.5, 0, 0.125]
    r = q.replaced(Omega0=(0, 0, 1), Q0=(0.1, 0, 0), t0=2.0)
    assert (q.t0, r.t0) == (0.0, 2.0) and r.replaced(inertia=(1, 1, 1)).Omega0.tolist() == [0, 0, 1]
    with pytest.raises(AttributeError):
        r.t0 = 3.0


@pytest.mark.parametrize("attribute", ["inertia", "moments", "axes"])
@pytest.mark.parametrize(
    "passed",
    [lambda p: p, lambda p: p.replaced(inertia=(2, 3, 4)), copy.deepcopy],
    ids=["as made", "replaced", "copied"],
)
def test_what_belongs_together_is_not_written_into(attribute, passed):
    """A run would go on with the moments there were, and the energy be that of others."""
    p = passed(pickle.loads(pickle.dumps(ph.Problem(inertia=(1, 2, 2.5), Omega0=(1, 0, 0)))))
    with pytest.raises(ValueError, match="read-only"):
        getattr(p, attribute)[0] = 3.0
