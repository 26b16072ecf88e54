"""What kernels are given, by name. A number is a float, a complex number, an mpf, or a vector of any of them.

The arithmetic is open: whatever has ``+ - * /`` and the functions of ``scalar.py`` is a number, so a type checker is
told the shapes, not the arithmetic.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

Number: TypeAlias = Any
Condition: TypeAlias = Any
"""Whether something holds: True or False, or one for each of several bodies."""

Vec3: TypeAlias = tuple[Number, Number, Number]
Quat: TypeAlias = tuple[Number, Number, Number, Number]
"""A rotation as a quaternion (w, x, y, z) of any length."""

Mat3: TypeAlias = tuple[Number, Number, Number, Number, Number, Number, Number, Number, Number]
"""A 3x3 matrix by rows."""

Numbers: TypeAlias = tuple[Number, ...]
Trail: TypeAlias = Mat3
"""The last three solutions of an implicit equation, from which the next is guessed."""

Kernel: TypeAlias = Callable[..., Any]
"""A plain function on tuples of numbers."""

Body: TypeAlias = tuple[Vec3, Vec3, Numbers, tuple[Any, ...]]
"""J, 1/J, the coefficients of the method, and the torque with its parameters; see ``step.py``."""

State: TypeAlias = tuple[Quat, Vec3, Vec3, Numbers]
"""Attitude, body momentum, the torque there, and what else the method carries."""

Span: TypeAlias = tuple[Number, Number, int, int]
"""Steps one after the other: h, t0, the number of the first, and how many; number i begins at t0 + i h."""

Rows: TypeAlias = tuple[int, int, int]
"""When states are kept: the next row, how many steps there are from row to row, and how many are left to the next."""

Report: TypeAlias = tuple[Any, Number]
"""Iterations taken, and the error left: 0 where the equations are solved."""
