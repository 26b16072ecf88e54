"""Published methods, what is said of them, and what a certificate says: `python table.py` prints it for all."""

import sys
from dataclasses import dataclass
from typing import Any

import buss
import discrete_gradient
import generalized_alpha
import omelyan
import spiral

import polhode as ph


@dataclass(frozen=True)
class Published:
    """A method, its claims in print, and what the certificate finds: orders of Q and Omega, free and with a torque."""

    name: str
    method: Any
    printed: str
    orders: tuple[float, float, float, float]
    yes: tuple[str, ...]
    kin: str = ""


KEPT = ("symmetric", "symplectic_free", "symplectic_potential", "momentum_free", "momentum_top", "energy_free")
KEPT = (*KEPT, "energy_top", "on_group")
METHODS = (
    Published("SPIRAL", spiral.spiral, "order 3, one torque a step", (2, 3, 1, 1), ("on_group",)),
    Published("SPIRAL, leapfrog", spiral.spiral_leapfrog, "order 3, one torque a step", (2, 3, 2, 2), ("on_group",)),
    Published(
        "Omelyan, velocity",
        omelyan.angular_velocity,
        "reversible, symplectic in the mean",
        (2, 2, 2, 2),
        ("symmetric", "momentum_free", "momentum_top", "energy_free", "on_group"),
        "This is PRK",
    ),
    Published(
        "Omelyan, momentum",
        omelyan.angular_momentum,
        "reversible",
        (2, 2, 2, 2),
        ("symmetric", "momentum_free", "momentum_top", "energy_free", "on_group"),
        "This is PRK",
    ),
    Published(
        "Buss, augmented",
        buss.augmented,
        "order 2, keeps the momentum of a free body",
        (2, 2, 2, 2),
        ("momentum_free", "momentum_top", "on_group"),
    ),
    Published(
        "generalized-alpha",
        ph.BlackBox("generalized-alpha", generalized_alpha.advance),
        "order 2, damps",
        (2, 2, 2, 2),
        ("on_group",),
    ),
    Published(
        "discrete gradient",
        discrete_gradient.step,
        "order 2, symmetric, keeps the energy",
        (2, 2, 2, 2),
        ("symmetric", "momentum_free", "momentum_top", "energy_free", "energy_top", "on_group"),
        "AKW for a free body",
    ),
)


def found(certificate):
    """The orders, and what is a yes, of a certificate."""
    orders = tuple(
        min(certificate[f"order_{case}_{what}"].value for case in cases)
        for cases in (("free",), ("potential", "forced"))
        for what in ("Q", "Omega")
    )
    return orders, tuple(key for key in KEPT if certificate[key].verdict == "yes")


def main():
    """One row of the page for each, or for those named, and below it how the drift was measured."""
    for one in METHODS:
        if len(sys.argv) > 1 and one.name not in sys.argv[1:]:
            continue
        c = ph.certify(one.method)
        orders, yes = found(c)
        numbers = " ".join(f"{x:.1f}" for x in orders)
        print(f"| {one.name} | {one.printed} | {numbers} | {', '.join(yes)} | {c['drift'].verdict} | {c.kin} |")
        print(f"{c['drift'].how}; {' '.join(c.diagnosis)} ({c.seconds:.0f} s)\n", flush=True)


if __name__ == "__main__":
    main()
