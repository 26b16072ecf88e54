"""Measure what an integrator does: order, symmetry, symplecticity, invariants, drift, cost.

NAME is a method of the catalogue, or module:attribute for one of your own: a Method, or a plain function
step(problem, Q, Omega, h, t) -> (Q1, Omega1).
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
    parser.add_argument("name", nargs="+", help="a method, see polhode list; or module:attribute")
    parser.add_argument("--html", metavar="FILE", help="write the certificate as a page; of several, a folder of pages")
    parser.add_argument("--how", action="store_true", help="say how each property was measured")
    parser.add_argument("--no-drift", action="store_true", help="leave out the stress test")
    parser.add_argument(
        "--seconds", type=number, metavar="S", help="about how long a function of your own may take (default: 30)"
    )
    add_workers(parser)


def run(arguments: Any) -> Any:
    """Measure, print, write."""
    from polhode.inputs import file_path
    from polhode.integrators.lookup import integrator
    from polhode.testbench.certificate.certify import certify
    from polhode.views.certificate import certificate_notes, certificate_page
    from polhode.views.files import check_folder, written

    if len(arguments.name) > 1:
        return run_several(arguments)
    page = None if arguments.html is None else file_path("--html", arguments.html)
    if page is not None:
        check_folder(page.parent)
    c = certify(
        integrator(arguments.name[0]),
        drift=not arguments.no_drift,
        progress=wants_progress(),
        workers=given_workers(arguments),
        **_given_seconds(arguments),
    )
    if page is not None:
        written(page, lambda path: path.write_text(certificate_page(c), encoding="utf-8"))
    if arguments.json:
        show_json(c.to_dict())
    else:
        show(c.table(how=arguments.how), *certificate_notes(c))
        if page is not None:
            show(f"Written: {arguments.html}")
    return 0


def _given_seconds(arguments: Any) -> dict[str, float]:
    """The seconds, if they were given."""
    return {} if arguments.seconds is None else {"seconds": arguments.seconds}


def run_several(arguments: Any) -> int:
    """The same of several integrators, in one table."""
    from polhode.testbench.certificate.certify import certify
    from polhode.views.certificate import certificate_page
    from polhode.views.files import check_folder, folder_for_results, written

    if arguments.html is not None:
        check_folder(arguments.html)
    certificates = certify(
        arguments.name,
        drift=not arguments.no_drift,
        progress=wants_progress(),
        workers=given_workers(arguments),
        **_given_seconds(arguments),
    )
    if arguments.html is not None:
        folder = folder_for_results(arguments.html)
        for c in certificates:
            html = certificate_page(c)
            written(folder / f"{file_name(c.method)}.html", lambda p, html=html: p.write_text(html, encoding="utf-8"))
    if arguments.json:
        show_json(certificates.to_dict())
    else:
        show(certificates.table(), *(c.summary for c in certificates))
        if arguments.html is not None:
            show(f"Written: {arguments.html}")
    return 0


def file_name(method: str) -> str:
    """The name of a method as that of a file."""
    return "".join(c if c.isalnum() or c in "-_.[]" else "-" for c in method)
