"""The examples of the public docstrings run and print what they say; every public name has the sections it needs."""

import doctest
import inspect

import pytest

import polhode as ph

MODULES = ("build", "frames", "inertia")


def public():
    """Public functions and classes, by their names; those of the modules too."""
    for name in ph.__all__:
        thing = getattr(ph, name)
        if name in MODULES:
            inner = getattr(thing, "__all__", None) or [n for n, f in vars(thing).items() if inspect.isfunction(f)]
            yield from ((f"{name}.{n}", getattr(thing, n)) for n in inner if not n.startswith("_"))
        elif not (inspect.isclass(thing) and issubclass(thing, BaseException)):
            yield name, thing


EXAMPLES = {name: thing for name, thing in public() if ">>>" in (inspect.getdoc(thing) or "")}


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_prints_what_it_says(name):
    text = inspect.getdoc(EXAMPLES[name])
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed == 0
