"""Import paths of earlier versions that were documented: they still work, with a DeprecationWarning."""

import importlib
import importlib.abc
import importlib.machinery
import sys
import types
import warnings
from collections.abc import Sequence

MOVED = {
    "polhode.scalar": "polhode.kernels.scalar",
    "polhode.so3": "polhode.kernels",
    "polhode.so3.vectors": "polhode.kernels.vectors",
    "polhode.so3.rotations": "polhode.kernels.rotations",
    "polhode.solver": "polhode.kernels.implicit",
    "polhode.body": "polhode.kernels.step",
}


class OldPaths(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a module under the name it had, as a module that takes everything from where it is now."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The old name, if it is one of those."""
        if name not in MOVED:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=name == "polhode.so3")

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """An empty module that looks in the new place."""
        warnings.warn(f"{spec.name} has moved to {MOVED[spec.name]}.", DeprecationWarning, stacklevel=2)
        module, now = types.ModuleType(spec.name), importlib.import_module(MOVED[spec.name])
        module.__getattr__ = lambda name: getattr(now, name)  # type: ignore[method-assign]
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing to run."""


def install() -> None:
    """Let the old names be imported."""
    if not any(isinstance(finder, OldPaths) for finder in sys.meta_path):
        sys.meta_path.append(OldPaths())
