"""How what is made of functions travels between processes: as what made it. Machine code never does.

Pickle stores a function as its name, and a function of a module has one. A function that one of our makers returned,
such as the kernel of a user's torque or the step of a composed method, travels as its recipe: the maker, by name, and
what it was given. A lambda or a closure of the user's has neither. Its code is stored by cloudpickle and by what
is built on it (joblib, Dask, Ray); plain pickle cannot, and a sentence says so.
"""

import functools
import pickle
import sys
import types
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


def named(look_up: Callable[..., Any], things: dict[str, Any]) -> None:
    """Say that each of {name: thing} travels as look_up(name); they must stay alive."""
    _NAMED.update((id(thing), (look_up, (name,))) for name, thing in things.items())


class Travels:
    """Instances pickle as their attributes, functions as above. A copy shares everything, machine code included."""

    def __reduce_ex__(self, protocol: Any) -> str | tuple[Any, ...]:
        return _NAMED.get(id(self)) or super().__reduce_ex__(protocol)

    def __getstate__(self) -> dict[str, Any]:
        return packed(self._luggage())

    def _luggage(self) -> dict[str, Any]:
        """The attributes that travel; what is not among them is made again when it is wanted."""
        return vars(self)

    def __copy__(self: T) -> T:
        other = object.__new__(type(self))
        vars(other).update(vars(self))
        return other


def without_cached(thing: object) -> dict[str, Any]:
    """The attributes of an object but for the values of its cached properties."""
    cached = functools.cached_property
    return {k: v for k, v in vars(thing).items() if not isinstance(getattr(type(thing), k, None), cached)}


def recipe(maker: F) -> F:
    """Mark a maker of functions: what it returns, one or a tuple or dict of them, travels as the call that made it."""

    @functools.wraps(maker)
    def made(*arguments: Any, **named: Any) -> Any:
        result = maker(*arguments, **named)
        call = None
        for key, function in _functions(result):
            if function not in _RECIPES and not _has_a_name(function):
                call = call or (made, _kept(arguments), _kept(named))
                _RECIPES[function] = _Recipe(function, call, key)
        return result

    return made  # type: ignore[return-value]  # it takes what the maker takes


def made_by(function: Callable[..., Any]) -> tuple[Callable[..., Any], tuple[Any, ...]] | None:
    """The maker of a function, and what it was given; None for a function that none of our makers returned."""
    recipe_of = _RECIPES.get(function) if isinstance(function, types.FunctionType) else None
    return None if recipe_of is None or recipe_of.named else (recipe_of.maker, recipe_of.given)


def packed(value: Any) -> Any:
    """A value as it goes into a pickle: functions ready to travel, and arrays that read from a file as plain ones."""
    if isinstance(value, types.FunctionType):
        return _RECIPES.get(value) or (value if _has_a_name(value) else _Nameless(value))
    if isinstance(value, functools.partial):
        return _Partial(value)
    if type(value) is dict:
        return {k: packed(v) for k, v in value.items()}
    if type(value) in (list, tuple):
        return type(value)(packed(v) for v in value)
    if hasattr(value, "_mmap"):  # what a memory-mapped array holds, here and now, in the byte order of this machine
        return value.astype(value.dtype.newbyteorder("="), subok=False)
    return value


def picklable(exception: BaseException) -> BaseException:
    """An exception that can be pickled: itself, or one that names it if another process could not make it again."""
    try:
        pickle.loads(pickle.dumps(exception))
    except Exception:
        return RuntimeError(f"{type(exception).__name__}: {exception}")
    return exception


class _Recipe:
    """A function on its way, as the call that made it; one for each function, so that a pickle holds it once."""

    def __init__(self, function: Callable[..., Any], call: tuple[Any, ...], key: str | None) -> None:
        self._function, self._key = weakref.ref(function), key
        self.maker, self.given, self.named = call

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self.maker, packed(self.given), packed(self.named), self._key)

    def __deepcopy__(self, memo: Any) -> Any:
        return self._function()


class _Partial:
    """A partial on its way: its function may be one that needs help."""

    def __init__(self, partial: functools.partial[Any]) -> None:
        self._partial = partial

    def __reduce__(self) -> tuple[Any, ...]:
        p = self._partial
        return _partial, (packed(p.func), packed(p.args), packed(p.keywords))

    def __deepcopy__(self, memo: Any) -> Any:
        return self._partial


class _Nameless:
    """A user's lambda or closure on its way: for picklers that store the code of functions."""

    def __init__(self, function: types.FunctionType) -> None:
        self._function = function

    def __reduce__(self) -> tuple[Any, ...]:
        f = self._function
        if not _stores_code():
            raise pickle.PicklingError(
                f"{f.__qualname__!r} of {f.__module__} cannot be pickled: it is a lambda or was made inside another "
                "function, and pickle stores functions by name. Define it with def at the top of a module, or use "
                "cloudpickle, as joblib and Dask do."
            )
        return _itself, (f,)

    def __deepcopy__(self, memo: Any) -> Any:
        return self._function


def _made(maker: Any, arguments: Any, named: Any, key: Any) -> Any:
    result = maker(*arguments, **named)
    return result if key is None else result[key]


def _partial(function: Any, arguments: Any, named: Any) -> Any:
    return functools.partial(function, *arguments, **named)


def _itself(function: Any) -> Any:
    return function


_NAMED: dict[int, Any] = {}
_RECIPES: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()


def _functions(result: Any) -> Any:
    """(key, function) of what a maker returned; no key for a single function."""
    if isinstance(result, dict):
        return list(result.items())
    return list(enumerate(result)) if isinstance(result, tuple) else [(None, result)]


def _kept(value: Any) -> Any:
    """What a maker was given, safe from changes: containers and arrays are copied, all else is what it is."""
    if isinstance(value, dict):
        return {k: _kept(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return tuple(_kept(v) for v in value)
    return value.copy() if hasattr(value, "tobytes") and hasattr(value, "copy") else value


def _has_a_name(function: Callable[..., Any]) -> bool:
    """Whether pickle finds the function by its name."""
    place: Any = sys.modules.get(function.__module__ or "")
    for part in function.__qualname__.split("."):
        place = getattr(place, part, None)
    return place is function


def _stores_code() -> bool:
    """Whether the pickler at work stores the code of functions: cloudpickle, whoever has a copy of it, or dill."""
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        pickler = frame.f_locals.get("self") if "self" in frame.f_code.co_varnames else None
        if hasattr(pickler, "reducer_override"):
            return True
        own = getattr(pickler, "dispatch", {})
        usual = getattr(pickle._Pickler, "save_global")  # noqa: B009  not declared to type checkers
        if isinstance(pickler, pickle._Pickler) and own.get(types.FunctionType) is not usual:
            return True
        frame = frame.f_back
    return False
