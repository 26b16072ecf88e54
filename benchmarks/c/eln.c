/* ELN on the stress test, by hand.
 *
 * With e = (h/2) Omega at the ends of steps, k = h/2:   g = J e + J e x e + k^2 tau,   Q <- Q cay(2 J^-1 g),
 * and after the new torque   J e - J e x e = g + k^2 tau   for the next e.
 */
#include "body.h"
#include "stress.h"

INLINE void midpoint(vec e, vec b, vec J, vec *r, mat *A) {
    vec m = mul(J, e), k = {J.z - J.y, J.x - J.z, J.y - J.x};
    *r = sub(sub(m, cross(m, e)), b);
    *A = (mat){{J.x, k.x * e.z, k.x * e.y, k.y * e.z, J.y, k.y * e.x, k.z * e.y, k.z * e.x, J.z}};
}

/* n steps from the attitude and Pi in `state`; returns the iterations, or -1 where a step was not solved */
long eln(double h, long n, double *state, const double *inertia, double alpha, const double *M) {
    double k = h / 2, kk = k * k;
    attitude q = read_attitude(state);
    vec J = read_vec(inertia), iJ = {1 / J.x, 1 / J.y, 1 / J.z};
    vec tau = torque(turn(&q, (vec){0, 0, 0}), alpha, M);
    vec e = times(k, mul(iJ, read_vec(state + NUMBERS)));
    trail t = {e, e, e};
    long total = 0;
    for (long i = 0; i < n; i++) {
        vec m = mul(J, e), g = add(m, add(cross(m, e), times(kk, tau)));
        tau = torque(turn(&q, mul(iJ, g)), alpha, M);
        int iterations = newton(midpoint, &t, add(g, times(kk, tau)), J);
        if (iterations > MOST) return -1;
        total += iterations;
        e = t.now;
    }
    write_attitude(state, q);
    write_vec(state + NUMBERS, times(1 / k, mul(J, e)));
    return total;
}
