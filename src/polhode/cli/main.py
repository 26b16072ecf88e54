"""The command line: one verb per job. To add a verb, add its module here.

A verb's module has HELP (one line), EXAMPLE, `arguments(parser)` and `run(arguments) -> exit code`, and imports
what is heavy inside `run`. Exit codes: 0 done, 1 failed, 2 misuse, which gets a sentence and never a traceback.
"""

import argparse
import contextlib
import importlib
import itertools
import os
import sys
import textwrap
from typing import Any, NoReturn

from polhode.cli.output import Aside
from polhode.errors import DoesNotRun, InputError, near
from polhode.interrupts import loaded

VERBS = {
    "stress": "polhode.cli.verbs.stress",
    "certify": "polhode.cli.verbs.certify",
    "engines": "polhode.cli.verbs.engines",
    "recommend": "polhode.cli.verbs.recommend",
    "reproduce": "polhode.cli.verbs.reproduce",
    "converge": "polhode.cli.verbs.converge",
    "work-precision": "polhode.cli.verbs.work_precision",
    "list": "polhode.cli.verbs.list",
    "run": "polhode.cli.verbs.run",
    "sweep": "polhode.cli.verbs.sweep",
    "lab": "polhode.cli.verbs.lab",
    "cite": "polhode.cli.verbs.cite",
    "warm-cache": "polhode.cli.verbs.warm_cache",
}

DONE, FAILED, MISUSE = 0, 1, 2


def main(argv: Any = None) -> Any:
    """Run a command line and return its exit code."""
    sys.stdout, sys.stderr = sys.stdout or _nowhere(), sys.stderr or _nowhere()  # closed by the caller: >&-
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without superscripts gets question marks, not a crash
    name = "polhode"
    try:
        loaded()
        arguments = parser().parse_args(argv)
        name = f"polhode {arguments.verb}"
        with Aside(name) if arguments.json else contextlib.nullcontext():
            code = arguments.run(arguments)
        sys.stdout.flush()
        return code
    except DoesNotRun as error:
        return _said(name, str(error), FAILED)
    except InputError as error:
        return _said(name, str(error), MISUSE)
    except KeyboardInterrupt:
        return _said(name, "interrupted.", FAILED)
    except BrokenPipeError:  # the reader, such as head, has seen enough
        _give_up_output()
        return DONE
    except MemoryError:
        return _said(name, "there is not enough memory for this. Keep fewer states, or take fewer bodies.", FAILED)
    except OSError as error:
        _give_up_output()
        return _said(name, f"the output cannot be written: {error.strerror or error}.", FAILED)


def _said(name: Any, sentence: Any, code: Any) -> Any:
    """Say a sentence on standard error, if that is open; returns the exit code."""
    with contextlib.suppress(OSError):
        print(f"{name}: {sentence}", file=sys.stderr, flush=True)
    return code


def _nowhere() -> Any:
    """A stream that drops whatever is written to it."""
    return open(os.devnull, "w", encoding="utf-8")


def _give_up_output() -> None:
    """Drop what is left in the buffer of standard output: at the end of the process it would raise again."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def parser() -> Any:
    """The parser of the whole command line."""
    from polhode import __version__

    top = _Parser(
        prog="polhode",
        description="Integrators for the rotation of rigid bodies, and a test bench that measures what they do.",
        epilog="polhode VERB --help tells more. The main job needs no arguments: polhode stress",
    )
    top.add_argument("--version", action="version", version=f"polhode {__version__}")
    verbs = top.add_subparsers(dest="verb", metavar="VERB", required=True, parser_class=_Parser)
    for name, path in VERBS.items():
        module = importlib.import_module(path)
        sub = verbs.add_parser(
            name,
            help=module.HELP,
            description=module.__doc__,
            epilog=f"example:\n{module.EXAMPLE}",
            formatter_class=_Words,
            allow_abbrev=False,
        )
        module.arguments(sub)
        sub.add_argument("--json", action="store_true", help="print JSON, and nothing else, on standard output")
        sub.set_defaults(run=module.run)
    return top


class _Words(argparse.HelpFormatter):
    """Sentences fill the width there is; lines that begin with a space, such as examples, stay as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        blocks = itertools.groupby(text.strip().splitlines(), key=lambda line: line == "" or line.startswith(" "))
        return "\n".join("\n".join(b) if kept else textwrap.fill(" ".join(b), width) for kept, b in blocks)


class _Parser(argparse.ArgumentParser):
    """argparse with one sentence for misuse, by the parser of the verb that is meant."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """What the arguments say; one that is not known is told at once, with the nearest option."""
        found, others = super().parse_known_args(args, namespace)
        if others:
            options = [option for action in self._actions for option in action.option_strings]
            nearest = near(others[0].partition("=")[0], options) if others[0].startswith("-") else None
            hint = f". Did you mean {nearest}?" if nearest else ""
            self.error(f"unrecognized arguments: {' '.join(others)}{hint}")
        return found, others

    def error(self, message: str) -> NoReturn:
        end = "" if message.endswith("?") else "."
        self.exit(MISUSE, f"{self.prog}: {message}{end} See {self.prog} --help.\n")
