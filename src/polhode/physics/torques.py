"""From a user's torque and potential to kernels: which go together, and which part takes the velocity."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from polhode.errors import InputError
from polhode.inputs import function, functions
from polhode.inputs.forms import Form, form
from polhode.inputs.from_c import is_from_c
from polhode.inputs.parameters import Fields
from polhode.integrators.parts.motors import curved_torque
from polhode.integrators.velocity import Forces
from polhode.kernels.numbers import Kernel
from polhode.kernels.vectors import plus
from polhode.pickling import recipe

TORQUES = {
    "torque": (functions.body_torque, functions.body_moment),
    "torque_space": (functions.space_torque, functions.space_moment),
    "nonconservative": (functions.body_torque, functions.body_moment),
}
"""The makers of kernels of tau(t, Q) and of tau(t, Q, Omega), by label."""

ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "torque": (("t", "Q"), "Omega"),
    "torque_space": (("t", "Q"), "omega_space"),
    "nonconservative": (("t", "Q"), "Omega"),
    "potential": (("Q",), "", True),
}
"""What users' functions take, the name of the velocity if they may take it, and whether the time may come first."""


def users_functions(**by_label: Any) -> dict[str, Callable[..., Any]]:
    """The functions that are not None, checked."""
    for label, f in by_label.items():
        if is_from_c(f):
            raise InputError(f"{label} is a C function: wrap it by c_function(...), which says what it must look like.")
    return {label: function(label, f) for label, f in by_label.items() if f is not None}


def forms_of(users: Mapping[str, Callable[..., Any]], fields: Fields | None, in_law: bool) -> dict[str, Form]:
    """What each of the functions takes; InputError if they do not go together, or if nobody takes the parameters.

    `in_law`: the law of a controller does.
    """
    forms = {label: form(label, f, fields, *ARGUMENTS[label]) for label, f in users.items()}
    _check_together(forms)
    if fields is not None and not in_law and not any(x.fields for x in forms.values()):
        raise InputError(_unused(fields, forms))
    return forms


@dataclass(frozen=True)
class Kernels:
    """The torque as kernels: of t and Q alone, of the velocity too, and with damping and rotor in it."""

    torque: Kernel
    conservative: Kernel
    moving: dict[str, Kernel | None]
    potential: Kernel | None
    timed_potential: Kernel | None
    has_torque: bool


def is_derived(users: Mapping[str, Any]) -> bool:
    """Whether the torque is that of the potential, by the complex step, since the user gave none beside it."""
    return "potential" in users and not users.keys() & {"torque", "torque_space"}


MOST_RECENT = 4
"""Problems whose kernels are kept for the next that is made of the same functions."""

_RECENT: dict[tuple[Any, ...], tuple[Kernels, tuple[Any, ...]]] = {}
"""By the ids of the functions, which are held so that nothing else has them, and by all else that kernels hang on."""


def kernels(
    users: Mapping[str, Callable[..., Any]], forms: Mapping[str, Form], forces: Forces, controlled: bool
) -> Kernels:
    """The kernels of users' functions on a body with these forces and, if `controlled`, a torque that is held.

    Problems made one after the other of the same functions share their kernels, as a problem and its copies do: what
    is proved of a kernel, and compiled, need then not be proved again for every one. A kernel holds no number of a
    problem and calls the function itself, so that what it computes is what the function computes now.
    """
    key = tuple((label, id(f), forms[label]) for label, f in users.items()), forces, controlled
    recent = _RECENT.pop(key, None) or (_made(users, forms, forces, controlled), tuple(users.values()))
    _RECENT[key] = recent
    for old in list(_RECENT)[:-MOST_RECENT]:
        _RECENT.pop(old, None)
    return recent[0]


def _made(
    users: Mapping[str, Callable[..., Any]], forms: Mapping[str, Form], forces: Forces, controlled: bool
) -> Kernels:
    """`kernels`, made anew."""

    def of(make: Callable[..., Kernel], label: str) -> Kernel:
        return make(users[label], forms[label].fields)

    torques, moments = [], []
    for label, (body, moving) in TORQUES.items():
        if label in users and forms[label].velocity:
            moments.append(of(moving, label))
        elif label in users:
            torques.append(of(body, label))
    timed = takes_time(forms)
    if is_derived(users):
        derived = functions.timed_potential_only if timed else functions.potential_only
        torques.insert(0, of(derived, "potential"))
    torque = functions.no_torque
    if torques:
        torque = torques[0] if len(torques) == 1 else functions.of_two(*torques)
    if controlled:
        torque = functions.with_held(torque)
    pull = None
    if moments:
        pull = moments[0] if not torques and not controlled else functions.of_both(torque, moments[0])
    internal = lambda rotor: functions.with_internal(pull or torque, bool(moments), forces.damped, rotor)
    everything = with_motors(internal(False)) if forces.curved else internal(forces.rotor)
    potential = None
    if "potential" in users and not timed:
        potential = of(functions.user_potential, "potential")
    elif not torques and not moments:
        potential = functions.no_potential
    return Kernels(
        torque=torque,
        conservative=torques[0] if torques else functions.no_torque,
        moving={"pull": pull, "without rotor": internal(False), "all": everything},
        potential=potential,
        timed_potential=of(functions.timed_potential, "potential") if timed else None,
        has_torque=bool(torques) or forces.any or controlled,
    )


@recipe
def with_motors(torque: Kernel) -> Kernel:
    """A torque that takes the velocity, plus that of motors whose torques are functions."""
    return lambda t, Q, Omega, par: plus(torque(t, Q, Omega, par), curved_torque(t, Omega, par))


def takes_velocity(forms: Mapping[str, Form]) -> bool:
    """Whether a torque takes the velocity."""
    return any(form.velocity for form in forms.values())


def takes_time(forms: Mapping[str, Form]) -> bool:
    """Whether the potential takes the time."""
    return "potential" in forms and forms["potential"].first[0] == "t"


def _check_together(forms: Mapping[str, Form]) -> None:
    """Raise InputError if functions do not go together."""
    if "torque" in forms and "torque_space" in forms:
        raise InputError("Give torque (body axes) or torque_space (space axes), not both.")
    if "nonconservative" in forms and ("potential" not in forms or forms.keys() & {"torque", "torque_space"}):
        raise InputError(
            "nonconservative goes with a potential, from which the rest of the torque is derived: give potential=U and "
            "nonconservative=f, or the whole torque as torque=."
        )
    for label in ("torque", "torque_space"):
        if "potential" in forms and label in forms and forms[label].velocity:
            raise InputError(
                f"A {label} that depends on the velocity does not derive from a potential: give the part that does not "
                "as nonconservative=, and leave out the other, which is derived."
            )


def _unused(fields: Fields, forms: Mapping[str, Form]) -> str:
    what = "args" if fields.spread else "parameters"
    more = fields.names if fields.spread else ("p",)
    if not forms:
        return f"{what} are for a torque, a potential or the law of a controller, and none was given that takes them."
    return f"No function takes the {what}: write {next(iter(forms))}(..., {', '.join(more)}), or leave {what} out."
