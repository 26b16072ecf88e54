"""Rank the methods for a job by what was measured, and say why.

Without options: a run of 10 000 radians in a potential whose torque is as cheap as the stress test's, to four digits.
"""

from typing import Any

from polhode.cli.output import number, show, show_json, whole
from polhode.cli.problems import add_settings, given_problem
from polhode.errors import InputError
from polhode.integrators.properties import KEPT

HELP = "which method for which job, ranked by measurements"
EXAMPLE = "  polhode recommend --torque-cost 1e-3 --horizon 1e6 --keep momentum"


def arguments(parser: Any) -> None:
    """What the verb takes."""
    parser.add_argument(
        "--problem",
        metavar="PROBLEM",
        help="try the methods on this problem, or on module:attribute, and answer in its h",
    )
    add_settings(parser)
    parser.add_argument("--t-end", type=number, metavar="T", help="end of its interval (default: its own)")
    parser.add_argument("--free", action="store_true", help="no torque at all")
    parser.add_argument("--axisymmetric", action="store_true", help="the body's first two moments are equal")
    parser.add_argument("--torque-cost", type=number, metavar="S", help="seconds an evaluation of the torque takes")
    parser.add_argument(
        "--accuracy", type=number, default=1e-4, metavar="E", help="error of the attitude after half a turn (1e-4)"
    )
    parser.add_argument("--horizon", type=number, default=1e4, metavar="R", help="length of the run in radians (1e4)")
    parser.add_argument("--keep", nargs="+", default=(), metavar="WHAT", help=f"of {', '.join(KEPT)}: kept exactly")
    parser.add_argument("--explicit", action="store_true", help="only methods explicit in the torque")
    parser.add_argument("--simple", action="store_true", help="prefer short programs")
    parser.add_argument("--count", type=whole, default=5, metavar="N", help="how many to name (5)")


def run(arguments: Any) -> Any:
    """Rank, print."""
    from polhode.testbench.advice.recommend import recommend

    if arguments.set and arguments.problem is None:
        raise InputError("--set changes a problem, and there is none: give --problem NAME.")
    problem = None if arguments.problem is None else given_problem(arguments.problem, arguments.set)
    names = (
        "t_end",
        "free",
        "axisymmetric",
        "torque_cost",
        "accuracy",
        "horizon",
        "keep",
        "explicit",
        "simple",
        "count",
    )
    r = recommend(problem=problem, **{name: getattr(arguments, name) for name in names})
    if arguments.json:
        show_json(r.to_dict())
    else:
        show(r.table() if r.choices else "No method of the catalogue meets all of these wishes.")
    return 0
