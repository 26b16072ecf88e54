"""Words wrap and numbers do not: short cells of tables stay on one line, and so does a number among words."""

import re
from typing import Any

from docutils import nodes

SHORT = 18
"""Characters."""


def short(app: Any, doctree: nodes.document) -> None:
    """Mark the short cells of a page, but those of the heads."""
    for cell in doctree.findall(nodes.entry):
        if len(cell.astext()) <= SHORT and not isinstance(cell.parent.parent, nodes.thead):
            cell["classes"].append("short")


NUMBER = re.compile(r"(?<![\w.])([-+]?\d+(?:\.\d+)?e-\d+)")


def whole(app: Any, doctree: nodes.document) -> None:
    """Mark the numbers of a page that a line could break at their hyphen; those of code are as they are."""
    for text in list(doctree.findall(nodes.Text)):
        parts = NUMBER.split(text.astext())
        if len(parts) > 1 and isinstance(text.parent, (nodes.paragraph, nodes.strong, nodes.emphasis, nodes.inline)):
            marked = [nodes.inline("", x, classes=["whole"]) if i % 2 else nodes.Text(x) for i, x in enumerate(parts)]
            text.parent.replace(text, marked)
