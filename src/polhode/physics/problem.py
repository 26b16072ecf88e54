"""What a problem is: a body, a torque (and potential), and where it starts."""

import copy
import functools
import math
import struct
from dataclasses import replace
from typing import Any

import numpy as np

from polhode import inputs
from polhode.errors import FrozenError, InputError, one_line
from polhode.inputs import functions
from polhode.inputs import parameters as named
from polhode.inputs.from_c import is_from_c
from polhode.inputs.principal import velocity
from polhode.integrators.velocity import Forces, rotor_inside, takes_all
from polhode.kernels.step import INTERNAL
from polhode.physics.agreement import check_functions
from polhode.physics.control import Sampled
from polhode.physics.forces import Internal, damping_tensor
from polhode.physics.wheels import given_wheels, without_spin
from polhode.pickling import Travels
from polhode.shown import shown

REPLACED = (
    " Q0, Omega0, Pi0, t0, inertia, args and its parameters can be replaced; for anything else build the problem anew."
)
"""What `Problem.replaced` says when it is given something else."""


class Problem(Travels):
    """A rigid body about a fixed point, and the torque on it.

        Q' = Q hat(Omega),     J Omega' = (J Omega + l) x Omega + tau(t, Q, Omega) - C Omega

    Q maps body to space; Omega and tau are in body axes.

    inertia      three principal moments, or a symmetric 3x3 tensor in your body axes
    potential    U(Q) -> float, Q a 3x3 array, or U(t, Q). Alone it is enough: the torque is derived to round-off.
    torque       tau(t, Q) or tau(t, Q, Omega) -> three numbers in body axes; or
    torque_space the same in space axes, a function of (t, Q) or (t, Q, omega_space)
    nonconservative   a torque beside a potential that does not derive from it, a function as torque
    damping      C: a number, three, or a symmetric tensor; the torque is -C Omega in body axes
    control      Sampled(law, period=...): law(t, Q, Omega) -> torque in body axes, held for a period
    rotor        l: constant angular momentum of something that spins inside the body, in body axes; Pi0 stays J Omega0
    wheels       [Wheel(axis=, inertia=, speed=, torque=, max_torque=), ...], driven by motors; inertia is that of the
                 body with the wheels held fast, or, with inertia_includes_wheels=False, without their inertia about
                 their axes. Energy and momentum are those of everything; `inertia` of the problem is without the spins.
    parameters   {name: number or array} for functions that take p as their last argument: torque(t, Q, p), potential
                 (Q, p), with p.name; `replaced(name=...)` gives them other values, and nothing is compiled again
    args         the same one by one, for functions such as torque(t, Q, k, c)
    Q0           3x3 array, SciPy Rotation, or rotation vector; the identity if not given
    Omega0, Pi0  body angular velocity, or body angular momentum
    invariants   {name: function(Q, Omega) or (t, Q, Omega) -> number} that you expect to be conserved
    breaks       times at which the torque jumps; steps must begin there
    h, t_end     step and end of the interval to use when none is given
    """

    _is_made = False  # from the end of the construction on, a problem does not change

    @inputs.checked_call
    def __init__(
        self,
        *,
        inertia,
        potential=None,
        torque=None,
        torque_space=None,
        nonconservative=None,
        damping=None,
        rotor=None,
        wheels=None,
        inertia_includes_wheels=True,
        control=None,
        parameters=None,
        args=None,
        Q0=None,
        Omega0=None,
        Pi0=None,
        t0=0.0,
        invariants=None,
        name="problem",
        h=None,
        t_end=None,
        breaks=(),
    ):
        given = {
            "torque": torque,
            "torque_space": torque_space,
            "nonconservative": nonconservative,
            "potential": potential,
        }
        for label, f in given.items():
            if is_from_c(f):
                raise InputError(f"{label} is a function of C; give c_function(it), which says what it must look like.")
        given = {label: inputs.function(label, f) for label, f in given.items() if f is not None}
        invariants = inputs.functions_by_name("invariants", invariants)
        rotor = None if rotor is None else inputs.vector("rotor", rotor)
        spinning = given_wheels(wheels, rotor)
        included = inputs.flag("inertia_includes_wheels", inertia_includes_wheels)
        if spinning is not None:
            if Pi0 is not None:
                raise InputError("Pi0 does not say what of it is in the wheels: give Omega0.")
            inertia = without_spin(inertia, spinning.each, included)
        self._set_data(inertia, Q0, Omega0, Pi0, t0, invariants, name, h, t_end, breaks)
        self.internal = Internal(
            None if damping is None else damping_tensor(damping),
            rotor,
            since=self.t0,
            held=None if control is None else (0.0, 0.0, 0.0),
        )
        if spinning is not None:
            self.internal = self.internal.turning(spinning.started(self.Omega0, self.t0))
        if control is not None and not isinstance(control, Sampled):
            raise InputError(f"control is {one_line(control)}; give Sampled(law, period=...).")
        self.control = control
        first = named.FIRST + INTERNAL * self.internal.any
        self.fields, row = named.fields(parameters, args, first)
        forms = {label: functions.form(label, f, self.fields, *_ARGUMENTS[label]) for label, f in given.items()}
        _check_together(given, forms)
        if self.fields is not None and not any(x.fields for x in forms.values()):
            raise InputError(_unused(self.fields, forms))
        self.functions, self.parameters_of = given, _axes_alone
        self._set_kernels(given, forms)
        self.parameters = (0.0,) * first + row
        self.parameters += max(0, functions.PARAMETERS - len(self.parameters)) * (0.0,)
        self.parameters = self._own_parameters()
        asked = {label: functions.with_values(given[label], forms[label].fields, row) for label in given}
        torques = {label: (f, forms[label]) for label, f in asked.items() if label != "potential"}
        timed = self.timed_potential_kernel is not None
        check_functions(self, torques, asked.get("potential"), timed)
        self._is_made = True

    def _set_kernels(self, given, forms):
        """The torque as kernels: of t and Q alone, of the velocity too, and with damping and rotor in it."""
        of = lambda make, label: make(given[label], forms[label].fields)
        torques, moments = [], []
        for label, body, moving in (
            ("torque", functions.body_torque, functions.body_moment),
            ("torque_space", functions.space_torque, functions.space_moment),
            ("nonconservative", functions.body_torque, functions.body_moment),
        ):
            if label in given and forms[label].velocity:
                moments.append(of(moving, label))
            elif label in given:
                torques.append(of(body, label))
        timed = "potential" in given and forms["potential"].first[0] == "t"
        if "potential" in given and not given.keys() & {"torque", "torque_space"}:
            derived = functions.timed_potential_only if timed else functions.potential_only
            torques.insert(0, of(derived, "potential"))
        self.torque_kernel = functions.no_torque
        if torques:
            self.torque_kernel = torques[0] if len(torques) == 1 else functions.of_two(*torques)
        self.conservative_kernel = torques[0] if torques else functions.no_torque
        if self.control is not None:
            self.torque_kernel = functions.with_held(self.torque_kernel)
        self.forces = self.internal.forces(moving=bool(moments))
        self.has_torque = bool(torques) or self.forces.any or self.control is not None
        pull = None
        if moments:
            alone = not torques and self.control is None
            pull = moments[0] if alone else functions.of_both(self.torque_kernel, moments[0])
        base, damped, rotor = pull or self.torque_kernel, self.forces.damped, self.forces.rotor
        self.moving_kernels = {
            "pull": pull,
            "without rotor": functions.with_internal(base, bool(moments), damped, False),
            "all": functions.with_internal(base, bool(moments), damped, rotor),
        }
        self.potential_kernel = self.timed_potential_kernel = None
        if timed:
            self.timed_potential_kernel = of(functions.timed_potential, "potential")
        elif "potential" in given:
            self.potential_kernel = of(functions.user_potential, "potential")
        elif not torques and not moments:
            self.potential_kernel = functions.no_potential

    @classmethod
    @inputs.checked_call
    def from_kernels(
        cls,
        *,
        inertia,
        torque,
        potential,
        parameters=(),
        Q0=None,
        Omega0=None,
        Pi0=None,
        t0=0.0,
        invariants=None,
        name,
        h=None,
        t_end=None,
        breaks=(),
    ):
        """A problem whose torque(t, Q, parameters) and potential(Q, parameters) are kernels on tuples.

        What is derived from the inertia is given as a function of it, and follows when the inertia changes:
        `parameters` (moments (n, 3), axes (n, 3, 3)) -> numbers (n, k) of n bodies, `invariants` (inertia) -> dict.
        """
        self = cls.__new__(cls)
        inputs.function("torque", torque)
        if potential is not None:
            inputs.function("potential", potential)
        self._set_data(inertia, Q0, Omega0, Pi0, t0, invariants, name, h, t_end, breaks)
        if not callable(parameters) and not np.array_equal(self.axes, np.eye(3)):
            raise InputError("Kernels work in principal axes: give the three principal moments as inertia.")
        self.torque_kernel, self.potential_kernel, self.timed_potential_kernel = torque, potential, None
        self.has_torque = torque is not functions.no_torque
        self.functions = self.fields = None
        self.internal, self.forces, self.moving_kernels, self.conservative_kernel = Internal(), Forces(), {}, torque
        self.control = None
        self.parameters_of = parameters if callable(parameters) else None
        room = functions.PARAMETERS
        self.parameters = (
            self._own_parameters() if callable(parameters) else inputs.padded("parameters", parameters, room)
        )
        self._is_made = True
        return self

    def _set_data(self, inertia, Q0, Omega0, Pi0, t0, invariants, name, h, t_end, breaks):
        self.name = inputs.text("name", name)
        self._told: set[str] = set()  # what has been warned of
        self.moments, self.axes = inputs.principal_axes("inertia", inertia)
        self.inertia = np.array(inertia, dtype=float)
        self.Q0 = inputs.rotation("Q0", Q0)
        if (Omega0 is None) == (Pi0 is None):
            given = "both" if Omega0 is not None else "neither"
            raise InputError(f"Give Omega0 or Pi0, one of them; {given} was given.")
        self.given_Pi0 = None if Pi0 is None else inputs.vector("Pi0", Pi0)
        if Pi0 is None:
            self.Omega0 = inputs.vector("Omega0", Omega0)
        else:
            self.Omega0 = velocity(self.moments, self.axes, self.given_Pi0)
        self.t0 = inputs.number("t0", t0)
        self.h = None if h is None else inputs.step_size(h)
        self.t_end = None if t_end is None else inputs.number("t_end", t_end)
        self._invariants_of = invariants if callable(invariants) else None
        named = {} if self._invariants_of else inputs.functions_by_name("invariants", invariants)
        self.invariants = self.invariants_for(self.inertia, named)
        self.breaks = inputs.times("breaks", breaks)
        self.sources, self.landmarks = (), {}  # for shipped problems: BibTeX keys, attitudes worth marking in a picture

    def __setattr__(self, name: str, value: Any) -> None:
        if self._is_made:
            raise FrozenError(
                f"A Problem does not change, so {name} cannot be given to {self.name!r}: make another one, or a copy "
                "with another start or inertia by problem.replaced(...)."
            )
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        raise FrozenError(f"A Problem does not change, so {name} cannot be taken from {self.name!r}.")

    def copied(self, **data: Any) -> "Problem":
        """A copy with some attributes replaced by `data` that whoever calls this has checked; see `replaced`."""
        other = copy.copy(self)
        vars(other).update(data)
        return other

    def _repr_html_(self):
        return shown("problem, a card", self)

    def __repr__(self):
        kind = "free" if not self.has_torque else "with a potential" if self.has_energy else "with a torque"
        return f"<Problem {self.name}: {kind}, inertia {np.array2string(self.inertia, separator=', ')}>"

    @property
    def tensor(self):
        """The inertia as a 3x3 tensor in the user's body axes."""
        return np.diag(self.inertia) if self.inertia.ndim == 1 else self.inertia

    @property
    def has_potential(self):
        """Whether there is a potential of the attitude alone, so that an energy is conserved but for other torques."""
        return self.potential_kernel is not None

    @property
    def has_energy(self):
        """Whether there is an energy to speak of: with a potential U(Q), or U(t, Q)."""
        return self.has_potential or self.timed_potential_kernel is not None

    def torque(self, t, Q, Omega=None):
        """The torque at time t and attitude Q (3x3), in body axes; at the velocity Omega, where it depends on it.

        With damping and a rotor it is all that stands beside J Omega x Omega in the equation of motion, but for what a
        controller holds.
        """
        if self.forces.any:
            if Omega is None:
                raise InputError(f"The torque of {self.name!r} depends on the velocity: give torque(t, Q, Omega).")
            velocity = tuple((np.asarray(Omega) @ self.axes).tolist())
            return self._at(self.moving_kernels["all"], t, Q, velocity)
        return self._at(self.torque_kernel, t, Q)

    def conservative_torque(self, t, Q):
        """The part of the torque that has a potential, if there is one."""
        return self._at(self.conservative_kernel, t, Q)

    def _at(self, kernel, t, Q, *velocity):
        Qp = np.asarray(Q) @ self.axes
        return self.axes @ np.array(kernel(t, tuple(Qp.ravel().tolist()), *velocity, self.parameters))

    def potential(self, Q, t=None):
        """The potential energy at attitude Q, and at time t where it depends on it."""
        if not self.has_energy:
            raise InputError(f"The problem {self.name!r} has no potential, so it has no energy: give potential=U.")
        Qp = tuple((np.asarray(Q) @ self.axes).ravel().tolist())
        if self.has_potential:
            return self.potential_kernel(Qp, self.parameters)
        if t is None:
            raise InputError(f"The potential of {self.name!r} depends on the time: give t=.")
        return self.timed_potential_kernel(t, Qp, self.parameters)

    def energy(self, Q, Omega, t=None):
        """Kinetic plus potential energy."""
        Omega, spins = np.asarray(Omega), 0.0
        if self.internal.wheels is not None:
            if t is None and self.forces.motors:
                raise InputError(f"The motors of {self.name!r} change the energy of the wheels: give t=.")
            spins = self.internal.energy(np.array([self.t0 if t is None else t]))[0]
        return 0.5 * Omega @ self.tensor @ Omega + self.potential(Q, t) + spins

    @inputs.checked_call
    def replaced(self, *, Q0=None, Omega0=None, Pi0=None, t0=None, inertia=None, args=None, **parameters):
        """The same problem with another start, inertia, parameters or args; what has been compiled is shared.

        What is derived from the inertia follows it: the torque and the invariants of shipped and built problems,
        Omega0 of a problem that was given Pi0. A function of your own keeps what it contains.
        """
        if Omega0 is not None and Pi0 is not None:
            raise InputError("Give Omega0 or Pi0, one of them; both were given.")
        other, data = self, {}
        if args is not None or parameters:
            other = self.with_row(self._replaced_row(args, parameters))
        if inertia is not None:
            moments, axes = inputs.principal_axes("inertia", inertia)
            self.check_inertia(is_tensor=np.ndim(inertia) == 2)
            numbers = other.parameters_for(moments[None], axes[None])[0]
            other = other.with_inertia(np.array(inertia, dtype=float), moments, axes, tuple(numbers.tolist()))
        if Q0 is not None:
            data["Q0"] = inputs.rotation("Q0", Q0)
        given_Pi0 = self.given_Pi0 if Pi0 is None else inputs.vector("Pi0", Pi0)
        if Omega0 is not None:
            data |= {"Omega0": inputs.vector("Omega0", Omega0), "given_Pi0": None}
        elif given_Pi0 is not None:
            data |= {"Omega0": velocity(other.moments, other.axes, given_Pi0), "given_Pi0": given_Pi0}
        if t0 is not None:
            data["t0"] = inputs.number("t0", t0)
        other = other.copied(**data)
        wheels = self.internal.wheels
        if wheels is not None and data.keys() & {"Omega0", "t0"}:  # their speeds are relative to the body, at the start
            other = other.copied(internal=self.internal.turning(wheels.started(other.Omega0, other.t0)))
            other = other.copied(parameters=other._own_parameters())
        return other

    # ---- what follows from the inertia --------------------------------------------------------------

    def parameters_for(self, moments, axes):
        """The parameters of n bodies of these moments (n, 3) and axes (n, 3, 3): (1 or n, PARAMETERS)."""
        if self.parameters_of is None:
            return np.array([self.parameters])
        numbers = self.parameters_of(moments, axes)
        if self.functions is not None:
            if self.internal.any:
                numbers = np.concatenate([numbers, self.internal.numbers(axes)], axis=1)
            rest = self.parameters[numbers.shape[1] :]  # what the user named stays what it is
        else:
            rest = (0.0,) * (functions.PARAMETERS - numbers.shape[1])
        return np.concatenate([numbers, np.broadcast_to(rest, (len(numbers), len(rest)))], axis=1)

    @property
    def _first(self):
        """Where among the parameters those begin that the user named."""
        return named.FIRST + INTERNAL * self.internal.any

    def parameter_rows(self, moments, axes, rows):
        """As `parameters_for`, with rows (1 or n, k) of what the user named."""
        numbers = self.parameters_for(moments, axes)
        n = max(len(numbers), len(rows))
        numbers = np.array(np.broadcast_to(numbers, (n, numbers.shape[1])), order="C")
        numbers[:, self._first : self._first + rows.shape[1]] = rows
        return numbers

    @property
    def row(self):
        """The numbers of the parameters that the user named, one after the other."""
        return self.parameters[self._first :][: sum(map(math.prod, self.fields.shapes)) if self.fields else 0]

    def with_row(self, row):
        """A copy with other values of what the user named."""
        at = self._first
        return self.copied(parameters=self.parameters[:at] + row + self.parameters[at + len(row) :])

    def _replaced_row(self, args, parameters):
        fields = named.check_names(self.fields, parameters, f"The problem {self.name!r}", REPLACED)
        if args is None:
            return fields.replaced(self.row, parameters)
        if self.fields is None or not self.fields.spread:
            raise InputError(f"The problem {self.name!r} was made without args=.")
        values = dict(zip(self.fields.names, inputs.items("args", args, "a sequence of numbers and arrays")))
        if len(values) != len(self.fields.names) or len(args) != len(values):
            raise InputError(f"args has {len(args)} values; the problem has {len(self.fields.names)}.")
        return self.fields.replaced(self.row, values)

    def _own_parameters(self):
        return tuple(self.parameters_for(self.moments[None], self.axes[None])[0].tolist())

    def invariants_for(self, inertia, otherwise):
        """The invariants of a body of this inertia; `otherwise` if they are functions of the user's own."""
        return otherwise if self._invariants_of is None else self._invariants_of(inertia)

    def check_inertia(self, is_tensor):
        """Raise InputError when the kernels, or numbers given for them, cannot follow to another inertia."""
        if self.internal.wheels is not None:
            raise InputError(
                f"{self.name!r} has wheels, whose inertia is part of that of the body: build the problem anew with the "
                "other inertia."
            )
        if self.parameters_of is None and (is_tensor or not np.array_equal(self.axes, np.eye(3))):
            raise InputError(
                f"The torque of {self.name!r} is written in principal axes: give moments (N, 3) for a problem made "
                "with moments, or a sequence of problems."
            )
        if self.parameters != self._own_parameters():
            raise InputError(
                f"The parameters of {self.name!r} follow from its inertia, but were given by themselves: build the "
                "problem anew with the other inertia."
            )

    def with_inertia(self, inertia, moments, axes, parameters):
        """A copy of another inertia; `parameters` are those that belong to it."""
        return self.copied(
            inertia=inertia,
            moments=moments,
            axes=axes,
            parameters=parameters,
            invariants=self.invariants_for(inertia, self.invariants),
        )

    # ---- what a run needs ---------------------------------------------------------------------------

    def start(self, Q=None, Omega=None):
        """(q, Pi) in principal axes, as tuples of floats."""
        Q = self.Q0 if Q is None else Q
        Omega = self.Omega0 if Omega is None else Omega
        return _start(Q.tobytes(), Omega.tobytes(), self.axes.tobytes(), self.moments.tobytes())

    @property
    def made_of(self):
        """The functions that decide how the body moves, for fingerprints; the potential is the last."""
        held = (None, None) if self.control is None else (self.control.law, self.control.period)
        timed = self.timed_potential_kernel
        known = (self.torque_kernel, self.moving_kernels.get("all"), *held, timed, self.potential_kernel)
        return [f for f in known if f is not None]

    def holding(self, u):
        """A copy in which the controller holds the torque u, in the user's axes."""
        other = self.copied(internal=replace(self.internal, held=tuple(u.tolist())))
        return other.copied(parameters=other._own_parameters())

    def check_uncontrolled(self, who):
        """Raise InputError where something cannot call a controller and there is one."""
        if self.control is not None:
            raise InputError(f"{who} takes no controller, and {self.name!r} has one.")

    def check_of_attitude(self, who):
        """Raise InputError where something takes a torque tau(t, Q) only and this one depends on the velocity."""
        self.check_uncontrolled(who)
        if self.forces.any:
            raise InputError(
                f"{who} takes a torque of t and Q only, and that of {self.name!r} depends on the velocity."
            )

    def source(self, method):
        """The torque that a method is given, and whether it takes the velocity; see ``integrators/velocity.py``."""
        if takes_all(method, self.forces):
            inside = rotor_inside(method, self.forces)
            if self.forces.moving or self.forces.damped or not inside:
                return self.moving_kernels["without rotor" if inside else "all"], True
        elif self.forces.moving:
            return self.moving_kernels["pull"], True
        return self.torque_kernel, False

    @property
    def machine_torque(self):
        """The torque as it is now, as machine code; or None (with one warning) when it cannot be compiled."""
        return self._compiled("torque", self.torque_kernel)

    def machine_moment(self, kernel, kind):
        """A torque that takes the velocity, as machine code of a type; or None (with one warning)."""
        return self._compiled("torque", kernel, kind)

    @property
    def machine_potential(self):
        """The potential as it is now, as machine code; or None (with one warning) when it cannot be compiled."""
        return self._compiled("potential", self.potential_kernel)

    def _compiled(self, kind, kernel, *of):
        from polhode.machine import compile

        try:
            return getattr(compile, kind)(kernel, *of)
        except compile.CannotCompile as error:
            if kind in self._told:
                return None
            self._told.add(kind)
            inputs.warn(
                f"The {kind} of problem {self.name!r} could not be compiled and runs interpreted, about a thousand "
                f"times slower. Numba says: {error.reason} Write it with indices, arithmetic and NumPy functions that "
                "Numba knows."
            )
            return None


@functools.lru_cache(maxsize=256)
def _start(Q, Omega, axes, moments):
    """(q, Pi) from the bytes of matrices and vectors: most runs begin where one has begun before."""
    (a, b, c, d, e, f, g, h, i), (x, y, z), J = _NINE.unpack(Q), _THREE.unpack(Omega), _THREE.unpack(moments)
    numbers = _NINE.unpack(axes)
    P = numbers[:3], numbers[3:6], numbers[6:]
    rows = (a, b, c), (d, e, f), (g, h, i)
    q = quaternion_of_one([[a * x + b * y + c * z + 0.0 for x, y, z in zip(*P)] for a, b, c in rows])
    return q, tuple(Jk * (a * x + b * y + c * z + 0.0) for Jk, a, b, c in zip(J, *P))


_THREE, _NINE = struct.Struct("3d"), struct.Struct("9d")


# ---- checks ------------------------------------------------------------------------------------------


def _axes_alone(moments, axes):
    """The parameters of a user's function: the axes it is written in (``polhode.inputs.functions``)."""
    return axes.reshape(-1, 9)


_ARGUMENTS = {
    "torque": (("t", "Q"), "Omega"),
    "torque_space": (("t", "Q"), "omega_space"),
    "nonconservative": (("t", "Q"), "Omega"),
    "potential": (("Q",), "", True),
}
"""What users' functions take, what the velocity is called where they may, and whether the time may come first."""


def _check_together(given, forms):
    """Raise InputError where functions do not go together."""
    if "torque" in given and "torque_space" in given:
        raise InputError("Give torque (body axes) or torque_space (space axes), not both.")
    if "nonconservative" in given and ("potential" not in given or given.keys() & {"torque", "torque_space"}):
        raise InputError(
            "nonconservative stands beside a potential, and the rest of the torque is derived from that: give "
            "potential=U and nonconservative=f, or the whole torque as torque=."
        )
    for label in ("torque", "torque_space"):
        if "potential" in given and label in given and forms[label].velocity:
            raise InputError(
                f"A {label} of the velocity has no potential: give the part that does not derive from the potential as "
                "nonconservative=, and leave the other to be derived."
            )


def _unused(fields, taken):
    what = "args" if fields.spread else "parameters"
    more = fields.names if fields.spread else ("p",)
    if not taken:
        return f"{what} are for a torque or a potential, and none was given."
    return f"No function takes the {what}: write {next(iter(taken))}(..., {', '.join(more)}), or leave {what} out."


def quaternion(Q):
    """Unit quaternions (..., 4), scalar first, of matrices (..., 3, 3): the longest row of 4 q q^T, normalised."""
    x, y, z = (Q[..., i, i] for i in range(3))
    a, b, c = Q[..., 2, 1] - Q[..., 1, 2], Q[..., 0, 2] - Q[..., 2, 0], Q[..., 1, 0] - Q[..., 0, 1]
    d, e, f = Q[..., 1, 0] + Q[..., 0, 1], Q[..., 0, 2] + Q[..., 2, 0], Q[..., 2, 1] + Q[..., 1, 2]
    rows = ((1 + x + y + z, a, b, c), (a, 1 + x - y - z, d, e), (b, d, 1 - x + y - z, f), (c, e, f, 1 - x - y + z))
    table = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    longest = np.argmax(np.stack([rows[i][i] for i in range(4)], axis=-1), axis=-1)
    q = np.take_along_axis(table, longest[..., None, None], axis=-2)[..., 0, :]
    length = np.sqrt(q[..., 0] ** 2 + q[..., 1] ** 2 + q[..., 2] ** 2 + q[..., 3] ** 2)
    return q / length[..., None]


def quaternion_of_one(Q):
    """`quaternion` of one matrix, given as three lists of floats: the same bits, without arrays."""
    (x, xy, xz), (yx, y, yz), (zx, zy, z) = Q
    a, b, c, d, e, f = zy - yz, xz - zx, yx - xy, yx + xy, xz + zx, zy + yz
    rows = ((1 + x + y + z, a, b, c), (a, 1 + x - y - z, d, e), (b, d, 1 - x + y - z, f), (c, e, f, 1 - x - y + z))
    w, x, y, z = max(enumerate(rows), key=lambda row: row[1][row[0]])[1]
    length = math.sqrt(w * w + x * x + y * y + z * z)
    return (w / length, x / length, y / length, z / length)
