"""Measure a published figure or table again, and compare it with the print.

Prints the result and writes a page that opens without a network, the numbers (JSON) and, for a figure, PNG and SVG.
"""

from typing import Any

from polhode.cli.output import show, show_json, wants_progress

HELP = "measure a published figure or table again"
EXAMPLE = "  polhode reproduce --list\n  polhode reproduce ortolan-saccon-2012-table-1"


def arguments(parser: Any) -> None:
    """What the verb takes."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="a figure or table, see --list")
    parser.add_argument("--list", action="store_true", help="list what can be reproduced, one line each")
    parser.add_argument(
        "--out",
        metavar="FOLDER",
        help="folder for page, numbers and figure (default: results/reproduce/NAME; none with --json)",
    )


def run(arguments: Any) -> Any:
    """List; or measure, print, write."""
    from polhode.testbench.papers.catalogue import REPRODUCTIONS, reproduction

    if arguments.list:
        found = [{"name": r.name, "title": r.title, "source": r.source} for r in REPRODUCTIONS]
        if arguments.json:
            show_json({"reproductions": found})
        else:
            width = max(len(r["name"]) for r in found)
            print("\n".join(f"{r['name']:{width}}  {r['title']}" for r in found))
        return 0
    from polhode.testbench.certificate.certify import display
    from polhode.views.files import check_folder
    from polhode.views.reproduce import save

    chosen = reproduction(arguments.name)
    folder = arguments.out or (None if arguments.json else f"results/reproduce/{chosen.name}")
    if folder is not None:
        check_folder(folder)
    with display(wants_progress()) as tick:
        result = chosen.run(tick)
    paths = save(result, folder) if folder is not None else {}
    if arguments.json:
        show_json(result.to_dict() | {"files": {k: str(p) for k, p in paths.items()}})
    else:
        show(*result.show())
        show("Written: " + ", ".join(str(p) for p in paths.values()))
    return 0
