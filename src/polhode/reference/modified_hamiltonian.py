"""What the discrete Moser-Veselov algorithm integrates exactly: the modified Hamiltonian of a free body."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from polhode import inputs
from polhode.integrators.series.backward_error import hamiltonian

MOST_TERMS = 5
"""Terms of the series, to K_11: these take seconds once, and each further one several times as long."""


@dataclass(frozen=True)
class ModifiedHamiltonian:
    """K(H, C) = H + h^2 K_3 + h^4 K_5 + ... of a body and a step; H = Pi.J^-1 Pi/2 and C = Pi.Pi/2.

    The Moser-Veselov algorithm (RATTLE of a free body) is, to the order of the series, the exact motion of the body
    with the `inertia_at` its momentum, and keeps `value` for as long as one likes.
    """

    tensor: np.ndarray
    h: float
    coefficients: dict[tuple[int, int], Fraction]  # of h^(2n) H^i C^j, n = i + j - 1

    def of(self, H: float, C: float) -> float:
        """K(H, C)."""
        return float(sum(float(k) * self.h ** (2 * (i + j - 1)) * H**i * C**j for (i, j), k in self._terms()))

    def slopes(self, H: float, C: float) -> tuple[float, float]:
        """K_H and K_C."""
        K_H = K_C = 0.0
        for (i, j), k in self._terms():
            scaled = float(k) * self.h ** (2 * (i + j - 1))
            K_H += scaled * i * H ** (i - 1) * C**j if i else 0.0
            K_C += scaled * j * H**i * C ** (j - 1) if j else 0.0
        return K_H, K_C

    def value(self, Pi: np.ndarray) -> float:
        """The modified Hamiltonian at a momentum in body axes."""
        return self.of(*self._invariants(Pi))

    def inertia_at(self, Pi: np.ndarray) -> np.ndarray:
        """The modified inertia tensor at a momentum: the inverse of K_H J^-1 + K_C (lemma 4.2)."""
        K_H, K_C = self.slopes(*self._invariants(Pi))
        return np.linalg.inv(K_H * np.linalg.inv(self.tensor) + K_C * np.eye(3))

    def _invariants(self, Pi: np.ndarray) -> tuple[float, float]:
        y = inputs.vector("Pi", Pi)
        return float(y @ np.linalg.solve(self.tensor, y) / 2), float(y @ y / 2)

    def _terms(self) -> Any:
        """Small ones first."""
        return sorted(self.coefficients.items(), key=lambda term: -sum(term[0]))


@inputs.checked_call
def modified_hamiltonian(inertia: np.ndarray, h: float, terms: int = 3) -> ModifiedHamiltonian:
    """The modified Hamiltonian of the discrete Moser-Veselov algorithm (Hairer & Vilmart 2006, lemmas 4.1 and 4.2).

    Parameters
    ----------
    inertia : three numbers or 3x3 array
        principal moments, or a full tensor
    h : float
        the step
    terms : int
        how many of K_3, K_5, ... : the error is of the order h^(2 terms + 2)

    Returns
    -------
    ModifiedHamiltonian
        A function of the momentum, with its terms.
    """
    moments, _ = inputs.principal_axes("inertia", inertia)
    count = inputs.whole("terms", terms, least=0, most=MOST_TERMS)
    tensor = inputs.inertia_tensor("inertia", inertia)
    return ModifiedHamiltonian(tensor, inputs.step_size(h), hamiltonian(moments.tolist(), count))
