"""Drake: a floating body, the torque by a system of its own; every scheme with fixed steps."""

import functools
from typing import Any

import numpy as np

from polhode.inputs.scipy_rotation import Rotation
from polhode.integrators.method import BlackBox
from polhode.physics.problem import Problem

TITLE = "Drake, model-based design and verification for robotics"
INSTALL = "drake"
SHOWN = ("runge_kutta3", "runge_kutta5", "semi_explicit_euler", "implicit_euler", "radau3")
CHOOSES = "cenic"  # takes steps of its own only


def names() -> list[str]:
    """runge_kutta3, radau3, ...: those of the installed version."""
    from pydrake.systems.analysis import GetIntegrationSchemes

    return [name for name in GetIntegrationSchemes() if name != CHOOSES]


def engine(name: str) -> BlackBox:
    """One of Drake's integration schemes."""
    return BlackBox(f"drake:{name}", functools.partial(_advanced, name), f"Drake, scheme {name}")


def _advanced(
    name: str, problem: Problem, Q: np.ndarray, Omega: np.ndarray, h: float, n: int, t: float
) -> tuple[np.ndarray, np.ndarray]:
    from pydrake.systems.analysis import ResetIntegratorFromFlags

    simulator, plant, acting = _simulator(problem.tensor.tobytes())
    acting.problem = problem
    context = simulator.get_mutable_context()
    context.SetTime(t)
    body = plant.GetMyMutableContextFromRoot(context)
    q = Rotation().from_matrix(Q).as_quat(scalar_first=True)
    plant.SetPositionsAndVelocities(body, np.concatenate([q, np.zeros(3), Q @ Omega, np.zeros(3)]))  # in space axes
    ResetIntegratorFromFlags(simulator, name, h).set_fixed_step_mode(True)
    simulator.Initialize()
    for i in range(n):
        simulator.AdvanceTo(t + (i + 1) * h)
    x = plant.GetPositionsAndVelocities(body)
    Q = Rotation().from_quat(x[:4], scalar_first=True).as_matrix()
    return Q, Q.T @ x[7:10]


@functools.lru_cache(maxsize=8)
def _simulator(tensor: bytes) -> tuple[Any, Any, Any]:
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import SpatialInertia, UnitInertia
    from pydrake.systems.analysis import Simulator
    from pydrake.systems.framework import DiagramBuilder

    J = np.frombuffer(tensor).reshape(3, 3)
    builder = DiagramBuilder()
    plant = builder.AddSystem(MultibodyPlant(0.0))
    unit = UnitInertia(J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2])  # of a mass of one
    plant.AddRigidBody("body", SpatialInertia(1.0, np.zeros(3), unit))
    plant.mutable_gravity_field().set_gravity_vector(np.zeros(3))
    plant.Finalize()
    acting = builder.AddSystem(_torque_system())
    builder.Connect(plant.get_state_output_port(), acting.get_input_port())
    builder.Connect(acting.get_output_port(), plant.get_applied_generalized_force_input_port())
    return Simulator(builder.Build()), plant, acting


def _torque_system() -> Any:
    """A system that gives the torque of its `problem`, in space axes, and no force."""
    from pydrake.systems.framework import LeafSystem

    class Acting(LeafSystem):
        def __init__(self) -> None:
            super().__init__()
            self.problem: Any = None
            self.DeclareVectorInputPort("state", 13)
            self.DeclareVectorOutputPort("force", 6, self.acts)

        def acts(self, context: Any, output: Any) -> None:
            force = np.zeros(6)
            if self.problem.has_torque:
                x = self.get_input_port().Eval(context)
                Q = Rotation().from_quat(x[:4], scalar_first=True).as_matrix()
                force[:3] = Q @ self.problem.torque(context.get_time(), Q)
            output.SetFromVector(force)

    return Acting()
