"""The fingerprint of a function notices what it can reach in roundabout ways, or says that it cannot see through."""

import builtins
import enum
import functools
import gc
import math
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
BLIND = {
    "a set of what cannot be seen": lambda held={OPAQUE}: held,
    "eval": lambda: eval("k"),
    "globals": lambda: globals()["k"],
    "a file": lambda: open("k"),  # noqa: SIM115  it is never called
    "a ufunc of a function": lambda: VECTORIZED(1.0),
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
