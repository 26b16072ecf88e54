"""What a step takes: timed before anything is measured, on the states that measurements begin with."""

import statistics
import time

from polhode.testbench.certificate.running.guard import NO_RETURN, OwnTime, Refused, guarded
from polhode.testbench.certificate.running.look import Look, states
from polhode.testbench.certificate.running.pace import Cost
from polhode.testbench.certificate.running.questions import ASKED_STEP
from polhode.testbench.certificate.states.battery import RADIANS, State
from polhode.testbench.certificate.states.cases import stress

TIMED_AT_ONCE = 5  # steps of a call that is timed
STEPS_ALONG, STRESS_STEP = 24, 0.125  # steps along the motion of the stress test that are timed, and their size
LONGEST_SECONDS = 5.0  # after which they are ended
TIMED_ONCE_SECONDS = 0.05  # seconds a step, from which on no more than a step is timed


def cost_of(look: Look) -> Cost:
    """What a step takes, and what a call and a large step do if that is not next to nothing; rounded, so that two looks
    at the same integrator have the same plan."""
    state, free = states("potential")[0], states("free")[0]
    look.pace.cost = Cost(step=_shortest(look, state, ASKED_STEP, 1))
    if not look.pace.is_counted:
        return look.pace.cost
    single = look.pace.cost.step
    if single > TIMED_ONCE_SECONDS:
        return Cost(single, single, along=single).rounded()
    step = min(max((_shortest(look, state, ASKED_STEP, TIMED_AT_ONCE) - single) / (TIMED_AT_ONCE - 1), 0.0), single)
    call = single - step
    large = [step]
    for radians in RADIANS[2:]:
        try:
            large.append(_shortest(look, free, free.step(radians), 1) - call)
        except Refused:
            break
    return Cost(step, max(step, sum(large[1:]) / max(len(large) - 1, 1)), call, seconds_a_step(look)).rounded()


def seconds_a_step(look: Look) -> float:
    """Seconds a step of some along the motion of the stress test, each a call of its own, as there: their median, since
    now and then one takes far longer on a busy machine. None for one that raises there, which the test will tell."""
    p, taken = stress(), []

    def some() -> None:
        state = p.Q0, p.Omega0
        for k in range(STEPS_ALONG):
            own = OwnTime()
            state = look.run(p, *state, STRESS_STEP, 1, p.t0 + k * STRESS_STEP)
            taken.append(own.seconds)

    _, why = guarded(some, LONGEST_SECONDS)
    return statistics.median(taken or [LONGEST_SECONDS if NO_RETURN in why else 0.0])


def _shortest(look: Look, state: State, h: float, steps: int) -> float:
    """The time of a call, as the shortest of three, computing or asleep. The system tells late how long a thread has
    waited: over so short a time what was computed is the lower bound."""
    p, taken = state.problem, []
    for _ in range(3):
        own, computing = OwnTime(), time.thread_time()
        look.run(p, p.Q0, p.Omega0, h, steps, p.t0)
        taken.append(max(own.seconds, time.thread_time() - computing))
    return min(taken)
