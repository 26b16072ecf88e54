"""Formulas as MathML: every browser sets it, without a script or a network."""

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert

RIGHT, LEFT = 'style="text-align: right; padding-right: 0.1em"', 'style="text-align: left; padding-left: 0.1em"'
OPENED, EQUAL, BAR, MINUS = "&#x00028;", "&#x0003D;", "&#x0007C;", "&#x02212;"
SPACES = (
    (rf'<mo stretchy="false">(?={BAR})', '<mo stretchy="false" lspace="0" rspace="0">'),
    (rf"(?<=(?:{OPENED}|{EQUAL})</mo>)<mo>(?={MINUS})", '<mo form="prefix">'),
    (rf'<mo>(?=[A-Za-z]+</mo><mo stretchy="false">{OPENED})', '<mo lspace="0.15em" rspace="0">'),
    (r"<mo>(?=[A-Za-z])", '<mo lspace="0.15em" rspace="0.15em">'),
)
"""Around bars, signs and the names of functions: operators that browsers would set apart as they do plus and minus."""


def converted(text: str, display: str) -> str:
    """MathML, its columns aligned by style: browsers know no other way."""
    found = convert(text, display=display)
    for pattern, closer in SPACES:
        found = re.sub(pattern, closer, found)
    return found.replace('columnalign="right"', RIGHT).replace('columnalign="left"', LEFT)


def inline(translator: Any, node: nodes.math) -> None:
    """A formula in a sentence."""
    translator.body.append(converted(node.astext(), "inline"))
    raise nodes.SkipNode


def block(translator: Any, node: nodes.math_block) -> None:
    """A formula of its own; a wide one scrolls."""
    translator.body.append(f'<div class="formula">{converted(node.astext(), "block")}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """What Sphinx asks for."""
    app.add_html_math_renderer("mathml", inline_renderers=(inline, None), block_renderers=(block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
