"""Every method of low order against its published equations, in matrices, with nothing of the kernels.

The result (Q1, Pi1) of a step is put into the equations as the papers print them (with the corrections the
lectures name); what is left over is round-off. Methods with memory run beside a plain loop.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import polhode as ph

FORCED = ph.problem("forced")
FREE = ph.problem("free-body", inertia=tuple(FORCED.moments))
J, INVERSE = np.diag(FORCED.moments), np.diag(1 / FORCED.moments)
ROUND_OFF = 1e-14
"""Of an attitude; the equations hold velocities, differences of attitudes over h."""


def exp(x):
    return Rotation.from_rotvec(x).as_matrix()


def log(Q):
    return Rotation.from_matrix(Q).as_rotvec()


def hat(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def cay(x):
    return np.linalg.solve(np.eye(3) - hat(x) / 2, np.eye(3) + hat(x) / 2)


def cay_log(F):
    """x with cay(x) = F."""
    A = 2 * (F - np.eye(3)) @ np.linalg.inv(F + np.eye(3))
    return np.array([A[2, 1], A[0, 2], A[1, 0]])


def dexp(x):
    n = np.linalg.norm(x)
    return np.eye(3) + (1 - np.cos(n)) / n**2 * hat(x) + (n - np.sin(n)) / n**3 * hat(x) @ hat(x)


def gyro(Pi):
    return np.cross(Pi, INVERSE @ Pi)


# ---- one residual per method: s holds Q, Pi, W (Omega), tau before and the same with 1 after, h, t, torque ----


def newmark(rotation):
    def residual(s):
        Wh = s.W + s.h / 2 * INVERSE @ (gyro(s.Pi) + s.tau)
        yield s.Q1 - s.Q @ rotation(s.h * Wh)
        yield s.W1 - Wh - s.h / 2 * INVERSE @ (gyro(s.Pi1) + s.tau1)

    return residual


def nms(s):
    i, i1 = s.Q @ J @ s.Q.T, s.Q1 @ J @ s.Q1.T
    w, w1 = s.Q @ s.W, s.Q1 @ s.W1
    a = np.linalg.solve(i, s.Q @ s.tau - np.cross(w, i @ w))
    a1 = np.linalg.solve(i1, s.Q1 @ s.tau1 - np.cross(w1, i1 @ w1))
    yield s.Q1 - exp(s.h * w + s.h**2 / 2 * a) @ s.Q
    yield w1 - w - s.h / 2 * (a + a1)


def tln(rotation):
    def residual(s):
        yield s.Pi1 - s.h / 2 * (gyro(s.Pi1) + s.tau1) - s.Pi - s.h / 2 * (gyro(s.Pi) + s.tau)
        yield s.Q1 - s.Q @ rotation(s.h * (s.W + s.W1) / 2)

    return residual


def general_newmark(beta, gamma):
    def residual(s):
        A, A1 = INVERSE @ (gyro(s.Pi) + s.tau), INVERSE @ (gyro(s.Pi1) + s.tau1)
        yield s.Q1 - s.Q @ exp(s.h * s.W + s.h**2 * ((0.5 - beta) * A + beta * A1))
        yield s.W1 - s.W - s.h * ((1 - gamma) * A + gamma * A1)

    return residual


def liemid(before, after):
    """Midpoint-Lie between the kicks `before` h tau0 and `after` h tau1."""

    def residual(s):
        p = s.Pi + before * s.h * s.tau
        Psi = log(s.Q.T @ s.Q1)
        yield Psi - s.h * INVERSE @ exp(-Psi / 2) @ p
        yield s.Pi1 - exp(-Psi) @ p - after * s.h * s.tau1

    return residual


def imidm(s):
    Psi = log(s.Q.T @ s.Q1)
    tau = s.torque(s.t + s.h / 2, s.Q @ exp(Psi / 2))
    yield Psi - s.h * INVERSE @ (exp(-Psi / 2) @ s.Pi + s.h / 2 * tau)
    yield s.Pi1 - exp(-Psi) @ s.Pi - s.h * exp(-Psi / 2) @ tau


def imid(s):
    W = (s.W + s.W1) / 2
    yield s.Q1 - s.Q @ exp(s.h * W)
    yield J @ W - s.Pi - s.h / 2 * (gyro(J @ W) + s.torque(s.t + s.h / 2, s.Q @ exp(s.h * W / 2)))


def trap(s):
    yield s.Pi1 - s.Pi - s.h / 2 * (gyro(s.Pi) + s.tau + gyro(s.Pi1) + s.tau1)
    yield s.Q1 - s.Q @ exp(s.h / 2 * s.W) @ exp(s.h / 2 * s.W1)


def trapezoid_m(zeta):
    def residual(s):
        F = exp(zeta * s.h * s.W) @ exp((1 - zeta) * s.h * s.W1)
        yield s.Q1 - s.Q @ F
        yield s.Pi1 - F.T @ (s.Pi + zeta * s.h * s.tau) - (1 - zeta) * s.h * s.tau1

    return residual


def rkmk_trap(s):
    Psi = s.h / 2 * (s.W + s.W1)
    yield s.Q1 - s.Q @ exp(Psi)
    yield s.Pi1 - exp(-Psi) @ (s.Pi + s.h / 2 * s.tau) - s.h / 2 * s.tau1


def rkmk_trapwd(s):
    Psi = log(s.Q.T @ s.Q1)
    yield Psi - s.h / 2 * (s.W + np.linalg.solve(dexp(-Psi), s.W1))
    yield s.Pi1 - exp(-Psi) @ (s.Pi + s.h / 2 * s.tau) - s.h / 2 * s.tau1


def algo_c1(s):
    Psi = s.h / 2 * (s.W + s.W1)
    yield s.Q1 - s.Q @ exp(Psi)
    yield s.Pi1 - exp(-Psi) @ s.Pi - s.h * exp(-Psi / 2) @ s.torque(s.t + s.h / 2, s.Q @ exp(Psi / 2))


def akw(s):
    M = (s.Pi + s.Pi1) / 2
    yield s.Pi1 - s.Pi - s.h * gyro(M) - s.h / 2 * (s.tau + s.tau1)
    yield s.Q1 - s.Q @ cay(s.h * INVERSE @ M)


def ls(s):
    x = log(s.Q.T @ s.Q1)
    n = np.linalg.norm(x)
    impulse = s.h * exp(-x / 2) @ s.torque(s.t + s.h / 2, s.Q @ exp(x / 2))
    yield s.h * (s.W + s.W1) / 2 - x * np.sin(n) / n
    yield s.Pi1 - exp(-x) @ s.Pi - impulse


def prk(s):
    Wh = cay_log(s.Q.T @ s.Q1) / s.h
    yield Wh - s.W - s.h / 2 * INVERSE @ (s.tau + gyro(J @ Wh))
    yield s.W1 - Wh - s.h / 2 * INVERSE @ (s.tau1 + gyro(J @ Wh))


def new1(s):
    E = exp(s.h / 2 * s.W)
    tau = s.torque(s.t + s.h / 2, s.Q @ E)
    W = INVERSE @ (E.T @ s.Pi + s.h / 2 * tau)
    W1 = s.W + s.h * INVERSE @ (tau - np.cross(W, J @ W))
    yield s.W1 - W1
    yield s.Q1 - s.Q @ E @ exp(s.h / 2 * W1)


def new2(s):
    E = exp(s.h / 2 * s.W)
    tau = s.torque(s.t + s.h / 2, s.Q @ E)
    W = INVERSE @ (E.T @ s.Pi + s.h / 2 * tau)
    F = exp(s.h / 2 * (s.W + s.h * INVERSE @ (tau - np.cross(W, J @ W))))
    yield s.Q1 - s.Q @ E @ F
    yield s.Pi1 - F.T @ (E.T @ s.Pi + s.h * tau)


def new3(s):
    E = exp(s.h / 2 * s.W)
    tau = s.torque(s.t + s.h / 2, s.Q @ E)
    yield exp(s.h / 2 * s.W1) @ s.Pi1 - E.T @ s.Pi - s.h * tau
    yield s.Q1 - s.Q @ E @ exp(s.h / 2 * s.W1)


def vlv(s):
    w = cay_log(s.Q.T @ s.Q1) / s.h
    m = J @ w
    yield m - s.Pi - s.h / 2 * s.tau - s.h / 2 * np.cross(m, w) + s.h**2 / 4 * (w @ m) * w
    yield s.Pi1 - m - s.h / 2 * np.cross(m, w) - s.h**2 / 4 * (w @ m) * w - s.h / 2 * s.tau1


def hp_exp(s):
    x = log(s.Q.T @ s.Q1)
    m = J @ x / s.h
    yield s.Pi + s.h / 2 * s.tau - np.linalg.solve(dexp(x).T, m)
    yield s.Pi1 - np.linalg.solve(dexp(-x).T, m) - s.h / 2 * s.tau1


def saccon(s):
    x = log(s.Q.T @ s.Q1)
    m = J @ x / s.h
    tau = s.torque(s.t + s.h / 2, s.Q @ exp(x / 2))
    yield s.Pi - np.linalg.solve(dexp(x).T, m) + s.h / 2 * np.linalg.solve(dexp(x).T, dexp(x / 2).T @ tau)
    yield s.Pi1 - np.linalg.solve(dexp(-x).T, m) - s.h / 2 * np.linalg.solve(dexp(-x).T, dexp(-x / 2).T @ tau)


def moser_veselov(before, after):
    D = np.trace(J) / 2 * np.eye(3) - J

    def residual(s):
        F, p = s.Q.T @ s.Q1, s.Pi + before * s.h * s.tau
        yield F @ D - D @ F.T - s.h * hat(p)
        yield s.Pi1 - F.T @ p - after * s.h * s.tau1

    return residual


PRINTED = {
    "ELN": newmark(cay),
    "NMB": newmark(exp),
    "NMS": nms,
    "TLN": tln(cay),
    "TLN-EXP": tln(exp),
    "ALGO_0": general_newmark(1 / 4, 1 / 2),
    "LIEMID[E1]": liemid(1, 0),
    "LIEMID[E2]": liemid(0, 1),
    "IMIDM": imidm,
    "IMID": imid,
    "TRAP": trap,
    "TRAPM": trapezoid_m(1 / 2),
    "RKMK-TRAP": rkmk_trap,
    "RKMK-TRAPWD": rkmk_trapwd,
    "ALGO_C1": algo_c1,
    "AKW": akw,
    "LS": ls,
    "PRK": prk,
    "MCG": liemid(1 / 2, 1 / 2),
    "NEW1": new1,
    "NEW2": new2,
    "NEW3": new3,
    "VLV": vlv,
    "HP-EXP": hp_exp,
    "SACCON": saccon,
    "RATTLE": moser_veselov(1 / 2, 1 / 2),
    "MLEOK": moser_veselov(0, 1),
}
OF_ONES_OWN = [
    (ph.newmark("1/6", "1/2"), general_newmark(1 / 6, 1 / 2)),
    (ph.newmark("0.3", "0.6"), general_newmark(0.3, 0.6)),
    (ph.trapezoidal("1/3"), trapezoid_m(1 / 3)),
    (ph.trapezoidal(0), trapezoid_m(0)),
]


@pytest.mark.parametrize("h", [0.25, -0.25, 0.01])
@pytest.mark.parametrize(
    "method, residual",
    [*PRINTED.items(), *OF_ONES_OWN],
    ids=lambda x: getattr(x, "name", x if isinstance(x, str) else ""),
)
def test_a_step_satisfies_the_printed_equations(method, residual, h):
    s = stepped(FORCED, method, h, 1)
    assert max(np.abs(r).max() for r in residual(s)) < ROUND_OFF / abs(h)
    later = stepped(FORCED, method, h, 5)  # with a trail behind it
    assert max(np.abs(r).max() for r in residual(later)) < ROUND_OFF / abs(h)


@pytest.mark.parametrize("h", [0.25, 2.0, -3.0])
def test_midpoint_lie_satisfies_its_equations(h):
    """Also in steps of more than a radian, where the polynomials end."""
    s = stepped(FREE, "LIEMID", h, 3)
    assert max(np.abs(r).max() for r in liemid(0, 0)(s)) < ROUND_OFF / 0.25


def stepped(problem, method, h, n):
    """The states before and after the n-th step from a generic start."""
    rng = np.random.default_rng(7)
    p = ph.Problem.from_kernels(
        name="formulas",
        inertia=problem.moments,
        torque=problem.torque_kernel,
        potential=None,
        parameters=problem.parameters,
        Q0=Rotation.random(rng=rng).as_matrix(),
        Omega0=rng.normal(size=3) / 2,
        t0=0.7,
    )
    run = ph.solve(p, method, h=h, n_steps=n, compiled=False)
    (Q, Q1), (W, W1), t = run.Q[-2:], run.Omega[-2:], run.t[-2]
    return SimpleNamespace(
        Q=Q,
        Q1=Q1,
        W=W,
        W1=W1,
        Pi=J @ W,
        Pi1=J @ W1,
        tau=p.torque(t, Q),
        tau1=p.torque(t + h, Q1),
        h=h,
        t=t,
        torque=p.torque,
    )


# ---- methods with memory: a plain loop beside them -----------------------------------------------------


def simo_wong(p, h, n):
    Q, W, t = p.Q0, p.Omega0, p.t0
    A = INVERSE @ (gyro(J @ W) + p.torque(t, Q))
    for i in range(n):
        Q1 = Q @ exp(h * W + h**2 / 2 * A)
        pi = Q @ J @ W + h / 2 * (Q @ p.torque(t + i * h, Q) + Q1 @ p.torque(t + (i + 1) * h, Q1))
        W1 = INVERSE @ Q1.T @ pi
        Q, W, A = Q1, W1, 2 / h * (W1 - W) - A
    return Q, W


def hulbert(p, h, n):
    def force(t, Q):
        return Q @ p.torque(t, Q)

    Q, W, t = p.Q0, p.Omega0, p.t0
    pi = Q @ J @ W
    A = INVERSE @ (gyro(J @ W) + p.torque(t, Q))
    Theta = h / 2 * W + h**2 / 8 * A
    Qh, pih = Q @ exp(Theta), pi + h / 2 * force(t + h / 4, Q @ exp(Theta / 2))
    for i in range(n):
        Q, pi = Q @ exp(h * INVERSE @ Qh.T @ pih), pi + h * force(t + (i + 0.5) * h, Qh)
        Qh, pih = Qh @ exp(h * INVERSE @ Q.T @ pi), pih + h * force(t + (i + 1) * h, Q)
    return Q, INVERSE @ Q.T @ pi


@pytest.mark.parametrize("method, loop", [("SW", simo_wong), ("HSTAGM", hulbert)])
def test_a_method_with_memory_is_its_printed_loop(method, loop):
    s = ph.solve(FORCED, method, h=0.1, n_steps=20, compiled=False)
    Q, W = loop(FORCED, 0.1, 20)
    assert np.abs(s.Q[-1] - Q).max() < 1e-13 and np.abs(s.Omega[-1] - W).max() < 1e-13


@pytest.mark.parametrize("name", [m.name for m in ph.methods().values() if not m.explicit_torque])
def test_a_torque_that_nearly_vanishes_is_no_obstacle(name):
    """Near an equilibrium the torque is the round-off of larger terms; from rest nothing sets a scale."""
    cycle = np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]])
    near = ph.Problem(
        inertia=(1.6, 2.3, 3.1),
        potential=lambda Q: 3 - Q[0, 1] - Q[1, 2] - Q[2, 0],
        Q0=cycle,
        Omega0=(1e-9, 2e-9, 1e-9),
    )
    rest = ph.Problem(inertia=(1.6, 2.3, 3.1), torque=lambda t, Q: (np.sin(t), 0.3 * t, -t * t), Omega0=(0, 0, 0))
    for problem in (near, rest):
        s = ph.solve(problem, name, h=0.125, n_steps=200 if problem is near else 8, compiled=False)
        assert s.success, s.message


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: ph.trapezoidal(1), "less than 1"),
        (lambda: ph.trapezoidal(-0.5), "at least 0"),
        (lambda: ph.trapezoidal("half"), "must be a number"),
        (lambda: ph.newmark(gamma=0), "gamma must be positive"),
        (lambda: ph.newmark(beta=-1), "must not be negative"),
        (lambda: ph.newmark(beta=float("nan")), "must be a number"),
    ],
)
def test_parameters_that_make_no_method_are_refused_with_a_reason(make, words):
    with pytest.raises(ph.InputError, match=words):
        make()


@pytest.mark.parametrize(
    "name, method", [("ALGO_0(1/6, 1/2)", ph.newmark("1/6")), ("TRAPM(1/3)", ph.trapezoidal("1/3"))]
)
def test_parameters_stay_exact(name, method):
    from mpmath import mpf, workdps

    assert method.name == name
    with workdps(50):
        third = method.coefficients((), mpf)[0] * (6 if "6" in name else 3)
        assert abs(third - 1) < mpf(10) ** -49


@pytest.mark.parametrize("zeta, order", [("1/2", 2), ("1/3", 1)])
def test_claims_follow_the_parameters(zeta, order):
    assert ph.trapezoidal(zeta).order == order == ph.newmark(gamma=zeta).order
    assert ph.trapezoidal(zeta).symmetric is ph.newmark(gamma=zeta).symmetric is (order == 2)
