/* VLV on the stress test, by hand: what a careful C programmer would ship.
 *
 * e = (h/2) w, b = (h/2) Pi + (h^2/4) tau:   (1 + |e|^2) J e = b - e x b,   Q <- Q cay(2 e),
 * and after the new torque   b <- b + 2 J e x e + (h^2/2) tau,   so Pi is never formed in the loop.
 * The guess for e is extrapolated; Newton stops when the error it leaves is below round-off.
 */
#include <math.h>

typedef struct { double x, y, z; } vec;

static inline vec torque(const double Q[9], double alpha, const double M[9]) {
    double de = sqrt(2 * (3 - Q[0] - Q[4] - Q[8]));
    double tr = 0;
    for (int i = 0; i < 9; i++) tr += M[i] * Q[i];
    double dm = sqrt(2 * (3 - tr));
    double u = -2 * (1 - 1 / de), v = -alpha / (dm * dm * dm);
    /* vee of the skew part of M^T Q */
    double a = (M[2] * Q[1] + M[5] * Q[4] + M[8] * Q[7]) - (M[1] * Q[2] + M[4] * Q[5] + M[7] * Q[8]);
    double b = (M[0] * Q[2] + M[3] * Q[5] + M[6] * Q[8]) - (M[2] * Q[0] + M[5] * Q[3] + M[8] * Q[6]);
    double c = (M[1] * Q[0] + M[4] * Q[3] + M[7] * Q[6]) - (M[0] * Q[1] + M[3] * Q[4] + M[6] * Q[7]);
    vec t = {u * (Q[7] - Q[5]) + v * a, u * (Q[2] - Q[6]) + v * b, u * (Q[3] - Q[1]) + v * c};
    return t;
}

/* state: Q (9, by rows), Pi (3); returns the number of Newton iterations, or -1 where one did not converge */
long vlv(double h, long n, double *state, const double J[3], double alpha, const double M[9]) {
    double Q[9];
    for (int i = 0; i < 9; i++) Q[i] = state[i];
    double k = h / 2, kk = k * k;
    double J0 = J[0], J1 = J[1], J2 = J[2];
    vec tau = torque(Q, alpha, M);
    double b0 = k * state[9] + kk * tau.x, b1 = k * state[10] + kk * tau.y, b2 = k * state[11] + kk * tau.z;
    double x = b0 / J0, y = b1 / J1, z = b2 / J2, px = x, py = y, pz = z, ox = x, oy = y, oz = z;
    long total = 0;
    for (long i = 0; i < n; i++) {
        double gx = 3 * (x - px) + ox, gy = 3 * (y - py) + oy, gz = 3 * (z - pz) + oz;
        ox = px, oy = py, oz = pz;
        px = x, py = y, pz = z;
        x = gx, y = gy, z = gz;
        double last = 1;
        int it = 0;
        for (;;) {
            double m0 = J0 * x, m1 = J1 * y, m2 = J2 * z, al = 1 + x * x + y * y + z * z;
            double r0 = al * m0 + (y * b2 - z * b1) - b0;
            double r1 = al * m1 + (z * b0 - x * b2) - b1;
            double r2 = al * m2 + (x * b1 - y * b0) - b2;
            double gx2 = 2 * x, gy2 = 2 * y, gz2 = 2 * z;
            double a0 = al * J0 + m0 * gx2, a1 = m0 * gy2 + b2, a2 = m0 * gz2 - b1;
            double a3 = m1 * gx2 - b2, a4 = al * J1 + m1 * gy2, a5 = m1 * gz2 + b0;
            double a6 = m2 * gx2 + b1, a7 = m2 * gy2 - b0, a8 = al * J2 + m2 * gz2;
            double c0 = a4 * a8 - a5 * a7, c1 = a2 * a7 - a1 * a8, c2 = a1 * a5 - a2 * a4;
            double c3 = a5 * a6 - a3 * a8, c4 = a0 * a8 - a2 * a6, c5 = a2 * a3 - a0 * a5;
            double c6 = a3 * a7 - a4 * a6, c7 = a1 * a6 - a0 * a7, c8 = a0 * a4 - a1 * a3;
            double d = 1 / (a0 * c0 + a1 * c3 + a2 * c6);
            double dx = d * (c0 * r0 + c1 * r1 + c2 * r2);
            double dy = d * (c3 * r0 + c4 * r1 + c5 * r2);
            double dz = d * (c6 * r0 + c7 * r1 + c8 * r2);
            x -= dx, y -= dy, z -= dz;
            double size = fabs(dx) + fabs(dy) + fabs(dz);
            it++;
            if (size * size * size <= 2.7755575615628914e-17 * last * last) break;
            if (it == 30) return -1;
            last = size;
        }
        total += it;
        double c = 2 / (1 + x * x + y * y + z * z);
        double cx = c * x, cy = c * y, cz = c * z;
        double xx = cx * x, xy = cx * y, xz = cx * z, yy = cy * y, yz = cy * z, zz = cz * z;
        double F0 = 1 - (yy + zz), F1 = xy - cz, F2 = xz + cy, F3 = xy + cz, F4 = 1 - (xx + zz), F5 = yz - cx,
               F6 = xz - cy, F7 = yz + cx, F8 = 1 - (xx + yy);
        for (int r = 0; r < 9; r += 3) {
            double q0 = Q[r], q1 = Q[r + 1], q2 = Q[r + 2];
            Q[r] = q0 * F0 + q1 * F3 + q2 * F6;
            Q[r + 1] = q0 * F1 + q1 * F4 + q2 * F7;
            Q[r + 2] = q0 * F2 + q1 * F5 + q2 * F8;
        }
        tau = torque(Q, alpha, M);
        double m0 = J0 * x, m1 = J1 * y, m2 = J2 * z;
        b0 += 2 * (m1 * z - m2 * y) + 2 * kk * tau.x;
        b1 += 2 * (m2 * x - m0 * z) + 2 * kk * tau.y;
        b2 += 2 * (m0 * y - m1 * x) + 2 * kk * tau.z;
    }
    for (int i = 0; i < 9; i++) state[i] = Q[i];
    state[9] = (b0 - kk * tau.x) / k, state[10] = (b1 - kk * tau.y) / k, state[11] = (b2 - kk * tau.z) / k;
    return total;
}
