"""Machine code of the atoms of a torque, coefficient by coefficient: products, powers, exponentials, sines.

Each is a scalar: a sum over j, taken in vectors (``code.py``), and the terms of it that are known only now.
"""

import functools

from llvmlite import ir

from polhode.integrators.taylor.formula import TIME, Atom
from polhode.integrators.taylor.recurrences import Recurrences, Sums
from polhode.machine.taylor.places import F8, I32, Factors, Places, V, Values, W, number, whole


class Atoms:
    """Writes the coefficients of the atoms; ``code.Jet`` is the rest."""

    r: Recurrences
    places: Places
    module: ir.Module
    b: ir.IRBuilder
    n: ir.Value  # the order
    known: int | None  # the order, where it is a number
    scale: ir.Value  # 1/n
    t: ir.Value
    work: ir.Value
    numbers: list[ir.Value]  # the rows of data
    values: list[Values]  # of atoms, by order: 0, 1, and the one before
    first: Factors  # of the state, of order 0; side 2 is the right one with its sign
    second: Factors  # of order 1
    late: dict[int, int]  # of each atom, when it is known
    width: int
    inverses: ir.GlobalVariable  # 1/n

    def _values(self, state: ir.Value, sums: Values) -> Values:
        """Coefficient n of every atom."""
        values: Values = {i: self.b.extract_element(state, ir.Constant(I32, i)) for i in range(TIME)}
        values[TIME] = self.t if self.known == 0 else number(1.0 if self.known == 1 else 0.0)
        at = 1
        for what in self.r.plan:
            if isinstance(what, Sums):
                vector = self._summed(what, at, values)
                at += 1 + len(what.of)
                for k, i in enumerate(what.atoms):
                    values[i] = self.b.extract_element(vector, ir.Constant(I32, k))
            elif self.known == 0:
                values[what] = self._start(self.r.atoms[what], values)
            elif what in self.r.turns:
                values[what] = self._turn(what)
            else:
                values[what] = self._coefficient(what, values, sums)
        return values

    def _start(self, atom: Atom, values: Values) -> ir.Value:
        x = values[atom.of[0]]
        if atom.kind == "mul":
            return self.b.fmul(x, values[atom.of[1]])
        return self._power(x, atom.number) if atom.kind == "pow" else self._call(f"{atom.kind}.f64", x)

    def _power(self, x: ir.Value, p: float) -> ir.Value:
        """x^p: by a root and products if it is a small number of halves."""
        if 2 * p != int(2 * p) or abs(p) > 16:
            return self._call("pow.f64", x, number(p))
        whole, square = int(abs(p)), x
        factors = [self._call("sqrt.f64", x)] if abs(p) != whole else []
        while whole:
            factors += [square] if whole & 1 else []
            whole >>= 1
            square = self.b.fmul(square, square) if whole else square
        result = functools.reduce(self.b.fmul, factors)
        return self.b.fdiv(number(1.0), result) if p < 0 else result

    def _turn(self, i: int) -> ir.Value:
        """Sine and cosine of k t + d."""
        atom = self.r.atoms[i]
        (other,) = (k for k in self.r.turns if k != i and self.r.atoms[k].of == atom.of)
        k = number(1.0)
        if atom.of[0] != TIME:
            at = 1
            for what in self.r.plan:
                if isinstance(what, Sums):
                    if atom.of[0] in what.atoms:
                        column = self.numbers[at + 1 + what.of.index(TIME)]
                        k = self.b.extract_element(column, ir.Constant(I32, what.atoms.index(atom.of[0])))
                    at += 1 + len(what.of)
        value = self.b.fmul(self.b.fmul(k, self.scale), self.values[-1][other])
        return value if atom.kind == "sin" else self.b.fneg(value)

    def _coefficient(self, i: int, values: Values, sums: Values) -> ir.Value:
        """Coefficient n > 0 of an atom, from sums to which the terms that are known only now are added."""
        b, atom, first = self.b, self.r.atoms[i], self.values[0]
        s = atom.of[0]
        match atom.kind:
            case "mul":
                r = atom.of[1]
                if (place := self.places.of[i, 0]) in self.places.simple:
                    return b.extract_element(sums[place // W * W], ir.Constant(I32, place % W))
                s, r = sorted((s, r), key=self.late.__getitem__)
                return self._plus(first[s], values[r], self._plus(first[r], values[s], self._middle(i, 0, sums)))
            case "pow":  # j = 0 has no weight
                p, inverse = atom.number, b.fdiv(number(1.0), first[s])
                light, heavy = self._middle(i, 0, sums), self._middle(i, 1, sums)
                known = None
                if light is not None and heavy is not None:
                    known = self._fma(b.fmul(number(-(p + 1)), self.scale), heavy, b.fmul(number(p), light))
                    known = b.fmul(known, inverse)
                return self._plus(b.fmul(b.fmul(number(p), first[i]), inverse), values[s], known)
            case "exp":
                return self._plus(first[i], values[s], self._scaled(self.scale, self._middle(i, 0, sums)))
            case "log":
                inverse = b.fdiv(number(1.0), first[s])
                known = self._scaled(b.fneg(b.fmul(self.scale, inverse)), self._middle(i, 0, sums))
                return self._plus(inverse, values[s], known)
            case _:  # sine and cosine
                sign = number(1.0 if atom.kind == "sin" else -1.0)
                known = self._scaled(b.fmul(sign, self.scale), self._middle(i, 0, sums))
                return self._plus(b.fmul(sign, first[self.r.lanes[i][0].a]), values[s], known)

    def _plus(self, x: ir.Value, y: ir.Value, total: ir.Value | None) -> ir.Value:
        """x y + total; what comes last is to be in the outermost product."""
        return self.b.fmul(x, y) if total is None else self._fma(x, y, total)

    def _scaled(self, scale: ir.Value, total: ir.Value | None) -> ir.Value | None:
        return None if total is None else self.b.fmul(scale, total)

    def _middle(self, i: int, k: int, sums: Values) -> ir.Value | None:
        """The sum of a lane for 0 < j < n; None if there is no such j."""
        if self.known == 1:
            return None
        place = self.places.of[i, k]
        lane = self.r.lanes[i][k]
        one, before = self.values[1], self.values[-1]
        weighted = lambda x: self.b.fmul(self.b.sitofp(self.b.sub(self.n, whole(1)), F8), x)
        left = weighted(before[lane.a]) if lane.weight_a else before[lane.a]
        right = weighted(before[lane.b]) if lane.weight_b else before[lane.b]
        if self.known == 2:
            return self.b.fmul(one[lane.a], one[lane.b])
        total = None
        if self.known != 3:
            total = self.b.extract_element(sums[place // W * W], ir.Constant(I32, place % W))
        return self._plus(one[lane.a], right, self._plus(left, one[lane.b], total))

    def _other_factors(self, values: Values) -> None:
        """Row n of the lanes that are not products of the state."""
        b = self.b
        weight = b.sitofp(self.n, F8)
        for place in self.places.other:
            lane = self.places.lanes[place]
            if lane is None:  # it stays zero
                continue
            for side in (0, 1):
                value = values[lane.b if side else lane.a]
                value = b.fmul(weight, value) if (lane.weight_b if side else lane.weight_a) else value
                b.store(value, b.gep(self.work, [self._place(self.n, side, place)]))

    def _fma(self, x: ir.Value, y: ir.Value, z: ir.Value) -> ir.Value:
        return self._call("fmuladd.v8f64" if x.type == V else "fmuladd.f64", x, y, z)

    def _call(self, name: str, *arguments: ir.Value) -> ir.Value:
        kind = ir.FunctionType(arguments[0].type, [x.type for x in arguments])
        function = self.module.globals.get(f"llvm.{name}") or ir.Function(self.module, kind, name=f"llvm.{name}")
        return self.b.call(function, list(arguments))

    # ---- shared with the rest

    def _vector(self, base: ir.Value, place: ir.Value) -> ir.Value:
        return self.b.bitcast(self.b.gep(base, [place]), V.as_pointer())

    def _inverse(self, n: ir.Value) -> ir.Value:
        return self.b.load(self.b.gep(self.inverses, [whole(0), n]))

    def _place(self, row: ir.Value, side: int, lane: int) -> ir.Value:
        """Where the left (side 0) or right (1) factor of a lane lies in a row."""
        return self.b.add(self.b.mul(row, whole(2 * self.width)), whole(side * self.width + lane))

    def _picked(self, x: ir.Value, places: tuple[int, ...], y: ir.Value | None = None) -> ir.Value:
        mask = ir.Constant(ir.VectorType(I32, len(places)), list(places))
        return self.b.shuffle_vector(x, ir.Constant(x.type, ir.Undefined) if y is None else y, mask)

    def _everywhere(self, x: ir.Value) -> ir.Value:
        one = self.b.insert_element(ir.Constant(V, ir.Undefined), x, ir.Constant(I32, 0))
        return self._picked(one, (0,) * W)

    def _summed(self, sums: Sums, at: int, values: Values) -> ir.Value:
        """Up to eight sums of atoms; the data begin at row `at`. Three chains, to wait less."""
        parts: list[ir.Value | None] = [self.numbers[at] if self.known == 0 else None, None, None]
        in_time = sorted(range(len(sums.of)), key=lambda k: self.late[sums.of[k]])
        for i, k in enumerate(in_time):
            x, column = self._everywhere(values[sums.of[k]]), self.numbers[at + 1 + k]
            parts[i % 3] = self._plus(x, column, parts[i % 3])
        some = [x for x in parts if x is not None]
        return functools.reduce(self.b.fadd, some) if some else ir.Constant(V, [0.0] * W)
