"""Published experiments as data: what was integrated, by which methods, with which steps."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Study:
    """A problem, methods in the order of the paper, step sizes, and the end of the interval."""

    title: str
    source: str
    problem: str
    methods: tuple[str, ...]
    h: tuple[float, ...]
    t_end: float


ORTOLAN_SACCON = Study(
    title="A numerical test of long-time stability for rigid body integrators",
    source="ortolan-saccon-2012",
    problem="stress",
    methods=("ELN", "TLN", "PRK", "MCG", "NEW3", "LIEMID[EA]", "VLV"),
    h=(0.125, 0.25),
    t_end=10_000.0,
)
"""Figure 1 of Ortolan & Saccon (2012): the energy error of seven methods, six of which drift."""
