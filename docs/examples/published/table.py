"""Published methods, what is said of them, and what a certificate says: `python table.py` prints the page's rows."""

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
PAIRS = (
    ("symplectic", "symplectic_free", "symplectic_potential", "potential"),
    ("momentum", "momentum_free", "momentum_top", "top"),
    ("energy", "energy_free", "energy_top", "top"),
)
"""What may be kept of a free body and under a torque: the word, the two keys, and what the second is kept of."""
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
        "This is AKW for a free body",
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


def kept(yes):
    """What is kept, in words: one word for a free body and a torque where both are kept."""
    words = []
    for word, free, torque, both in PAIRS:
        cases = [label for key, label in ((free, "free"), (torque, both)) if key in yes]
        words += [f"{word} ({' and '.join(cases)})"] if cases else []
    return ", ".join((["symmetric"] if "symmetric" in yes else []) + words + (["SO(3)"] if "on_group" in yes else []))


def energy(drift):
    """The energy on the stress test, in words."""
    if drift.verdict == "yes" and drift.value is None:
        return f"unstable at h = 1/8: gone at t = {drift.how.rpartition('at t = ')[2].rstrip('.')}"
    if drift.verdict == "yes":
        return f"{'gains' if drift.value > 0 else 'loses'}, {drift.value:+.1e} a unit of time"
    if "memory" in drift.how:
        return f"{drift.verdict}: it has memory"
    return "kept" if drift.verdict == "no" else f"undecided, a rate below {drift.bound:.0e}"


def row(one, certificate):
    """A row of the page."""
    orders, yes = found(certificate)
    numbers = " ".join(f"{x:.0f}" for x in orders)
    return f"| {one.name} | {one.printed} | {numbers} | {kept(yes)} | {energy(certificate['drift'])} |"


def main():
    """The row of the page for each, or for those named."""
    for one in METHODS:
        if len(sys.argv) == 1 or one.name in sys.argv[1:]:
            print(row(one, ph.certify(one.method)), flush=True)


if __name__ == "__main__":
    main()
