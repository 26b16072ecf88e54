"""`reproduce`: a published figure or table, measured again."""

from typing import Any

from polhode.inputs import checked_call, flag
from polhode.testbench.certificate.certify import display

ALL = "all"


@checked_call
def reproduce(name: str, *, again: bool = False, progress: bool = False) -> Any:
    """Measure a published figure or table again, and return its result; a dict of all 24 by name for "all".

    name      as `polhode reproduce --list` lists them: "krysl-endres-2005-figure-7"
    again     measure now, also where the result of an earlier run is kept (those of other versions never are used)
    progress  show what is being measured

    A result has `said` (what the paper says of it, with verdicts), `figure()`, `show()`, `page()` and `to_dict()`.
    """
    from polhode.testbench.papers import store
    from polhode.testbench.papers.catalogue import REPRODUCTIONS, reproduction

    again, progress = flag("again", again), flag("progress", progress)
    chosen = REPRODUCTIONS if str(name).lower() == ALL else (reproduction(name),)
    found: dict[str, Any] = {}
    with display(progress, total=None) as tick:
        for spec in chosen:
            found[spec.name] = store.measured(spec, tick, again)
    return found if str(name).lower() == ALL else found[chosen[0].name]
