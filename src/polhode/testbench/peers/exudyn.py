"""Exudyn: a rigid body with a rotation vector on the group, the torque by a load with a user function."""

import functools
from typing import Any

import numpy as np

from polhode.inputs.scipy_rotation import Rotation
from polhode.integrators.method import BlackBox
from polhode.physics.problem import Problem

TITLE = "Exudyn, flexible multibody dynamics"
INSTALL = "exudyn"
SHOWN = ("RK44", "DOPRI5", "ExplicitMidpoint", "VelocityVerlet", "GeneralizedAlpha", "TrapezoidalIndex2")


def names() -> list[str]:
    """RK44, GeneralizedAlpha, ...: those of the installed version."""
    import exudyn

    return list(exudyn.DynamicSolverType.__members__)


def engine(name: str) -> BlackBox:
    """One of Exudyn's solvers, with fixed steps."""
    return BlackBox(f"exudyn:{name}", functools.partial(_advanced, name), f"Exudyn, solver {name}")


def _advanced(
    name: str, problem: Problem, Q: np.ndarray, Omega: np.ndarray, h: float, n: int, t: float
) -> tuple[np.ndarray, np.ndarray]:
    import exudyn

    if not h > 0:
        raise ValueError("Exudyn takes steps forward only")
    system, acting = _system(problem.tensor.tobytes())
    acting["problem"] = problem
    still, start = np.zeros(3), exudyn.ConfigurationType.Initial
    state = system.systemData
    state.SetODE2Coordinates(np.concatenate([still, Rotation().from_matrix(Q).as_rotvec()]), start)
    state.SetODE2Coordinates_t(np.concatenate([still, Omega]), start)  # in body axes
    solver = exudyn.DynamicSolverType.__members__[name]
    system.SolveDynamic(_settings(t, h, n), solverType=solver, updateInitialValues=False)
    Q = Rotation().from_rotvec(state.GetODE2Coordinates()[3:6]).as_matrix()
    return Q, np.array(state.GetODE2Coordinates_t()[3:6])


def _settings(t: float, h: float, n: int) -> Any:
    """So many steps of one size, and no files."""
    import exudyn

    settings = exudyn.SimulationSettings()
    time = settings.timeIntegration
    time.startTime, time.endTime, time.numberOfSteps = t, t + n * h, n
    time.automaticStepSize, time.verboseMode = False, 0
    settings.solutionSettings.writeSolutionToFile = False
    return settings


@functools.lru_cache(maxsize=8)
def _system(tensor: bytes) -> tuple[Any, dict[str, Problem]]:
    """A body with this tensor of inertia, and the dictionary that names the problem it is in."""
    import exudyn
    from exudyn.utilities import LoadTorqueVector, MarkerNodeRigid, RigidBodyInertia

    exudyn.config.suppressWarnings = True
    system = exudyn.SystemContainer().AddSystem()
    acting: dict[str, Problem] = {}
    inertia = RigidBodyInertia(mass=1.0, inertiaTensor=np.frombuffer(tensor).reshape(3, 3))
    kind = exudyn.NodeType.RotationRotationVector
    node = system.CreateRigidBody(inertia=inertia, nodeType=kind, returnDict=True)["nodeNumber"]

    def torque(system: Any, t: float, load: Any) -> list[float]:
        Q = system.GetNodeOutput(node, exudyn.OutputVariableType.RotationMatrix).reshape(3, 3)
        return list(Q @ acting["problem"].torque(t, Q)) if acting["problem"].has_torque else [0, 0, 0]  # in space axes

    marker = system.AddMarker(MarkerNodeRigid(nodeNumber=node))
    system.AddLoad(LoadTorqueVector(markerNumber=marker, loadVector=[0, 0, 0], loadVectorUserFunction=torque))
    system.Assemble()
    return system, acting
