"""What a method keeps with torques of the velocity follows from what it keeps without them, by how it takes them.

The theorems stand in ``parts/kicks.py`` and below; the claims they make are measured for every method all the same.
"""

from typing import Any

from polhode.integrators.method import KICKS, MOMENTA, STAGES


def by_kicks(*, symplectic: bool, momentum: bool, energy: bool) -> dict[str, Any]:
    """Of a method that is kick, free step, kick; what it keeps of a free body.

    A rotor is a rotation at a constant rate, Hamiltonian, so the form is kept with it, and contracted by the factor of
    the damped kicks with C = gamma J. Neither changes the spatial momentum of body and rotor, and what motors give the
    wheels is taken from the body at the same times. The energy with a rotor is that of a splitting, never exact; a
    damped kick lowers the energy, since the rate of Pi . J^-1 Pi/2 is -Omega . C Omega, and a free step that keeps it
    keeps it falling.
    """
    return dict(
        velocity=KICKS,
        symplectic_rotor=symplectic,
        conformal=symplectic,
        momentum_wheels=momentum,
        energy_rotor=False,
        energy_damped=energy,
    )


def at_stages(*, energy: bool, damps: bool = False) -> dict[str, Any]:
    """Of a method that evaluates the torque where it knows the velocity.

    A rotor is the torque l x Omega at an attitude in the step, which has no potential: neither the form nor the
    momentum of body and rotor is kept. It does no work; a method whose energy balance is exact, the torque against the
    rotation of the step itself, keeps the energy with it, and loses what damping takes. One that damps (or feeds) by
    itself claims nothing of that.
    """
    return dict(
        velocity=STAGES,
        symplectic_rotor=False,
        conformal=False,
        momentum_wheels=False,
        energy_rotor=energy,
        energy_damped=None if damps else energy,
    )


def with_momenta(*, symplectic: bool, damps: bool = False) -> dict[str, Any]:
    """Of a method whose velocities come from the momentum, so that a rotor is inside: Pi = J Omega + l.

    Gauss's methods are symplectic for any Hamiltonian, that of a gyrostat too. The rest is kept to their order only:
    the factor exp(-gamma h) of damping, the momentum with motors on, which is a torque in time, and the energy. One
    that may damp by itself claims nothing of a damped energy.
    """
    return dict(
        velocity=MOMENTA,
        symplectic_rotor=symplectic,
        conformal=False,
        momentum_wheels=False,
        energy_rotor=False,
        energy_damped=None if damps else False,
    )
