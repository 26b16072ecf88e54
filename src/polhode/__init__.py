"""polhode: integrate the rotation of rigid bodies on SO(3), and know what the integrator does to it."""

import polhode.certify
import polhode.methods  # noqa: F401  packages first: importing one later would replace the function of that name
from polhode import build, inertia
from polhode.certify.certify import certify
from polhode.certify.drift import stress
from polhode.certify.recommend import recommend
from polhode.ensemble import Ensemble, solve_ensemble
from polhode.errors import FileError, InputError, LargeStepWarning
from polhode.figures.animate import animate
from polhode.figures.axis_angle import plot_axis_angle
from polhode.figures.polhode import plot_polhode
from polhode.figures.trajectory import plot_trajectory
from polhode.methods.composition import compose
from polhode.methods.crouch_grossman import crouch_grossman
from polhode.methods.gauss import gauss
from polhode.methods.munthe_kaas import munthe_kaas
from polhode.methods.tableaux import Tableau
from polhode.model import BlackBox, Method, Order
from polhode.problem import Problem
from polhode.problems.catalogue import problem, problems
from polhode.scalar import kernel
from polhode.solve import method, methods, solve, step
from polhode.trajectory import Trajectory, load

__version__ = "0.1.0"
__all__ = [
    "BlackBox",
    "Ensemble",
    "FileError",
    "InputError",
    "LargeStepWarning",
    "Method",
    "Order",
    "Problem",
    "Tableau",
    "Trajectory",
    "animate",
    "build",
    "certify",
    "compose",
    "crouch_grossman",
    "gauss",
    "inertia",
    "kernel",
    "load",
    "method",
    "methods",
    "munthe_kaas",
    "plot_axis_angle",
    "plot_polhode",
    "plot_trajectory",
    "problem",
    "problems",
    "recommend",
    "solve",
    "solve_ensemble",
    "step",
    "stress",
]
