"""What every kind of run is given first: a problem and a method."""

from typing import Any

from polhode.errors import InputError
from polhode.integrators.lookup import listed
from polhode.integrators.method import Method
from polhode.physics.catalogue import problem as look_up
from polhode.physics.catalogue import problems
from polhode.physics.problem import Problem


def given_problem(problem: Any, method: object) -> Problem:
    """The problem, from a Problem or its name; a sentence where it has changed places with the method."""
    swapped = isinstance(problem, Method) or (isinstance(problem, str) and listed(problem) is not None)
    if isinstance(method, Problem) or (swapped and isinstance(method, str) and method.lower() in problems()):
        raise InputError("problem and method have changed places: the problem comes first, then the method.")
    found = look_up(problem)
    found.check_start()
    return found
