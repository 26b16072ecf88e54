"""Machine code of a Taylor series: the recurrences of one problem, to any order.

LLVM instructions are written directly, because what makes them fast is where each number lies. The sums over j of all
recurrences of one order are taken together, in vectors of eight numbers: row j of a table holds the left factors of
every lane, another the right ones, and a number stands in every place where it is a factor. The state is one vector,
(w, x, y, z, a, b, c, 0), and its products are made from it by permutations; the first sixteen lanes are

    q' = q Omega/2:           (-x, w, w, w) (a, a, b, c),  (-y, y, z, x) (b, c, a, b),  (-z, -z, -x, -y) (c, b, c, a)
    J Omega' = J Omega x Omega:   (b, c, a) (c, a, b)

What depends on products of the state, the torque, follows in scalars; the first and last term of their sums are added
there, as soon as they are known. The order is an argument, so that there is one short code for all, made in a fraction
of a second and kept on disk like all machine code.
"""

from llvmlite import ir

from polhode.integrators.taylor.recurrences import Recurrences
from polhode.machine.taylor_atoms import Atoms
from polhode.machine.taylor_places import F8, I64, MOST_ORDER, PEELED, Factors, Places, V, Values, W, number, whole

Q_LEFT, Q_RIGHT = (1, 0, 0, 0, 2, 2, 3, 1), (4, 4, 5, 6, 5, 6, 4, 5)
Q_SIGNS = (-0.5, 0.5, 0.5, 0.5, -0.5, 0.5, 0.5, 0.5)
G_LEFT, G_RIGHT = (3, 3, 1, 2, 5, 6, 4, 7), (6, 5, 6, 4, 6, 4, 5, 7)


class Jet(Atoms):
    """Writes jet(y, t, order, data, work, series) and value(series, order, s, out).

    jet makes the coefficients 0 to `order` of the state, in rows of eight; value sums all but the first, at s.
    """

    def __init__(self, r: Recurrences) -> None:
        self.r, self.places = r, Places(r)
        self.width = len(self.places.lanes)
        self.module = ir.Module(name="taylor")
        table = ir.ArrayType(F8, MOST_ORDER + 1)
        self.inverses = ir.GlobalVariable(self.module, table, name="inverses")
        self.inverses.global_constant, self.inverses.linkage = True, "private"
        self.inverses.initializer = ir.Constant(table, [0.0, *(1 / n for n in range(1, MOST_ORDER + 1))])
        self.y, self.t, self.order, self.data, self.work, self.series = self._function("jet", "pdippp")
        self._write_jet()
        self.series, order, s, out = self._function("value", "pidp")
        self._write_value(order, s, out)

    def _function(self, name: str, arguments: str) -> tuple:
        kinds = [{"p": F8.as_pointer(), "d": F8, "i": I64}[x] for x in arguments]
        self.function = ir.Function(self.module, ir.FunctionType(ir.VoidType(), kinds), name=name)
        self.function.attributes.add("nounwind")
        for argument, kind in zip(self.function.args, arguments):
            if kind == "p":
                argument.add_attribute("noalias")
        self.b = ir.IRBuilder(self.function.append_basic_block("entry"))
        return self.function.args

    # ---- the whole -------------------------------------------------------------------------------------------

    def _write_jet(self) -> None:
        """Orders 0, 1, 2 one by one, the others in a loop."""
        b = self.b
        rows = range(len(self.r.data))
        self.numbers = [b.load(self._vector(self.data, whole(W * i)), align=8) for i in rows]
        state = b.load(self._vector(self.y, whole(0)), align=8)
        self.values: list[Values] = []
        self.factors: list[Factors] = []
        for n in range(PEELED):
            state = self._order(whole(n), n, state)
        entry = b.block
        head, body, done = (self.function.append_basic_block(x) for x in ("head", "body", "done"))
        b.branch(head)
        b.position_at_end(head)
        n, now = b.phi(I64), b.phi(V)
        kept = self._kept()
        before = {i: b.phi(F8) for i in kept}
        starts = (whole(PEELED), state, *(self.values[-1][i] for i in kept))
        for phi, value in zip((n, now, *before.values()), starts):
            phi.add_incoming(value, entry)
        b.store(now, self._vector(self.series, b.mul(n, whole(W))), align=8)
        b.cbranch(b.icmp_signed("<", n, self.order), body, done)
        b.position_at_end(body)
        self.values = [*self.values[:2], before]
        after = self._order(n, None, now)
        ends = (b.add(n, whole(1)), after, *(self.values[-1][i] for i in kept))
        for phi, value in zip((n, now, *before.values()), ends):
            phi.add_incoming(value, b.block)
        b.branch(head)
        b.position_at_end(done)
        b.ret_void()

    def _order(self, n: ir.Value, known: int | None, state: ir.Value) -> ir.Value:
        """All coefficients of order n, and that of the state of order n + 1; `known` is n where it is a number."""
        self.n, self.known = n, known
        self.scale = number(1 / known if known else 0.0) if known is not None else self._inverse(n)
        if known is not None:
            self.b.store(state, self._vector(self.series, whole(W * known)), align=8)
        here = self._state_factors(state)
        sums = self._sums(here)
        if known is not None:
            self.factors.append(here)
        values = self._values(state, sums)
        self.values.append(values)
        self._other_factors(values)
        return self._next(values, sums)

    def _kept(self) -> list[int]:
        """The atoms of which the coefficient before is needed: factors of lanes, and what turns."""
        lanes = [self.places.lanes[k] for k in self.places.other]
        return sorted({i for lane in lanes if lane for i in (lane.a, lane.b)} | set(self.r.turns))

    def _write_value(self, order: ir.Value, s: ir.Value, out: ir.Value) -> None:
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
        b.store(self._fma(more[0], two, b.fmul(more[1], one)), self._vector(out, whole(0)), align=8)
        b.ret_void()

    # ---- where numbers lie -----------------------------------------------------------------------------------

    def _vector(self, base: ir.Value, place: ir.Value) -> ir.Value:
        return self.b.bitcast(self.b.gep(base, [place]), V.as_pointer())

    def _factor(self, row: ir.Value, side: int, lane: int) -> ir.Value:
        return self.b.load(self._vector(self.work, self._place(row, side, lane)), align=8)

    def _inverse(self, n: ir.Value) -> ir.Value:
        return self.b.load(self.b.gep(self.inverses, [whole(0), n]))

    # ---- the state -------------------------------------------------------------------------------------------

    def _state_factors(self, state: ir.Value) -> Factors:
        """The factors of order n in the lanes that are products of the state, by lane and side; stored, too."""
        found = {
            (0, 0): self.b.fmul(self._picked(state, Q_LEFT), ir.Constant(V, list(Q_SIGNS))),
            (0, 1): self._picked(state, Q_RIGHT),
            (W, 0): self.b.fmul(self._picked(state, G_LEFT), self.numbers[0]),
            (W, 1): self._picked(state, G_RIGHT),
        }
        for v in range(self.places.simple.start, self.places.simple.stop, W):
            lanes = self.places.lanes[v : v + W]
            for side in (0, 1):
                places = tuple((lane.b if side else lane.a) if lane else 7 for lane in lanes)
                found[v, side] = self._picked(state, places)
        for (v, side), value in found.items():
            self.b.store(value, self._vector(self.work, self._place(self.n, side, v)), align=8)
        return found

    def _next(self, values: Values, sums: Values) -> ir.Value:
        """Coefficient n + 1 of the state, from the rates of order n."""
        b = self.b
        free = b.fadd(sums[0], self._picked(sums[0], (4, 5, 6, 7, 7, 7, 7, 7)))
        turn = b.fadd(free, sums[W])
        rates = self._picked(turn, (0, 1, 2, 3, 12, 13, 14, 15), sums[W])
        torque = self._summed(self.r.rates, len(self.r.data) - 1 - len(self.r.rates.of), values)
        rates = b.fadd(rates, torque)
        if self.known is not None:
            return b.fmul(rates, ir.Constant(V, [1 / (self.known + 1)] * W))
        return b.fmul(rates, self._everywhere(self._inverse(b.add(self.n, whole(1)))))

    # ---- sums over j -----------------------------------------------------------------------------------------

    def _sums(self, here: Factors) -> Values:
        """The sums of A_j B_(n-j), of every vector of lanes, but for what is not known yet in lanes beyond the state's.

        There the terms 0, 1, n - 1, n are added when they are known: what has just been stored as numbers is slow to
        load as a vector.
        """
        n = self.known
        if n == 0:
            return {v: self.b.fmul(here[v, 0], here[v, 1]) for v in range(0, self.places.simple.stop, W)}
        ends = {}
        for v in range(0, self.places.simple.stop, W):
            first, last = self.factors[0], here
            total = self._fma(last[v, 0], first[v, 1], self.b.fmul(first[v, 0], last[v, 1]))
            if n != 1:
                one = self.factors[1]
                near = [self._factor(self.b.sub(self.n, whole(1)), side, v) for side in (0, 1)] if n is None else None
                total = self._fma(one[v, 0], near[1] if near else one[v, 1], total)
                total = self._fma(near[0], one[v, 1], total) if near else total
            ends[v] = total
        return ends if n is not None else self._looped(ends)

    def _looped(self, ends: Values) -> Values:
        """The terms 2 ... n - 2, added to those at the ends; two at a time, to wait less."""
        b = self.b
        vectors = range(0, self.width, W)
        zeros = ir.Constant(V, [0.0] * W)
        before, stop = b.block, b.sub(self.n, whole(2))
        loop, after = (self.function.append_basic_block(x) for x in ("sums", "summed"))
        b.cbranch(b.icmp_signed("<=", whole(2), stop), loop, after)
        b.position_at_end(loop)
        j = b.phi(I64)
        totals = [b.phi(V) for _ in vectors]
        j.add_incoming(whole(2), before)
        for phi in totals:
            phi.add_incoming(zeros, before)
        other = b.sub(self.n, j)
        more = [self._fma(self._factor(j, 0, v), self._factor(other, 1, v), phi) for v, phi in zip(vectors, totals)]
        following = b.add(j, whole(1))
        j.add_incoming(following, loop)
        for phi, value in zip(totals, more):
            phi.add_incoming(value, loop)
        b.cbranch(b.icmp_signed("<=", following, stop), loop, after)
        b.position_at_end(after)
        result = {}
        for v, value in zip(vectors, more):
            total = b.phi(V)
            total.add_incoming(zeros, before)
            total.add_incoming(value, loop)
            result[v] = total
        return {v: b.fadd(x, ends[v]) if v in ends else x for v, x in result.items()}
