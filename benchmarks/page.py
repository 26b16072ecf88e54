"""Write results/bench.json as docs/performance.md.

python benchmarks/page.py [JSON [PAGE]]
"""

import importlib
import json
import pathlib
import sys

import summary
from bench import OUT, SECTIONS
from table import markdown

PAGE = pathlib.Path(__file__).parent.parent / "docs" / "performance.md"

HEAD = """# Performance

Generated from one run of `make bench`; nothing here is typed by hand. Nanoseconds are those of this machine,
ratios were taken in turn within the run and travel better:

{machine}, {cores} cores, {system}; Python {python}, Numba {numba}, NumPy {numpy}, SciPy {scipy}; {date},
commit {commit}.
Times are processor times (`{clock}`) except where wall-clock is said. The run was {run}. The load average before it was
{load}: other programs cost wall-clock time, above all with several threads.
"""


def page(results):
    """The page as text."""
    machine = results["machine"]
    parts = [HEAD.format(machine=machine["cpu"], **machine), markdown(summary.table(results))]
    for name in SECTIONS:
        if name in results:
            section = importlib.import_module(f"sections.{name}")
            parts += [markdown(table) for table in section.tables(results[name])]
    return "\n".join(parts).rstrip() + "\n"


def main(source=OUT, target=PAGE):
    """Read the JSON, write the page."""
    target = pathlib.Path(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(page(json.loads(pathlib.Path(source).read_text())))
    print(f"Written: {target}")


if __name__ == "__main__":
    main(*sys.argv[1:])
