"""The fingerprint of a function notices what it can reach in roundabout ways, or says that it cannot see through."""

import builtins
import dataclasses
import enum
import fractions
import functools
import gc
import importlib
import math
import operator
import os
import pathlib
import types
import weakref
from abc import ABC, abstractmethod

import numpy as np
import pytest

from polhode.kernels.fingerprint import fingerprint
from polhode.kernels.unchanged import fingerprint_now, proof


def by_attribute_of_a_function():
    def f():
        return f.k

    def set_(x):
        f.k = x

    return f, set_


def by_helper_behind_a_cache():
    k = 1.0
    helper = functools.cache(lambda: k)

    def set_(x):
        nonlocal k
        k = x
        helper.cache_clear()

    return lambda: helper(), set_


def by_attribute_of_an_array():
    class Quantity(np.ndarray):
        unit: float

    array = np.ones(2).view(Quantity)

    def set_(x):
        array.unit = x

    return lambda: array[0] * array.unit, set_


def by_metaclass():
    class Meta(type):
        value = 1.0

        @property
        def k(cls):
            return Meta.value

    class Numbers(metaclass=Meta):
        pass

    def set_(x):
        Meta.value = x

    return lambda: Numbers.k, set_


def by_what_a_pickle_leaves_out():
    class Numbers:
        def __getstate__(self):
            return {}

    numbers = Numbers()

    def set_(x):
        numbers.k = x

    return lambda: numbers.k, set_


def by_what_a_recipe_leaves_out():
    class Numbers:
        __slots__ = ("k",)

        def __reduce__(self):
            return Numbers, ()

    numbers = Numbers()

    def set_(x):
        numbers.k = x

    return lambda: numbers.k, set_


def by_object_in_a_set():
    class Numbers:
        pass

    numbers = Numbers()
    held = {numbers}

    def set_(x):
        numbers.k = x

    return lambda: next(iter(held)).k, set_


def by_abstract_base():
    class Base(ABC):
        k = 1.0

        @abstractmethod
        def value(self): ...

    class Field(Base):
        def value(self):
            return self.k

    field = Field()

    def set_(x):
        Base.k = x

    return lambda: field.value(), set_


def by_enumeration():
    class Size(enum.Enum):
        SMALL = 1.0
        LARGE = 4.0

    size = Size.SMALL

    def set_(x):
        nonlocal size
        size = Size(x)

    return lambda: size.value, set_


def by_class_of_an_array():
    class Scaled(np.ndarray):
        factor = 1.0

        def __getitem__(self, i):
            return self.factor * float(np.ndarray.__getitem__(self, i))

    array = np.ones(2).view(Scaled)

    def set_(x):
        Scaled.factor = x

    return lambda: array[0], set_


def by_attributes_of_any_name():
    class Any(type):
        value = 1.0

        def __getattr__(cls, name):
            return Any.value

    class Numbers(metaclass=Any):
        pass

    def set_(x):
        Any.value = x

    return lambda: Numbers.k, set_


def by_dataclass():
    @dataclasses.dataclass
    class Numbers:
        k: float = 1.0

    numbers = Numbers()

    def set_(x):
        numbers.k = x

    return lambda: numbers.k, set_


SEEN = {name: way for name, way in list(globals().items()) if name.startswith("by_")}


@pytest.mark.parametrize("way", SEEN)
def test_roundabout_ways_are_seen(way):
    f, set_ = SEEN[way]()
    marks = []
    for x in (1.0, 4.0, 1.0):
        set_(x)
        assert f() == x
        marks.append(fingerprint_now((f,)))
        assert marks[-1] == fingerprint((f,))
    assert not marks[0].unseen
    assert marks[0] == marks[2] != marks[1]


class _Opaque:
    def __reduce__(self):
        raise TypeError


OPAQUE = _Opaque()
MODULE = types.ModuleType("of_a_user")
MODULE.k = 1.0
VECTORIZED = np.frompyfunc(lambda x: 2 * x, 1, 1)
FILE = pathlib.Path("k")
SINE = operator.attrgetter("sin")
BLIND = {
    "a set of what cannot be seen": lambda held={OPAQUE}: held,
    "eval": lambda: eval("k"),
    "globals": lambda: globals()["k"],
    "a file": lambda: open("k"),  # noqa: SIM115  it is never called
    "a ufunc of a function": lambda: VECTORIZED(1.0),
    "an attribute of a library by its text": lambda: getattr(math, "s" + "in"),
    "an attribute of a library by a getter": lambda: SINE(math),
    "a module by its text": lambda: importlib.import_module("math").sin,
    "the environment": lambda: os.getenv("K"),
    "what a path leads to": lambda: FILE.read_text(),
    "an array in a file": lambda: np.loadtxt("k"),
    "a module as a whole": lambda: getattr(MODULE, "k"),  # noqa: B009  that is the point
}


@pytest.mark.parametrize("what", BLIND)
def test_what_is_not_seen_through_is_said(what):
    assert fingerprint_now((BLIND[what],)).unseen
    assert proof(BLIND[what]) is None


@pytest.mark.parametrize(
    "owner, name", [(np, "sin"), (math, "sin"), (np.linalg, "norm"), (np, "pi"), (builtins, "abs")]
)
def test_other_functions_put_into_libraries_are_seen(owner, name, monkeypatch):
    """What was proved is proved no more, and the fingerprint is another."""
    users = {
        "sin": lambda x: np.sin(x) + math.sin(x),
        "norm": lambda x: np.linalg.norm(x),
        "pi": lambda x: np.pi * x,
        "abs": lambda x: abs(x),
    }
    f = users[name]
    before = fingerprint_now((f,))
    assert not before.unseen and proof(f) == before
    monkeypatch.setattr(owner, name, 3.0 if name == "pi" else lambda x: 4.0 * x)
    assert proof(f) is None
    assert fingerprint_now((f,)) != before
    monkeypatch.undo()
    assert fingerprint_now((f,)) == before


def _aliased(x):
    m = math
    return m.sin(x)


def _as_a_default(x, m=math):
    return m.sin(x)


def _imported_inside(x):
    import math as m

    return m.sin(x)


def _a_function_imported_inside(x):
    from math import sin

    return sin(x)


def _handed_on(x):
    return (lambda m: m.sin(x))(math)


def _from_a_tuple(x, modules=(np, math)):
    return modules[1].sin(x)


def _from_a_set(x, modules=frozenset({math})):
    return next(m.sin(x) for m in modules)


def _of_an_object(x, holder=types.SimpleNamespace(xp=math)):  # noqa: B008  it is what is tested
    return holder.xp.sin(x)


@pytest.mark.parametrize(
    "f",
    [_aliased, _as_a_default, _imported_inside, _a_function_imported_inside, _handed_on, _from_a_tuple, _from_a_set]
    + [_of_an_object],
)
@pytest.mark.parametrize("other", [math.tan, lambda x: 4.0 * x], ids=["of C", "of Python"])
def test_a_library_held_as_a_whole_is_seen_through(f, other, monkeypatch):
    before = fingerprint_now((f,))
    assert not before.unseen and proof(f) is None
    monkeypatch.setattr(math, "sin", other)
    assert f(0.5) == other(0.5)
    assert fingerprint_now((f,)) != before
    monkeypatch.undo()
    assert fingerprint_now((f,)) == before


def test_a_method_put_into_a_class_of_a_library_is_seen(monkeypatch):
    half = fractions.Fraction(1, 2)
    f = lambda: half * 2
    before = fingerprint_now((f,))
    monkeypatch.setattr(fractions.Fraction, "__mul__", lambda self, other: 7.0)
    assert f() == 7.0 and fingerprint_now((f,)) != before
    monkeypatch.undo()
    assert fingerprint_now((f,)) == before


def test_what_a_module_finds_by_a_function_of_its_own_is_seen():
    k = 1.0
    module = types.ModuleType("finds")
    module.__getattr__ = lambda name: k
    f = lambda: module.k
    before = fingerprint_now((f,))
    assert proof(f) is None
    k = 4.0
    assert fingerprint_now((f,)) != before


def test_a_function_that_calls_itself_is_freed():
    def made():
        def falling(n):
            return 1.0 if n == 0 else n * falling(n - 1)

        fingerprint_now((falling,))
        return weakref.ref(falling)

    gone = made()
    gc.collect()
    assert gone() is None
