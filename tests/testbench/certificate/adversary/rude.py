"""Right integrators that behave badly: one panics, one catches what should end it, and a kernel does not normalise its
quaternion."""

from tests.support.lengths import lengthened
from tests.testbench.certificate.adversary.third import right


class Panic(BaseException):
    """As PyO3 raises it, where a library in Rust panics: no Exception."""


def panics_when_large(p, Q, Omega, h, t):
    """A library in Rust with an assertion on the size of a step."""
    if abs(h) * (Omega @ Omega).real ** 0.5 > 1.0:
        raise Panic("assertion failed: angle < 1.0")
    return right(p, Q, Omega, h, t)


def tries_for_ever(p, Q, Omega, h, t):
    """Large steps are tried again and again, whatever ends them."""
    while abs(h) > 0.5:
        try:
            sum(range(1000))
        except:  # noqa: E722
            sum(range(1000))
    return right(p, Q, Omega, h, t)


longer_and_longer = lengthened(1.001)
of_length_one = lengthened(1.0)
