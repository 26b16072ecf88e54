"""The catalogue of problems: one list. To add a problem, add its maker here."""

import inspect
from collections.abc import Callable
from typing import Any

from polhode.errors import InputError, checked_call, near, one_line, unknown
from polhode.inputs import spelled
from polhode.physics.problem import Problem
from polhode.physics.published.book_toss import book_toss
from polhode.physics.published.damped_body import damped_body
from polhode.physics.published.detumble import detumble
from polhode.physics.published.forced import forced
from polhode.physics.published.free_body import asymmetric, free_body, water
from polhode.physics.published.gyrostat import gyrostat
from polhode.physics.published.heavy_top import heavy_top
from polhode.physics.published.lagrange_top import fast_top, lagrange_top, slow_top
from polhode.physics.published.soft_wall import soft_wall
from polhode.physics.published.spinning_drill import spinning_drill
from polhode.physics.published.stress import stress
from polhode.physics.published.wheels import wheels

PROBLEMS: dict[str, Callable[..., Problem]] = {
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
    "damped-body": damped_body,
    "gyrostat": gyrostat,
    "detumble": detumble,
    "wheels": wheels,
    "spinning-drill": spinning_drill,
}


SAID = {
    "stress test": "stress",
    "freely spinning body": "free-body",
    "free rigid body": "free-body",
    "asymmetric body": "asymmetric",
    "asymmetric rigid body": "asymmetric",
    "water molecule": "water",
    "unstable rotation: book toss": "book-toss",
    "Lagrangian top": "lagrange-top",
    "fast Lagrangian top": "fast-top",
    "slow Lagrangian top": "slow-top",
    "soft wall contact": "soft-wall",
    "body in Coulombic potential with soft wall contact": "soft-wall",
}
"""What the papers call their problems, where that is not the name."""


@checked_call
def problems() -> dict[str, Callable[..., Problem]]:
    """The catalogue: for every name the function that makes the problem; its keywords are the parameters.

    Returns
    -------
    dict of callable
        By name.

    Examples
    --------
    >>> import polhode as ph
    >>> "stress" in ph.problems()
    True
    """
    return dict(PROBLEMS)


@checked_call
def problem(name: str | Problem, **parameters: Any) -> Problem:
    """A shipped problem by name, with parameters changed by keyword; a Problem is returned as it is.

    Parameters
    ----------
    name : str or Problem
        As `ph.problems()` lists them.
    **parameters
        Numbers of the problem to change.

    Returns
    -------
    Problem
        The problem.

    Raises
    ------
    InputError
        No such problem or parameter.

    Examples
    --------
    >>> import polhode as ph
    >>> ph.problem("heavy-top").name
    'heavy-top'
    """
    if isinstance(name, Problem):
        if parameters:
            raise InputError(f"{name!r} is made already; parameters go with the name of a problem, a text.")
        return name
    if not isinstance(name, str):
        raise InputError(f"problem is {one_line(name)}; give a name, such as 'stress', or a Problem.")
    makers = {spelled(n): make for n, make in PROBLEMS.items()}
    makers |= {spelled(n): PROBLEMS[meant] for n, meant in SAID.items()}
    make = makers.get(spelled(name))
    if make is None:
        raise unknown("problem", name, list(PROBLEMS))
    allowed = inspect.signature(make).parameters
    for keyword in parameters:
        if keyword not in allowed:
            nearest = near(keyword, allowed)
            hint = f" Did you mean {nearest}?" if nearest else ""
            raise InputError(f"The problem {name!r} takes no {keyword!r}; it takes {', '.join(allowed)}.{hint}")
    return make(**parameters)
