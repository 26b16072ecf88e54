"""An integrator from the name a user gives on the command line."""

import importlib
import os
import sys

from polhode.errors import InputError, one_line
from polhode.inputs import text
from polhode.integrators.method import Method
from polhode.runs.solve import method as found
from polhode.testbench.peers import ENGINES, engine


def integrator(name):
    """A method of the catalogue by name, another package's as engine:integrator, or what module:attribute names."""
    if ":" not in name:
        return found(name)
    name = text("the name", name)
    module, _, attribute = name.partition(":")
    if module.lower() in ENGINES:
        return engine(name)
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # a script beside the user, as `python -m` would find it
    try:
        value = importlib.import_module(module)
    except Exception as error:  # a name that is none, or whatever the module raises
        raise InputError(f"The module {one_line(module)} of {one_line(name)} cannot be imported: {error}.") from error
    for part in attribute.split("."):
        if not hasattr(value, part):
            raise InputError(f"The module {module!r} has no attribute {one_line(part)}; it has {_public(value)}.")
        value = getattr(value, part)
    if not callable(value) and not isinstance(value, Method):
        raise InputError(f"{one_line(name)} is {one_line(value)}; it must be a Method, a function or a BlackBox.")
    return value


def _public(module):
    return ", ".join(n for n in dir(module) if not n.startswith("_")) or "none"
