"""What is rewritten here: functions that decide in every way there is, and integrators that remember."""

import collections
import ctypes
import functools
import itertools
import random
import subprocess
from typing import ClassVar

import numba
import numpy as np

from tests.testbench.certificate.adversary.steps import verlet

CALLS = itertools.count()
DRAWN = random.Random(7)
SEEN = []
RING = collections.deque(maxlen=3)
TABLE = {"calls": [0]}


def decides(x, y):
    """One way of each kind."""
    found = []
    if x < 1 or y > 5:
        found.append("near")
    if 0 < x < y and not abs(y - 3) < 0.5:
        found.append("chain")
    found.append("small" if abs(x) <= 0.01 else "large")
    while x > 10:
        x = x / 2
    found += [z for z in (1, 2, 3) if z >= y]
    match found:
        case ["near", *_] if y != 4:
            found.append("matched")
    found.append(float(np.where(np.array([x, y]) > 2, 1.0, 0.0).sum()))
    return found, max(x, y), np.clip(x, -1, 1)


def counts(p, Q, Omega, h, t):
    """Verlet, with a count, a random number and a list that others may look at."""
    next(CALLS), SEEN.append(DRAWN.random())
    if t > 1e6:
        raise ValueError("too late")
    return verlet(p, Q, Omega, h, t)


class Remembers:
    """Verlet; whether it was called is in its own list."""

    def __init__(self):
        self.calls, self.step = [], functools.partial(verlet)

    def is_first(self):
        return len(self.calls) == 0

    def __call__(self, p, Q, Omega, h, t):
        if self.is_first():
            self.calls.append(t)
        return self.step(p, Q, Omega, h, t)


def from_a_generator():
    """Verlet, in what is under way: its text is read no more."""

    def steps():
        found = None
        while True:
            found = verlet(*(yield found))

    inner = steps()
    next(inner)
    return lambda *state: inner.send(state)


class Keeps:
    """Verlet; what it was called with is kept wherever Python keeps things."""

    __slots__ = ("__own", "past")
    shared: ClassVar = []

    def __init__(self):
        self.past, self.__own = [], ([],)

    @property
    def own(self):
        return self.__own[0]

    def __call__(self, p, Q, Omega, h, t):
        for kept in (self.past, self.own, self.shared, RING):
            kept.append(t)
        TABLE["calls"][0] += 1
        return verlet(p, Q, Omega, -abs(h) if h < 0 else h, t)


class Above:
    """Verlet, which counts its calls in its class, and in what only Python knows."""

    calls = 0

    def __call__(self, p, Q, Omega, h, t, *, seen=[]):  # noqa: B006  # that it is shared is what is looked at
        seen.append(t)
        Above.calls += 1
        return (Q, Omega) if abs(h) < 1e-12 else verlet(p, Q, Omega, h, t)

    @classmethod
    def defaults(cls):
        return tuple(Above.__call__.__kwdefaults__["seen"])


class Below(Above):
    """The same below it, with a random number that everybody draws from."""

    def __call__(self, *state):
        random.random()
        return super().__call__(*state)


class Logs:
    """Verlet, beside a file or a connection."""

    def __init__(self, file):
        self.file = file

    def __call__(self, p, Q, Omega, h, t):
        return verlet(p, Q, Omega, h, t) if t < 1e6 else (Q, Omega)


def counts_in(table):
    """Verlet, which counts its calls where others may read it."""

    def step(p, Q, Omega, h, t):
        table[0] += 1
        return verlet(p, Q, Omega, h, t) if t < 1e6 else (Q, Omega)

    return step


def writes(path):
    """Verlet, which writes to a file."""

    def step(p, Q, Omega, h, t):
        with open(path, "a") as file:
            file.write(f"{t}\n")
        return verlet(p, Q, Omega, h, t) if t < 1e6 else (Q, Omega)

    return step


def asks_a_program(p, Q, Omega, h, t):
    """Verlet by another program."""
    subprocess.run(["true"], check=True)
    return verlet(p, Q, Omega, h, t) if t < 1e6 else (Q, Omega)


def asks(connection):
    """Verlet by a connection."""

    def step(p, Q, Omega, h, t):
        connection.send(b"x")
        return verlet(p, Q, Omega, h, t) if t < 1e6 else (Q, Omega)

    return step


@numba.njit
def compiled_part(x):
    return 2.0 * x if x > 0.2 else x + x


def by_numba(x):
    """A function that calls one that Numba has compiled."""
    return compiled_part(x)


@functools.lru_cache
def doubled(x):
    """A function with a cache."""
    return 2 * x if x > 0 else x + x


def by_a_cache(p, Q, Omega, h, t):
    """Verlet, whose time goes through that cache."""
    return verlet(p, Q, Omega, h, doubled(t) / 2)


ABSOLUTE = ctypes.CDLL(None).abs


def by_a_library(p, Q, Omega, h, t):
    """Verlet, beside a function of a compiled library, which cannot be copied and need not be."""
    return verlet(p, Q, Omega, h if ABSOLUTE(-1) == 1 else -h, t)


def exits_when_large(p, Q, Omega, h, t):
    """Verlet, which ends the program where a step is large."""
    if abs(h) > 2.5:
        raise SystemExit("h is too large")
    return verlet(p, Q, Omega, h, t)


def refuses_large(p, Q, Omega, h, t):
    """Verlet with small steps."""
    if abs(h) > 0.12:
        raise ValueError("h is too large")
    return verlet(p, Q, Omega, h, t)


def crashes_when_large(p, Q, Omega, h, t):
    """Verlet, which crashes where a step is large."""
    if abs(h) > 2.5:
        ctypes.string_at(0)
    return verlet(p, Q, Omega, h, t)


def passes_by(p, Q, Omega, h, t):
    """Verlet, wrong where it does nothing."""
    kick = 1e-3
    if 0.3 < np.real(Q[0][0]) < 0.33 and 0.1 < np.real(Q[1][1]) < 0.13:
        pass
    else:
        kick = 0.0
    return verlet(p, Q, Omega + kick, h, t)


def breaks_off(p, Q, Omega, h, t):
    """The same where it leaves a loop."""
    kick = 1e-3
    for _ in (1,):
        if 0.3 < np.real(Q[0][0]) < 0.33 and 0.1 < np.real(Q[1][1]) < 0.13:
            break
        kick = 0.0
    return verlet(p, Q, Omega + kick, h, t)


def catches(p, Q, Omega, h, t):
    """The same where it catches what it has raised."""
    try:
        if 0.3 < np.real(Q[0][0]) < 0.33 and 0.1 < np.real(Q[1][1]) < 0.13:
            raise ValueError
        return verlet(p, Q, Omega, h, t)
    except ValueError:
        return verlet(p, Q, Omega + 1e-3, h, t)


def by_its_angle(p, Q, Omega, h, t):
    """Verlet, which asks whether the body is nearly at the identity, where some potentials have a tip."""
    v = np.array([Q[2][1] - Q[1][2], Q[0][2] - Q[2][0], Q[1][0] - Q[0][1]]) / 2
    axis = v / np.sqrt(v @ v) if abs(v @ v) > 0.3 else v
    return verlet(p, Q, Omega + 0 * axis, h, t)


def hangs_when_large(p, Q, Omega, h, t):
    """Verlet, which never returns where a step is large."""
    while abs(h) > 2.5:
        pass
    return verlet(p, Q, Omega, h, t)
