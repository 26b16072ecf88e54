"""`recommend`: which method for which job, ranked by what was measured.

For every method that has what is asked for, the largest step is found that gives the accuracy, and whose drift over
the horizon stays below it; the methods are then ranked by the time a radian of rotation takes with that step. The
properties are the claims of the catalogue, each of which is measured in the test suite; errors, drift, times and
lines of code are those of measured.json.
"""

import functools
import json
import math
import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polhode.errors import InputError
from polhode.inputs import checked_call, choices, flag, positive, whole
from polhode.integrators.lookup import methods
from polhode.integrators.method import Method
from polhode.integrators.properties import CLAIMED, KEPT
from polhode.physics.catalogue import problem as look_up
from polhode.physics.problem import Problem
from polhode.shown import shown

FILE = pathlib.Path(__file__).with_name("measured.json")
"""What `python -m polhode.testbench.advice.measure` measured."""

DRIFT_STEP = 0.125  # with which the drifts were measured
UNMEASURED = "not in measured.json"
FINEST = 1e-13  # no accuracy beyond can be asked of floats


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
class Recommendation:
    """Methods in order of preference, and how many were left out for what."""

    wanted: dict[str, Any]
    choices: tuple[Choice, ...]
    left_out: dict[str, int]

    def __getitem__(self, k: int) -> Choice:
        return self.choices[k]

    def __repr__(self) -> str:
        return f"<Recommendation: {', '.join(c.method for c in self.choices) or 'none'}>"

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"wanted": self.wanted, "choices": [vars(c) for c in self.choices], "left_out": self.left_out}

    def table(self) -> Any:
        """A rich table."""
        return shown("recommendation, a table", self)

    def _repr_html_(self) -> str:
        return shown("recommendation, a card", self)


@checked_call
def recommend(
    *,
    problem: str | Problem | None = None,
    t_end: float | None = None,
    free: bool = False,
    axisymmetric: bool = False,
    torque_cost: float | None = None,
    accuracy: float = 1e-4,
    horizon: float = 1e4,
    keep: str | Sequence[str] = (),
    explicit: bool = False,
    simple: bool = False,
    count: int = 5,
) -> Recommendation:
    """Rank the methods for a job and say why; returns a Recommendation.

    Parameters
    ----------
    problem : Problem or str
        your problem, or the name of a shipped one: methods are tried on it, h is in its units, and accuracy is the
        error at t_end; what the next four and `horizon` say is then known
    t_end : float
        the end of its interval; its own if not given
    free : bool
        no torque at all
    axisymmetric : bool
        the body's first two moments are equal
    torque_cost : float
        seconds an evaluation of your torque takes; that of the stress test if not given, which methods with stages in
        lanes evaluate several times at once
    accuracy : float
        error of the attitude, in radians, that may be made in about half a turn; the drift of the energy over the
        horizon must be smaller, too
    horizon : float
        how long the run is, in radians of rotation: drift matters in long ones
    keep : str or sequence of str
        what must be kept exactly: any of "momentum", "energy", "symplectic", "symmetric"
    explicit : bool
        only methods that evaluate the torque a fixed number of times a step
    simple : bool
        prefer short programs: the cost is weighted by the lines of code
    count : int
        how many methods to name

    Returns
    -------
    Recommendation
        The methods by merit, with reasons; `print` it.

    Examples
    --------
    >>> import polhode as ph
    >>> len(ph.recommend(accuracy=1e-4, horizon=1e4, count=3).choices)
    3
    """
    if problem is not None:
        not_with_problem = {"free": free, "axisymmetric": axisymmetric, "simple": simple}
        not_with_problem |= {"torque_cost": torque_cost is not None, "horizon": horizon != 1e4}
        return _for_problem(problem, t_end, accuracy, keep, explicit, count, not_with_problem)
    if t_end is not None:
        raise InputError("t_end goes with a problem: give problem=, or horizon, in radians.")
    data = measured_data()
    torque = data["torque_ns"] if torque_cost is None else 1e9 * positive("torque_cost", torque_cost)
    accuracy, horizon = positive("accuracy", accuracy), positive("horizon", horizon)
    if accuracy < FINEST:
        raise InputError(f"accuracy is {accuracy:g}; in floats nothing below {FINEST:g} can be had.")
    keep, count = choices("keep", keep, KEEP), whole("count", count)
    free, axisymmetric = flag("free", free), flag("axisymmetric", axisymmetric)
    explicit, simple = flag("explicit", explicit), flag("simple", simple)
    body = "axisymmetric" if axisymmetric else "potential"
    case = "free" if free else body
    radians = data["radians"][case] / data["span"]  # a unit of time
    ranked = []
    left_out: dict[str, int] = {}
    for m in methods().values():
        d = data["methods"].get(m.name)
        reason = UNMEASURED if d is None else _unfit(m, d, free, keep, explicit, horizon)
        if reason:
            left_out[reason] = left_out.get(reason, 0) + 1
            continue
        drifting = 0.0 if free or "energy" in keep else horizon / radians
        h, limit = _step(m, d, data, case, accuracy, drifting)
        calls = _calls(d, data, h)
        own = d["step_ns"].get(body, d["step_ns"].get("free"))
        own *= calls / d["torques"] if calls else 1  # an iteration more is an evaluation more
        torques = 0.0 if free else calls / (h * radians)
        at_once = max(1, m.nodes) if torque_cost is None else 1  # in lanes; of a torque of yours that is not known
        time = own / (h * radians) + torques * torque / at_once
        reasons = _reasons(m, d, free, limit, accuracy, calls)
        ranked.append(Choice(m.name, m.title, h, h * radians, time, torques, d["code"], reasons))
    ranked.sort(key=lambda c: c.nanoseconds * (c.code if simple else 1))
    wanted = dict(
        free=free,
        axisymmetric=axisymmetric,
        torque_cost=torque * 1e-9,
        accuracy=accuracy,
        horizon=horizon,
        keep=list(keep),
        explicit=explicit,
        simple=simple,
    )
    return Recommendation(wanted, tuple(ranked[:count]), left_out)


def _for_problem(
    problem: Any,
    t_end: float | None,
    accuracy: float,
    keep: Sequence[str],
    explicit: bool,
    count: int,
    without: Any,
) -> Recommendation:
    """What was measured on one problem."""
    from polhode.testbench.advice.on_problem import tried_on

    names = [name for name, is_given in without.items() if is_given]
    if names:
        raise InputError(f"{', '.join(names)}: not with a problem, on which the methods are tried.")
    problem = look_up(problem)
    keep, count = choices("keep", keep, KEEP), whole("count", count)
    explicit, accuracy = flag("explicit", explicit), positive("accuracy", accuracy)
    if accuracy < FINEST:
        raise InputError(f"accuracy is {accuracy:g}; in floats nothing below {FINEST:g} can be had.")
    ranked = []
    left_out: dict[str, int] = {}
    for m, costs in tried_on(problem, t_end, accuracy):
        lacks = [name for name in keep if m is None or not _keeps(m, name, not problem.has_torque)]
        reason = f"does not keep: {lacks[0]}" if lacks else ""
        if explicit and m is not None and problem.has_torque and not m.explicit_torque:
            reason = "implicit in the torque"
        if reason:
            left_out[reason] = left_out.get(reason, 0) + 1
            continue
        code = 0 if m is None else measured_data()["methods"].get(m.name, {}).get("code", 0)
        ranked.append(Choice(code=code, **costs))
    wanted = {"problem": problem.name, "t_end": t_end, "accuracy": accuracy, "keep": list(keep), "explicit": explicit}
    return Recommendation(wanted, tuple(ranked[:count]), left_out)


def _unfit(m: Method, d: Mapping[str, Any], free: bool, keep: Sequence[str], explicit: bool, horizon: float) -> str:
    """Why a method is no choice, or nothing."""
    if m.free_only and not free:
        return "for a free body only"
    for name in keep:
        if not _keeps(m, name, free):
            return f"does not keep: {name}"
    if explicit and not free and not m.explicit_torque:
        return "implicit in the torque"
    if not free and d["drift"] == "unstable" and horizon > 100:
        return "unstable in long runs"
    return ""


def _keeps(m: Method, name: str, free: bool) -> bool:
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
    if time and isinstance(drift, float):
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
        if _keeps(m, "symplectic", free):
            sentences.append("symplectic: the energy error stays bounded")
        elif d["drift"] == "none":
            sentences.append("no drift was seen, though nothing guarantees that")
    elif _keeps(m, "symplectic", free):
        sentences.append("symplectic")
    names = [name for name in ("momentum", "energy") if _keeps(m, name, free)]
    if names:
        sentences.append(f"keeps the {' and '.join(names)}{'' if free else ' of a heavy top'} exactly")
    return tuple(sentences)


@functools.cache
def measured_data() -> dict[str, Any]:
    """What measured.json holds."""
    return json.loads(FILE.read_text(encoding="utf-8"))
