"""What can be reproduced: one list. To add a figure or a table, add it to the file of its paper in `figures/`."""

from polhode.errors import InputError, unknown
from polhode.testbench.papers.figures import bou_rabee, hairer_vilmart, krysl_endres, ortolan_saccon
from polhode.testbench.papers.reproduced import Specification

REPRODUCTIONS = (
    *ortolan_saccon.FIGURES,
    *bou_rabee.FIGURES,
    *krysl_endres.FIGURES,
    *hairer_vilmart.FIGURES,
)


def reproduction(name: str) -> Specification:
    """A figure or table by its name."""
    by_name = {r.name: r for r in REPRODUCTIONS}
    if name is None:
        raise InputError(f"Give the name of a figure or table: {', '.join(by_name)}.")
    try:
        return by_name[str(name).lower()]
    except KeyError:
        raise unknown("figure or table", name, list(by_name)) from None
