"""Mass properties of solids against quadrature, and of meshes against other routes."""

import re
import struct

import numpy as np
import pytest
from scipy.spatial import ConvexHull, Delaunay
from scipy.spatial.transform import Rotation

from polhode import Problem
from polhode.errors import InputError
from polhode.physics import inertia

X, W = np.polynomial.legendre.leggauss(12)
X, W = (X + 1) / 2, W / 2
TURN = np.arange(24) * 2 * np.pi / 24


def moments_of(points, weights):
    """Mass, centre and tensor about the centre of weighted points."""
    mass = weights.sum()
    centre = weights @ points / mass
    d = points - centre
    tensor = np.einsum("n,ni,ni->", weights, d, d) * np.eye(3) - np.einsum("n,ni,nj->ij", weights, d, d)
    return mass, centre, tensor


def quadrature(radius_at, low, high, hole=0.0):
    """Points and weights for a body of revolution about z with the given radius at each height: exact here."""
    points, weights = [], []
    for z, w in zip(low + (high - low) * X, (high - low) * W):
        r0, r1 = hole, radius_at(z)
        for r, v in zip(r0 + (r1 - r0) * X, (r1 - r0) * W):
            points.append(np.stack([r * np.cos(TURN), r * np.sin(TURN), np.full_like(TURN, z)], axis=1))
            weights.append(np.full_like(TURN, w * v * r))
    return np.concatenate(points), np.concatenate(weights)


def box_points(a, b, c):
    grid = np.stack(np.meshgrid(X - 0.5, X - 0.5, X - 0.5, indexing="ij"), -1).reshape(-1, 3) * (a, b, c)
    return grid, np.einsum("i,j,k->ijk", W, W, W).ravel()


def ellipsoid_points(a, b, c):
    points, weights = quadrature(lambda z: np.sqrt(1 - z * z), -1, 1)
    return points * (a, b, c), weights


SOLIDS = {
    "box": (inertia.box(mass=3.0, lengths_body=(1.0, 2.0, 0.5)), box_points(1.0, 2.0, 0.5)),
    "ellipsoid": (inertia.ellipsoid(mass=3.0, semi_axes_body=(1.0, 2.0, 0.5)), ellipsoid_points(1.0, 2.0, 0.5)),
    "cylinder": (inertia.cylinder(mass=3.0, radius=0.7, height=2.0), quadrature(lambda z: 0.7, -1.0, 1.0)),
    "tube": (
        inertia.cylinder(mass=3.0, radius=0.7, height=2.0, inner_radius=0.4),
        quadrature(lambda z: 0.7, -1.0, 1.0, hole=0.4),
    ),
    "cone": (inertia.cone(mass=3.0, radius=0.7, height=2.0), quadrature(lambda z: 0.35 * z, 0.0, 2.0)),
}


@pytest.mark.parametrize("name", SOLIDS)
def test_closed_forms_against_quadrature(name):
    solid, (points, weights) = SOLIDS[name]
    _, centre, tensor = moments_of(points, 3.0 * weights / weights.sum())
    assert solid.mass == 3.0
    assert solid.centre_of_mass_body == pytest.approx(centre, abs=1e-14)
    assert solid.inertia_centre_body == pytest.approx(tensor, rel=1e-12, abs=1e-14)


def test_axis_of_a_cone_is_that_given():
    tilt = Rotation.from_rotvec((0.4, -0.9, 0.0))
    upright, along = inertia.cone(mass=2, radius=0.3, height=1), tilt.apply((0, 0, 5.0))
    tilted, turned = inertia.cone(mass=2, radius=0.3, height=1, axis_body=along), upright.turned(tilt)
    assert tilted.centre_of_mass_body == pytest.approx(turned.centre_of_mass_body)
    assert tilted.inertia_centre_body == pytest.approx(turned.inertia_centre_body)


def test_parallel_axis_shift_and_sums_against_point_masses():
    rng = np.random.default_rng(1)
    m, x = rng.uniform(0.5, 2, 7), rng.normal(size=(7, 3))
    whole = inertia.point_masses(masses=m, positions_body=x)
    parts = inertia.point_masses(masses=m[:3], positions_body=x[:3]) + inertia.point_masses(
        masses=m[3:], positions_body=x[3:]
    )
    point = np.array([0.3, -1.0, 2.0])
    d = x - point
    about = np.einsum("n,ni,ni->", m, d, d) * np.eye(3) - np.einsum("n,ni,nj->ij", m, d, d)
    assert whole.inertia_about(point) == pytest.approx(about)
    assert parts.inertia_about(point) == pytest.approx(about)
    assert whole.moved((1, 2, 3)).inertia_about(point + (1, 2, 3)) == pytest.approx(about)
    R = Rotation.from_rotvec((1, 2, 0.5))
    assert whole.turned(R).inertia_about(R.apply(point)) == pytest.approx(R.as_matrix() @ about @ R.as_matrix().T)


def test_principal_axes_diagonalise():
    solid = inertia.box(mass=1, lengths_body=(1, 2, 3)).turned((0.3, 0.2, 0.9))
    J, P = solid.principal
    assert pytest.approx(np.eye(3)) == P.T @ P and np.linalg.det(P) == pytest.approx(1)
    assert P.T @ solid.inertia_centre_body @ P == pytest.approx(np.diag(J))
    assert pytest.approx([5 / 12, 10 / 12, 13 / 12]) == J
    assert Problem(inertia=solid.inertia_centre_body, Omega0=(0, 0, 1)).moments == pytest.approx(J)


# ---- meshes ------------------------------------------------------------------------------------------


def hull():
    """A random convex mesh with outward triangles, and its mass properties by tetrahedra and a rule of degree 2."""
    points = np.random.default_rng(5).normal(size=(40, 3)) * (1.0, 2.0, 0.6) + (3.0, -1.0, 2.0)
    surface = ConvexHull(points)
    faces = surface.simplices.copy()
    normals = np.cross(points[faces[:, 1]] - points[faces[:, 0]], points[faces[:, 2]] - points[faces[:, 0]])
    inwards = (normals * surface.equations[:, :3]).sum(axis=1) < 0
    faces[inwards] = faces[inwards][:, ::-1]
    tetrahedra = points[Delaunay(points).simplices]
    volumes = np.abs(np.linalg.det(tetrahedra[:, 1:] - tetrahedra[:, :1])) / 6
    a, b = 0.5854101966249685, 0.1381966011250105
    rule = np.full((4, 4), b) + (a - b) * np.eye(4)
    nodes = np.einsum("qi,tij->tqj", rule, tetrahedra).reshape(-1, 3)
    return points, faces, moments_of(nodes, np.repeat(volumes / 4, 4))


def test_mesh_against_tetrahedra():
    vertices, faces, (volume, centre, tensor) = hull()
    solid = inertia.mesh((vertices, faces), density=2.5)
    assert solid.mass == pytest.approx(2.5 * volume, rel=1e-12)
    assert solid.centre_of_mass_body == pytest.approx(centre, rel=1e-12)
    assert solid.inertia_centre_body == pytest.approx(2.5 * tensor, rel=1e-11, abs=1e-11)


def test_mesh_turned_inside_out_is_the_same_solid():
    vertices, faces, _ = hull()
    a, b = inertia.mesh((vertices, faces), mass=2), inertia.mesh((vertices, faces[:, ::-1]), mass=2)
    assert a.inertia_centre_body == pytest.approx(b.inertia_centre_body)


def test_mesh_far_from_the_origin():
    vertices, faces, _ = hull()
    near, far = inertia.mesh((vertices, faces), mass=2), inertia.mesh((vertices + 1e6, faces), mass=2)
    assert far.inertia_centre_body == pytest.approx(near.inertia_centre_body, abs=1e-8)


CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 2) for z in (0, 3)], dtype=float)
QUADS = [[4, 6, 7, 5], [0, 1, 3, 2], [2, 3, 7, 6], [0, 4, 5, 1], [1, 5, 7, 3], [0, 2, 6, 4]]
TRIANGLES = np.array([t for a, b, c, d in QUADS for t in ((a, b, c), (a, c, d))])


def write_obj(path):
    lines = [f"v {x} {y} {z}" for x, y, z in CORNERS] + ["vn 0 0 1", "g box"]
    lines += ["f " + " ".join(f"{i + 1}//1" for i in quad) for quad in QUADS[:5]]
    lines += ["f " + " ".join(str(i - 8) for i in QUADS[5])]
    path.write_text("# a box\n" + "\n".join(lines) + "\n")


def write_text_stl(path):
    facets = []
    for triangle in TRIANGLES:
        corners = "\n".join("vertex {:g} {:g} {:g}".format(*CORNERS[i]) for i in triangle)
        facets.append(f"facet normal 0 0 0 outer loop\n{corners}\nendloop endfacet")
    path.write_text("solid box\n" + "\n".join(facets) + "\nendsolid box\n")


def write_binary_stl(path):
    records = [struct.pack("<12fH", 0, 0, 0, *CORNERS[t].ravel(), 0) for t in TRIANGLES]
    path.write_bytes(b"solid but binary".ljust(80) + struct.pack("<I", len(records)) + b"".join(records))


@pytest.mark.parametrize(
    "name, write", [("box.obj", write_obj), ("box.stl", write_text_stl), ("BINARY.STL", write_binary_stl)]
)
def test_mesh_files(tmp_path, name, write):
    write(tmp_path / name)
    solid = inertia.mesh(tmp_path / name, density=1000, scale=1e-3)
    assert solid.mass == pytest.approx(6e-6)
    assert solid.centre_of_mass_body == pytest.approx([0.5e-3, 1e-3, 1.5e-3])
    box = inertia.box(mass=6e-6, lengths_body=(1e-3, 2e-3, 3e-3))
    assert solid.inertia_centre_body == pytest.approx(box.inertia_centre_body, abs=1e-20)


def test_misuse_gets_a_sentence(tmp_path):
    (tmp_path / "a.txt").write_text("")
    (tmp_path / "empty.obj").write_text("v 0 0 0\n")
    (tmp_path / "bad.obj").write_text("v 0 zero 0\n")
    cases = [
        (lambda: inertia.box(mass=-1, lengths_body=(1, 1, 1)), "mass is -1; it must be above zero"),
        (lambda: inertia.box(mass=1, lengths_body=(1, 0, 1)), "lengths_body is [1.0, 0.0, 1.0]"),
        (lambda: inertia.cylinder(mass=1, radius=1, height=1, inner_radius=2), "inner_radius is 2"),
        (lambda: inertia.cone(mass=1, radius=1, height=1, axis_body=(0, 0, 0)), "axis_body is zero"),
        (lambda: inertia.point_masses(masses=[1, 2], positions_body=[(0, 0, 1)]), "give n masses and n positions"),
        (lambda: inertia.point_masses(masses=[1, -2], positions_body=np.eye(3)[:2]), "masses must be positive"),
        (lambda: inertia.mesh((CORNERS, TRIANGLES)), "Give mass or density, one of them; neither was given"),
        (lambda: inertia.mesh((CORNERS, TRIANGLES[1:]), mass=1), "The mesh is not closed"),
        (lambda: inertia.mesh((CORNERS, TRIANGLES + 1), mass=1), "from 0 to 7"),
        (lambda: inertia.mesh(tmp_path / "none.stl", mass=1), "There is no file"),
        (lambda: inertia.mesh(tmp_path / "a.txt", mass=1), "ending in .stl or .obj"),
        (lambda: inertia.mesh(tmp_path / "empty.obj", mass=1), "holds no triangles"),
        (lambda: inertia.mesh(tmp_path / "bad.obj", mass=1), "cannot be read as OBJ"),
    ]
    for call, words in cases:
        with pytest.raises(InputError, match=re.escape(words)):
            call()
