"""Machine code of a Taylor step beside its series: how far they reach, and the state at their end.

Both are vectors of eight, as the state is: between the last coefficient of one expansion and the first of the next
nothing else can be done, so what counts is how long each result is waited for.
"""

from llvmlite import ir

from polhode.integrators.taylor.steps import OFF, TINY
from polhode.machine.taylor.atoms import Atoms
from polhode.machine.taylor.places import F8, I32, I64, V, W, number, whole

BITS = ir.VectorType(I64, W)
FRACTION, ONE = 52, 1023  # of a float: the bits of its fraction, and the exponent of 1
LOG2 = (1.4229, -0.5821, 0.1592)
"""log2(1 + u) is u (a + u (b + u c)) to 1e-3 for 0 <= u <= 1, and exact at both ends."""

EXP2 = (0.66, 0.34)
"""2^u is 1 + u (a + u b) to 3e-3, likewise."""


class Reach(Atoms):
    """Writes reach(series, order, allowed) -> step, move(series, order, s, state) and value(series, order, s, out).

    value sums all coefficients but the first, at s; move adds that to the state.
    """

    series: ir.Value
    function: ir.Function

    def _write_reach(self, order: ir.Value, allowed: ir.Value) -> None:
        """The time in which the last two terms come to 2^allowed; see ``steps.expanded``."""
        b = self.b
        row = lambda n: b.load(self._vector(self.series, b.mul(n, whole(W))), align=8)
        speeds = [self._largest(self._picked(row(whole(n)), (4, 5, 6, 7, 4, 5, 6, 7))) for n in (0, 1)]
        scale = b.fadd(b.fadd(speeds[0], self._call("sqrt.f64", speeds[1])), number(TINY))
        scale = self._everywhere(b.fdiv(number(1.0), scale))
        scale = self._picked(scale, (8, 8, 8, 8, 0, 0, 0, 0), ir.Constant(V, [1.0] * W))
        rooms = []
        for n in (order, b.sub(order, whole(1))):
            term = b.fadd(self._largest(b.fmul(scale, row(n))), number(TINY))
            rooms.append(b.fmul(b.fsub(allowed, self._logarithm(term)), self._inverse(n)))
        least = b.select(b.fcmp_ordered("<", rooms[0], rooms[1]), *rooms)
        b.ret(self._power_of_two(least))

    def _largest(self, x: ir.Value) -> ir.Value:
        """The largest size of eight numbers: that of the largest bits, and what is no number is larger than all."""
        b = self.b
        bits = b.bitcast(self._call("fabs.v8f64", x), BITS)
        for k in (4, 2, 1):
            other = self._picked(bits, tuple((i + k) % W for i in range(W)))
            bits = b.select(b.icmp_signed(">", bits, other), bits, other)
        return b.extract_element(b.bitcast(bits, V), ir.Constant(I32, 0))

    def _logarithm(self, x: ir.Value) -> ir.Value:
        """log2 x to 1e-3, which is plenty for a step: the exponent, and a cubic of the fraction."""
        b = self.b
        bits = b.bitcast(x, I64)
        exponent = b.sitofp(b.sub(b.lshr(bits, whole(FRACTION)), whole(ONE)), F8)
        fraction = b.or_(b.and_(bits, whole(2**FRACTION - 1)), whole(ONE << FRACTION))
        u = b.fsub(b.bitcast(fraction, F8), number(1.0))
        a, c, d = map(number, LOG2)
        return self._fma(u, self._fma(u, self._fma(u, d, c), a), exponent)

    def _power_of_two(self, x: ir.Value) -> ir.Value:
        """2^x to 3e-3, likewise."""
        b = self.b
        below = self._call("floor.f64", x)
        u = b.fsub(x, below)
        a, c = map(number, EXP2)
        part = b.bitcast(self._fma(u, self._fma(u, c, a), number(1.0)), I64)
        return b.bitcast(b.add(part, b.shl(b.fptosi(below, I64), whole(FRACTION))), F8)

    def _write_move(self, order: ir.Value, s: ir.Value, state: ir.Value) -> None:
        """Add the change to the state and what rounding leaves out to the carry; bring q back to length one.

        `state` is followed by the carry. The sum of two numbers and its error are Knuth's.
        """
        b = self.b
        change = self._changed(order, s)
        places = [self._vector(state, whole(k)) for k in (0, W)]
        old, carry = (b.load(place, align=8) for place in places)
        x = b.fadd(change, carry)
        new = b.fadd(old, x)
        added = b.fsub(new, old)
        rest = b.fadd(b.fsub(old, b.fsub(new, added)), b.fsub(x, added))
        square = b.fmul(new, new)
        for pairs in ((1, 0, 3, 2, 4, 5, 6, 7), (2, 3, 0, 1, 4, 5, 6, 7)):
            square = b.fadd(square, self._picked(square, pairs))
        off = b.fsub(b.extract_element(square, ir.Constant(I32, 0)), number(1.0))
        far = b.fcmp_ordered(">", self._call("fabs.f64", off), number(OFF))
        part = b.select(far, b.fmul(off, number(-0.5)), number(0.0))
        parts = self._picked(self._everywhere(part), (0, 0, 0, 0, 8, 8, 8, 8), ir.Constant(V, [0.0] * W))
        y = b.fmul(new, parts)
        length_one = b.fadd(new, y)
        rest = b.fadd(rest, b.fadd(b.fsub(new, length_one), y))
        for place, value in zip(places, (length_one, rest)):
            b.store(value, place, align=8)
        b.ret_void()

    def _write_value(self, order: ir.Value, s: ir.Value, out: ir.Value) -> None:
        """The change over a time s."""
        self.b.store(self._changed(order, s), self._vector(out, whole(0)), align=8)
        self.b.ret_void()

    def _changed(self, order: ir.Value, s: ir.Value) -> ir.Value:
        """Horner's scheme for terms of even and of odd order apart, half the waiting; the order is even."""
        b = self.b
        term = lambda n: b.load(self._vector(self.series, b.mul(n, whole(W))), align=8)
        one, two = self._everywhere(s), self._everywhere(b.fmul(s, s))
        even, odd, below = term(order), term(b.sub(order, whole(1))), b.sub(order, whole(2))
        entry = b.block
        loop, done = (self.function.append_basic_block(x) for x in ("loop", "done"))
        b.branch(loop)
        b.position_at_end(loop)
        n, x, y = b.phi(I64), b.phi(V), b.phi(V)
        for phi, value in ((n, below), (x, even), (y, odd)):
            phi.add_incoming(value, entry)
        more = self._fma(x, two, term(n)), self._fma(y, two, term(b.sub(n, whole(1))))
        before = b.sub(n, whole(2))
        for phi, value in ((n, before), (x, more[0]), (y, more[1])):
            phi.add_incoming(value, loop)
        b.cbranch(b.icmp_signed(">", before, whole(0)), loop, done)
        b.position_at_end(done)
        return self._fma(more[0], two, b.fmul(more[1], one))
