"""The ranking behind `recommend`: the largest step that will do for each method, and what that step costs.

Properties are the claims of the catalogue, each of which is measured in the test suite; errors, drift, times and lines
of code are those of measured.json.
"""

import functools
import json
import math
import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from polhode.integrators.lookup import methods
from polhode.integrators.method import Method
from polhode.integrators.properties import CLAIMED, KEPT

FILE = pathlib.Path(__file__).with_name("measured.json")
"""What `python -m polhode.testbench.advice.measure` measured."""

DRIFT_STEP = 0.125  # with which the drifts were measured

UNMEASURED = "not in measured.json"


def _claims_that_say(word: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The claims that something is kept: for a free body, and under a torque."""
    rows = [row for row in CLAIMED if row.keep == word]
    claims = lambda needs: tuple(row.claim for row in rows if row.claim is not None and row.needs_torque == needs)
    return claims(False), claims(True) or claims(False)


KEEP = {word: _claims_that_say(word) for word in KEPT}
"""What can be asked to be kept exactly: the claims that say so, for a free body and under a torque."""


@dataclass(frozen=True)
class Choice:
    """One method, with the step it needs, what that costs, and why it stands where it does."""

    method: str
    title: str
    h: float  # in the time units of the stress test, or of the problem given
    step_angle: float  # radians turned in a step
    nanoseconds: float  # a radian of rotation
    torques: float  # evaluations a radian
    code: int
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Job:
    """What a method is wanted for."""

    free: bool
    axisymmetric: bool
    torque_ns: float  # nanoseconds that an evaluation of the torque takes
    torque_is_known: (
        bool  # whether it is the torque of measured.json, which stages in lanes evaluate several times at once
    )
    accuracy: float
    horizon: float  # radians
    keep: tuple[str, ...]
    explicit: bool


def ranking(job: Job) -> tuple[list[Choice], dict[str, int]]:
    """A Choice for every method that will do, in the order of the catalogue; and how many were left out, by reason."""
    fit: list[Choice] = []
    left_out: dict[str, int] = {}
    for m in methods().values():
        d = measured_data()["methods"].get(m.name)
        reason = UNMEASURED if d is None else _unfit(m, d, job)
        if reason:
            left_out[reason] = left_out.get(reason, 0) + 1
        else:
            fit.append(_choice(m, d, job))
    return fit, left_out


def _choice(m: Method, d: Mapping[str, Any], job: Job) -> Choice:
    """A method with the largest step that will do, and its cost for a radian of rotation."""
    data = measured_data()
    body = "axisymmetric" if job.axisymmetric else "potential"
    case = "free" if job.free else body
    radians = data["radians"][case] / data["span"]  # a unit of time
    drifting = 0.0 if job.free or "energy" in job.keep else job.horizon / radians
    h, limit = _step(m, d, data, case, job.accuracy, drifting)
    calls = _calls(d, data, h)
    own = d["step_ns"].get(body, d["step_ns"].get("free"))
    own *= calls / d["torques"] if calls else 1  # an iteration more is an evaluation more
    torques = 0.0 if job.free else calls / (h * radians)
    at_once = max(1, m.nodes) if job.torque_is_known else 1
    time = own / (h * radians) + torques * job.torque_ns / at_once
    reasons = _reasons(m, d, job.free, limit, job.accuracy, calls)
    return Choice(m.name, m.title, h, h * radians, time, torques, d["code"], reasons)


def _unfit(m: Method, d: Mapping[str, Any], job: Job) -> str:
    """Why a method will not do; empty if it will."""
    if m.free_only and not job.free:
        return "for a free body only"
    for name in job.keep:
        if not keeps(m, name, job.free):
            return f"does not keep: {name}"
    if job.explicit and not job.free and not m.explicit_torque:
        return "implicit in the torque"
    if not job.free and d["drift"] == "unstable" and job.horizon > 100:
        return "unstable in long runs"
    return ""


def keeps(m: Method, name: str, free: bool) -> bool:
    """Whether a method claims to keep what is asked for."""
    return all(getattr(m, claim) for claim in KEEP[name][0 if free else 1])


def _step(
    m: Method, d: Mapping[str, Any], data: Mapping[str, Any], case: str, accuracy: float, time: float
) -> tuple[float, str]:
    """The largest step that will do, and what limits it: "accuracy", "drift" or "solve"."""
    order = max(1.0, min(m.orders.free if case == "free" else m.orders.torque))
    sizes = [data["span"] / n for n in data["steps"]]
    h, limit = _accurate(sizes, d["errors"][case], accuracy, order)
    drift = d.get("drift")
    if isinstance(drift, float) and drift * time > 0:  # zero for a horizon of nearly nothing
        steady = DRIFT_STEP * (accuracy / (drift * time)) ** (1 / order)
        if steady < h:
            return steady, "drift"
    return h, limit


def _accurate(
    sizes: Sequence[float], errors: Sequence[float | None], accuracy: float, order: float
) -> tuple[float, str]:
    """The step at which the error is the one wanted: between two that were measured, or beyond by the order."""
    best: tuple[float, float] | None = None  # the last step that was accurate enough, and its error
    for k in reversed(range(len(sizes))):  # from the finest on
        error = errors[k]
        if error is None:
            break
        if error > accuracy:
            if best is None:  # even the finest is too coarse
                return sizes[k] * (accuracy / error) ** (1 / order), "accuracy"
            h, a = best[0], max(best[1], 1e-16)
            share = math.log(accuracy / a) / math.log(error / a) if error > a else 0.0
            return h * (sizes[k] / h) ** min(1.0, max(0.0, share)), "accuracy"
        best = sizes[k], error
    assert best is not None  # every method takes the finest step
    return best[0], "solve"


def _calls(d: Mapping[str, Any], data: Mapping[str, Any], h: float) -> float:
    """Torque evaluations a step: for methods that iterate on the torque, at the nearest step that was measured."""
    sizes = {
        abs(math.log(data["span"] / n / h)): calls for n, calls in zip(data["steps"], d.get("torques_at", ())) if calls
    }
    return sizes[min(sizes)] if sizes else d["torques"]


def _reasons(m: Method, d: Mapping[str, Any], free: bool, limit: str, accuracy: float, calls: float) -> tuple[str, ...]:
    """Sentences: what the step is limited by, what it costs, what is kept."""
    sentences = [
        {
            "accuracy": f"the step is as large as an error of {accuracy:g} allows",
            "drift": "its energy drifts, and the horizon keeps the step small",
            "solve": "accurate enough with the largest step that was tried",
        }[limit]
    ]
    if not free:
        sentences.append(f"{calls:.3g} torque evaluation{'s' if calls != 1 else ''} a step")
        if keeps(m, "symplectic", free):
            sentences.append("symplectic: the energy error stays bounded")
        elif d["drift"] == "none":
            sentences.append("no drift was seen, though nothing guarantees that")
    elif keeps(m, "symplectic", free):
        sentences.append("symplectic")
    names = [name for name in ("momentum", "energy") if keeps(m, name, free)]
    if names:
        sentences.append(f"keeps the {' and '.join(names)}{'' if free else ' of a heavy top'} exactly")
    return tuple(sentences)


@functools.cache
def measured_data() -> dict[str, Any]:
    """What measured.json holds."""
    return cast(dict[str, Any], json.loads(FILE.read_text(encoding="utf-8")))
