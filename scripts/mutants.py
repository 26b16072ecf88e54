"""Mutation check: does the suite notice a single wrong token in a method's step?

Every kernel of the methods is mutated in one place at a time (a sign, a factor, an operand, a stage time, the side
of a product, a map), the claims and identities are tested on the mutated copy, and the share of mutants that some
test kills is printed with the survivors. A sample with a fixed seed; `--most 0` takes all.

    python scripts/mutants.py --most 200
"""

import argparse
import ast
import concurrent.futures
import copy
import json
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
METHODS = ROOT / "src" / "polhode" / "methods"
NOT_STEPS = {"__init__.py", "catalogue.py", "tableaux.py"}
SHARED = {"equations.py", "kicked.py", "stages.py", "composition.py"}  # used by many methods: test them all
SUITE = ("tests/test_claims.py", "tests/test_identities.py")
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
            if n % 10 == 0 or not killed:
                print(f"{n}: killed {100 * (n - len(survivors)) / n:.1f} %", flush=True)
    print(
        f"killed {len(mutants) - len(survivors)} of {len(mutants)}: {100 * (1 - len(survivors) / len(mutants)):.1f} %"
    )
    for m in survivors:
        print(f"survived: {m['file']}:{m['line']} in {m['function']}: {m['what']}")
    if arguments.json:
        pathlib.Path(arguments.json).write_text(
            json.dumps(
                {"tried": len(mutants), "survivors": [{k: v for k, v in m.items() if k != "text"} for m in survivors]}
            )
        )
    return 0 if len(survivors) <= 0.05 * len(mutants) else 1


def mutants_of(file):
    """Every single mutation of the kernels in a file, as data with the new text of the file."""
    tree = ast.parse(file.read_text())
    found = []
    for function in [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and _is_kernel(n)]:
        nodes = list(ast.walk(function))
        for position, node in enumerate(nodes):
            for what, change in _changes(node):
                changed = copy.deepcopy(tree)
                twin = next(n for n in ast.walk(changed) if _same(n, function))
    return ["-k", " or ".join(sorted(stems))] if stems else []


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
