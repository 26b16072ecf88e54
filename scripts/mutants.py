"""Mutation check: does the suite notice a single wrong token in a method's step?

Every kernel of the methods is mutated in one place at a time that can change the map (a sign, a factor, an operand,
a stage time, the side of a product, the kind of a rotation); claims, formulas and identities are tested on the mutated
copy, and the share of mutants that some test kills is printed, with the survivors. A sample with a fixed seed;
`--most 0` takes all.

    python scripts/mutants.py --most 200
"""

import argparse
import ast
import concurrent.futures
import copy
import functools
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
METHODS = ROOT / "src" / "polhode" / "integrators"
NOT_STEPS = {"__init__.py", "catalogue.py", "method.py", "properties.py", "property_rows.py"}
SUITE = [
    "tests/theorems/test_claims.py",
    "tests/theorems/test_identities.py",
    "tests/integrators/test_formulas.py",
    "tests/integrators/test_runge_kutta.py",
    "tests/integrators/test_splitting.py",
    "tests/integrators/test_preprocessed.py",
    "tests/reference/test_closed_form.py",
]
SWAPS = {"rotated": "rotated_back", "rotated_back": "rotated", "exp": "cay", "cay": "exp", "dexp": "dexpinv"}
ORDERED = {"compose", "cross", "product", "minus"}


def main():
    arguments = _arguments()
    mutants = [m for file in _files(arguments.only) for m in mutants_of(file)]
    total = len(mutants)
    random.Random(2012).shuffle(mutants)
    if arguments.most:
        mutants = mutants[: arguments.most]
    print(f"{total} mutants, {len(mutants)} tried", flush=True)
    survivors = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for n, (mutant, killed) in enumerate(pool.map(tried, mutants), 1):
            if not killed:
                survivors.append(mutant)
                print(_told(mutant), flush=True)
            if n % 10 == 0:
                print(f"{n}: killed {100 * (n - len(survivors)) / n:.1f} %", flush=True)
    print(
        f"killed {len(mutants) - len(survivors)} of {len(mutants)}: {100 * (1 - len(survivors) / len(mutants)):.1f} %"
    )
    if arguments.json:
        pathlib.Path(arguments.json).write_text(
            json.dumps(
                {"tried": len(mutants), "survivors": [{k: v for k, v in m.items() if k != "text"} for m in survivors]}
            )
        )
    return 0 if len(survivors) <= 0.05 * len(mutants) else 1


def _told(m):
    return f"survived: {m['file']}:{m['line']} in {m['function']}: {m['what']}"


def mutants_of(file):
    """Every single mutation of the kernels in a file, as data with the new text of the file."""
    tree = ast.parse(file.read_text())
    found = []
    for function in [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and _is_kernel(n)]:
        same_map = _same_map(function)
        for position, node in enumerate(ast.walk(function)):
            for what, change in () if node in same_map else _changes(node):
                changed = copy.deepcopy(tree)
                twin = next(n for n in ast.walk(changed) if _same(n, function))
                change(list(ast.walk(twin))[position])
                found.append(
                    {
                        "file": str(file.relative_to(ROOT)),
                        "line": getattr(node, "lineno", function.lineno),
                        "function": function.name,
                        "what": what,
                        "text": ast.unparse(ast.fix_missing_locations(changed)),
                    }
                )
    return found


def _changes(node):
    """The mutations of one node: (description, how to change it)."""
    if isinstance(node, ast.BinOp):
        flips = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}
        new = flips.get(type(node.op))
        if new:
            yield f"{ast.unparse(node)}: {new.__name__}", lambda n: setattr(n, "op", new())
        if isinstance(node.op, ast.Add) and isinstance(node.left, ast.Name) and node.left.id == "t":
            yield f"{ast.unparse(node)}: stage time t", lambda n: setattr(n, "right", ast.Constant(0))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield f"{ast.unparse(node)}: sign", lambda n: setattr(n, "op", ast.UAdd())
    if isinstance(node, ast.Constant) and type(node.value) is int and node.value > 1:
        yield f"{node.value}: {node.value + 1}", lambda n: setattr(n, "value", n.value + 1)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        name = node.func.id
        if name in ORDERED and len(node.args) == 2:
            yield f"{ast.unparse(node)}: sides swapped", lambda n: n.args.reverse()
        if name in SWAPS:
            yield f"{ast.unparse(node)}: {SWAPS[name]}", lambda n: setattr(n.func, "id", SWAPS[n.func.id])


def _same_map(function):
    """Nodes whose mutation cannot change the map: the tolerance of a solve, and sums with a zero of the arithmetic."""
    found = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("newton", "secant"):
            found.update(ast.walk(node.args[-1]))
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "scale":
            found.update(ast.walk(node.value))
        if isinstance(node, ast.BinOp) and re.match(r"o$|0 \*", ast.unparse(node.right)):
            found.update((node, node.right))
    return found


def _same(node, function):
    return isinstance(node, ast.FunctionDef) and node.lineno == function.lineno


def _is_kernel(function):
    return any(isinstance(d, ast.Name) and d.id == "kernel" for d in function.decorator_list)


def tried(mutant):
    """The mutant, and whether a test fails on it (or the package no longer runs)."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "src"
        shutil.copytree(ROOT / "src", source, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(ROOT / "tests", pathlib.Path(folder) / "tests", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "references.bib", folder)
        (pathlib.Path(folder) / mutant["file"]).write_text(_imports_for(mutant["text"]))
        names = _selection(mutant["file"])
        environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
        for files, but in ((SUITE[:1], "drift or sources"), (SUITE[1:], "bibliography")):
            chosen = f"({names}) and not ({but})" if names else f"not ({but})"
            command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *files, "-k", chosen]
            try:
                done = subprocess.run(
                    command, cwd=folder, env=environment, capture_output=True, timeout=300, check=False
                )
            except subprocess.TimeoutExpired:
                return mutant, True  # a step that no longer ends is noticed
            if done.returncode not in (0, 5):  # 5: no test of these files concerns the method
                return mutant, True
        return mutant, False


def _imports_for(text):
    """A mutant may use a function that its file does not import."""
    extra = "from polhode.kernels.rotations import cay, dexp, dexpinv, exp, rotated, rotated_back\n"
    first = re.search(r"^(from|import) ", text, re.MULTILINE)
    return text[: first.start()] + extra + text[first.start() :]


@functools.cache
def _selection(file):
    """The names of the methods that run through kernels of a file, as a selection of tests."""
    import polhode
    from polhode.kernels.references import reachable

    names = []
    for m in polhode.methods().values():
        if any(f.__code__.co_filename.endswith(file) for f in reachable((m.step, m.start))):
            names.append(m.name)
    return " or ".join(names)


def _files(only):
    files = sorted(f for f in METHODS.glob("*.py") if f.name not in NOT_STEPS)
    return [f for f in files if not only or f.stem in only]


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=200, help="how many mutants to try, 0 for all (default: 200)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once (default: 2)")
    parser.add_argument("--only", nargs="+", help="files to mutate, without .py")
    parser.add_argument("--json", help="write the result to this file")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
