"""Plain formulas of docstrings, typeset."""

import pathlib
import sys

import pytest

import polhode as ph

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "docs" / "extensions"))

from formulas import displayed, markdown, powers, prose, tex


@pytest.mark.parametrize(
    "plain, typeset",
    [
        ("Q1 = Q0 cay(h Omega_h)", r"Q_{1} = Q_{0} \operatorname{cay} (h \Omega_{h} )"),
        ("J w x w", r"J w \times w"),
        ("x sin|x|", r"x \sin | x |"),
        ("h/2 J^-1 tau0", r"\tfrac{h}{2} J^{-1} \tau_{0}"),
        ("h^2/4 (w . J w) w", r"\tfrac{h^{2}}{4} (w \cdot J w ) w"),
        ("1/J~_i = s/J_i + d", r"1/\tilde{J}_{i} = s /J_{i} + d"),
        ("dexp_{-Psi}^-1", r"\operatorname{dexp}_{-\Psi}^{-1}"),
        ("sqrt(1 + s)", r"\sqrt{1 + s}"),
        ("Pi <- Pi + h tau", r"\Pi \leftarrow \Pi + h \tau"),
        ("h^(2r-2)", r"h^{2r -2}"),
        ("b^_i K_i", r"\hat{b}_{i} K_{i}"),
        ("Q_{n+1/2}", r"Q_{n +\tfrac{1}{2}}"),
    ],
)
def test_what_a_formula_becomes(plain, typeset):
    assert tex(plain) == typeset


def test_sentences_keep_their_words():
    assert prose("The energy drifts like T h^2 a step.") == "The energy drifts like $T h^{2}$ a step."
    assert prose("A body with `J1 = J2`, and |Pi| kept: VLV.") == r"A body with `J1 = J2`, and $| \Pi |$ kept: VLV."
    assert prose("the last is Pi1 = exp(-hw) p.") == r"the last is $\Pi_{1} = \exp (-hw ) p$."
    assert prose("Simo and Wong's ALGO_1") == r"Simo and Wong's ALGO\_1"


def test_formulas_in_a_row_may_part_at_the_end_of_a_line():
    assert prose("J1 = tr(A, B), h^2: x_1 only") == r"$J_{1} = \operatorname{tr} (A , B )$, $h^{2}$: $x_{1}$ only"


def test_lines_are_aligned_and_long_ones_broken():
    text = displayed(["Q1 = Q0 F,     p = F^T p", "Pi1 = p + h tau                 implicit in tau only"])
    assert text.count("&=") == 2 and r"\text{implicit in τ only}" in text
    long = displayed(["Psi = h J^-1 exp(-Psi/2) Pi0,     Q1 = Q0 exp(Psi),     Pi1 = exp(-Psi) Pi0"])
    assert long.count("&=") == 3


def test_code_stays_code():
    assert markdown("Signature:\n\n    void torque(double t, double *out)").endswith(
        "```text\nvoid torque(double t, double *out)\n```"
    )


def test_powers_of_a_page_are_formulas_but_not_those_of_code():
    assert powers("10^8 steps, `10^8`, h^(r+2)") == "$10^{8}$ steps, `10^8`, $h^{r+2}$"
    assert powers("2^-53\n```python\n2^3\n```\n2^3") == "$2^{-53}$\n```python\n2^3\n```\n$2^{3}$"


def test_columns_of_names_become_a_list():
    assert (
        markdown("mass    of the body\nup      against\n        gravity")
        == "- **mass**: of the body\n- **up**: against gravity"
    )


def test_every_lecture_can_be_typeset():
    converter = pytest.importorskip("latex2mathml.converter", reason="latex2mathml is not installed")
    import re

    for lecture in {m.lecture for m in ph.methods().values()}:
        text = markdown(lecture)
        formulas = re.findall(r"```\{math\}\n(.*?)\n```", text, flags=re.DOTALL) + re.findall(r"\$([^$]+)\$", text)
        assert formulas or "    " not in lecture
        for formula in formulas:
            assert formula.count("{") == formula.count("}"), formula
            assert "<math" in converter.convert(formula)
