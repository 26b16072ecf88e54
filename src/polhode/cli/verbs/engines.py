"""Compare other packages' integrators of rigid bodies with each other and with the methods of the catalogue.

NAME is an engine (mujoco), one of its integrators (mujoco:rk4), a method of the catalogue, or module:attribute.
Without names: some of every engine that is installed; those that are not are listed as absent.
"""

from typing import Any

from polhode.cli.output import number, show, show_json, wants_progress

HELP = "compare other packages' integrators"
EXAMPLE = "  polhode engines VLV scipy:DOP853 mujoco\n  polhode engines --html engines.html"


def arguments(parser: Any) -> None:
    """What the verb takes."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="engines or integrators (default: some of each engine)"
    )
    parser.add_argument(
        "--t-end", type=number, default=500.0, metavar="T", help="span of the stress test (default: 500)"
    )
    parser.add_argument("--html", metavar="FILE", help="write the table as a page")
    parser.add_argument("--list", action="store_true", help="only list the integrators of every engine")


def run(arguments: Any) -> Any:
    """Measure, print, write."""
    from polhode.inputs import file_path
    from polhode.testbench.peers import installed
    from polhode.views.engines import (
        engines_notes,
        engines_page,
        engines_table,
        is_missing,
        list_table,
        missing_table,
    )
    from polhode.views.files import check_file, written

    if arguments.list:
        there = installed()
        show_json({"engines": there}) if arguments.json else show(list_table(there))
        return 0
    import datetime

    from polhode import __version__
    from polhode.testbench.certificate.certify import display
    from polhode.testbench.peers.across import Measured, across

    path = None if arguments.html is None else file_path("--html", arguments.html)
    if path is not None:
        check_file(path)
    with display(wants_progress(), total=None) as tick:
        rows = across(arguments.names, arguments.t_end, tick)
    if path is not None:
        text = engines_page(rows, arguments.t_end, __version__, datetime.date.today().isoformat())
        written(path, lambda file: file.write_text(text, encoding="utf-8"))
    if arguments.json:
        data: dict[str, list[Any]] = {"absent": [], "integrators": []}
        for row in rows:
            data["integrators" if isinstance(row, Measured) else "absent"].append(vars(row))
        show_json(data | {"h": 0.125, "t_end": arguments.t_end})
    else:
        show(*([] if all(map(is_missing, rows)) else [engines_table(rows)]), *engines_notes(rows), *missing_table(rows))
        if path is not None:
            show(f"Written: {arguments.html}")
    return 0
