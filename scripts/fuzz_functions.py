"""Generated torques and potentials: as machine code, in lanes and interpreted they agree, or machine code refuses.

    python scripts/fuzz_functions.py --seed 1 --count 1000

Each function is made of random statements and expressions. What Problem refuses is not looked at. The others are
compiled for one body and for lanes, several in one piece of machine code, and called at some times and attitudes.
Machine code may raise (whoever runs it then asks Python); it may not return a number where Python raises, nor another
number than Python. Each function that does is printed, and a count of all at the end. The functions at work are in
--log, should the process crash.
"""

import argparse
import collections
import math
import random
import sys
import time
import warnings

import numpy as np
from numba import types

import polhode as ph
from polhode.inputs.scipy_rotation import Rotation
from polhode.machine import CannotCompile, compile
from polhode.machine.kept_code import machine_code
from polhode.machine.lanes import Lanes, block_memory
from polhode.machine.pointers import pointer

WIDTH = 4
LANES = Lanes(WIDTH)
IN_LANES = types.UniTuple(LANES, 3)(compile.F8, types.UniTuple(LANES, 9), compile.PAR)
CLOSE, NEAR = 1e-9, 1e-12


class Generator:
    """Random functions; some leave out what the complex step cannot see through, some what does not run in lanes."""

    def __init__(self, seed, kind):
        self.random, self.kind, self.names = random.Random(f"{kind} {seed}"), kind, collections.defaultdict(list)
        self.analytic = kind == "potential" and self.random.random() < 0.85
        self.plain = kind == "torque" and self.random.random() < 0.4

    def pick(self, *choices):
        """One of these; a callable is called."""
        found = self.random.choice(choices)
        return found() if callable(found) else found

    def index(self):
        """An index, rarely one that is not there."""
        return self.random.choice([0, 1, 2, 0, 1, 2, 0, 1, 2, -1, -3] + [3, -4] * (self.random.random() < 0.05))

    def constant(self):
        """A number."""
        return self.random.choice(["0.5", "2", "-1.25", "3.0", "1e-3", "0.1", "7", "-3"])

    def exponent(self):
        """An exponent."""
        return self.random.choice(["2", "3", "4", "3.0", "-1", "-2", "1", "0", "5", "0.5", "2.5"])

    def scalar(self, depth=3):
        """An expression that is a number."""
        q = lambda: f"Q[{self.index()}, {self.index()}]"
        if depth <= 0 or self.random.random() < 0.15:
            own = self.names["scalar"]
            return self.pick(q, q, q, *([lambda: "t"] if self.kind == "torque" else []), self.constant, *own)
        s, v, m = (lambda f=f: f(depth - 1) for f in (self.scalar, self.vector, self.matrix))
        smooth = ["sin", "cos", "tanh", "arctan", "exp", "square", "sinh", "cosh"]
        forms = [
            *[lambda: f"({s()} {self.pick('+', '-', '*')} {s()})"] * 6,
            lambda: f"({s()} / (3.5 + {s()}))",
            *[lambda: f"(({s()}) ** {self.exponent()})"] * 3,
            lambda: f"np.power({s()}, {self.exponent()})",
            *[lambda: f"np.{self.random.choice(smooth)}({s()})"] * 3,
            lambda: f"np.{self.pick('sqrt', 'log', 'log1p', 'expm1', 'tan', 'arcsin')}({s()})",
            lambda: f"np.dot({v()}, {v()})",
            lambda: f"({v()} @ {v()})",
            lambda: f"{v()}[{self.index()}]",
            lambda: f"{m()}[{self.index()}, {self.index()}]",
            lambda: f"np.trace({m()})",
            lambda: f"np.linalg.det({m()})",
            lambda: f"{self.pick(v, m)}.sum()",
            lambda: f"np.{self.pick('sum', 'prod', 'mean')}({v()})",
            lambda: f"sum([{s()}, {s()}, {s()}])",
            lambda: f"(-{s()})",
        ]
        if self.plain:
            return self.pick(*forms[:7], forms[9], lambda: f"{self.vector(0)}[{self.index()}]")
        if not self.analytic:
            forms += [
                *[lambda: f"({s()} if {self.condition(depth - 1)} else {s()})"] * 2,
                lambda: f"(({self.condition(depth - 1)}) * {s()})",
                lambda: f"(({self.condition(depth - 1)}) {self.pick('+', '-', '*')} ({self.condition(depth - 1)}))",
                lambda: f"{self.pick('min', 'max')}({s()}, {s()})",
                lambda: f"{self.pick('abs', 'np.abs', 'np.sign', 'np.floor', 'np.conj', 'np.real', 'np.imag')}({s()})",
                lambda: f"({s()}).{self.pick('real', 'imag')}",
                lambda: f"({s()} {self.pick('//', '%')} {s()})",
                lambda: f"np.linalg.norm({v()})",
                lambda: f"np.{self.pick('max', 'min', 'argmax', 'std')}({v()})",
                lambda: f"np.{self.pick('arctan2', 'hypot', 'maximum', 'fmod')}({s()}, {s()})",
                lambda: f"np.{self.pick('float32', 'int64')}({s()})",
                lambda: f"{self.pick('float', 'int', 'round', 'math.floor')}({s()})",
                lambda: f"{self.whole(depth - 1)}",
                lambda: f"math.{self.pick('sin', 'exp', 'sqrt', 'log', 'acos', 'tan')}({s()})",
                lambda: f"math.pow({s()}, {self.exponent()})",
                lambda: f"np.sum({self.pick(v, m)} > {s()})",
            ]
        return self.pick(*forms)

    def whole(self, depth):
        """A whole number."""
        if depth <= 0:
            return self.pick(lambda: str(self.random.randint(-4, 9)), "len(Q)", "Q.shape[1]", *self.names["whole"])
        w = lambda: self.whole(depth - 1)
        return self.pick(
            lambda: f"({w()} {self.pick('+', '-', '*', '//', '%', '<<', '&')} {w()})",
            lambda: f"(({w()}) ** {self.pick('2', '3', '20', w)})",
            lambda: f"int({self.scalar(depth - 1)})",
        )

    def vector(self, depth=2):
        """An expression that is an array of three numbers."""
        if depth <= 0 or self.random.random() < 0.2:
            own = self.names["vector"]
            return self.pick(lambda: f"Q[{self.index()}]", lambda: f"Q[:, {self.index()}]", *own)
        s, v, m = (lambda f=f: f(depth - 1) for f in (self.scalar, self.vector, self.matrix))
        forms = [
            lambda: f"np.array([{s()}, {s()}, {s()}])",
            *[lambda: f"({v()} {self.pick('+', '-', '*')} {v()})"] * 2,
            lambda: f"({s()} * {v()})",
            lambda: f"({v()} / (2.5 + {v()} ** 2))",
            *[lambda: f"({m()} @ {v()})"] * 2,
            lambda: f"np.dot({m()}, {v()})",
            *[lambda: f"np.cross({v()}, {v()})"] * 2,
            lambda: f"{v()}[::-1]",
            lambda: f"np.{self.pick('sin', 'exp', 'cos', 'square')}({v()})",
            lambda: f"({v()} ** {self.exponent()})",
            lambda: f"{m()}.sum(axis={self.pick('0', '1')})",
            lambda: f"np.sum({m()}, axis={self.pick('0', '1')})",
            lambda: f"np.diag({m()})",
            lambda: f"np.linalg.solve({m()} + 6 * np.eye(3), {v()})",
            lambda: f"{v()}.copy()",
        ]
        if not self.analytic:
            forms += [lambda: f"np.abs({v()})", lambda: f"np.where({v()} > {s()}, {v()}, {v()})"]
            forms += [lambda: f"{v()}.astype(np.{self.pick('float32', 'int64', 'complex128')})"]
        return self.pick(*forms)

    def matrix(self, depth=2):
        """An expression that is a 3x3 array."""
        if depth <= 0 or self.random.random() < 0.3:
            return self.pick("Q", "Q", "Q.T", "np.eye(3)", *self.names["matrix"])
        s, v, m = (lambda f=f: f(depth - 1) for f in (self.scalar, self.vector, self.matrix))
        return self.pick(
            lambda: f"({m()} @ {m()})",
            lambda: f"({m()} {self.pick('+', '-', '*')} {m()})",
            lambda: f"({s()} * {m()})",
            lambda: f"({m()} ** {self.exponent()})",
            lambda: f"np.outer({v()}, {v()})",
            lambda: f"np.linalg.inv({m()} + 5 * np.eye(3))",
            lambda: f"np.{self.pick('sin', 'exp')}({m()})",
            lambda: f"{m()}.T",
            lambda: f"{m()}.copy()",
        )

    def condition(self, depth):
        """An expression that is true or false."""
        s = lambda: self.scalar(depth - 1)
        return self.pick(
            *[lambda: f"{s()} {self.pick('<', '>', '<=', '!=', '==')} {s()}"] * 3,
            lambda: f"{s()} < {s()} {self.pick('and', 'or')} {s()} > 0",
            lambda: f"not {s()} > 0.25",
            *(["t > 0.6"] if self.kind == "torque" else []),
        )

    def statement(self):
        """One statement, in lines."""
        new = lambda kind: self.names[kind].append(f"{kind[0]}{len(self.names[kind])}") or self.names[kind][-1]
        i, j = self.index(), self.index()
        forms = [
            lambda: (lambda value: [f"{new('scalar')} = {value}"])(self.scalar()),
            lambda: (lambda value: [f"{new('vector')} = {value}"])(self.vector()),
            lambda: (lambda value: [f"{new('matrix')} = {value}"])(self.matrix()),
            lambda: [f"Q[{i}, {j}] = {self.scalar(1)}"],
            lambda: [f"Q {self.pick('+=', '*=', '-=')} {self.scalar(1)}"],
            lambda: (lambda value, n: [f"{n} = Q.copy()", f"{n}[{i}] *= {value}"])(self.scalar(1), new("matrix")),
            lambda: (lambda a, b, n: [f"{n} = {a}", f"{n} **= {b}"])(self.scalar(1), self.exponent(), new("scalar")),
            lambda: (lambda a, b, n: [f"{n} = 0.0", "for k in range(4):", f"    {n} += {a} * Q[k % 3, 1] - k * {b}"])(
                self.scalar(1), self.scalar(1), new("scalar")
            ),
            lambda: (lambda a, b, n: [f"{n} = [{a}, {b}]", f"{n}.append({a})", f"{n} = {n}[0] + {n}[-1]"])(
                self.scalar(1), self.scalar(1), new("scalar")
            ),
            lambda: (lambda a, n: [f"{n} = sum([x * {a} for x in (1.0, 2.0, 0.5)])"])(self.scalar(1), new("scalar")),
        ]
        if not self.analytic:
            forms += [
                lambda: [f"if {self.condition(2)}:", f"    Q[{i}, {j}] = {self.scalar(1)}"],
                lambda: [f"if {self.condition(2)}:", f"    raise {self.pick('ValueError', 'RuntimeError')}('no')"],
                lambda: (lambda a, n: [f"{n} = 1", f"for k in range({self.pick('3', '30')}):", f"    {n} *= k + {a}"])(
                    self.random.randint(-1, 3), new("whole")
                ),
                lambda: (lambda a, n: [f"{n} = {a}"])(self.whole(2), new("whole")),
                lambda: (lambda a, n: [f"{n} = Q[int(abs({a})), {j}]"])(self.scalar(1), new("scalar")),
                lambda: (lambda a, b, n: [f"{n} = {a}", f"while 1 < {n} < 1e6:", f"    {n} = {n} / 2 - 1"])(
                    self.scalar(1), 0, new("scalar")
                ),
            ]
        return self.pick(*forms)

    def source(self):
        """The text of a function f."""
        count = 0 if self.plain else self.random.choice([0, 0, 1, 1, 2, 3])
        lines = [line for _ in range(count) for line in self.statement()]
        if self.kind == "potential":
            return "\n    ".join(["def f(Q):", *lines, f"return {self.scalar()}"]) + "\n"
        three = ", ".join(self.scalar(2) for _ in range(3))
        array = lambda: self.vector(0 if self.plain else 2)
        total = f"Q.sum(axis={self.pick('0', '1')})"
        result = self.pick(f"({three})", f"({three})", f"[{three}]", f"np.array([{three}])", array, array, total)
        return "\n    ".join(["def f(t, Q):", *lines, f"return {result}"]) + "\n"


# ---- the three ways to call --------------------------------------------------------------------------


def one_body():
    """call(address, t, Q, parameters): three numbers, by machine code for one body."""
    at, read, write, address = (
        pointer(compile.TORQUE),
        block_memory.reader(9, 0, 1),
        block_memory.writer(1),
        block_memory.address,
    )

    def call(given, t, Q, parameters, out):
        write(out, 0, at(given)(t, read(Q, 0), address(parameters, 0, 0)))

    return _caller(call, "one-body")


def four_bodies():
    """The same for bodies in lanes."""
    at, read, write, address = (
        pointer(IN_LANES),
        block_memory.reader(9, 0, WIDTH),
        block_memory.writer(WIDTH),
        block_memory.address,
    )

    def call(given, t, Q, parameters, out):
        write(out, 0, at(given)(t, read(Q, 0), address(parameters, 0, 0)))

    return _caller(call, "four-bodies")


def _caller(call, name):
    numbers = types.Array(compile.F8, 3, "C")
    signature = types.void(types.int64, compile.F8, *[numbers] * 3)
    loop = machine_code(lambda: call, signature, f"fuzz-{name}")

    def values(given, t, attitudes, parameters):
        out = np.empty((1, 3, len(attitudes)))
        loop(given, t, np.ascontiguousarray(np.array(attitudes).T)[None], np.array(parameters)[None, None], out)
        return out[0].T

    return values


def python(kernel, t, attitude, parameters):
    """Three numbers, or the exception, by Python."""
    try:
        with np.errstate(all="ignore"):
            return np.array([complex(x).real for x in kernel(t, tuple(attitude), parameters)])
    except Exception as raised:
        return raised


def agree(kernel, t, attitude, parameters, got):
    """Whether machine code gave what Python gives, or both gave nothing that a run goes on with."""
    want = python(kernel, t, attitude, parameters)
    if not np.isfinite(got).all():
        return isinstance(want, Exception) or not np.isfinite(want).all()
    if isinstance(want, Exception) or not np.isfinite(want).all():
        return False
    if np.abs(got - want).max() <= CLOSE * (1 + np.abs(want).max()):
        return True
    rng = np.random.default_rng(0)  # at a jump, or where round-off is magnified?
    for _ in range(8):
        near = python(kernel, t * (1 + NEAR), attitude + NEAR * rng.normal(size=9), parameters)
        if isinstance(near, Exception) or np.abs(near - want).max() > 1e-3 * np.abs(got - want).max():
            return True
    return False


def given(seed, kind, tally):
    """(name, source, problem) of a function, or None if Problem refuses it."""
    source = Generator(seed, kind).source()
    space = {"np": np, "math": math}
    exec(source, space)
    try:
        with np.errstate(all="ignore"):
            problem = ph.Problem(inertia=(1, 2, 2.5), Q0=(0.3, -0.4, 0.9), Omega0=(1, 0, 0), **{kind: space["f"]})
    except ph.InputError:
        tally["refused by Problem"] += 1
        return None
    return f"{kind} {seed}", source, problem


def together(functions):
    """A kernel that calls one of several: the number of which is its last parameter."""
    space = {f"kernel{k}": problem.torque_kernel for k, (_, _, problem) in enumerate(functions)}
    lines = [f"    if par[15] == {k}:\n        return {name}(t, Q, par)" for k, name in enumerate(space)]
    exec("\n".join(["def torque(t, Q, par):", *lines[:-1], f"    return kernel{len(functions) - 1}(t, Q, par)"]), space)
    return space["torque"]


def compiled(functions, form):
    """(machine code, parameters, function) of those that can be compiled; what cannot is found by halving."""
    if not functions:
        return []
    try:
        machine = compile.torque(together(functions), form)
    except CannotCompile:
        half = len(functions) // 2
        return compiled(functions[:half], form) + compiled(functions[half:], form) if half else []
    numbers = [(*f[2].parameters[:15], float(k)) for k, f in enumerate(functions)]
    return [(machine, numbers[k], f) for k, f in enumerate(functions)]


def compared(call, groups, machine, parameters, problem, tally):
    """A sentence if machine code gives something else than Python, or than itself."""
    for t in (0.25, 0.75):
        for group in groups:
            try:
                got, again = (call(machine.address, t, group, parameters) for _ in range(2))
            except Exception:
                tally["calls that raised"] += 1
                continue
            if not np.array_equal(got, again, equal_nan=True):
                return f"{got} and then {again} at t = {t}"
            for attitude, value in zip(group, got):
                if not agree(problem.torque_kernel, t, attitude, parameters, value):
                    want = python(problem.torque_kernel, t, attitude, parameters)
                    return f"{value}, but Python {want!r} at t = {t}, Q = {attitude.tolist()}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=100, help="torques, and as many potentials")
    parser.add_argument("--batch", type=int, default=8, help="functions in one piece of machine code")
    parser.add_argument("--log", default="", help="a file for the functions at work")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    tally, wrong, begin = collections.Counter(), 0, time.perf_counter()
    attitudes = [Q.ravel() for Q in Rotation().random(WIDTH, rng=np.random.default_rng(options.seed)).as_matrix()]
    ways = (
        ("machine code", one_body(), compile.TORQUE, [[Q] for Q in attitudes]),
        ("lanes", four_bodies(), IN_LANES, [attitudes]),
    )
    seeds = range(options.seed, options.seed + options.count)
    found = [given(seed, kind, tally) for kind in ("torque", "potential") for seed in seeds]
    functions = [f for f in found if f]
    for i in range(0, len(functions), options.batch):
        batch = functions[i : i + options.batch]
        if options.log:
            with open(options.log, "w") as file:
                file.writelines(f"{name}\n{source}" for name, source, _ in batch)
        for way, call, form, groups in ways:
            pieces = [batch] if form is compile.TORQUE else [[f] for f in batch if "potential" not in f[0]]
            for machine, parameters, (name, source, problem) in (x for piece in pieces for x in compiled(piece, form)):
                tally[f"compiled, {way}"] += 1
                told = compared(call, groups, machine, parameters, problem, tally)
                if told:
                    wrong += 1
                    print(f"WRONG {name}: {way} gives {told}\n{source}", flush=True)
    print(f"{2 * options.count} functions, {wrong} wrong, {time.perf_counter() - begin:.0f} s: {dict(tally)}")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
