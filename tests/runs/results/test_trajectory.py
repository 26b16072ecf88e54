"""Trajectories as Python objects."""

import numpy as np

import polhode as ph


def test_results_are_compared_as_objects():
    """They hold arrays: a raw error about the truth of an array would be the answer otherwise."""
    p = ph.problem("stress")
    runs = [ph.solve(p, "VLV", h=0.1, n_steps=3) for _ in range(2)]
    many = [ph.solve_ensemble(p, "VLV", Omega0=np.eye(3), h=0.1, n_steps=3) for _ in range(2)]
    for x, other in (runs, many, (runs[0](0.15), runs[0](0.25))):
        assert x == x and x != other and x in [other, x] and len({x, other}) == 2
