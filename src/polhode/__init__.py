"""polhode: integrate the rotation of rigid bodies on SO(3), and know what the integrator does to it."""

import polhode.certify
import polhode.methods  # noqa: F401  packages first: importing one later would replace the function of that name
from polhode.certify.blackbox import BlackBox
from polhode.certify.certify import certify
from polhode.certify.drift import stress
from polhode.errors import FileError, InputError
from polhode.model import Method, Order
from polhode.problem import Problem
from polhode.problems.catalogue import problem, problems
from polhode.scalar import kernel
from polhode.solve import method, methods, solve, step
from polhode.trajectory import Trajectory, load

__version__ = "0.1.0"
__all__ = [
    "BlackBox",
    "FileError",
    "InputError",
    "Method",
    "Order",
    "Problem",
    "Trajectory",
    "certify",
    "kernel",
    "load",
    "method",
    "methods",
    "problem",
    "problems",
    "solve",
    "step",
    "stress",
]
