"""Compile every method and every shipped problem once, so that later runs start at once.

Machine code is kept between processes in a cache (POLHODE_CACHE moves it); what is in it already is not compiled
again.
"""

import contextlib
import functools
import signal
import threading
import time
from typing import Any

from polhode.cli.output import show, show_json, wants_progress

HELP = "compile everything once, so that later runs start at once"
EXAMPLE = "  polhode warm-cache\n  polhode warm-cache --problems mymodule:body --methods VLV"


def arguments(parser: Any) -> None:
    """What the verb takes."""
    parser.add_argument("--methods", nargs="+", metavar="NAME", help="only these methods (default: all)")
    parser.add_argument(
        "--problems",
        nargs="+",
        metavar="NAME",
        help="only these problems, or module:attribute for your own; with --methods, one body and many (default: all)",
    )
    parser.add_argument("--reduce", action="store_true", help="also the loops that reduce energy and momentum")


def run(arguments: Any) -> Any:
    """Compile, with a progress bar, and say how long it took."""
    from polhode.cli.problems import given_problem
    from polhode.integrators.lookup import method, methods
    from polhode.machine import COMPILED, cache_folder, energies
    from polhode.physics.catalogue import problem, problems
    from polhode.runs.ensemble.solve import solve_ensemble
    from polhode.runs.solve import solve

    def compile_problem(p: Any) -> Any:
        return p.machine_torque, p.has_potential and p.machine_potential

    def compile_method(m: Any) -> None:
        for reduce in ((), ("momentum",)) if arguments.reduce else ((),):
            solve(problem("free-body"), m, h=0.01, n_steps=3, compiled=True, reduce=reduce)

    def compile_pair(p: Any, m: Any) -> None:
        solve(p, m, h=0.01, n_steps=1)
        e = solve_ensemble(p, m, Omega0=[p.Omega0] * 16, h=0.01, n_steps=1)
        if p.has_potential:
            _ = e.energy  # as the reductions of a sweep look at it

    chosen = [method(name) for name in arguments.methods] if arguments.methods else list(methods().values())
    jobs: list[tuple[str, Any]] = [("energies", energies)]
    if arguments.problems:
        own = [given_problem(name) for name in arguments.problems]
        jobs += [(p.name, functools.partial(compile_problem, p)) for p in own]
        if arguments.methods:
            jobs += [(f"{m.name} on {p.name}", functools.partial(compile_pair, p, m)) for p in own for m in chosen]
    else:
        makers = problems().items()
        jobs += [(name, functools.partial(lambda make: compile_problem(make()), make)) for name, make in makers]
    jobs += [(m.name, functools.partial(compile_method, m)) for m in chosen]
    seconds = {}
    with _bar(len(jobs)) as tick, _Patient() as patient:
        for k, (name, job) in enumerate(jobs, 1):
            if patient.interrupted:
                raise KeyboardInterrupt
            begin = time.perf_counter()
            job()
            seconds[name] = time.perf_counter() - begin
            tick(k)
    data = {
        "kernels": len(COMPILED),
        "compiled": sum(not from_cache for _, from_cache in COMPILED),
        "seconds": sum(seconds.values()),
        "slowest": dict(sorted(seconds.items(), key=lambda item: -item[1])[:5]),
        "cache": cache_folder(),
    }
    show_json(data) if arguments.json else show(_sentence(data))
    return 0


class _Patient:
    """Notes Ctrl-C, however often, and lets it take effect between two kernels: it must not end a compiler at work."""

    interrupted = False

    def __enter__(self) -> Any:
        self._ours = threading.current_thread() is threading.main_thread()
        if self._ours:
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def _note(self, number: Any, frame: Any) -> None:
        self.interrupted = True

    def __exit__(self, *exception: Any) -> Any:
        if self._ours:
            signal.signal(signal.SIGINT, self._before or signal.SIG_DFL)  # None: not set from Python
        return False


def _bar(total: Any) -> Any:
    if not wants_progress():
        return contextlib.nullcontext(lambda done: None)
    from polhode.runs.progress_bar import Bar

    return Bar(total, "compiling", unit="kernels")


def _sentence(data: Any) -> Any:
    slowest = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in data["slowest"].items())
    return (
        f"{data['compiled']} of {data['kernels']} kernels compiled, the others cached; {data['seconds']:.1f} s "
        f"(slowest: {slowest}). The cache is {data['cache']}."
    )
