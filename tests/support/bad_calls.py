"""Bad calls of every public function: each argument in turn, and some pairs, replaced by a value that may be wrong.

A call may give a result, or one sentence (InputError); anything else is a fault. `scripts/fuzz_inputs.py` makes many of
them, `test_inputs.py` some.
"""

import contextlib
import io
import pathlib
import random
import signal
import tempfile
import warnings

import numpy as np

import polhode as ph


class Spiteful:
    """Whatever is asked of it, it raises."""

    def _raise(self, *arguments):
        raise RuntimeError("spite")

    __float__ = __int__ = __iter__ = __array__ = __fspath__ = __repr__ = as_matrix = _raise


def endless():
    """Numbers without an end."""
    while True:
        yield 1.0


def pool(folder):
    """Values that may be wrong, made anew for each call: some of them can be used up."""
    plain = [None, True, False, np.True_, -1, 0, 1, 2, 3, 7, 2**60, 2**53 + 1, 2**63, 2**64, 10**400, 10**5000]
    texts = ["x", "", "1", "nan", "VLV", "stress", "VLV/S4", "x" * 10**5, "a\0b", "\ud800", b"", b"abc", bytearray(3)]
    floats = [0.5, -0.0, 1e-320, 1e-300, 1e300, np.inf, -np.inf, np.nan, 1j, np.complex64(2), np.float32(1)]
    several = [[], (), {}, set(), [1], [1, 2, 3], (0.1, 0.2, 0.3), [[1, 2], [3]], ["a", "b", "c"], {"a": 1}, {1, 2}]
    objects = [object(), object, Spiteful(), range(3), range(10**9), endless(), iter([1, 2, 3]), memoryview(b"abc")]
    functions = [lambda *a: None, lambda Q: 1.0, lambda t, Q: (0.0, 0.0, 0.0), len, int, np, ph, ph.solve, ...]
    arrays = [np.zeros(0), np.zeros(3), np.ones((3, 3)), np.eye(3), np.zeros((0, 3)), np.full(3, np.nan), np.ones(17)]
    odd = [np.ones(3, complex), np.ones(3, bool), np.array([1, "x"], object), np.array("x"), np.array(1.0)]
    odder = [np.array(["2020"], "M8[D]"), np.ma.masked, np.ones((5, 3)), np.ones((2, 3, 3)), np.ones(3, [("a", float)])]
    files = [pathlib.Path(folder), pathlib.Path(folder) / "a.nc", "/dev/null", "/dev/full", "/proc/x/y", "x/" * 5000]
    ours = [ph.problem("stress"), ph.method("VLV"), ph.BlackBox("box", lambda *a: None), ph.Order((1, 1), (1, 1))]
    return plain + texts + floats + several + objects + functions + arrays + odd + odder + files + ours


def calls(folder):
    """By name: a public function, and arguments with which it gives a result in a moment."""
    run = ph.solve("free-body", "SR2", h=0.05, n_steps=40, compiled=False)
    free = {"inertia": (1, 2, 2.5), "Omega0": (0.1, 1, 0)}
    start = {"Omega0": (0.1, 1, 0), "Q0": (0.1, 0, 0), "h": 0.1, "t_end": 1.0, "name": "n"}
    short = {"h": 0.125, "n_steps": 3, "compiled": False}
    tableau = ph.Tableau("Heun", ((0, 0), (1, 0)), ("1/2", "1/2"))
    own = {"name": "own", "step": ph.method("VLV").step, "order": 2, "aliases": (), "title": "", "sources": ()}
    claims = {"symmetric": True, "drift": "none", "nodes": 0, "start": ph.method("VLV").start, "torques_per_step": 1}
    film = {"t_span": (0.0, 0.5), "seconds": 1.0, "fps": 4, "shape": None, "elevation": 18.0, "azimuth": 35.0}
    saved = str(run.save(pathlib.Path(folder) / "run.nc"))
    kernels = {"torque": lambda t, Q, par: (0.0, 0.0, 0.0), "potential": None, "parameters": (1.0,), "name": "k"}
    wall = {"point_body": (0, 0, 1), "distance": 2.0, "attraction": 1.0, "repulsion": 1.0, "powers": (6, 12)}
    more = {"reduce": (), "reduce_every": 1, "save_every": 1, "out": None, "checkpoint": None, "progress": False}
    every = {"Q0": None, "Omega0": None, "Pi0": None, "parameters": None, "inertia": None, "threads": 1}
    quick = {"methods": (still,), "h": 0.5, "t_end": 100.0, "ensemble": 1, "problem": "stress", "random": None}
    return {
        "Problem": (
            ph.Problem,
            free
            | {"Q0": None, "potential": None, "torque": None, "torque_space": None, "t0": 0.0, "invariants": None}
            | {"name": "n", "h": 0.1, "t_end": 1.0, "breaks": ()},
        ),
        "Problem, Pi0": (ph.Problem, {"inertia": np.diag((1, 2, 2.5)), "Pi0": (0, 0, 1)}),
        "Problem.from_kernels": (ph.Problem.from_kernels, free | kernels),
        "replaced": (ph.problem("stress").replaced, {"Q0": None, "Omega0": None, "Pi0": None, "t0": None}),
        "solve": (ph.solve, {"problem": "stress", "method": "VLV"} | short | more | {"checkpoint_every": 60.0}),
        "solve, t_end": (ph.solve, {"problem": "stress", "method": still, "h": 0.125, "t_end": 1.0, "compiled": False}),
        "step": (
            ph.step,
            {"problem": "stress", "method": "VLV", "Q": (0, 0.7, 0), "Omega": (0, 0, 1), "h": 0.1, "t": 0.0},
        ),
        "solve_ensemble": (
            ph.solve_ensemble,
            {"problem": "stress", "method": still, "h": 0.125, "n_steps": 2, "save_every": 1, "progress": False}
            | every,
        ),
        "certify": (ph.certify, {"method": "none", "drift": False, "progress": False}),
        "stress": (ph.stress, quick | {"progress": False}),
        "recommend": (
            ph.recommend,
            {"free": False, "axisymmetric": False, "torque_cost": 1e-6, "accuracy": 1e-4, "horizon": 1e4, "keep": ()}
            | {"explicit": False, "simple": False, "count": 5},
        ),
        "converge": (
            ph.converge,
            {"problem": "free-body", "methods": "EXACT", "t_end": 1.0, "steps": (4, 8), "adaptive": False},
        ),
        "global_error": (ph.global_error, {"trajectory": run, "reference": None}),
        "compose": (ph.compose, {"method": "VLV", "scheme": "S4"}),
        "gauss": (ph.gauss, {"order": 4}),
        "dmv": (ph.dmv, {"order": 4, "substeps": 2}),
        "imr": (ph.imr, {"order": 4}),
        "jem": (ph.jem, {"order": 6}),
        "sr": (ph.sr, {"order": 4}),
        "time_transformed": (ph.time_transformed, {"order": 4, "complete": True}),
        "newmark": (ph.newmark, {"beta": 0.25, "gamma": 0.5}),
        "trapezoidal": (ph.trapezoidal, {"zeta": 0.5}),
        "munthe_kaas": (ph.munthe_kaas, {"tableau": tableau, "name": "a", "aliases": (), "drift": None, "sources": ()}),
        "crouch_grossman": (
            ph.crouch_grossman,
            {"tableau": tableau, "momentum": False, "name": "a", "aliases": (), "drift": None, "sources": ()},
        ),
        "Tableau": (ph.Tableau, {"name": "t", "A": ((0, 0), (1, 0)), "b": ("1/2", "1/2"), "c": ()}),
        "Method": (ph.Method, own | claims),
        "BlackBox": (ph.BlackBox, {"name": "b", "advance": still, "title": "", "tolerance": None}),
        "Order": (ph.Order, {"free": (2, 2), "torque": (2, 2)}),
        "problem": (ph.problem, {"name": "stress", "alpha": 0.3, "inertia": (2, 2, 4), "Qm": None, "Q0": (0, 0.7, 0)}),
        "problem, book-toss": (ph.problem, {"name": "book-toss", "dt": 0.05, "t_d": 2.0, "impulse_space": (0, 0.2, 0)}),
        "problem, lagrange-top": (ph.problem, {"name": "lagrange-top", "inertia": (1, 1, 0.5), "Omega0": (0, 0, 1)}),
        "problem, forced": (ph.problem, {"name": "forced", "force": (1, 1, 1), "frequency": 1.0}),
        "method": (ph.method, {"name": "VLV"}),
        "kernel": (ph.kernel, {"function": abs}),
        "load": (ph.load, {"path": saved}),
        "animate": (ph.animate, {"trajectory": run, "path": str(pathlib.Path(folder) / "film.html")} | film),
        "plot_trajectory": (ph.plot_trajectory, {"trajectory": None, "axes": None}),
        "plot_polhode": (ph.plot_polhode, {"trajectory": run, "axes": 3, "elevation": 1.0, "azimuth": 1.0}),
        "plot_axis_angle": (
            ph.plot_axis_angle,
            {"trajectory": run, "axes": 3, "levels": None, "marks": None, "elevation": 1.0, "azimuth": 1.0},
        ),
        "heavy_body": (
            ph.build.heavy_body,
            {"mass": 1.0, "centre_of_mass_body": (0, 0, 1), "inertia_pivot_body": (1, 1, 1), "gravity": 9.8} | start,
        ),
        "satellite": (
            ph.build.satellite,
            {"inertia_body": (1, 2, 2.5), "orbit_rate": 1.0, "position_space": (1, 0, 0), "t0": 0.0} | start,
        ),
        "magnetic_dipole": (
            ph.build.magnetic_dipole,
            {"inertia_body": (1, 2, 2.5), "moment_body": (0, 0, 1), "field_space": (1, 0, 0)} | start,
        ),
        "wall": (ph.build.wall, {"inertia_body": (1, 2, 2.5), "normal_space": (0, 0, 1)} | wall | start),
        "point_force": (
            ph.build.point_force,
            {"inertia_body": (1, 2, 2.5), "point_body": (0, 0, 1), "force_space": (0, 1, 0), "t0": 0.0} | start,
        ),
        "dist": (ph.dist, {"A": np.eye(3), "B": (0, 0, 1)}),
        "modified_hamiltonian": (ph.modified_hamiltonian, {"inertia": (1, 2, 2.5), "h": 0.1, "terms": 1}),
        "box": (ph.inertia.box, {"mass": 1.0, "lengths_body": (1, 2, 3)}),
        "ellipsoid": (ph.inertia.ellipsoid, {"mass": 1.0, "semi_axes_body": (1, 2, 3)}),
        "cylinder": (
            ph.inertia.cylinder,
            {"mass": 1.0, "radius": 1.0, "height": 1.0, "inner_radius": 0.0, "axis_body": (0, 0, 1)},
        ),
        "cone": (ph.inertia.cone, {"mass": 1.0, "radius": 1.0, "height": 1.0, "axis_body": (0, 0, 1)}),
        "point_masses": (ph.inertia.point_masses, {"masses": [1, 1], "positions_body": np.eye(3)[:2]}),
        "mesh": (ph.inertia.mesh, {"source": "x.stl", "mass": 1.0, "density": None, "scale": 1.0}),
        "read_mesh": (ph.inertia.read_mesh, {"path": "x.obj"}),
    }


def still(problem, Q, Omega, h, t):
    """A method that does nothing."""
    return Q, Omega


def faults(count, seed, only=None, seconds=60):
    """Make so many bad calls, each from its own seed; yields (name, what was replaced, fault) of the wrong ones."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):  # names of files among the values
        known = calls(folder)
        names = [only] if only else list(known)
        for k in range(count):
            rng = random.Random(f"{seed} {k}")
            name = names[k % len(names)]
            function, arguments = known[name]
            chosen = rng.sample(list(arguments), k=min(len(arguments), 1 + (rng.random() < 0.15)))
            values = pool(folder)
            places = {label: rng.randrange(len(values)) for label in chosen}
            given = arguments | {label: values[place] for label, place in places.items()}
            fault = outcome(function, given, seconds)
            if fault:
                yield name, {label: shown(values[place]) for label, place in places.items()}, fault


TEXTS = ("", "x", "-1", "0", "1", "3", "1e400", "nan", "inf", "-0.5", "0.5", "1e300", "9" * 5000, "x" * 5000, "VLV")
TEXTS += (
    "stress",
    "VLV/S4",
    ":",
    "os:",
    "os:path",
    ".x:y",
    "a b",
    "\u2603",
    "\ud800",
    ".",
    "/",
    "/dev/null",
    "/dev/full",
)
TEXTS += (
    "/dev/full",
    "--json",
    "--",
    "-h",
    "--x",
    "/proc/x/y",
    "a.xyz",
    "energy",
    "momentum",
    "scipy:",
    "scipy:x",
    "ELN",
)

LINES = {
    "run": (
        ["VLV", "stress", "--h", "0.125", "--n-steps", "3", "--save-every", "1", "--reduce-every", "1"],
        ("--out", "--plot", "--reduce"),
    ),
    "stress": (
        ["--methods", "VLV", "--h", "0.5", "--t-end", "100", "--ensemble", "1", "--json"],
        ("--out", "--problem", "--random"),
    ),
    "certify": (["none", "--no-drift"], ("--html",)),
    "engines": (["none", "--t-end", "100"], ("--list",)),
    "recommend": (["--accuracy", "1e-4", "--horizon", "1e4", "--count", "3", "--torque-cost", "1e-6"], ("--keep",)),
    "reproduce": (["none"], ("--list", "--out")),
    "list": (["methods"], ()),
    "cite": (["VLV"], ()),
    "warm-cache": (["--methods", "none"], ("--reduce",)),
}
"""Command lines that take a moment, and options that may be added to them."""


def line_faults(count, seed, seconds=60):
    """Run so many command lines with words replaced or added; yields (words, fault) of the wrong ones."""
    from polhode.cli.main import main

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for k in range(count):
            rng = random.Random(f"{seed} {k}")
            verb = list(LINES)[k % len(LINES)]
            words, options = list(LINES[verb][0]), LINES[verb][1]
            places = [i for i, word in enumerate(words) if not word.startswith("--")]
            for i in rng.sample(places, k=min(len(places), rng.randrange(3))):
                words[i] = rng.choice(TEXTS)
            if options and rng.random() < 0.4:
                words += [rng.choice(options), rng.choice(TEXTS)]
            if rng.random() < 0.1:
                words.insert(rng.randrange(len(words) + 1), rng.choice(TEXTS))
            sink = io.StringIO()
            with contextlib.redirect_stdout(sink), contextlib.redirect_stderr(sink):
                fault = outcome(lambda argv: _exit_code(main, argv), {"argv": [verb, *words]}, seconds)
            if fault:
                yield [word[:40] for word in (verb, *words)], fault


def _exit_code(main, argv):
    """Run a command line; a RuntimeError if it ends with another code than 0, 1 or 2."""
    try:
        code = main(argv)
    except SystemExit as end:  # of argparse
        code = end.code or 0
    if code not in (0, 1, 2):
        raise RuntimeError(f"exit code {code}")


def outcome(function, given, seconds):
    """What is wrong with the outcome of a call, or nothing."""

    def late(number, frame):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            function(**given)
    except ph.InputError as error:
        text, *listed = (
            str(error).strip().split("\n")
        )  # one sentence; a list of names may follow, a line for each family
        is_sentence = text and len(text) < 1500 and all(line.startswith("  ") for line in listed)
        return "" if is_sentence else f"no sentence: {text[:300]}"
    except TimeoutError:
        return f"nothing within {seconds} s"
    except BaseException as error:
        return f"{type(error).__name__}: {str(error)[:200]}"
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    return ""


def shown(value):
    """A value in a few letters."""
    try:
        return repr(value)[:60]
    except Exception:
        return type(value).__name__
