"""Methods that are the same map, or conjugate to one another: theorems, each checked to round-off.

States are generic (three distinct moments, no symmetry) and the torque depends on attitude and time, so that a
wrong sign, factor, frame or stage time cannot hide.
"""

import numpy as np
import pytest
from scipy.linalg import eig
from scipy.optimize import fsolve
from scipy.spatial.transform import Rotation

import polhode as ph

FORCED = ph.problem("forced")
FREE = ph.problem("free-body", inertia=tuple(FORCED.moments))
J = np.diag(FORCED.moments)
INVERSE = np.diag(1 / FORCED.moments)
H, T = 0.25, 0.7
ROUND_OFF = 2e-14


@pytest.fixture(params=range(3))
def state(request):
    """(t, Q, Pi): a time, an attitude and a momentum without symmetry."""
    rng = np.random.default_rng(request.param)
    return T, Rotation.random(rng=rng).as_matrix(), rng.normal(size=3)


def exp(x):
    return Rotation.from_rotvec(x).as_matrix()


def hat(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def vee(A):
    return np.array([A[2, 1], A[0, 2], A[1, 0]])


def step(method, h=H, problem=FORCED):
    """The map of a method, as a function of (t, Q, Pi)."""

    def run(t, Q, Pi):
        Q1, Omega1 = ph.step(problem, method, Q, INVERSE @ Pi, h, t)
        return t + h, Q1, J @ Omega1

    return run


def free(method, h=H):
    """The same without the torque."""
    return step(method, h, FREE)


def kick(a):
    return lambda t, Q, Pi: (t, Q, Pi + a * FORCED.torque(t, Q))


def chain(*maps):
    """The maps one after the other, the first first."""

    def run(t, Q, Pi):
        for f in maps:
            t, Q, Pi = f(t, Q, Pi)
        return t, Q, Pi

    return run


def same(f, g, state, bound=ROUND_OFF):
    (t, Q, Pi), (s, R, P) = f(*state), g(*state)
    assert t == pytest.approx(s)
    assert np.abs(Q - R).max() < bound and np.abs(Pi - P).max() < bound


def solved(residual, guess):
    """A root of three equations, to round-off."""
    x = fsolve(residual, guess, xtol=1e-13)
    for _ in range(3):
        A = np.array([(residual(x + d) - residual(x - d)) / 2e-6 for d in 1e-6 * np.eye(3)]).T
        x = x - np.linalg.solve(A, residual(x))
    return x


# ---- the same map in other words ---------------------------------------------------------------------


def test_newmark_in_space_axes_is_newmark_in_body_axes(state):
    same(step("NMS"), step("NMB"), state)


@pytest.mark.parametrize("beta, other", [("1/4", "TLN-EXP"), (0, "NMB")])
def test_algo_0_contains_the_lie_newmark_methods(state, beta, other):
    same(step(ph.newmark(beta, "1/2")), step(other), state)


def test_algo_1_is_the_body_frame_midpoint_rule(state):
    assert ph.method("ALGO_1") is ph.method("IMID")
    t, Q, Pi = state
    _, Q1, Pi1 = step("IMID")(*state)
    W = INVERSE @ (Pi + Pi1) / 2
    tau = FORCED.torque(t + H / 2, Q @ exp(H / 2 * W))
    assert np.abs((Pi1 - Pi) / H + np.cross(W, J @ W) - tau).max() < ROUND_OFF / H
    assert np.abs(Q1 - Q @ exp(H * W)).max() < ROUND_OFF


def test_implicit_midpoint_in_momentum_form_is_munthe_kaas_with_the_midpoint_tableau(state):
    def munthe_kaas(t, Q, Pi):
        def stage(K):
            Psi = H / 2 * K
            M = exp(Psi) @ FORCED.torque(t + H / 2, Q @ exp(Psi))
            Omega = INVERSE @ exp(-Psi) @ (Pi + H / 2 * M)
            return dexpinv(-Psi) @ Omega, M

        K = solved(lambda K: stage(K)[0] - K, INVERSE @ Pi)
        return t + H, Q @ exp(H * K), exp(-H * K) @ (Pi + H * stage(K)[1])

    same(step("LIEMID[I]"), munthe_kaas, state)


def dexpinv(x):
    n = np.linalg.norm(x)
    return np.eye(3) - hat(x) / 2 + (1 - n / 2 / np.tan(n / 2)) / n**2 * hat(x) @ hat(x)


def test_rattle_is_rattle_for_the_nine_entries_with_multipliers(state):
    """Verlet for Q in R^9 with mass matrix D, multipliers that keep Q^T Q = I and its derivative."""
    D = np.trace(J) / 2 * np.eye(3) - J

    def gradient(t, Q):  # a 3x3 force whose moment about the body axes is the torque
        return Q @ hat(FORCED.torque(t, Q)) / 2

    def rattle(t, Q, Pi):
        P = Q @ hat(INVERSE @ Pi) @ D  # momentum in R^9
        force = gradient(t, Q)

        def ahead(x):  # x: the symmetric multiplier
            L = np.array([[x[0], x[3], x[4]], [x[3], x[1], x[5]], [x[4], x[5], x[2]]])
            half = P + H / 2 * force - Q @ L
            return half, Q + H * half @ np.linalg.inv(D)

        def constraint(x):
            A = ahead(x)[1]
            A = A.T @ A - np.eye(3)
            return np.array([A[0, 0], A[1, 1], A[2, 2], A[0, 1], A[0, 2], A[1, 2]])

        x = np.zeros(6)
        for _ in range(50):
            A = np.array([(constraint(x + d) - constraint(x - d)) / 2e-4 for d in 1e-4 * np.eye(6)]).T
            x = x - np.linalg.solve(A, constraint(x))
        half, Q1 = ahead(x)
        P1 = half + H / 2 * gradient(t + H, Q1)
        # the second multiplier makes Q1^T P1 D^-1 skew: the body momentum is the skew part of Q1^T P1
        skew = Q1.T @ P1
        return t + H, Q1, vee(skew - skew.T)

    same(rattle, step("RATTLE"), state, 5e-14)


def test_rattle_is_the_variational_integrator_of_lee_leok_and_mcclamroch(state):
    def llm(t, Q, Pi):
        p = Pi + H / 2 * FORCED.torque(t, Q)

        def residual(f):
            n = np.linalg.norm(f)
            return np.sin(n) / n * J @ f + (1 - np.cos(n)) / n**2 * np.cross(f, J @ f) - H * p

        F = exp(solved(residual, H * INVERSE @ p))
        return t + H, Q @ F, F.T @ p + H / 2 * FORCED.torque(t + H, Q @ F)

    same(llm, step("LLM2007"), state)


def test_moser_veselov_is_a_matrix_factorisation(state):
    def factorised(t, Q, y):
        D = np.trace(J) / 2 * np.eye(3) - J
        K = H * hat(y) / 2
        values, vectors = eig(np.block([[K, np.eye(3)], [D @ D + K @ K, K]]))
        V = vectors[:, values.real > 0]
        S = (V[3:] @ np.linalg.inv(V[:3])).real
        F = (S + K) @ np.linalg.inv(D)
        return t + H, Q @ F, F.T @ y

    same(factorised, free("DMV"), state)


def test_prk_is_the_midpoint_rule_between_half_kicks(state):
    same(step("PRK"), chain(kick(H / 2), free("AKW"), kick(H / 2)), state)


@pytest.mark.parametrize(
    "one, other",
    [
        ("PRK", "AKW"),
        ("ALGO_C1", "RKMK-TRAP"),
        ("LS", "RATTLE"),
        ("MLEOK", "RATTLE"),
        ("SACCON", "HP-EXP"),
        ("IMIDM", "LIEMID"),
        ("MCG", "LIEMID"),
        ("LIEMID[E1]", "LIEMID"),
        ("LIEMID[E2]", "LIEMID"),
        ("LIEMID[EA]", "LIEMID[EB]"),
    ],
)
def test_the_same_without_a_torque(state, one, other):
    same(free(one), free(other), state)


def test_mcg_is_midpoint_lie_between_half_kicks(state):
    same(step("MCG"), chain(kick(H / 2), free("LIEMID"), kick(H / 2)), state)


def test_liemid_ea_without_a_torque_is_liemid_twice(state):
    same(free("LIEMID[EA]"), chain(free("LIEMID", H / 2), free("LIEMID", H / 2)), state)


def test_liemid_ea_and_eb_are_the_two_compositions_of_their_halves(state):
    first, last = step("LIEMID[E1]", H / 2), step("LIEMID[E2]", H / 2)
    same(step("LIEMID[EA]"), chain(first, last), state)
    same(step("LIEMID[EB]"), chain(last, first), state)


def test_liemid_e1_and_e2_are_adjoint(state):
    same(chain(step("LIEMID[E1]"), step("LIEMID[E2]", -H)), lambda *s: s, state)


# ---- compositions of the two Euler methods -----------------------------------------------------------


def forward(a, carried):
    """Forward Euler over a; `carried`: the momentum is carried along by the rotation."""

    def run(t, Q, Pi):
        Omega = INVERSE @ Pi
        F = exp(a * Omega)
        tau = FORCED.torque(t, Q)
        return t + a, Q @ F, F.T @ (Pi + a * tau) if carried else Pi + a * (np.cross(Pi, Omega) + tau)

    return run


def backward(a, carried):
    """Backward Euler over a: the inverse of forward Euler over -a."""

    def run(t, Q, Pi):
        def residual(Pi1):
            Omega = INVERSE @ Pi1
            F = exp(a * Omega)
            tau = FORCED.torque(t + a, Q @ F)
            return Pi1 - (F.T @ Pi + a * tau if carried else Pi + a * (np.cross(Pi1, Omega) + tau))

        Pi1 = solved(residual, Pi)
        return t + a, Q @ exp(a * INVERSE @ Pi1), Pi1

    return run


@pytest.mark.parametrize("midpoint, trapezoid, carried", [("IMID", "TRAP", False), ("IMIDM", "TRAPM", True)])
def test_midpoint_and_trapezoidal_rules_are_the_euler_methods_in_either_order(state, midpoint, trapezoid, carried):
    same(step(midpoint), chain(backward(H / 2, carried), forward(H / 2, carried)), state)
    same(step(trapezoid), chain(forward(H / 2, carried), backward(H / 2, carried)), state)


@pytest.mark.parametrize("zeta", [0, 0.25, 0.75])
def test_trapm_takes_the_share_zeta_forward(state, zeta):
    same(step(ph.trapezoidal(zeta)), chain(forward(zeta * H, True), backward((1 - zeta) * H, True)), state)


# ---- conjugate methods: equal drift --------------------------------------------------------------------


def test_trapezoidal_and_midpoint_rules_are_conjugate(state):
    for midpoint, trapezoid, carried in (("IMID", "TRAP", False), ("IMIDM", "TRAPM", True)):
        half = forward(H / 2, carried)
        same(chain(half, step(midpoint)), chain(step(trapezoid), half), state)


def test_mcg_and_new3_are_conjugate(state):
    def half(t, Q, Pi):  # an explicit free half step, then half a kick
        F = exp(H / 2 * INVERSE @ Pi)
        return kick(H / 2)(t + H / 2, Q @ F, F.T @ Pi)

    same(chain(half, step("MCG")), chain(step("NEW3"), half), state)


def test_first_order_midpoint_lie_is_conjugate_to_mcg(state):
    same(chain(kick(H / 2), step("MCG")), chain(step("LIEMID[E1]"), kick(H / 2)), state)
    same(chain(kick(-H / 2), step("MCG")), chain(step("LIEMID[E2]"), kick(-H / 2)), state)


def test_liemid_ea_and_eb_are_conjugate(state):
    half = step("LIEMID[E1]", H / 2)
    same(chain(half, step("LIEMID[EB]")), chain(step("LIEMID[EA]"), half), state)


def test_mleok_is_conjugate_to_rattle(state):
    same(chain(kick(-H / 2), step("RATTLE")), chain(step("MLEOK"), kick(-H / 2)), state)


# ---- the energy-momentum family ----------------------------------------------------------------------

ANGLES = {  # the angle of the rotation, given the length of h times the mean velocity
    "ALGO_C1": lambda n: n,
    "AKW": lambda n: 2 * np.arctan(n / 2),
    "LS": np.arcsin,
    "none of these": lambda n: n + n**3 / 7,
}


@pytest.mark.parametrize("member", ANGLES)
def test_every_rotation_about_the_mean_velocity_keeps_energy_and_momentum(state, member):
    """Q1 = Q0 F, Pi1 = F^T Pi0, F about J^-1 (Pi0 + Pi1) by any angle; three methods are of this kind."""

    def rotation(Pi, Pi1):
        w = H * INVERSE @ (Pi + Pi1) / 2
        n = np.linalg.norm(w)
        return exp(ANGLES[member](n) / n * w)

    def family(t, Q, Pi):
        Pi1 = solved(lambda Pi1: Pi1 - rotation(Pi, Pi1).T @ Pi, Pi)
        return t + H, Q @ rotation(Pi, Pi1), Pi1

    _, Q, Pi = state
    _, Q1, Pi1 = family(*state)
    assert Pi1 @ INVERSE @ Pi1 == pytest.approx(Pi @ INVERSE @ Pi, abs=ROUND_OFF)
    assert Q1 @ Pi1 == pytest.approx(Q @ Pi, abs=ROUND_OFF)
    if member != "none of these":
        same(family, free(member), state)
