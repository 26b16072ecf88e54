"""Kernels printed as JavaScript: the sixth arithmetic.

A kernel is a function on tuples of numbers, and so is its translation: tuples become arrays, floats are the same
64 bits, every operation is done in the same order, and no engine of JavaScript fuses or reorders any. What a kernel
calls, and what its closure holds, is printed with it. Only floats go through, so a question for the arithmetic
(``isinstance(x, float)``) has its answer in print and the other branches are left out.

What has no translation (an array, an exception, a keyword) is refused with a sentence that names the line.
"""

import ast
import builtins
import functools
import inspect
import math
import types
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from polhode.errors import InputError

RUNTIME = """\
const add = (x, y) => typeof x === "number" ? x + y : x.concat(y);
const modulo = (x, n) => x - n * Math.floor(x / n);
const strided = (x, from, step) => x.filter((_, i) => i >= from && (i - from) % step === 0);
"""
"""What Python's operators do and JavaScript's do not: + joins tuples, % has the sign of the divisor."""

MATHEMATICS = {getattr(math, name): f"Math.{name}" for name in ("sqrt", "sin", "cos", "atan", "hypot")}
BUILTINS = {abs: "Math.abs", min: "Math.min", max: "Math.max"}
RESERVED = {"function", "var", "let", "const", "new", "this", "delete", "void", "with", "case", "switch", "default"}
BINARY = {ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.BitAnd: "&", ast.BitOr: "|"}
COMPARED = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "===", ast.NotEq: "!=="}


class CannotPrint(InputError):
    """A kernel uses what has no translation."""


class Printer:
    """Collects functions, each printed once, in the order in which they can be defined."""

    def __init__(self) -> None:
        self._names: dict[Any, str] = {}
        self._used: set[str] = set()
        self.lines: list[str] = []

    @property
    def text(self) -> str:
        """All that has been printed, without the runtime."""
        return "\n".join(self.lines) + "\n"

    def function(self, function: Callable[..., Any]) -> str:
        """The name of a function in JavaScript; it is printed, with what it needs, unless it has been."""
        key = _identity(function)
        if key not in self._names:
            tree = _tree(function)
            self._names[key] = name = self._free_name(function)
            try:
                self.lines.extend(_Body(self, function, tree).lines(name))
            except BaseException:
                del self._names[key]
                raise
        return self._names[key]

    def _free_name(self, function: Callable[..., Any]) -> str:
        stem = function.__name__ if function.__name__.isidentifier() else "lambda"
        home = function.__module__.rpartition(".")[2]
        name = base = f"{home}_{stem}"
        count = 2
        while name in self._used:
            name, count = f"{base}_{count}", count + 1
        self._used.add(name)
        return name


def literal(value: Any, printer: Printer) -> str:
    """A constant: numbers to the last bit, tuples of them, functions by name."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)) and math.isfinite(value):
        return repr(value) if value >= 0 else f"({value!r})"
    if isinstance(value, tuple):
        return f"[{', '.join(literal(x, printer) for x in value)}]"
    if callable(value) and not isinstance(value, type):
        return MATHEMATICS.get(value) or BUILTINS.get(value) or printer.function(value)
    raise CannotPrint(f"The constant {value!r} has no form in JavaScript.")


def _identity(function: Any) -> Any:
    """Functions made by one factory from the same things are one."""
    if not isinstance(function, types.FunctionType):
        raise CannotPrint(f"{function!r} is not a function written in Python.")
    cells = tuple(cell.cell_contents for cell in function.__closure__ or ())
    return function.__code__, tuple(_identity(x) if isinstance(x, types.FunctionType) else x for x in cells)


# ---- where a function is written -----------------------------------------------------------------------


@functools.cache
def _module(file: str) -> ast.Module:
    with open(file, encoding="utf-8") as source:
        return ast.parse(source.read())


def _tree(function: Callable[..., Any]) -> ast.FunctionDef | ast.Lambda:
    """The syntax tree of a function: found by its line, a lambda among others by the columns of its code."""
    code = function.__code__
    file = inspect.getsourcefile(function)
    if file is None:
        raise CannotPrint(f"The source of {function.__name__} is not at hand.")
    for node in ast.walk(_module(file)):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first == code.co_firstlineno:
                return node
        if isinstance(node, ast.Lambda) and code.co_name == "<lambda>" and _within(code, node):
            return node
    raise CannotPrint(f"{function.__name__} is not found in {file}.")


def _within(code: types.CodeType, node: ast.Lambda) -> bool:
    """Whether the code is that of the body of this lambda."""
    body = node.body
    begin, end = (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)
    places = [p for p in code.co_positions() if None not in p and p[3] != p[2]]
    return bool(places) and all((p[0], p[2]) >= begin and (p[1], p[3]) <= end for p in places)


# ---- one function --------------------------------------------------------------------------------------


class _Body:
    """The translation of one function: its scope, then statement by statement."""

    def __init__(self, printer: Printer, function: Callable[..., Any], tree: ast.FunctionDef | ast.Lambda) -> None:
        self.printer, self.tree, self.name = printer, tree, function.__name__
        arguments = tree.args
        if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults:
            self.refuse(tree, "arguments other than plain ones")
        self.arguments = [a.arg for a in arguments.args]
        self.scope = {**vars(builtins), **function.__globals__, **inspect.getclosurevars(function).nonlocals}
        self.assigned = _assigned(tree)
        self.temporaries = 0

    def lines(self, name: str) -> list[str]:
        head = f"function {name}({', '.join(map(_legal, self.arguments))}) {{"
        if isinstance(self.tree, ast.Lambda):
            return [head, f"  return {self.expression(self.tree.body)};", "}"]
        statements = self.block(self.tree.body, "  ")
        own = [_legal(x) for x in self.assigned if x not in self.arguments]
        own += [f"t{i}" for i in range(self.temporaries)]
        return [head, *([f"  let {', '.join(own)};"] if own else []), *statements, "}"]

    def refuse(self, node: ast.AST, what: str) -> NoReturn:
        raise CannotPrint(f"{self.name}, line {getattr(node, 'lineno', '?')}: {what} cannot be printed as JavaScript.")

    # ---- statements

    def block(self, statements: Iterable[ast.stmt], pad: str) -> list[str]:
        """What stands after a return that is certain is for another arithmetic, and left out."""
        lines: list[str] = []
        for statement in statements:
            lines += self.statement(statement)
            if lines and lines[-1].startswith("return "):
                break
        return [pad + line for line in lines]

    def statement(self, node: ast.stmt) -> list[str]:
        match node:
            case ast.Expr(value=ast.Constant()):
                return []  # a docstring
            case ast.Return(value=value) if value is not None:
                return [f"return {self.expression(value)};"]
            case ast.Assign(targets=[target], value=value):
                return self.assignment(target, value)
            case ast.AugAssign(target=ast.Name() as target, op=op, value=value):
                place = ast.copy_location(ast.Name(target.id, ast.Load()), target)
                return self.assignment(target, ast.copy_location(ast.BinOp(place, op, value), node))
            case ast.If():
                return self.branch(node)
            case ast.While(test=test, body=body, orelse=[]):
                return [f"while ({self.expression(test)}) {{", *self.block(body, "  "), "}"]
            case ast.For(orelse=[]):
                return self.loop(node)
            case ast.Break():
                return ["break;"]
            case ast.Continue():
                return ["continue;"]
        self.refuse(node, type(node).__name__)

    def branch(self, node: ast.If) -> list[str]:
        test = self.known(node.test)
        if test is not None:
            return [line for s in (node.body if test else node.orelse) for line in self.statement(s)]
        lines = [f"if ({self.expression(node.test)}) {{", *self.block(node.body, "  "), "}"]
        return lines + (["else {", *self.block(node.orelse, "  "), "}"] if node.orelse else [])

    def loop(self, node: ast.For) -> list[str]:
        match node:
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=args)):
                bounds = [self.expression(a) for a in args]
                first, last = ("0", bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
                if len(bounds) > 2:
                    self.refuse(node, "a range with a step")
                i, end = _legal(name), self.temporary()
                head = f"for ({i} = {first}, {end} = {last}; {i} < {end}; {i}++) {{"
            case ast.For(target=ast.Name(id=name), iter=things):
                head = f"for ({_legal(name)} of {self.expression(things)}) {{"
            case _:
                self.refuse(node, "this loop")
        return [head, *self.block(node.body, "  "), "}"]

    def assignment(self, target: ast.expr, value: ast.expr) -> list[str]:
        """Several targets at once are read before any is written, as in Python."""
        if isinstance(target, ast.Name):
            return [f"{_legal(target.id)} = {self.expression(value)};"]
        if isinstance(target, ast.Tuple) and not any(isinstance(x, ast.Starred) for x in target.elts):
            whole = self.temporary()
            return [f"{whole} = {self.expression(value)};", *self.unpacked(target, whole)]
        self.refuse(target, "this assignment")

    def unpacked(self, target: ast.Tuple, whole: str) -> list[str]:
        lines = []
        for i, x in enumerate(target.elts):
            if isinstance(x, ast.Name):
                lines.append(f"{_legal(x.id)} = {whole}[{i}];")
            elif isinstance(x, ast.Tuple):
                part = self.temporary()
                lines += [f"{part} = {whole}[{i}];", *self.unpacked(x, part)]
            else:
                self.refuse(x, "this target")
        return lines

    def temporary(self) -> str:
        self.temporaries += 1
        return f"t{self.temporaries - 1}"

    # ---- expressions

    def expression(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value=value):
                return literal(value, self.printer)
            case ast.Name(id=name):
                return self.named(node, name)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return f"[{', '.join(map(self.expression, elements))}]"
            case ast.Starred(value=value):
                return f"...{self.expression(value)}"
            case ast.UnaryOp(op=ast.USub(), operand=x):
                return f"(-{self.expression(x)})"
            case ast.UnaryOp(op=ast.Not(), operand=x):
                return f"!({self.expression(x)})"
            case ast.BinOp():
                return self.binary(node)
            case ast.BoolOp(op=op, values=values):
                return f"({(' && ' if isinstance(op, ast.And) else ' || ').join(map(self.expression, values))})"
            case ast.Compare(left=x, ops=[op], comparators=[y]) if type(op) in COMPARED:
                return f"({self.expression(x)} {COMPARED[type(op)]} {self.expression(y)})"
            case ast.IfExp(test=test, body=x, orelse=y):
                decided = self.known(test)
                if decided is not None:
                    return self.expression(x if decided else y)
                return f"({self.expression(test)} ? {self.expression(x)} : {self.expression(y)})"
            case ast.Subscript(value=x, slice=index):
                return self.subscript(x, index)
            case ast.Attribute(value=x, attr="real") if not self.is_global(x):
                return self.expression(x)  # the real part of a float
            case ast.Attribute():
                return literal(self.value(node), self.printer)
            case ast.Call(func=function, args=arguments, keywords=[]):
                return self.call(function, arguments)
        self.refuse(node, type(node).__name__)

    def binary(self, node: ast.BinOp) -> str:
        if not any(isinstance(x, ast.Name) and not self.is_global(x) for x in ast.walk(node)):
            value = self.value(node)  # of constants alone: rounded by Python, once
            if isinstance(value, (int, float)):
                return literal(value, self.printer)
        x, y = self.expression(node.left), self.expression(node.right)
        if isinstance(node.op, ast.Add):
            return f"({x} + {y})" if _is_number(node.left) or _is_number(node.right) else f"add({x}, {y})"
        if isinstance(node.op, ast.Mod):
            return f"modulo({x}, {y})"
        if isinstance(node.op, ast.FloorDiv):
            return f"Math.floor({x} / {y})"
        if type(node.op) not in BINARY:
            self.refuse(node, type(node.op).__name__)
        return f"({x} {BINARY[type(node.op)]} {y})"

    def subscript(self, x: ast.expr, index: ast.expr) -> str:
        of = self.expression(x)
        match index:
            case ast.Slice(lower=low, upper=None, step=ast.Constant(value=int() as step)):
                return f"strided({of}, {self.expression(low) if low else 0}, {step})"
            case ast.Slice(lower=low, upper=high, step=None):
                bounds = [self.expression(low) if low else "0", *([self.expression(high)] if high else [])]
                return f"{of}.slice({', '.join(bounds)})"
            case ast.UnaryOp(op=ast.USub()):
                return f"{of}.at({self.expression(index)})"
        return f"{of}[{self.expression(index)}]"

    def call(self, function: ast.expr, arguments: list[ast.expr]) -> str:
        given = ", ".join(map(self.expression, arguments))
        if self.is_global(function):
            called = self.value(function)
            if called is len:
                return f"{given}.length"
            if called in (tuple, float):
                return given
            return f"{literal(called, self.printer)}({given})"
        return f"{self.expression(function)}({given})"

    def named(self, node: ast.Name, name: str) -> str:
        return literal(self.value(node), self.printer) if self.is_global(node) else _legal(name)

    # ---- what is known in print

    def is_global(self, node: ast.expr) -> bool:
        """Whether a name, or the module an attribute is of, is not the function's own."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id not in self.assigned and node.id not in self.arguments

    def value(self, node: ast.expr) -> Any:
        """What an expression without the function's own names is."""
        return eval(compile(ast.Expression(node), "<kernel>", "eval"), self.scope)

    def known(self, test: ast.expr) -> bool | None:
        """The answer to a question for the arithmetic; None where it is about values."""
        match test:
            case ast.BoolOp(op=op, values=values):
                answers = [self.known(x) for x in values]
                ends = isinstance(op, ast.Or)
                return ends if answers[0] is ends else None
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, kinds]):
                kinds = self.value(kinds)
                return float in (kinds if isinstance(kinds, tuple) else (kinds,))
            case ast.Call(func=ast.Name(), args=[_]) if self.is_global(test.func):
                return self.asked(self.value(test.func))
        return None

    def asked(self, function: Any) -> bool | None:
        """The answer of a function that does nothing but ask for the arithmetic."""
        if not isinstance(function, types.FunctionType):
            return None
        match _tree(function):
            case ast.FunctionDef(body=[ast.Return(value=ast.expr() as value)]) as tree:
                return _Body(self.printer, function, tree).known(value)
        return None


def _assigned(tree: ast.AST) -> list[str]:
    """The names a function gives values to."""
    names = [x.id for x in ast.walk(tree) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)]
    return list(dict.fromkeys(names))


def _legal(name: str) -> str:
    return f"{name}_" if name in RESERVED or (name[0] == "t" and name[1:].isdigit()) else name


def _is_number(node: ast.expr) -> bool:
    """Whether an expression is a number by its form: then + adds."""
    match node:
        case ast.Constant() | ast.UnaryOp():
            return True
        case ast.BinOp(op=op):
            return not isinstance(op, ast.Add) or _is_number(node.left) or _is_number(node.right)
    return False
