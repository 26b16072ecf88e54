"""Coefficients that compose a symmetric method of order two with itself to a higher order.

A composition with stages g_1, ..., g_n that read the same backwards and sum to one has order 4 if the first of these
sums vanishes, and order 6 if all three do:

    sum g_j^3 = 0;           sum g_j^5 = 0,      sum g_j^3 c_j^2 = 0,     c_j the middle of stage j.
"""

from polhode.so3.vectors import solve3

KAHAN_LI = ("0.39216144400731413927925056", "0.33259913678935943859974864", "-0.70624617255763935980996482")
KAHAN_LI += ("0.08221359629355080023149045",)
"""The first four of the nine stages, as printed (Kahan & Li 1997; Hairer, Lubich & Wanner, section V.3)."""


def suzuki(number):
    """Five stages, order 4: 1/(4 - 4^(1/3)) four times, and back by what is too much in the middle."""
    g = 1 / (4 - number(4) ** (number(1) / 3))
    return (g, g, 1 - 4 * g, g, g)


def kahan_li(number):
    """Nine stages, order 6. Three equations for four numbers: the first is as printed, the others follow from it."""
    g = [number(x) for x in KAHAN_LI]
    if number is not float:  # beyond the printed digits: Newton's method, sixteen more each time
        for _ in range(8):
            change = solve3(_jacobian(g), conditions(_palindrome(g)))
            g = [g[0], *(a - b for a, b in zip(g[1:], change))]
    return _palindrome(g)


def conditions(g):
    """The three sums that vanish at order 6."""
    c = third = fifth = mixed = 0
    for x in g:
        third += x**3
        fifth += x**5
        mixed += x**3 * (c + x / 2) ** 2
        c += x
    return (third, fifth, mixed)


def _palindrome(g):
    return (*g, 1 - 2 * sum(g), *reversed(g))


def _jacobian(g):
    """By rows, d(conditions)/d(g_2, g_3, g_4), from central differences over 2e-8: good to sixteen digits."""
    step = type(g[0])(1) / 10**8
    columns = []
    for i in (1, 2, 3):
        ahead, behind = (conditions(_palindrome([*g[:i], g[i] + s, *g[i + 1 :]])) for s in (step, -step))
        columns.append([(a - b) / (2 * step) for a, b in zip(ahead, behind)])
    return tuple(columns[j][i] for i in range(3) for j in range(3))
