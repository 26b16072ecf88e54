"""Hulbert's staggered method: two leapfrogs, each giving the other its velocity and torque."""

from polhode.integrators.method import Method
from polhode.kernels.implicit import NO_SOLVE
from polhode.kernels.numbers import Body, Number, Quat, Report, State, Vec3
from polhode.kernels.rotations import compose, exp, rotated, rotated_back, unit
from polhode.kernels.scalar import kernel
from polhode.kernels.step import torque_at
from polhode.kernels.vectors import cross, lin, mul, plus, scaled


@kernel
def hstagm_step(h: Number, t: Number, state: State, body: Body) -> tuple[State, Report]:
    """HSTAGM: explicit staggered steps with midpoint torque, two copies of the body half a step apart.

    With pi = Q J Omega the spatial momentum and f = Q tau the torque in space,

        Q_n       = Q_{n-1} exp(h Omega_{n-1/2}),        pi_n       = pi_{n-1} + h f(t_{n-1/2}, Q_{n-1/2})
        Q_{n+1/2} = Q_{n-1/2} exp(h Omega_n),            pi_{n+1/2} = pi_{n-1/2} + h f(t_n, Q_n)

    started by Q_{1/2} = Q0 exp(Theta), Theta = h/2 Omega0 + h^2/8 A0 with A0 from the equation of motion, and
    pi_{1/2} = pi_0 + h/2 f(t_{1/4}, Q0 exp(Theta/2)): one more torque evaluation before the first step.
    Leapfrog where velocity and torque both stand on the other lattice, so all is explicit, with two torque
    evaluations a step.

    What is carried is the second copy brought to the time of the first: half a step of it before and half a
    step after the step of the first copy give the same numbers, and in this form the map of the pair (Q, pi)
    and its copy is symmetric. Second order. Spatial momentum changes by impulses of the torque only: exact for
    the free body, and its vertical component for a top. Energy is not kept. The extended state is the pair:
    there the method is a leapfrog between two copies that nothing holds together. The first step as a map of
    (Q, Pi) is neither symplectic nor Poisson.

    Pitfall: the copies separate. The parasitic oscillation between odd and even steps grows and the run blows
    up, soon on the slow top and on the stress test.

    Misprint: Krysl and Endres start A0 with the torque in space axes where body axes are meant; it changes
    the start by O(h^2) only.
    """
    q, Pi, tau, copy = state
    iJ = body[1]
    k = h / 2
    Q, P = other(k, copy[:4], copy[4:], q, Pi, tau, body)
    F = exp(scaled(h, mul(iJ, rotated_back(Q, P))))
    q = unit(compose(q, F))
    Pi = lin(1, rotated_back(F, Pi), h, rotated_back(q, rotated(Q, torque_at(t + k, Q, body))))
    tau = torque_at(t + h, q, body)
    Q, P = other(k, Q, P, q, Pi, tau, body)
    return (q, Pi, tau, unit(Q) + P), NO_SOLVE


@kernel
def other(a: Number, Q: Quat, P: Vec3, q: Quat, Pi: Vec3, tau: Vec3, body: Body) -> tuple[Quat, Vec3]:
    """The copy (Q, P), P in space axes, after a time a with the velocity and the torque of (q, Pi, tau)."""
    return compose(Q, exp(scaled(a, mul(body[1], Pi)))), lin(1, P, a, rotated(q, tau))


@kernel
def start_copy(h: Number, t: Number, q: Quat, Pi: Vec3, body: Body) -> State:
    """The first state: the copy at h/2, brought back to 0 by half a step."""
    iJ = body[1]
    tau = torque_at(t, q, body)
    Omega = mul(iJ, Pi)
    A = mul(iJ, plus(cross(Pi, Omega), tau))
    Theta = lin(h / 2, Omega, h * h / 8, A)
    F = compose(q, exp(lin(h / 4, Omega, h * h / 16, A)))
    P = lin(1, rotated(q, Pi), h / 2, rotated(F, torque_at(t + h / 4, F, body)))
    Q, P = other(-h / 2, compose(q, exp(Theta)), P, q, Pi, tau, body)
    return (q, Pi, tau, Q + P)


HSTAGM = Method(
    name="HSTAGM",
    aliases=("Hulbert",),
    title="Hulbert, staggered",
    family="Hulbert",
    sources=("hulbert-1992", "krysl-endres-2005"),
    step=hstagm_step,
    start=start_copy,
    extended=True,
    order=2,
    torques_per_step=2,
    torques_at_start=2,
    symmetric=True,
    symplectic_free=False,
    symplectic=False,
    poisson_free=False,
    momentum_free=True,
    energy_free=False,
    momentum_top=True,
    energy_top=False,
    drift="unstable",
)
