"""What is compiled for a kernel depends on the kernel and the types it is called with, not on what came before."""

import pytest

import polhode as ph
from polhode.kernels import rotations, step
from polhode.machine import variants
from polhode.machine.lanes import WIDTH, Lanes, half_blocks

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
