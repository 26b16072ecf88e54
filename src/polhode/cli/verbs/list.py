"""List the methods with what is claimed of each, and the problems."""

from typing import Any

from polhode.cli.output import show, show_json

HELP = "list methods with their claims, and problems"
EXAMPLE = "  polhode list methods"


def arguments(parser: Any) -> None:
    """What the verb takes."""
    parser.add_argument("what", nargs="?", choices=("methods", "problems"), help="one of the two (default: both)")


def run(arguments: Any) -> Any:
    """Print the catalogues."""
    from polhode.integrators.lookup import by_own_steps, methods
    from polhode.views.terminal import method_table, problem_table

    wanted = (arguments.what,) if arguments.what else ("methods", "problems")
    if arguments.json:
        data = {"methods": [method_data(m) for m in methods().values()], "problems": problem_list()}
        own = {"own_steps": [own_steps_data(m) for m in by_own_steps().values()]} if "methods" in wanted else {}
        show_json({k: data[k] for k in wanted} | own)
        return 0
    tables = {"methods": lambda: method_table(methods().values()), "problems": lambda: problem_table(problem_list())}
    show(*(tables[k]() for k in wanted))
    return 0


def method_data(m: Any) -> Any:
    """A method's claims as plain data."""
    from dataclasses import fields

    from polhode.integrators.properties import NUMBER, PROPERTIES, RATE, YES_OR_NO

    def claims(kind: Any) -> Any:
        return {row.claim: getattr(m, row.claim) for row in PROPERTIES if row.kind == kind and row.claim}

    return {
        "name": m.name,
        "aliases": m.aliases,
        "title": m.title,
        "family": m.family,
        "order": {part.name: getattr(m.orders, part.name) for part in fields(m.orders)},
        "free_only": m.free_only,
        "velocity": m.velocity,
        **claims(NUMBER),
        **claims(YES_OR_NO),
        **claims(RATE),
        "sources": m.sources,
    }


def own_steps_data(m: Any) -> Any:
    """What there is to say of an integrator that chooses its own steps."""
    return {"name": m.name, "title": m.title, "tolerance": m.tolerance, "sources": m.sources}


def problem_list() -> Any:
    """The problems as plain data."""
    import inspect

    from polhode.physics.catalogue import problems

    rows = []
    for name, make in problems().items():
        p = make()
        rows.append(
            {
                "name": name,
                "title": inspect.cleandoc(make.__doc__ or "").split("\n")[0].rstrip("."),
                "inertia": p.inertia.tolist(),
                "has_potential": p.has_potential,
                "h": p.h,
                "t_end": p.t_end,
                "parameters": list(inspect.signature(make).parameters),
                "invariants": list(p.invariants),
                "sources": list(getattr(p, "sources", ())),
            }
        )
    return rows
