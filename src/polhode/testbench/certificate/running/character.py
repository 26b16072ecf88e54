"""What kind of thing an integrator is: noise, memory, single precision, jumps, steps back that go forward."""

from dataclasses import dataclass

import numpy as np

SINGLE = float(np.finfo(np.float32).eps)
DOUBLE = float(np.finfo(float).eps)
STEPS_AT_ONCE = 5
NOISE, MEMORY, SINGLENESS = "whether equal calls are equal", "whether it remembers", "whether it is in single precision"
LOOP, JUMP, BACK = "what its own loop does", "whether it moves in jumps", "whether a step of -h goes back"
"""The questions."""
DECISIVE = (NOISE, MEMORY, SINGLENESS)
"""Those without whose answer no verdict is known to be one."""


@dataclass(frozen=True)
class Character:
    """What kind of thing an integrator is, beside its properties."""

    noise: float = 0.0  # difference between two equal calls
    memory: float = 0.0  # difference between n steps at once and one by one
    remembers_after: int = STEPS_AT_ONCE  # the number n of steps in which that was seen
    single: bool = False
    jump: float = 0.0  # how far its result jumps where the start hardly changes
    forward_only: bool = False  # a negative step goes forward, or nowhere
    unknown: tuple[tuple[str, str], ...] = ()  # questions without an answer, and why

    @property
    def floor(self) -> float:
        """The round-off of its arithmetic, relative to that of floats: noise and single precision raise it."""
        return max(1.0, SINGLE / DOUBLE * 0.1 if self.single else 1.0, self.noise / DOUBLE)

    @property
    def precision(self) -> str:
        """What restricts a verdict, in words, if it is not that of floats."""
        return f"in single precision ({SINGLE:.0e})" if self.single else ""

    @property
    def missing(self) -> str:
        """The first answer without which no verdict is known to be one, in words; nothing if all are there."""
        return next((f"{question} is not known: {why}" for question, why in self.unknown if question in DECISIVE), "")

    def sentences(self) -> list[str]:
        """What a reader should know."""
        sentences = []
        if self.unknown:
            (first, why), *others = self.unknown
            more = "".join(f"; nor {question}: {reason}" for question, reason in others)
            so = ", so all is undecided" if self.missing else ""
            sentences.append(f"What kind of integrator it is was not all to be told{so}: not {first}: {why}{more}.")
        if self.noise:
            sentences.append(
                f"Two equal calls are not the same twice: they differ by {self.noise:.0e}, so it is noisy"
                f"{', or it remembers other calls' if self.memory else ''}."
            )
        if self.memory:
            sentences.append(
                f"It has memory, or a loop that is not its step: steps at once differ from as many one by one, "
                f"{self.remembers_after} or more, by {self.memory:.0e}. Its state may be more than Q and Omega; "
                "properties are measured over 1, 2 and 5 steps."
            )
        if self.forward_only:
            sentences.append(
                "h < 0 is not honoured: a step of -h does not go back. Symmetry cannot be told, and a composition with "
                "negative steps would be wrong."
            )
        if self.single:
            sentences.append(f"Its numbers are those of single precision: verdicts hold to {SINGLE:.0e}, not to 1e-16.")
        elif self.jump and not self.noise:
            sentences.append(
                f"Its result moves in jumps of {self.jump:.0e} where the start changes smoothly: rounded numbers, or "
                "an implicit equation solved too loosely. Iterate to round-off, not to a tolerance."
            )
        return sentences
