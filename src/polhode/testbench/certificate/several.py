"""Certificates of many integrators: each is a task, and they are shown together."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
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

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write them as one page, certificates.html, or as data, certificates.json; returns the path."""
        return shown("certificates, a file", self, path)

    def table(self) -> Any:
        """A rich table for the terminal: a column for each method."""
        return shown("certificates, a table", self)

    def _repr_html_(self) -> str:
        return shown("certificates, a card", self)


def are_several(method: Any) -> bool:
    """Whether these are methods, and not one; an object with a step is one, if not yet one that can be called."""
    is_one = isinstance(method, str | Method | BlackBox) or callable(method)
    return not (is_one or callable(getattr(method, "step", None)))


def certified(methods: Any, drift: bool, progress: bool, workers: Any, seconds: float) -> Certificates:
    """The certificates of several methods."""
    integrators = [integrator(m) for m in items("method", methods, "a method, or a sequence of them")]
    names = [name_of(m) for m in integrators]
    if not integrators:
        raise InputError("No method was given; give at least one.")
    if len(set(names)) < len(names):
        raise InputError(
            f"Two methods have one name: {', '.join(n for n in names if names.count(n) > 1)}. Give each one of its "
            "own: define functions under other names, or wrap them, ph.Method(name=...) or ph.BlackBox(name, ...)."
        )
    runs_here, done = workers is None, 0
    with bar(progress, len(integrators), _label(names, 0, runs_here), unit="methods") as tick:

        def is_done(k: int, certificate: Certificate) -> None:
            nonlocal done
            done += 1
            tick(done, _label(names, done, runs_here))

        return Certificates(tuple(mapped(workers, one, [(m, drift, seconds) for m in integrators], is_done)))


def _label(names: Sequence[str], done: int, runs_here: bool) -> str:
    """What the progress bar says: the one that is being measured, where one is after the other."""
    if done == len(names) or not runs_here:
        return f"certificates, {done} of {len(names)}"
    return f"certificate {done + 1} of {len(names)}: {names[done]}"


def one(method: Any, drift: bool, seconds: float) -> Certificate:
    """A task. One that does not run has no properties, and a summary that says why; the others are not lost."""
    from polhode.testbench.certificate.certify import certify, form_of

    try:
        return certify(method, drift=drift, seconds=seconds)
    except InputError as error:
        return Certificate(name_of(method), form_of(method), properties={}, summary=f"Nothing was measured: {error}")
