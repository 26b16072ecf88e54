"""`recommend`: which method for which job, ranked by what was measured.

For every method that has what is asked for, the largest step is found that gives the accuracy, and whose drift over
the horizon stays below it; the methods are then ranked by the time that a radian of rotation takes with that step
(``ranking.py``). For a problem of the user's the methods are tried on it (``on_problem.py``).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from polhode.errors import InputError
from polhode.inputs import checked_call, choices, flag, positive, whole
from polhode.physics.catalogue import problem as look_up
from polhode.physics.problem import Problem
from polhode.runs.runners.taylor_series import NAME as TAYLOR
from polhode.shown import shown
from polhode.testbench.advice.ranking import KEEP, Choice, Job, keeps, measured_data, ranking

FINEST_ACCURACY = 1e-13  # no accuracy beyond can be asked of floats


@dataclass(frozen=True)
class Recommendation:
    """Methods in order of preference, and how many were left out for what."""

    wanted: dict[str, Any]
    choices: tuple[Choice, ...]
    left_out: dict[str, int]

    def __getitem__(self, k: int) -> Choice:
        return self.choices[k]

    def __repr__(self) -> str:
        in_its_time = "problem" in self.wanted
        named = (
            f"{c.method} with h = {c.h:.3g}" if in_its_time and c.method != TAYLOR else c.method for c in self.choices
        )
        return f"<Recommendation: {', '.join(named) or 'none'}>"

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"wanted": self.wanted, "choices": [vars(c) for c in self.choices], "left_out": self.left_out}

    def table(self) -> Any:
        """The choices as a table for the terminal."""
        return shown("recommendation, a table", self)

    def _repr_html_(self) -> str:
        return shown("recommendation, a card", self)


@checked_call
def recommend(
    problem: str | Problem | None = None,
    *,
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
        your problem, or the name of a shipped one: methods are tried on it, h is in its units of time, and accuracy is
        the error at t_end. It replaces free, axisymmetric, torque_cost and horizon
    t_end : float
        the end of its interval; its own if not given
    free : bool
        no torque at all
    axisymmetric : bool
        the body's first two moments are equal
    torque_cost : float
        seconds that an evaluation of your torque takes; by default the cost of the torque of the stress test, which
        methods with stages in lanes evaluate several times at once
    accuracy : float
        the error of the attitude, in radians, that is allowed in about half a turn; the drift of the energy over the
        horizon must be smaller, too
    horizon : float
        how long the run is, in radians of rotation: drift matters in long runs
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
    accuracy, horizon = positive("accuracy", accuracy), positive("horizon", horizon)
    torque = measured_data()["torque_ns"] if torque_cost is None else 1e9 * positive("torque_cost", torque_cost)
    if accuracy < FINEST_ACCURACY:
        raise InputError(f"accuracy is {accuracy:g}; in floats nothing below {FINEST_ACCURACY:g} can be had.")
    job = Job(
        free=flag("free", free),
        axisymmetric=flag("axisymmetric", axisymmetric),
        torque_ns=torque,
        torque_is_known=torque_cost is None,
        accuracy=accuracy,
        horizon=horizon,
        keep=tuple(choices("keep", keep, KEEP)),
        explicit=flag("explicit", explicit),
    )
    count, simple = whole("count", count), flag("simple", simple)
    ranked, left_out = ranking(job)
    ranked.sort(key=lambda c: c.nanoseconds * (c.code if simple else 1))
    wanted = dict(
        free=job.free,
        axisymmetric=job.axisymmetric,
        torque_cost=torque * 1e-9,
        accuracy=accuracy,
        horizon=horizon,
        keep=list(job.keep),
        explicit=job.explicit,
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
        raise InputError(f"{', '.join(names)} cannot go with a problem, on which the methods are tried: leave it out.")
    problem = look_up(problem)
    keep, count = choices("keep", keep, KEEP), whole("count", count)
    explicit, accuracy = flag("explicit", explicit), positive("accuracy", accuracy)
    if accuracy < FINEST_ACCURACY:
        raise InputError(f"accuracy is {accuracy:g}; in floats nothing below {FINEST_ACCURACY:g} can be had.")
    ranked = []
    left_out: dict[str, int] = {}
    for m, costs in tried_on(problem, t_end, accuracy):
        lacks = [name for name in keep if m is None or not keeps(m, name, not problem.has_torque)]
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
