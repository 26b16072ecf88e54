"""Measure what an integrator does: order, symmetry, symplecticity, invariants, drift, cost.

NAME is a method of the catalogue, as polhode list has them; another package's integrator, "scipy:RK45", as polhode
engines --list has them; or module:attribute for one of your own: a plain function step(problem, Q, Omega, h, t) ->
(Q1, Omega1), a Method, or a BlackBox around a simulator that can only be run, advance(problem, Q, Omega, h, n, t).
The module may be given as a file, too, mine.py:step.

Exit codes: 0 if all were measured and contradict nothing that a Method claims of itself; 1 if one does not run, was
left out by Ctrl-C, or contradicts a claim; 2 if nothing was measured for a wrong name, option or file.
"""

import sys
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
    from polhode.views.certificate import certificate_notes
    from polhode.views.certificates import together

    is_one = len(arguments.name) == 1
    check_page(arguments.html, is_one)
    for name in arguments.name:
        say_what_is_read(name)
    c = measured(arguments, arguments.name[0] if is_one else arguments.name)
    all_of_them = [c] if is_one else list(c)
    if arguments.json:
        show_json(c.to_dict())
    elif is_one:
        show(c.table(how=arguments.how), *certificate_notes(c))
    else:
        show(*(one.table(how=True) for one in c if one.properties and arguments.how), *together(c))
    if arguments.html is not None:
        write_page(c, arguments.html)
        if not arguments.json:
            show(f"Written: {arguments.html}")
    return int(any(not one.properties or one.contradictions for one in all_of_them))


def measured(arguments: Any, names: Any) -> Any:
    """The certificates. Those that were finished when Ctrl-C came are shown, and one sentence says that it came."""
    import warnings

    from polhode.errors import RunWarning
    from polhode.testbench.certificate.certify import certify

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Interrupted", RunWarning)
        c = certify(
            names,
            drift=not arguments.no_drift,
            progress=wants_progress(),
            workers=given_workers(arguments),
            **_given_seconds(arguments),
        )
    if left := getattr(c, "interrupted", ()):
        print(f"polhode certify: interrupted; not measured: {', '.join(left)}.", file=sys.stderr)
    return c


def say_what_is_read(name: str) -> None:
    """Tell a name that the catalogue takes for one of its own, though it is spelled otherwise, or is also yours."""
    from polhode.integrators.lookup import listed
    from polhode.integrators.users_modules import modules_with, or_yours

    found = listed(name)
    if found is None or name == found.name or (name.lower() == found.name.lower() and not modules_with(name)):
        return
    print(f"polhode certify: {name} is read as {found.name} of the catalogue{or_yours(name)}.", file=sys.stderr)


def _given_seconds(arguments: Any) -> dict[str, float]:
    """The seconds, if they were given."""
    return {} if arguments.seconds is None else {"seconds": arguments.seconds}


def check_page(name: str | None, is_one: bool) -> None:
    """Raise the error that writing it would raise, before work is done for it."""
    from polhode.errors import FileError, one_line
    from polhode.inputs import file_path, folder_path
    from polhode.views.certificate import PAGES
    from polhode.views.files import check_file, check_folder

    if name is None:
        return
    path = folder_path("--html", name)
    if is_one or path.suffix:
        if path.suffix.lower() not in PAGES:
            folder = "" if is_one else ", or without an end, for a folder of pages"
            raise FileError(f"--html is {one_line(name)}; give a name that ends in .html{folder}.")
        check_file(file_path("--html", name))
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
