"""Properties of a kernel method, each measured by its theorem, in as many digits as it takes.

A defect that falls when the precision is raised is round-off; one that stays is the method's own. So every
yes-or-no property is measured at two precisions and no verdict hangs on a threshold chosen by hand. The state is
generic unless another `start` is given: three distinct moments, no attitude or velocity near a symmetry.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath

from polhode.errors import InputError
from polhode.integrators.method import Method
from polhode.integrators.properties import Row
from polhode.integrators.velocity import adapted
from polhode.kernels.many_digits import carried, converted, in_mpmath, precision, real
from polhode.kernels.numbers import Body, Mat3, Number, Numbers, Quat, State, Vec3
from polhode.kernels.rotations import compose, inverse, matrix, rotated, unit
from polhode.kernels.scalar import STEP
from polhode.kernels.step import l_at
from polhode.kernels.vectors import dot, mul, plus
from polhode.physics.problem import Problem
from polhode.runs.runners.kernel_runner import body_of
from polhode.testbench.certificate.states.cases import ATTITUDE, GAMMA, MOMENTUM, case_of, potential

DIGITS = (30, 50)
STEP_SIZE, SPAN = 1 / 8, 1 / 4  # exact in any precision
MAGNIFYING = 1e3  # a derivative beyond which round-off is magnified by its square, so that a defect is relative to that
NEAR_THE_MIDDLE_AXIS = (0.5, -0.85, 0.02)


@dataclass(frozen=True)
class Finding:
    """A defect measured at two precisions: `low` and `high`, with the verdict that follows."""

    low: float
    high: float

    @property
    def holds(self) -> bool:
        """Whether the defect is round-off: below the lower precision, and gone with the higher one."""
        return self.low < 10.0 ** (8 - DIGITS[0]) and self.high < 10.0 ** (8 - DIGITS[1])


@dataclass(frozen=True)
class Start:
    """Another start than the generic one: attitude and momentum in principal axes, in floats, and the time."""

    q: tuple[float, ...]
    Pi: tuple[float, ...]
    t: float


def finding(defect: Callable[..., Any], method: Method, *arguments: Any) -> Finding:
    """Measure `defect(method, ...)` at both precisions."""
    values = []
    for digits in DIGITS:
        with precision(digits):
            values.append(float(defect(method, *arguments)))
    return Finding(*values)


# ---- the defects -------------------------------------------------------------------------------------


def symmetry(method: Method, p: Problem, h: Number = STEP_SIZE, start: Start | None = None) -> Number:
    """How far a step of h and then one of -h miss the start; on the whole state where the memory is part of it."""
    h, (body, q, Pi, t) = real(h), placed(p, method, start, 1 / real(3))
    first = method.start(h, t, q, Pi, body)
    if method.extended:  # a first step makes the memory typical
        first = one_step(method, h, t - h, first, body)
    there = one_step(method, h, t, first, body)
    if not method.extended:
        there = method.start(-h, t + h, there[0], there[1], body)
    back = one_step(method, -h, t + h, there, body)
    missed = max(apart(back[0], first[0]), furthest(back[1], first[1]))
    return max(missed, furthest(back[3], first[3])) if method.extended else missed


def symplecticity(
    method: Method, p: Problem, h: Number = STEP_SIZE, start: Start | None = None, factor: Number = 1
) -> Number:
    """max |D^T W(Pi1) D - factor W(Pi0)|, with W(Pi) = [[-hat Pi, I], [-I, 0]] and D the left-trivialised Jacobian; Pi
    with the momentum of a rotor, if there is one."""
    h, (body, q, Pi, t) = real(h), placed(p, method, start)
    columns, Pi1 = [], Pi
    for j in range(6):
        xi = tuple(carried(0, STEP / 2 if j == k else 0) for k in range(3))
        dPi = tuple(carried(0, STEP if j == 3 + k else 0) for k in range(3))
        q1, Pi1 = fresh(method, h, t, compose(q, (1, *xi)), tuple(a + b for a, b in zip(Pi, dPi)), body)
        q1_real = tuple(x.real for x in q1)
        turn = compose(inverse(q1_real), tuple(x.imag for x in q1))  # q1 = q1_real (1 + i STEP xi1/2)
        size = STEP * sum(x * x for x in q1_real)  # a kernel may leave a quaternion of any length
        columns.append([in_mpmath(x) for x in (*(2 * x / size for x in turn[1:]), *(x.imag / STEP for x in Pi1))])
    D = mpmath.matrix(columns).T
    before, after = whole(p, body, t, Pi), whole(p, body, t + h, tuple(x.real for x in Pi1))
    return mpmath.mnorm(D.T * form(after) * D - factor * form(before), mpmath.inf) / _magnified(D)


def conformality(method: Method, p: Problem, h: Number = STEP_SIZE, start: Start | None = None) -> Number:
    """The same with the factor by which damping like the inertia contracts the form in a step."""
    return symplecticity(method, p, h, start, mpmath.exp(-in_mpmath(real(GAMMA) * h)))


def poisson(method: Method, p: Problem, h: Number = STEP_SIZE, start: Start | None = None) -> Number:
    """max |A hat(Pi0) A^T - hat(Pi1)| of the momentum of a free body, A the derivative of Pi1 by Pi0; dPi1/dQ, which
    must vanish; and the change of |Pi|^2, which a map that can be inverted keeps if it is one of Poisson."""
    h, (body, q, Pi, t) = real(h), placed(p, method, start)
    columns, turned, Pi1 = [], real(0), Pi
    for j in range(3):
        small = tuple(carried(0, STEP if j == k else 0) for k in range(3))
        _, Pi1 = fresh(
            method, h, t, compose(q, (1, *(x / 2 for x in small))), tuple(x + 0 * small[0] for x in Pi), body
        )
        turned = max(turned, *(abs(x.imag) / STEP for x in Pi1))
        _, Pi1 = fresh(method, h, t, q, tuple(a + b for a, b in zip(Pi, small)), body)
        columns.append([in_mpmath(x.imag / STEP) for x in Pi1])
    A, after = mpmath.matrix(columns).T, tuple(x.real for x in Pi1)
    kept = in_mpmath(max(turned, abs(dot(after, after) - dot(Pi, Pi))))
    return max(kept, mpmath.mnorm(A * hat(Pi) * A.T - hat(after), mpmath.inf) / _magnified(A))


def _magnified(D: Any) -> Any:
    """How many times a derivative squared magnifies round-off, if it is far larger than those of usual steps."""
    return max(mpmath.mpf(1), max(abs(x) for x in D) / MAGNIFYING) ** 2


def spatial_momentum(method: Method, p: Problem, h: Number = STEP_SIZE, start: Start | None = None) -> Number:
    """Change of the spatial momentum in three steps, that of wheels included."""
    return _changed(method, p, h, start, lambda q, Pi, total: rotated(q, total))


def vertical_momentum(method: Method, p: Problem, h: Number = STEP_SIZE, start: Start | None = None) -> Number:
    """Change of the vertical momentum in three steps."""
    return _changed(method, p, h, start, lambda q, Pi, total: rotated(q, total)[2:])


def energy(method: Method, p: Problem, h: Number = STEP_SIZE, start: Start | None = None) -> Number:
    """Change of the energy in three steps."""
    J = tuple(real(x) for x in p.moments.tolist())
    iJ = tuple(1 / x for x in J)
    potential = p.potential_kernel
    assert potential is not None  # of the problems on which it is measured
    kinetic = lambda Pi: dot(Pi, mul(iJ, Pi)) / 2
    return _changed(method, p, h, start, lambda q, Pi, total: (kinetic(Pi) + potential(matrix(q), p.parameters),))


def energy_that_rises(method: Method, p: Problem, h: Number = STEP_SIZE, start: Start | None = None) -> Number:
    """The largest rise of the energy in a step: of two from a generic state, two from near the middle axis, where even
    methods that damp by themselves may feed, and as many from these with the velocity turned round, where what a
    symmetric method loses it gains; or from the start that is given."""
    h, (body, q, Pi, t) = real(h), placed(p, method, start)
    worst = real(0)
    for momentum in (MOMENTUM, NEAR_THE_MIDDLE_AXIS) if start is None else (Pi,):
        for sign in (1, -1):
            state = method.start(h, t, q, tuple(sign * real(x) for x in momentum), body)
            for i in range(2):
                before = dot(state[1], mul(body[1], state[1])) / 2
                state = one_step(method, h, t + i * h, state, body)
                worst = max(worst, dot(state[1], mul(body[1], state[1])) / 2 - before)
    return worst


def casimir(method: Method, p: Problem, h: Number = STEP_SIZE, start: Start | None = None) -> Number:
    """Change of |Pi|^2 in three steps."""
    return _changed(method, p, h, start, lambda q, Pi, total: (dot(Pi, Pi),))


DEFECTS = {
    "symmetry": symmetry,
    "symplecticity": symplecticity,
    "conformality": conformality,
    "Poisson map": poisson,
    "spatial momentum": spatial_momentum,
    "vertical momentum": vertical_momentum,
    "energy that rises": energy_that_rises,
    "energy": energy,
}
"""By the measure of a row of the table of properties: the defect, which is zero when the property holds."""


def tested(row: Row, method: Method) -> Finding | None:
    """The finding on a yes-or-no property, on the problem of its row; None where it says nothing of the method."""
    p = case_of(row, method)
    return None if p is None else finding(DEFECTS[row.measure], adapted(method, p.forces), p)


def torque_calls(method: Method, p: Problem | None = None, h: float = 0.125, steps: int = 16) -> int:
    """How often the torque is called in so many steps, counted."""
    p = p or potential()
    calls = []

    def counted(t: Number, Q: Mat3, par: Numbers) -> Vec3:
        calls.append(t)
        return p.torque_kernel(t, Q, par)

    body = body_of(p, method, torque=counted)
    state = method.start(h, 0.0, *p.start(), body)
    for i in range(steps):
        state = one_step(method, h, i * h, state, body)
    return len(calls)


# ---- order -------------------------------------------------------------------------------------------


def order(
    method: Method, p: Problem, span: float = SPAN, counts: Sequence[int] = (2, 4, 8, 16, 32, 64), digits: int = 60
) -> tuple[float, ...]:
    """Order of convergence of Q and of Omega on [0, span], against a reference in as many digits.

    Step sizes are halved; the exponents between neighbours are extrapolated to h = 0, so that the next term of the
    error expansion is gone, and halving ends when that gives a whole number, to 0.01. A component without error
    beyond round-off is exact: infinity.
    """
    from polhode.reference.reference import by_mpmath

    method = adapted(method, p.forces)
    with precision(digits):
        body, q, Pi = generic(p, method)
        start = tuple(map(in_mpmath, q)), tuple(map(in_mpmath, Pi))
        q_end, Pi_end = converted(by_mpmath(p, mpmath.mpf(span), digits, *start))
        errors_Q, errors_Omega = [], []
        orders: tuple[float, ...] = ()
        for n in counts:
            h = span / real(n)
            state = method.start(h, real(0), q, Pi, body)
            for i in range(n):
                state = one_step(method, h, i * h, state, body)
            errors_Q.append(apart(state[0], q_end))
            errors_Omega.append(furthest(state[1], Pi_end))
            if n >= 8 * counts[0]:
                orders = _exponent(errors_Q, digits), _exponent(errors_Omega, digits)
                if all(x == float("inf") or abs(x - round(x)) < 0.01 for x in orders):
                    break
        return orders


def _exponent(errors: Sequence[Number], digits: int) -> float:
    if errors[-1] < real(10) ** (8 - digits):
        return float("inf")
    a, b = (mpmath.log(in_mpmath(errors[k] / errors[k + 1]), 2) for k in (-3, -2))
    return float(2 * b - a)


# ---- what they share ---------------------------------------------------------------------------------


def generic(p: Problem, method: Method) -> tuple[Body, Quat, Vec3]:
    """The body and a generic state, in many digits."""
    body = converted(body_of(p, method, number=mpmath.mpf))
    return body, unit(tuple(map(real, ATTITUDE))), tuple(map(real, MOMENTUM))


def whole(p: Problem, body: Body, t: Number, Pi: Vec3) -> Vec3:
    """The momentum of the body and of what spins in it."""
    return plus(Pi, l_at(t, body[3][1])) if p.forces.rotor else Pi


def placed(p: Problem, method: Method, start: Start | None = None, t: Number = 0) -> tuple[Body, Quat, Vec3, Number]:
    """The body, attitude, momentum and time of a start, in many digits; of the generic one if none is given."""
    body, q, Pi = generic(p, method)
    if start is None:
        return body, q, Pi, real(t)
    return body, unit(tuple(map(real, start.q))), tuple(map(real, start.Pi)), real(start.t)


def one_step(method: Method, h: Number, t: Number, state: State, body: Body) -> State:
    """The state one step on."""
    state, report = method.step(h, t, state, body)
    if report[1] != 0:
        raise InputError(
            f"{method.name} did not solve its equations with h = {float(h):g}: nothing can be measured there."
        )
    return state


def fresh(method: Method, h: Number, t: Number, q: Quat, Pi: Vec3, body: Body) -> tuple[Quat, Vec3]:
    """(q, Pi) one step on, started afresh."""
    state = one_step(method, h, t, method.start(h, t, q, Pi, body), body)
    return state[0], state[1]


def apart(q: Quat, r: Quat) -> Number:
    """The angle between two attitudes, to first order: twice the vector part of q^-1 r."""
    return 2 * furthest(compose(inverse(q), r)[1:], (0, 0, 0))


def furthest(a: Numbers, b: Numbers) -> Number:
    """The largest difference between two tuples."""
    return max((abs(x - y) for x, y in zip(a, b)), default=real(0))


def hat(a: Numbers) -> Any:
    """The matrix of a x, for mpmath."""
    a = tuple(map(in_mpmath, a))
    return mpmath.matrix([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def form(Pi: Vec3) -> Any:
    """The symplectic form at Pi in the left trivialisation."""
    W = mpmath.zeros(6)
    W[:3, :3] = -hat(Pi)
    for j in range(3):
        W[j, 3 + j], W[3 + j, j] = 1, -1
    return W


def _changed(method: Method, p: Problem, h: Number, start: Start | None, invariant: Callable[..., Numbers]) -> Number:
    h, (body, q, Pi, t) = real(h), placed(p, method, start)
    state = method.start(h, t, q, Pi, body)
    before = invariant(q, Pi, whole(p, body, t, Pi))
    for i in range(3):
        state = one_step(method, h, t + i * h, state, body)
    return furthest(invariant(state[0], state[1], whole(p, body, t + 3 * h, state[1])), before)
