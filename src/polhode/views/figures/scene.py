"""A scene to be filmed: times, attitudes, momenta and the body, ready to be drawn frame by frame."""

from typing import Any

import numpy as np

from polhode.errors import InputError, one_line
from polhode.inputs import number, positive, real_array, times
from polhode.inputs.scipy_rotation import Rotation

FACES = ("#8fb4d6", "#f0c08e", "#9fcbb0")

RADIANS_A_FRAME = 0.16
"""Radians a body turns from frame to frame, on average, if the speed is not given: slow enough to follow."""

MOST_RADIANS_BETWEEN = 1.0
"""Radians between states kept beyond which the motion in between cannot be filled in."""

MOST_FRAMES = 100_000
"""An hour of film."""


class Scene:
    """Times, attitudes, momenta and the body, ready to be drawn frame by frame."""

    def __init__(
        self, trajectory: Any, t_span: Any, seconds: Any, fps: Any, shape: Any, elevation: Any, azimuth: Any
    ) -> None:
        seconds, fps = positive("seconds", seconds), positive("fps", fps)
        elevation, azimuth = number("elevation", elevation), number("azimuth", azimuth)
        if not 0.1 <= fps <= MOST_FRAMES or seconds * fps > MOST_FRAMES:
            raise InputError(
                f"seconds = {seconds:g} and fps = {fps:g} make {seconds * fps:.3g} frames; at most {MOST_FRAMES} are "
                "made, and at least one every ten seconds."
            )
        if len(trajectory.t) < 2:
            raise InputError("The trajectory has one state; a film needs two at least.")
        self.fps, self.frames = fps, max(2, round(seconds * fps))
        first, last = _span(trajectory, t_span, self.frames)
        self.t = np.linspace(first, last, self.frames)
        self.Q = _attitudes(trajectory, self.t)
        self.title = f"{trajectory.problem_name} by {trajectory.method}"
        self.vertices, self.faces = _box(trajectory) if shape is None else _users_shape(shape)
        self.vertices = self.vertices / np.linalg.norm(self.vertices, axis=1).max()
        self.colours = [FACES[k // 2 % 3] if shape is None else FACES[0] for k in range(len(self.faces))]
        pi = np.stack([np.interp(self.t, *_rising(trajectory.t, c)) for c in trajectory.momentum.T], axis=1)
        self.momentum = pi / max(np.linalg.norm(pi, axis=1).max(), 1e-300)
        e, a = np.radians(elevation), np.radians(azimuth)
        eye = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
        across = np.array([-np.sin(a), np.cos(a), 0.0])
        self.view = np.array([across, np.cross(eye, across), eye])  # rows: right, up, towards the viewer


def _span(trajectory: Any, t_span: Any, frames: Any) -> Any:
    first, last = sorted((trajectory.t[0], trajectory.t[-1]))
    if t_span is None:
        speed = np.linalg.norm(trajectory.Omega, axis=1).mean()
        return first, min(last, first + frames * RADIANS_A_FRAME / max(speed, 1e-300))
    try:
        a, b = times("t_span", t_span)
    except ValueError:
        raise InputError(f"t_span is {one_line(t_span)}; give two times, (from, to).") from None
    if not first <= a < b <= last:
        raise InputError(
            f"t_span is ({a:g}, {b:g}); it must be rising and within the trajectory, {first:g} to {last:g}."
        )
    return a, b


def _rising(t: Any, x: Any) -> Any:
    return (t, x) if t[0] <= t[-1] else (t[::-1], x[::-1])


def _attitudes(trajectory: Any, t: Any) -> Any:
    """The attitudes at the times of the frames, by rotation at constant speed between the states kept."""
    from scipy.spatial.transform import Slerp

    times, Q = _rising(trajectory.t, trajectory.Q)
    inside = slice(max(0, np.searchsorted(times, t[0], "right") - 1), np.searchsorted(times, t[-1]) + 1)
    times, rotations = times[inside], Rotation().from_matrix(Q[inside])
    gap = (np.diff(times) * np.linalg.norm(_rising(trajectory.t, trajectory.Omega)[1][inside][:-1], axis=1)).max()
    if gap > MOST_RADIANS_BETWEEN:
        raise InputError(
            f"Between two states kept the body turns by {gap:.2g} rad, and what it does in between is not known: solve "
            "with a smaller save_every (or h), so that it turns by less than 1 rad."
        )
    return Slerp(times, rotations)(np.clip(t, times[0], times[-1])).as_matrix()


def _box(trajectory: Any) -> Any:
    """The box with the principal moments of the body: half lengths in body axes, faces turned outwards."""
    problem = trajectory.problem
    if problem is None:
        raise InputError("This trajectory was read from a file, which holds no inertia: give shape=(vertices, faces).")
    J = problem.moments
    square = J.sum() - 2 * J  # proportional to the squares of the lengths; negative where no body has such moments
    half = np.sqrt(np.maximum(square, 0.01 * square.max()))
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    faces = [[4, 6, 7, 5], [0, 1, 3, 2], [2, 3, 7, 6], [0, 4, 5, 1], [1, 5, 7, 3], [0, 2, 6, 4]]
    return (signs * half) @ problem.axes.T, faces


def _users_shape(shape: Any) -> Any:
    try:
        vertices, faces = real_array("vertices", shape[0], "(n, 3)"), [[int(i) for i in face] for face in shape[1]]
    except Exception:  # anything that is not a pair of an array and lists of numbers
        vertices, faces = np.empty(0), []
    good = vertices.ndim == 2 and vertices.shape[1] == 3 and np.isfinite(vertices).all() and vertices.any()
    if not good or not faces or not all(len(f) > 2 and 0 <= min(f) and max(f) < len(vertices) for f in faces):
        raise InputError("shape must be (vertices, faces): an array (n, 3) and lists of vertex numbers below n.")
    return vertices, faces


def reach(scene: Scene, i: int) -> float:
    """How far along body axis i the body reaches."""
    return min(1.0, float(scene.vertices[:, i].max()))
