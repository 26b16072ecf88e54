"""What a module of the user's calls so, "module:attribute" or "file.py:attribute"; what is wrong with one, in words."""

import ast
import difflib
import functools
import importlib
import inspect
import os
import pathlib
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from polhode.errors import InputError, near, one_line, users_line

OURS = __name__.partition(".")[0]
FILE = ".py"
MOST_FILES = 200
"""Files of a folder that are searched for a name: a sentence must not take long."""


def attribute(name: str, may_be_meant: Callable[[Any], bool] = lambda value: True) -> Any:
    """What a module of the user's calls so: "module:attribute"; the module may lie in the current folder, and may be
    given as a file. Of what it has, only what `may_be_meant` is offered in place of a name that it has not."""
    file, is_file, path = name.partition(f"{FILE}:")
    module, _, path = (file + FILE, "", path) if is_file else name.partition(":")
    value: Any = _imported(module, name)
    for part in path.split("."):
        if not hasattr(value, part):
            names = own_names(value, may_be_meant)
            spelled = difflib.get_close_matches(part, names, n=1, cutoff=0.6)
            nearest = spelled[0] if spelled else near(part, names)
            hint = f" Did you mean {nearest!r}?" if nearest else ""
            has = ", ".join(names) or "none"
            raise InputError(f"The module {module!r} has no attribute {one_line(part)}; it has {has}.{hint}")
        value = getattr(value, part)
    return value


def _imported(module: str, name: str) -> Any:
    """The module, by its name or its file."""
    try:
        if module.endswith(FILE) or os.path.basename(module) != module:
            return _of_file(module.removesuffix(FILE) + FILE)
        return _module(module)
    except InputError as error:
        raise InputError(f"The module {one_line(module)} of {one_line(name)} cannot be used: {error}") from None
    except (Exception, SystemExit) as error:  # a name that is none, or whatever the module raises
        why = _why(module, name, error)
        raise InputError(f"The module {one_line(module)} of {one_line(name)} cannot be imported: {why}.") from error


def _module(name: str) -> Any:
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())  # a script beside the user, as `python -m` would find it
    return importlib.import_module(name)


def _of_file(file: str) -> Any:
    """The module of a file. It is imported by its name, by which its functions travel to workers."""
    path = pathlib.Path(file).absolute()
    if not path.is_file():
        raise InputError(f"there is no file {path}.")
    before = [*sys.path]
    if sys.path[:1] != [str(path.parent)]:
        sys.path.insert(0, str(path.parent))
    module = importlib.import_module(path.stem)
    loaded = getattr(module, "__file__", None)
    if loaded is None or not os.path.samefile(loaded, path):
        sys.path[:] = before  # a file there would hide the module of that name from all that is imported later
        raise InputError(f"{path.stem} is the name of another module, {loaded or 'of Python'}. Rename the file.")
    return module


def _why(module: str, name: str, error: BaseException) -> str:
    """Why a module cannot be imported: where it was looked for, or what it raised in which of its lines."""
    if not module:
        return "its name is missing; write MODULE:NAME" + or_yours(name.removeprefix(":"))
    if isinstance(error, ModuleNotFoundError) and error.name == module.partition(".")[0]:
        nearest = near(module, [path.stem for path in _files()])
        hint = f"; {nearest}{FILE} is there" if nearest else ""
        where = f"there is no {error.name}{FILE} in the current folder, {os.getcwd()}"
        return f"{where}, and no package of this name is installed{hint}"
    if isinstance(error, SyntaxError):  # which says its line
        return str(error)
    kind = "" if isinstance(error, ImportError) else f"{type(error).__name__}: "
    return f"{kind}{error}".rstrip(": ") + users_line(error)


def modules_with(name: str) -> list[str]:
    """Where files of the current folder define this name: "module:name". They are read, not run."""
    found = []
    for path in _files() if name.isidentifier() else ():
        try:
            text = path.read_text(encoding="utf-8")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                defined = _defined(ast.parse(text)) if name in text else set[str]()
        except (OSError, SyntaxError, ValueError):  # none that Python could read
            continue
        if name in defined:
            found.append(f"{path.stem}:{name}")
    return found


def or_yours(name: str) -> str:
    """The words that name what is defined so in the current folder, if anything is."""
    here = modules_with(name)
    return f"; yours would be {' or '.join(here)}" if here else ""


def _files() -> Iterable[pathlib.Path]:
    return sorted(pathlib.Path().glob(f"*{FILE}"))[:MOST_FILES]


def _defined(tree: ast.Module) -> set[str]:
    """The names that a module defines at its top."""
    names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    return names | {target.id for target in targets if isinstance(target, ast.Name)}


def is_module_here(name: str) -> bool:
    """Whether this is the name of a module in the current folder, or of its file."""
    name = name.removesuffix(FILE)
    return name.isidentifier() and (os.path.isfile(name + FILE) or os.path.isfile(os.path.join(name, "__init__.py")))


def module_alone(name: str, may_be_meant: Callable[[Any], bool]) -> InputError:
    """The error for a module that is given without the name of what is in it."""
    try:
        has = f"it has {', '.join(own_names(_module(name), may_be_meant)) or 'none'}"
    except (Exception, SystemExit) as error:  # whatever the module raises
        has = f"it cannot be imported: {_why(name, name, error)}"
    return InputError(f"{name} is a module: give {name}:NAME; {has}.")


def own_names(module: Any, may_be_meant: Callable[[Any], bool]) -> list[str]:
    """What a module, or a class in it, defines itself that may be meant: callables, and objects of ours; not what it
    imports, nor its numbers. Where nothing may be meant, all of that."""
    name = getattr(module, "__name__" if inspect.ismodule(module) else "__module__", "")
    names = [key for key in vars(module) if not key.startswith("_") and _is_own(getattr(module, key), name)]
    return [key for key in names if may_be_meant(getattr(module, key))] or names


def _is_own(value: Any, module: str) -> bool:
    if inspect.ismodule(value):
        return False
    is_ours = type(value).__module__.partition(".")[0] == OURS or isinstance(value, functools.partial)
    return is_ours or (callable(value) and getattr(value, "__module__", None) == module)
