"""The loop whose steps have lengths of their own: it saves where it is asked to, watches, and knows no pace.

A pace is (go, inside, about), two kernels and what they are about:

    go(about, t_end, state, clock, body) -> state after the next step, its clock, iterations, error, what is inside
    inside(about, s, h, t, state, inner, body) -> (q, Pi) a time s behind the begin of that step, of length h

No step goes beyond t_end. The error is zero, or the step has not been taken. Of a clock the first two numbers are the
time and what rounding has added to it; the rest is the pace's own. ``adapting.py`` has the pace that is reversible,
``integrators/embedded.py`` the one of a controller.

Rows are states after steps, (q, Pi, t); samples are states at times that are given, inside steps, which do not know of
them: a run takes the same steps whatever it is asked to show.
"""

from typing import Any, TypeAlias

from polhode.kernels.loop import keep, sum_of
from polhode.kernels.numbers import Body, Condition, Kernel, Number, State
from polhode.kernels.scalar import kernel
from polhode.kernels.watching import NODES, may_cross, seen_by

Moment: TypeAlias = tuple[Number, State]
"""A time, and the state there."""


@kernel
def advance_paced(
    pace: Any,
    events: tuple[Kernel, Any, int],
    body: Body,
    limit: tuple[Number, int],
    state: State,
    clock: Any,
    rows: tuple[Any, Any, Any, int],
) -> Any:
    """Take n steps, or as many as it takes to t_end; after each write (q, Pi, t) to the next row of `out`.

    The limit is (t_end, n). The rows are (out, times, samples, at): `samples` gets (q, Pi) at `times`, from number `at`
    on. The events are (watch, look, count): `watch` says of each step whether one of the `count` functions that `look`
    is about may change its sign in it. Returns the steps taken, the next sample, iterations, the error of a step that
    failed, state and clock, and whether the next step is one to look at.
    """
    (go, inside, about), (watch, look, count) = pace, events
    (t_end, n), (out, times, samples, at) = limit, rows
    iterations = 0
    for i in range(n):
        t = clock[0]
        if t == t_end:
            return i, at, iterations, 0.0, state, clock, False
        after, later, its, error, inner = go(about, t_end, state, clock, body)
        q, Pi, tau, t_after = after[0], after[1], after[2], later[0]
        total = sum_of(q, Pi, tau)
        if not (error == 0 and total - total == 0):
            return i, at, iterations + its, 1.0 * error, state, clock, False
        h = t_after - t
        if watch(pace, look, count, body, (t, state), inner, (t_after, after)):
            return i, at, iterations, 0.0, state, clock, True
        while at < len(times) and (times[at] - t_after) * h <= 0:
            if times[at] == t_after:
                keep(samples, at, q, Pi)
            else:
                q_here, Pi_here = inside(about, times[at] - t, h, t, state, inner, body)
                keep(samples, at, q_here, Pi_here)
            at += 1
        iterations += its
        state, clock = after, later
        keep(out, i, q, Pi)
        out[i, 7] = t_after
    return n, at, iterations, 0.0, state, clock, False


@kernel
def unwatched(pace: Any, look: Any, count: int, body: Body, begin: Moment, inner: Any, end: Moment) -> Condition:
    """Nothing is watched."""
    return False


@kernel
def watched(pace: Any, look: Any, count: int, body: Body, begin: Moment, inner: Any, end: Moment) -> Condition:
    """Whether a function may change its sign in a step, as ``watching.py`` says."""
    (_, inside, about), (t, state), (t_after, after) = pace, begin, end
    h = t_after - t
    q1, Pi1 = inside(about, NODES[0] * h, h, t, state, inner, body)
    q2, Pi2 = inside(about, NODES[1] * h, h, t, state, inner, body)
    q3, Pi3 = inside(about, NODES[2] * h, h, t, state, inner, body)
    for k in range(count):
        a = seen_by(look, k, t, state[0], state[1], body)
        b = seen_by(look, k, t + NODES[0] * h, q1, Pi1, body)
        c = seen_by(look, k, t + NODES[1] * h, q2, Pi2, body)
        d = seen_by(look, k, t + NODES[2] * h, q3, Pi3, body)
        e = seen_by(look, k, t_after, after[0], after[1], body)
        if may_cross(a, b, c, d, e):
            return True
    return False
