"""Integrate a problem over axes, as a plan in a TOML file says; on one core, several processes or a Dask cluster.

The result is a Zarr store, which xarray opens; a sweep that was stopped goes on by the same command.
"""

import argparse
import tomllib
from typing import Any

from polhode.cli.output import show, show_json, wants_progress
from polhode.cli.workers import add_workers, given_workers
from polhode.errors import InputError, one_line

HELP = "integrate a problem over axes, by a plan"
EXAMPLE = """  polhode sweep plan.toml --workers 4

plan.toml:
  problem = "stress"                  # or "mine:body", an attribute of a module
  method = "VLV"
  h = 0.125
  t_end = 100
  out = "sweep.zarr"
  [over]
  inertia = [[2, 2, 4], [2, 2.2, 4]]  # numbers: { from = 1, to = 10, n = 20 }
  [over.draw]                         # a thousand random bodies, axis "draw"
  draws = 1000
  rng = 1
  Omega0 = { normal = [0, 0, 0.625], spread = 0.05 }"""

SETTINGS = (
    "problem",
    "method",
    "h",
    "t_end",
    "n_steps",
    "save_every",
    "final",
    "reduce",
    "reduce_every",
    "events",
    "terminal",
    "direction",
    "crossings",
    "chunk",
    "grid",
    "out",
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the verb takes."""
    parser.add_argument("plan", metavar="PLAN", help="a TOML file; or the store of a sweep, to go on with it")
    parser.add_argument("--out", metavar="FOLDER", help="the store (default: that of the plan)")
    add_workers(parser)


def run(arguments: argparse.Namespace) -> int:
    """Sweep, and say what came out."""
    import pathlib

    from polhode.runs.sweeps.sweep import resume, sweep

    progress = wants_progress()
    workers = given_workers(arguments)
    if pathlib.Path(arguments.plan).is_dir():
        s = resume(arguments.plan, workers=workers, progress=progress)
    else:
        plan = read_plan(arguments.plan)
        if arguments.out:
            plan["out"] = arguments.out
        if "out" not in plan:
            raise InputError('The plan names no store: write out = "sweep.zarr" in it, or give --out.')
        s = sweep(plan.pop("problem"), workers=workers, progress=progress, **plan)
    status = s["status"].values
    counts = {"bodies": int(status.size), "failed": int((status > 0).sum()), "missing": int((status < 0).sum())}
    if arguments.json:
        show_json({"store": s.attrs["store"], "hash": s.attrs["hash"], **counts, "dimensions": dict(s.sizes)})
    else:
        show(f"{s.attrs['store']}: {counts['bodies']} bodies, {counts['failed']} failed, {counts['missing']} missing")
        show(f"variables {', '.join(s.data_vars)}; open it with polhode.open_sweep or xarray.open_zarr")
    return 1 if counts["missing"] else 0


def read_plan(path: str) -> dict[str, Any]:
    """The arguments of `sweep` from a TOML file."""
    from polhode.runs.sweeps.draws import draws

    try:
        with open(path, "rb") as file:
            plan = tomllib.load(file)
    except (OSError, ValueError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"The plan {one_line(path)} cannot be read: {error}.") from None
    unknown = sorted(set(plan) - {*SETTINGS, "over"})
    if unknown or not isinstance(plan.get("over"), dict) or "problem" not in plan:
        wrong = f"it has {', '.join(unknown)}" if unknown else "problem or [over] is missing"
        raise InputError(f"The plan {path}: {wrong}. A plan has {', '.join(SETTINGS)} and [over].")
    over = {}
    for name, values in plan["over"].items():
        if isinstance(values, dict) and "draws" in values:
            how = {k: _drawn(k, v) for k, v in values.items() if k not in ("draws", "rng")}
            over[name] = draws(values["draws"], rng=values.get("rng", 0), **how)
        else:
            over[name] = _values(name, values)
    events = {name: _attribute(f) for name, f in plan.get("events", {}).items()} or None
    return {**plan, "over": over, "problem": _attribute(plan["problem"]), "events": events}


def _attribute(name: Any) -> Any:
    """The object that "module:attribute" names; any other name as it is."""
    from polhode.integrators.users_modules import attribute

    return attribute(name) if isinstance(name, str) and ":" in name else name


def _values(name: str, values: Any) -> Any:
    """A list, or {from, to, n} with log = true for equal ratios."""
    if not isinstance(values, dict):
        return values
    import numpy as np

    if not {"from", "to", "n"} <= set(values) <= {"from", "to", "n", "log"}:
        raise InputError(f"{name} is {one_line(values)}; give a list, or {{ from = 1, to = 10, n = 20 }}.")
    space = np.geomspace if values.get("log") else np.linspace
    return space(values["from"], values["to"], values["n"])


def _drawn(name: str, how: Any) -> Any:
    """ "uniform", { normal = mean, spread = s }, or { uniform = [least, greatest] }."""
    import functools

    if isinstance(how, dict) and set(how) == {"normal", "spread"}:
        return functools.partial(_normal, how["normal"], how["spread"])
    if isinstance(how, dict) and set(how) == {"uniform"} and len(how["uniform"]) == 2:
        return functools.partial(_uniform, *how["uniform"])
    if how == "uniform":
        return how
    raise InputError(
        f'The draw of {name} is {one_line(how)}; give "uniform" (Q0), {{ normal = mean, spread = s }} or '
        "{ uniform = [least, greatest] }."
    )


def _normal(mean: Any, spread: Any, rng: Any, n: int) -> Any:
    import numpy as np

    return np.asarray(mean, float) + spread * rng.standard_normal((n, *np.shape(mean)))


def _uniform(least: Any, greatest: Any, rng: Any, n: int) -> Any:
    import numpy as np

    return rng.uniform(least, greatest, size=(n, *np.broadcast_shapes(np.shape(least), np.shape(greatest))))
