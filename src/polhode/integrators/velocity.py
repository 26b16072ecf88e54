"""How a method takes torques that depend on the velocity, damping and rotors: as it says in `Method.velocity`.

"stages"    it evaluates the torque where it knows the velocity; a rotor is the torque l x Omega
"momenta"   the same, and its velocities come from the momentum, so that a rotor goes inside: Pi = J Omega + l
"kicks"     it is kick, free step, kick; see ``parts/kicks.py``
None        it does not
"""

from dataclasses import dataclass, replace

from polhode.errors import InputError
from polhode.integrators.composition import composed_step
from polhode.integrators.method import KICKS, MOMENTA, STAGES, Method
from polhode.integrators.parts.kicks import lifted_start, lifted_step, total_start, total_step


@dataclass(frozen=True)
class Forces:
    """What acts on a body besides a torque tau(t, Q): damping, a torque that takes the velocity, a rotor, motors."""

    damped: bool = False
    moving: bool = False
    rotor: bool = False
    motors: bool = False  # which change the momentum of the rotor
    curved: bool = False  # the motors do that not at a constant rate

    @property
    def any(self) -> bool:
        """Whether there is anything of the kind."""
        return self.damped or self.moving or self.rotor

    @property
    def keep_energy(self) -> bool:
        """Whether none of them does work."""
        return not (self.damped or self.moving or self.motors)


def adapted(method: Method, forces: Forces, one_size: bool = True) -> Method:
    """The method for a body on which these act; itself if there are none. `one_size`: all its steps are of one size."""
    if not forces.any or method.free_only or method.lifted:
        return method
    if method.velocity is None:
        raise InputError(_refusal(method, forces))
    lifts = method.velocity == KICKS
    if not lifts and not (forces.rotor and rotor_inside(method, forces)):
        return method
    key = id(method), forces, one_size
    found = _ADAPTED.get(key)
    if found is not None and found[0] is method:
        return found[1]
    if lifts:
        made = _lifted(method, forces, carried=one_size)
    else:
        made = replace(method, step=total_step(method.step), start=total_start(method.start), lifted=True)
    if len(_ADAPTED) >= MOST_ADAPTED:
        _ADAPTED.clear()
    _ADAPTED[key] = method, made
    return made


MOST_ADAPTED = 256
_ADAPTED: dict[tuple[int, Forces, bool], tuple[Method, Method]] = {}
"""Methods with what was made of them, by their id: a run that asks again is given the very same, which is known by it.
Each is held beside its id, so that no other has that."""


def takes_all(method: Method, forces: Forces) -> bool:
    """Whether the method is given one torque with everything in it, which takes the velocity."""
    return forces.any and method.velocity in (STAGES, MOMENTA)


def rotor_inside(method: Method, forces: Forces) -> bool:
    """Whether the method knows of the rotor itself."""
    return method.velocity == MOMENTA and not forces.motors


def how(method: Method) -> str:
    """How a method takes torques of the velocity, in words."""
    if method.free_only or method.velocity is None:
        return "It takes none."
    if method.velocity == KICKS:
        words = (
            "By kicks around the free step: damping is solved exactly in them and stays explicit; any other dependence "
            "on the velocity makes a kick implicit, because what the torque depends on is what the kick changes. A "
            "rotor is a turn before and after the free step."
        )
        backwards = (
            " Its substeps backwards amplify what damps; GAUSS8 and GAUSS16 have none." if method.composed else ""
        )
        return words + backwards
    stages = "explicit as ever" if method.explicit_torque else "which it solves for in any case"
    inside = "a rotor is inside, Pi = J Omega + l" if method.velocity == MOMENTA else "a rotor is the torque l x Omega"
    return f"At its stages, {stages}; {inside}."


def torques_per_step(method: Method, forces: Forces) -> int | None:
    """Evaluations of the torque a step where these act; None where it becomes implicit."""
    return adapted(method, forces).torques_per_step


def _lifted(method: Method, forces: Forces, carried: bool = True) -> Method:
    """The method around which the kicks stand; what depends on h is carried, but not by parts of a composition."""
    damped, moving, rotor = forces.damped, forces.moving, forces.rotor
    if method.composed is not None:
        base, s = method.composed
        inner = _lifted(base, forces, carried=False)
        step, start = composed_step(inner.step, inner.start, s), method.start
        torques = None if inner.torques_per_step is None else s * inner.torques_per_step
    else:
        curved = (True,) if forces.curved else ()
        step = lifted_step(method.step, damped, moving, rotor, carried, *curved)
        start = lifted_start(method.start, damped, moving) if carried else lifted_start(method.start)
        torques = None if moving else 1
    return replace(method, step=step, start=start, torques_per_step=torques, lifted=True)


def _refusal(method: Method, forces: Forces) -> str:
    from polhode.integrators.catalogue import methods

    what = "a torque that depends on the velocity" if forces.moving else "damping" if forces.damped else "a rotor"
    why = " (its conditions of order hold for torques of t and Q only)" if "Nystrom" in method.family else ""
    can = ", ".join(name for name, m in methods().items() if m.velocity is not None)
    return (
        f"{method.name} does not take {what}{why}. These do: {can}. Of high order without substeps backwards, which "
        "amplify what damps: GAUSS8, GAUSS16."
    )
