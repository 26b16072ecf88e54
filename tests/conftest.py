"""What pytest gives to every test."""

import numpy as np
import pytest


@pytest.fixture(scope="session")
def rng():
    """Random numbers, the same in every run."""
    return np.random.default_rng(1988)
