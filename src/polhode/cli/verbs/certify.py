"""Measure what an integrator does: order, symmetry, symplecticity, invariants, drift, cost.

NAME is a method of the catalogue, as polhode list has them; another package's integrator, "scipy:RK45", as polhode
engines --list has them; or module:attribute for one of your own: a plain function step(problem, Q, Omega, h, t) ->
(Q1, Omega1), a Method, or a BlackBox around a simulator that can only be run, advance(problem, Q, Omega, h, n, t).
"""

from typing import Any

from polhode.cli.output import number, show, show_json, wants_progress
from polhode.cli.workers import add_workers, given_workers

HELP = "measure what an integrator does, shipped or your own"
EXAMPLE = (
    "  polhode certify VLV\n  polhode certify mymodule:my_step --html certificate.html\n"
    "  polhode certify VLV ELN RATTLE --workers 2"
)


def arguments(parser: Any) -> None:
    """What the verb takes."""
    parser.add_argument(
        "name",
        nargs="+",
        help="a method, see polhode list; package:integrator, see polhode engines --list; or module:attribute",
    )
    parser.add_argument(
        "--html",
        metavar="FILE",
        help="write the certificate as a page, FILE.html; of several, one page, or a folder if FILE has no .html",
    )
    parser.add_argument("--how", action="store_true", help="say how each property was measured")
    parser.add_argument("--no-drift", action="store_true", help="leave out the stress test")
    parser.add_argument(
        "--seconds", type=number, metavar="S", help="about how long a function of your own may take (default: 30)"
    )
    add_workers(parser)


def run(arguments: Any) -> Any:
    """Measure, print, write."""
    from polhode.testbench.certificate.certify import certify
    from polhode.views.certificate import certificate_notes

    is_one = len(arguments.name) == 1
    check_page(arguments.html, is_one)
    c = certify(
        arguments.name[0] if is_one else arguments.name,
        drift=not arguments.no_drift,
        progress=wants_progress(),
        workers=given_workers(arguments),
        **_given_seconds(arguments),
    )
    if arguments.html is not None:
        write_page(c, arguments.html)
    if arguments.json:
        show_json(c.to_dict())
        return 0
    if is_one:
        show(c.table(how=arguments.how), *certificate_notes(c))
    else:
        show(c.table(), *(one.summary for one in c if one.properties))
    if arguments.html is not None:
        show(f"Written: {arguments.html}")
    return 0


def _given_seconds(arguments: Any) -> dict[str, float]:
    """The seconds, if they were given."""
    return {} if arguments.seconds is None else {"seconds": arguments.seconds}


def check_page(name: str | None, is_one: bool) -> None:
    """Raise the error that writing it would raise, before work is done for it."""
    from polhode.errors import FileError, one_line
    from polhode.inputs import file_path, folder_path
    from polhode.views.certificate import PAGES
    from polhode.views.files import check_folder

    if name is None:
        return
    path = folder_path("--html", name)
    if is_one or path.suffix:
        check_folder(file_path("--html", name).parent)
        if path.suffix not in PAGES:
            folder = "" if is_one else ", or without an end, for a folder of pages"
            raise FileError(f"--html is {one_line(name)}; give a name that ends in .html{folder}.")
    else:
        check_folder(path)


def write_page(c: Any, name: str) -> None:
    """One page; of several, a folder if the name has no end."""
    from pathlib import Path

    from polhode.views.certificates import save_folder

    if Path(name).suffix:
        c.save(name)
    else:
        save_folder(c, name)
