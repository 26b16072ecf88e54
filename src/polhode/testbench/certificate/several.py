"""Certificates of many integrators: each is a task, and they are shown together."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from polhode.errors import InputError, one_line
from polhode.inputs import items
from polhode.integrators.lookup import integrator, name_of
from polhode.integrators.method import BlackBox, Method
from polhode.runs.crews.workers import mapped
from polhode.runs.progress import bar
from polhode.shown import shown
from polhode.testbench.certificate.certificate import Certificate


@dataclass(frozen=True)
class Certificates(Sequence[Any]):
    """Certificates in the order of the methods given: by place, or by name, `c["VLV"]["symmetric"].verdict`."""

    certificates: tuple[Certificate, ...]

    def __len__(self) -> int:
        return len(self.certificates)

    def __iter__(self) -> Iterator[Certificate]:
        return iter(self.certificates)

    def __getitem__(self, which: Any) -> Any:
        if not isinstance(which, str):
            return self.certificates[which]
        for c in self.certificates:
            if c.method == which:
                return c
        raise InputError(f"There is no {one_line(which)} here; there are {', '.join(c.method for c in self)}.")

    def __repr__(self) -> str:
        return f"<Certificates of {', '.join(c.method for c in self)}>"

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {"certificates": [c.to_dict() for c in self]}

    def table(self) -> Any:
        """A rich table for the terminal: a column for each method."""
        return shown("certificates, a table", self)

    def _repr_html_(self) -> str:
        return shown("certificates, a card", self)


def are_several(method: Any) -> bool:
    """Whether these are methods, and not one."""
    return not (isinstance(method, str | Method | BlackBox) or callable(method))


def certified(methods: Any, drift: bool, progress: bool, workers: Any, seconds: float) -> Certificates:
    """The certificates of several methods."""
    integrators = [integrator(m) for m in items("method", methods, "a method, or a sequence of them")]
    names = [name_of(m) for m in integrators]
    if not integrators:
        raise InputError("No method was given; give at least one.")
    if len(set(names)) < len(names):
        raise InputError(f"Two methods have one name: {', '.join(n for n in names if names.count(n) > 1)}.")
    done = itertools.count(1)
    with bar(progress, len(integrators), "certificates", unit="methods") as tick:
        tasks = [(m, drift, seconds) for m in integrators]
        return Certificates(tuple(mapped(workers, one, tasks, lambda k, c: tick(next(done)))))


def one(method: Any, drift: bool, seconds: float) -> Certificate:
    """A task. One that does not run has no properties, and a summary that says why; the others are not lost."""
    from polhode.testbench.certificate.certify import certify, form_of

    try:
        return certify(method, drift=drift, seconds=seconds)
    except InputError as error:
        return Certificate(name_of(method), form_of(method), properties={}, summary=str(error))
