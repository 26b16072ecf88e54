"""The certificate: what an integrator does, measured, each property with its value, threshold and verdict."""

import os
from dataclasses import dataclass, field, fields
from enum import Enum
from pathlib import Path
from typing import Any

from polhode.errors import InputError, near, one_line
from polhode.integrators.properties import PROPERTIES, RATE
from polhode.shown import shown

IN_FLOATS = "in floats"
DOWN_TO = "down to an error of"
LEFT_BY_A_TOLERANCE = "but for what a tolerance leaves,"
AGREES_WITHIN, AGREES_IN_FLOATS = 0.05, 0.3  # an order that is claimed, and one that is measured


class NotMeasured(InputError, KeyError):
    """A property that there is not, or that this certificate does not have; a KeyError, too, as of a dict."""

    __str__ = InputError.__str__  # that of a KeyError is the repr of its sentence


class Mark(Enum):
    """By what a property is known, where other verdicts depend on it; the words of `how` are for people alone."""

    FROM_OUTSIDE = "a kernel that does not run with many digits, measured as any function is"
    BY_DIFFERENCES = "derivatives by differences, which hide small defects"
    BY_SINGLE_STEPS = "the order of single steps far below those of the runs"
    LOWER_ELSEWHERE = "the order at another state, where it is lower than at the generic one"
    LOSES_STEPS = "steps at the generic state that are not large are lost"
    ROUND_OFF_ALONE = "no error but round-off in the runs, but one in a far larger step"
    IS_SYMPLECTIC = "symplectic, so it cannot"  # why an energy does not drift: told with the verdict
    KEEPS_ENERGY = "it keeps the energy"


@dataclass(frozen=True)
class Property:
    """One measured property. The verdict is "yes", "no" or "undecided"; `how` says how it was measured."""

    value: float | None
    threshold: float | None
    verdict: str
    how: str
    bound: float | None = None  # the bound that the value must not exceed; for an order, its uncertainty
    coverage: str = ""  # states, steps and precision for which the verdict holds; or where a "no" was seen
    qualifier: str = ""  # restricts a yes: "in floats (1e-17)"
    down_to: float | None = None  # of an order: the error below which smaller steps do not lead, if there is one
    seen_at: str = ""  # the state at which a "no" was first seen, in words
    marks: frozenset[Mark] = frozenset()  # what other verdicts must know of it; not part of its data

    @property
    def said(self) -> str:
        """The verdict with its qualifier."""
        return f"{self.verdict} {self.qualifier}".strip()

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name != "marks"}


@dataclass(frozen=True)
class Certificate:
    """The measured properties of one integrator: `c["symmetric"].verdict`, `c["order_free_Q"].value`, ..."""

    method: str
    form: str  # "kernel", "function" or "black box": what could be looked into
    properties: dict[str, Property]
    summary: str
    diagnosis: tuple[str, ...] = ()  # what the pattern of failures points to
    seconds: float = 0.0
    claims: dict[str, Any] = field(default_factory=dict)  # property: what the method claims of itself
    kin: str = ""  # the method of the catalogue that it is, or that it shares most with, in words
    version: str = ""  # of polhode
    date: str = ""
    pictures: dict[str, Any] = field(default_factory=dict, repr=False)  # the numbers of its plots: convergence, drift

    def __getitem__(self, key: str) -> Property:
        try:
            return self.properties[key]
        except (KeyError, TypeError):  # of a key that cannot be hashed
            raise self._absent(key) from None

    def _absent(self, key: object) -> NotMeasured:
        """The error of a key that is not here: why, the nearest one, and all that are."""
        if not self.properties:
            return NotMeasured(f"The certificate of {self.method} has no properties. {self.summary}")
        known = ", ".join(self.properties)
        if isinstance(key, str) and key in self.left_out:
            return NotMeasured(f"{key!r} of {self.method} was left out, as asked; give drift=True. There are {known}.")
        if isinstance(key, str) and key in self.not_measured:
            return NotMeasured(f"{key!r} was not measured of {self.method}, a {self.form}. There are {known}.")
        nearest = near(key, self.properties) if isinstance(key, str) else None
        hint = f" Did you mean {nearest!r}?" if nearest else ""
        return NotMeasured(f"There is no property {one_line(key)}.{hint} There are {known}.")

    def __repr__(self) -> str:
        return f"<Certificate of {self.method}: {self.summary}>"

    @property
    def not_measured(self) -> list[str]:
        """The properties that could not be measured of an integrator in this form."""
        return [row.key for row in PROPERTIES if row.key not in self.properties]

    @property
    def left_out(self) -> list[str]:
        """Those of `not_measured` that were left out, as asked: the drift, where others that need a torque are here."""
        has_torque = any(row.needs_torque and row.key in self.properties for row in PROPERTIES)
        rates = [row.key for row in PROPERTIES if row.kind == RATE]
        return [key for key in self.not_measured if has_torque and key in rates]

    @property
    def contradictions(self) -> dict[str, Any]:
        """The claims of the method that the measurements contradict."""
        return {k: claimed for k, claimed in self.claims.items() if not _agrees(self.properties.get(k), claimed)}

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "method": self.method,
            "form": self.form,
            "properties": {key: p.to_dict() for key, p in self.properties.items()},
            "summary": self.summary,
            "diagnosis": list(self.diagnosis),
            "contradicted_claims": list(self.contradictions),
            "not_measured": self.not_measured,
            "left_out": self.left_out,
            "kin": self.kin,
            "seconds": self.seconds,
            "version": self.version,
            "date": self.date,
            "pictures": self.pictures,
        }

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write it as a page, certificate.html, or as data, certificate.json; returns the path."""
        return shown("certificate, a file", self, path)

    def table(self, how: bool = False) -> Any:
        """A rich table for the terminal; with `how`, it says how each property was measured."""
        return shown("certificate, a table", self, how)

    def _repr_html_(self) -> str:
        return shown("certificate, a card", self)


def _agrees(measured: Property | None, claimed: Any) -> bool:
    if measured is None or measured.verdict == "undecided":
        return True
    if isinstance(claimed, bool):
        is_below_floats = not claimed and IN_FLOATS in measured.qualifier  # a "no" that only more digits show
        return is_below_floats or measured.verdict == ("yes" if claimed else "no")
    if measured.value is None or measured.value == claimed:
        return measured.value is not None
    is_seen_in_floats = measured.verdict == "yes" and IN_FLOATS in measured.qualifier
    return abs(measured.value - claimed) <= (AGREES_IN_FLOATS if is_seen_in_floats else AGREES_WITHIN)
