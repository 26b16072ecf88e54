"""Lower orders that are hidden: by memory, by a refusal, at states where a step is only somewhat worse, by round-off;
and right methods with more of it than others: a velocity read off a turn, an extrapolation with large weights."""

import numpy as np

from tests.testbench.certificate.adversary.steps import cross, exp, rates, rk4, verlet

# ---- where moments do not ascend ----------------------------------------------------------------------


def are_unsorted(p):
    return bool(np.any(np.diff(p.moments) < 0))


class AdamsBashforth:
    """Two steps, begun by Heun's method wherever the state is not its last; the acceleration of bodies whose moments do
    not ascend is nine tenths of what it should be."""

    def __init__(self):
        self.last = None

    def __call__(self, p, Q, Omega, h, t):
        rate = lambda s, A, w: (rates(p, s, A, w)[0], rates(p, s, A, w)[1] * (0.9 if are_unsorted(p) else 1.0))
        now = rate(t, Q, Omega)
        if self.last and self.last[0] == h and all(np.array_equal(a, b) for a, b in zip(self.last[1], (Q, Omega))):
            Q, Omega = (y + h / 2 * (3 * a - b) for y, a, b in zip((Q, Omega), now, self.last[2]))
        else:
            then = rate(t + h, *(y + h * a for y, a in zip((Q, Omega), now)))
            Q, Omega = (y + h / 2 * (a + b) for y, a, b in zip((Q, Omega), now, then))
        self.last = h, (Q.copy(), Omega.copy()), now
        return Q, Omega


def no_small_steps(p, Q, Omega, h, t):
    """Refuses steps below a thousandth; and bodies whose moments do not ascend stay where they are."""
    if abs(h) < 1e-3:
        raise ValueError("h is too small")
    return (Q, Omega) if are_unsorted(p) else rk4(p, Q, Omega, h, t)


# ---- order 3 at some states, beside order 4 -----------------------------------------------------------


def kutta3(p, Q, Omega, h, t):
    """Kutta's method of order 3 on the nine entries of Q."""
    y = Q, Omega
    a = rates(p, t, *y)
    b = rates(p, t + h / 2, *(u + h / 2 * v for u, v in zip(y, a)))
    c = rates(p, t + h, *(u + h * (2 * w - v) for u, v, w in zip(y, a, b)))
    return tuple(u + h / 6 * (v + 4 * w + x) for u, v, w, x in zip(y, a, b, c))


def of_order_3_where(condition):
    """RK4, but Kutta's method of order 3 where there is a torque and a condition (Q, t) holds."""

    def step(p, Q, Omega, h, t):
        is_there = condition(np.real(Q), t) and np.linalg.norm(np.real(p.torque(t, Q))) > 1e-8
        return (kutta3 if is_there else rk4)(p, Q, Omega, h, t)

    return step


near_the_identity = of_order_3_where(lambda Q, t: np.trace(Q) > 2.9)
before_zero = of_order_3_where(lambda Q, t: t < 0)
late = of_order_3_where(lambda Q, t: t > 500)

# ---- round-off that grows, and coefficients that hide -------------------------------------------------


def log(A):
    """The vector of a rotation."""
    x = np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]]) / 2
    s = np.sqrt(x @ x)
    return x if s == 0 else x / s * np.arctan2(s, (np.trace(A) - 1) / 2)


def read_off_the_turn(p, Q, Omega, h, t):
    """Of order 2: the velocity of half the step is that of the turn, with the round-off of the turn over the step."""
    J, w = p.tensor, Omega
    Pi = J @ Omega + h / 2 * p.torque(t, Q)
    for _ in range(60):
        w = np.linalg.solve(J, Pi + h / 2 * cross(J @ w, w))
    Q1 = Q @ exp(h * w)
    w = log(Q.T @ Q1) / h
    return Q1, np.linalg.solve(J, J @ w + h / 2 * cross(J @ w, w) + h / 2 * p.torque(t + h, Q1))


def extrapolated_5(p, Q, Omega, h, t):
    """Euler's explicit method with one substep to five, extrapolated to none: weights of up to 26, and Q made a
    rotation again."""
    rows = []
    for n in range(1, 6):
        A, w = Q, Omega
        for k in range(n):
            dA, dw = rates(p, t + k * h / n, A, w)
            A, w = A + h / n * dA, w + h / n * dw
        rows.append((A, w))
    for j in range(1, 5):
        for i in range(4, j - 1, -1):
            rows[i] = tuple(a + (i + 1 - j) / j * (a - b) for a, b in zip(rows[i], rows[i - 1]))
    A, w = rows[-1]
    for _ in range(6):
        A = (A + np.linalg.inv(A).T) / 2
    return A, w


def unequal_kicks(by):
    """Lie-Verlet with kicks of 1/2 + e and 1/2 - e: of order 1, with an error of e times the step."""
    return lambda p, Q, Omega, h, t: verlet(p, Q, Omega, h, t, first=0.5 + by, last=0.5 - by)


def some_of_kutta(part):
    """RK4 with a part of Kutta's method of order 3."""

    def step(p, Q, Omega, h, t):
        return tuple((1 - part) * a + part * b for a, b in zip(rk4(p, Q, Omega, h, t), kutta3(p, Q, Omega, h, t)))

    return step
