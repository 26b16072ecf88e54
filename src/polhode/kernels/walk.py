"""The walk over all that functions reach, for their fingerprint (``fingerprint.py``): each kind of value in its way."""

import decimal
import fractions
import functools
import hashlib
import pathlib
import sys
import types
import weakref
from collections.abc import Iterable
from typing import Any

from polhode.kernels.known_by_name import code_digest, house, is_of_the_house, is_ours, name_of
from polhode.kernels.references import (
    builtins_of,
    is_array,
    is_jitted,
    is_library,
    is_library_name,
    is_librarys_ufunc,
    is_numbas,
    paths,
    references,
)
from polhode.kernels.roundabout import (
    ABSENT,
    BY_TEXT,
    READING_METHODS,
    imported,
    names_in,
    part_of,
    put_into,
    reads,
)
from polhode.pickling import Travels

ATOMS = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis), fractions.Fraction, decimal.Decimal)

IN_C = "a function of C, known by its address alone"
"""The entry of `unseen` for a torque from C. Within one process its digest, which holds the address, identifies it."""

UNTOLD = {"__dict__", "__weakref__", "__module__", "__doc__", "__firstlineno__", "__slotnames__", "_abc_impl"}
"""Attributes of a class that do not change what it does; the last two are notes of pickle and of ABC."""

PICKLING = ("__reduce__", "__reduce_ex__", "__getstate__")

BLIND = frozenset({"eval", "exec", "globals", "locals", "vars", "open", "input", "__import__"})
"""Builtins that reach what the code of a function does not name."""

_STATIC: "weakref.WeakKeyDictionary[types.FunctionType, bytes | None]" = weakref.WeakKeyDictionary()
"""Digests of functions of this package that reach nothing of the user's, and None for those that do."""

_NOT_WALKED: Any = object()


def static_digest(f: types.FunctionType) -> bytes | None:
    """The digest of a function of this package that reaches nothing of the user's; None for any other."""
    if not is_ours(f):
        return None
    digest = _STATIC.get(f, _NOT_WALKED)
    if digest is _NOT_WALKED:
        _STATIC[f] = digest = None  # while it is being walked: one that calls itself is not static by this reading
        walk = Walk()
        walk.add_function(f)
        walk.finish()
        if not walk.unseen and not walk.changeable:
            _STATIC[f] = digest = walk.hash.digest()
    return digest


class Walk:
    """A hash that grows as values are added; each object is walked once, and referred to by number afterwards."""

    def __init__(self) -> None:
        self.hash = hashlib.blake2b(digest_size=32)
        self.unseen: list[str] = []
        self.changeable = False  # whether anything was met that can change while the program runs
        self._met: dict[int, int] = {}
        self._kept: list[Any] = []  # so that no number of an object is used again while we walk
        self._whole: dict[int, types.ModuleType] = {}  # modules of libraries that were met as a whole
        self._paths: list[pathlib.Path] = []
        self._names: set[str] = set()  # of every code met: what may be taken of such a module, or done with a path

    def add(self, value: Any) -> None:
        """Add one value with all that it is made of."""
        kind = type(value)
        if kind in ATOMS:
            self._say(kind.__name__, repr(value))
            if kind is fractions.Fraction:
                self._add_what_was_put_into(kind)
        elif id(value) in self._met:
            self._say("again", str(self._met[id(value)]))
        else:
            self._met[id(value)] = len(self._met)
            self._kept.append(value)
            self._add_new(value, kind)

    def _add_new(self, value: Any, kind: type) -> None:
        if kind in (tuple, list):
            self._say(kind.__name__, str(len(value)))
            self._each(value, mutable=kind is list)
        elif kind in (dict, types.MappingProxyType):
            self._say(kind.__name__, str(len(value)))
            self._each([x for pair in value.items() for x in pair], mutable=True)
        elif kind in (set, frozenset):
            self._add_set(value, kind)
        elif is_array(value):
            self._add_array(value)
        elif is_jitted(value):  # compiled by Numba: the source, and how it was asked to compile it
            self._say("jitted", repr(sorted(getattr(value, "targetoptions", {}).items(), key=str)))
            self.add(value.py_func)
        elif is_numbas(value) and isinstance(
            defined := getattr(value, "_defn", None), types.FunctionType
        ):  # an intrinsic
            self._say("intrinsic", name_of(defined))
            if not is_ours(defined):
                self.add(defined)
        elif isinstance(value, types.FunctionType):
            if is_library(value):
                self._add_librarys(value)
            elif is_of_the_house(value):
                self._say("of the house", f"{name_of(value)} {house()}")
            elif (digest := static_digest(value)) is not None:
                self.hash.update(digest)
            else:
                self.add_function(value)
        elif hasattr(value, "cache_info") and is_ours(value):  # of functools.cache: what it would give without it
            self.add(value.__wrapped__)
        elif isinstance(value, types.MethodType):
            self._say("method", "")
            self._each((value.__func__, value.__self__), mutable=True)
        elif isinstance(value, functools.partial):
            self._say("partial", "")
            self._each((value.func, value.args, value.keywords), mutable=True)
        elif isinstance(value, types.ModuleType):
            self._add_module(value)
        elif isinstance(value, type):
            self._add_class(value)
        elif isinstance(value, (types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)):
            self._add_librarys(value)
            owner = getattr(value, "__self__", None)
            if owner is not None and not isinstance(owner, (types.ModuleType, type)):
                self.add(owner)
        elif kind.__name__ == "ufunc":
            self._say("ufunc", value.__name__)
            if not is_librarys_ufunc(value):  # of np.frompyfunc: what it calls is not to be seen
                self.unseen.append(f"the ufunc {value.__name__}")
        elif isinstance(value, (property, classmethod, staticmethod, functools.cached_property)):
            self._say(kind.__name__, "")
            inner = [getattr(value, x, None) for x in ("fget", "fset", "__func__", "func")]
            self._each([x for x in inner if x is not None], mutable=isinstance(value, functools.cached_property))
        else:
            self._add_object(value, kind)

    def add_function(self, f: types.FunctionType) -> None:
        """Add the code of a function and what it takes from outside."""
        self.changeable = self.changeable or not is_ours(f)
        self._say("function", "")
        self.hash.update(code_digest(f.__code__))
        if not is_ours(f):
            self._names |= names_in(f.__code__)
        if hasattr(f, "in_c"):
            self._say("in C", repr(f.in_c))
            self.unseen.append(IN_C)
            return
        for path, value in references(f):
            self._say("takes", ".".join(path))
            if path[0] in BLIND and value is builtins_of(f).get(path[0]):
                self.unseen.append(f"what {path[0]} finds in {f.__qualname__}")
            else:
                self.add(value)
        if is_ours(f):
            return
        if vars(f):
            self._say("attributes", "")
            self.add(vars(f))
        for name, *_ in paths(f.__code__):
            if name.startswith("import "):
                self._add_import(name[7:], f.__qualname__)

    def _add_import(self, name: str, where: str) -> None:
        module = imported(name) if is_library_name(name.split(".")[0]) else None
        if module is not None:
            self.add(sys.modules[name.split(".")[0]])
            self.add(module)
        else:
            self.unseen.append(f"the module {name}, imported inside {where}")

    def _add_set(self, value: Any, kind: type) -> None:
        parts = []
        for x in value:
            walk = Walk()
            walk.add(x)
            parts.append(walk)
        parts.sort(key=lambda walk: walk.hash.digest())
        self._say(kind.__name__, repr([walk.hash.hexdigest() for walk in parts]))
        self.changeable = True
        for walk in parts:
            self.unseen += walk.unseen
            self._whole |= walk._whole
            self._paths += walk._paths
            self._names |= walk._names

    def _add_librarys(self, function: Any) -> None:
        """A function of a library's, or one of C: known by its name."""
        self._say("library", name_of(function))
        if reads(function):
            self.unseen.append(f"what {name_of(function)} finds")

    def _add_array(self, value: Any) -> None:
        kind = type(value)
        self._say("array", f"{kind.__name__} {value.dtype.descr} {value.shape} {value.flags.fnc}")
        if not is_library(kind):
            self.add(kind)
        if getattr(value, "__dict__", None):  # of a subclass: a unit, a mask
            self.add(vars(value))
        if value.dtype.hasobject:
            self._each(value.ravel().tolist(), mutable=True)
        else:
            self.hash.update(value.tobytes())
        self.changeable = self.changeable or bool(value.shape)

    def _add_module(self, value: types.ModuleType) -> None:
        self._say("module", value.__name__)
        if is_library(value):
            self._whole[id(value)] = value
        else:
            self.unseen.append(f"the module {value.__name__}, taken as a whole")

    def finish(self) -> None:
        """Add what the names in all codes mean in each module that was met as a whole, until nothing new is met."""
        looked: set[tuple[int, str]] = set()
        while todo := [(i, x) for i in self._whole for x in sorted(self._names) if (i, x) not in looked]:
            looked.update(todo)
            for i, name in todo:
                value = part_of(self._whole[i], name)
                if value is not ABSENT:
                    self._say("of a module", f"{self._whole[i].__name__} {name}")
                    self.add(value)
        by_text = sorted(self._names & BY_TEXT)
        if by_text:
            self.unseen += [f"what {by_text[0]} finds in the module {x.__name__}" for x in self._whole.values()]
        if self._names & READING_METHODS:
            self.unseen += [f"what is found at {path}" for path in self._paths]

    def _add_class(self, value: type) -> None:
        self._say("class", name_of(value))
        if is_library(value):
            return self._add_what_was_put_into(value)
        if is_of_the_house(value):
            return self._say("of the house", house())
        self.changeable = self.changeable or not is_ours(value)
        self._each((type(value), *value.__bases__), mutable=False)
        for name, part in sorted(vars(value).items()):
            if name not in UNTOLD and not isinstance(part, (types.GetSetDescriptorType, types.MemberDescriptorType)):
                self._say("attribute", name)
                self.add(part)

    def _add_what_was_put_into(self, kind: type) -> None:
        for name, function in put_into(kind):
            self._say("put into", f"{name_of(kind)} {name}")
            self.add(function)

    def _add_object(self, value: Any, kind: type) -> None:
        """Any other object counts as what pickle makes it of; one of ours, as what it gives to other processes."""
        self.changeable = True
        self._names.add(kind.__name__)  # an attrgetter names what it takes in no code
        if isinstance(value, pathlib.Path):
            self._paths.append(value)
        if isinstance(value, Travels):  # a method, a problem: pickled by name it would lead to the whole catalogue
            self._say("ours", name_of(kind))
            self._each([x for pair in vars(value).items() if not pair[0].startswith("_") for x in pair], mutable=True)
            return
        try:
            parts = value.__reduce_ex__(4)
        except Exception:  # whatever an object does when asked: it cannot be seen through
            self.unseen.append(f"a {kind.__module__}.{kind.__qualname__}")
            return
        self._say("object", name_of(kind))
        if isinstance(parts, str):
            self._say("global", parts)
            self._each([getattr(value, "__wrapped__", None)], mutable=True)  # of functools.cache
            return
        self._each([list(x) if i > 2 and x is not None else x for i, x in enumerate(parts)], mutable=True)
        if any(getattr(kind, x) is not getattr(object, x) for x in PICKLING) and not is_library(kind):
            self.add(object.__getstate__(value))  # what the user's own way of pickling may leave out

    def _each(self, values: Iterable[Any], mutable: bool) -> None:
        self.changeable = self.changeable or mutable
        for x in values:
            self.add(x)

    def _say(self, kind: str, text: str) -> None:
        self.hash.update(f"{kind}:{len(text)}:{text};".encode())
