"""Problems on the command line: by name, or your own as module:attribute, changed by --set name=value."""

import argparse
import json
from collections.abc import Sequence
from typing import Any

from polhode.errors import InputError, one_line


def add_settings(parser: argparse.ArgumentParser) -> None:
    """The option that changes a problem."""
    parser.add_argument(
        "--set",
        nargs="+",
        default=(),
        metavar="NAME=VALUE",
        help="parameters of the problem: a number, or numbers in brackets, such as k=3 m=[0,0,1]",
    )


def given_problem(name: str, settings: Sequence[str] = ()) -> Any:
    """The Problem with this name: a shipped one, or module:attribute, a Problem or a function that makes one."""
    from polhode.integrators.lookup import listed
    from polhode.integrators.users_modules import attribute
    from polhode.physics.catalogue import problem, problems
    from polhode.physics.problem import Problem

    values = dict(_setting(text) for text in settings)
    if name.lower() not in problems() and listed(name) is not None:
        raise InputError(f"{name} is a method, and a problem belongs here: polhode run takes METHOD, then PROBLEM.")
    if ":" not in name:
        return problem(name, **values)
    value = attribute(name)
    if isinstance(value, Problem):
        return value.replaced(**values) if values else value
    if not callable(value):
        raise InputError(f"{one_line(name)} is {one_line(value)}; it must be a Problem, or a function that makes one.")
    problem = value(**values)
    if not isinstance(problem, Problem):
        raise InputError(f"{one_line(name)} returned {one_line(problem)}; it must return a Problem.")
    return problem


def _setting(text: str) -> tuple[str, Any]:
    """(name, value) of name=value."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise InputError(f"--set has {one_line(text)}; give name=value, such as k=3.")
    try:
        return name, json.loads(value)
    except ValueError:
        raise InputError(
            f"--set {name}: {one_line(value)} is no number; give one, or numbers in brackets, such as [0,0,1]."
        ) from None
