"""The guide to the certificate lists the properties that there are, and quotes what is printed."""

import pathlib
import re

import numpy as np
import pytest

from polhode.integrators.properties import PROPERTIES
from polhode.testbench.certificate.diagnosis.oddities import LEFT_HANDED
from polhode.testbench.certificate.outside.measurements import CHOOSES, diagnosis_of
from polhode.testbench.certificate.running.character import JUMP, MEMORY, Character
from polhode.testbench.certificate.running.look import Look

DOCS = pathlib.Path(__file__).parents[2] / "docs"
CERTIFY = (DOCS / "certify.md").read_text(encoding="utf-8")


def test_the_table_of_keys_is_that_of_the_properties():
    listed = re.findall(r"^\| `(\w+)` \| ([^|]+) \| (order|yes or no|rate|number) \|$", CERTIFY, flags=re.MULTILINE)
    assert listed == [(row.key, row.title, row.kind) for row in PROPERTIES]


def stays(problem, Q, Omega, h, t):
    return Q, Omega


def peculiar(step=stays, **what):
    """What is printed of an integrator that is peculiar in this way."""
    look = Look(step)
    for name, value in what.items():
        setattr(look, name, value)
    return diagnosis_of(look, {}, {}, None)


PRINTED = {
    "memory": peculiar(character=Character(memory=2e-4)),
    "noise": peculiar(character=Character(noise=3e-9)),
    "single precision": peculiar(character=Character(single=True)),
    "jumps": peculiar(character=Character(jump=1e-6)),
    "steps of its own": (CHOOSES,),
    "-h not honoured": peculiar(character=Character(forward_only=True)),
    "kind not known": peculiar(
        character=Character(unknown=((MEMORY, "it did not return within 5 s"), (JUMP, "there was no time to ask")))
    ),
    "changed while it was measured": peculiar(changed=4e-3),
    "no longer running": peculiar(stopped="raised StopIteration at h = 0.11"),
    "another formula for large steps": peculiar(switches="beyond 1 rad a step, as seen at a generic state"),
    "wrong at some states": peculiar(
        differs={("free", "with moments in another order"): "one step is off by 4.1% of its turn"}
    ),
    "left-handed axes": (LEFT_HANDED,),
    "a time of its own": peculiar(later=["slow"]),
    "no result at some states": peculiar(fails={("forced", "at rest"): "raised ZeroDivisionError at h = 0.11"}),
    "a free body at rest": peculiar(lambda problem, Q, Omega, h, t: (Q, Omega / np.linalg.norm(Omega))),
    "branches of its own text that no state takes": peculiar(not_taken=["`abs(a) < 1e-12` in line 23 is true"]),
}


@pytest.mark.parametrize("what", PRINTED)
def test_a_peculiarity_is_quoted_as_it_is_printed(what):
    (sentence,) = PRINTED[what]
    (quoted,) = re.findall(rf'^- \*\*{what}\*\*[^"]*: "([^"]*)"', CERTIFY, flags=re.MULTILINE)
    assert " ".join(quoted.split()) == sentence


def test_every_peculiarity_of_the_page_is_known():
    part = CERTIFY.partition("### Peculiarities")[2].partition("\n## ")[0]
    assert re.findall(r"^- \*\*(.*?)\*\*", part, flags=re.MULTILINE) == list(PRINTED)


def test_no_paragraph_of_how_it_is_measured_is_long():
    for name in ("measurement.md", "validation.md"):
        paragraphs = re.split(r"\n\n|\n(?=- )", (DOCS / name).read_text(encoding="utf-8"))
        assert max(len(p.splitlines()) for p in paragraphs if not p.startswith("|")) <= 8
