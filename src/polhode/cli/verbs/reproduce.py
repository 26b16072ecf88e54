"""Measure a published figure or table again, or all of them, and compare with the print.

Prints the result and writes a page that opens without a network, the numbers (JSON) and, for a figure, PNG and SVG.
`all` writes a gallery of all of them, and every statement of the papers with its number and verdict. Results are kept:
a second run only draws them again, and a run that was killed goes on. --again measures anew what is kept.
"""

import argparse
import sys

from polhode.cli.output import show, show_json, wants_progress
from polhode.cli.workers import add_workers, given_workers

HELP = "measure a published figure or table again"
EXAMPLE = (
    "  polhode reproduce --list\n  polhode reproduce ortolan-saccon-2012-table-1\n"
    "  polhode reproduce all --out results/papers"
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the verb takes."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="a figure or table, see --list; or all")
    parser.add_argument("--list", action="store_true", help="list what can be reproduced, one line each")
    parser.add_argument("--again", action="store_true", help="measure now, also what is kept from an earlier run")
    parser.add_argument(
        "--out",
        metavar="FOLDER",
        help="folder for page, numbers and figure (default: results/reproduce/NAME; none with --json)",
    )
    add_workers(parser)


def run(arguments: argparse.Namespace) -> int:
    """List; or measure, print, write."""
    from polhode.testbench.papers.catalogue import REPRODUCTIONS, reproduction

    if arguments.list:
        rows = [{"name": r.name, "title": r.title, "source": r.source} for r in REPRODUCTIONS]
        if arguments.json:
            show_json({"reproductions": rows})
        else:
            width = max(len(r["name"]) for r in rows)
            print("\n".join(f"{r['name']:{width}}  {r['title']}" for r in rows))
        return 0
    if str(arguments.name).lower() == "all":
        return run_all(arguments)
    from polhode.testbench.papers.reproduce import reproduce
    from polhode.views.files import check_folder
    from polhode.views.reproduce import save

    chosen = reproduction(arguments.name)
    folder = arguments.out or (None if arguments.json else f"results/reproduce/{chosen.name}")
    if folder is not None:
        check_folder(folder)
    result = reproduce(chosen.name, again=arguments.again, progress=wants_progress(), workers=given_workers(arguments))
    paths = save(result, folder) if folder is not None else {}
    if arguments.json:
        show_json(result.to_dict() | {"files": {k: str(p) for k, p in paths.items()}})
    else:
        show(*result.show())
        show("Written: " + ", ".join(str(p) for p in paths.values()))
    return 0


def run_all(arguments: argparse.Namespace) -> int:
    """All of them, with a line on standard error for each as it is done."""
    from polhode.views.files import check_folder
    from polhode.views.gallery import reproduce_all

    folder = arguments.out or "results/reproduce/all"
    check_folder(folder)
    report = lambda line: print(line, file=sys.stderr, flush=True)
    gallery = reproduce_all(folder, arguments.again, report, given_workers(arguments))
    if arguments.json:
        show_json(gallery.to_dict())
        return 0
    for result in gallery.results.values():
        verdicts = [s.verdict for s in result.said]
        tally = ", ".join(f"{verdicts.count(v)} {v}" for v in dict.fromkeys(verdicts))
        show(f"{result.heading}: {tally or 'no statement of its own'}")
    from polhode.views.audit import counts

    tally = ", ".join(f"{n} {verdict}" for verdict, n in counts(gallery.checked).items())
    show(
        f"{len(gallery.checked)} statements: {tally}. {gallery.measured} results measured in this run, all done in "
        f"{gallery.seconds:.0f} s.",
        f"Written: {gallery.index}",
    )
    return 0
