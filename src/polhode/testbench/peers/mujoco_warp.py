"""MuJoCo Warp: MuJoCo on Warp, in single precision; a body on a ball joint, the torque by the callback."""

import functools
from typing import Any

import numpy as np

from polhode.inputs.scipy_rotation import Rotation
from polhode.integrators.method import BlackBox
from polhode.physics.problem import Problem
from polhode.testbench.peers.mujoco import model_of

TITLE = "MuJoCo Warp, MuJoCo on Warp"
INSTALL = "mujoco-warp"
INTEGRATORS = ("euler", "rk4", "implicitfast")


def names() -> list[str]:
    """Those of MuJoCo that it has."""
    import mujoco_warp

    return [name for name in INTEGRATORS if name.upper() in mujoco_warp.IntegratorType.__members__]


def engine(name: str) -> BlackBox:
    """One of its integrators."""
    return BlackBox(f"mujoco-warp:{name}", functools.partial(_advanced, name), f"MuJoCo Warp, integrator {name}")


def _advanced(
    name: str, problem: Problem, Q: np.ndarray, Omega: np.ndarray, h: float, n: int, t: float
) -> tuple[np.ndarray, np.ndarray]:
    import mujoco_warp
    import warp

    model, data = _body(name, problem.tensor.tobytes())

    def torque(model: Any, data: Any) -> None:
        Q = _attitude(data)
        data.qfrc_passive.assign(np.array([problem.torque(float(data.time.numpy()[0]), Q)], np.float32))

    model.callback.passive = torque if problem.has_torque else None
    model.opt.timestep.fill_(h)
    data.time.fill_(t)
    data.qpos.assign(np.array([Rotation().from_matrix(Q).as_quat(scalar_first=True)], np.float32))
    data.qvel.assign(np.array([Omega], np.float32))  # a ball joint's velocity is in body axes, and so is its force
    with warp.ScopedDevice("cpu"):
        for _ in range(n):
            mujoco_warp.step(model, data)
    return _attitude(data), data.qvel.numpy()[0].astype(float)


def _attitude(data: Any) -> np.ndarray:
    return Rotation().from_quat(data.qpos.numpy()[0].astype(float), scalar_first=True).as_matrix()


@functools.lru_cache(maxsize=16)
def _body(name: str, tensor: bytes) -> tuple[Any, Any]:
    """A body with this tensor of inertia on the processor."""
    import mujoco
    import mujoco_warp
    import warp

    warp.config.quiet = True
    model = model_of(tensor, autoreset=True)  # it knows no other way
    model.opt.integrator = mujoco.mjtIntegrator.__members__[f"mjINT_{name.upper()}"]
    with warp.ScopedDevice("cpu"):
        return mujoco_warp.put_model(model), mujoco_warp.make_data(model)
