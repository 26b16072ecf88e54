"""polhode: integrate the rotation of rigid bodies on SO(3), and know what the integrator does to it."""

from polhode import interrupts  # noqa: F401  first, as the others take a while
from polhode.errors import EventWarning, FileError, InputError, LargeStepWarning, RunError, RunWarning
from polhode.inputs.from_c import c_function
from polhode.integrators.composition import compose
from polhode.integrators.crouch_grossman import crouch_grossman
from polhode.integrators.gauss import gauss
from polhode.integrators.lookup import method, methods
from polhode.integrators.magnus import jem
from polhode.integrators.method import BlackBox, Method, Order
from polhode.integrators.modified_midpoint import imr
from polhode.integrators.munthe_kaas import munthe_kaas
from polhode.integrators.newmark import newmark
from polhode.integrators.parts.tableaux import Tableau
from polhode.integrators.preprocessed import dmv
from polhode.integrators.splitting import sr
from polhode.integrators.time_transformed import time_transformed
from polhode.integrators.trapezoidal import trapezoidal
from polhode.kernels import old_paths
from polhode.kernels.scalar import kernel
from polhode.physics import build, frames, inertia
from polhode.physics.catalogue import problem, problems
from polhode.physics.control import Sampled
from polhode.physics.problem import Problem
from polhode.physics.wheels import Wheel
from polhode.reference.modified_hamiltonian import modified_hamiltonian
from polhode.runs.ensemble.solve import Ensemble, solve_ensemble
from polhode.runs.files.loading import load
from polhode.runs.integrator import Integrator
from polhode.runs.own_steps.embedded import rkmk54
from polhode.runs.results.quantities import dist
from polhode.runs.results.trajectory import Trajectory
from polhode.runs.runners.taylor import taylor
from polhode.runs.solve import solve, step
from polhode.runs.sweeps.draws import draws
from polhode.runs.sweeps.sweep import open_sweep, sweep
from polhode.testbench.advice.recommend import recommend
from polhode.testbench.certificate.certify import certify
from polhode.testbench.convergence.growth import global_error
from polhode.testbench.convergence.study import converge, work_precision
from polhode.testbench.drift.stress import stress
from polhode.testbench.papers.reproduce import reproduce
from polhode.views.figures.animate import animate
from polhode.views.figures.axis_angle import plot_axis_angle
from polhode.views.figures.polhode import plot_polhode
from polhode.views.figures.trajectory import plot_trajectory

old_paths.install()

__version__ = "0.1.0"
__all__ = [
    "BlackBox",
    "Ensemble",
    "EventWarning",
    "FileError",
    "InputError",
    "Integrator",
    "LargeStepWarning",
    "Method",
    "Order",
    "Problem",
    "RunError",
    "RunWarning",
    "Sampled",
    "Tableau",
    "Trajectory",
    "Wheel",
    "animate",
    "build",
    "c_function",
    "certify",
    "compose",
    "converge",
    "crouch_grossman",
    "dist",
    "dmv",
    "draws",
    "frames",
    "gauss",
    "global_error",
    "imr",
    "inertia",
    "jem",
    "kernel",
    "load",
    "method",
    "methods",
    "modified_hamiltonian",
    "munthe_kaas",
    "newmark",
    "open_sweep",
    "plot_axis_angle",
    "plot_polhode",
    "plot_trajectory",
    "problem",
    "problems",
    "recommend",
    "reproduce",
    "rkmk54",
    "solve",
    "solve_ensemble",
    "sr",
    "step",
    "stress",
    "sweep",
    "taylor",
    "time_transformed",
    "trapezoidal",
    "work_precision",
]
