"""Closed meshes of triangles: from STL and OBJ files, or from arrays; checked, so that they have a volume."""

import itertools
import os
from collections import Counter
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from polhode.errors import FileError, InputError, one_line
from polhode.inputs import (
    file_path,
    items,
    real_array,
)

Mesh: TypeAlias = tuple[np.ndarray, np.ndarray]
"""Vertices (n, 3) and faces (m, 3)."""


def read_mesh(path: str | os.PathLike[str]) -> Mesh:
    """Vertices (n, 3) and faces (m, 3) of an STL (text or binary) or OBJ file; polygons become triangles.

    Parameters
    ----------
    path : path
        .stl or .obj.

    Returns
    -------
    vertices, faces
        Two arrays.

    Raises
    ------
    FileError
        No such file, or no mesh in it.
    """
    path = file_path("path", path)
    readers = {".stl": _read_stl, ".obj": _read_obj}
    if path.suffix.lower() not in readers:
        raise FileError(f"{path} is not a mesh file known here; give one ending in .stl or .obj.")
    if not path.exists():
        raise FileError(f"There is no file {path}.")
    try:
        vertices, faces = readers[path.suffix.lower()](path)
    except (ValueError, IndexError, OverflowError, OSError, MemoryError) as error:
        raise FileError(f"{path} cannot be read as {path.suffix[1:].upper()}: {error}.") from error
    if not len(faces):
        raise FileError(f"{path} holds no triangles.")
    return vertices, faces


def _read_stl(path: Path) -> Mesh:
    data = path.read_bytes()
    count = int.from_bytes(data[80:84], "little") if len(data) >= 84 else -1
    if len(data) == 84 + 50 * count:  # only the length tells: binary files may begin with "solid", too
        record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
        corners = np.frombuffer(data, record, count, 84)["corners"].astype(float)
    else:
        words = data.decode("utf-8").split()
        places = [i for i, word in enumerate(words) if word == "vertex"]
        corners = np.array([[float(x) for x in words[i + 1 : i + 4]] for i in places]).reshape(-1, 3, 3)
    vertices, index = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    return vertices, index.reshape(-1, 3)


def _read_obj(path: Path) -> Mesh:
    vertices: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            vertices.append([float(x) for x in words[1:4]])
        elif words[:1] == ["f"]:
            corners = [int(word.split("/")[0]) for word in words[1:]]
            corners = [i - 1 if i > 0 else len(vertices) + i for i in corners]
            faces.extend((corners[0], b, c) for b, c in itertools.pairwise(corners[1:]))
    return np.array(vertices, dtype=float).reshape(-1, 3), np.array(faces, dtype=int).reshape(-1, 3)


def mesh_pair(source: Any) -> Mesh:
    wanted = "a file (.stl, .obj) or (vertices (n, 3), faces (m, 3))"
    pair = items("source", source, wanted)
    if len(pair) != 2:
        raise InputError(f"source is {one_line(source)}; it must be {wanted}.")
    vertices, faces = real_array("vertices", pair[0], "(n, 3) numbers"), np.asarray(pair[1])
    if faces.dtype.kind not in "iu":
        raise InputError(f"faces is {one_line(pair[1])}; the faces must be indices of vertices, whole numbers (m, 3).")
    return vertices, faces


def checked_mesh(vertices: np.ndarray, faces: np.ndarray) -> Mesh:
    if vertices.ndim != 2 or vertices.shape[1] != 3 or faces.ndim != 2 or faces.shape[1] != 3 or not len(faces):
        raise InputError(f"vertices have shape {vertices.shape} and faces {faces.shape}; give (n, 3) and (m, 3).")
    if not np.isfinite(vertices).all():
        raise InputError("The vertices of the mesh must be finite.")
    if not np.issubdtype(faces.dtype, np.integer) or faces.min() < 0 or faces.max() >= len(vertices):
        raise InputError(f"The faces must be indices of vertices, whole numbers from 0 to {len(vertices) - 1}.")
    edges = Counter(map(tuple, np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]).tolist()))
    loose = sum(edges[a, b] != edges[b, a] for a, b in edges)
    if loose:
        raise InputError(
            f"The mesh is not closed, or its triangles do not all face outwards: {loose} of its {len(edges)} edges "
            "have no partner in the other direction. Close and re-orient it; without that it has no volume."
        )
    return vertices, faces
