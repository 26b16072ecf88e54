"""Problems people have: a body in gravity, a satellite, a compass needle, a wall, a force at a point.

What acts on a satellite besides gravity, such as drag and magnetorquers, is given to it: satellite(torques=[...]).

Frames are in the names: every vector argument ends in `_body` or `_space`, the axes of its components.
The inertia may be three principal moments or a full symmetric tensor; `polhode.physics.inertia` makes it from a shape.
"""

from polhode.physics.build.drag import Panel, drag
from polhode.physics.build.gravity_gradient import satellite
from polhode.physics.build.magnetorquer import magnetorquer
from polhode.physics.build.point_force import point_force
from polhode.physics.build.uniform_field import heavy_body, magnetic_dipole
from polhode.physics.build.wall import wall

__all__ = ["Panel", "drag", "heavy_body", "magnetic_dipole", "magnetorquer", "point_force", "satellite", "wall"]
