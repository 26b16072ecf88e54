"""VLV as a script with NumPy, the form in which such methods are published."""

import numpy as np

NAME = "NumPy script"
REMARK = "VLV, the same trajectory"
OURS = "VLV"
STEPS = 100


def stepper(problem, h):
    """The method line by line."""
    J, alpha = np.diag(problem.moments), problem.parameters[0]
    inverse = np.linalg.inv(J)
    Qm = np.array(problem.parameters[1:10]).reshape(3, 3)

    def hat(x):
        return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])

    def torque(Q):
        A = Qm.T @ Q
        near, far = np.sqrt(2 * np.trace(np.eye(3) - Q)), np.sqrt(2 * np.trace(np.eye(3) - A))
        S = (2 / near - 2) * (Q - Q.T) - alpha / far**3 * (A - A.T)
        return np.array([S[2, 1], S[0, 2], S[1, 0]])

    def cayley(x):
        return np.linalg.solve(np.eye(3) - hat(x) / 2, np.eye(3) + hat(x) / 2)

    def step(Q, Pi, tau, w):
        for _ in range(30):
            Jw = J @ w
            f = Pi + h / 2 * tau + h / 2 * np.cross(Jw, w) - h**2 / 4 * (w @ Jw) * w - Jw
            A = h / 2 * (hat(Jw) - hat(w) @ J - h * np.outer(w, w) @ J - h / 2 * (w @ Jw) * np.eye(3)) - J
            d = np.linalg.solve(A, f)
            w = w - d
            if np.linalg.norm(d) < 1e-14:
                break
        Jw = J @ w
        Q = Q @ cayley(h * w)
        tau = torque(Q)
        Pi = Jw + h / 2 * np.cross(Jw, w) + h**2 / 4 * (w @ Jw) * w + h / 2 * tau
        return Q, Pi, tau, w

    def run(n):
        Q, Pi, w = problem.Q0.copy(), J @ problem.Omega0, problem.Omega0.copy()
        tau = torque(Q)
        for _ in range(n):
            Q, Pi, tau, w = step(Q, Pi, tau, w)
        return Q, inverse @ Pi

    return run
