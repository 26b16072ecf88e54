"""What machine code may call: found from the function compiled, and from one list; nothing registers itself."""

import gc
import importlib
import weakref

import pytest
from numba.core.typing.templates import builtin_registry

import polhode as ph
from polhode.kernels import scalar
from polhode.kernels.references import reachable
from polhode.machine import kept_code, overloads
from polhode.machine.by_type import BY_TYPE
from polhode.machine.link_only import LINK_ONLY
from polhode.physics.torques import MOST_RECENT


def test_a_kernel_is_kept_nowhere_once_nobody_holds_it():
    def twice(x):
        return 2 * x

    watched = weakref.ref(ph.kernel(twice))
    del twice
    gc.collect()
    assert watched() is None


@pytest.mark.skipif(not LINK_ONLY, reason="Numba keeps what it has compiled into something else")
def test_a_kernel_that_a_run_has_compiled_is_kept_no_longer_than_that_of_a_few_problems():
    def made(factor=0.125):
        weakened = ph.kernel(lambda x: factor * x)
        p = ph.Problem(inertia=[1, 2, 3], Omega0=[1, 0.1, 0.1], torque=lambda t, Q: (weakened(Q[1, 2]), 0.0, 0.0))
        return p, weakref.ref(weakened)

    p, watched = made()
    assert ph.solve(p, "VLV", h=0.1, t_end=1.0).stats["compiled"] and watched() is not None
    del p
    for k in range(MOST_RECENT):
        made(1.0 + k)
    gc.collect()
    assert watched() is None


def implementations():
    """What machine/ says to Numba of functions that are other code for each type, but for kernels from their source."""
    for _, kind in builtin_registry.globals:
        for template in getattr(kind, "templates", ()):
            f = getattr(template, "_overload_func", None)
            if (getattr(f, "__module__", None) or "").startswith("polhode.machine") and "jitable" not in f.__qualname__:
                yield f


def test_the_list_has_every_kernel_that_implementations_call():
    for module in ("overloads", "holding", "lanes", "lanes.quadrature"):
        importlib.import_module(f"polhode.machine.{module}")
    assert len(list(implementations())) > 30
    called = {f for f in reachable(implementations()) if f.__module__.startswith("polhode.kernels.")}
    assert called - BY_TYPE <= set(overloads.CALLED_BY_IMPLEMENTATIONS)


def test_what_one_body_does_in_lanes_is_compiled_with_its_kernel():
    def alone_part(x):
        return x

    def part(x):
        return x

    def whole(x):
        return part(x)

    scalar.alone(part, alone_part)
    assert set(kept_code.callees(whole)) == {part, alone_part}
    assert scalar.done_alone(part) is alone_part and scalar.done_alone(whole) is None
