"""Numbers for readers: a value with its uncertainty, no more digits than mean something."""

import math

MINUS = "\N{MINUS SIGN}"
TIMES = "\N{NO-BREAK SPACE}\N{MULTIPLICATION SIGN}\N{NO-BREAK SPACE}"
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def digits(value: float, error: float) -> tuple[str, str, int]:
    """Mantissa and error as texts, and the power of ten that multiplies both.

    The error gets one digit, or two if the first is a one; the value gets the same decimals.
    """
    size = max(abs(value), abs(error))
    power = math.floor(math.log10(size)) if size > 0 else 0
    m, e = value / 10**power, error / 10**power
    n = _decimals(e)
    return f"{m:+.{n}f}", f"{e:.{n}f}", power


def fixed(value: float, error: float, most: int = 6) -> str:
    """2.012 ± 0.002; with at most so many decimals, the error rounded up to them."""
    n = min(most, _decimals(error))
    return f"{value:.{n}f} ± {max(error, 10.0**-n):.{n}f}"


def plain(value: float, error: float) -> str:
    """-1.062e-06 ± 6e-09: the error by one digit, the value to the same place."""
    if not (value or error):
        return "0 ± 0"
    place = math.floor(math.log10(error)) if error > 0 else math.floor(math.log10(abs(value))) - 3
    power = max(place, math.floor(math.log10(max(abs(value), error))))
    return f"{value:+.{min(9, power - place)}e} ± {error:.0e}"


def typeset(value: float, error: float) -> str:
    """As `plain`, with a true minus and a power of ten in superscript."""
    m, e, power = digits(value, error)
    return f"({_signed(m)} ± {e}){TIMES}{ten(power)}"


def ten(power: int) -> str:
    """10⁻⁶"""
    return f"10{str(power).translate(SUPERSCRIPT)}"


def one(value: float, sign: str = "-") -> str:
    """A number by two digits and a power of ten; sign="+" writes the plus, too."""
    if not value:
        return "0"
    m, power = f"{value:{sign}.1e}".split("e")
    return f"{_signed(m)}{TIMES}{ten(int(power))}"


def _decimals(error: float) -> int:
    if not error > 0:
        return 3
    first = math.floor(math.log10(error))
    return min(6, max(0, -first + (error < 2 * 10**first)))


def _signed(text: str) -> str:
    return text.replace("-", MINUS)
