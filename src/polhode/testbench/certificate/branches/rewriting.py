"""Texts rewritten so that they tell of their decisions: tests and comparisons are handed to a recorder, and done by
it."""

import ast
from collections.abc import Sequence
from typing import Any

from polhode.testbench.certificate.branches.comparisons import CHOICES, MOST_NUMBERS
from polhode.testbench.certificate.branches.decisions import Decision, Recorder, Tree

NAME = "__decisions__"  # of the recorder, in rewritten functions
SIGNS = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
MOST_WORDS = 80  # characters of a test that are told
TELLS = ("print", "warn", "debug", "info", "warning", "error", "critical", "exception")
"""Functions that tell a reader, by their names."""

LEAVE_ALONE = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)


class Rewriter(ast.NodeTransformer):
    """Hands the tests and comparisons of a file to a recorder."""

    def __init__(self, recorder: Recorder, file: str) -> None:
        self.recorder, self.file = recorder, file
        self.inside: tuple[int, bool] | None = None
        self.may_be_caught = False  # what is raised here, by the function itself

    # ---- functions: what stands in one is not inside the tests around its definition

    def _function(self, node: Any) -> Any:
        before, self.inside, self.may_be_caught = (self.inside, self.may_be_caught), None, False
        if hasattr(node, "decorator_list"):
            node.body = [self.visit(x) for x in node.body]  # not its decorators and defaults, which run elsewhere
        else:
            node.body = self.visit(node.body)
        self.inside, self.may_be_caught = before
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _function

    # ---- what is raised, and may be caught

    def _block(self, node: Any) -> Any:
        before, self.may_be_caught = self.may_be_caught, True
        node = self.generic_visit(node)
        self.may_be_caught = before
        return node

    visit_Try = visit_TryStar = visit_With = visit_AsyncWith = _block

    # ---- tests

    def visit_If(self, node: ast.If) -> Any:
        number, node.test = self._test(node.test, self._unsought(node))
        node.body, node.orelse = self._within(number, True, node.body), self._within(number, False, node.orelse)
        return node

    def _unsought(self, node: ast.If) -> frozenset[bool]:
        """The outcomes that end the step by an exception, which is told where it is measured, or that only tell; both,
        where neither does anything."""
        if not node.orelse and all(isinstance(x, ast.Pass) for x in node.body):
            return frozenset([True, False])
        if self.may_be_caught:
            return frozenset()
        return frozenset([True] * _only_raises(node.body) + [False] * _only_raises(node.orelse))

    def visit_While(self, node: ast.While) -> Any:
        number, node.test = self._test(node.test)
        node.body = self._within(number, True, node.body)
        node.orelse = [self.visit(x) for x in node.orelse]
        return node

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        number, node.test = self._test(node.test)
        (node.body,), (node.orelse,) = (
            self._within(number, True, [node.body]),
            self._within(number, False, [node.orelse]),
        )
        return node

    def visit_Assert(self, node: ast.Assert) -> Any:
        return node  # that it fails is an exception, which is told where it is measured

    def _within(self, number: int, outcome: bool, body: Sequence[Any]) -> list[Any]:
        before, self.inside = self.inside, (number, outcome)
        found = [self.visit(x) for x in body]
        self.inside = before
        return found

    def _test(self, test: ast.expr, unsought: frozenset[bool] = frozenset()) -> tuple[int, Any]:
        """The number of a decision, and its test, told when it is evaluated."""
        number, words = self.recorder.new(), _words(test)
        tree, told, leaves = self._tree(test)
        self.recorder.decisions[number] = Decision(number, test.lineno, words, self.file, tree, self.inside, unsought)
        begin = _call("begin", ast.Constant(number), ast.Tuple([ast.Constant(x) for x in leaves], ast.Load()))
        return number, _at(_call("decide", begin, told), test)

    def _tree(self, test: ast.expr) -> tuple[Tree, Any, list[int]]:
        """A test as a tree, with its leaves told to the recorder, and their numbers."""
        if isinstance(test, ast.BoolOp):
            kind = "and" if isinstance(test.op, ast.And) else "or"
            alone = [_part(x, kind == "and") for x in test.values]
            parts = [self._tree(x) for x in test.values]
            test.values = [told for _, told, _ in parts]
            for written, (tree, _, _) in zip(alone, parts):
                if written:
                    self._alone(_inner(tree), *written)
            return (kind, [tree for tree, _, _ in parts]), test, [x for _, _, leaves in parts for x in leaves]
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            tree, test.operand, leaves = self._tree(test.operand)
            return ("not", tree), test, leaves
        if isinstance(test, ast.Call) and _is_bool(test):
            tree, test.args[0], leaves = self._tree(test.args[0])
            return tree, test, leaves
        number = self.recorder.new()
        if _is_of_numbers(test):
            return ("leaf", number), self._compared(number, test), [number]
        told = self.visit(test)
        return ("leaf", number), _at(_call("truth", ast.Constant(number), told), test), [number]

    # ---- comparisons that stand alone, and functions that choose

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        if any(_is_of_numbers(x) for x in ast.walk(node)):
            return self._test(node)[1]
        return self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> Any:
        if not _is_of_numbers(node):
            return self.generic_visit(node)
        number, words, line = self.recorder.new(), _words(node), node.lineno
        told = self._compared(number, node)
        self._alone(number, line, words)
        return told

    def visit_Call(self, node: ast.Call) -> Any:
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name not in CHOICES:
            return self.generic_visit(node)
        words, line = _words(node), node.lineno
        self.generic_visit(node)
        is_starred = any(isinstance(x, ast.Starred) for x in node.args) or any(k.arg is None for k in node.keywords)
        if is_starred or not node.args:
            return node
        if isinstance(node.func, ast.Attribute) and name in ("max", "min", "argmax", "argmin", "clip"):
            first = node.func.value
            if not (isinstance(first, ast.Name) and first.id in ("np", "numpy", "math")):
                return node  # a method of an array
        number = self.recorder.new()
        for k in range(MOST_NUMBERS):
            self._alone(number + k, line, words)
        self.recorder.count += MOST_NUMBERS
        return _at(
            _call("choose", ast.Constant(number), ast.Constant(name), node.func, *node.args, **_kept(node)), node
        )

    def _alone(self, number: int, line: int, words: str, unsought: frozenset[bool] = frozenset()) -> None:
        """A comparison that is no test, or a part of one, is a decision of its own."""
        self.recorder.decisions[number] = Decision(
            number, line, words, self.file, ("leaf", number), self.inside, unsought, is_test=False
        )

    def _compared(self, number: int, node: Any) -> Any:
        signs = ast.Tuple([ast.Constant(SIGNS[type(op)]) for op in node.ops], ast.Load())
        operands = [self.visit(x) for x in (node.left, *node.comparators)]
        return _at(_call("compare", ast.Constant(number), signs, *operands), node)


def _part(part: ast.expr, is_of_and: bool) -> tuple[int, str, frozenset[bool]] | None:
    """Line and words of a comparison that is a part of a test, and the outcome by which it does not decide alone: it
    does by a false one beside `and`, by a true one beside `or`."""
    while isinstance(part, ast.UnaryOp | ast.Call):
        if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not):
            part, is_of_and = part.operand, not is_of_and
        elif isinstance(part, ast.Call) and _is_bool(part):
            part = part.args[0]
        else:
            return None
    return (part.lineno, _words(part), frozenset([is_of_and])) if _is_of_numbers(part) else None


def _inner(tree: Tree) -> int:
    """The number of the only comparison of a tree."""
    while tree[0] == "not":
        tree = tree[1]
    return int(tree[1])


def _is_bool(call: ast.Call) -> bool:
    """Whether it is bool(x)."""
    is_its_name = isinstance(call.func, ast.Name) and call.func.id == "bool"
    return is_its_name and len(call.args) == 1 and not isinstance(call.args[0], ast.Starred) and not call.keywords


def _kept(node: ast.Call) -> dict[str, Any]:
    return {str(k.arg): k.value for k in node.keywords}


def _is_of_numbers(node: ast.AST) -> bool:
    """Whether it is a comparison by size, of a kind that may be handed on: operands of a chain that are always
    evaluated, or may be."""
    if not isinstance(node, ast.Compare) or any(type(op) not in SIGNS for op in node.ops):
        return False
    if any(isinstance(x, LEAVE_ALONE) for x in ast.walk(node)):
        return False
    texts = any(isinstance(x, ast.Constant) and isinstance(x.value, str) for x in (node.left, *node.comparators))
    return not texts and all(_is_harmless(x) for x in node.comparators[1:])


def _is_harmless(node: ast.expr) -> bool:
    """Whether it may be evaluated though Python would not come to it: no call, and no division by what may be zero."""
    kinds = (ast.Constant, ast.Name, ast.Attribute, ast.Load, ast.UnaryOp, ast.unaryop, ast.BinOp, ast.Add, ast.Sub)
    return all(isinstance(x, (*kinds, ast.Mult)) for x in ast.walk(node))


def _only_raises(body: Sequence[ast.stmt]) -> bool:
    """Whether a branch does nothing but raise, or tell."""
    return bool(body) and all(isinstance(x, ast.Raise) or _tells(x) for x in body)


def _tells(statement: ast.stmt) -> bool:
    """Whether a statement prints, warns or logs, and does nothing else."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Constant):  # a text that stands there
        return True
    return isinstance(call, ast.Call) and getattr(call.func, "id", getattr(call.func, "attr", "")) in TELLS


def _words(node: ast.expr) -> str:
    words = ast.unparse(node)
    return words if len(words) <= MOST_WORDS else f"{words[: MOST_WORDS - 3]}..."


def _call(name: str, /, *arguments: Any, **keywords: Any) -> ast.Call:
    method = ast.Attribute(ast.Name(NAME, ast.Load()), name, ast.Load())
    return ast.Call(method, list(arguments), [ast.keyword(k, v) for k, v in keywords.items()])


def _at(node: Any, place: ast.expr) -> Any:
    return ast.copy_location(node, place)
