"""`reproduce`: a published figure or table, measured again."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from polhode.inputs import checked_call, flag
from polhode.runs.crews.workers import mapped
from polhode.testbench.certificate.certify import display
from polhode.testbench.papers.reproduced import Tick, silent

ALL = "all"


@checked_call
def reproduce(name: str, *, again: bool = False, progress: bool = False, workers: Any = None) -> Any:
    """Measure a published figure or table again, and return its result; a dict of all 24 by name for "all".

    A result has `said` (what the paper says of it, with verdicts), `figure()`, `show()`, `page()` and `to_dict()`.

    Parameters
    ----------
    name : str
        as `polhode reproduce --list` lists them: "krysl-endres-2005-figure-7"
    again : bool
        measure now, also where the result of an earlier run is kept (those of other versions never are used)
    progress : bool
        show what is being measured
    workers : None, int, executor, Dask client or "dask"
        who measures, as for `sweep`; what is about processor time is measured here, when nothing else runs

    Returns
    -------
    Reproduced
        Or a dict of all 24, by name, for "all".

    Raises
    ------
    InputError
        A name that is none; near ones are offered.
    """
    from polhode.testbench.papers.catalogue import REPRODUCTIONS, reproduction

    again, progress = flag("again", again), flag("progress", progress)
    chosen = REPRODUCTIONS if str(name).lower() == ALL else (reproduction(name),)
    with display(progress, total=None) as tick:
        results = measured(chosen, again, workers, tick=tick)
    return results if str(name).lower() == ALL else results[chosen[0].name]


def measured(
    chosen: Sequence[Any],
    again: bool,
    workers: Any,
    report: Callable[[Any, float], None] = lambda spec, seconds: None,
    tick: Tick = silent,
) -> dict[str, Any]:
    """The results of specifications, by name.

    `report` is called with each that is finished and the seconds it took; `tick` with what this process is measuring.
    """
    from polhode.testbench.papers import store

    if workers is None:
        return {spec.name: _measured_here(spec, again, report, tick) for spec in chosen}
    alone = [spec for spec in chosen if getattr(spec, "timed", False)]
    together = [spec for spec in chosen if spec not in alone]
    done = mapped(workers, _one, [(spec, again) for spec in together], lambda k, one: report(together[k], one[1]))
    results = {spec.name: result for spec, (result, _) in zip(together, done)}
    for spec in alone:
        results[spec.name] = _measured_here(spec, again, report, tick)
    for spec in together:
        store.HERE[store.entry(spec)] = results[spec.name]  # measured by others, for this process
    return {spec.name: results[spec.name] for spec in chosen}


def _one(spec: Any, again: bool, tick: Tick = silent) -> tuple[Any, float]:
    """One result, and the seconds that it took."""
    from polhode.testbench.papers import store

    begin = time.perf_counter()
    return store.measured(spec, tick, again), time.perf_counter() - begin


def _measured_here(spec: Any, again: bool, report: Callable[[Any, float], None], tick: Tick) -> Any:
    """One result, measured here."""
    result, seconds = _one(spec, again, tick)
    report(spec, seconds)
    return result
