"""Users' functions as straight lines of arithmetic, and a potential's torque as another, for the compiler.

A function that is called with symbols says what it computes (``symbols.py``): the products of ``A @ B``, the sums of
``np.trace``, with no array and no temporary left, in the order in which they are done. Written out as lines of plain
arithmetic it is compiled as a function by indices is: as fast, and in lanes. Of a potential, the lines are
followed from the last to the first for its derivatives by the entries g_ij of the attitude (reverse differentiation):

    tau = sum over the rows of Q x g,         since   d/de U(Q exp(e hat y)) = sum over the rows of (g x Q) . y

Only what is certain is traced: a function that decides by the value of a number, catches exceptions, or names what is
not on the list of ``symbol_functions.py`` is compiled as it stands, a potential by the complex step. The function was
called to find out, with arguments that are no numbers; everything it could change is a copy.
"""

import dis
import math
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from polhode.inputs import functions, laws
from polhode.inputs.functions import axes, users_attitude
from polhode.inputs.parameters import Fields
from polhode.kernels.references import builtins_of, codes, paths
from polhode.kernels.roundabout import names_in
from polhode.kernels.vectors import apply, apply_transposed
from polhode.machine.c_calls import called_in_c
from polhode.machine.symbol_functions import MODULES, NAMES, ONE_BY_ONE, ORIGINALS, SPACE
from polhode.machine.symbols import NotStraight, Symbol, Tape, gradient, operand
from polhode.pickling import made_by

REFUSED = {"IMPORT_NAME", "STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "DELETE_ATTR", "PUSH_EXC_INFO", "IS_OP"}
"""Instructions of functions that do more than compute: before the last, where an exception is caught."""


def straightened(kernel: Callable[..., Any]) -> Any:
    """The kernel of a user's torque by straight lines, or None if it stays what it is."""
    recipe = made_by(kernel)
    if recipe is None or recipe[0] not in KINDS:
        return None
    maker, (user, *more) = recipe
    lines, in_axes = KINDS[maker]
    if hasattr(user, "in_c"):
        return in_axes(called_in_c(*user.in_c))
    try:
        return in_axes(lines(user, *(more or (None,))))
    except Exception:  # a function that is given what it does not expect may raise anything: it is left as it is
        return None


def _torque(user: Callable[..., Any], fields: Fields | None) -> Callable:
    return _line(functions.torque_call(copied(user, fields), fields), fields, ("t", "Q"))


def _moment(user: Callable[..., Any], fields: Fields | None) -> Callable:
    return _line(functions.moment_call(copied(user, fields), fields), fields, ("t", "Q", "Omega"))


def _law(user: Callable[..., Any], fields: Fields | None, n: int) -> Callable:
    return _line(laws.law_call(copied(user, fields), fields, n), fields, ("t", "Q", "Omega"))


def _potential(user: Callable[..., Any], fields: Fields | None) -> Callable:
    U = functions.potential_call(copied(user, fields), fields)
    return _line(lambda t, Q, par: _slope(U(Q, par), Q), fields, ("t", "Q"))


def _timed_potential(user: Callable[..., Any], fields: Fields | None) -> Callable:
    U = functions.timed_potential_call(copied(user, fields), fields)
    return _line(lambda t, Q, par: _slope(U(t, Q, par), Q), fields, ("t", "Q"))


def _in_body(line: Callable[..., Any]) -> Callable:
    def torque(t, Q, par):
        return apply_transposed(axes(par), line(t, users_attitude(Q, par), par))

    return torque


def _in_space(line: Callable[..., Any]) -> Callable:
    def torque(t, Q, par):
        return apply_transposed(Q, line(t, users_attitude(Q, par), par))

    return torque


def _moment_in_body(line: Callable[..., Any]) -> Callable:
    def moment(t, Q, Omega, par):
        return apply_transposed(axes(par), line(t, users_attitude(Q, par), apply(axes(par), Omega), par))

    return moment


def _moment_in_space(line: Callable[..., Any]) -> Callable:
    def moment(t, Q, Omega, par):
        return apply_transposed(Q, line(t, users_attitude(Q, par), apply(Q, Omega), par))

    return moment


def _as_said(line: Callable[..., Any]) -> Callable:
    def law(t, Q, Omega, par):
        return line(t, users_attitude(Q, par), apply(axes(par), Omega), par)

    return law


KINDS: dict[Callable[..., Any], tuple[Callable[..., Callable], Callable[[Callable], Callable]]] = {
    functions.body_torque: (_torque, _in_body),
    functions.space_torque: (_torque, _in_space),
    functions.body_moment: (_moment, _moment_in_body),
    functions.space_moment: (_moment, _moment_in_space),
    functions.potential_only: (_potential, _in_body),
    functions.timed_potential_only: (_timed_potential, _in_body),
    laws.law_kernel: (_law, _as_said),
}
"""By the maker of a kernel from a user's function: what makes lines of the function, and a kernel of these lines."""


def _slope(U: Any, Q: tuple[Symbol, ...]) -> tuple[Any, ...]:
    """The torque of a potential, from what it has written on its tape."""
    U = functions.plain(U)
    if not isinstance(U, Symbol):
        raise NotStraight("a potential that is a number")
    slopes = gradient(U)
    g = [slopes.get(q.name) for q in Q]
    tau = []
    for j, k in ((1, 2), (2, 0), (0, 1)):
        total: Any = 0.0
        for i in (0, 3, 6):
            if g[i + k] is not None:
                total = Q[i + j] * g[i + k] if isinstance(total, float) else total + Q[i + j] * g[i + k]
        for i in (0, 3, 6):
            if g[i + j] is not None:
                total = total - Q[i + k] * g[i + j]
        tau.append(total)
    return tuple(tau)


def _line(call: Callable[..., Any], fields: Fields | None, arguments: tuple[str, ...]) -> Callable:
    """What a call computes of the arguments and the parameters, as a function of straight lines of Python."""
    tape = Tape()
    sizes = {"t": None, "Q": 9, "Omega": 3}
    symbols: list[Any] = []
    for name in arguments:
        n = sizes[name]
        symbols.append(tape.argument(name) if n is None else tuple(tape.argument(f"{name}[{k}]") for k in range(n)))
    count = 0 if fields is None else fields.first + sum(int(np.prod(shape)) for shape in fields.shapes)
    result = call(*symbols, tuple(tape.argument(f"par[{k}]") for k in range(count)))
    results = "".join(f"{operand(x)}, " for x in result)
    text = "\n    ".join([f"def line({', '.join(arguments)}, par):", *tape.text(), f"return ({results})"])
    space: dict[str, Any] = {"np": np, "math": math, "__name__": "straight"}
    exec(text, space)
    return space["line"]


# ---- a user's function, with what it names replaced ----------------------------------------------------


def copied(user: Any, fields: Fields | None) -> Callable[..., Any]:
    """A copy of a function that finds what is allowed, and nothing else."""
    return _Copies(() if fields is None else fields.names).of(user)


class _Copies:
    """Copies of functions that refer to each other."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = NAMES | set(names)
        self._made: dict[int, Any] = {}

    def of(self, value: Any) -> Any:
        """A value as a function may have it while it is traced."""
        for table in (self._made, MODULES, ONE_BY_ONE):
            if id(value) in table:
                return table[id(value)]
        if isinstance(value, (bool, int, float)):
            return value
        if type(value) is tuple:
            return tuple(map(self.of, value))
        if type(value) is np.ndarray and value.dtype.kind in "fi" and value.dtype.itemsize == 8:
            copy = value.copy()
            copy.setflags(write=False)
            return copy
        if type(value) is types.FunctionType and not value.__module__.startswith("polhode."):
            return self._function(value)
        raise NotStraight(f"a {type(value).__name__} from outside")

    def _function(self, f: types.FunctionType) -> types.FunctionType:
        modules = {path: x for path, x in _globals(f) if isinstance(x, types.ModuleType) and id(x) not in MODULES}
        allowed = self._names | {name for path in modules for name in path[1:2]}
        for name in _attributes(f.__code__):
            if name not in allowed:
                raise NotStraight(f"the attribute {name}")
        _check_libraries(f)
        space: dict[str, Any] = dict(SPACE)
        cells = tuple(types.CellType() for _ in f.__closure__ or ())
        copy = self._made[id(f)] = types.FunctionType(f.__code__, space, f.__name__, None, cells)
        copy.__defaults__ = tuple(map(self.of, f.__defaults__)) if f.__defaults__ else None
        copy.__kwdefaults__ = {k: self.of(x) for k, x in f.__kwdefaults__.items()} if f.__kwdefaults__ else None
        for cell, old in zip(cells, f.__closure__ or ()):
            cell.cell_contents = self.of(old.cell_contents)
        for path, value in _globals(f):
            if path not in modules:
                space[path[0]] = self.of(value)
            elif len(path) > 1:  # a module of the user's, with what is named of it
                part = space.setdefault(path[0], types.SimpleNamespace())
                setattr(part, path[1], self.of(getattr(value, path[1])))
        return copy


def _check_libraries(f: types.FunctionType) -> None:
    """NotStraight where someone has put another function into NumPy, math or the builtins, by a name that f writes."""
    for name, standing in SPACE["__builtins__"].items():
        if builtins_of(f).get(name) is not standing:
            raise NotStraight(f"another {name}")
    written = names_in(f.__code__)
    for module, name, standing in ORIGINALS:
        if name in written and getattr(module, name, None) is not standing:
            raise NotStraight(f"another {module.__name__}.{name}")


def _globals(f: types.FunctionType) -> list[tuple[tuple[str, ...], Any]]:
    """(path, value of its first name) of the globals that a function names."""
    named = (path for path in paths(f.__code__) if path[0] not in f.__code__.co_freevars)
    return [(path, f.__globals__[path[0]]) for path in named if path[0] in f.__globals__]


def _attributes(code: types.CodeType) -> Iterator[str]:
    """The attributes that a code names; NotStraight where it does more than compute."""
    for part in codes(code):
        free = set(part.co_freevars)
        for step in dis.get_instructions(part):
            is_generator = step.opname == "YIELD_VALUE" and part is code  # inside it is sum(... for ...)
            if step.opname in REFUSED or is_generator or (step.opname == "STORE_DEREF" and step.argval in free):
                raise NotStraight(f"an instruction {step.opname}")
            if step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
                yield str(step.argval)
