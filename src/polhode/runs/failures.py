"""What happens when a run stops before its end: a warning, an error, or nothing but what the result says."""

from typing import Any, TypeVar

from polhode.errors import RunError, RunWarning
from polhode.inputs import warn

FAILURES = ("warn", "raise", "return")

Result = TypeVar("Result")


def after_failure(result: Result, policy: str, message: str, cause: Any = None) -> Result:
    """The result, after a warning or an error as the policy says; none for an interrupt, the user's own doing."""
    if not message or policy == "return" or result.stats["interrupted"]:  # type: ignore[attr-defined]
        return result
    cause = getattr(result, "exception", None) if cause is None else cause
    if policy == "raise":
        error = RunError(message)
        error.result = result
        raise error from cause
    warn(message, RunWarning)
    return result
