"""Steps that follow the motion and stay reversible: after Hairer & Soderlind (2005).

A step that is a function of the state at its begin makes any method irreversible, and what a symmetric method owes to
its symmetry, no drift of the energy above all, is lost. Here the density of steps rho, a step being eps/rho, is
integrated beside the motion, between the steps:

    rho_(n+1/2) = rho_(n-1/2) + eps G(y_n),      y_(n+1) = Phi_h(y_n),   t_(n+1) = t_n + h,   h = eps/rho_(n+1/2)

with G = (d/dt) ln rho(y), along the motion, of the density rho(y) that is wanted. Read backwards this is the same
recursion with -eps: the map of (y, rho) is symmetric if Phi is, and reversible, as G changes its sign when the velocity
does. It costs no equation to be solved, and rho_n stays within O(eps^2) of rho(y_n) without the oscillations of
rho_(n+1/2) + rho_(n-1/2) = 2 rho(y_n).

The derivative is a central difference along the motion. Whatever its error, it changes its sign with the velocity to
the last bit, which is all that reversibility asks of it.
"""

from typing import Any

from polhode.kernels.numbers import Body, Number, Quat, State, Vec3
from polhode.kernels.rotations import compose, matrix
from polhode.kernels.scalar import kernel, sqrt
from polhode.kernels.step import moment_at, velocity_of
from polhode.kernels.vectors import cross, dot, lin, mul, scaled
from polhode.kernels.watching import part

APART = 1 / 8
"""From a state to those of the difference, in steps: truncation is then below that of a step, and of the same order;
nearer, the rounding of the density would be magnified, and reversibility be lost to it."""


@kernel
def carried(t: Number, state: State, body: Body) -> Vec3:
    """The torque at a state, as methods explicit in the torque hand it on."""
    return state[2]


@kernel
def anew(t: Number, state: State, body: Body) -> Vec3:
    """The torque at a state, for methods that have no use for it."""
    return moment_at(t, state[0], velocity_of(state[1], body), body)


@kernel
def turning(Pi: Vec3, tau: Vec3, body: Body) -> Number:
    """(|Omega|^4 + |Omega'|^2)^(1/4): radians a unit of time, or what the acceleration makes of a body at rest."""
    Omega = velocity_of(Pi, body)
    gyroscopic = cross(Pi, Omega)
    change = mul(body[1], lin(1, gyroscopic, 1, tau))
    s = dot(Omega, Omega)
    return sqrt(sqrt(s * s + dot(change, change)))


@kernel
def by_turning(t: Number, q: Quat, Pi: Vec3, body: Body, about: Any) -> Number:
    """The density of steps that turn the body by equal angles, relative to that at the start, about[0]."""
    return turning(Pi, moment_at(t, q, velocity_of(Pi, body), body), body) / about[0]


@kernel
def by_turning_here(t: Number, q: Quat, Pi: Vec3, tau: Vec3, body: Body, about: Any) -> Number:
    """The same at a state whose torque is known."""
    return turning(Pi, tau, body) / about[0]


@kernel
def by_function(t: Number, q: Quat, Pi: Vec3, body: Body, about: Any) -> Number:
    """The density that a function says: about is the function, and where its parameters are."""
    return about[0](t, matrix(q), mul(body[1], Pi), about[1])


@kernel
def by_function_here(t: Number, q: Quat, Pi: Vec3, tau: Vec3, body: Body, about: Any) -> Number:
    """The same at a state whose torque is known."""
    return by_function(t, q, Pi, body, about)


@kernel
def growth(density: Any, eps: Number, t: Number, state: State, body: Body) -> Number:
    """(d/dt) ln rho along the motion, by a central difference.

    `density` is (torque at a state, density where the torque is known, density elsewhere, what they are about).
    """
    torque, here, elsewhere, about = density
    q, Pi, tau = state[0], state[1], torque(t, state, body)
    Omega = velocity_of(Pi, body)
    change = lin(1, cross(Pi, Omega), 1, tau)
    d = APART * abs(eps) / here(t, q, Pi, tau, body, about)
    x, y, z = scaled(d / 2, Omega)
    after = elsewhere(t + d, compose(q, (1.0, x, y, z)), lin(1, Pi, d, change), body, about)
    before = elsewhere(t - d, compose(q, (1.0, -x, -y, -z)), lin(1, Pi, -d, change), body, about)
    return (after - before) / (d * (after + before))


@kernel
def next_reversible(about: Any, t_end: Number, state: State, clock: Vec3, body: Body) -> Any:
    """The next step, as ``pacing.py`` asks for it; `about` is (step, start, density, eps).

    `clock` is (the time, what rounding has added to it, rho_(n-1/2)). The step that would go beyond t_end is shortened,
    and the last. The error is -1 where rho is not positive.
    """
    step, start, density, eps = about
    t, lost, rho = clock
    rho = rho + eps * growth(density, eps, t, state, body)
    if not rho > 0:
        return state, clock, 0, -1.0, ()
    h = eps / rho
    later = h - lost
    t_after = t + later
    if (t_after - t_end) * eps > 0:
        h = t_end - t
        after, report = step(h, t, start(h, t, state[0], state[1], body), body)
        return after, (t_end, 0.0 * lost, rho), report[0], 1.0 * report[1], ()
    after, report = step(h, t, state, body)
    return after, (t_after, (t_after - t) - later, rho), report[0], 1.0 * report[1], ()


@kernel
def inside_reversible(
    about: Any, s: Number, h: Number, t: Number, state: State, inner: Any, body: Body
) -> tuple[Quat, Vec3]:
    """The state a time s behind a state: by one step of that length, the method's own, to its order."""
    return part(about[0], about[1], s, t, state, body)
