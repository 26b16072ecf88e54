"""Integrate a problem by a method; print a summary, and save the trajectory or a plot of it if asked.

States go to the file of --out as they come, so that memory does not grow with the run; the file says success = 0 until
the run has ended. With --checkpoint a run that was interrupted, or killed, goes on by the same command and ends bit for
bit where it would have ended.
"""

import dataclasses
from collections.abc import Iterator
from typing import Any

from polhode.cli.output import number, show, show_json, wants_progress, whole
from polhode.cli.problems import add_settings, given_problem

HELP = "integrate a problem by a method"
EXAMPLE = """  polhode run VLV stress --h 0.125 --t-end 1000 --out run.nc --plot run.png
  polhode run auto stress --accuracy 1e-8 --t-end 100
  polhode run VLV mine:body --set k=3 --h 0.01 --t-end 10 --csv run.csv

10^9 steps, a thousand states kept, energy looked at every tenth step; after Ctrl-C or a kill the same command goes on
  polhode run VLV stress --h 0.125 --n-steps 1e9 --save-every 1000000 \\
      --out run.nc --checkpoint run.ckpt \\
      --reduce energy momentum --reduce-every 10"""

PICTURES = (".png", ".svg", ".pdf")
ROWS_AT_ONCE = 65_536
"""States that the summary reads at once: the file of a long run does not fit in memory."""


def arguments(parser: Any) -> None:
    """What the verb takes."""
    parser.add_argument(
        "method", metavar="METHOD", help="a method, see polhode list; module:attribute; auto with --accuracy"
    )
    parser.add_argument("problem", metavar="PROBLEM", help="a problem, see polhode list; or module:attribute")
    add_settings(parser)
    parser.add_argument("--h", type=number, metavar="H", help="step size (default: the problem's)")
    parser.add_argument(
        "--accuracy", type=number, metavar="E", help="error of the attitude, in radians, in place of a step"
    )
    end = parser.add_mutually_exclusive_group()
    end.add_argument("--t-end", type=number, metavar="T", help="end of the interval (default: the problem's)")
    end.add_argument(
        "--n-steps", type=whole, metavar="N", help="number of steps, instead of --t-end; 1e9 is understood"
    )
    parser.add_argument("--save-every", type=whole, default=1, metavar="K", help="keep every K-th state (default: 1)")
    parser.add_argument("--out", metavar="FILE", help="write the states kept as netCDF, while the run goes on")
    parser.add_argument("--csv", metavar="FILE", help="write the states kept as a table, when the run has ended")
    parser.add_argument("--plot", metavar="FILE", help="draw energy, momentum and velocity: PNG, SVG or PDF")
    parser.add_argument(
        "--checkpoint", metavar="FILE", help="write what the run needs to go on; if FILE exists, go on from there"
    )
    parser.add_argument(
        "--checkpoint-every", type=number, default=60.0, metavar="SECONDS", help="time between two (default: 60)"
    )
    parser.add_argument(
        "--reduce",
        nargs="+",
        default=(),
        metavar="QUANTITY",
        help="least, greatest, mean and slope of energy, momentum, momentum_x ... or an invariant over the run, "
        "without keeping it",
    )
    parser.add_argument(
        "--reduce-every", type=whole, default=1, metavar="K", help="look at them every K-th step (default: 1)"
    )


def run(arguments: Any) -> Any:
    """Integrate, save, print."""
    from polhode.inputs import file_path
    from polhode.integrators.lookup import integrator
    from polhode.runs.files import places
    from polhode.runs.solve import solve
    from polhode.views.figures.style import check_name
    from polhode.views.files import check_folder, folder_for_results

    body = given_problem(arguments.problem, arguments.set)
    method = "auto" if arguments.method.lower() == "auto" else integrator(arguments.method)
    outputs = {"--out": arguments.out, "--plot": arguments.plot, "--csv": arguments.csv}
    outputs["--checkpoint"] = arguments.checkpoint
    paths = {label: file_path(label, f) for label, f in outputs.items() if f is not None}
    for label, path in paths.items():
        places.target(path, label)
    if "--plot" in paths:
        check_name(paths["--plot"])
    files = [paths[label] for label in ("--out", "--plot", "--csv") if label in paths]
    folders = {f.parent for f in paths.values()}
    for look in (check_folder, folder_for_results):
        for folder in folders:
            look(folder)
    trajectory = solve(
        body,
        method,
        h=arguments.h,
        accuracy=arguments.accuracy,
        t_end=arguments.t_end,
        n_steps=arguments.n_steps,
        save_every=arguments.save_every,
        progress=wants_progress(),
        out=arguments.out,
        checkpoint=arguments.checkpoint,
        checkpoint_every=arguments.checkpoint_every,
        reduce=arguments.reduce,
        reduce_every=arguments.reduce_every,
        on_failure="return",
    )
    if arguments.plot is not None:
        _plot(trajectory, arguments.plot)
    if arguments.csv is not None:
        trajectory.to_csv(arguments.csv)
    lost = arguments.out is not None and trajectory.stats["file"] is None  # replaced under the run, with a warning
    files = files[1:] if lost else files
    data = summary(trajectory) | {"reduce_every": arguments.reduce_every, "files": [str(f) for f in files]}
    show_json(data) if arguments.json else show(*_tables(trajectory, data))
    if not trajectory.success and not arguments.json:
        show(trajectory.message, *_how_to_go_on(trajectory, arguments))
    return 0 if trajectory.success and not lost else 1


def summary(s: Any) -> Any:
    """What a run was and did, as plain data."""
    data = {"method": s.method, "problem": s.problem_name, "h": s.h, "t0": s.t[0], "t_end": s.t[-1], "states": len(s.t)}
    data |= _extremes(s) | s.stats
    if s.reductions:
        data["reductions"] = {name: dataclasses.asdict(r) for name, r in s.reductions.items()}
    if s.error_estimate is not None:
        data["error_estimate"] = s.error_estimate
    return data | {"success": s.success, "message": s.message}


def _extremes(s: Any) -> Any:
    """Energy errors, where there is an energy, and the largest |Q^T Q - I|; a piece at a time."""
    first, end, largest, worst = None, 0.0, 0.0, 0.0
    for part in _parts(s):
        worst = max(worst, part.orthogonality.max())
        if s.problem.has_potential:
            first = part.energy[0] if first is None else first
            error = part.energy - first
            end, largest = error[-1], max(largest, abs(error).max())
    data = {"energy_error_end": end, "energy_error_largest": largest} if s.problem.has_potential else {}
    return data | {"orthogonality_largest": worst}


def _parts(s: Any) -> Iterator[Any]:
    """The trajectory in pieces that fit in memory, in order."""
    for i in range(0, len(s.t), ROWS_AT_ONCE):
        piece = slice(i, i + ROWS_AT_ONCE)
        columns = {"t": s.t[piece], "Q": s.Q[piece], "Omega": s.Omega[piece]}
        yield dataclasses.replace(s, **columns, saved={k: v[piece] for k, v in s.saved.items()})


def _how_to_go_on(trajectory: Any, arguments: Any) -> Iterator[Any]:
    if trajectory.stats["interrupted"] and not arguments.checkpoint:
        yield "With --checkpoint FILE the same command, run again, would have gone on from there."


def _plot(trajectory: Any, path: Any) -> None:
    from polhode.views.figures.style import write
    from polhode.views.files import written

    written(path, lambda p: write(trajectory.plot(), p))


def _tables(trajectory: Any, data: Any) -> Iterator[Any]:
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
    yield table
    if trajectory.reductions:
        yield _reductions(trajectory.reductions, data["reduce_every"])


def _reductions(reductions: Any, every: Any) -> Any:
    """Least, greatest, mean and slope of each quantity, as differences from the start."""
    from rich.table import Table

    looks = "every step" if every == 1 else f"every {every} steps"
    table = Table(title=f"over the whole run, {looks}; x0 is the value at the start", title_justify="left")
    for column in ("x", "x0", "least x - x0", "greatest x - x0", "mean x - x0", "slope per unit of time"):
        table.add_column(column, justify="left" if column == "x" else "right")
    for name, r in reductions.items():
        differences = [f"{x - r.first:.4g}" for x in (r.min, r.max, r.mean)]
        table.add_row(name, f"{r.first:.10g}", *differences, f"{r.slope:.3g} +- {r.slope_error:.1g}")
    return table


LABELS = {
    "h": "step size",
    "t0": "from t",
    "t_end": "to t",
    "n_steps": "steps",
    "resumed_at": "continued at step",
    "states": "states kept",
    "energy_error_end": "E - E(0) at the end",
    "energy_error_largest": "largest |E - E(0)| kept",
    "error_estimate": "error of the attitude, estimated",
    "orthogonality_largest": "largest |Q^T Q - I|",
    "n_torque": "torque evaluations",
    "n_iterations": "iterations",
    "compiled": "compiled",
    "wall_time": "seconds",
}
