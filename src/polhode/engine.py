"""The loop: steps, saves, counts, and stops at the first step that fails. It knows no method and no problem."""

from polhode.scalar import everybody, kernel


@kernel
def advance(step, body, h, t0, first, n, every, left, state, out, row):
    """Take `n` steps from step number `first`; after each `every` steps write (q, Pi) to the next row of `out`.

    `left` is how many steps remain to the next row. Returns the steps taken, the next row, the steps left,
    the iterations, the error of the last solve (zero unless it failed) and the state after the last good step.
    """
    iterations = 0
    for i in range(first, first + n):
        after, report = step(h, t0 + i * h, state, body)
        iterations += report[0]
        q, Pi, tau = after[0], after[1], after[2]
        total = q[0] + Pi[0] + Pi[1] + Pi[2] + tau[0] + tau[1] + tau[2]
        if not (report[1] == 0 and total - total == 0):  # an infinity or a NaN anywhere makes total - total NaN
            return i - first, row, left, iterations, 1.0 * report[1], state
        state = after
        left -= 1
        if left == 0:
            for k in range(4):
                out[row, k] = q[k]
            for k in range(3):
                out[row, 4 + k] = Pi[k]
            row += 1
            left = every
    return n, row, left, iterations, 0.0, state


@kernel
def advance_all(step, body, h, t0, first, n, every, left, state, out, row):
    """As `advance`, for numbers that may stand for several bodies, of which one may fail and the others go on.

    Returns after the first step in which one fails, with the state after it: that of the others is right. The
    error is zero for them, positive for a body that did not solve its equations, NaN for one that is not finite.
    """
    iterations = 0
    for i in range(first, first + n):
        state, report = step(h, t0 + i * h, state, body)
        iterations += report[0]
        q, Pi, tau = state[0], state[1], state[2]
        left -= 1
        if left == 0:
            for k in range(4):
                out[row, k] = q[k]
            for k in range(3):
                out[row, 4 + k] = Pi[k]
            row += 1
            left = every
        total = q[0] + Pi[0] + Pi[1] + Pi[2] + tau[0] + tau[1] + tau[2]
        error = report[1] + (total - total)
        if not everybody(error == 0):
            return i + 1 - first, row, left, iterations, error, state
    return n, row, left, iterations, 0.0, state
