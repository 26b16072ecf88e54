"""The loop under a controller: it looks once a period, and what it says is held until it looks again.

What is held stands among the parameters of the torque (``step.INTERNAL``), which are memory here: the loop writes
them. A look makes a row of `table` from the row before, numbers one after the other, and holds it:

    t, u                   a torque on the body, three numbers in the user's axes               `look_at_torque`
    t, u, p                torques of motors, and momenta of wheels at t                        `look_at_wheels`
    t, c_1 ... c_s, p      the same where p changes along a curve, by sum_j (time - t)^j c_j    `look_at_motors`

A look is given a controller, (part, law, about, sizes). `part` is a step of the method, of any length. `about` are
numbers of the wheels: the axis of each in principal axes and the most its motor gives, the momentum of what spins
beside them, and for curves Gauss's nodes, the matrix from slopes there to coefficients, and room for both. `sizes` are
how many wheels there are, and how many nodes.

A law is a function (t, Q, Omega, parameters) -> numbers. At a look the torque jumps, so the method is started anew:
what it carries, be it torques of the past or a guess, belongs to the torque before. A run is so that of its pieces.

**Motors whose torques are functions**, u(t, Q, Omega), change p within a step. Over it p is the polynomial whose slope
is u at Gauss's nodes, and the states there are those that the method reaches, by a shorter step, while the wheels
follow the polynomial:

    p(t + x h) = p0 + h sum_j d_j x^j/j,     sum_j d_j x_i^(j - 1) = u(t + x_i h, Q_i, Omega_i),     c_j = d_j h^(1-j)/j

This is solved by repeating it. For a flow that is exact it is collocation, of order 2 s with s nodes; a method of order
2 s keeps its order; between steps, where times of t_eval may be, the error of p is of order h^(s + 1). Whatever the
polynomial, the body loses what the wheels gain: methods that keep the momentum of body and rotor keep that of body and
wheels.
"""

from typing import Any, TypeAlias

from polhode.kernels.loop import advance
from polhode.kernels.numbers import Body, Kernel, Number, Rows, Span, State
from polhode.kernels.rotations import matrix
from polhode.kernels.scalar import kernel
from polhode.kernels.vectors import apply_transposed, mul

LOOKED, NOT_SAID, NOT_REACHED, NOT_SETTLED = 0, 1, 2, 3
"""How a look went: well; a number of the law is not finite; a step to a node failed; the motors did not settle."""

MOST_SWEEPS = 50
"""Repetitions after which it is given up; a step gains about a factor of h times the rate of the feedback in each."""


Controller: TypeAlias = tuple[Kernel, Kernel, Any, tuple[int, int]]
"""part, law, about, sizes: see above."""


@kernel
def advance_held(
    method: tuple[Kernel, Kernel],
    body: Body,
    span: Span,
    state: State,
    out: Any,
    rows: Rows,
    looks: tuple[Any, ...],
) -> Any:
    """As ``loop.advance``, by a method (step, start), with a look before every step that begins a period.

    `looks` are (look, controller, clock, table): one of the functions below, what it is given, and where its rows go.
    `clock` is (the number of step 0, steps of a period, the number before which it looked last, whether all rows of the
    table are kept: if not, the last is in the second). Returns, behind what `advance` returns, the rows made, the
    number of the last look, and how that went: a look that failed has changed nothing but what is held.
    """
    (step, start), (look, controller, clock, table) = method, looks
    (h, t0, first, n), (row, every, left) = span, rows
    before, period, looked, keeps = clock
    done, iterations, at = 0, 0, 0
    while done < n:
        i = first + done
        gone = (before + i) % period
        if gone == 0 and before + i != looked:
            t = t0 + i * h
            how = look(controller, h, t, state, body, table, at)
            if how != LOOKED:
                return done, row, left, iterations, 0.0, state, at, looked, how
            state = start(h, t, state[0], state[1], body)
            at, looked = at + keeps, before + i
        size = min(period - gone, n - done)
        took, row, left, its, error, state = advance(step, body, (h, t0, i, size), state, out, (row, every, left))
        done, iterations = done + took, iterations + its
        if took < size:
            return done, row, left, iterations, error, state, at, looked, LOOKED
    return done, row, left, iterations, 0.0, state, at, looked, LOOKED


# ---- looks -----------------------------------------------------------------------------------------------


@kernel
def look_at_torque(controller: Controller, h: Number, t: Number, state: State, body: Body, table: Any, at: int) -> int:
    """Hold the torque on the body that the law says now."""
    _, law, about, sizes = controller
    u = law(t, matrix(state[0]), mul(body[1], state[1]), body[3][1])
    if not is_finite(u, 3):
        return NOT_SAID
    new = 4 * (at + 1)
    table[new], table[new + 1], table[new + 2], table[new + 3] = t, u[0], u[1], u[2]
    hold_torque(about, sizes, body[3][1], table, new)
    return LOOKED


@kernel
def look_at_wheels(controller: Controller, h: Number, t: Number, state: State, body: Body, table: Any, at: int) -> int:
    """Hold the torques of the motors that the law says now, as far as the motors can give them."""
    _, law, about, sizes = controller
    k = sizes[0]
    u = law(t, matrix(state[0]), mul(body[1], state[1]), body[3][1])
    if not is_finite(u, k):
        return NOT_SAID
    new = (1 + 2 * k) * (at + 1)
    begin_row(sizes, t, table, new)
    for j in range(k):
        table[new + 1 + j] = clipped(u[j], about[4 * j + 3])
    hold_wheels(about, sizes, body[3][1], table, new)
    return LOOKED


@kernel
def look_at_motors(controller: Controller, h: Number, t: Number, state: State, body: Body, table: Any, at: int) -> int:
    """Hold the curve of the momenta over the step from t, by collocation; the curve before goes on as a guess."""
    part, law, about, sizes = controller
    k, s = sizes
    par, width, nodes = body[3][1], 1 + (s + 1) * k, 4 * k + 3
    old, new, slopes = width * at, width * (at + 1), nodes + s + s * s
    begin_row(sizes, t, table, new)
    for i in range(s):
        for j in range(k):
            about[slopes + i * k + j] = slope(h * (1 + about[nodes + i]), sizes, table, old, j)
    last = 0.0
    for sweep in range(MOST_SWEEPS):
        set_curve(about, sizes, h, table, new)
        hold_curve(about, sizes, par, table, new)
        change, scale = 0.0, 0.0
        for i in range(s):
            x = about[nodes + i]
            q, Pi, error = part(x * h, t, state, body)
            if error != 0:  # or not a number
                return NOT_REACHED
            u = law(t + x * h, matrix(q), mul(body[1], Pi), par)
            if not is_finite(u, k):
                return NOT_SAID
            for j in range(k):
                now, place = clipped(u[j], about[4 * j + 3]), slopes + (s + i) * k + j
                change, scale = max(change, abs(now - about[place - s * k])), max(scale, abs(now))
                about[place] = now
        for i in range(s * k):
            about[slopes + i] = about[slopes + s * k + i]
        if change <= 2.0**-50 * scale or (sweep > 0 and change <= 1e-13 * scale and change >= last / 2):
            set_curve(about, sizes, h, table, new)
            hold_curve(about, sizes, par, table, new)
            return LOOKED
        last = change
    return NOT_SETTLED


@kernel
def is_finite(u: Any, n: int) -> bool:
    """Whether n numbers all are finite."""
    total = 0 * u[0]
    for j in range(n):
        total = total + 0 * u[j]  # 0, or NaN of an infinity or a NaN
    return bool(total == 0)


@kernel
def clipped(u: Number, most: Number) -> Number:
    """A torque, or what a motor can give of it."""
    return min(max(u, -most), most)


@kernel
def begin_row(sizes: tuple[int, int], t: Number, table: Any, new: int) -> None:
    """Time and momenta of a row, from the row before it and its curve."""
    k, s = sizes
    old = new - (1 + (s + 1) * k)
    table[new] = t
    since = t - table[old]
    for j in range(k):
        p = 0.0
        for i in range(s - 1, -1, -1):
            p = since * (table[old + 1 + i * k + j] + p)
        table[new + 1 + s * k + j] = table[old + 1 + s * k + j] + p


@kernel
def slope(since: Number, sizes: tuple[int, int], table: Any, old: int, j: int) -> Number:
    """That of the momentum of wheel j along the curve of a row, so long after its time."""
    k, s = sizes
    value = 0.0
    for i in range(s - 1, -1, -1):
        value = (i + 1) * table[old + 1 + i * k + j] + since * value
    return value


@kernel
def set_curve(about: Any, sizes: tuple[int, int], h: Number, table: Any, new: int) -> None:
    """The coefficients of a row, from the slopes at the nodes."""
    k, s = sizes
    inverse = 4 * k + 3 + s
    slopes, power = inverse + s * s, 1.0
    for i in range(s):
        for j in range(k):
            c = 0.0
            for m in range(s):
                c = c + about[inverse + i * s + m] * about[slopes + m * k + j]
            table[new + 1 + i * k + j] = c / power
        power = power * h


# ---- what is held, among the parameters of the torque ----------------------------------------------------


@kernel
def hold_torque(about: Any, sizes: tuple[int, int], par: Any, table: Any, at: int) -> None:
    """The torque of a row, in principal axes."""
    R = (par[0], par[1], par[2], par[3], par[4], par[5], par[6], par[7], par[8])
    u = apply_transposed(R, (table[at + 1], table[at + 2], table[at + 3]))
    par[25], par[26], par[27] = u[0], u[1], u[2]


@kernel
def hold_wheels(about: Any, sizes: tuple[int, int], par: Any, table: Any, at: int) -> None:
    """The momentum of the rotor that the wheels of a row are, and its rate."""
    k = sizes[0]
    par[24] = table[at]
    for m in range(3):
        l, rate = about[4 * k + m], 0.0
        for j in range(k):
            l = l + about[4 * j + m] * table[at + 1 + k + j]
            rate = rate + about[4 * j + m] * table[at + 1 + j]
        par[18 + m], par[21 + m] = l, rate


@kernel
def hold_curve(about: Any, sizes: tuple[int, int], par: Any, table: Any, at: int) -> None:
    """The momentum of the rotor that the wheels of a row are, and its curve."""
    k, s = sizes
    par[24] = table[at]
    for m in range(3):
        l = about[4 * k + m]
        for j in range(k):
            l = l + about[4 * j + m] * table[at + 1 + s * k + j]
        par[18 + m] = l
        for i in range(s):
            c = 0.0
            for j in range(k):
                c = c + about[4 * j + m] * table[at + 1 + i * k + j]
            par[28 + 3 * i + m] = c
