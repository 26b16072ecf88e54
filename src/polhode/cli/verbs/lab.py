"""Write the lab: two integrators side by side in a browser, as one page that works without a network.

Choose a body, a field, two methods and a step; both bodies turn, with the polhode on the momentum sphere and the
ellipsoid, and the errors of energy and momentum grow under them. The methods are the kernels of this library.
"""

import sys
from typing import Any

from polhode.cli.output import show_json

HELP = "write the lab, a page where two integrators run side by side"
EXAMPLE = "  polhode lab --out results/lab"


def arguments(parser: Any) -> None:
    """What the verb takes."""
    parser.add_argument("--out", default="results/lab", metavar="FOLDER", help="its folder (default: results/lab)")
    parser.add_argument("--no-open", action="store_true", help="only write it; otherwise a browser opens at a terminal")


def run(arguments: Any) -> Any:
    """Write, open."""
    from polhode.views.files import check_folder
    from polhode.views.lab.contents import printable
    from polhode.views.lab.page import save

    check_folder(arguments.out)
    path = save(arguments.out)
    size = path.stat().st_size
    names = [m.name for m in printable()]
    if arguments.json:
        show_json({"files": {"page": str(path)}, "bytes": size, "methods": names})
        return 0
    print(f"Written: {path} ({size / 1000:.0f} kB, {len(names)} methods)")
    if sys.stdout.isatty() and not arguments.no_open:
        import webbrowser

        webbrowser.open(path.resolve().as_uri())
    return 0
