"""Results show themselves: what they look like is in ``polhode.views``, which is above them and found when asked."""

import importlib
from typing import Any


def shown(what: str, result: Any, *arguments: Any) -> Any:
    """One view of a result; ``views/__init__.py`` lists them by these words."""
    from_views = importlib.import_module("polhode.views")
    return from_views.view(what)(result, *arguments)
