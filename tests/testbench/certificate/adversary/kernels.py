"""Kernels that are right in floats, right in a form that other arithmetics cannot take, or wrong elsewhere."""

import math

import polhode as ph
from polhode.kernels.implicit import NO_SOLVE
from polhode.kernels.rotations import compose, exp, rotated, rotated_back, unit
from polhode.kernels.scalar import sqrt
from polhode.kernels.step import torque_at
from polhode.kernels.vectors import dot, lin

PRINTED = (
    *(0.1302024830888900, 0.5611629817751083, -0.3894749626448472, 0.1588419065551556),
    *(-0.3959038941332375, 0.1845396409783157, 0.2583743876863220, 0.2950117236093103),
)
"""Kahan and Li's order 8, 17 stages, with 16 digits."""
EIGHT = (*PRINTED, 1 - 2 * math.fsum(PRINTED), *reversed(PRINTED))


def turned(h, q, Pi, body, axis):
    angle = h * body[1][axis] * Pi[axis]
    turn = exp((angle * (axis == 0), angle * (axis == 1), angle * (axis == 2)))
    return compose(q, turn), rotated_back(turn, Pi)


def splitting(h, t, state, body):
    q, Pi, tau, memory = state
    Pi = lin(1, Pi, h / 2, tau)
    for axis, part in ((0, 2), (1, 2), (2, 1), (1, 2), (0, 2)):
        q, Pi = turned(h / part, q, Pi, body, axis)
    tau = torque_at(t + h, q, body)
    return (q, lin(1, Pi, h / 2, tau), tau, memory), NO_SOLVE


def hardly_damped(h, t, state, body):
    """The splitting with a damping of 1e-8, far below its error with any step that a run takes."""
    (q, Pi, tau, memory), info = splitting(h, t, state, body)
    return (q, lin(1 - 1e-8 * h, Pi, 0, Pi), tau, memory), info


def printed_digits(h, t, state, body):
    for c in EIGHT:
        state, _ = splitting(c * h, t, state, body)
        t = t + c * h
    return state, NO_SOLVE


def symplectic_euler(h, t, state, body):
    """A kick, then the axes in turn: order 1."""
    q, Pi, tau, memory = state
    Pi = lin(1, Pi, h, tau)
    for axis in range(3):
        q, Pi = turned(h, q, Pi, body, axis)
    return (q, Pi, torque_at(t + h, q, body), memory), NO_SOLVE


def large_turns(h, t, state, body):
    """The splitting up to 1 rad a step, and damped beyond it."""
    Pi, iJ = state[1], body[1]
    x, y, z = h * iJ[0] * Pi[0], h * iJ[1] * Pi[1], h * iJ[2] * Pi[2]
    if (x * x + y * y + z * z).real < 1:
        return splitting(h, t, state, body)
    (q, Pi, tau, memory), info = splitting(h, t, state, body)
    return (q, lin(1 - 0.02 * h, Pi, 0, Pi), tau, memory), info


def larger_turns(h, t, state, body):
    """The splitting up to 1 rad a step, beyond it the method of order 1, which is not symmetric, and soon lost."""
    Pi, iJ = state[1], body[1]
    x, y, z = h * iJ[0] * Pi[0], h * iJ[1] * Pi[1], h * iJ[2] * Pi[2]
    if (x * x + y * y + z * z).real < 1:
        return splitting(h, t, state, body)
    return symplectic_euler(h, t, state, body)


def by_math(h, t, state, body):
    """The splitting with math.sin and math.cos, which take floats only."""
    q, Pi, tau, memory = state
    Pi = lin(1, Pi, h / 2, tau)
    for axis, part in ((0, 2), (1, 2), (2, 1), (1, 2), (0, 2)):
        half = h / part * body[1][axis] * Pi[axis] / 2
        s = math.sin(half)
        turn = (math.cos(half), s * (axis == 0), s * (axis == 1), s * (axis == 2))
        q, Pi = compose(q, turn), rotated_back(turn, Pi)
    tau = torque_at(t + h, q, body)
    return (q, lin(1, Pi, h / 2, tau), tau, memory), NO_SOLVE


def cosines_of_floats(h, t, state, body):
    """The splitting with momenta turned by math.cos, which makes floats of its numbers: of a tiny step it is one."""
    q, Pi, tau, memory = state
    Pi = lin(1, Pi, h / 2, tau)
    for axis, part in ((0, 2), (1, 2), (2, 1), (1, 2), (0, 2)):
        a, i, j = h / part * body[1][axis] * Pi[axis], (axis + 1) % 3, (axis + 2) % 3
        s = math.sin(a / 2)
        q = compose(q, (math.cos(a / 2), s * (axis == 0), s * (axis == 1), s * (axis == 2)))
        x, y = math.cos(a) * Pi[i] + math.sin(a) * Pi[j], math.cos(a) * Pi[j] - math.sin(a) * Pi[i]
        Pi = (Pi[0], x, y) if axis == 0 else (y, Pi[1], x) if axis == 1 else (x, y, Pi[2])
    tau = torque_at(t + h, q, body)
    return (q, lin(1, Pi, h / 2, tau), tau, memory), NO_SOLVE


def of_length_three(h, t, state, body):
    """The splitting, whose quaternion has length three after each step."""
    (q, Pi, tau, memory), report = splitting(h, t, state, body)
    return (tuple_of(3 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), q), Pi, tau, memory), report


def tuple_of(c, q):
    return c * q[0], c * q[1], c * q[2], c * q[3]


def to_a_tolerance(h, t, state, body):
    """The variational Lie-Verlet method, iterated until nothing changes by more than 1e-15."""
    q, Pi, tau, memory = state
    J, iJ = body[0], body[1]
    b = lin(1, Pi, h / 2, tau)
    w = (iJ[0] * Pi[0], iJ[1] * Pi[1], iJ[2] * Pi[2])
    for _ in range(200):
        m = (J[0] * w[0], J[1] * w[1], J[2] * w[2])
        k = w[0] * m[0] + w[1] * m[1] + w[2] * m[2]
        n0 = iJ[0] * (b[0] + h / 2 * (m[1] * w[2] - m[2] * w[1]) - h * h / 4 * k * w[0])
        n1 = iJ[1] * (b[1] + h / 2 * (m[2] * w[0] - m[0] * w[2]) - h * h / 4 * k * w[1])
        n2 = iJ[2] * (b[2] + h / 2 * (m[0] * w[1] - m[1] * w[0]) - h * h / 4 * k * w[2])
        change = (n0 - w[0]) * (n0 - w[0]) + (n1 - w[1]) * (n1 - w[1]) + (n2 - w[2]) * (n2 - w[2])
        w = (n0, n1, n2)
        if change.real < 1e-30:
            break
    m = (J[0] * w[0], J[1] * w[1], J[2] * w[2])
    k = w[0] * m[0] + w[1] * m[1] + w[2] * m[2]
    q = unit(compose(q, (1.0, h / 2 * w[0], h / 2 * w[1], h / 2 * w[2])))
    Pi = (
        m[0] + h / 2 * (m[1] * w[2] - m[2] * w[1]) + h * h / 4 * k * w[0],
        m[1] + h / 2 * (m[2] * w[0] - m[0] * w[2]) + h * h / 4 * k * w[1],
        m[2] + h / 2 * (m[0] * w[1] - m[1] * w[0]) + h * h / 4 * k * w[2],
    )
    tau = torque_at(t + h, q, body)
    return (q, lin(1, Pi, h / 2, tau), tau, memory), NO_SOLVE


def with_a_branch(h, t, state, body):
    """The splitting with a small-angle branch for the sine, right to round-off of floats only."""
    q, Pi, tau, memory = state
    Pi = lin(1, Pi, h / 2, tau)
    for axis, part in ((0, 2), (1, 2), (2, 1), (1, 2), (0, 2)):
        a = h / part * body[1][axis] * Pi[axis] / 2
        b = a * a
        s = a * (1 - b / 6 * (1 - b / 20 * (1 - b / 42 * (1 - b / 72 * (1 - b / 110 * (1 - b / 156))))))
        turn = (sqrt(1 - s * s), s * (axis == 0), s * (axis == 1), s * (axis == 2))
        q, Pi = compose(q, turn), rotated_back(turn, Pi)
    tau = torque_at(t + h, q, body)
    return (q, lin(1, Pi, h / 2, tau), tau, memory), NO_SOLVE


# ---- wrong elsewhere: the attitude, the moments, the momentum or the time are looked at --------------------


def small_turns(h, t, state, body):
    """The splitting, with an attitude that is turned by half where the angle is small."""
    q, Pi, tau, memory = state
    Pi = lin(1, Pi, h / 2, tau)
    for axis, part in ((0, 2), (1, 2), (2, 1), (1, 2), (0, 2)):
        angle = h / part * body[1][axis] * Pi[axis]
        half = angle / 2 if abs(angle.real) < 1e-3 else angle
        q = compose(q, exp((half * (axis == 0), half * (axis == 1), half * (axis == 2))))
        Pi = rotated_back(exp((angle * (axis == 0), angle * (axis == 1), angle * (axis == 2))), Pi)
    tau = torque_at(t + h, q, body)
    return (q, lin(1, Pi, h / 2, tau), tau, memory), NO_SOLVE


def half_a_turn(h, t, state, body):
    """The splitting, with an attitude that is left as it was beyond 157 degrees."""
    (q, Pi, tau, memory), report = splitting(h, t, state, body)
    q0 = state[0]
    q = q0 if abs(q0[0].real) < 0.2 else q
    return (q, Pi, tau, memory), report


def rounded_moments(h, t, state, body):
    """The splitting, with moments that are taken for equal where they differ by less than a percent."""
    J, iJ, coefficients, torque = body
    near = abs(J[0] - J[1]) < 0.01 * J[0]
    inverse = (iJ[0], iJ[0] if near else iJ[1], iJ[2])
    return splitting(h, t, state, (J, inverse, coefficients, torque))


def quick_gyroscope(h, t, state, body):
    """The splitting, with a momentum that keeps its direction in the body where it is large."""
    (q, Pi, tau, memory), report = splitting(h, t, state, body)
    P = state[1]
    large = abs(P[0].real) + abs(P[1].real) + abs(P[2].real) > 12
    return (q, P if large else Pi, tau, memory), report


def stopped_clock(h, t, state, body):
    """The splitting, with a clock that stops at t = 100."""
    return splitting(h, t if t < 100 else 100 + 0 * t, state, body)


# ---- one mistake each -------------------------------------------------------------------------------------


def stale_kick(h, t, state, body):
    """The splitting, with the torque of the start in both kicks."""
    (q, Pi, tau, memory), report = splitting(h, t, state, body)
    return (q, lin(1, Pi, h / 2, lin(1, state[2], -1, tau)), tau, memory), report


def opposite_turn(h, t, state, body):
    """The splitting, with momenta that are turned the wrong way."""
    q, Pi, tau, memory = state
    Pi = lin(1, Pi, h / 2, tau)
    for axis, part in ((0, 2), (1, 2), (2, 1), (1, 2), (0, 2)):
        angle = h / part * body[1][axis] * Pi[axis]
        turn = exp((angle * (axis == 0), angle * (axis == 1), angle * (axis == 2)))
        q, Pi = compose(q, turn), rotated(turn, Pi)
    tau = torque_at(t + h, q, body)
    return (q, lin(1, Pi, h / 2, tau), tau, memory), NO_SOLVE


def kept_size(h, t, state, body):
    """The splitting, with a momentum that is scaled back to the size it had."""
    (q, Pi, tau, memory), report = splitting(h, t, state, body)
    size = sqrt(dot(state[1], state[1]) / dot(Pi, Pi))
    return (q, (size * Pi[0], size * Pi[1], size * Pi[2]), tau, memory), report


def coarse_turns(h, t, state, body):
    """The splitting, with an attitude that is turned by Cayley's map where the angle is small: of order 2 still."""
    q, Pi, tau, memory = state
    Pi = lin(1, Pi, h / 2, tau)
    for axis, part in ((0, 2), (1, 2), (2, 1), (1, 2), (0, 2)):
        angle = h / part * body[1][axis] * Pi[axis]
        turn = exp((angle * (axis == 0), angle * (axis == 1), angle * (axis == 2)))
        small = (1.0 + 0 * angle, angle / 2 * (axis == 0), angle / 2 * (axis == 1), angle / 2 * (axis == 2))
        q, Pi = compose(q, small if abs(angle.real) < 0.02 else turn), rotated_back(turn, Pi)
    tau = torque_at(t + h, q, body)
    return (q, lin(1, Pi, h / 2, tau), tau, memory), NO_SOLVE


def no_clock(h, t, state, body):
    """The splitting, with the torque of time 0."""
    return splitting(h, -h, state, body)


def forward(h, t, state, body):
    """The splitting, with a step that goes forward whatever its sign."""
    return splitting(abs(h), t, state, body)


def ascending(h, t, state, body):
    """The splitting, with moments that are taken to be in ascending order."""
    J, iJ, coefficients, torque = body
    high, low = max(iJ[0], iJ[1], iJ[2]), min(iJ[0], iJ[1], iJ[2])
    return splitting(h, t, state, (J, (high, iJ[0] + iJ[1] + iJ[2] - high - low, low), coefficients, torque))


def slender_bodies(h, t, state, body):
    """The splitting, damped for slender bodies."""
    iJ = body[1]
    (q, Pi, tau, memory), report = splitting(h, t, state, body)
    is_slender = max(iJ[0], iJ[1], iJ[2]) > 5 * min(iJ[0], iJ[1], iJ[2])
    return (q, lin(1 - 0.01 * h * is_slender, Pi, 0, Pi), tau, memory), report


def lagging(h, t, state, body):
    """The splitting, which hands on the torque of its start for ever: nothing of it shows in a first step."""
    (q, Pi, _, memory), report = splitting(h, t, state, body)
    return (q, Pi, state[2], memory), report


def one_step_late(h, t, state, body):
    """The splitting, whose true momentum is its memory; the one that is returned is that of a step before."""
    q, _, tau, p = state
    (q, after, tau, _), report = splitting(h, t, (q, p, tau, ()), body)
    return (q, p, tau, after), report


def start_late(h, t, q, Pi, body):
    return (q, Pi, torque_at(t, q, body), Pi)


def asleep_first(h, t, state, body):
    """The splitting, whose first step does nothing."""
    q, Pi, tau, memory = state
    if memory[0].real < 0.5:
        return (q, Pi, torque_at(t + h, q, body), (1.0 + 0 * h,)), NO_SOLVE
    (q, Pi, tau, _), report = splitting(h, t, state, body)
    return (q, Pi, tau, memory), report


def start_asleep(h, t, q, Pi, body):
    return (q, Pi, torque_at(t, q, body), (0 * h,))


def only_small_steps(h, t, state, body):
    """The splitting, which does not solve steps above a tenth."""
    return splitting(h, t, state, body)[0], (1, 1.0 * (abs(h) > 0.1))


def hardly_at_all_damped(h, t, state, body):
    """The splitting with a damping of 1e-13, far below what floats show."""
    (q, Pi, tau, memory), info = splitting(h, t, state, body)
    return (q, lin(1, Pi, -1e-13 * h, Pi), tau, memory), info


def growing(h, t, state, body):
    """The splitting with a quaternion that grows, of which the direction alone counts, until it overflows."""
    (q, Pi, tau, memory), info = splitting(h, t, state, body)
    return ((1.0001 * q[0], 1.0001 * q[1], 1.0001 * q[2], 1.0001 * q[3]), Pi, tau, memory), info


def euler_when_small(h, t, state, body):
    """The splitting, and below 0.004 a step of another one, which is no map of its kind."""
    if abs(h) > 0.004:
        return splitting(h, t, state, body)
    q, Pi, tau, memory = state
    Omega = (body[1][0] * Pi[0], body[1][1] * Pi[1], body[1][2] * Pi[2])
    middle = exp((h / 2 * Omega[0], h / 2 * Omega[1], h / 2 * Omega[2]))
    half = rotated_back(middle, lin(1, Pi, h / 2, tau))
    w = (body[1][0] * half[0], body[1][1] * half[1], body[1][2] * half[2])
    turn = exp((h * w[0], h * w[1], h * w[2]))
    q, Pi = compose(q, turn), rotated_back(turn, lin(1, Pi, h / 2, tau))
    tau = torque_at(t + h, q, body)
    return (q, lin(1, Pi, h / 2, tau), tau, memory), NO_SOLVE


for step in (
    *(turned, splitting, printed_digits, symplectic_euler, by_math, to_a_tolerance, with_a_branch),
    *(small_turns, half_a_turn, rounded_moments, quick_gyroscope, stopped_clock),
    *(stale_kick, opposite_turn, kept_size, coarse_turns, no_clock, forward, ascending),
    *(slender_bodies, lagging, only_small_steps, hardly_at_all_damped, growing, euler_when_small),
    *(cosines_of_floats, tuple_of, of_length_three),
    *(one_step_late, start_late, asleep_first, start_asleep),
):
    globals()[step.__name__] = ph.kernel(step)


def as_method(name):
    return ph.Method(name=name, step=globals()[name])


ONE_STEP_LATE = ph.Method(
    name="one_step_late", step=globals()["one_step_late"], start=globals()["start_late"], extended=True
)
ASLEEP_FIRST = ph.Method(
    name="asleep_first", step=globals()["asleep_first"], start=globals()["start_asleep"], extended=True
)
