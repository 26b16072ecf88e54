"""Runge-Kutta-Munthe-Kaas: a Runge-Kutta method in exponential coordinates at the start of the step."""

from polhode.body import start_plain, torque_at
from polhode.model import Method
from polhode.scalar import kernel
from polhode.so3.rotations import compose, dexpinv, exp, rotated, rotated_back, unit
from polhode.so3.vectors import lin, mul, plus, scaled
from polhode.solver import NO_SOLVE


@kernel
def rkmk4_step(h, t, state, body):
    """Munthe-Kaas with the classical Runge-Kutta tableau, in momentum form.

    Write Q = Q0 exp(Psi) and let p be the momentum in the axes of Q0; then with the stage momentum
    Pi = exp(-Psi) p

        Psi' = dexp_{-Psi}^-1 J^-1 Pi,          p' = exp(Psi) tau(t, Q0 exp(Psi))

    is an equation in a vector space, integrated by any tableau, here 1/6 (1, 2, 2, 1). The order is that of
    the tableau. A linear equation for p makes the spatial momentum of the free body and the vertical one of
    a top exact. The chart is fixed at the start of the step, so the method is not symmetric, and it keeps
    neither energy nor the symplectic form: energy falls slowly.

    Misprint: a printed box takes the torque of the stage being computed in its sums; the order is then 2.
    """
    q, Pi, tau, memory = state
    k1, m1 = slope(t, scaled(0 * h, Pi), Pi, q, body)
    k2, m2 = slope(t + h / 2, scaled(h / 2, k1), lin(1, Pi, h / 2, m1), q, body)
    k3, m3 = slope(t + h / 2, scaled(h / 2, k2), lin(1, Pi, h / 2, m2), q, body)
    k4, m4 = slope(t + h, scaled(h, k3), lin(1, Pi, h, m3), q, body)
    Psi = scaled(h / 6, plus(plus(k1, k4), scaled(2, plus(k2, k3))))
    p = lin(1, Pi, h / 6, plus(plus(m1, m4), scaled(2, plus(m2, m3))))
    F = exp(Psi)
    return (unit(compose(q, F)), rotated_back(F, p), m4, memory), NO_SOLVE


@kernel
def slope(t, Psi, p, q, body):
    """(Psi', p') at the stage (t, Psi, p) over the attitude q."""
    F = exp(Psi)
    tau = torque_at(t, compose(q, F), body)
    Omega = mul(body[1], rotated_back(F, p))
    return dexpinv(scaled(-1, Psi), Omega), rotated(F, tau)


RKMK4 = Method(
    name="RKMK4",
    aliases=("MKRK4",),
    title="Munthe-Kaas, classical Runge-Kutta tableau",
    family="Munthe-Kaas",
    sources=("munthe-kaas-1998", "munthe-kaas-1999"),
    step=rkmk4_step,
    start=start_plain,
    order=4,
    torques_per_step=4,
    symmetric=False,
    symplectic_free=False,
    symplectic=False,
    poisson_free=False,
    momentum_free=True,
    energy_free=False,
    momentum_top=True,
    energy_top=False,
    drift="-",
)
