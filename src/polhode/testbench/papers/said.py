"""What a paper says about its figure, as checks: each gives whether it holds, and a sentence with the numbers."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Checked:
    """A statement of a paper, whether the measurements bear it out, and the numbers."""

    says: str
    holds: bool
    measured: str


def checked(statements, result):
    """Every (statement, check) against a result."""
    return tuple(Checked(says, *check(result)) for says, check in statements)


# ---- about drift -------------------------------------------------------------------------------------


def drift(signs):
    """That methods gain ("+") or lose ("-") energy, or show no drift ("none")."""

    def check(result):
        rows = {row.method: row for row in result.rows}
        told = [f"{m} {rows[m].words}" for m in signs]
        return all(rows[m].sign == sign for m, sign in signs.items()), ", ".join(told)

    return check


def quadratic(*methods):
    """That the drift of methods is quadratic in h, wherever it has a constant rate."""

    def check(result):
        found = {m: result.drift[m].exponent for m in methods}
        told = [f"{m}: {'no constant rate' if x is None else f'h^{x:.2f}'}" for m, x in found.items()]
        return all(x is None or abs(x - 2) < 0.2 for x in found.values()), ", ".join(told)

    return check


def least_drift(method):
    """That one of the methods that drift does so at the smallest rate."""

    def check(result):
        rates = {row.method: abs(row.evidence[0].rate) for row in result.rows if row.sign in "+-"}
        others = min(x for m, x in rates.items() if m != method)
        return rates[method] < others, f"{rates[method]:.1e} against {others:.1e} of the next"

    return check


# ---- about convergence -------------------------------------------------------------------------------


def orders(expected):
    """That methods converge with these orders, {order: methods}; () stands for all."""

    def check(result):
        holds, told = True, []
        for p, methods in expected.items():
            series = [s for s in result.series if not methods or s.method in methods]
            found = [x for s in series for x in (s.order_Q, s.order_Omega) if x is not None]
            holds = holds and max(abs(x - p) for x in found) < 0.03 * p
            told.append(f"{min(found):.2f} to {max(found):.2f}")
        return holds, "orders " + ", ".join(told)

    return check


def ratio(method, other, lowest, highest, only=None):
    """That the errors of a method are those of another times a factor within bounds, at the smallest step."""

    def check(result):
        a, b = (next(s for s in result.series if s.method == m) for m in (method, other))
        factors = {"Q": a.error_Q[-1] / b.error_Q[-1], result.second: a.error_Omega[-1] / b.error_Omega[-1]}
        told = ", ".join(f"{f:.2g} times as large in {what}" for what, f in factors.items())
        return all(lowest <= f <= highest for what, f in factors.items() if only in (None, what)), told

    return check


def best(*methods):
    """That some methods have the smallest errors on the first problem, at the smallest step."""

    def check(result):
        first = [s for s in result.series if s.problem == result.series[0].problem]
        last = {s.method: (s.error_Q[-1], s.error_Omega[-1]) for s in first}
        holds, told = True, []
        for k, what in enumerate(("Q", result.second)):
            ranked = sorted(last, key=lambda m, k=k: last[m][k])
            holds = holds and set(ranked[: len(methods)]) == set(methods)
            told.append(f"{what}: " + " < ".join(f"{m} {last[m][k]:.1e}" for m in ranked))
        return holds, "; ".join(told)

    return check
