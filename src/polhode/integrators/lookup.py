"""The one look-up: what a user may give where a method is expected, and what it then is.

"VLV", "VLV/KL8"          a method of the catalogue by name or alias, or a composition of one
a Method                  as it is: a kernel with claims
a function                step(problem, Q, Omega, h, t) -> (Q1, Omega1), as it is
a BlackBox                as it is: it can only be run
"module:attribute"        whichever of these the module calls so; the module may lie in the current folder
"mujoco:rk4"              another package's integrator, as a BlackBox
"TAYLOR", "RKMK54"        Taylor's method, to round-off, and Munthe-Kaas with a controller; BlackBoxes, since they
                          choose their own steps; "RKMK54(1e-8)" to a tolerance

The catalogue is imported when it is asked: it makes every method, which `import polhode` need not wait for.
"""

import functools
import importlib
import inspect
import os
import re
import sys
from collections.abc import Callable
from typing import Any, Literal, TypeAlias, overload

from polhode.errors import InputError, checked_call, one_line
from polhode.inputs import flag, text
from polhode.integrators.method import BlackBox, Method

Integrator: TypeAlias = Method | BlackBox | Callable[..., Any]

PEERS = "polhode.testbench.peers"
"""Where other packages' integrators are: above this layer, so it is found by name when a user asks for one."""

OWN_STEPS = {"taylor": "polhode.runs.runners.taylor", "rkmk54": "polhode.runs.own_steps.embedded"}
"""Integrators of ours that choose their own steps, each made by the function of its name; above this layer, too."""

KERNEL = ("h", "t", "state", "body")
"""The parameters of a kernel, by which one is known that is given bare."""
OURS = __name__.partition(".")[0]

_TOLERANCE = r"\d+(?:\.\d*)?(?:e[-+]?\d+)?"
OWN_NAME = re.compile(rf"({'|'.join(OWN_STEPS)})(?:\(({_TOLERANCE}(?:, *{_TOLERANCE})?)\))?")
"""How they are called: RKMK54, RKMK54(1e-08), RKMK54(1e-08, 1e-12)."""


@overload
def methods(own_steps: Literal[False] = ...) -> dict[str, Method]: ...


@overload
def methods(own_steps: bool) -> dict[str, Method | BlackBox]: ...


@checked_call
def methods(own_steps: bool = False) -> dict[str, Any]:
    """The catalogue: every method of fixed steps by its name; TAYLOR and RKMK54, which choose their own, if asked for.

    Parameters
    ----------
    own_steps : bool
        True adds the integrators that choose their own steps, made by `taylor` and `rkmk54`. They claim no order.

    Returns
    -------
    dict of Method
        By name, family after family.

    Examples
    --------
    >>> import polhode as ph
    >>> "VLV" in ph.methods(), [name for name in ph.methods(own_steps=True) if name not in ph.methods()]
    (True, ['TAYLOR', 'RKMK54'])
    """
    from polhode.integrators import catalogue

    return catalogue.methods() | (by_own_steps() if flag("own_steps", own_steps) else {})


def by_own_steps() -> dict[str, BlackBox]:
    """The integrators of OWN_STEPS by name, each to the tolerance that it has when none is given."""
    made: list[Any] = [integrator(name) for name in OWN_STEPS]
    return {m.name: m for m in made}


@checked_call
def method(name: object) -> Method:
    """Look a method up by name or alias, case-blind; "VLV/KL8" is a composition. A Method is returned as it is.

    Parameters
    ----------
    name : str or Method
        Name, alias or title.

    Returns
    -------
    Method
        The method.

    Raises
    ------
    InputError
        No such method; near names are offered.

    Examples
    --------
    >>> import polhode as ph
    >>> ph.method("velocity Lie-Verlet").name
    'VLV'
    """
    from polhode.integrators import catalogue

    return catalogue.method(name)


@functools.lru_cache(maxsize=1024)
def listed(name: str) -> Method | None:
    """The method of the catalogue that has this name or alias, if there is one."""
    from polhode.integrators import catalogue

    return catalogue.listed(name)


def integrator(given: object) -> Integrator:
    """The Method, function or BlackBox that is meant; see the top of this file."""
    if isinstance(given, Method | BlackBox):
        return given
    if callable(given):
        return _callable(given)
    if isinstance(given, str) and (found := listed(given)) is not None:
        return found
    if isinstance(given, str) and ":" in given:
        return _from_elsewhere(text("method", given))
    if isinstance(given, str) and (match := OWN_NAME.fullmatch(given.lower())):
        maker = getattr(importlib.import_module(OWN_STEPS[match[1]]), match[1])
        return maker(*(float(x) for x in (match[2] or "").split(",") if x))
    if callable(getattr(given, "step", None)):
        kind = type(given).__name__
        raise InputError(
            f"method is {one_line(given)}, which cannot be called: did you mean the step of it, {kind}.step?"
        )
    try:
        return method(given)
    except InputError:
        if isinstance(given, str) and _is_module_here(given):
            raise _module_alone(given.removesuffix(".py")) from None
        raise


def _callable(given: Any) -> Integrator:
    """A function or an object that is called as one; what cannot be meant gets a sentence."""
    if isinstance(given, type):
        raise InputError(f"{given.__name__} is a class: give an instance, {given.__name__}().")
    code = getattr(given, "__code__", None)
    if code is not None and code.co_varnames[: code.co_argcount] == KERNEL:
        name = name_of(given)
        raise InputError(
            f"{name} takes {', '.join(KERNEL)}: it is a kernel. Wrap it in a Method, ph.Method(name=..., step={name})."
        )
    return given


def name_of(given: Integrator) -> str:
    """What an integrator is called in tables and sentences: by its own name, or by that of its type."""
    if isinstance(given, Method | BlackBox):
        return given.name
    if isinstance(given, functools.partial):
        return name_of(given.func)
    if inspect.ismethod(given):
        owner = given.__self__
        return f"{(owner if isinstance(owner, type) else type(owner)).__name__}.{given.__name__}"
    own = getattr(given, "__name__", None)
    return own if isinstance(own, str) else type(given).__name__


def _from_elsewhere(name: str) -> Integrator:
    """Another package's integrator, or what a module of the user's calls so."""
    peers = importlib.import_module(PEERS)
    if name.partition(":")[0].lower() in peers.ENGINES:
        return peers.engine(name)
    value = attribute(name)
    if not any((callable(value), isinstance(value, Method), callable(getattr(value, "step", None)))):
        raise InputError(f"{one_line(name)} is {one_line(value)}; it must be a Method, a function or a BlackBox.")
    return integrator(value)


def attribute(name: str) -> Any:
    """What a module of the user's calls so: "module:attribute"; the module may lie in the current folder."""
    module, _, path = name.partition(":")
    try:
        value: Any = _module(module)
    except Exception as error:  # a name that is none, or whatever the module raises
        raise InputError(f"The module {one_line(module)} of {one_line(name)} cannot be imported: {error}.") from error
    for part in path.split("."):
        if not hasattr(value, part):
            raise InputError(f"The module {module!r} has no attribute {one_line(part)}; it has {_own(value)}.")
        value = getattr(value, part)
    return value


def _module(name: str) -> Any:
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # a script beside the user, as `python -m` would find it
    return importlib.import_module(name)


def _is_module_here(name: str) -> bool:
    """Whether this is the name of a module in the current folder, or of its file."""
    name = name.removesuffix(".py")
    return name.isidentifier() and (os.path.isfile(f"{name}.py") or os.path.isfile(os.path.join(name, "__init__.py")))


def _module_alone(name: str) -> InputError:
    """The error for a module that is given without the name of what is in it."""
    try:
        has = f"it has {_own(_module(name))}"
    except Exception as error:  # whatever the module raises
        has = f"it cannot be imported: {error}"
    return InputError(f"{name} is a module: give {name}:NAME; {has}.")


def _own(module: Any) -> str:
    """What a module, or a class in it, defines itself that may be meant: callables, and objects of ours; not what it
    imports, nor its numbers."""
    name = getattr(module, "__name__" if inspect.ismodule(module) else "__module__", "")
    names = [key for key in vars(module) if not key.startswith("_") and _is_own(getattr(module, key), name)]
    return ", ".join(names) or "none"


def _is_own(value: Any, module: str) -> bool:
    if inspect.ismodule(value):
        return False
    is_ours = type(value).__module__.partition(".")[0] == OURS or isinstance(value, functools.partial)
    return is_ours or (callable(value) and getattr(value, "__module__", None) == module)
