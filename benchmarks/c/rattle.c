/* RATTLE on the stress test, by hand.
 *
 * e = (h/2) w, b = (h/2) Pi + (h^2/4) tau:   J e - J e x e = (1 + |e|^2) b,   Q <- Q cay(2 e),
 * and, since cay(2 e)^T b = b + 2/(1 + |e|^2) J e x e, after the new torque
 * b <- b + 2/(1 + |e|^2) J e x e + (h^2/2) tau.
 */
#include "body.h"
#include "stress.h"
#include "moser_veselov.h"

/* n steps from the attitude and Pi in `state`; returns the iterations, or -1 where a step was not solved */
long rattle(double h, long n, double *state, const double *inertia, double alpha, const double *M) {
    double k = h / 2, kk = k * k;
    attitude q = read_attitude(state);
    vec J = read_vec(inertia), Pi = read_vec(state + NUMBERS);
    vec tau = torque(turn(&q, (vec){0, 0, 0}), alpha, M);
    vec b = add(times(k, Pi), times(kk, tau));
    vec e = {b.x / J.x, b.y / J.y, b.z / J.z};
    trail t = {e, e, e};
    long total = 0;
    for (long i = 0; i < n; i++) {
        int iterations = newton(moser_veselov, &t, b, J);
        if (iterations > MOST) return -1;
        total += iterations;
        e = t.now;
        tau = torque(turn(&q, e), alpha, M);
        b = add(b, add(times(2 / (1 + dot(e, e)), cross(mul(J, e), e)), times(2 * kk, tau)));
    }
    write_attitude(state, q);
    write_vec(state + NUMBERS, times(1 / k, sub(b, times(kk, tau))));
    return total;
}
