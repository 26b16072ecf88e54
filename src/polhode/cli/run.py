"""Integrate a problem by a method; print a summary, and save the trajectory or a plot of it if asked."""

import pathlib

from polhode.cli.output import number, show, show_json, wants_progress, whole

HELP = "integrate a problem by a method"
EXAMPLE = "  polhode run VLV stress --h 0.125 --t-end 1000 --save-every 8 --out run.nc --plot run.png"


def arguments(parser):
    """What the verb takes."""
    parser.add_argument("method", metavar="METHOD", help="a method, see polhode list methods")
    parser.add_argument("problem", metavar="PROBLEM", help="a problem, see polhode list problems")
    parser.add_argument("--h", type=number, metavar="H", help="step size (default: the problem's)")
    parser.add_argument("--t-end", type=number, metavar="T", help="end of the interval (default: the problem's)")
    parser.add_argument("--save-every", type=whole, default=1, metavar="K", help="keep every K-th state (default: 1)")
    parser.add_argument("--out", metavar="FILE", help="save the trajectory as netCDF")
    parser.add_argument("--plot", metavar="FILE", help="draw energy, momentum and velocity: PNG, SVG or PDF")


def run(arguments):
    """Integrate, save, print."""
    from polhode.problems.catalogue import problem
    from polhode.report.files import check_folder, folder_for_results
    from polhode.solve import solve

    files = [pathlib.Path(f) for f in (arguments.out, arguments.plot) if f]
    for file in files:
        check_folder(file.parent)
    trajectory = solve(
        problem(arguments.problem),
        arguments.method,
        h=arguments.h,
        t_end=arguments.t_end,
        save_every=arguments.save_every,
        progress=wants_progress(),
    )
    for file in files:
        folder_for_results(file.parent)
    if arguments.out:
        trajectory.save(arguments.out)
    if arguments.plot:
        _plot(trajectory, arguments.plot)
    data = summary(trajectory) | {"files": [str(f) for f in files]}
    show_json(data) if arguments.json else show(_table(trajectory, data))
    if not trajectory.success and not arguments.json:
        show(trajectory.message)
    return 0 if trajectory.success else 1


def summary(s):
    """What a run was and did, as plain data."""
    data = {"method": s.method, "problem": s.problem_name, "h": s.h, "t0": s.t[0], "t_end": s.t[-1], "states": len(s.t)}
    if s.problem.has_potential:
        error = s.energy_error
        data |= {"energy_error_end": error[-1], "energy_error_largest": abs(error).max()}
    data |= {"orthogonality_largest": s.orthogonality.max(), **s.stats}
    return data | {"success": s.success, "message": s.message}


def _plot(trajectory, path):
    from polhode.figures.style import write
    from polhode.report.files import written

    written(path, lambda p: write(trajectory.plot(), p))


def _table(trajectory, data):
    from rich.table import Table

    table = Table(title=f"{trajectory.method} on {trajectory.problem_name}", title_justify="left", show_header=False)
    table.add_column(style="bold")
    table.add_column(justify="right")
    for key, label in LABELS.items():
        if data.get(key) is not None:
            value = data[key]
            table.add_row(label, f"{value:.6g}" if isinstance(value, float) else str(value))
    for file in data["files"]:
        table.add_row("written", file)
    return table


LABELS = {
    "h": "step size",
    "t0": "from t",
    "t_end": "to t",
    "n_steps": "steps",
    "states": "states kept",
    "energy_error_end": "E - E(0) at the end",
    "energy_error_largest": "largest |E - E(0)| kept",
    "orthogonality_largest": "largest |Q^T Q - I|",
    "n_torque": "torque evaluations",
    "n_iterations": "iterations",
    "compiled": "compiled",
    "wall_time": "seconds",
}
