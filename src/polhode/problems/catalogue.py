"""The catalogue of problems: one list. To add a problem, add its maker here."""

from polhode.errors import InputError, unknown
from polhode.problem import Problem
from polhode.problems.forced import forced
from polhode.problems.free_body import free_body
from polhode.problems.heavy_top import heavy_top
from polhode.problems.stress import stress

PROBLEMS = {
    "stress": stress,
    "free-body": free_body,
    "heavy-top": heavy_top,
    "forced": forced,
}


def problems():
    """The catalogue: for every name the function that makes the problem; its keywords are the parameters."""
    return dict(PROBLEMS)


def problem(name, **parameters):
    """A shipped problem by name, with parameters changed by keyword; a Problem is returned as it is."""
    if isinstance(name, Problem):
        return name
    try:
        make = PROBLEMS[str(name).lower()]
    except KeyError:
        raise unknown("problem", name, list(PROBLEMS)) from None
    try:
        return make(**parameters)
    except TypeError as error:
        import inspect

        allowed = ", ".join(inspect.signature(make).parameters)
        raise InputError(f"The problem {name!r} takes {allowed}: {error}.") from error
