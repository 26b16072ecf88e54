"""Numbers for readers: a value with its uncertainty, no more digits than mean something."""

import math

MINUS = "\N{MINUS SIGN}"
TIMES = "\N{NO-BREAK SPACE}\N{MULTIPLICATION SIGN}\N{NO-BREAK SPACE}"
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def digits(value, error):
    """Mantissa and error as texts, and the power of ten that multiplies both.

    The error gets one digit, or two if the first is a one; the value gets the same decimals.
    """
    size = max(abs(value), abs(error))
    power = math.floor(math.log10(size)) if size > 0 else 0
    m, e = value / 10**power, error / 10**power
    n = _decimals(e)
    return f"{m:+.{n}f}", f"{e:.{n}f}", power


def fixed(value, error):
    """2.012 ± 0.002"""
    n = _decimals(error)
    return f"{value:.{n}f} ± {error:.{n}f}"


def plain(value, error):
    """(-1.054 ± 0.004)e-06"""
    m, e, power = digits(value, error)
    return f"({m} ± {e})e{power:+03d}"


def typeset(value, error):
    """As `plain`, with a true minus and a power of ten in superscript."""
    m, e, power = digits(value, error)
    return f"({_signed(m)} ± {e}){TIMES}{ten(power)}"


def ten(power):
    """10⁻⁶"""
    return f"10{str(power).translate(SUPERSCRIPT)}"


def one(value, sign="-"):
    """A number by two digits and a power of ten; sign="+" writes the plus, too."""
    if not value:
        return "0"
    m, power = f"{value:{sign}.1e}".split("e")
    return f"{_signed(m)}{TIMES}{ten(int(power))}"


def _decimals(error):
    if not error > 0:
        return 3
    first = math.floor(math.log10(error))
    return min(6, max(0, -first + (error < 2 * 10**first)))


def _signed(text):
    return text.replace("-", MINUS)
