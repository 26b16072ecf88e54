"""Looks at single steps that tell mistakes apart."""

import numpy as np

from polhode.physics.problem import Problem
from polhode.testbench.certificate.states.cases import Run, placed, potential


def clues_of(run: Run) -> dict[str, str]:
    """How Euler's equations seem to read, and what becomes of a rotation."""
    p = placed(potential())
    return {"rate": rate(run, p), "turn": turn(run, p), "stretch": stretch(run, p)}


def stretch(run: Run, p: Problem, h: float = 0.25) -> str:
    """Whether a matrix that is no rotation is at least a multiple of one."""
    with np.errstate(all="ignore"):
        Q, _ = run(p, p.Q0.copy(), p.Omega0.copy(), h, 1, p.t0)
    off = Q.T @ Q - np.eye(3)
    return "even" if np.abs(off - np.trace(off) / 3 * np.eye(3)).max() < 0.01 * np.abs(off).max() else "uneven"


def turn(run: Run, p: Problem, h: float = 2.0**-10) -> str:
    """Which kinematics would change the attitude as one small step does: "" for the right one, or words."""
    with np.errstate(all="ignore"):
        Q, _ = run(p, p.Q0.copy(), p.Omega0.copy(), h, 1, p.t0)
    if np.abs(Q.T - p.Q0).max() < 10 * h < np.abs(Q - p.Q0).max():
        return "Q transposed"
    S = p.Q0.T @ (Q - p.Q0) / h
    angle, Omega = np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]]) / 2, p.Omega0
    readings = {
        "": Omega,
        "Omega in space axes": p.Q0.T @ Omega,
        "Omega of the other sign": -Omega,
        "half of Omega": Omega / 2,
        "twice Omega": 2 * Omega,
        "no Omega": 0 * Omega,
    }
    off = {reading: np.abs(angle - value).max() for reading, value in readings.items()}
    nearest = min(off, key=off.__getitem__)
    return nearest if off[nearest] < 0.02 * np.abs(Omega).max() else "something else"


def rate(run: Run, p: Problem, h: float = 2.0**-10) -> str:
    """Which Euler's equations would change the momentum as one small step does: "" for the right ones, or words."""
    with np.errstate(all="ignore"):
        _, Omega = run(p, p.Q0.copy(), p.Omega0.copy(), h, 1, p.t0)
    if np.abs(Omega - p.Q0 @ p.Omega0).max() < 10 * h < np.abs(Omega - p.Omega0).max():
        return "velocity in space axes"
    torque = p.tensor @ (Omega - p.Omega0) / h
    gyroscopic, tau = np.cross(p.tensor @ p.Omega0, p.Omega0), p.torque(p.t0, p.Q0)
    readings = {
        "": gyroscopic + tau,
        "half": (gyroscopic + tau) / 2,
        "torque in space axes": gyroscopic + p.Q0 @ tau,
        "torque as if in space axes": gyroscopic + p.Q0.T @ tau,
        "torque of the other sign": gyroscopic - tau,
        "half the torque": gyroscopic + tau / 2,
        "twice the torque": gyroscopic + 2 * tau,
        "no torque": gyroscopic,
        "Omega x J Omega of the other sign": tau - gyroscopic,
        "no Omega x J Omega": tau,
    }
    off = {reading: np.abs(torque - value).max() for reading, value in readings.items()}
    nearest = min(off, key=off.__getitem__)
    return nearest if off[nearest] < 0.02 * np.abs(readings[""]).max() else "something else"
