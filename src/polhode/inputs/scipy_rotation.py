"""SciPy's Rotation, imported when first used: it takes longer to import than all the rest."""

import functools


@functools.cache
def Rotation():
    """The class scipy.spatial.transform.Rotation."""
    from scipy.spatial.transform import Rotation

    return Rotation
