"""Genesis: a free body in double precision on the processor, its torque given before each step, as the solver takes
it."""

import contextlib
import functools
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from polhode.inputs.scipy_rotation import Rotation
from polhode.integrators.method import BlackBox
from polhode.physics.problem import Problem

TITLE = "Genesis, physics for robotics on PyTorch"
INSTALL = "torch genesis-world"
INTEGRATORS = ("Euler", "approximate_implicitfast")  # implicitfast takes the same steps of one free body
MODEL = """<mujoco>
<worldbody><body><freejoint/><inertial pos="0 0 0" mass="1" fullinertia="{}"/></body></worldbody>
</mujoco>"""
TURNING = (3, 4, 5)  # of the free joint's velocities and forces: in body axes, after three of the motion of the centre


def names() -> list[str]:
    """Those of its integrators that move a free body differently; it is not imported, which takes half a minute."""
    if find_spec("genesis") is None:
        raise ImportError("No module named 'genesis'")
    return list(INTEGRATORS)


def engine(name: str) -> BlackBox:
    """One of the integrators of its solver for rigid bodies. It is compiled here: where that was never done it takes a
    minute or more, and a step that is measured has some seconds."""
    scene, _ = _body(name, np.diag((1.6, 2.3, 3.1)).tobytes())
    scene.step(update_visualizer=False)
    return BlackBox(f"genesis:{name}", functools.partial(_advanced, name), f"Genesis, integrator {name}")


def _advanced(
    name: str, problem: Problem, Q: np.ndarray, Omega: np.ndarray, h: float, n: int, t: float
) -> tuple[np.ndarray, np.ndarray]:
    scene, body = _body(name, problem.tensor.tobytes())
    solver = scene.sim.rigid_solver
    solver.rigid_info.substep_dt.fill(h)  # to the bit as a scene that is built for this step
    body.set_qpos(np.concatenate([np.zeros(3), Rotation().from_matrix(Q).as_quat(scalar_first=True)]))
    body.set_dofs_velocity(np.concatenate([np.zeros(3), Omega]))
    body.control_dofs_force(np.zeros(3), TURNING)  # a force stays until another one is given
    for i in range(n):
        if problem.has_torque:
            body.control_dofs_force(problem.torque(t + i * h, _attitude(body)), TURNING)
        scene.step(update_visualizer=False)
    solver.check_errno()  # it keeps the last finite state of a run that diverges, and says so only now and then
    return _attitude(body), body.get_dofs_velocity(TURNING).numpy().astype(float)


def _attitude(body: Any) -> np.ndarray:
    return Rotation().from_quat(body.get_qpos().numpy()[3:].astype(float), scalar_first=True).as_matrix()


@functools.lru_cache(maxsize=16)
def _body(name: str, tensor: bytes) -> tuple[Any, Any]:
    """A scene with nothing but a body with this tensor of inertia, and the body."""
    import genesis

    with contextlib.suppress(genesis.GenesisException):  # once in a process; where somebody has, in their precision
        genesis.init(backend=genesis.cpu, precision="64", logging_level="error")
    options = genesis.options.RigidOptions(
        integrator=genesis.integrator[name],
        enable_collision=False,
        enable_joint_limit=False,
        disable_constraint=True,
    )
    weightless = genesis.options.SimOptions(substeps=1, gravity=(0.0, 0.0, 0.0))
    scene = genesis.Scene(sim_options=weightless, rigid_options=options, show_viewer=False)
    J = np.frombuffer(tensor).reshape(3, 3)
    entries = (J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "body.xml"
        file.write_text(MODEL.format(" ".join(repr(float(x)) for x in entries)), encoding="utf-8")
        body = scene.add_entity(genesis.morphs.MJCF(file=str(file), align=False))  # else in its principal axes
        scene.build()
    return scene, body
