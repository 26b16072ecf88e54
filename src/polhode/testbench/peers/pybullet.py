"""Bullet: one free body, its torque set before every step. It does not step backwards."""

import functools
from typing import Any

import numpy as np

from polhode.inputs.scipy_rotation import Rotation
from polhode.integrators.method import BlackBox
from polhode.physics.problem import Problem

TITLE = "Bullet, physics for games and robotics"
INSTALL = "pybullet"


def names() -> list[str]:
    """There is one."""
    import pybullet  # noqa: F401

    return ["step"]


def engine(name: str) -> BlackBox:
    """stepSimulation."""
    return BlackBox(f"pybullet:{name}", _advanced, "Bullet, stepSimulation")


def _advanced(
    problem: Problem, Q: np.ndarray, Omega: np.ndarray, h: float, n: int, t: float
) -> tuple[np.ndarray, np.ndarray]:
    import pybullet

    world, body = _world()
    place = dict(physicsClientId=world)
    Q, Omega = Q @ problem.axes, problem.axes.T @ Omega  # Bullet takes principal moments
    pybullet.changeDynamics(body, -1, localInertiaDiagonal=problem.moments.tolist(), **place)
    pybullet.setTimeStep(h, **place)
    pybullet.resetBasePositionAndOrientation(body, [0, 0, 0], Rotation().from_matrix(Q).as_quat(), **place)
    pybullet.resetBaseVelocity(body, [0, 0, 0], Q @ Omega, **place)
    for i in range(n):
        if problem.has_torque:
            torque = Q @ problem.axes.T @ problem.torque(t + i * h, Q @ problem.axes.T)
            pybullet.applyExternalTorque(body, -1, torque, pybullet.WORLD_FRAME, **place)
        pybullet.stepSimulation(**place)
        Q = Rotation().from_quat(pybullet.getBasePositionAndOrientation(body, **place)[1]).as_matrix()
    Omega = Q.T @ np.array(pybullet.getBaseVelocity(body, **place)[1])
    return Q @ problem.axes.T, problem.axes @ Omega


@functools.cache
def _world() -> tuple[Any, Any]:
    import pybullet

    world = pybullet.connect(pybullet.DIRECT)
    body = pybullet.createMultiBody(baseMass=1, physicsClientId=world)
    free = dict(linearDamping=0, angularDamping=0, maxJointVelocity=1e9, physicsClientId=world)
    pybullet.changeDynamics(body, -1, **free)
    return world, body
