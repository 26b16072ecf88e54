"""The bits of the catalogue: what runs is, to the last bit, what ran before, and what the interpreter runs."""

import importlib.util
import json
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
STORED = ROOT / "tests" / "data" / "bits.json"
METHODS = ("VLV", "ELN", "NMB", "RKMK4", "SR4", "EXACT", "AKW")
"""A few ideas that share little code; `scripts/bits.py --compare` does all."""


def script():
    spec = importlib.util.spec_from_file_location("bits", ROOT / "scripts" / "bits.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BITS = script()


@pytest.fixture(scope="module")
def stored():
    return json.loads(STORED.read_text())


@pytest.fixture(scope="module", params=METHODS)
def bits(request):
    return {f"{request.param} {what}": digest for what, digest in BITS.of_method(request.param)}


def test_machine_code_gives_the_bits_of_the_interpreter(bits):
    few = {what.split(":")[0]: digest for what, digest in bits.items() if what.endswith(f":{BITS.FEW_STEPS}")}
    plain = {what.split(":")[0]: digest for what, digest in bits.items() if what.endswith(":interpreted")}
    assert len(few) == 1 and few == plain


def test_the_bits_are_those_stored(bits, stored):
    if BITS.machine() not in stored["machines"]:
        pytest.skip(f"the digests were made on other kinds of machines: this is {BITS.machine()}")
    assert [what for what in bits if BITS.changed(stored, bits, what)] == []


def test_the_stored_digests_are_whole(stored):
    assert stored["total"] == BITS.total(stored["bits"])
    assert {what.split(" ")[0] for what in stored["bits"]} == set(BITS.ph.methods())


def test_a_changed_bit_changes_the_digest():
    import numpy as np

    class Run:
        t, Q, Omega, success = np.zeros(1), np.eye(3)[None], np.zeros((1, 3)), True

    class Other(Run):
        Omega = np.array([[0.0, 0.0, 5e-324]])

    assert BITS._digest(Run) != BITS._digest(Other)
