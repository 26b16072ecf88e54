"""Print the BibTeX of the sources of methods and problems."""

from typing import Any

from polhode.cli.output import show_json

HELP = "print the BibTeX of a method's or problem's sources"
EXAMPLE = "  polhode cite VLV stress"


def arguments(parser: Any) -> None:
    """What the verb takes."""
    parser.add_argument("names", nargs="+", metavar="NAME", help="methods and problems, see polhode list")


def run(arguments: Any) -> Any:
    """Print the entries, each once."""
    from polhode.bibliography import bibtex

    sources = {name: sources_of(name) for name in arguments.names}
    keys = list(dict.fromkeys(key for own_keys in sources.values() for key in own_keys))
    text = bibtex(keys)
    if arguments.json:
        show_json({"sources": sources, "bibtex": {key: bibtex([key]) for key in keys}})
    else:
        print(text)
    return 0


def sources_of(name: Any) -> Any:
    """The BibTeX keys of a method or a problem."""
    from polhode.errors import InputError, unknown
    from polhode.integrators.lookup import OWN_NAME, integrator, method, methods
    from polhode.physics.catalogue import problem, problems

    if name.lower() in problems():
        return list(getattr(problem(name), "sources", ()))
    if OWN_NAME.fullmatch(name.lower()):
        return list(getattr(integrator(name), "sources", ()))
    try:
        return list(method(name).sources)
    except InputError:
        raise unknown("method or problem", name, [*methods(), *problems()]) from None
