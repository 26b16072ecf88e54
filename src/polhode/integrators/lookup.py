"""The one look-up: what a user may give where a method is expected, and what it then is.

"VLV", "VLV/KL8"          a method of the catalogue by name or alias, or a composition of one
a Method                  as it is: a kernel with claims
a function                step(problem, Q, Omega, h, t) -> (Q1, Omega1), as it is
a BlackBox                as it is: it can only be run
"module:attribute"        whichever of these the module calls so; the module may lie in the current folder, and may be
                          given as a file, "file.py:attribute"
"mujoco:rk4"              another package's integrator, as a BlackBox
"TAYLOR", "RKMK54"        Taylor's method, to round-off, and Munthe-Kaas with a controller; BlackBoxes, since they
                          choose their own steps; "RKMK54(1e-8)" to a tolerance

The catalogue is imported when it is asked: it makes every method, which `import polhode` need not wait for.
"""

import functools
import importlib
import inspect
import re
from collections.abc import Callable
from typing import Any, Literal, TypeAlias, overload

from polhode.errors import InputError, checked_call, one_line
from polhode.inputs import flag, text
from polhode.integrators.method import BlackBox, Method
from polhode.integrators.users_modules import attribute, is_module_here, module_alone, modules_with

Integrator: TypeAlias = Method | BlackBox | Callable[..., Any]

PEERS = "polhode.testbench.peers"
"""Where other packages' integrators are: above this layer, so it is found by name when a user asks for one."""

OWN_STEPS = {"taylor": "polhode.runs.runners.taylor", "rkmk54": "polhode.runs.own_steps.embedded"}
"""Integrators of ours that choose their own steps, each made by the function of its name; above this layer, too."""

KERNEL = ("h", "t", "state", "body")
"""The parameters of a kernel, by which one is known that is given bare."""
STEP_ARGUMENTS = 5
"""Those of step(problem, Q, Omega, h, t)."""

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
        if isinstance(given, str) and is_module_here(given):
            raise module_alone(given.removesuffix(".py"), may_be_meant) from None
        if isinstance(given, str) and (here := modules_with(given)):
            raise InputError(
                f"There is no method {one_line(given)} in the catalogue; yours is {' or '.join(here)}."
            ) from None
        raise


def _callable(given: Any) -> Integrator:
    """A function or an object that is called as one; what cannot be meant gets a sentence."""
    if isinstance(given, type):
        raise InputError(f"{given.__name__} is a class: give an instance, {given.__name__}().")
    name = name_of(given)
    if any(map(inspect.iscoroutinefunction, (given, getattr(given, "__call__", None)))):  # noqa: B004  not whether
        raise InputError(f"{name} is defined by async def, so a call gives no state: write def.")
    if _is_kernel(given):
        raise InputError(
            f"{name} takes {', '.join(KERNEL)}: it is a kernel. Wrap it in a Method, ph.Method(name=..., step={name})."
        )
    return given


def _is_kernel(given: Any) -> bool:
    """Whether a function takes what a kernel does."""
    code = getattr(given, "__code__", None)
    return code is not None and code.co_varnames[: code.co_argcount] == KERNEL


def may_be_meant(value: Any) -> bool:
    """Whether what a module has may be an integrator: a Method, a BlackBox, or what takes the arguments of a step."""
    if isinstance(value, Method | BlackBox):
        return True
    if isinstance(value, type) or not callable(value) or _is_kernel(value):
        return False
    try:
        inspect.signature(value).bind(*range(STEP_ARGUMENTS))
    except TypeError:
        return False
    except ValueError:  # of compiled code, which does not tell
        return True
    return True


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
    if own == "<lambda>":
        return "lambda"  # which is no element of a page
    return own if isinstance(own, str) else type(given).__name__


def _from_elsewhere(name: str) -> Integrator:
    """Another package's integrator, or what a module of the user's calls so."""
    peers = importlib.import_module(PEERS)
    if name.partition(":")[0].lower() in peers.ENGINES:
        return peers.engine(name)
    value = attribute(name, may_be_meant)
    if inspect.ismodule(value):
        raise InputError(
            f"{one_line(name)} is a module, {value.__name__}; it must be a Method, a function or a BlackBox."
        )
    if not any((callable(value), isinstance(value, Method), callable(getattr(value, "step", None)))):
        raise InputError(f"{one_line(name)} is {one_line(value)}; it must be a Method, a function or a BlackBox.")
    return integrator(value)
