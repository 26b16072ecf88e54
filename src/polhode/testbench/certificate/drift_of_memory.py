"""The drift of a black box that remembers: its energy after longer and longer runs, each in one go. To sample one run,
as the stress test does, would restart it at every sample."""

import itertools
from collections.abc import Sequence
from functools import partial

import numpy as np

from polhode.physics.catalogue import problem
from polhode.physics.problem import Problem
from polhode.testbench.certificate.certificate import Property
from polhode.testbench.certificate.running.guard import NO_RETURN, guarded
from polhode.testbench.certificate.running.look import Look
from polhode.testbench.certificate.running.pace import would_decide
from polhode.testbench.certificate.states.cases import INERTIA

STEP = 0.125
SPANS = (10, 20, 40, 80, 160, 320)
LONGEST_SECONDS = 90.0  # seconds, after which a run is ended
BLOWN_UP = 0.1  # part of the energies by which an energy is off that blows up
STEADY_LOSS, STEADY_GROWTH = 0.02, 1.6  # part of the energies, and factor from one span to the next, twice as long
STEADY_SPANS = 4  # that show a steady growth


def drift_of_memory(look: Look, spans: Sequence[int] = SPANS) -> Property:
    """Yes where the energy is seen to blow up, or to grow or fall steadily; undecided otherwise. A run that raises, or
    does not return, is neither: what the shorter ones show counts."""
    seconds = [look.pace.cost.of(int(t / STEP), False) for t in spans]
    if seconds[0] > look.pace.left:
        how = f"energy after {spans[0]}, in one run: {would_decide(sum(seconds))}"
        return Property(None, None, "undecided", how)
    spans = [t for t, whole in zip(spans, itertools.accumulate(seconds)) if whole <= max(look.pace.left, seconds[0])]
    p = problem("stress", inertia=INERTIA)
    scale = abs(float(p.energy(p.Q0, p.Omega0))) + 1.0
    errors: list[float] = []
    why = ""
    for t in spans:
        error, why = _error(look, p, int(t / STEP))
        if why:
            break
        errors.append(error)
    if not errors:
        return Property(None, None, "undecided", f"energy after {spans[0]}, in one run: it {why}")
    times = ", ".join(str(t) for t in spans[: len(errors)])
    how = f"energy after {times}, each in one run, h = {STEP:g}: it has memory"
    done = spans[len(errors) - 1]
    is_lost = not errors[-1] < BLOWN_UP * scale
    if is_lost or (why and _blows_up(look, p, int(done / STEP), int(spans[len(errors)] / STEP), BLOWN_UP * scale)):
        return Property(None, None, "yes", f"{how}; it blows up", coverage="one body")
    rate = errors[-1] / done
    grows = [b / a for a, b in itertools.pairwise(errors[-STEADY_SPANS:]) if a > 0]
    is_steady = len(grows) == STEADY_SPANS - 1 and min(grows) > STEADY_GROWTH
    if errors[-1] > STEADY_LOSS * scale and is_steady:
        return Property(rate, None, "yes", f"{how}; it gains or loses steadily", bound=rate, coverage="one body")
    how += f"; |E - E(0)| = {errors[-1]:.0e}"
    how += f"; up to {spans[len(errors)]} it {why}" if why else ""
    return Property(rate, None, "undecided", how, bound=rate, coverage="one body")


def _error(look: Look, p: Problem, n: int) -> tuple[float, str]:
    """How far the energy is off after one run of n steps, or what it did in place of a result."""
    state, why = guarded(partial(look.run, p, p.Q0, p.Omega0, STEP, n, 0.0), LONGEST_SECONDS)
    if why:
        return np.nan, why
    with np.errstate(all="ignore"):
        return abs(float(p.energy(*state) - p.energy(p.Q0, p.Omega0))), ""


def _blows_up(look: Look, p: Problem, done: int, failed: int, limit: float) -> bool:
    """Whether the energy is lost before a run comes to where it gives no result: what blows up passes through all
    energies, what raises an exception does not."""
    while failed - done > 1 and look.pace.cost.of(failed, False) <= look.pace.left:
        n = (done + failed) // 2
        error, why = _error(look, p, n)
        if NO_RETURN in why:
            return False
        if not why and not error < limit:
            return True
        done, failed = (done, n) if why else (n, failed)
    return False
