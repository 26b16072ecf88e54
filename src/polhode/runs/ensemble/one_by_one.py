"""Bodies one after the other through `solve`, where they cannot run in lanes."""

import time
from dataclasses import replace
from typing import Any

import numpy as np

from polhode.errors import InputError
from polhode.integrators.lookup import name_of
from polhode.runs import turns
from polhode.runs.ensemble.asked import AskedOfBodies
from polhode.runs.ensemble.events import gathered_events
from polhode.runs.ensemble.reductions import side_by_side
from polhode.runs.ensemble.result import Ensemble
from polhode.runs.progress import bar
from polhode.runs.results.as_it_was import potential_now
from polhode.runs.results.trajectory import Trajectory
from polhode.runs.runners.machine_law import LawMemory
from polhode.runs.solve import solve


def one_by_one(asked: AskedOfBodies, reason: str) -> Ensemble:
    """The Ensemble of bodies that run one after the other for this reason."""
    wish = next((k for k in ("checkpoint", "out") if getattr(asked, k) is not None), "")
    if wish:
        raise InputError(
            f"{wish} of an ensemble is for bodies that run in machine code, and here {reason}. Leave it out, or "
            "run the bodies by solve."
        )
    gathering, begin = Gathering(asked), time.perf_counter()
    with bar(asked.progress, len(asked.bodies), f"{len(asked.bodies)} bodies") as tick:
        for i in range(len(asked.bodies)):
            if gathering.run(i):
                tick(i + 1)
    return gathering.ensemble(reason, time.perf_counter() - begin)


class Gathering:
    """Runs of single bodies, on their way to one result."""

    def __init__(self, asked: AskedOfBodies) -> None:
        self.asked, bodies, N = asked, asked.bodies, len(asked.bodies)
        self.alone = bodies.kinds[0]
        self.samples = asked.n // asked.every + (asked.n % asked.every > 0)
        self.Q, self.Omega = np.full((self.samples + 1, N, 3, 3), np.nan), np.full((self.samples + 1, N, 3), np.nan)
        self.failed, self.interrupted, self.name = np.full(N, -1), False, name_of(asked.method)
        self.sentences: dict[int, str] = {}
        self.exceptions: dict[int, BaseException] = {}
        self.crossings: dict[int, Any] = {}
        self.ended: dict[int, str] = {}
        self.reductions: list[dict[str, Any]] = [{} for _ in range(N)]
        self.compiled, self.law, self.torques, self.iterations = True, "", 0, 0
        self.driven = [bodies.problem(i) for i in range(N)] if self.alone.is_driven else bodies.kinds
        self.memory = LawMemory(self.alone.name, self.alone.law) if self.alone.law is not None and N > 1 else None
        self.looks: dict[str, Any] = {} if asked.events is None else asked.events.given()
        if asked.survey is not None:
            self.looks |= {"reduce": asked.survey.names, "reduce_every": asked.survey.each}

    def run(self, i: int) -> bool:
        """Run a body and take its result; False if it could not start."""
        asked, bodies = self.asked, self.asked.bodies
        self.Q[0, i], self.Omega[0, i] = bodies.Q0[i], bodies.Omega0[i]
        if self.interrupted or not bodies.finite[i]:
            self.failed[i] = 0
            if bodies.finite[i]:
                self.sentences[i] = "Interrupted before it began."
            return False
        steps: dict[str, Any] = {"h": asked.h, "n_steps": asked.n, "save_every": asked.every, "on_failure": "return"}
        try:
            with turns.on_purpose():  # a warning is for all bodies at once
                s = solve(bodies.problem(i), asked.method, **steps, **self.looks)
        except InputError:
            raise
        except Exception as raised:  # by the torque at the start
            self.failed[i], self.sentences[i] = 0, f"{type(raised).__name__} at the start: {raised}."
            return False
        self._take(i, s)
        return True

    def _take(self, i: int, s: Trajectory) -> None:
        self.name, self.interrupted = s.method, s.stats["interrupted"]
        k = len(s.t) - (s.success and bool(s.message))  # without the state at which an event ended the run
        self.Q[:k, i], self.Omega[:k, i] = s.Q[:k], s.Omega[:k]
        if self.alone.is_driven and s.problem is not None:
            self.driven[i] = s.problem  # which knows what its motors did
        self.crossings[i], self.reductions[i] = s.events, s.reductions
        self.compiled = self.compiled and s.stats["compiled"]
        self.law = s.stats.get("law", self.law)
        if self.memory is not None and self.memory.is_used():
            self.memory = None
        if s.success and s.message:
            terminal = self.looks["terminal"]
            self.ended[i] = next(k for k in terminal if len(s.events[k]) and s.events[k].t[-1] == s.t[-1])
        self.torques, self.iterations = (
            self.torques + (s.stats["n_torque"] or 0),
            self.iterations + s.stats["n_iterations"],
        )
        if not s.success:
            self.failed[i], self.sentences[i] = s.stats["n_steps"], s.message
        if s.exception is not None:
            self.exceptions[i] = s.exception

    def ensemble(self, reason: str, seconds: float) -> Ensemble:
        """All of them as one result."""
        asked, N = self.asked, len(self.asked.bodies)
        stats = {
            "n_bodies": N,
            "n_steps": asked.n,
            "n_torque": self.torques,
            "n_iterations": self.iterations,
            "lanes": 1,
            "threads": 1,
            "compiled": self.compiled and bool(self.crossings),
            "reason": reason,
            "interrupted": self.interrupted,
            "wall_time": seconds,
        }
        stats |= {"law": self.law} if self.law else {}
        steps = np.append(0, np.minimum(asked.every * np.arange(1, self.samples + 1), asked.n))
        names = () if asked.survey is None else asked.survey.names
        return Ensemble(
            method=self.name,
            h=asked.h,
            t=self.alone.t0 + asked.h * steps,
            bodies=replace(asked.bodies, kinds=self.driven),
            rows=None,
            failed=self.failed,
            errors=np.full(N, np.nan),
            stats=stats,
            sentences=self.sentences,
            states=(self.Q, self.Omega),
            exceptions=self.exceptions,
            events=gathered_events(self.crossings, N),
            ended=self.ended,
            reductions={name: side_by_side([x.get(name) for x in self.reductions]) for name in names},
            integrator=asked.method,
            potential_then=potential_now(self.driven[0]),
        )
