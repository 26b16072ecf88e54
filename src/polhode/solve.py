"""`solve` and `step`: from a problem and a method to a trajectory."""

import functools
import math
import time
import warnings

import numpy as np

from polhode import engine
from polhode.errors import InputError, one_line
from polhode.model import Method
from polhode.problem import Problem, _number, _rotation, _vector
from polhode.solver import MOST
from polhode.trajectory import Trajectory

CHUNK_SECONDS = 0.2
"""How long machine code runs before Python looks at the clock, the progress bar and Ctrl-C."""


def methods():
    """The catalogue: every method by its name."""
    from polhode.methods import catalogue

    return catalogue.methods()


def method(name):
    """Look a method up by name or alias, case-blind; "VLV/KL8" is a composition. A Method is returned as it is."""
    from polhode.methods import catalogue

    return catalogue.method(name)


def solve(problem, method, h=None, t_end=None, *, n_steps=None, save_every=1, progress=False, compiled=None):
    """Integrate a problem and return a Trajectory.

    method      a name, a Method, or a plain function step(problem, Q, Omega, h, t) -> (Q1, Omega1)
    h           step size; negative to go backwards
    t_end       end of the interval, a whole number of steps from problem.t0; or give n_steps
    save_every  keep every k-th state (and the last): memory is what is kept, not what is computed
    progress    show a progress bar
    compiled    False runs the kernels as plain Python, bit for bit the same; None compiles what can be
    """
    if not isinstance(problem, Problem):
        from polhode.problems.catalogue import problem as look_up

        problem = look_up(problem)
    h, n = _steps(problem, h, t_end, n_steps)
    _check_breaks(problem, h, n)
    every = _positive_integer("save_every", save_every)
    if callable(method) and not isinstance(method, Method):
        runner = _PlainRunner(problem, method, h)
    else:
        runner = _KernelRunner(problem, _found(method), h, compiled)
    return _run(problem, runner, h, n, every, progress)


def step(problem, method, Q, Omega, h, t=0.0):
    """One step from (Q, Omega) at time t; methods that carry memory are started there."""
    h = _step_size(h)
    Q, Omega, t = _rotation(Q), _vector("Omega", Omega), _number("t", t)
    if callable(method) and not isinstance(method, Method):
        return _PlainRunner(problem, method, h).one(Q, Omega, t)
    runner = _KernelRunner(problem, _found(method), h, False, Q, Omega, t)
    out = np.empty((1, 7))
    done, _, _, _, error, _ = runner.advance(0, 1, 1, 1, out, 0)
    if not done:
        raise InputError(runner.failure(0, t, error))
    return _seen(problem, out)[0][0], _seen(problem, out)[1][0]


def body_of(problem, method, number=float, torque=None):
    """The body a step is given: inertia, the method's coefficients, torque; numbers made by `number`."""
    J = tuple(number(x) for x in problem.moments.tolist())
    par = tuple(number(x) for x in problem.parameters)
    coefficients = method.coefficients(J, number) if method.coefficients else ()
    return (J, tuple(1 / x for x in J), coefficients, (torque or problem._torque_kernel, par))


class _KernelRunner:
    """Runs a kernel step, as machine code or as plain Python."""

    def __init__(self, problem, method, h, compiled, Q=None, Omega=None, t=None):
        if method.free_only and problem.has_torque:
            raise InputError(f"{method.name} is for a free body only, and {problem.name!r} has a torque.")
        self.problem, self.method, self.h = problem, method, h
        self.name = method.name
        self.t0 = problem.t0 if t is None else t
        q, Pi = problem.start(Q, Omega)
        self.body = body_of(problem, method)
        self.state = method.start(h, self.t0, q, Pi, self.body)
        self._advance = self._plain
        self.raised = None
        if compiled is not False:
            self._compile(required=bool(compiled))

    def _compile(self, required):
        torque = self.problem.machine_torque
        if torque is None:
            if required:
                raise InputError(f"compiled=True, but the torque of {self.problem.name!r} cannot be compiled.")
            return
        from polhode import compile

        try:
            loop = compile.loop(self.method.step, len(self.state[3]), len(self.body[2]))
        except compile.CannotCompile as error:
            if required:
                raise InputError(f"compiled=True, but {self.name} cannot be compiled: {error.reason}") from error
            warnings.warn(f"{self.name} could not be compiled and runs interpreted: {error.reason}", stacklevel=4)
            return
        J, iJ, numbers, (_, par) = self.body
        self._advance = functools.partial(loop, J, iJ, numbers, torque, np.array(par))

    def _plain(self, h, t0, first, n, every, left, state, out, row):
        """The loop as plain Python, a step at a time: when a user's function raises, nothing before it is lost."""
        iterations = 0
        for i in range(first, first + n):
            try:
                took, row, left, its, error, state = engine.advance(
                    self.method.step, self.body, h, t0, i, 1, every, left, state, out, row
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

    def torques(self, steps, iterations):
        """How often the torque has been evaluated."""
        per = self.method.torques_per_step
        return self.method.torques_at_start + (iterations if per is None else per * steps)

    def failure(self, k, t, error):
        """The sentence for a step that failed: number k, at time t."""
        where = f"step {k} (t = {t:g}) of {self.problem.name} with h = {self.h:g}"
        if self.raised is not None:
            return f"{type(self.raised).__name__} in {where}: {self.raised}. What was computed until then is here."
        if error > 0:
            return (
                f"{self.name} did not solve its equations at {where}: the error left is {error:.2g} rad after at "
                f"most {MOST} iterations. Reduce h."
            )
        Q = _seen(self.problem, np.array([self.state[0] + self.state[1]]))[0][0]
        tau = self.problem.torque(t, Q)
        if not np.isfinite(tau).all():
            return f"The torque is {tau.tolist()} at {where}. Check the torque near Q = {np.round(Q, 6).tolist()}."
        return (
            f"{self.name} met a torque or a state that is not a finite number in {where}. Check the torque near "
            f"Q = {np.round(Q, 6).tolist()}, or reduce h."
        )


class _PlainRunner:
    """Runs a user's function step(problem, Q, Omega, h, t) -> (Q1, Omega1)."""

    is_compiled = False

    def __init__(self, problem, function, h):
        self.problem, self.function, self.h = problem, function, h
        self.name = getattr(function, "__name__", "your method")
        self.t0 = problem.t0
        self.raised = None
        self.Q, self.Omega = problem.Q0.copy(), problem.Omega0.copy()

    def one(self, Q, Omega, t):
        """One step, checked."""
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
        for i in range(first, first + n):
            try:
                Q, Omega = self.one(self.Q, self.Omega, self.t0 + i * self.h)
            except InputError:
                raise
            except Exception as raised:
                self.raised = raised
                return i - first, row, left, 0, 0.0, None
            if not (np.isfinite(Q).all() and np.isfinite(Omega).all()):
                return i - first, row, left, 0, math.inf, None
            self.Q, self.Omega = Q, Omega
            left -= 1
            if left == 0:
                out[row] = np.concatenate([Q.ravel(), Omega])
                row += 1
                left = every
        return n, row, left, 0, 0.0, None

    def torques(self, steps, iterations):
        return None

    def failure(self, k, t, error):
        where = f"at step {k} (t = {t:g}) of {self.problem.name}"
        if self.raised is not None:
            return f"{self.name} raised {type(self.raised).__name__} {where}: {self.raised}."
        return f"{self.name} returned a value that is not finite {where}."


def _run(problem, runner, h, n, every, progress):
    """Drive the loop in chunks of a fraction of a second: progress, Ctrl-C, and nothing lost on failure."""
    plain = isinstance(runner, _PlainRunner)
    samples = n // every + (1 if n % every else 0)
    out = np.empty((samples, 12 if plain else 7))
    begin = time.perf_counter()
    done, row, left, iterations, chunk = 0, 0, every, 0, 4096 if runner.is_compiled else 16
    message, interrupted = "", False
    with _bar(progress, n, f"{runner.name} on {problem.name}") as tick:
        try:
            while done < n and not message:
                size = min(chunk, n - done)
                clock = time.perf_counter()
                took, row, left, its, error, _ = runner.advance(done, size, every, left, out, row)
                seconds = time.perf_counter() - clock
                iterations += its
                done += took
                tick(done)
                if took < size:
                    message = runner.failure(done, runner.t0 + done * h, error)
                chunk = max(1, min(32 * chunk, int(chunk * CHUNK_SECONDS / max(seconds, 1e-9))))
        except KeyboardInterrupt:
            interrupted = True
            message = f"Interrupted at step {done} of {n}; what was computed until then is here."
    if done == n and left != every:
        out[row] = _last(runner, plain)
        row += 1
    t = runner.t0 + h * np.append(0, np.minimum(every * np.arange(1, row + 1), n))
    Q, Omega = (out[:row, :9].reshape(-1, 3, 3), out[:row, 9:]) if plain else _seen(problem, out[:row])
    stats = {
        "n_steps": done,
        "n_torque": runner.torques(done, iterations),
        "n_iterations": iterations,
        "compiled": runner.is_compiled,
        "interrupted": interrupted,
        "wall_time": time.perf_counter() - begin,
    }
    return Trajectory(
        problem=problem,
        method=runner.name,
        h=h,
        t=t,
        Q=np.concatenate([problem.Q0[None], Q]),
        Omega=np.concatenate([problem.Omega0[None], Omega]),
        stats=stats,
        success=not message,
        message=message,
        problem_name=problem.name,
    )


def _last(runner, plain):
    return np.concatenate([runner.Q.ravel(), runner.Omega]) if plain else runner.state[0] + runner.state[1]


def _seen(problem, rows):
    """Attitudes and velocities in the user's axes, from rows of (q, Pi) in principal axes."""
    w, x, y, z = rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3]
    s = 2 / (w * w + x * x + y * y + z * z)
    Q = np.empty((len(rows), 3, 3))
    Q[:, 0] = np.stack([1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)], axis=1)
    Q[:, 1] = np.stack([s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)], axis=1)
    Q[:, 2] = np.stack([s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)], axis=1)
    Omega = rows[:, 4:] / problem.moments
    if not np.array_equal(problem.axes, np.eye(3)):
        Q, Omega = Q @ problem.axes.T, Omega @ problem.axes.T
    return Q, Omega


# ---- arguments ---------------------------------------------------------------------------------------


def _found(name):
    return method(name)


def _step_size(h):
    h = _number("h", h)
    if h == 0:
        raise InputError("h is 0; give a step size, positive to go forwards in time or negative to go backwards.")
    return h


def _positive_integer(label, value):
    if isinstance(value, bool) or int(value) != value or value < 1:
        raise InputError(f"{label} is {value!r}; it must be a whole number, at least 1.")
    return int(value)


def _steps(problem, h, t_end, n_steps):
    """The step size and the number of steps."""
    if h is None:
        if problem.h is None:
            raise InputError(f"Give h: the problem {problem.name!r} has no step size of its own.")
        h = problem.h
    h = _step_size(h)
    if n_steps is not None:
        if t_end is not None:
            raise InputError("Give t_end or n_steps, not both.")
        return h, _positive_integer("n_steps", n_steps)
    if t_end is None:
        if problem.t_end is None:
            raise InputError(f"Give t_end or n_steps: the problem {problem.name!r} has no interval of its own.")
        t_end = problem.t_end
    t_end = _number("t_end", t_end)
    steps = (t_end - problem.t0) / h
    n = round(steps)
    if steps < 0:
        raise InputError(f"t_end = {t_end:g} is not ahead of t0 = {problem.t0:g} with h = {h:g}: change the sign of h.")
    if n == 0:
        raise InputError(f"t_end = {t_end:g} is less than one step of h = {h:g} from t0 = {problem.t0:g}.")
    if abs(steps - n) > 1e-9 * max(1, n):
        near = (t_end - problem.t0) / n
        raise InputError(
            f"t_end - t0 = {t_end - problem.t0:g} is {steps:.12g} steps of h = {h:g}; it must be a whole number. "
            f"h = {near!r} gives {n} steps."
        )
    return h, n


def _check_breaks(problem, h, n):
    """A torque that jumps inside a step costs every method its order: steps must begin at the jumps."""
    for x in problem.breaks:
        k = (x - problem.t0) / h
        if 0 < k < n and abs(k - round(k)) > 1e-6:
            near = problem.h if problem.h is not None else (x - problem.t0) / max(1, round(k))
            raise InputError(
                f"The torque of {problem.name!r} jumps at t = {x:g}, {k:.6g} steps of h = {h:g} from the start; a step "
                f"must begin there: try h = {near:g}, or a whole part of it."
            )


class _Silent:
    def __enter__(self):
        return lambda done: None

    def __exit__(self, *exception):
        return False


def _bar(progress, total, label):
    if not progress:
        return _Silent()
    from polhode.progress import Bar

    return Bar(total, label)
