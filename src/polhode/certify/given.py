"""An integrator from the name a user gives on the command line."""

import importlib
import os
import sys

from polhode.errors import InputError
from polhode.solve import method as found


def integrator(name):
    """A method of the catalogue by name, or what module:attribute names."""
    if ":" not in name:
        return found(name)
    module, _, attribute = name.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # a script beside the user, as `python -m` would find it
    try:
        value = importlib.import_module(module)
    except ImportError as error:
        raise InputError(f"The module {module!r} of {name!r} cannot be imported: {error}.") from error
    for part in attribute.split("."):
        if not hasattr(value, part):
            raise InputError(f"The module {module!r} has no attribute {part!r}; it has {_public(value)}.")
        value = getattr(value, part)
    return value


def _public(module):
    return ", ".join(n for n in dir(module) if not n.startswith("_")) or "none"
