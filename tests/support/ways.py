"""Every way Python has of changing a constant that a torque uses: each is a torque and a function that sets it.

The torque is always k (Q[2, 1], -Q[2, 0], 0), with k wherever the way puts it.
"""

import functools
import sys
import textwrap
import types
from typing import NamedTuple

import numba
import numpy as np

k = 1.0
flag = "weak"
array = np.array([1.0, 0.0])
wide = np.zeros((1, 8))
pair = (1.0, 2.0)
nested = (np.zeros(2000), 1.0)
listed = [1.0]
named = {"k": 1.0}
scalar = np.float64(1.0)


def at(Q, k):
    return k * Q[2, 1], -k * Q[2, 0], 0.0


# ---- names of the module ---------------------------------------------------------------------------------


def by_global():
    def set_(x):
        global k
        k = x

    return lambda t, Q: (k * Q[2, 1], -k * Q[2, 0], 0.0), set_


def by_text():
    def set_(x):
        global flag
        flag = "strong" if x > 2 else "weak"

    def torque(t, Q):
        f = 4.0 if flag == "strong" else 1.0
        return f * Q[2, 1], -f * Q[2, 0], 0.0

    return torque, set_


def by_array_in_place():
    def set_(x):
        array[0] = x

    return lambda t, Q: (array[0] * Q[2, 1], -array[0] * Q[2, 0], 0.0), set_


def by_shape_of_an_array():  # the same bytes
    def set_(x):
        global wide
        wide = np.zeros((4, 2)) if x > 2 else np.zeros((1, 8))

    return lambda t, Q: (wide.shape[0] * Q[2, 1], -wide.shape[0] * Q[2, 0], 0.0), set_


def by_dtype_of_an_array():  # the same bytes
    bits = np.array([1.0])

    def set_(x):
        nonlocal bits
        number = np.array([x])
        bits = number if x > 2 else np.array([4.0]).view(np.int64)

    def torque(t, Q):
        f = 4.0 if bits[0] < 1000 else 1.0
        return f * Q[2, 1], -f * Q[2, 0], 0.0

    return torque, set_


def by_tuple():
    def set_(x):
        global pair
        pair = (x, 2.0)

    return lambda t, Q: (pair[0] * Q[2, 1], -pair[0] * Q[2, 0], 0.0), set_


def by_array_in_a_tuple():  # whose repr is shortened
    def set_(x):
        nested[0][1000] = x - 1

    def torque(t, Q):
        f = nested[0][1000] + nested[1]
        return f * Q[2, 1], -f * Q[2, 0], 0.0

    return torque, set_


def by_list_in_place():
    def set_(x):
        listed[0] = x

    return lambda t, Q: (listed[0] * Q[2, 1], -listed[0] * Q[2, 0], 0.0), set_


def by_dictionary():
    def set_(x):
        named["k"] = x

    return lambda t, Q: (named["k"] * Q[2, 1], -named["k"] * Q[2, 0], 0.0), set_


def by_numpy_scalar():
    def set_(x):
        global scalar
        scalar = np.float64(x)

    return lambda t, Q: (scalar * Q[2, 1], -scalar * Q[2, 0], 0.0), set_


# ---- arguments and cells ---------------------------------------------------------------------------------


def by_default():
    def torque(t, Q, k=1.0):
        return k * Q[2, 1], -k * Q[2, 0], 0.0

    def set_(x):
        torque.__defaults__ = (x,)

    return torque, set_


def by_keyword_default():
    def torque(t, Q, *, k=1.0):
        return k * Q[2, 1], -k * Q[2, 0], 0.0

    def set_(x):
        torque.__kwdefaults__["k"] = x

    return torque, set_


def by_array_as_default():
    numbers = np.array([1.0])

    def torque(t, Q, numbers=numbers):
        return numbers[0] * Q[2, 1], -numbers[0] * Q[2, 0], 0.0

    def set_(x):
        numbers[0] = x

    return torque, set_


def by_cell():
    k = 1.0

    def set_(x):
        nonlocal k
        k = x

    return lambda t, Q: (k * Q[2, 1], -k * Q[2, 0], 0.0), set_


def by_code():
    def torque(t, Q):
        return 1.0 * Q[2, 1], -1.0 * Q[2, 0], 0.0

    def strong(t, Q):
        return 4.0 * Q[2, 1], -4.0 * Q[2, 0], 0.0

    weak = torque.__code__

    def set_(x):
        torque.__code__ = strong.__code__ if x > 2 else weak

    return torque, set_


def by_partial():
    torque = functools.partial(lambda k, t, Q: at(Q, k[0]), [1.0])

    def set_(x):
        torque.args[0][0] = x

    return torque, set_


# ---- objects and classes ---------------------------------------------------------------------------------


def by_class_attribute():
    class Numbers:
        k = 1.0

    def set_(x):
        Numbers.k = x

    return lambda t, Q: (Numbers.k * Q[2, 1], -Numbers.k * Q[2, 0], 0.0), set_


def by_object_of_a_method():
    class Field:
        k = 1.0

        def torque(self, t, Q):
            return at(Q, self.k)

    field = Field()

    def set_(x):
        field.k = x

    return field.torque, set_


def by_object_that_is_called():
    class Field:
        def __init__(self):
            self.k = 1.0

        def __call__(self, t, Q):
            return at(Q, self.k)

    field = Field()

    def set_(x):
        field.k = x

    return field, set_


def by_slot():
    class Field:
        __slots__ = ("k",)

        def torque(self, t, Q):
            return at(Q, self.k)

    field = Field()
    field.k = 1.0

    def set_(x):
        field.k = x

    return field.torque, set_


def by_named_tuple():
    class Numbers(NamedTuple):
        k: float

    numbers = Numbers(1.0)

    def set_(x):
        nonlocal numbers
        numbers = Numbers(x)

    return lambda t, Q: (numbers.k * Q[2, 1], -numbers.k * Q[2, 0], 0.0), set_


# ---- helpers ---------------------------------------------------------------------------------------------


def by_global_of_a_helper():
    space = {"k": 1.0}
    exec("def helper(x):\n    return k * x", space)
    helper = space["helper"]

    def set_(x):
        space["k"] = x

    return lambda t, Q: (helper(Q[2, 1]), -helper(Q[2, 0]), 0.0), set_


def by_default_of_a_helper():
    def helper(x, k=1.0):
        return k * x

    def set_(x):
        helper.__defaults__ = (x,)

    return lambda t, Q: (helper(Q[2, 1]), -helper(Q[2, 0]), 0.0), set_


def by_another_helper():
    helper = lambda x: 1.0 * x

    def set_(x):
        nonlocal helper
        helper = (lambda x: 4.0 * x) if x > 2 else (lambda x: 1.0 * x)

    return lambda t, Q: (helper(Q[2, 1]), -helper(Q[2, 0]), 0.0), set_


def by_a_helper_of_a_helper():
    k = 1.0
    inner = lambda x: k * x
    helper = lambda x: inner(x)

    def set_(x):
        nonlocal k
        k = x

    return lambda t, Q: (helper(Q[2, 1]), -helper(Q[2, 0]), 0.0), set_


def by_global_of_a_jitted_helper():
    space = {"k": 1.0, "numba": numba}
    exec("@numba.njit\ndef helper(x):\n    return k * x", space)
    helper = space["helper"]

    def set_(x):
        space["k"] = x

    return lambda t, Q: (helper(Q[2, 1]), -helper(Q[2, 0]), 0.0), set_


def by_another_jitted_helper():
    helper = numba.njit(lambda x: 1.0 * x)

    def set_(x):
        nonlocal helper
        helper = numba.njit(lambda x: 4.0 * x) if x > 2 else numba.njit(lambda x: 1.0 * x)

    return lambda t, Q: (helper(Q[2, 1]), -helper(Q[2, 0]), 0.0), set_


# ---- modules ---------------------------------------------------------------------------------------------


def module(name, source="k = 1.0"):
    made = types.ModuleType(name)
    exec(textwrap.dedent(source), made.__dict__)
    sys.modules[name] = made
    return made


def by_attribute_of_a_module():
    m = module("way_a")

    def set_(x):
        m.k = x

    return lambda t, Q: (m.k * Q[2, 1], -m.k * Q[2, 0], 0.0), set_


def by_attribute_of_a_module_in_a_module():
    m = module("way_b")
    m.part = module("way_b.part")

    def set_(x):
        m.part.k = x

    return lambda t, Q: (m.part.k * Q[2, 1], -m.part.k * Q[2, 0], 0.0), set_


def by_helper_in_a_module():
    m = module("way_c", "def helper(x):\n    return 1.0 * x")

    def set_(x):
        exec(f"def helper(x):\n    return {x} * x", m.__dict__)

    return lambda t, Q: (m.helper(Q[2, 1]), -m.helper(Q[2, 0]), 0.0), set_


def by_jitted_helper_in_a_module():
    m = module("way_d", "import numba\n@numba.njit\ndef helper(x):\n    return 1.0 * x")

    def set_(x):
        exec(f"@numba.njit\ndef helper(x):\n    return {x} * x", m.__dict__)

    return lambda t, Q: (m.helper(Q[2, 1]), -m.helper(Q[2, 0]), 0.0), set_


def by_module_imported_inside():
    m = module("way_e")

    def torque(t, Q):
        import way_e

        return at(Q, way_e.k)

    def set_(x):
        m.k = x

    return torque, set_


def by_wrapped_function():
    k = 1.0

    def plain(t, Q):
        return at(Q, k)

    @functools.wraps(plain)
    def torque(*args, **named):
        return plain(*args, **named)

    def set_(x):
        nonlocal k
        k = x

    return torque, set_


WAYS = {name: way for name, way in list(globals().items()) if name.startswith("by_")}
