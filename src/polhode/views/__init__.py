"""How results look: figures, tables, pages, generated documentation.

A result asks for a view of itself by words (``polhode.shown``); this is the list. To add a view, add its function here.
"""

import importlib
from collections.abc import Callable
from typing import Any

VIEWS = {
    "trajectory, plotted": "polhode.views.figures.trajectory:plot_trajectory",
    "trajectory, a card": "polhode.views.cards:trajectory_card",
    "ensemble, a card": "polhode.views.cards:ensemble_card",
    "ensemble, plotted": "polhode.views.figures.ensemble:plot_ensemble",
    "problem, a card": "polhode.views.cards:problem_card",
    "method, a card": "polhode.views.cards:method_card",
    "sweep, a map": "polhode.views.figures.sweep:sweep_map",
    "certificate, a table": "polhode.views.certificate:certificate_table",
    "certificate, a card": "polhode.views.certificate:certificate_card",
    "certificate, a file": "polhode.views.certificate:save",
    "certificates, a table": "polhode.views.certificates:certificates_table",
    "certificates, a card": "polhode.views.certificates:certificates_card",
    "certificates, a file": "polhode.views.certificates:save",
    "stress test, a table": "polhode.views.terminal:stress_table",
    "stress test, verdicts": "polhode.views.stress:verdict_table",
    "stress test, a figure": "polhode.views.figures.stress:stress_figure",
    "stress test, files": "polhode.views.stress:save",
    "convergence, a table": "polhode.views.convergence:study_table",
    "convergence, a figure": "polhode.views.figures.work_precision:study_figure",
    "convergence, files": "polhode.views.convergence:save",
    "family of problems, a table": "polhode.views.terminal:family_table",
    "recommendation, a table": "polhode.views.recommend:recommendation_table",
    "recommendation, a card": "polhode.views.recommend:recommendation_html",
    "published table, a figure": "polhode.views.reproduce:nothing_to_draw",
    "published table, in the terminal": "polhode.views.reproduced_tables:table_shown",
    "published table, a page": "polhode.views.reproduced_tables:table_page",
    "published functions, a figure": "polhode.views.reproduce:nothing_to_draw",
    "published functions, in the terminal": "polhode.views.reproduced_tables:functions_shown",
    "published functions, a page": "polhode.views.reproduced_tables:functions_page",
    "published convergence, a figure": "polhode.views.figures.convergence:convergence_figure",
    "published convergence, in the terminal": "polhode.views.reproduced_figures:convergence_shown",
    "published convergence, a page": "polhode.views.reproduced_figures:convergence_page",
    "published work-precision, a figure": "polhode.views.figures.published:work_precision_figure",
    "published work-precision, in the terminal": "polhode.views.reproduced_figures:convergence_shown",
    "published work-precision, a page": "polhode.views.reproduced_figures:convergence_page",
    "published drift, a figure": "polhode.views.figures.published:drift_figure",
    "published drift, in the terminal": "polhode.views.reproduced_figures:drift_shown",
    "published drift, a page": "polhode.views.reproduced_figures:drift_page",
    "published history, a figure": "polhode.views.figures.published:history_figure",
    "published history, in the terminal": "polhode.views.reproduced_figures:history_shown",
    "published history, a page": "polhode.views.reproduced_figures:history_page",
    "published ball, a figure": "polhode.views.figures.published:ball_figure",
    "published ball, in the terminal": "polhode.views.reproduced_figures:ball_shown",
    "published ball, a page": "polhode.views.reproduced_figures:ball_page",
}


def view(what: str) -> Callable[..., Any]:
    """The function that shows a result in this way; its module is imported now."""
    module, _, name = VIEWS[what].partition(":")
    return getattr(importlib.import_module(module), name)
