"""Write results/bench.json as docs/performance.md, and what it says of heyoka in the table of README.md.

python benchmarks/page.py [JSON [PAGE [README]]]
"""

import importlib
import json
import pathlib
import sys

import summary
from bench import OUT, SECTIONS
from sections.any_accuracy import overall
from table import markdown

PAGE = pathlib.Path(__file__).parent.parent / "docs" / "performance.md"
README = pathlib.Path(__file__).parent.parent / "README.md"
ROW = "| heyoka, "
"""How its row in the README begins; the time is the third cell."""

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
    parts = [HEAD.format(machine=machine["cpu"], **machine), *again(results), markdown(summary.table(results))]
    for name in SECTIONS:
        if name in results:
            section = importlib.import_module(f"sections.{name}")
            parts += [markdown(table) for table in section.tables(results[name])]
    return "\n".join(parts).rstrip() + "\n"


def again(results):
    """Which sections are of a later commit, if some were measured again by themselves."""
    later = results.get("again", {})
    titles = {name: importlib.import_module(f"sections.{name}").TITLE for name in later}
    for commit in dict.fromkeys(later.values()):
        names = ", ".join(titles[name] for name in SECTIONS if later.get(name) == commit)
        yield f"Measured again, by themselves, on the same machine at commit {commit}: {names}.\n"


def against_heyoka(results):
    """What the README says of the time, ours over theirs."""
    parts = []
    for way, shown in (("held", "by an object that is held"), ("solve", "by `solve`")):
        mean, behind, count = overall(results["any_accuracy"]["cells"], way)
        ahead = f"heyoka is ahead in {behind} of {count} cells" if behind else f"ours is ahead in all {count}"
        parts.append(f"{1 / mean:.2f} {shown} ({ahead})")
    return "attitude error on seven problems, geometric mean: " + ", ".join(parts)


def with_row(readme, cell):
    """The README with another third cell in heyoka's row."""
    lines = readme.splitlines()
    (at,) = (i for i, line in enumerate(lines) if line.startswith(ROW))
    cells = lines[at].split("|")
    cells[3] = f" {cell} "
    lines[at] = "|".join(cells)
    return "\n".join(lines) + "\n"


def main(source=OUT, target=PAGE, readme=README):
    """Read the JSON, write the page and the row."""
    target, readme = pathlib.Path(target), pathlib.Path(readme)
    results = json.loads(pathlib.Path(source).read_text())
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(page(results))
    print(f"Written: {target}")
    if results.get("any_accuracy", {}).get("cells"):
        readme.write_text(with_row(readme.read_text(), against_heyoka(results)))
        print(f"Written: {readme}")


if __name__ == "__main__":
    main(*sys.argv[1:])
