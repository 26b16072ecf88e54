"""Measure the energy drift of methods, with uncertainty and verdict.

Without arguments: the test of Ortolan & Saccon (2012), its methods and both its step sizes. Prints a table and
writes a figure (PNG, SVG), a page that opens without a network, and the numbers (JSON).
"""

from typing import Any

from polhode.cli.output import number, show, show_json, wants_progress, whole
from polhode.cli.problems import add_settings, given_problem
from polhode.cli.workers import add_workers, given_workers
from polhode.testbench.drift.study import ORTOLAN_SACCON as PAPER

HELP = "measure the energy drift of methods: the main job, no arguments needed"
EXAMPLE = "  polhode stress --methods ELN VLV --h 0.125 0.25 --t-end 10000"


def arguments(parser: Any) -> None:
    """What the verb takes."""
    sizes = " ".join(f"{h:g}" for h in PAPER.h)
    parser.add_argument(
        "--methods",
        nargs="+",
        metavar="NAME",
        help=f"methods, see polhode list; module:attribute (default: {' '.join(PAPER.methods)})",
    )
    parser.add_argument(
        "--h",
        nargs="+",
        type=number,
        default=PAPER.h,
        metavar="H",
        help=f"step sizes: two confirm a drift, three test its law (default: {sizes})",
    )
    parser.add_argument(
        "--t-end", type=number, default=PAPER.t_end, metavar="T", help=f"end of the interval (default: {PAPER.t_end:g})"
    )
    parser.add_argument(
        "--ensemble", type=whole, default=8, metavar="N", help="starts per method and step (default: 8)"
    )
    parser.add_argument(
        "--problem",
        default=PAPER.problem,
        metavar="NAME",
        help=f"a problem with a potential, or module:attribute (default: {PAPER.problem})",
    )
    add_settings(parser)
    parser.add_argument(
        "--random", type=whole, metavar="N", help="N stress problems drawn at random instead, the same every time"
    )
    parser.add_argument(
        "--out",
        metavar="FOLDER",
        help="folder for figure, page and numbers (default: results/stress; none with --json)",
    )
    add_workers(parser)


def run(arguments: Any) -> Any:
    """Measure, print, write."""
    from polhode.testbench.drift.stress import stress
    from polhode.views.files import check_folder
    from polhode.views.terminal import stress_notes

    if arguments.random:
        return run_family(arguments)
    folder = arguments.out or (None if arguments.json else "results/stress")
    if folder is not None:
        check_folder(folder)
    result = stress(
        arguments.methods,
        h=arguments.h,
        t_end=arguments.t_end,
        ensemble=arguments.ensemble,
        problem=given_problem(arguments.problem, arguments.set),
        progress=wants_progress(),
        workers=given_workers(arguments),
    )
    paths = result.save(folder) if folder is not None else {}
    if arguments.json:
        show_json(result.to_dict() | {"files": {k: str(p) for k, p in paths.items()}})
        return 0
    show(result.table(), *stress_notes(result))
    show("Written: " + ", ".join(str(p) for p in paths.values()))
    return 0


def run_family(arguments: Any) -> Any:
    """The same on random problems: a table, or JSON."""
    from polhode.testbench.drift.stress import stress
    from polhode.views.files import as_json, check_folder, folder_for_results, written
    from polhode.views.terminal import proven

    if arguments.out is not None:
        check_folder(arguments.out)
    result = stress(
        arguments.methods,
        h=arguments.h,
        t_end=arguments.t_end,
        ensemble=arguments.ensemble,
        random=arguments.random,
        progress=wants_progress(),
        workers=given_workers(arguments),
    )
    if arguments.json:
        show_json(result.to_dict())
    else:
        show(result.table(), *proven([row.method for row in result.rows if row.proven]))
    if arguments.out is not None:
        text = as_json(result.to_dict()) + "\n"
        file = folder_for_results(arguments.out) / "stress-random.json"
        written(file, lambda p: p.write_text(text, encoding="utf-8"))
    return 0
