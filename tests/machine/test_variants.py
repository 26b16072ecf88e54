"""What is compiled for a kernel depends on the kernel and the types it is called with, not on what came before."""

import subprocess
import sys

import pytest

import polhode as ph
from polhode.kernels import rotations, step
from polhode.machine import half_blocks, variants
from polhode.machine.lanes import WIDTH, Lanes

BLOCK = (Lanes(WIDTH),)


@pytest.mark.parametrize("name", [*ph.methods(), "VLV/KL8", "SR2/S4"])
def test_a_step_is_never_halved_as_a_whole(name):
    m = ph.method(name)
    for kernel in (m.step, m.start):
        assert half_blocks.halved(kernel, BLOCK) is None


def test_kernels_inside_a_step_are_halved_and_those_that_say_so_are_not():
    assert half_blocks.halved(rotations.compose, BLOCK) is not None
    assert half_blocks.halved(rotations.compose, (Lanes(WIDTH // 2),)) is None  # half a block already
    assert half_blocks.halved(step.torque_at, BLOCK) is None
    assert variants.chosen(rotations.compose, (Lanes(WIDTH // 2),)) is rotations.compose


PROGRAM = """
import numpy as np, polhode as ph, re, sys
from polhode.machine import compile
for name in sys.argv[1:]:
    ph.solve_ensemble("stress", name, Omega0=np.full((32, 3), 0.3), h=0.1, n_steps=2, threads=1)
(code,) = [x for (name, *_), x in compile.KEPT.items() if name.startswith("blocks") and "composed" in name]
text = "".join(code.inspect_asm().values())
print(len(re.findall("^\\t[a-z]", text, re.MULTILINE)), len(re.findall("zmm|ymm|v[0-9]+[.]2d", text)))
"""


def test_a_composed_method_is_the_same_code_whether_its_base_was_compiled_before_or_not(tmp_path, monkeypatch):
    seen = []
    for k, names in enumerate((["VLV/S4"], ["VLV", "VLV/S4"])):
        monkeypatch.setenv("POLHODE_CACHE", str(tmp_path / str(k)))
        done = subprocess.run([sys.executable, "-c", PROGRAM, *names], capture_output=True, text=True, check=True)
        seen.append(done.stdout)
    assert seen[0] == seen[1]
