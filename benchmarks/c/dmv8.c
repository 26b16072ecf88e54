/* DMV8 for a free body, by hand: discrete Moser-Veselov with modified moments, Table 1 of Hairer & Vilmart (2006).
 *
 * 1/J~ = s/J + d with s, d polynomials in h^2 H = 2 b.J^-1 b and h^2 C = 2 b.b, where b = (h/2) Pi. They are constant
 * here, and computed in every step all the same, as a torque would require; that is also how its authors timed it.
 */
#include "body.h"
#include "moser_veselov.h"

#define SIGMA(a) (pow(x, a) + pow(y, a) + pow(z, a))
#define TAU(b, c) ((pow(y, b) + pow(z, b)) / pow(x, c) + (pow(z, b) + pow(x, b)) / pow(y, c) + (pow(x, b) + pow(y, b)) / pow(z, c))

/* coefficients of H, C; HH, HC, CC; HHH, HHC, HCC, CCC */
static void table(double x, double y, double z, double s[9], double d[9]) {
    double D = x * y * z, DD = D * D, DDD = DD * D;
    s[0] = -SIGMA(-1) / 3;
    s[1] = SIGMA(1) / (6 * D);
    s[2] = (3 * SIGMA(1) + 2 * D * SIGMA(-2)) / (60 * D);
    s[3] = (1 - TAU(1, 1)) / (30 * D);
    s[4] = (SIGMA(2) - D * SIGMA(-1)) / (30 * DD);
    s[5] = (15 - D * SIGMA(-3) - 2 * TAU(1, 1)) / (630 * D);
    s[6] = (6 * D * TAU(1, 2) - 100 * D * SIGMA(-1) + 53 * SIGMA(2)) / (2520 * DD);
    s[7] = (9 * SIGMA(1) + 10 * D * SIGMA(-2) - 6 * TAU(2, 1)) / (420 * DD);
    s[8] = (4 * D + 17 * SIGMA(3) - 15 * D * TAU(1, 1)) / (2520 * DDD);
    d[0] = SIGMA(1) / (6 * D);
    d[1] = -1 / (3 * D);
    d[2] = -(9 + TAU(1, 1)) / (60 * D);
    d[3] = (6 * D * SIGMA(-1) - SIGMA(2)) / (60 * DD);
    d[4] = -SIGMA(1) / (60 * DD);
    d[5] = (9 * D * SIGMA(-1) + D * TAU(1, 2) - 11 * SIGMA(2)) / (1260 * DD);
    d[6] = (47 * SIGMA(1) + 13 * TAU(2, 1) - 38 * D * SIGMA(-2)) / (2520 * DD);
    d[7] = (SIGMA(3) + 2 * D * TAU(1, 1) - 85 * D) / (1260 * DDD);
    d[8] = (34 * D * SIGMA(-1) - 19 * SIGMA(2)) / (2520 * DDD);
}

INLINE double polynomial(const double c[9], double H, double C) {
    double HH = H * H, HC = H * C, CC = C * C;
    return (c[0] * H + c[1] * C) + (c[2] * HH + c[3] * HC + c[4] * CC) +
           (HH * (c[5] * H + c[6] * C) + CC * (c[7] * H + c[8] * C));
}

/* n steps from the attitude and Pi in `state`; returns the iterations, or -1 where a step was not solved */
long dmv8(double h, long n, double *state, const double *inertia) {
    double k = h / 2, cs[9], cd[9];
    table(inertia[0], inertia[1], inertia[2], cs, cd);
    attitude q = read_attitude(state);
    vec iJ = {1 / inertia[0], 1 / inertia[1], 1 / inertia[2]};
    vec b = times(k, read_vec(state + NUMBERS)), e = mul(iJ, b);
    trail t = {e, e, e};
    long total = 0;
    for (long i = 0; i < n; i++) {
        double H = 2 * dot(b, mul(iJ, b)), C = 2 * dot(b, b);
        double s = 1 + polynomial(cs, H, C), d = polynomial(cd, H, C);
        vec J = {1 / (s * iJ.x + d), 1 / (s * iJ.y + d), 1 / (s * iJ.z + d)};
        int iterations = newton(moser_veselov, &t, b, J);
        if (iterations > MOST) return -1;
        total += iterations;
        e = t.now;
        turn(&q, e);
        b = add(b, times(2 / (1 + dot(e, e)), cross(mul(J, e), e)));
    }
    write_attitude(state, q);
    write_vec(state + NUMBERS, times(1 / k, b));
    return total;
}
