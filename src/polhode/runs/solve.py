"""`solve` and `step`: from a problem and a method to a trajectory."""

import math

import numpy as np

from polhode import inputs
from polhode.errors import InputError, one_line
from polhode.integrators.method import BlackBox, Method
from polhode.kernels import loop as loops
from polhode.kernels.fingerprint import is_static
from polhode.machine.guard import check_function
from polhode.physics.problem import Problem
from polhode.runs import turns
from polhode.runs.drive import Run
from polhode.runs.reductions import QUANTITIES, Survey
from polhode.runs.trajectory import seen


def methods():
    """The catalogue: every method by its name."""
    from polhode.integrators import catalogue

    return catalogue.methods()


def method(name):
    """Look a method up by name or alias, case-blind; "VLV/KL8" is a composition. A Method is returned as it is."""
    from polhode.integrators import catalogue

    return catalogue.method(name)


@inputs.checked_call
def solve(
    problem,
    method,
    h=None,
    t_end=None,
    *,
    n_steps=None,
    save_every=1,
    progress=False,
    compiled=None,
    out=None,
    checkpoint=None,
    checkpoint_every=60.0,
    reduce=(),
    reduce_every=1,
):
    """Integrate a problem and return a Trajectory.

    method            a name, a Method, a plain function step(problem, Q, Omega, h, t) -> (Q1, Omega1), or a BlackBox
    h                 step size; negative to go backwards
    t_end             end of the interval, a whole number of steps from problem.t0; or give n_steps
    save_every        keep every k-th state (and the last): memory is what is kept, not what is computed
    progress          show a progress bar
    compiled          False runs the kernels as plain Python, bit for bit the same; None compiles what can be
    out               a netCDF file to write the states to as they come, in constant memory; the arrays of the
                      Trajectory then read from it where they are looked at. An older file of this name is replaced,
                      not written over. The file can be opened at any time; it says success = 0 until the run has
                      ended, and `load` says how many rows of a run that did not end are there
    checkpoint        a file that holds all a run needs to go on. When it exists, the same call goes on from there,
                      also after a kill, and ends bit for bit where it would have ended; a damaged one is refused
    checkpoint_every  seconds between checkpoints
    reduce            "energy", "momentum" (or "momentum_x", ...), or several: least, greatest, mean and slope over
                      the run without keeping it, in `Trajectory.reductions`
    reduce_every      look at them every k-th step
    """
    problem = given_problem(problem, method)
    method = given_method(method)
    h, n = inputs.interval(problem, h, t_end, n_steps)
    inputs.check_breaks(problem, h, n)
    every, each = inputs.whole("save_every", save_every), inputs.whole("reduce_every", reduce_every)
    compiled, progress = inputs.flag_or_none("compiled", compiled), inputs.flag("progress", progress)
    reduce = inputs.choices("reduce", () if reduce is None else reduce, ("energy", "momentum", *QUANTITIES[1:]))
    out = None if out is None else inputs.file_path("out", out)
    checkpoint = None if checkpoint is None else inputs.file_path("checkpoint", checkpoint)
    seconds = inputs.number("checkpoint_every", checkpoint_every)
    survey = Survey(reduce, each, n) if reduce else None
    if isinstance(method, Method):
        runner = KernelRunner(problem, method, h, compiled, survey=survey)
    elif survey is not None:
        raise InputError("reduce works with a method of the catalogue or a Method, not with a plain function.")
    else:
        runner = PlainRunner(problem, method, h)
    run = Run(runner, n, every, survey, out, checkpoint)
    told = follows(method, problem) or turns.warn_of(f"{problem.name} turns", turns.fastest(problem.Omega0), h)
    with bar(progress, n, f"{runner.name} on {problem.name}", run.done) as tick:
        run.go(seconds, tick)
    trajectory = run.trajectory()
    if not told:
        turns.warn_of(f"{runner.name} let {problem.name} turn", trajectory.stats["largest_turn"] / abs(h), h)
    return trajectory


def follows(method, problem):
    """Whether a step may turn the body as far as it likes: a flow that is exact, or an integrator of its own steps."""
    if isinstance(method, BlackBox):
        return method.tolerance is not None
    if not isinstance(method, Method):
        return False
    return not problem.has_torque and method.orders.free == (math.inf, math.inf)


@inputs.checked_call
def step(problem, method, Q, Omega, h, t=0.0):
    """One step from (Q, Omega) at time t; methods that carry memory are started there."""
    problem = given_problem(problem, method)
    method, h = given_method(method), inputs.step_size(h)
    Q, Omega, t = inputs.rotation("Q", Q), inputs.vector("Omega", Omega), inputs.number("t", t)
    if not isinstance(method, Method):
        return PlainRunner(problem, method, h).one(Q, Omega, t)
    runner = KernelRunner(problem, method, h, False, Q, Omega, t)
    out = np.empty((1, 7))
    done, _, _, _, error, _ = runner.advance(0, 1, 1, 1, out, 0)
    if not done:
        raise InputError(runner.failure(0, t, error)) from runner.raised
    return seen(problem, out)[0][0], seen(problem, out)[1][0]


def body_of(problem, method, number=float, torque=None):
    """The body a step is given: inertia, the method's coefficients, torque; numbers made by `number`."""
    J = tuple(number(x) for x in problem.moments.tolist())
    par = tuple(number(x) for x in problem.parameters)
    coefficients = method.coefficients(J, number) if method.coefficients else ()
    return (J, tuple(1 / x for x in J), coefficients, (torque or problem.torque_kernel, par))


DOUBTS = 16
"""How many steps machine code may raise in where Python does not."""


class KernelRunner:
    """Runs a kernel step, as machine code or as plain Python."""

    width = 7  # numbers in a row: q, Pi

    def __init__(self, problem, method, h, compiled, Q=None, Omega=None, t=None, survey=None):
        if method.free_only and problem.has_torque:
            raise InputError(f"{method.name} is for a free body only, and {problem.name!r} has a torque.")
        self.problem, self.method, self.h = problem, method, h
        self.name = method.name
        self.t0 = problem.t0 if t is None else t
        q, Pi = problem.start(Q, Omega)
        self._survey, self.raised, self._doubts = survey, None, 0
        try:
            self.body = body_of(problem, method)
            self._begin(q, Pi)
        except (ArithmeticError, ValueError) as error:  # of math: a division by zero, a range, a domain
            raise InputError(
                f"{method.name} cannot start at t = {self.t0:g} of {problem.name}: {type(error).__name__}: {error}. "
                "The torque may be singular there, or h, inertia or velocity be too large: start elsewhere, or rescale."
            ) from error
        self._advance = self._plain
        if compiled is not False:
            self._compile(required=bool(compiled))

    def _begin(self, q, Pi):
        self.state = self.method.start(self.h, self.t0, q, Pi, self.body)
        self._look = self._survey.begin(self.problem, self.state, self.body) if self._survey else ()

    def _compile(self, required):
        from polhode.machine import compile

        if self.method.nodes:
            from polhode.machine.quadrature_lanes import torque_for

            torque, kind = torque_for(self.problem, self.method.nodes)
        else:
            torque, kind = self.problem.machine_torque, compile.TORQUE
        if torque is None:
            if required:
                raise InputError(f"compiled=True, but the torque of {self.problem.name!r} cannot be compiled.")
            return
        self._guard(torque, kind)
        look, potential = self._look, None
        if self._survey is not None:
            wanted = self._survey.wants_energy
            potential = self.problem.machine_potential if wanted else compile.potential(self._survey.potential)
            if potential is None:
                return  # with a warning
            look = (potential.address, *look)
        try:
            make = compile.survey if look else compile.loop
            loop = make(self.method.step, len(self.state[3]), len(self.body[2]), kind)
        except compile.CannotCompile as error:
            if required:
                raise InputError(f"compiled=True, but {self.name} cannot be compiled: {error.reason}") from error
            inputs.warn(f"{self.name} could not be compiled and runs interpreted: {error.reason}")
            return
        J, iJ, numbers, (_, par) = self.body
        head = (np.array([*J, *iJ, *numbers]), torque.address, np.array(par))
        machine_code = torque, potential  # held as long as their addresses are used

        def advance(h, t0, first, n, every, left, state, out, row, held=machine_code):
            q, Pi, tau, memory = state
            numbers = np.array([*q, *Pi, *tau, *memory])
            done = loop(*head, h, t0, first, n, every, left, numbers, out, row, *look)
            return *done, _state(numbers.tolist())

        self._machine = advance
        self._advance = self._like_python

    def _like_python(self, h, t0, first, n, every, left, state, out, row):
        """Machine code; where it raises, the steps before that one again, and that one by Python.

        Machine code that raises has changed nothing but rows, which are written again, and the tally of a survey.
        """
        end, size, raises, iterations = first + n, n, 0, 0  # it raises in a step before number `raises`, if ahead
        while first < end:
            tally = self._survey.tally.copy() if self._survey else None
            try:
                took, row, left, its, error, state = self._machine(h, t0, first, size, every, left, state, out, row)
            except Exception as raised:
                if self._survey:
                    self._survey.tally[:] = tally
                if size > 1:
                    raises, size = first + size, size // 2
                    continue
                took, row, left, its, error, state = self._plain(h, t0, first, 1, every, left, state, out, row)
                if took:
                    self._disagreed(first, raised)
            iterations, first = iterations + its, first + took
            if took < size:
                return first - end + n, row, left, iterations, error, state
            if not self.is_compiled:
                took, row, left, its, error, state = self._plain(
                    h, t0, first, end - first, every, left, state, out, row
                )
                return first + took - end + n, row, left, iterations + its, error, state
            size = max(1, (raises - first) // 2) if raises > first else end - first
        return n, row, left, iterations, 0.0, state

    def _disagreed(self, i, raised):
        """Machine code raised in step i, and Python did not: told once, and trusted no more after a few times."""
        self._doubts += 1
        if self._doubts == 1:
            inputs.warn(
                f"Step {i} runs interpreted: machine code raised {type(raised).__name__} there ({raised}), and Python "
                f"does not. After {DOUBTS} such steps all run interpreted, about a thousand times slower.",
            )
        if self._doubts >= DOUBTS:
            self._advance = self._plain

    def _guard(self, torque, kind):
        """The machine code that will run must say what the user's torque says."""
        from polhode.machine import compile

        if is_static(self.problem.torque_kernel):
            return
        if kind is compile.TORQUE:
            look = compile.probe(kind)
        else:
            from polhode.machine.quadrature_lanes import first_node

            look = compile.probe(kind, first_node)
        Q = self.seen(np.array([self.row()]))[0][0]
        if check_function(self.problem, "torque", self.problem.torque_kernel, torque, look, self.t0, Q):
            self._begin(*self.state[:2])

    def _plain(self, h, t0, first, n, every, left, state, out, row):
        """The loop as plain Python, a step at a time: when a user's function raises, nothing before it is lost."""
        iterations = 0
        look = (self._survey.potential, *self._look) if self._survey else ()
        loop = loops.survey if look else loops.advance
        for i in range(first, first + n):
            try:
                took, row, left, its, error, state = loop(
                    self.method.step, self.body, h, t0, i, 1, every, left, state, out, row, *look
                )
            except Exception as raised:
                self.raised = raised
                return i - first, row, left, iterations, 0.0, state
            iterations += its
            if not took:
                return i - first, row, left, iterations, error, state
        return n, row, left, iterations, 0.0, state

    @property
    def is_compiled(self):
        return self._advance != self._plain

    def advance(self, first, n, every, left, out, row):
        """Take steps; see engine.advance."""
        result = self._advance(self.h, self.t0, first, n, every, left, self.state, out, row)
        self.state = result[5]
        return result

    def row(self):
        """The state as a row."""
        return self.state[0] + self.state[1]

    def seen(self, rows):
        """Attitudes and velocities of rows, in the user's axes."""
        return seen(self.problem, rows)

    def numbers(self):
        """The whole state as numbers; `restore` takes them back."""
        q, Pi, tau, memory = self.state
        return (*q, *Pi, *tau, *memory)

    def restore(self, numbers):
        """Go on from the state that `numbers` gave."""
        self.state = _state(numbers)

    def made_of(self):
        """What the method is: its functions and coefficients."""
        return self.method.step, self.method.start, self.body[2]

    def torques(self, steps, iterations):
        """How often the torque has been evaluated."""
        return self.method.torques_at_start + self.method.torques(steps, iterations)

    def failure(self, k, t, error):
        """The sentence for a step that failed: number k, at time t."""
        where = f"step {k} (t = {t:g}) of {self.problem.name} with h = {self.h:g}"
        if self.raised is not None:
            return f"{type(self.raised).__name__} in {where}: {self.raised}. What was computed until then is here."
        if error > 0:
            return (
                f"{self.name} did not solve its equations at {where}: the iteration was given up with an "
                f"error of {error:.2g} left. Reduce h."
            )
        Q = seen(self.problem, np.array([self.state[0] + self.state[1]]))[0][0]
        tau = self.problem.torque(t, Q)
        if not np.isfinite(tau).all():
            return f"The torque is {tau.tolist()} at {where}. Check the torque near Q = {np.round(Q, 6).tolist()}."
        return (
            f"{self.name} met a torque or a state that is not a finite number in {where}. Check the torque near "
            f"Q = {np.round(Q, 6).tolist()}, or reduce h."
        )


def _state(numbers):
    """The state of a step from its numbers."""
    x = tuple(numbers)
    return x[:4], x[4:7], x[7:10], x[10:]


class PlainRunner:
    """Runs a user's function step(problem, Q, Omega, h, t) -> (Q1, Omega1), or a BlackBox."""

    is_compiled = False
    width = 12  # numbers in a row: Q, Omega

    def __init__(self, problem, function, h):
        self.problem, self.function, self.h = problem, function, h
        self.name = getattr(function, "__name__", "your method")
        self.t0 = problem.t0
        self.raised = None
        self.Q, self.Omega = problem.Q0.copy(), problem.Omega0.copy()

    def one(self, Q, Omega, t):
        """One step, checked."""
        try:
            return self.some(Q, Omega, t, 1)
        except InputError:
            raise
        except Exception as error:
            raise InputError(f"{self.name} raised {type(error).__name__} at t = {t:g}: {error}.") from error

    def some(self, Q, Omega, t, n):
        """n steps at once by a BlackBox, or one by a function; checked."""
        if isinstance(self.function, BlackBox):
            result = self.function.advance(self.problem, Q, Omega, self.h, n, t)
        else:
            result = self.function(self.problem, Q, Omega, self.h, t)
        try:
            Q1, Omega1 = (np.array(x, dtype=float) for x in result)
        except (TypeError, ValueError):
            raise InputError(f"{self.name} returned {one_line(result)}; it must return (Q1, Omega1).") from None
        if Q1.shape != (3, 3) or Omega1.shape != (3,):
            raise InputError(
                f"{self.name} returned shapes {Q1.shape} and {Omega1.shape}; it must return Q1 (3, 3) and Omega1 (3,)."
            )
        return Q1, Omega1

    def advance(self, first, n, every, left, out, row):
        """As engine.advance, but rows hold Q and Omega (12 numbers): Q need not be a rotation."""
        i, end = first, first + n
        while i < end:
            took = min(left, end - i) if isinstance(self.function, BlackBox) else 1
            try:
                Q, Omega = self.some(self.Q, self.Omega, self.t0 + i * self.h, took)
            except Exception as raised:
                if isinstance(raised, InputError) and i == 0:  # misuse; later on, what was computed is worth keeping
                    raise
                self.raised = raised
                return i - first, row, left, 0, 0.0, None
            if not (np.isfinite(Q).all() and np.isfinite(Omega).all()):
                return i - first, row, left, 0, math.inf, None
            self.Q, self.Omega = Q, Omega
            i += took
            left -= took
            if left == 0:
                out[row] = np.concatenate([Q.ravel(), Omega])
                row += 1
                left = every
        return n, row, left, 0, 0.0, None

    def row(self):
        """The state as a row."""
        return np.concatenate([self.Q.ravel(), self.Omega])

    def seen(self, rows):
        """Attitudes and velocities of rows."""
        return rows[:, :9].reshape(-1, 3, 3), rows[:, 9:]

    def numbers(self):
        """The whole state as numbers; `restore` takes them back."""
        return self.row()

    def restore(self, numbers):
        """Go on from the state that `numbers` gave."""
        self.Q, self.Omega = np.array(numbers[:9]).reshape(3, 3), np.array(numbers[9:])

    def made_of(self):
        """What the method is: the function."""
        return (self.function,)

    def torques(self, steps, iterations):
        return None

    def failure(self, k, t, error):
        where = f"at step {k} (t = {t:g}) of {self.problem.name}"
        if self.raised is not None:
            return (
                f"{self.name} raised {type(self.raised).__name__} {where}: {self.raised}. What was computed until then "
                "is here."
            )
        return f"{self.name} returned a value that is not finite {where}."


# ---- arguments ---------------------------------------------------------------------------------------


def given_problem(problem, method):
    """The problem, from a Problem or its name; a sentence where it has changed places with the method."""
    from polhode.integrators.catalogue import is_name
    from polhode.physics.catalogue import problem as look_up
    from polhode.physics.catalogue import problems

    swapped = isinstance(problem, Method) or (isinstance(problem, str) and is_name(problem))
    if isinstance(method, Problem) or (swapped and isinstance(method, str) and method.lower() in problems()):
        raise InputError("problem and method have changed places: the problem comes first, then the method.")
    return look_up(problem)


def given_method(method):
    """A Method from its name; Methods, functions and BlackBoxes as they are."""
    if isinstance(method, (Method, BlackBox)) or callable(method):
        return method
    from polhode.integrators import catalogue

    return catalogue.method(method)


class _Silent:
    def __enter__(self):
        return lambda done: None

    def __exit__(self, *exception):
        return False


def bar(progress, total, label, done=0):
    """A progress bar that counts steps, or none; a context that gives a function to call with the steps done."""
    if not progress:
        return _Silent()
    from polhode.runs.progress import Bar

    return Bar(total, label, done, "steps")
