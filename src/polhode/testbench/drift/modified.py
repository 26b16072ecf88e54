"""The modified energy, fitted away: what is left of an energy error when the part that a function of the state makes
is gone.

Up to exponentially small terms a symplectic method conserves a modified energy E + h^r F + ..., so its energy error
E(t) - E(0) = -h^r (F(t) - F(0)) + ... is a function of the state and cannot drift. F is made of commutators of the
kinetic and the potential energy. Up to fourth order in the small quantities these are

    tau_i tau_j,    Omega_i dtau_j/dt,    Omega_i Omega_j tau_k,    Omega_i Omega_j Omega_k Omega_l,

and, for methods of odd order, Omega_i tau_j. A regression of the energy error on 1, t and these terms takes the
oscillation away and leaves the slope, with an error a hundred times smaller than that of a straight line through the
oscillation. Terms Omega_i Omega_j and U are left out on purpose: the energy is made of them, and they would fit its
drift away too. So would any combination of terms that hardly varies along the motion: it is dropped.
"""

import itertools

import numpy as np

from polhode.physics.problem import Problem
from polhode.runs.results.energies import potential_energies

MOST_SAMPLES = 2500  # samples at which the terms are computed; more cost time and add nothing
CUT = 1e-4  # relative size below which a combination of terms hardly varies along the motion
FREE = 0.9  # part of the variance of t that the terms must leave; else the motion itself drifts, and none is fitted
DIFFERENCE = 1e-3  # the difference, in radians, by which derivatives are computed

PAIRS = tuple(itertools.combinations_with_replacement(range(3), 2))
NINE = tuple(itertools.product(range(3), repeat=2))
TERMS = (
    *(("tau", f"tau{i + 1} tau{j + 1}") for i, j in PAIRS),
    *(("rate", f"Omega{i + 1} dtau{j + 1}/dt") for i, j in NINE),
    *(("mixed", f"Omega{i + 1} Omega{j + 1} tau{k + 1}") for i, j in PAIRS for k in range(3)),
    *(
        ("quartic", " ".join(f"Omega{i + 1}" for i in four))
        for four in itertools.combinations_with_replacement(range(3), 4)
    ),
    *(("odd", f"Omega{i + 1} tau{j + 1}") for i, j in NINE),
)
"""The names of the terms, in the order of the columns of `terms`."""


def terms(problem: Problem, Q: np.ndarray, Omega: np.ndarray) -> np.ndarray:
    """The terms at each state of a stack, (samples, terms)."""
    tau = _torques(problem, Q)
    ahead, behind = (_torques(problem, Q @ _turns(s * DIFFERENCE * Omega)) for s in (1, -1))
    rate = (ahead - behind) / (2 * DIFFERENCE)
    columns = [
        *(tau[:, i] * tau[:, j] for i, j in PAIRS),
        *(Omega[:, i] * rate[:, j] for i, j in NINE),
        *(Omega[:, i] * Omega[:, j] * tau[:, k] for i, j in PAIRS for k in range(3)),
        *(np.prod(Omega[:, four], axis=1) for four in itertools.combinations_with_replacement(range(3), 4)),
        *(Omega[:, i] * tau[:, j] for i, j in NINE),
    ]
    return np.column_stack(columns)


def cleaned(t: np.ndarray, e: np.ndarray, X: np.ndarray) -> tuple[np.ndarray, float, str]:
    """The energy error without what the terms explain; the part of the variance of t that they leave; and the largest
    term of the fitted modified energy. Where the terms explain t itself, or a number is not finite, e is unchanged."""
    size = np.abs(X).max(axis=0)
    good = np.isfinite(size) & (size > 0)
    if not good.any() or not np.isfinite(X[:, good]).all():
        return e, 0.0, ""
    A = X[:, good] / size[good]
    A = A - A.mean(axis=0)
    values, vectors = np.linalg.eigh(A.T @ A)
    large = values > CUT**2 * values[-1]
    B = _orthonormal(A @ (vectors[:, large] / np.sqrt(values[large])))
    x = t - t.mean()
    rest = x - B @ (B.T @ x)
    left = float(rest @ rest / (x @ x))
    if left < FREE:
        return e, left, ""
    centred = e - e.mean()
    slope = rest @ centred / (rest @ rest)
    fitted = B @ (B.T @ (centred - slope * x))
    groups = [kind for (kind, _), ok in zip(TERMS, good) if ok]
    names = [name for (_, name), ok in zip(TERMS, good) if ok]
    shares = np.abs(A.T @ fitted) / np.sqrt(np.maximum((A**2).sum(axis=0), 1e-300))
    best = int(np.argmax(shares)) if len(groups) else 0
    explained = 1 - ((centred - slope * x - fitted) ** 2).sum() / max(((centred - slope * x) ** 2).sum(), 1e-300)
    return e - fitted, left, f"{explained:.4%} of the oscillation, most like {names[best]}"


def _orthonormal(B: np.ndarray) -> np.ndarray:
    """Columns that are orthonormal up to the round-off of eigenvectors, made fully so by the Cholesky factor of their
    inner products: a QR of so tall a matrix waits for its threads a hundred times longer than it computes."""
    return B @ np.linalg.inv(np.linalg.cholesky(B.T @ B)).T


def _torques(problem: Problem, Q: np.ndarray) -> np.ndarray:
    """-dU/de(Q exp(e hat y)) for the three y, by differences of fourth order."""
    torque = np.empty(Q.shape[:1] + (3,))
    for k in range(3):
        y = np.zeros(3)
        y[k] = DIFFERENCE
        U = {n: potential_energies(problem, Q @ _turns(n * y[None])) for n in (-2, -1, 1, 2)}
        torque[:, k] = -(8 * (U[1] - U[-1]) - (U[2] - U[-2])) / (12 * DIFFERENCE)
    return torque


def _turns(v: np.ndarray) -> np.ndarray:
    """Rotations by small vectors, (n, 3) to (n, 3, 3)."""
    s = (v * v).sum(axis=1)[:, None, None]
    K = np.zeros((len(v), 3, 3))
    K[:, 2, 1], K[:, 0, 2], K[:, 1, 0] = v.T
    K -= K.transpose(0, 2, 1)
    return np.eye(3) + (1 - s / 6) * K + (0.5 - s / 24) * (K @ K)
