"""The drag of thin air on the plates of a satellite.

    force on a plate = -q A max(0, n . v) v,        torque = sum of c x force,        q = C_D rho V^2/2

v is the direction of flight in body axes, n the outward normal of a plate, A its area and c its centre of pressure,
from the centre of mass. Free molecules that strike a plate leave their momentum there, so that the force is along the
flow; plates in the lee feel nothing, and none shades another.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode import inputs
from polhode.errors import InputError, one_line
from polhode.inputs import checked_call, direction, positive, vector
from polhode.physics.build.acting import Acting, in_body, on_orbit
from polhode.pickling import Travels


@dataclass(frozen=True)
class Panel(Travels):
    """A flat plate of a satellite, in body axes: outward normal, area, and where the air pushes it."""

    normal_body: Any
    area: float
    centre_body: Any

    def numbers(self) -> list[float]:
        """n, A and c in a row."""
        normal, centre = direction("normal_body", self.normal_body), vector("centre_body", self.centre_body)
        return [*normal.tolist(), positive("area", self.area), *centre.tolist()]


@checked_call
def drag(*, panels: Panel | Sequence[Panel], pressure: float) -> Acting:
    """Aerodynamic drag on plates, for `satellite(torques=[...])`.

    The air stands still in space axes: that it turns with the planet is neglected (some four per cent of V in low
    orbits). This torque has no potential: a satellite with its plates behind the centre of mass flies like a
    shuttlecock, and swings for ever unless something damps it.

    `replaced(pressure=...)`, or parameters={"pressure": (N,)} for an ensemble, changes it; nothing is compiled again.

    Parameters
    ----------
    panels : sequence of Panel
        [Panel(normal_body=, area=, centre_body=), ...]: one-sided; a solar wing is two, back to back
    pressure : float
        q = C_D rho V^2/2, a force on an area; with SI, at 400 km over the Earth, some 5e-4 to 3e-3 N/m^2

    Returns
    -------
    Acting
        For `satellite(torques=[...])`.

    Raises
    ------
    InputError
        A number or vector that cannot be used.
    """
    each = (panels,) if isinstance(panels, Panel) else tuple(inputs.items("panels", panels, "a sequence of Panel"))
    for panel in each:
        if not isinstance(panel, Panel):
            raise InputError(f"panels has {one_line(panel)}; give Panel(normal_body=, area=, centre_body=) for each.")
    if not each:
        raise InputError("panels is empty; give at least one Panel.")
    table = np.array([panel.numbers() for panel in each])
    return Acting("drag", dragging, {"panels": table, "pressure": positive("pressure", pressure)})


def dragging(t: Any, Q: Any, Omega: Any, p: Any) -> Any:
    """sum of c x force"""
    _, v = on_orbit(t, p.orbit)
    x, y, z = in_body(Q, v)
    a, b, c = 0 * x, 0 * x, 0 * x
    for k in range(p.panels.shape[0]):
        plate = p.panels[k]
        s = plate[0] * x + plate[1] * y + plate[2] * z
        f = plate[3] * (s + abs(s)) / 2
        a, b, c = a + f * plate[4], b + f * plate[5], c + f * plate[6]
    q = -p.pressure
    return (q * (b * z - c * y), q * (c * x - a * z), q * (a * y - b * x))
