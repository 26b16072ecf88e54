"""What users give: numbers, vectors, rotations, inertia, intervals, names, files; one sentence for each that is wrong.

Every function takes what was given and returns what the rest of the package works with, or raises an InputError that
says what was given, what is allowed and what to do.
"""

from polhode.errors import checked_call, checked_construction
from polhode.inputs.bodies import attitudes, parameter_rows, vectors
from polhode.inputs.files import file_path, folder_path
from polhode.inputs.inertia import inertia_tensor, principal_axes
from polhode.inputs.intervals import (
    check_breaks,
    check_within,
    end_of,
    interval,
    step_size,
    step_sizes,
    steps_to,
    times,
)
from polhode.inputs.memory import check_bytes, check_memory, memory_limit
from polhode.inputs.names import (
    choice,
    choices,
    flag,
    flag_or_none,
    function,
    functions_by_name,
    items,
    spelled,
    text,
    text_or_empty,
)
from polhode.inputs.numbers import (
    LARGEST_WHOLE,
    direction,
    finite_array,
    number,
    padded,
    positive,
    positive_vector,
    real_array,
    vector,
    whole,
)
from polhode.inputs.rotations import ROTATION_TOLERANCE, rotation
from polhode.inputs.warning import warn

__all__ = [
    "LARGEST_WHOLE",
    "ROTATION_TOLERANCE",
    "attitudes",
    "check_breaks",
    "check_bytes",
    "check_memory",
    "check_within",
    "checked_call",
    "checked_construction",
    "choice",
    "choices",
    "direction",
    "end_of",
    "file_path",
    "finite_array",
    "flag",
    "flag_or_none",
    "folder_path",
    "function",
    "functions_by_name",
    "inertia_tensor",
    "interval",
    "items",
    "memory_limit",
    "number",
    "padded",
    "parameter_rows",
    "positive",
    "positive_vector",
    "principal_axes",
    "real_array",
    "rotation",
    "spelled",
    "step_size",
    "step_sizes",
    "steps_to",
    "text",
    "text_or_empty",
    "times",
    "vector",
    "vectors",
    "warn",
    "whole",
]
