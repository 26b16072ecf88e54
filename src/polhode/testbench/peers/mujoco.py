"""MuJoCo: a body on a ball joint, the torque by the callback for passive forces."""

import functools
from typing import Any

import numpy as np

from polhode.inputs.scipy_rotation import Rotation
from polhode.integrators.method import BlackBox
from polhode.physics.problem import Problem

TITLE = "MuJoCo, physics for robotics"
INSTALL = "mujoco"
MODEL = """<mujoco>
<option gravity="0 0 0"><flag contact="disable"{}/></option>
<worldbody><body><joint type="ball"/><inertial pos="0 0 0" mass="1" fullinertia="{}"/></body></worldbody>
</mujoco>"""


def names() -> list[str]:
    """rk4, euler, implicit, ...: those of the installed version."""
    import mujoco

    return [k.removeprefix("mjINT_").lower() for k in mujoco.mjtIntegrator.__members__]


def engine(name: str) -> BlackBox:
    """One of MuJoCo's integrators."""
    return BlackBox(f"mujoco:{name}", functools.partial(_advanced, name), f"MuJoCo, integrator {name}")


def _advanced(
    name: str, problem: Problem, Q: np.ndarray, Omega: np.ndarray, h: float, n: int, t: float
) -> tuple[np.ndarray, np.ndarray]:
    import mujoco

    model, data = _body(problem.tensor.tobytes())
    model.opt.integrator = mujoco.mjtIntegrator.__members__[f"mjINT_{name.upper()}"]
    model.opt.timestep = h
    mujoco.mj_resetData(model, data)
    data.time, data.qvel[:] = t, Omega  # a ball joint's velocity is in body axes, and so is its force
    data.qpos[:] = Rotation().from_matrix(Q).as_quat(scalar_first=True)

    def torque(model: Any, data: Any) -> None:
        data.qfrc_passive[:] = problem.torque(data.time, data.xmat[1].reshape(3, 3))

    previous = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda text: None)  # by default a diverging run writes a log file
    mujoco.set_mjcb_passive(torque if problem.has_torque else None)
    try:
        for _ in range(n):
            mujoco.mj_step(model, data)
    finally:
        mujoco.set_mjcb_passive(None)
        mujoco.set_mju_user_warning(previous)
    return Rotation().from_quat(data.qpos, scalar_first=True).as_matrix(), data.qvel.copy()


@functools.lru_cache(maxsize=8)
def _body(tensor: bytes) -> tuple[Any, Any]:
    import mujoco

    model = model_of(tensor)
    return model, mujoco.MjData(model)


def model_of(tensor: bytes, autoreset: bool = False) -> Any:
    """A body with this tensor of inertia on a ball joint; a run that diverges is left as it is, unless it is reset."""
    import mujoco

    J = np.frombuffer(tensor).reshape(3, 3)
    entries = (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
    flag = "" if autoreset else ' autoreset="disable"'
    return mujoco.MjModel.from_xml_string(MODEL.format(flag, " ".join(repr(float(x)) for x in entries)))
