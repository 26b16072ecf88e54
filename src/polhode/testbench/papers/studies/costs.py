"""Processor times behind statements on cost, as ratios: those of one run of the program on one machine."""

import numpy as np

from polhode.integrators.method import Method
from polhode.integrators.preprocessed import dmv
from polhode.physics.catalogue import problem
from polhode.testbench.drift.study import ORTOLAN_SACCON
from polhode.testbench.papers.work_precision import step_times

RUNS = 15


def stress_costs() -> dict[tuple[str, float], float]:
    """Seconds a step on the stress test, by (method, h): the median of 15 runs."""
    p = problem("stress")
    return {
        (name, h): float(np.median(step_times(p, name, h, RUNS)))
        for h in ORTOLAN_SACCON.h
        for name in ORTOLAN_SACCON.methods
    }


def moser_veselov_costs() -> dict[tuple[str, float], float]:
    """Seconds a step on the asymmetric body, by (method, h): DMV, DMV8, and ten steps of DMV8 in one."""
    p, seconds = problem("asymmetric"), {}
    methods: dict[str, str | Method] = {"DMV": "RATTLE", "DMV8": "DMV8", "10 steps of DMV8": dmv(8, substeps=10)}
    for h in (0.2, 0.1, 0.05, 0.025):
        for name, method in methods.items():
            seconds[name, h] = float(np.median(step_times(p, method, h, RUNS)))
    return seconds
