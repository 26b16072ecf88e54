"""The rules by which a name becomes a method: one place, for `polhode.method` and for the command line.

A name is, in this order,

1. the name, an alias or the title of a method of the catalogue, however it is spelled (`inputs.spelled`: capitals,
   spaces, dashes, accents, brackets, a word such as "method" behind it);
2. the name of a class of methods, which stands for the member that the papers take (`STANDS_FOR`);
3. a method with numbers in its name: "DMV14", "DMV8*10", "ALGO_0(1/4, 0.6)" (`WITH_NUMBERS`);
4. a composition, "VLV/KL8": any of these, and behind a slash a scheme.
"""

import difflib
import functools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from polhode.errors import InputError, one_line
from polhode.inputs import spelled
from polhode.integrators.gauss import gauss
from polhode.integrators.magnus import jem
from polhode.integrators.method import Method
from polhode.integrators.modified_midpoint import imr
from polhode.integrators.newmark import newmark
from polhode.integrators.preprocessed import dmv
from polhode.integrators.simo_wong import simo_wong
from polhode.integrators.splitting import sr
from polhode.integrators.time_transformed import time_transformed
from polhode.integrators.trapezoidal import trapezoidal

MOST_CHARACTERS = 100
"""Of a name that is taken apart: compositions of compositions, but no endless ones."""

STANDS_FOR = {
    "Variational": "VLV",  # a row of Ortolan & Saccon's Table I: any discrete variational principle
    "RKMK": "RKMK4",  # any tableau; the classical one
    "MKRK": "RKMK4",
    "Runge-Kutta-Munthe-Kaas": "RKMK4",
    "Crouch-Grossman": "CG4",
    "Koziara-Bicanic": "NEW3",  # the heading of Ortolan & Saccon, section 5.6
    "partitioned Runge-Kutta-Munthe-Kaas": "PRK",
}


@dataclass(frozen=True)
class WithNumbers:
    """Methods with numbers in their names: how the name is written, and what makes the method."""

    example: str
    pattern: str  # of the name in small letters, without spaces
    make: Callable[..., Method]  # of the groups of the pattern


WHOLE, NUMBER = r"(\d+)", r"([-+.\d/e]+)"


def _optional(make: Callable[..., Method], **keywords: Callable[[str], Any]) -> Callable[..., Method]:
    """A maker of an order and of what else the name says; what it does not say is left out."""

    def made(order: str, *rest: str | None) -> Method:
        more = {key: read(x) for (key, read), x in zip(keywords.items(), rest) if x is not None}
        return make(int(order), **more)

    return made


WITH_NUMBERS = (
    WithNumbers("DMV14, DMV8*10", rf"dmv{WHOLE}(?:\*{WHOLE})?", _optional(dmv, substeps=int)),
    WithNumbers("DMV-TT8, DMV-TT8+Q", rf"dmv-?tt{WHOLE}(\+q)?", _optional(time_transformed, complete=bool)),
    WithNumbers("IMR8", rf"imr{WHOLE}", _optional(imr)),
    WithNumbers("JEM6", rf"jem{WHOLE}", _optional(jem)),
    WithNumbers("SR8", rf"sr{WHOLE}", _optional(sr)),
    WithNumbers("GAUSS12", rf"gauss{WHOLE}", _optional(gauss)),
    WithNumbers("ALGO_0(1/4, 0.6)", rf"(?:algo[-_]?0|newmark)\({NUMBER},{NUMBER}\)", newmark),
    WithNumbers("NMB(0.6)", rf"nmb\({NUMBER}\)", functools.partial(newmark, 0, transport=True)),
    WithNumbers("SW(1)", rf"sw\({NUMBER}\)", simo_wong),
    WithNumbers("TRAPM(0.3)", rf"(?:trapm|dyneq_trapm_zeta)\({NUMBER}\)", trapezoidal),
)


def from_numbers(name: str) -> Method | None:
    """The method with numbers in its name, or None if the name is none of these."""
    text = re.sub(r"\s", "", name.translate(DASHES)).lower()
    for form in WITH_NUMBERS:
        match = re.fullmatch(form.pattern, text) if len(text) < MOST_CHARACTERS else None
        if match:
            return _made(form, match.groups())
    return None


@functools.lru_cache(256)
def _made(form: WithNumbers, numbers: tuple[str, ...]) -> Method:
    """The method, once: series of a high order take their time."""
    return form.make(*numbers)


DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"))
"""The dashes of print, all of them as the one on a keyboard."""


def spellings(methods: Iterable[Method]) -> dict[str, Method]:
    """Methods by everything they are called, as `spelled`: names before aliases, these before titles."""
    methods = list(methods)
    by_spelling: dict[str, Method] = {}
    for names in (lambda m: (m.name,), lambda m: m.aliases, lambda m: (m.title,)):
        for m in methods:
            for name in names(m):
                by_spelling.setdefault(spelled(name), m)
    for name, member in STANDS_FOR.items():
        by_spelling.setdefault(spelled(name), by_spelling[spelled(member)])
    by_spelling.pop("", None)
    return by_spelling


def not_found(name: str, by_spelling: dict[str, Method]) -> InputError:
    """The error for a name that no rule finds: the nearest names, or, where none is near, all of them by family.

    A name is near only if it has the same numbers: ALGO_C1 is no misspelling of ALGO_C3 but another method.
    """
    key = spelled(name[:200])
    digits = lambda text: re.findall(r"\d+", text)
    near = difflib.get_close_matches(key, [k for k in by_spelling if digits(k) == digits(key)], n=3, cutoff=0.6)
    families: dict[str, dict[str, None]] = {}
    for m in by_spelling.values():
        families.setdefault(m.family, {})[m.name] = None
    said = f"There is no method {one_line(name)}."
    if near:
        meant = " or ".join(dict.fromkeys(repr(by_spelling[k].name) for k in near))
        all_of_them = f"all {sum(map(len, families.values()))} of the catalogue"
        return InputError(f"{said} Did you mean {meant}? ph.methods() and polhode list methods name {all_of_them}.")
    families["with numbers"] = dict.fromkeys(form.example for form in WITH_NUMBERS)
    return InputError("\n  ".join([f"{said} Known are", *(f"{k}: {', '.join(x)}" for k, x in families.items())]))
