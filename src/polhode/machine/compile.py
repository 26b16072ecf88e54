"""What is compiled of a method, a torque or a potential; imported when something is first compiled.

One loop is compiled per method and serves every torque: the torque comes as an argument of a declared
function type. So methods + torques are compiled, never methods x torques. ``kept_code.py`` makes and keeps the code.
"""

from numba import types
from numba.extending import intrinsic

from polhode.kernels import loop as loops
from polhode.kernels.rotations import matrix
from polhode.machine.by_type import F8
from polhode.machine.kept_code import machine_code
from polhode.machine.pointers import pointer, put, taken

V3, V4, M9 = (types.UniTuple(F8, n) for n in (3, 4, 9))
PAR = types.CPointer(F8)  # in memory: sixteen numbers by value would cost a tenth of a step
NUMBERS = types.Array(F8, 1, "C")
TORQUE = V3(F8, M9, PAR)
MOMENT = V3(F8, M9, V3, PAR)  # a torque that depends on the velocity
POTENTIAL = F8(M9, PAR)


def torque(function, kind=TORQUE):
    """Machine code of a torque kernel (t, Q, parameters) -> three numbers, or of another type."""
    return machine_code(itself, kind, function.__name__, functions=(function,))


def potential(function):
    """Machine code of a potential kernel (Q, parameters) -> number."""
    return machine_code(itself, POTENTIAL, function.__name__, functions=(function,))


def itself(x):
    """What is given."""
    return x


def loop(step, memory, coefficients, kind=TORQUE):
    """Machine code of the loop for one step; `memory` and `coefficients` are how many numbers it carries.

    `kind` is the type of the torque, which a method may want at several attitudes at once
    (``lanes/quadrature.py``). The constants of the body (J, 1/J, coefficients) and the state come as arrays, and the
    state is left in its array.
    """

    def make(step):
        advance, make_body, make_state = loops.advance, body_of(coefficients, kind), state_of(memory)

        def steps(constants, torque, par, h, t0, first, n, every, left, state, out, row):
            done, row, left, iterations, error, last = advance(
                *(step, make_body(constants, torque, par)),
                *((h, t0, first, n), make_state(state), out, (row, every, left)),
            )
            put(state, last)
            return done, row, left, iterations, error

        return steps

    name = f"loop-{step.__name__}-{memory}-{coefficients}-{label(kind)}"
    return machine_code(make, LOOP, name, kernels=(step,))


def survey(step, memory, coefficients, kind=TORQUE):
    """Machine code of the loop that also tallies energy and momentum; compiled only when asked for."""

    def make(step):
        inner, make_body, make_state = loops.survey, body_of(coefficients, kind), state_of(memory)
        potential_at = pointer(POTENTIAL)

        def steps(constants, torque, par, h, t0, first, n, every, left, state, out, row, U, origin, each, looks, tally):
            done, row, left, iterations, error, last = inner(
                *(step, make_body(constants, torque, par), (h, t0, first, n), make_state(state)),
                *(out, (row, every, left), (potential_at(U), origin, each, looks, tally)),
            )
            put(state, last)
            return done, row, left, iterations, error

        return steps

    name = f"survey-{step.__name__}-{memory}-{coefficients}-{label(kind)}"
    return machine_code(make, SURVEY, name, kernels=(step,))


def takes_velocity(kind):
    """Whether a torque of this type is a function of the velocity, too."""
    return len(kind.args) == 4


def label(kind):
    """The type of a torque in the name of a loop."""
    return f"{kind.args[0]}{'-velocity' if takes_velocity(kind) else ''}"


def body_of(coefficients, kind):
    """body(constants, torque, par): the body that a step is given."""
    J, iJ, numbers, torque_at = taken(3, 0), taken(3, 3), taken(coefficients, 6), pointer(kind)
    if takes_velocity(kind):

        def moving(constants, torque, par):
            return J(constants), iJ(constants), numbers(constants), (torque_at(torque), place_of(par), ())

        return moving

    def body(constants, torque, par):
        return J(constants), iJ(constants), numbers(constants), (torque_at(torque), place_of(par))

    return body


def state_of(memory):
    """state(numbers): the state that a step is given."""
    q, Pi, tau, rest = taken(4, 0), taken(3, 4), taken(3, 7), taken(memory, 10)

    def state(numbers):
        return q(numbers), Pi(numbers), tau(numbers), rest(numbers)

    return state


def _loop_signature(*more):
    i8, rows = types.int64, types.Array(F8, 2, "C")
    arguments = (NUMBERS, i8, NUMBERS, F8, F8, i8, i8, i8, i8, NUMBERS, rows, i8)
    return types.Tuple((i8, i8, i8, i8, F8))(*arguments, *more)


LOOP = _loop_signature()
SURVEY = _loop_signature(types.int64, V4, types.int64, types.int64, types.Array(F8, 3, "C"))


def energies():
    """Machine code that evaluates a potential at every row of quaternions."""

    def make(matrix):
        function_at = pointer(POTENTIAL)

        def evaluate(address, par, rows, out):
            potential = function_at(address)
            for i in range(len(rows)):
                out[i] = potential(matrix((rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3])), place_of(par))

        return evaluate

    return machine_code(make, ENERGIES, "energies", kernels=(matrix,))


ENERGIES = types.void(types.int64, NUMBERS, types.Array(F8, 2, "C"), NUMBERS)
PROBE = types.void(types.int64, NUMBERS, F8, NUMBERS, NUMBERS)


def probe(kind, one=itself):
    """Machine code that evaluates a torque or potential of some type once: look(address, par, t, Q, out).

    `one` is a kernel that takes the torque of one body from what comes back (``lanes/quadrature.py``). Behind Q come
    the three numbers of Omega, for a torque that takes them.
    """

    def make(one):
        at, nine, three = pointer(kind), taken(9, 0), taken(3, 9)

        def look_at_moment(address, par, t, Q, out):
            out[0], out[1], out[2] = one(at(address)(t, nine(Q), three(Q), place_of(par)))

        def look_at_torque(address, par, t, Q, out):
            out[0], out[1], out[2] = one(at(address)(t, nine(Q), place_of(par)))

        def look_at_potential(address, par, t, Q, out):
            out[0] = at(address)(nine(Q), place_of(par))

        if takes_velocity(kind):
            return look_at_moment
        return look_at_potential if kind is POTENTIAL else look_at_torque

    return machine_code(make, PROBE, f"probe-{label(kind)}", kernels=(one,))


@intrinsic
def place_of(typing_context, array):
    """Where the numbers of an array are; the caller keeps the array alive."""

    def build(context, builder, signature, arguments):
        return context.make_array(array)(context, builder, arguments[0]).data

    return PAR(array), build
