"""Kernels printed as JavaScript: the same bits in Node as in Python, and a sentence for what cannot be printed."""

import json

import numpy as np
import pytest

import polhode as ph
from polhode.runs.runners.kernel_runner import KernelRunner
from polhode.views.lab import contents
from polhode.views.lab.javascript import RUNTIME, Printer
from polhode.views.lab.page import lab_page
from polhode.views.lab.syntax_trees import CannotPrint
from tests.support.browser import node

STEPS = 1000
FEW = (
    20  # steps of an unstable method: later it has grown what differs in a last bit, that of the sine of a large angle
)
SINES = 1e-12  # what sines of two libraries, each right to its last bit, come to over 1000 steps


def engine():
    """All of the lab that does not draw."""
    text = lab_page()
    begin = text.index('"use strict";')
    return text[begin : text.index("// Drawing:")]


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """Every method on the stress test and the satellite, some on the other fields: the state after their steps."""
    steps = {m.name: steps_of(m.name) for m in contents.printable()}
    script = f"""{engine()}
    const found = {{}}, steps = {json.dumps(steps)};
    for (const method of Object.keys(DATA.methods)) for (const field of Object.keys(DATA.fields)) {{
      const few = ["ELN", "VLV", "RKMK4", "LIEMID", "EXACT", "SACCON"].includes(method);
      if (!few && field !== "stress" && field !== "satellite") continue;
      if (DATA.methods[method].free_only && field !== "free") continue;
      const run = new Run(DATA, method, field, DATA.fields[field].body, DATA.fields[field].h);
      run.advance(steps[method]);
      found[`${{method}} ${{field}}`] = [run.steps, ...run.state[0], ...run.state[1]];
    }}
    console.log(JSON.stringify(found));"""
    return node(script, tmp_path_factory.mktemp("node"))


def steps_of(method):
    return FEW if ph.method(method).drift == "unstable" else STEPS


def interpreted(method, field):
    """The same by Python."""
    one = contents.fields()[field]
    runner = KernelRunner(one.problem, ph.method(method), one.h, False)
    rows = np.empty((1, 7))
    n = steps_of(method)
    assert runner.advance(0, n, n, n, rows, 0)[0] == n
    return rows[0]


def test_at_least_twenty_methods_are_printed_and_each_ran(printed):
    assert len(contents.printable()) >= 20
    names = {key.split()[0] for key in printed}
    assert names == {m.name for m in contents.printable()}
    assert all(row[0] == steps_of(key.split()[0]) for key, row in printed.items())


@pytest.mark.parametrize("field", ["free", "top", "stress", "wall", "satellite"])
def test_a_thousand_steps_are_those_of_python(printed, field):
    keys = [key for key in printed if key.endswith(" " + field)]
    assert keys
    for key in keys:
        method = key.split()[0]
        apart = np.abs(np.array(printed[key][1:]) - interpreted(method, field)).max()
        exact = field != "satellite" and steps_of(method) == STEPS
        assert apart <= (0 if exact else SINES), key


def test_the_verdict_never_contradicts_a_claim(tmp_path):
    script = f"""{engine()}
    const found = {{}};
    for (const name of Object.keys(DATA.methods)) {{
      if (DATA.methods[name].free_only) continue;
      const run = new Run(DATA, name, "stress", "plate", 0.25);
      run.advance(20000);
      found[name] = [verdict(run).sign, drift(run.energy, 0.25)];
    }}
    console.log(JSON.stringify(found));"""
    found = node(script, tmp_path)
    decided = 0
    for name, (sign, fit) in found.items():
        claim = ph.method(name).drift
        if sign in "+-":
            assert sign == claim, name
            decided += 1
        if sign == "0" and claim in "+-":  # a drift too small to be seen yet, of a method of higher order
            assert max(ph.method(name).orders.free) >= 4 and abs(fit["slope"]) < 1e-8, name
    assert decided >= 25
    assert found["ELN"][0] == "-" and found["VLV"][0] == "0"


def test_what_is_watched_on_the_orbit_is_the_jacobi_integral():
    one = contents.fields()["satellite"].problem
    q, Pi = one.start()
    body = (tuple(one.moments), tuple(1 / one.moments), (), (None, one.parameters))
    for t in (0.0, 1.7, 12.3):
        expected = one.jacobi(t, one.Q0, one.Omega0)
        assert contents.in_orbit(t, q, Pi, body)[0] == pytest.approx(expected, rel=1e-14)


# ---- the printer -------------------------------------------------------------------------------------------


def _everything(x, n):
    total, pair = 0.0, (x, 2 * x)
    for i in range(1, n):
        if i == 3:
            continue
        total += i // 2 + (-i) % 3
    a, (b, c) = pair[0], (pair[-1], pair[:1])
    a, b = b, a
    while total > 1e3:
        total = total / 2
        break
    for y in pair + c:
        total = total + y
    function = (lambda_free if n > 2 else lambda_other)(total)
    return (*pair, a - b, total if not total < 0 else -total, function, len(pair), abs(-x), 2**-3, pair[::2][0])


def lambda_free(x):
    return x + 1


def lambda_other(x):
    return x - 1


def test_every_form_of_syntax_means_the_same(tmp_path):
    printer = Printer()
    name = printer.function(_everything)
    cases = [(0.1, 2), (0.3, 3), (-1.5, 9), (1e3, 6)]
    calls = ", ".join(f"{name}({x}, {n})" for x, n in cases)
    found = node(f"{RUNTIME}{printer.text}console.log(JSON.stringify([{calls}]));", tmp_path)
    assert found == json.loads(json.dumps([_everything(*case) for case in cases]))


def test_functions_of_one_factory_are_told_apart(tmp_path):
    def times(k):
        return lambda x: k * x

    printer = Printer()
    names = [printer.function(times(2.0)), printer.function(times(3.0)), printer.function(times(2.0))]
    assert names[0] == names[2] != names[1]
    assert node(f"{printer.text}console.log({names[1]}(7));", tmp_path) == 21


def _with_exception(x):
    try:
        return 1 / x
    except ZeroDivisionError:
        return 0


def _with_power(x):
    return x**2.5


def _with_default(x, y=1):
    return x + y


def _with_text(x):
    return "x"


@pytest.mark.parametrize("function", [_with_exception, _with_power, _with_default, _with_text, abs])
def test_what_has_no_translation_is_refused(function):
    with pytest.raises(CannotPrint):
        Printer().function(function)


def test_a_refusal_names_the_function_and_its_line():
    with pytest.raises(CannotPrint, match=r"_with_power, line \d+: Pow cannot be printed"):
        Printer().function(_with_power)
