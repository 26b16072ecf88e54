"""What a problem is: a body, a torque (and potential), and where it starts."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from polhode import inputs
from polhode.errors import InputError, one_line
from polhode.inputs import functions
from polhode.inputs import parameters as named
from polhode.inputs.forms import Form, with_values
from polhode.inputs.principal import velocity
from polhode.inputs.rotations import AttitudeLike
from polhode.integrators.velocity import Forces
from polhode.kernels.numbers import Kernel
from polhode.physics import torques
from polhode.physics.agreement import check_functions
from polhode.physics.control import Continuous, Sampled, law_of, of_motors
from polhode.physics.for_runs import ForRuns
from polhode.physics.forces import Internal, damping_tensor
from polhode.physics.quantities import Quantities
from polhode.physics.wheels import Wheel, Wheels, given_wheels, without_spin


class Problem(Quantities, ForRuns):
    """A rigid body about a fixed point, and the torque on it.

        Q' = Q hat(Omega),     J Omega' = (J Omega + l) x Omega + tau(t, Q, Omega) - C Omega

    Q maps body to space; Omega and tau are in body axes.

    Parameters
    ----------
    inertia : three numbers or 3x3 array
        three principal moments, or a symmetric 3x3 tensor in your body axes
    potential : callable
        U(Q) -> float, Q a 3x3 array, or U(t, Q). It is enough alone: the torque is derived from it, to round-off.
    torque : callable
        tau(t, Q) or tau(t, Q, Omega) -> three numbers in body axes; or
    torque_space : callable
        the same in space axes, a function of (t, Q) or (t, Q, omega_space)
    nonconservative : callable
        a torque, beside the potential, that does not derive from it; a function like torque
    damping : float, three numbers or 3x3 array
        C: a number, three, or a symmetric tensor; the torque is -C Omega in body axes
    control : Sampled
        Sampled(law, period=...): law(t, Q, Omega) -> torque in body axes, held for a period; with wheels=True ->
        torques of the motors, one for each wheel; or law(t, Q, Omega, p)
    rotor : three numbers
        l: constant angular momentum of something that spins inside the body, in body axes; Pi0 stays J Omega0
    wheels : sequence of Wheel
        [Wheel(axis=, inertia=, speed=, torque=, max_torque=), ...], driven by motors whose torques are constant,
        functions of (t, Q, Omega), or sampled. `inertia` is that of the body with the wheels held fast, or, with
        inertia_includes_wheels=False, without their inertia about their axes. Energy and momentum are those of
        everything; the attribute `inertia` is without the spins.
    parameters : dict
        {name: number or array} for functions that take p as their last argument: torque(t, Q, p), potential(Q, p); they
        read p.name. `replaced(name=...)` gives other values, and nothing is compiled again
    args : tuple
        parameters without names, one by one, for functions such as torque(t, Q, k, c)
    Q0 : 3x3 array, Rotation or three numbers
        3x3 array, SciPy Rotation, or rotation vector; the identity if not given
    Omega0, Pi0 : three numbers
        body angular velocity, or body angular momentum
    invariants : dict of callables
        {name: f} with f(Q, Omega), f(t, Q, Omega) or, with parameters, f(t, Q, Omega, p) -> a number that you expect to
        be conserved. They are in plots, tables and files, `s.invariant(name)` gives them, and `reduce=name` of a run
        gives least, greatest, mean and slope
    breaks : sequence of float
        times at which the torque jumps; steps must begin there
    h, t_end : float
        the step and the end of the interval for runs that are given none

    Raises
    ------
    InputError
        A number or function that cannot be used; the sentence says what is allowed.

    Examples
    --------
    >>> import polhode as ph
    >>> body = ph.Problem(inertia=(1, 2, 3), potential=lambda Q: -Q[2, 2], Omega0=(0, 0, 5))
    >>> float(body.energy(body.Q0, body.Omega0))
    36.5
    """

    @inputs.checked_call
    def __init__(
        self,
        *,
        inertia: ArrayLike,
        potential: Callable[..., Any] | None = None,
        torque: Callable[..., Any] | None = None,
        torque_space: Callable[..., Any] | None = None,
        nonconservative: Callable[..., Any] | None = None,
        damping: ArrayLike | None = None,
        rotor: ArrayLike | None = None,
        wheels: Wheel | Sequence[Wheel] | None = None,
        inertia_includes_wheels: bool = True,
        control: Sampled | None = None,
        parameters: Mapping[str, ArrayLike] | None = None,
        args: Sequence[ArrayLike] | None = None,
        Q0: AttitudeLike | None = None,
        Omega0: ArrayLike | None = None,
        Pi0: ArrayLike | None = None,
        t0: float = 0.0,
        invariants: Mapping[str, Callable[..., Any]] | None = None,
        name: str = "problem",
        h: float | None = None,
        t_end: float | None = None,
        breaks: ArrayLike = (),
    ) -> None:
        self.check_methods()
        users = torques.users_functions(
            torque=torque, torque_space=torque_space, nonconservative=nonconservative, potential=potential
        )
        checked = inputs.functions_by_name("invariants", invariants)
        rotor = None if rotor is None else inputs.vector("rotor", rotor)
        each = given_wheels(wheels)
        included = inputs.flag("inertia_includes_wheels", inertia_includes_wheels)
        control = of_motors(tuple(w.torque for w in each), control)
        if each:
            if Pi0 is not None:
                raise InputError("Pi0 does not say how much of it is in the wheels: give Omega0.")
            inertia = without_spin(inertia, each, included)
        self._set_body(name, inertia, checked)
        self._set_start(Q0, Omega0, Pi0, t0)
        self._set_run(h, t_end, breaks)
        self.control, self.internal = control, self._inside(damping, rotor, each, control)
        first = named.FIRST + self.internal.count
        self.fields, row = named.fields(parameters, args, first)
        self.law, in_law = (None, False) if control is None else law_of(control, len(each), self.fields)
        forms = torques.forms_of(users, self.fields, in_law)
        self.functions, self.parameters_of = users, _axes_alone
        self._set_kernels(users, forms)
        self.parameters = (0.0,) * first + row
        self.parameters += max(0, functions.PARAMETERS - len(self.parameters)) * (0.0,)
        self.parameters = self.own_parameters()
        own = {label: with_values(users[label], forms[label].fields, row) for label in users}
        tried = {label: (f, forms[label]) for label, f in own.items() if label != "potential"}
        check_functions(self, tried, own.get("potential"), torques.takes_time(forms))
        self.settle()
        self._is_made = True

    def _inside(
        self,
        damping: ArrayLike | None,
        rotor: np.ndarray | None,
        wheels: tuple[Wheel, ...],
        control: Sampled | Continuous | None,
    ) -> Internal:
        """What acts besides the torque: damping, what spins inside, and what a controller holds."""
        inside = Internal(
            None if damping is None else damping_tensor(damping),
            rotor,
            since=self.t0,
            held=None if control is None or control.wheels else (0.0, 0.0, 0.0),
        )
        if not wheels:
            return inside
        beside, sampled = np.zeros(3) if rotor is None else rotor, control is not None and control.wheels
        spinning = Wheels(wheels, np.zeros(len(wheels)), self.t0, beside, sampled, isinstance(control, Continuous))
        return inside.turning(spinning.started(self.Omega0, self.t0))

    def _set_kernels(self, users: dict[str, Callable[..., Any]], forms: dict[str, Form]) -> None:
        self.forces = self.internal.forces(moving=torques.takes_velocity(forms))
        kernels = torques.kernels(users, forms, self.forces, self.internal.held is not None)
        self.torque_kernel, self.conservative_kernel = kernels.torque, kernels.conservative
        self.potential_kernel, self.timed_potential_kernel = kernels.potential, kernels.timed_potential
        self.moving_kernels = kernels.moving
        self.has_torque = kernels.has_torque

    @classmethod
    @inputs.checked_call
    def from_kernels(
        cls,
        *,
        inertia: ArrayLike,
        torque: Kernel,
        potential: Kernel | None,
        parameters: Sequence[float] | np.ndarray | Callable[[np.ndarray, np.ndarray], np.ndarray] = (),
        Q0: AttitudeLike | None = None,
        Omega0: ArrayLike | None = None,
        Pi0: ArrayLike | None = None,
        t0: float = 0.0,
        invariants: Callable[..., Any] | Mapping[str, Callable[..., Any]] | None = None,
        name: str,
        h: float | None = None,
        t_end: float | None = None,
        breaks: ArrayLike = (),
    ) -> Self:
        """A problem whose torque(t, Q, parameters) and potential(Q, parameters) are kernels on tuples.

        What depends on the inertia is given as a function of it, and follows when the inertia changes: `parameters`
        (moments (n, 3), axes (n, 3, 3)) -> numbers (n, k) of n bodies, `invariants` (inertia) -> dict.
        """
        self = cls.__new__(cls)
        inputs.function("torque", torque)
        if potential is not None:
            inputs.function("potential", potential)
        self._set_body(name, inertia, invariants)
        self._set_start(Q0, Omega0, Pi0, t0)
        self._set_run(h, t_end, breaks)
        if not callable(parameters) and not np.array_equal(self.axes, np.eye(3)):
            raise InputError("Kernels work in principal axes: give the three principal moments as inertia.")
        self.torque_kernel, self.potential_kernel, self.timed_potential_kernel = torque, potential, None
        self.has_torque = torque is not functions.no_torque
        self.functions = self.fields = None
        self.internal, self.forces, self.moving_kernels, self.conservative_kernel = Internal(), Forces(), {}, torque
        self.control = self.law = None
        self.parameters_of = parameters if callable(parameters) else None
        room = functions.PARAMETERS
        if callable(parameters):
            try:
                self.parameters = self.own_parameters()
            except Exception as error:  # whatever a function raises that is not meant for this
                raise InputError(
                    f"parameters is the function {one_line(parameters)}, and raised {type(error).__name__}: {error}. "
                    "It must take moments (n, 3) and axes (n, 3, 3), and return an array of n rows."
                ) from error
        else:
            self.parameters = inputs.padded("parameters", parameters, room)
        self.settle()
        self._is_made = True
        return self

    def _set_body(
        self,
        name: str,
        inertia: ArrayLike,
        invariants: Callable[..., Any] | Mapping[str, Callable[..., Any]] | None,
    ) -> None:
        self.name = inputs.text("name", name)
        self.moments, self.axes = inputs.principal_axes("inertia", inertia)
        self.inertia = np.array(inertia, dtype=float)
        self._invariants_of = invariants if callable(invariants) else None
        own = {} if self._invariants_of else inputs.functions_by_name("invariants", invariants)
        self.invariants = self.invariants_for(self.inertia, own)
        self.sources, self.landmarks, self._told = (), {}, set()

    def _set_start(self, Q0: AttitudeLike | None, Omega0: ArrayLike | None, Pi0: ArrayLike | None, t0: float) -> None:
        self.Q0 = inputs.rotation("Q0", Q0)
        if (Omega0 is None) == (Pi0 is None):
            how_many = "both" if Omega0 is not None else "neither"
            raise InputError(f"Give Omega0 or Pi0, one of them; {how_many} was given.")
        if Pi0 is None:
            self.Omega0, self.given_Pi0 = inputs.vector("Omega0", Omega0), None
        else:
            self.given_Pi0 = inputs.vector("Pi0", Pi0)
            self.Omega0 = velocity(self.moments, self.axes, self.given_Pi0)
        self.t0 = inputs.number("t0", t0)

    def _set_run(self, h: float | None, t_end: float | None, breaks: ArrayLike) -> None:
        """What a run takes that is given none of its own, and the times that its steps must meet."""
        self.h = None if h is None else inputs.step_size(h)
        self.t_end = None if t_end is None else inputs.number("t_end", t_end)
        self.breaks = inputs.times("breaks", breaks)

    @inputs.checked_call
    def replaced(
        self,
        *,
        Q0: AttitudeLike | None = None,
        Omega0: ArrayLike | None = None,
        Pi0: ArrayLike | None = None,
        t0: float | None = None,
        inertia: ArrayLike | None = None,
        damping: ArrayLike | None = None,
        rotor: ArrayLike | None = None,
        args: Sequence[ArrayLike] | None = None,
        **parameters: ArrayLike,
    ) -> Self:
        """The same problem with another start, inertia, parameters or args; what has been compiled is shared.

        Damping and rotor can be replaced where the problem was made with them, be they zero; if a parameter is called
        so, it is the one replaced. What depends on the inertia follows it: the torque and the invariants of shipped and
        built problems, and Omega0 of a problem that was given Pi0. A function of your own keeps what it contains.
        """
        if Omega0 is not None and Pi0 is not None:
            raise InputError("Give Omega0 or Pi0, one of them; both were given.")
        other, data = self, dict[str, Any]()
        own = () if self.fields is None or self.fields.spread else self.fields.names
        if damping is not None and "damping" in own:  # a parameter of that name comes first
            parameters, damping = {**parameters, "damping": damping}, None
        if rotor is not None and "rotor" in own:
            parameters, rotor = {**parameters, "rotor": rotor}, None
        if args is not None or parameters:
            other = self.with_row(self.replaced_row(args, parameters))
        if damping is not None or rotor is not None:
            other = other.copied(internal=self.internal.replaced(self.name, damping, rotor))
            other = other.copied(parameters=other.own_parameters())
        if inertia is not None:
            moments, axes = inputs.principal_axes("inertia", inertia)
            other.check_inertia(is_tensor=np.ndim(inertia) == 2)
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
        wheels = other.internal.wheels
        if wheels is not None and data.keys() & {"Omega0", "t0"}:  # their speeds are relative to the body, at the start
            other = other.copied(internal=other.internal.turning(wheels.started(other.Omega0, other.t0)))
            other = other.copied(parameters=other.own_parameters())
        return other


def _axes_alone(moments: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """The parameters of a user's function: the axes it is written in (``polhode.inputs.functions``)."""
    return axes.reshape(-1, 9)
