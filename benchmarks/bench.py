"""Every timing, as ratios taken in one run: prints tables, a summary last, and writes results/bench.json.

    python benchmarks/bench.py [--quick] [--only SECTION ...] [--out FILE]

Peers that are not installed and C without a compiler are left out with a note. `page.py` writes the JSON as a page.
"""

import argparse
import importlib
import json
import pathlib
import time

import summary
from measure import machine
from table import Table, show

SECTIONS = (
    "against_c",
    "ensembles",
    "calls",
    "any_accuracy",
    "equal_error",
    "per_step",
    "catalogue",
    "torques",
    "growth",
    "startup",
)
"""In this order; each is a module of `sections`."""

OUT = pathlib.Path(__file__).parent.parent / "results" / "bench.json"


def main():
    """Measure the sections asked for, print and write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer repeats: a look, not a measurement")
    parser.add_argument(
        "--only", nargs="+", choices=SECTIONS, default=SECTIONS, metavar="SECTION", help="sections to run"
    )
    parser.add_argument("--out", type=pathlib.Path, default=OUT, metavar="FILE", help="JSON to write or update")
    arguments = parser.parse_args()
    results = json.loads(arguments.out.read_text()) if arguments.out.exists() and arguments.only != SECTIONS else {}
    about = machine() | {"run": "quick (few repeats: a look, not a measurement)" if arguments.quick else "full"}
    if results:  # of sections that are measured again the file says at which commit
        results["again"] = results.get("again", {}) | dict.fromkeys(arguments.only, about["commit"])
    else:
        results["machine"] = about
    facts = [(key, str(value)) for key, value in about.items()]
    show(Table("Machine", ("", ""), facts, words=2))
    begin = time.perf_counter()
    for i, name in enumerate(arguments.only):
        section = importlib.import_module(f"sections.{name}")
        print(f"[{i + 1}/{len(arguments.only)}] {section.TITLE} ...", flush=True)
        results[name] = section.measure(arguments.quick)
        for table in section.tables(results[name]):
            show(table)
        print(f"({section.TITLE}: done {time.perf_counter() - begin:.0f} s after the start)\n", flush=True)
        results["summary"] = summary.rows(results)
        arguments.out.parent.mkdir(parents=True, exist_ok=True)
        arguments.out.write_text(json.dumps(results, indent=1) + "\n")
    show(summary.table(results))
    print(f"Written: {arguments.out}")


if __name__ == "__main__":
    main()
