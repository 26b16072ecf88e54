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

import functools
import hashlib
import pathlib
from typing import Any

import llvmlite
import llvmlite.binding as llvm
from llvmlite import ir

from polhode.integrators.taylor import recurrences
from polhode.integrators.taylor.formula import TIME, Atom
from polhode.integrators.taylor.recurrences import Lane, Recurrences, Sums
from polhode.machine.cache import cache_base, folder

F8, I32, I64 = ir.DoubleType(), ir.IntType(32), ir.IntType(64)
W = 8  # numbers in a vector
V = ir.VectorType(F8, W)
MOST_ORDER = 62
"""The highest order that there is a reciprocal for."""

PEELED = 3  # orders that are written one by one: the sums of later ones have four terms at their ends
Q_LEFT, Q_RIGHT = (1, 0, 0, 0, 2, 2, 3, 1), (4, 4, 5, 6, 5, 6, 4, 5)
Q_SIGNS = (-0.5, 0.5, 0.5, 0.5, -0.5, 0.5, 0.5, 0.5)
G_LEFT, G_RIGHT = (3, 3, 1, 2, 5, 6, 4, 7), (6, 5, 6, 4, 6, 4, 5, 7)

Values = dict[int, ir.Value]
Factors = dict[tuple[int, int], ir.Value]


class Places:
    """Which lane is where: the sixteen of free motion, products of the state, and all others."""

    def __init__(self, r: Recurrences) -> None:
        flat = [(i, k, lane) for i, lanes in r.lanes.items() for k, lane in enumerate(lanes)]
        simple = [x for x in flat if x[2].a < TIME and x[2].b < TIME]
        other = [x for x in flat if not (x[2].a < TIME and x[2].b < TIME)]
        self.simple = range(2 * W, _filled(2 * W + len(simple)))
        self.other = range(self.simple.stop, _filled(self.simple.stop + len(other)))
        self.lanes: list[Lane | None] = [None] * self.other.stop
        self.of: dict[tuple[int, int], int] = {}
        for first, group in ((self.simple.start, simple), (self.other.start, other)):
            for place, (i, k, lane) in enumerate(group, first):
                self.lanes[place], self.of[i, k] = lane, place


def _filled(n: int) -> int:
    return -(-n // W) * W


def width(r: Recurrences) -> int:
    """How many lanes there are; `work` must have room for twice as many numbers an order, and one order more."""
    return len(Places(r).lanes)


class Jet:
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

    def _function(self, name: str, arguments: str) -> tuple[Any, ...]:
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
        self.numbers = [b.load(self._vector(self.data, _int(W * i)), align=8) for i in rows]
        state = b.load(self._vector(self.y, _int(0)), align=8)
        self.values: list[Values] = []
        self.factors: list[Factors] = []
        for n in range(PEELED):
            state = self._order(_int(n), n, state)
        entry = b.block
        head, body, done = (self.function.append_basic_block(x) for x in ("head", "body", "done"))
        b.branch(head)
        b.position_at_end(head)
        n, now = b.phi(I64), b.phi(V)
        kept = self._kept()
        before = {i: b.phi(F8) for i in kept}
        starts = (_int(PEELED), state, *(self.values[-1][i] for i in kept))
        for phi, value in zip((n, now, *before.values()), starts):
            phi.add_incoming(value, entry)
        b.store(now, self._vector(self.series, b.mul(n, _int(W))), align=8)
        b.cbranch(b.icmp_signed("<", n, self.order), body, done)
        b.position_at_end(body)
        self.values = [*self.values[:2], before]
        after = self._order(n, None, now)
        ends = (b.add(n, _int(1)), after, *(self.values[-1][i] for i in kept))
        for phi, value in zip((n, now, *before.values()), ends):
            phi.add_incoming(value, b.block)
        b.branch(head)
        b.position_at_end(done)
        b.ret_void()

    def _order(self, n: ir.Value, known: int | None, state: ir.Value) -> ir.Value:
        """All coefficients of order n, and that of the state of order n + 1; `known` is n where it is a number."""
        self.n, self.known = n, known
        self.scale = _number(1 / known if known else 0.0) if known is not None else self._inverse(n)
        if known is not None:
            self.b.store(state, self._vector(self.series, _int(W * known)), align=8)
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
        term = lambda n: b.load(self._vector(self.series, b.mul(n, _int(W))), align=8)
        one, two = self._everywhere(s), self._everywhere(b.fmul(s, s))
        even, odd, below = term(order), term(b.sub(order, _int(1))), b.sub(order, _int(2))
        entry = b.block
        loop, done = (self.function.append_basic_block(x) for x in ("loop", "done"))
        b.branch(loop)
        b.position_at_end(loop)
        n, x, y = b.phi(I64), b.phi(V), b.phi(V)
        for phi, value in ((n, below), (x, even), (y, odd)):
            phi.add_incoming(value, entry)
        more = self._fma(x, two, term(n)), self._fma(y, two, term(b.sub(n, _int(1))))
        before = b.sub(n, _int(2))
        for phi, value in ((n, before), (x, more[0]), (y, more[1])):
            phi.add_incoming(value, loop)
        b.cbranch(b.icmp_signed(">", before, _int(0)), loop, done)
        b.position_at_end(done)
        b.store(self._fma(more[0], two, b.fmul(more[1], one)), self._vector(out, _int(0)), align=8)
        b.ret_void()

    # ---- where numbers lie -----------------------------------------------------------------------------------

    def _vector(self, base: ir.Value, place: ir.Value) -> ir.Value:
        return self.b.bitcast(self.b.gep(base, [place]), V.as_pointer())

    def _place(self, row: ir.Value, side: int, lane: int) -> ir.Value:
        """Of the left (side 0) or right (1) factor of a lane."""
        return self.b.add(self.b.mul(row, _int(2 * self.width)), _int(side * self.width + lane))

    def _factor(self, row: ir.Value, side: int, lane: int) -> ir.Value:
        return self.b.load(self._vector(self.work, self._place(row, side, lane)), align=8)

    def _inverse(self, n: ir.Value) -> ir.Value:
        return self.b.load(self.b.gep(self.inverses, [_int(0), n]))

    # ---- the state -------------------------------------------------------------------------------------------

    def _picked(self, x: ir.Value, places: tuple[int, ...], y: ir.Value | None = None) -> ir.Value:
        mask = ir.Constant(ir.VectorType(I32, len(places)), list(places))
        return self.b.shuffle_vector(x, ir.Constant(x.type, ir.Undefined) if y is None else y, mask)

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
        whole = self._picked(turn, (0, 1, 2, 3, 12, 13, 14, 15), sums[W])
        torque = self._summed(self.r.rates, len(self.r.data) - 1 - len(self.r.rates.of), values)
        whole = b.fadd(whole, torque)
        if self.known is not None:
            return b.fmul(whole, ir.Constant(V, [1 / (self.known + 1)] * W))
        return b.fmul(whole, self._everywhere(self._inverse(b.add(self.n, _int(1)))))

    def _everywhere(self, x: ir.Value) -> ir.Value:
        one = self.b.insert_element(ir.Constant(V, ir.Undefined), x, ir.Constant(I32, 0))
        return self._picked(one, (0,) * W)

    def _summed(self, sums: Sums, at: int, values: Values) -> ir.Value:
        """Up to eight sums of atoms; the data begin at row `at`. Three chains, to wait less."""
        parts: list[ir.Value | None] = [self.numbers[at] if self.known == 0 else None, None, None]
        for k, a in enumerate(sums.of):
            x, column, total = self._everywhere(values[a]), self.numbers[at + 1 + k], parts[k % 3]
            parts[k % 3] = self.b.fmul(x, column) if total is None else self._fma(x, column, total)
        some = [x for x in parts if x is not None]
        return functools.reduce(self.b.fadd, some) if some else ir.Constant(V, [0.0] * W)

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
                near = [self._factor(self.b.sub(self.n, _int(1)), side, v) for side in (0, 1)] if n is None else None
                total = self._fma(one[v, 0], near[1] if near else one[v, 1], total)
                total = self._fma(near[0], one[v, 1], total) if near else total
            ends[v] = total
        return ends if n is not None else self._looped(ends)

    def _looped(self, ends: Values) -> Values:
        """The terms 2 ... n - 2, added to those at the ends; two at a time, to wait less."""
        b = self.b
        vectors = range(0, self.width, W)
        zeros = ir.Constant(V, [0.0] * W)
        before, stop = b.block, b.sub(self.n, _int(2))
        loop, after = (self.function.append_basic_block(x) for x in ("sums", "summed"))
        b.cbranch(b.icmp_signed("<=", _int(2), stop), loop, after)
        b.position_at_end(loop)
        j = b.phi(I64)
        totals = [b.phi(V) for _ in vectors]
        j.add_incoming(_int(2), before)
        for phi in totals:
            phi.add_incoming(zeros, before)
        other = b.sub(self.n, j)
        more = [self._fma(self._factor(j, 0, v), self._factor(other, 1, v), phi) for v, phi in zip(vectors, totals)]
        following = b.add(j, _int(1))
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

    def _fma(self, x: ir.Value, y: ir.Value, z: ir.Value) -> ir.Value:
        return self._call("fmuladd.v8f64" if x.type == V else "fmuladd.f64", x, y, z)

    def _call(self, name: str, *arguments: ir.Value) -> ir.Value:
        kind = ir.FunctionType(arguments[0].type, [x.type for x in arguments])
        function = self.module.globals.get(f"llvm.{name}") or ir.Function(self.module, kind, name=f"llvm.{name}")
        return self.b.call(function, list(arguments))

    # ---- the other atoms -------------------------------------------------------------------------------------

    def _values(self, state: ir.Value, sums: Values) -> Values:
        """Coefficient n of every atom."""
        values: Values = {i: self.b.extract_element(state, ir.Constant(I32, i)) for i in range(TIME)}
        values[TIME] = self.t if self.known == 0 else _number(1.0 if self.known == 1 else 0.0)
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
            return self._call("pow.f64", x, _number(p))
        whole, square = int(abs(p)), x
        factors = [self._call("sqrt.f64", x)] if abs(p) != whole else []
        while whole:
            factors += [square] if whole & 1 else []
            whole >>= 1
            square = self.b.fmul(square, square) if whole else square
        result = functools.reduce(self.b.fmul, factors)
        return self.b.fdiv(_number(1.0), result) if p < 0 else result

    def _turn(self, i: int) -> ir.Value:
        """Sine and cosine of k t + d."""
        atom = self.r.atoms[i]
        (other,) = (k for k in self.r.turns if k != i and self.r.atoms[k].of == atom.of)
        k = _number(1.0)
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
        """Coefficient n > 0 of an atom, from sums that lack what only now is known."""
        b, atom, first = self.b, self.r.atoms[i], self.values[0]
        s = atom.of[0]
        match atom.kind:
            case "mul":
                r = atom.of[1]
                if (place := self.places.of[i, 0]) in self.places.simple:
                    return b.extract_element(sums[place // W * W], ir.Constant(I32, place % W))
                total = self._middle(i, 0, sums)
                return self._added(first[s], values[r], self._added(first[r], values[s], total))
            case "pow":  # j = 0 has no weight
                p = atom.number
                inner = b.fmul(_number(p), self._added(first[i], values[s], self._middle(i, 0, sums)))
                heavy = self._middle(i, 1, sums)
                if heavy is not None:
                    inner = self._fma(b.fmul(_number(-(p + 1)), self.scale), heavy, inner)
                return b.fmul(inner, b.fdiv(_number(1.0), first[s]))
            case "exp":
                return self._scaled(self._middle(i, 0, sums), b.fmul(first[i], values[s]))
            case "log":
                heavy = self._middle(i, 0, sums)
                rest = values[s] if heavy is None else b.fsub(values[s], b.fmul(self.scale, heavy))
                return b.fmul(rest, b.fdiv(_number(1.0), first[s]))
            case _:  # sine and cosine
                other = self.r.lanes[i][0].a
                value = self._scaled(self._middle(i, 0, sums), b.fmul(first[other], values[s]))
                return value if atom.kind == "sin" else b.fneg(value)

    def _added(self, x: ir.Value, y: ir.Value, total: ir.Value | None) -> ir.Value:
        return self.b.fmul(x, y) if total is None else self._fma(x, y, total)

    def _scaled(self, total: ir.Value | None, rest: ir.Value) -> ir.Value:
        """total/n + rest"""
        return rest if total is None else self._fma(self.scale, total, rest)

    def _middle(self, i: int, k: int, sums: Values) -> ir.Value | None:
        """The sum of a lane for 0 < j < n; None if there is no such j."""
        if self.known == 1:
            return None
        place = self.places.of[i, k]
        lane = self.r.lanes[i][k]
        one, before = self.values[1], self.values[-1]
        weighted = lambda x: self.b.fmul(self.b.sitofp(self.b.sub(self.n, _int(1)), F8), x)
        left = weighted(before[lane.a]) if lane.weight_a else before[lane.a]
        right = weighted(before[lane.b]) if lane.weight_b else before[lane.b]
        if self.known == 2:
            return self.b.fmul(one[lane.a], one[lane.b])
        total = self.b.extract_element(sums[place // W * W], ir.Constant(I32, place % W))
        return self._fma(one[lane.a], right, self._fma(left, one[lane.b], total))

    def _other_factors(self, values: Values) -> None:
        """Row n of the lanes that are not products of the state."""
        b = self.b
        weight = b.sitofp(self.n, F8)
        for place in self.places.other:
            lane = self.places.lanes[place]
            for side in (0, 1):
                value = _number(0.0)
                if lane is not None:
                    value = values[lane.b if side else lane.a]
                    value = b.fmul(weight, value) if (lane.weight_b if side else lane.weight_a) else value
                b.store(value, b.gep(self.work, [self._place(self.n, side, place)]))


def _int(n: int) -> ir.Constant:
    return ir.Constant(I64, n)


def _number(x: float) -> ir.Constant:
    return ir.Constant(F8, x)


# ---- compiled, kept ------------------------------------------------------------------------------------------

_ENGINES: dict[str, tuple[Any, ...]] = {}
"""What holds the machine code of this process, and its two addresses, by what it was made from."""


def addresses(r: Recurrences) -> tuple[int, int]:
    """Where the machine code of jet and value begins."""
    text = repr((_made_by(), r.structure))
    key = hashlib.sha256(text.encode()).hexdigest()[:32]
    if key not in _ENGINES:
        store = folder(cache_base() / "taylor")
        code = store.read(key)
        if code is None:
            code = _object(str(Jet(r).module))
            store.write(key, code)
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target())
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        _ENGINES[key] = engine, (engine.get_function_address("jet"), engine.get_function_address("value"))
    return _ENGINES[key][1]


@functools.cache
def _made_by() -> str:
    """The processor, the compiler, and the sources."""
    files = (pathlib.Path(__file__), pathlib.Path(recurrences.__file__))
    sources = hashlib.sha256(b"".join(f.read_bytes() for f in files)).hexdigest()
    return repr((llvmlite.__version__, llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten(), sources))


def _target() -> llvm.TargetMachine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=2, reloc="pic", codemodel="small"
    )


def _object(text: str) -> bytes:
    module, target = llvm.parse_assembly(text), _target()
    module.verify()
    builder = llvm.create_pass_builder(target, llvm.create_pipeline_tuning_options(speed_level=2))
    builder.getModulePassManager().run(module, builder)
    return target.emit_object(module)
