"""Measure how fast errors fall with the step, and the orders that follow, with uncertainties.

Attitude, momentum, energy and phase are measured apart, against the exact solution. Prints a table and writes a figure
(PNG, SVG), a page that opens without a network, and the numbers (JSON).
"""

import argparse
from typing import Any

from polhode.cli.output import number, show, show_json, wants_progress, whole
from polhode.cli.problems import add_settings, given_problem
from polhode.cli.workers import add_workers, given_workers

HELP = "measure orders of convergence, of any methods on any problem"
EXAMPLE = "  polhode converge VLV RKMK4 mymodule:my_step --problem stress --t-end 5"


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the verb takes."""
    shared(parser)
    add_workers(parser)


def shared(parser: argparse.ArgumentParser) -> None:
    """What both verbs that study errors take."""
    parser.add_argument(
        "methods", nargs="*", metavar="METHOD", help="methods, see polhode list; or module:attribute (default: five)"
    )
    parser.add_argument(
        "--problem",
        default="stress",
        metavar="NAME",
        help="a problem, see polhode list; or module:attribute (default: stress)",
    )
    add_settings(parser)
    parser.add_argument("--t-end", type=number, metavar="T", help="end of the interval (default: 10, or the problem's)")
    parser.add_argument("--steps", nargs="+", type=whole, metavar="N", help="numbers of steps, multiples of 4")
    parser.add_argument(
        "--adaptive",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="show SciPy's DOP853 and LSODA and, where installed, heyoka",
    )
    parser.add_argument(
        "--out", metavar="FOLDER", help="folder for figure, page and numbers (default: results/VERB; none with --json)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Measure, print, write."""
    from polhode.testbench.convergence.study import converge

    return measured(arguments, converge, adaptive=bool(arguments.adaptive), workers=given_workers(arguments))


def measured(arguments: argparse.Namespace, study: Any, **more: Any) -> int:
    """Run a study of errors, print it and write its files."""
    from polhode.views.convergence import notes
    from polhode.views.files import check_folder

    folder = arguments.out or (None if arguments.json else f"results/{arguments.verb}")
    if folder is not None:
        check_folder(folder)
    result = study(
        given_problem(arguments.problem, arguments.set),
        arguments.methods or None,
        arguments.t_end,
        steps=arguments.steps,
        progress=wants_progress(),
        **more,
    )
    paths = result.save(folder) if folder is not None else {}
    if arguments.json:
        show_json(result.to_dict() | {"files": {k: str(p) for k, p in paths.items()}})
        return 0
    show(result.table(), *notes(result), "Written: " + ", ".join(str(p) for p in paths.values()))
    return 0
