"""The catalogue of problems: one list. To add a problem, add its maker here."""

import inspect

from polhode.errors import InputError, one_line, unknown
from polhode.physics.problem import Problem
from polhode.physics.published.book_toss import book_toss
from polhode.physics.published.forced import forced
from polhode.physics.published.free_body import asymmetric, free_body, water
from polhode.physics.published.heavy_top import heavy_top
from polhode.physics.published.lagrange_top import fast_top, lagrange_top, slow_top
from polhode.physics.published.soft_wall import soft_wall
from polhode.physics.published.stress import stress

PROBLEMS = {
    "stress": stress,
    "free-body": free_body,
    "asymmetric": asymmetric,
    "water": water,
    "book-toss": book_toss,
    "lagrange-top": lagrange_top,
    "fast-top": fast_top,
    "slow-top": slow_top,
    "soft-wall": soft_wall,
    "heavy-top": heavy_top,
    "forced": forced,
}


def problems():
    """The catalogue: for every name the function that makes the problem; its keywords are the parameters."""
    return dict(PROBLEMS)


def problem(name, **parameters):
    """A shipped problem by name, with parameters changed by keyword; a Problem is returned as it is."""
    if isinstance(name, Problem):
        if parameters:
            raise InputError(f"{name!r} is made already; parameters go with the name of a problem.")
        return name
    if not isinstance(name, str):
        raise InputError(f"problem is {one_line(name)}; give a name, such as 'stress', or a Problem.")
    try:
        make = PROBLEMS[name.lower()]
    except KeyError:
        raise unknown("problem", name, list(PROBLEMS)) from None
    allowed = inspect.signature(make).parameters
    for given in parameters:
        if given not in allowed:
            raise InputError(f"The problem {name!r} takes no {given!r}; it takes {', '.join(allowed)}.")
    return make(**parameters)
