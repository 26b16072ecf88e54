"""Compare other packages' integrators of rigid bodies with each other and with the methods of the catalogue.

NAME is an engine (mujoco), one of its integrators (mujoco:rk4), a method of the catalogue, or module:attribute.
Without names: some of every engine that is installed; those that are not are listed as absent.
"""

from typing import Any

from polhode.cli.output import number, show, show_json, wants_progress

HELP = "compare other packages' integrators"
EXAMPLE = "  polhode engines VLV scipy:DOP853 mujoco"


def arguments(parser: Any) -> None:
    """What the verb takes."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="engines or integrators (default: some of each engine)"
    )
    parser.add_argument(
        "--t-end", type=number, default=500.0, metavar="T", help="span of the stress test (default: 500)"
    )
    parser.add_argument("--list", action="store_true", help="only list the integrators of every engine")


def run(arguments: Any) -> Any:
    """Measure, print."""
    from polhode.testbench.peers import installed
    from polhode.views.engines import engines_notes, engines_table, list_table

    if arguments.list:
        there = installed()
        show_json({"engines": there}) if arguments.json else show(list_table(there))
        return 0
    from polhode.testbench.certificate.certify import display
    from polhode.testbench.peers.across import Measured, across

    with display(wants_progress(), total=None) as tick:
        rows = across(arguments.names, arguments.t_end, tick)
    if arguments.json:
        data: dict[str, list[Any]] = {"absent": [], "integrators": []}
        for row in rows:
            data["integrators" if isinstance(row, Measured) else "absent"].append(vars(row))
        show_json(data | {"h": 0.125, "t_end": arguments.t_end})
    else:
        show(engines_table(rows), *engines_notes(rows))
    return 0
