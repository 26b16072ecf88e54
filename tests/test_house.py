"""The rules of the tree that neither linter nor type checker knows: privacy, sizes, tests."""

import ast
import pathlib
import tomllib

import pytest

from polhode.bibliography import entries, fields

ROOT = pathlib.Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "polhode"

OF_LIBRARIES = {
    "os._exit": "ends a process that is being loaded, where an exception may be caught and replaced",
    "sys._getframe": "the frame of the caller, for the file and line of a warning, and the pickler at work",
    "sys._current_frames": "where another thread is, which must not be interrupted while it leaves a guard",
    "pickle._Pickler": "how dill says that it stores code",
    "ctypes._Pointer": "the class of pointer types has no other name",
}
"""Private names of the standard library in use, and why. Those of Numba are on a page: machine/test_private.py."""

OF_NAMED_TUPLES = {"_replace", "_asdict", "_fields", "_make"}
"""Public, whatever their names: the underscore keeps them apart from fields."""


def is_private(name):
    is_special = name.startswith("__") and name.endswith("__")
    return name.startswith("_") and not is_special and name not in OF_NAMED_TUPLES


def trespasses(source):
    """Private names of other files that a file uses: imports of ours, and attributes of what is not its own."""
    tree = ast.parse(source)
    own = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    own |= {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
    own |= {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "polhode":
            yield from (f"import {a.name}" for a in node.names if is_private(a.name))
        elif isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in own:
            owner = ast.unparse(node.value)
            if owner not in ("self", "cls", "super()"):  # of a base class in another file: meant for those who inherit
                yield f"{owner}.{node.attr}"


@pytest.mark.parametrize(
    "package", sorted(p.name for p in PACKAGE.iterdir() if p.name not in ("machine", "__pycache__", "py.typed"))
)
def test_no_private_name_crosses_a_file(package):
    place = PACKAGE / package
    files = place.rglob("*.py") if place.is_dir() else [place] if place.suffix == ".py" else []
    found = {str(f.relative_to(PACKAGE)): set(trespasses(f.read_text(encoding="utf-8"))) for f in files}
    assert {f: sorted(names) for f, names in found.items() if names - OF_LIBRARIES.keys()} == {}


def test_what_trespasses_is_seen():
    source = "from polhode.errors import _hidden\nclass A:\n    _x = 1\ndef f(a, b):\n    return a._x + b._theirs"
    source += "\ndef of_a_named_tuple(a):\n    return a._replace(x=1)"
    assert list(trespasses(source)) == ["import _hidden", "b._theirs"]


MOST_ARGUMENTS, MOST_LINES, MOST_LINES_OF_A_FILE = 7, 60, 320
"""Arguments by position, outside machine/, where machine code spells its own out; lines; about 300 lines of a file."""

OF_USERS = {("physics/published/spinning_drill.py", "spinning_drill")}
"""Functions with more arguments, since users may give them by position: a call that works goes on working."""


def functions(source):
    return [
        f for f in ast.walk(ast.parse(source)) if isinstance(f, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    ]


def positional(function):
    """How many arguments may be given by position, beside the object of a method."""
    names = [x.arg for x in (*function.args.posonlyargs, *function.args.args)]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def lines(function):
    """The lines of a function, signature and inner functions with it; docstrings, which are text, are not counted."""
    documented = [f for f in ast.walk(function) if isinstance(f, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
    texts = [f.body[0] for f in documented if ast.get_docstring(f) is not None]
    return 1 + function.end_lineno - function.lineno - sum(1 + x.end_lineno - x.lineno for x in texts)


def name_in(function):
    return getattr(function, "name", "lambda")


@pytest.fixture(scope="module")
def sources():
    files = sorted(PACKAGE.rglob("*.py"))
    assert len(files) > 400
    return {f.relative_to(PACKAGE).as_posix(): f.read_text(encoding="utf-8") for f in files}


def test_no_function_is_longer_or_takes_more_arguments_than_a_reader_can_hold(sources):
    long, many = [], set()
    for file, text in sources.items():
        for f in functions(text):
            if lines(f) > MOST_LINES:
                long.append((file, name_in(f), lines(f)))
            if positional(f) > MOST_ARGUMENTS and not file.startswith("machine/"):
                many.add((file, name_in(f)))
    assert long == []
    assert many == OF_USERS


def test_no_file_is_much_longer_than_300_lines(sources):
    counts = {file: len(text.splitlines()) for file, text in sources.items()}
    assert {file: n for file, n in counts.items() if n > MOST_LINES_OF_A_FILE} == {}


def test_arguments_and_lines_are_counted():
    source = (
        'class A:\n    def f(self, a, b, /, c=1, *d, e, **g):\n        """Of\n        three\n        lines."""\n'
        '        def inner(x):\n            """Text."""\n            return x\n        return inner\n'
        "h = lambda x, y: x"
    )
    f, h, inner = (next(x for x in functions(source) if name_in(x) == name) for name in ("f", "lambda", "inner"))
    assert (positional(f), positional(h), positional(inner)) == (3, 2, 1)
    assert (lines(f), lines(h), lines(inner)) == (4, 1, 2)


def returns(source):
    """The tests of a file that can end by a return, and so pass without an assertion."""
    for test in ast.walk(ast.parse(source)):
        if isinstance(test, ast.FunctionDef) and test.name.startswith("test"):
            inside = [n for n in ast.walk(test) if n is not test and isinstance(n, ast.FunctionDef | ast.Lambda)]
            own = set(ast.walk(test)) - {x for n in inside for x in ast.walk(n)}
            if any(isinstance(n, ast.Return) for n in own):
                yield test.name


def test_no_test_ends_by_a_return():
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    assert len(files) > 80
    found = {str(f.relative_to(ROOT)): list(returns(f.read_text(encoding="utf-8"))) for f in files}
    assert {f: names for f, names in found.items() if names} == {}
    assert list(returns("def test_a():\n    if x:\n        return\n    assert x\ndef f():\n    return 1")) == ["test_a"]


def test_tests_stand_where_the_module_stands():
    """Folders of tests are folders of the package, but for theorems, helpers, pages and stored numbers."""
    others = {"data", "docs", "support", "theorems", "testbench/certificate/adversary"}
    folders = {f.parent.relative_to(ROOT / "tests").as_posix() for f in (ROOT / "tests").rglob("*.py")}
    assert sorted(f for f in folders - others if not (PACKAGE / f).is_dir()) == []
    flat = {f.parent.relative_to(PACKAGE).as_posix() for f in (PACKAGE / "testbench").glob("*/*.py")}
    assert sorted(flat - folders) == []


def test_the_mark_that_says_typed_is_in_what_is_shipped():
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]
    (shipped,) = wheel["wheel"]["packages"]
    assert (ROOT / shipped / "py.typed").is_file() and not {"exclude", "only-include"} & wheel["wheel"].keys()


def test_the_addresses_of_the_project_are_those_of_papers_in_the_bibliography():
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    papers = {f"https://doi.org/{about['doi']}": about for about in map(fields, entries()) if "doi" in about}
    assert urls
    for label, url in urls.items():
        assert len(label) <= 32  # what the standard of metadata allows
        last_names = [name.split(",")[0] for name in papers[url]["author"].split(" and ")]
        assert label == f"Paper: {' & '.join(last_names)} ({papers[url]['year']})"
