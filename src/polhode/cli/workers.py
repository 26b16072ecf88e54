"""Who works, on the command line: --workers and --scheduler, for every verb that hands out tasks."""

import argparse
from typing import Any

from polhode.cli.output import whole


def add_workers(parser: argparse.ArgumentParser) -> None:
    """Let a verb share its work: --workers here, or --scheduler of a Dask cluster, not both."""
    who = parser.add_mutually_exclusive_group()
    who.add_argument("--workers", type=whole, metavar="N", help="processes that share the work (default: this one)")
    who.add_argument("--scheduler", metavar="ADDRESS", help="a Dask scheduler that hands it out, tcp://host:8786")


def given_workers(arguments: argparse.Namespace) -> Any:
    """What those options mean for `workers=`: a number of processes, a Dask client, or None."""
    if arguments.scheduler is None:
        return arguments.workers
    from polhode.runs.crews.dask_crew import client

    return client(arguments.scheduler)
