"""Certificates of many integrators, shown together."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polhode.errors import InputError, one_line
from polhode.shown import shown
from polhode.testbench.certificate.certificate import Certificate


@dataclass(frozen=True)
class Certificates(Sequence[Any]):
    """Certificates in the order of the methods given: by place, or by name, `c["VLV"]["symmetric"].verdict`."""

    certificates: tuple[Certificate, ...]
    interrupted: tuple[str, ...] = ()  # the names of those that a Ctrl-C left out

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
        return {"certificates": [c.to_dict() for c in self], "interrupted": list(self.interrupted)}

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write them as one page, certificates.html, or as data, certificates.json; returns the path."""
        return shown("certificates, a file", self, path)

    def table(self) -> Any:
        """A rich table for the terminal: a column for each method."""
        return shown("certificates, a table", self)

    def _repr_html_(self) -> str:
        return shown("certificates, a card", self)
