"""Results of figures and studies for the tests: measured in this process, each once, nothing read from the disk."""

import functools
from dataclasses import replace

from polhode.testbench.papers import ortolan_saccon
from polhode.testbench.papers.statements.checked import SPECIFICATIONS


@functools.cache
def measured(name):
    """The result of a figure, table or study: whole, but for the longest, which keep their content when shortened."""
    if name == ortolan_saccon.NAME:
        return ortolan_saccon.table_1(t_end=2000.0, ensemble=2)
    spec = SPECIFICATIONS[name]
    if name == "hairer-vilmart-2006-figure-1":
        spec = replace(spec, runs=2)
    return spec.run()
