"""Mass, centre of mass and inertia of common solids, so that nobody needs to know J by heart.

A `Solid` is described in axes fixed in it, its *body axes*; every vector argument says so by its name. Solids
can be moved, turned and joined, and give their inertia about any point:

    top = cone(mass=0.3, radius=0.04, height=0.1)                      # its tip at the origin, standing on it
    top.inertia_about((0, 0, 0))                                       # 3x3, about the tip: Problem(inertia=...)
    hammer = box(mass=1, lengths_body=(0.1, 0.03, 0.03)) + cylinder(mass=0.2, radius=0.01, height=0.3)
"""

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from polhode.errors import InputError
from polhode.inputs import (
    checked_call,
    number,
    positive,
    positive_vector,
    real_array,
    rotation,
    vector,
)
from polhode.inputs.rotations import AttitudeLike
from polhode.physics.meshes import checked_mesh, mesh_pair, read_mesh

__all__ = ["Solid", "box", "cone", "cylinder", "ellipsoid", "mesh", "point_masses", "read_mesh"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Solid:
    """A rigid body as far as mechanics sees it.

    Parameters
    ----------
    mass : float
        total mass
    centre_of_mass_body : three numbers
        its place, in body axes
    inertia_centre_body : three numbers or 3x3 array
        3x3 tensor about the centre of mass, in body axes
    """

    mass: float
    centre_of_mass_body: np.ndarray
    inertia_centre_body: np.ndarray

    def __repr__(self) -> str:
        c = np.array2string(np.asarray(self.centre_of_mass_body), precision=6, separator=", ")
        return f"<Solid of mass {self.mass:g}, centre of mass {c}, principal moments {self.principal[0]}>"

    def inertia_about(self, point_body: ArrayLike) -> np.ndarray:
        """The tensor about a point given in body axes, by the parallel-axis theorem."""
        d = np.asarray(self.centre_of_mass_body, dtype=float) - vector("point_body", point_body)
        return self.inertia_centre_body + self.mass * (d @ d * np.eye(3) - np.outer(d, d))

    def moved(self, by_body: ArrayLike) -> "Solid":
        """The same solid, moved by a vector given in body axes."""
        centre = self.centre_of_mass_body + vector("by_body", by_body)
        return Solid(mass=self.mass, centre_of_mass_body=centre, inertia_centre_body=self.inertia_centre_body)

    def turned(self, rotation_body: AttitudeLike) -> "Solid":
        """The same solid, turned about the origin of the body axes (Rotation, matrix or rotation vector)."""
        R = rotation("rotation_body", rotation_body)
        return Solid(
            mass=self.mass,
            centre_of_mass_body=R @ self.centre_of_mass_body,
            inertia_centre_body=R @ self.inertia_centre_body @ R.T,
        )

    def __add__(self, other: "Solid") -> "Solid":
        """Both solids as one body; they share their body axes."""
        if not isinstance(other, Solid):
            return NotImplemented
        mass = self.mass + other.mass
        centre = (self.mass * self.centre_of_mass_body + other.mass * other.centre_of_mass_body) / mass
        about = self.inertia_about(centre) + other.inertia_about(centre)
        return Solid(mass=mass, centre_of_mass_body=centre, inertia_centre_body=about)

    @property
    def principal(self) -> tuple[np.ndarray, np.ndarray]:
        """Principal moments about the centre of mass, rising, and the rotation from principal to body axes."""
        moments, axes = np.linalg.eigh(self.inertia_centre_body)
        return moments, axes * np.sign(np.linalg.det(axes))


@checked_call
def box(*, mass: float, lengths_body: ArrayLike) -> Solid:
    """A box with its centre at the origin and its edges along the body axes.

    Parameters
    ----------
    mass : float
        Total.
    lengths_body : three numbers
        Of the edges.

    Returns
    -------
    Solid
        Mass, centre of mass and inertia.

    Raises
    ------
    InputError
        A number that is not positive.

    Examples
    --------
    >>> import polhode as ph
    >>> ph.inertia.box(mass=12.0, lengths_body=(1, 1, 1)).inertia_about((0, 0, 0)).diagonal()
    array([2., 2., 2.])
    """
    a, b, c = positive_vector("lengths_body", lengths_body)
    m = positive("mass", mass)
    return _solid(m, m / 12 * np.array([b * b + c * c, c * c + a * a, a * a + b * b]))


@checked_call
def ellipsoid(*, mass: float, semi_axes_body: ArrayLike) -> Solid:
    """A solid ellipsoid with its centre at the origin and semi-axes along the body axes.

    Parameters
    ----------
    mass : float
        Total.
    semi_axes_body : three numbers
        Along the body axes.

    Returns
    -------
    Solid
        Mass, centre of mass and inertia.

    Raises
    ------
    InputError
        A number that is not positive.
    """
    a, b, c = positive_vector("semi_axes_body", semi_axes_body)
    m = positive("mass", mass)
    return _solid(m, m / 5 * np.array([b * b + c * c, c * c + a * a, a * a + b * b]))


@checked_call
def cylinder(
    *, mass: float, radius: float, height: float, inner_radius: float = 0.0, axis_body: ArrayLike = (0.0, 0.0, 1.0)
) -> Solid:
    """A cylinder with its centre at the origin, its axis along `axis_body`; a tube with an inner radius.

    Parameters
    ----------
    mass : float
        Total.
    radius, height : float
        Of the cylinder.
    inner_radius : float
        Of a tube.
    axis_body : three numbers
        Its axis.

    Returns
    -------
    Solid
        Mass, centre of mass and inertia.

    Raises
    ------
    InputError
        A number that is not positive.
    """
    m, r, h = positive("mass", mass), positive("radius", radius), positive("height", height)
    inner = number("inner_radius", inner_radius)
    if not 0 <= inner <= r:
        raise InputError(f"inner_radius is {inner:g}; it must be from 0 to the radius, {r:g}.")
    square = r * r + inner * inner
    return _about_axis(m, axis_body, along=m * square / 2, across=m * (3 * square + h * h) / 12, centre=0.0)


@checked_call
def cone(*, mass: float, radius: float, height: float, axis_body: ArrayLike = (0.0, 0.0, 1.0)) -> Solid:
    """A solid cone with its tip at the origin and the centre of its base at height along `axis_body`: a top.

    Parameters
    ----------
    mass : float
        Total.
    radius, height : float
        Of the base, and to it.
    axis_body : three numbers
        From the tip to the base.

    Returns
    -------
    Solid
        Mass, centre of mass and inertia.

    Raises
    ------
    InputError
        A number that is not positive.
    """
    m, r, h = positive("mass", mass), positive("radius", radius), positive("height", height)
    along, across = 3 * m * r * r / 10, 3 * m * (4 * r * r + h * h) / 80
    return _about_axis(m, axis_body, along=along, across=across, centre=3 * h / 4)


@checked_call
def point_masses(*, masses: ArrayLike, positions_body: ArrayLike) -> Solid:
    """Point masses held together by weightless rods; positions (n, 3) in body axes.

    Parameters
    ----------
    masses : (n,) array
        Of the points.
    positions_body : (n, 3) array
        Where they are.

    Returns
    -------
    Solid
        Mass, centre of mass and inertia.

    Raises
    ------
    InputError
        A number that is not positive.
    """
    m = real_array("masses", masses, "n masses")
    x = real_array("positions_body", positions_body, "n positions (n, 3) in body axes")
    if m.ndim != 1 or x.shape != (len(m), 3) or not len(m):
        raise InputError(
            f"masses has shape {m.shape} and positions_body {x.shape}; give n masses and n positions (n, 3)."
        )
    if not (np.isfinite(m).all() and np.isfinite(x).all() and (m > 0).all()):
        raise InputError("masses must be positive and positions_body finite.")
    centre = m @ x / m.sum()
    d = x - centre
    tensor = np.einsum("n,ni,ni->", m, d, d) * np.eye(3) - np.einsum("n,ni,nj->ij", m, d, d)
    return Solid(mass=float(m.sum()), centre_of_mass_body=centre, inertia_centre_body=tensor)


@checked_call
def mesh(source: Any, *, mass: float | None = None, density: float | None = None, scale: float = 1.0) -> Solid:
    """The solid inside a closed triangle mesh: a file (.stl, .obj) or (vertices, faces) in body axes.

    Give mass or density (mass per volume); scale multiplies the lengths first: 1e-3 for a file in millimetres.
    The mesh must be closed, and its triangles consistently turned outwards (or all inwards).

    Parameters
    ----------
    source : path or pair of arrays
        The mesh.
    mass, density : float
        One of the two.
    scale : float
        Of the lengths.

    Returns
    -------
    Solid
        Mass, centre of mass and inertia.

    Raises
    ------
    InputError
        A number that is not positive, or a mesh that is not closed.
    """
    if (mass is None) == (density is None):
        raise InputError(f"Give mass or density, one of them; {'neither' if mass is None else 'both'} was given.")
    scale = positive("scale", scale)
    vertices, faces = read_mesh(source) if isinstance(source, (str, os.PathLike)) else mesh_pair(source)
    vertices, faces = checked_mesh(vertices * scale, faces)
    origin = vertices.mean(axis=0)  # near the solid: far from it the volumes of the tetrahedra would cancel
    corners = (vertices - origin)[faces]
    volumes = np.linalg.det(corners) / 6
    volume = volumes.sum()
    if volume == 0:
        raise InputError("The mesh encloses no volume.")
    centre = volumes @ corners.sum(axis=1) / 4 / volume
    # integral of x x^T over a tetrahedron (0, a, b, c) of volume V: V/20 (sum of p p^T + s s^T), s = a + b + c
    s = corners.sum(axis=1)
    second = (np.einsum("n,npi,npj->ij", volumes, corners, corners) + np.einsum("n,ni,nj->ij", volumes, s, s)) / 20
    second = second / volume - np.outer(centre, centre)
    m = positive("mass", mass) if density is None else positive("density", density) * abs(volume)
    tensor = m * (np.trace(second) * np.eye(3) - second)
    return Solid(mass=float(m), centre_of_mass_body=centre + origin, inertia_centre_body=tensor)


# ---- helpers -----------------------------------------------------------------------------------------


def _solid(mass: float, moments: np.ndarray) -> Solid:
    return Solid(mass=mass, centre_of_mass_body=np.zeros(3), inertia_centre_body=np.diag(moments))


def _about_axis(mass: float, axis_body: ArrayLike, along: float, across: float, centre: float) -> Solid:
    a = vector("axis_body", axis_body)
    if not a.any():
        raise InputError("axis_body is zero; it must be a direction, of any length.")
    a = a / np.linalg.norm(a)
    tensor = across * np.eye(3) + (along - across) * np.outer(a, a)
    return Solid(mass=mass, centre_of_mass_body=centre * a, inertia_centre_body=tensor)
