"""Measure what accuracy costs: errors against torque evaluations and processor time.

SciPy's DOP853 and LSODA and, where installed, heyoka are in the same picture; --no-adaptive leaves them out. Prints a
table and writes a figure (PNG, SVG), a page that opens without a network, and the numbers (JSON).
"""

import argparse

from polhode.cli.verbs.converge import measured
from polhode.cli.verbs.converge import shared as arguments

__all__ = ["EXAMPLE", "HELP", "arguments", "run"]

HELP = "measure what accuracy costs, of any methods on any problem"
EXAMPLE = "  polhode work-precision VLV RKN6 GAUSS8 --problem heavy-top --t-end 5"


def run(arguments: argparse.Namespace) -> int:
    """Measure, print, write."""
    from polhode.testbench.convergence.study import work_precision

    return measured(arguments, work_precision, adaptive=arguments.adaptive is not False)
