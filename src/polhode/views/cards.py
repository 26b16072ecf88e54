"""Problems, methods, trajectories and ensembles as a notebook shows them: a title and a few facts."""

from html import escape
from typing import Any

import numpy as np

from polhode.integrators.properties import CLAIMED
from polhode.integrators.velocity import how
from polhode.views.page import table


def problem_card(p: Any) -> str:
    """What moves, and where it starts."""
    kind = "free" if not p.has_torque else "with a potential" if p.has_energy else "with a torque"
    facts = {
        "kind": kind,
        "inertia": _numbers(p.inertia),
        "Q0": _numbers(p.Q0),
        "Omega0": _numbers(p.Omega0),
        "t0": f"{p.t0:g}",
        "invariants": ", ".join(p.invariants) or "none listed",
    }
    if p.h is not None:
        facts["h"] = f"{p.h:g}"
    if p.t_end is not None:
        facts["t_end"] = f"{p.t_end:g}"
    return _card(f"Problem {p.name}", facts)


def method_card(m: Any) -> str:
    """What is claimed of a method, and the first words of its lecture."""
    orders = m.orders
    facts = {"family": m.family, "order": f"free {orders.free[0]:g}, with a torque {orders.torque[0]:g} (attitude)"}
    facts |= {"torques of the velocity": how(m)}
    facts |= {row.title: _said(getattr(m, row.claim)) for row in CLAIMED if row.claim and row.is_of(m)}
    lecture = m.lecture.split("\n\n")[0]
    return _card(f"Method {m.name}: {m.title}" if m.title else f"Method {m.name}", facts, " ".join(lecture.split()))


def trajectory_card(s: Any) -> str:
    """How a run went."""
    facts = {
        "method": f"{s.method}, h = {s.h:g}",
        "states": f"{len(s.t)}, t = {s.t[0]:g} to {s.t[-1]:g}" if len(s.t) else "none",
        "steps": f"{s.stats.get('n_steps', len(s.t) - 1)}",
        "outcome": s.message or "reached the end",
    }
    if len(s.t) and ("energy" in s.saved or (s.problem is not None and s.problem.has_energy)):
        facts["largest energy error"] = f"{np.abs(s.energy_error).max():.2g}"
    facts |= {f"event {name}": f"{len(crossings)} times" for name, crossings in s.events.items()}
    return _card(f"Trajectory of {s.problem_name}", facts)


def ensemble_card(e: Any) -> str:
    """How the bodies fared."""
    facts = {
        "method": f"{e.method}, h = {e.h:g}",
        "bodies": f"{len(e)}, of which {int((~e.success).sum())} stopped early",
        "states": f"{len(e.t)} of each, t = {e.t[0]:g} to {e.t[-1]:g}",
        "lanes, threads": f"{e.stats['lanes']}, {e.stats['threads']}",
    }
    if e.message:
        facts["outcome"] = e.message
    return _card(f"Ensemble in {e.problem.name}", facts)


def _card(title: str, facts: dict[str, str], words: str = "") -> str:
    rows = [(escape(k), escape(str(v))) for k, v in facts.items()]
    text = f"<p>{escape(words)}</p>" if words else ""
    return f"<p><b>{escape(title)}</b></p>{text}" + table(("", ""), rows)


def _numbers(x: np.ndarray) -> str:
    return np.array2string(np.asarray(x), precision=6, separator=", ").replace("\n", "")


def _said(value: Any) -> str:
    return (
        {True: "yes", False: "no", None: "open"}.get(value, str(value))
        if not isinstance(value, float)
        else f"{value:g}"
    )
