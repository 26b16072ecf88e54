"""Newton's method on conditions of order, from published digits to as many as one likes."""

import mpmath
from mpmath import mp, mpf


def refined(conditions, printed, digits=80):
    """The solution of conditions(x) = 0 nearest to the printed numbers, and the rank of the conditions there.

    Conditions may be more than the unknowns, and may leave some free: every correction is the smallest one.
    """
    with mpmath.workdps(digits):
        x = [mpf(s) for s in printed]
        step = mpf(10) ** (-digits // 2)
        for _ in range(8):
            r = mpmath.matrix(conditions(x))
            columns = []
            for j in range(len(x)):
                ahead, behind = ([*x[:j], x[j] + s, *x[j + 1 :]] for s in (step, -step))
                columns.append([(a - b) / (2 * step) for a, b in zip(conditions(ahead), conditions(behind))])
            A = mpmath.matrix(columns)  # the transposed Jacobian
            U, s, V = mpmath.svd_r(A * A.T)
            rank = sum(value > s[0] * mpf(10) ** (-digits // 3) for value in s)
            g = U.T * (A * r)
            change = [sum(V[k, j] * g[k] / s[k] for k in range(rank)) for j in range(len(x))]
            x = [a - b for a, b in zip(x, change)]
            if max(map(abs, change)) < mpf(10) ** (8 - digits):
                return x, rank
    raise AssertionError("Newton's method did not converge")


def agree(x, fractions, digits):
    """Whether numbers agree with exact fractions to so many decimals."""
    with mpmath.workdps(digits + 20):
        return max(abs(a - mpf(b.numerator) / b.denominator) for a, b in zip(x, fractions)) < mp.mpf(10) ** -digits
