"""Measure what an integrator does: order, symmetry, symplecticity, invariants, drift, cost.

NAME is a method of the catalogue, or module:attribute for one of your own: a Method, or a plain function
step(problem, Q, Omega, h, t) -> (Q1, Omega1).
"""

from typing import Any

from polhode.cli.output import show, show_json, wants_progress

HELP = "measure what an integrator does, shipped or your own"
EXAMPLE = "  polhode certify VLV\n  polhode certify mymodule:my_step --html certificate.html"


def arguments(parser: Any) -> None:
    """What the verb takes."""
    parser.add_argument("name", help="a method, see polhode list; or module:attribute")
    parser.add_argument("--html", metavar="FILE", help="write the certificate as a page")
    parser.add_argument("--no-drift", action="store_true", help="leave out the stress test")


def run(arguments: Any) -> Any:
    """Measure, print, write."""
    from polhode.inputs import file_path
    from polhode.integrators.lookup import integrator
    from polhode.testbench.certificate.certify import certify
    from polhode.views.certificate import certificate_notes, certificate_page
    from polhode.views.files import check_folder, written

    page = None if arguments.html is None else file_path("--html", arguments.html)
    if page is not None:
        check_folder(page.parent)
    c = certify(integrator(arguments.name), drift=not arguments.no_drift, progress=wants_progress())
    if page is not None:
        written(page, lambda path: path.write_text(certificate_page(c), encoding="utf-8"))
    if arguments.json:
        show_json(c.to_dict())
    else:
        show(c.table(), *certificate_notes(c))
        if page is not None:
            show(f"Written: {arguments.html}")
    return 0
