"""One function as JavaScript: its scope, then statement by statement."""

import ast
import builtins
import inspect
import math
import types
from collections.abc import Callable, Iterable
from typing import Any, NoReturn, TypeAlias

from polhode.views.lab.syntax_trees import CannotPrint, tree_of

NameOf: TypeAlias = Callable[[Callable[..., Any]], str]
"""The name of a function in JavaScript; it is printed if it has not been."""

MATHEMATICS = {getattr(math, name): f"Math.{name}" for name in ("sqrt", "sin", "cos", "atan", "hypot")}
BUILTINS = {abs: "Math.abs", min: "Math.min", max: "Math.max"}
RESERVED = {"function", "var", "let", "const", "new", "this", "delete", "void", "with", "case", "switch", "default"}
BINARY = {ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.BitAnd: "&", ast.BitOr: "|"}
COMPARED = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "===", ast.NotEq: "!=="}


class Translation:
    """The translation of one function: its scope, then statement by statement."""

    def __init__(self, name_of: NameOf, function: Callable[..., Any], tree: ast.FunctionDef | ast.Lambda) -> None:
        self.name_of, self.tree, self.name = name_of, tree, function.__name__
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
        test = self.answer(node.test)
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
                return literal(value, self.name_of)
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
                decided = self.answer(test)
                if decided is not None:
                    return self.expression(x if decided else y)
                return f"({self.expression(test)} ? {self.expression(x)} : {self.expression(y)})"
            case ast.Subscript(value=x, slice=index):
                return self.subscript(x, index)
            case ast.Attribute(value=x, attr="real") if not self.is_global(x):
                return self.expression(x)  # the real part of a float
            case ast.Attribute():
                return literal(self.value(node), self.name_of)
            case ast.Call(func=function, args=arguments, keywords=[]):
                return self.call(function, arguments)
        self.refuse(node, type(node).__name__)

    def binary(self, node: ast.BinOp) -> str:
        if not any(isinstance(x, ast.Name) and not self.is_global(x) for x in ast.walk(node)):
            value = self.value(node)  # of constants alone: rounded by Python, once
            if isinstance(value, (int, float)):
                return literal(value, self.name_of)
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
        values = ", ".join(map(self.expression, arguments))
        if self.is_global(function):
            called = self.value(function)
            if called is len:
                return f"{values}.length"
            if called in (tuple, float):
                return values
            return f"{literal(called, self.name_of)}({values})"
        return f"{self.expression(function)}({values})"

    def named(self, node: ast.Name, name: str) -> str:
        return literal(self.value(node), self.name_of) if self.is_global(node) else _legal(name)

    # ---- what is decided in print

    def is_global(self, node: ast.expr) -> bool:
        """Whether a name, or the module an attribute is of, is not the function's own."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id not in self.assigned and node.id not in self.arguments

    def value(self, node: ast.expr) -> Any:
        """What an expression without the function's own names is."""
        return eval(compile(ast.Expression(node), "<kernel>", "eval"), self.scope)

    def answer(self, test: ast.expr) -> bool | None:
        """The answer to a question for the arithmetic; None where it is about values."""
        match test:
            case ast.BoolOp(op=op, values=values):
                answers = [self.answer(x) for x in values]
                ends = isinstance(op, ast.Or)
                return ends if answers[0] is ends else None
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, kinds]):
                kinds = self.value(kinds)
                return float in (kinds if isinstance(kinds, tuple) else (kinds,))
            case ast.Call(func=ast.Name(), args=[_]) if self.is_global(test.func):
                return self.answer_of(self.value(test.func))
        return None

    def answer_of(self, function: Any) -> bool | None:
        """The answer of a function that does nothing but ask for the arithmetic."""
        if not isinstance(function, types.FunctionType):
            return None
        match tree_of(function):
            case ast.FunctionDef(body=[ast.Return(value=ast.expr() as value)]) as tree:
                return Translation(self.name_of, function, tree).answer(value)
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


def literal(value: Any, name_of: NameOf) -> str:
    """A constant: numbers to the last bit, tuples of them, functions by name."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)) and math.isfinite(value):
        return repr(value) if value >= 0 else f"({value!r})"
    if isinstance(value, tuple):
        return f"[{', '.join(literal(x, name_of) for x in value)}]"
    if callable(value) and not isinstance(value, type):
        return MATHEMATICS.get(value) or BUILTINS.get(value) or name_of(value)
    raise CannotPrint(f"The constant {value!r} has no form in JavaScript.")
