"""SciPy's Rotation, imported when first used: it takes longer to import than all the rest."""

import functools
from typing import Any


@functools.cache
def Rotation() -> Any:
    """The class scipy.spatial.transform.Rotation."""
    from scipy.spatial.transform import Rotation

    return Rotation
