"""Results that are kept, so that what has been measured is not measured again.

The key is a hash of all that a result depends on: the sources of the layers that measure (all but `cli` and `views`,
which only show), the versions of Python and of the packages that compute, the machine, and the specification. Change
any of them, and the result is measured again. The folder is that of everything kept between processes
(POLHODE_CACHE moves it): it belongs to its user alone, and each entry has a checksum.
"""

import dataclasses
import functools
import hashlib
import importlib.metadata
import pathlib
import pickle
import platform
from typing import Any

from polhode.machine import Folder, cache_base, folder
from polhode.testbench.papers.reproduced import Specification, Tick, silent

NOT_MEASURING = ("cli", "views")
COMPUTING = ("numpy", "scipy", "numba", "mpmath")


def measured(spec: Specification, tick: Tick = silent, again: bool = False) -> Any:
    """The result of a specification: the one that is kept, or measured now (in any case, if `again`) and kept."""
    name = entry(spec)
    if again or name not in HERE:
        result = None if again else kept(spec)
        if result is None:
            result = spec.run(tick)
            _folder().write(name, pickle.dumps(result))
        HERE[name] = result
    return HERE[name]


HERE: dict[str, Any] = {}
"""What this process has measured or read."""


def kept(spec: Specification) -> Any:
    """The result that is kept of a specification; None if there is none."""
    content = _folder().read(entry(spec))
    return None if content is None else pickle.loads(content)  # ours: the folder is private, the entry checked


def entry(spec: Specification) -> str:
    """The name under which the result of a specification is kept."""
    text = "\n".join((code_version(), platform.node(), platform.platform(), described(spec)))
    return f"{spec.name}-{hashlib.sha256(text.encode()).hexdigest()[:24]}"


def described(value: Any) -> str:
    """A specification in words that differ whenever it differs; functions by name, as their code is hashed apart."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = ((f.name, getattr(value, f.name)) for f in dataclasses.fields(value))
        return f"{type(value).__qualname__}({', '.join(f'{name}={described(x)}' for name, x in parts)})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{described(k)}: {described(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (tuple, list)):
        return "(" + ", ".join(described(x) for x in value) + ")"
    if callable(value):
        return f"{value.__module__}.{value.__qualname__}"
    return repr(value)


@functools.cache
def code_version() -> str:
    """A hash of the sources that measure, and of the versions of what they use."""
    root = pathlib.Path(__file__).parents[2]
    total = hashlib.sha256()
    for file in sorted(root.rglob("*.py")):
        place = file.relative_to(root)
        if place.parts[0] not in NOT_MEASURING:
            total.update(f"{place.as_posix()}\n".encode() + file.read_bytes() + b"\0")
    for package in COMPUTING:
        total.update(f"{package} {importlib.metadata.version(package)}\n".encode())
    total.update(platform.python_version().encode())
    return total.hexdigest()


def _folder() -> Folder:
    return folder(cache_base() / "reproduced")
