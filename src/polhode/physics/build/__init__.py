"""Problems people have: a body in gravity, a satellite, a compass needle, a wall, a force at a point.

Frames are in the names. Every vector argument ends in `_body` or `_space` after the axes its components are given in.
The inertia may be three principal moments or a full symmetric tensor; `polhode.physics.inertia` makes it from a shape.
"""

from polhode.physics.build.gravity_gradient import satellite
from polhode.physics.build.point_force import point_force
from polhode.physics.build.uniform_field import heavy_body, magnetic_dipole
from polhode.physics.build.wall import wall

__all__ = ["heavy_body", "magnetic_dipole", "point_force", "satellite", "wall"]
