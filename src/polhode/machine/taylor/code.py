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

from typing import Any

from llvmlite import ir

from polhode.integrators.taylor.formula import TIME
from polhode.integrators.taylor.recurrences import Recurrences
from polhode.machine.taylor.places import F8, I64, MOST_ORDER, PEELED, Factors, Places, V, Values, W, number, whole
from polhode.machine.taylor.reach import Reach

NOTHING = ir.VoidType()
Q_LEFT, Q_RIGHT = (1, 0, 0, 0, 2, 2, 3, 1), (4, 4, 5, 6, 5, 6, 4, 5)
Q_SIGNS = (-0.5, 0.5, 0.5, 0.5, -0.5, 0.5, 0.5, 0.5)
G_LEFT, G_RIGHT = (3, 3, 1, 2, 5, 6, 4, 7), (6, 5, 6, 4, 6, 4, 5, 7)


class Jet(Reach):
    """Writes jet(y, t, order, data, work, series), and beside it the functions of ``Reach``.

    jet makes the coefficients 0 to `order` of the state, at least four, in rows of eight.
    """

    def __init__(self, r: Recurrences) -> None:
        self.r, self.places = r, Places(r)
        self.width = len(self.places.lanes)
        self.late = dict.fromkeys(range(TIME + 1), 0)
        for when, what in enumerate(r.plan, 1):
            self.late |= dict.fromkeys((what,) if isinstance(what, int) else what.atoms, when)
        self.module = ir.Module(name="taylor")
        table = ir.ArrayType(F8, MOST_ORDER + 1)
        self.inverses = ir.GlobalVariable(self.module, table, name="inverses")
        self.inverses.global_constant, self.inverses.linkage = True, "private"
        self.inverses.initializer = ir.Constant(table, [0.0, *(1 / n for n in range(1, MOST_ORDER + 1))])
        self.y, self.t, self.order, self.data, self.work, self.series = self._function("jet", "pdippp", NOTHING)
        self._write_jet()
        for name, arguments, write, result in (
            ("value", "pidp", self._write_value, NOTHING),
            ("reach", "pid", self._write_reach, F8),
            ("move", "pidp", self._write_move, NOTHING),
        ):
            self.series, *rest = self._function(name, arguments, result)
            write(*rest)

    def _function(self, name: str, arguments: str, result: ir.Type) -> tuple[Any, ...]:
        kinds = [{"p": F8.as_pointer(), "d": F8, "i": I64}[x] for x in arguments]
        self.function = ir.Function(self.module, ir.FunctionType(result, kinds), name=name)
        self.function.attributes.add("nounwind")
        for argument, kind in zip(self.function.args, arguments):
            if kind == "p":
                argument.add_attribute("noalias")
        self.b = ir.IRBuilder(self.function.append_basic_block("entry"))
        return self.function.args

    # ---- the whole -------------------------------------------------------------------------------------------

    def _write_jet(self) -> None:
        """Orders 0 to 3 one by one, the others in a loop."""
        b = self.b
        rows = range(len(self.r.data))
        self.numbers = [b.load(self._vector(self.data, whole(W * i)), align=8) for i in rows]
        state = b.load(self._vector(self.y, whole(0)), align=8)
        self.values: list[Values] = []
        for n in range(PEELED):
            b.store(state, self._vector(self.series, whole(W * n)), align=8)
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
        sums = self._sums(state)
        values = self._values(state, sums)
        self.values.append(values)
        self._other_factors(values)
        return self._next(values, sums)

    def _kept(self) -> list[int]:
        """The atoms of which the coefficient before is needed: factors of lanes, and what turns."""
        lanes = [self.places.lanes[k] for k in self.places.other]
        return sorted({i for lane in lanes if lane for i in (lane.a, lane.b)} | set(self.r.turns))

    # ---- where numbers lie -----------------------------------------------------------------------------------

    def _factor(self, row: ir.Value, side: int, lane: int) -> ir.Value:
        return self.b.load(self._vector(self.work, self._place(row, side, lane)), align=8)

    # ---- the state -------------------------------------------------------------------------------------------

    def _state_factors(self, state: ir.Value) -> Factors:
        """The factors of order n in the lanes that are products of the state, by lane and side, without signs."""
        found = {
            (0, 0): self._picked(state, Q_LEFT),
            (0, 1): self._picked(state, Q_RIGHT),
            (W, 0): self._picked(state, G_LEFT),
            (W, 1): self._picked(state, G_RIGHT),
        }
        for v in range(self.places.simple.start, self.places.simple.stop, W):
            lanes = self.places.lanes[v : v + W]
            for side in (0, 1):
                places = tuple((lane.b if side else lane.a) if lane else 7 for lane in lanes)
                found[v, side] = self._picked(state, places)
        return found

    def _signed(self, v: int, factor: ir.Value) -> ir.Value:
        """A factor of a lane of free motion times what stands before the product; others as they are."""
        if v > W:
            return factor
        return self.b.fmul(factor, self.numbers[0] if v else ir.Constant(V, list(Q_SIGNS)))

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

    def _sums(self, state: ir.Value) -> Values:
        """The sums of A_j B_(n-j), of every vector of lanes, but for what is not known yet in lanes beyond the state's.

        There the terms 0, 1, n - 1, n are added when they are known: what has just been stored as numbers is slow to
        load as a vector. What comes last, the terms with the state of order n, is added last, so that nothing waits
        for it but two sums.
        """
        n, last = self.known, self._state_factors(state)
        middle = self._looped() if n is None else {}
        vectors = range(0, self.places.simple.stop, W)
        signed = {v: self._signed(v, last[v, 0]) for v in vectors}
        if n == 0:
            self.first = last | {(v, 2): self._signed(v, last[v, 1]) for v in vectors}
            self.first |= {(v, 0): signed[v] for v in vectors}
            found = {v: self.b.fmul(signed[v], last[v, 1]) for v in vectors}
        else:
            found = middle | {v: self._ended(v, middle.get(v), last) for v in vectors}
        if n == 1:
            self.second = last | {(v, 0): signed[v] for v in vectors}
        for v in vectors:
            for side, value in ((0, signed[v]), (1, last[v, 1])):
                self.b.store(value, self._vector(self.work, self._place(self.n, side, v)), align=8)
        return found

    def _ended(self, v: int, total: ir.Value | None, last: Factors) -> ir.Value:
        """The terms 1, n - 1, 0, n, added to those between them."""
        if self.known != 1:
            before = self.b.sub(self.n, whole(1))
            total = self._plus(self.second[v, 0], self._factor(before, 1, v), total)
            if self.known != 2:
                total = self._plus(self._factor(before, 0, v), self.second[v, 1], total)
        total = self._plus(self.first[v, 0], last[v, 1], total)
        return self._plus(last[v, 0], self.first[v, 2], total)

    def _looped(self) -> Values:
        """The terms 2 ... n - 2."""
        b = self.b
        vectors = range(0, self.width, W)
        zeros = ir.Constant(V, [0.0] * W)
        before, stop = b.block, b.sub(self.n, whole(2))
        loop, after = (self.function.append_basic_block(x) for x in ("sums", "summed"))
        b.branch(loop)
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
        return dict(zip(vectors, more))
