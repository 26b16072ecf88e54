"""Cells of tables: short ones stay on one line, so that words wrap and numbers do not."""

from typing import Any

from docutils import nodes

SHORT = 18
"""Characters."""


def short(app: Any, doctree: nodes.document) -> None:
    """Mark the short cells of a page, but those of the heads."""
    for cell in doctree.findall(nodes.entry):
        if len(cell.astext()) <= SHORT and not isinstance(cell.parent.parent, nodes.thead):
            cell["classes"].append("short")
