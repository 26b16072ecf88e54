"""The potential as it was during a run: energies are computed when somebody looks, and it may have changed by then."""

from polhode.errors import InputError
from polhode.kernels.fingerprint import is_static
from polhode.kernels.numbers import Kernel
from polhode.kernels.unchanged import fingerprint_now
from polhode.physics.problem import Problem


def potential_now(problem: Problem) -> str | None:
    """The fingerprint of a potential as it is now; None if the problem has none, or a part of it cannot be seen."""
    kernels = _potentials(problem)
    if not kernels:
        return None
    now = fingerprint_now(kernels)
    return None if now.unseen else now.digest


def is_for_ever(problem: Problem) -> bool:
    """Whether the potential cannot change, or there is none."""
    return all(map(is_static, _potentials(problem)))


def _potentials(problem: Problem) -> tuple[Kernel, ...]:
    potential, timed = problem.potential_kernel, problem.timed_potential_kernel
    if timed is None:
        return () if potential is None else (potential,)
    return (timed,) if potential is None else (potential, timed)


def check_potential(problem: Problem, then: str | None) -> None:
    """Refuse to compute energies of states that moved in another potential."""
    if then is not None and potential_now(problem) != then:
        raise InputError(
            f"The potential of {problem.name} is no longer what it was when these states were computed: a number that "
            "it uses has changed, and their energy would be that of another body. Read the energy before you change "
            'it, or make the number a parameter: Problem(..., parameters={"k": 2.0}) and replaced(k=5.0).'
        )
