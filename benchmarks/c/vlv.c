/* VLV on the stress test, by hand: what a careful C programmer would ship.
 *
 * e = (h/2) w, b = (h/2) Pi + (h^2/4) tau:   (1 + |e|^2) J e = b - e x b,   Q <- Q cay(2 e),
 * and after the new torque   b <- b + 2 J e x e + (h^2/2) tau,   so Pi is never formed in the loop.
 */
#include "body.h"
#include "stress.h"

INLINE void lie_verlet(vec e, vec b, vec J, vec *r, mat *A) {
    vec m = mul(J, e), g = times(2, e);
    double a = 1 + dot(e, e);
    *r = sub(add(times(a, m), cross(e, b)), b);
    *A = (mat){{a * J.x + m.x * g.x, m.x * g.y + b.z, m.x * g.z - b.y, m.y * g.x - b.z, a * J.y + m.y * g.y,
                m.y * g.z + b.x, m.z * g.x + b.y, m.z * g.y - b.x, a * J.z + m.z * g.z}};
}

/* n steps from the attitude and Pi in `state`; returns the iterations, or -1 where a step was not solved */
long vlv(double h, long n, double *state, const double *inertia, double alpha, const double *M) {
    double k = h / 2, kk = k * k;
    attitude q = read_attitude(state);
    vec J = read_vec(inertia), Pi = read_vec(state + NUMBERS);
    vec tau = torque(turn(&q, (vec){0, 0, 0}), alpha, M);
    vec b = add(times(k, Pi), times(kk, tau));
    vec e = {b.x / J.x, b.y / J.y, b.z / J.z};
    trail t = {e, e, e};
    long total = 0;
    for (long i = 0; i < n; i++) {
        int iterations = newton(lie_verlet, &t, b, J);
        if (iterations > MOST) return -1;
        total += iterations;
        e = t.now;
        tau = torque(turn(&q, e), alpha, M);
        b = add(b, add(times(2, cross(mul(J, e), e)), times(2 * kk, tau)));
    }
    write_attitude(state, q);
    write_vec(state + NUMBERS, times(1 / k, sub(b, times(kk, tau))));
    return total;
}
