/* VLV on the stress test for many bodies, by hand: SIMD lanes, what a careful C programmer would ship.
 *
 * The equations are those of vlv.c, one body a lane. W is the doubles in a vector (4: AVX2, 8: AVX-512) and CHAINS
 * how many vectors are worked on in turns: a step is one long chain of dependent operations, and a second, independent
 * one fills the gaps. Newton takes two iterations, and more as long as any lane needs them.
 * Fused multiply-add is left to the compiler (-ffp-contract); it is no gain on every machine.
 */
#include <immintrin.h>

#ifndef W
#define W 4
#endif
#ifndef CHAINS
#define CHAINS 2
#endif

#if W == 8
typedef __m512d vec;
static inline vec root(vec x) { return _mm512_sqrt_pd(x); }
static inline vec size3(vec x, vec y, vec z) { return _mm512_abs_pd(x) + _mm512_abs_pd(y) + _mm512_abs_pd(z); }
static inline int all_below(vec a, vec b) { return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ) == 0xff; }
#else
typedef __m256d vec;
static inline vec root(vec x) { return _mm256_sqrt_pd(x); }
static inline vec size3(vec x, vec y, vec z) {
    vec sign = _mm256_set1_pd(-0.0);
    return _mm256_andnot_pd(sign, x) + _mm256_andnot_pd(sign, y) + _mm256_andnot_pd(sign, z);
}
static inline int all_below(vec a, vec b) { return _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LE_OQ)) == 0xf; }
#endif

typedef struct { vec Q[9], b[3], tau[3], e[3], before[3], oldest[3], size, last; } chain;
typedef struct { double k, kk, J[3], alpha, M[9]; } data;

#define INLINE static inline __attribute__((always_inline))

INLINE void torque(chain *c, const data *p) {
    const double *M = p->M;
    const vec *Q = c->Q;
    vec near = root(2 * (3 - Q[0] - Q[4] - Q[8]));
    vec trace = (M[0] * Q[0] + M[1] * Q[1] + M[2] * Q[2]) + (M[3] * Q[3] + M[4] * Q[4] + M[5] * Q[5]) +
                (M[6] * Q[6] + M[7] * Q[7] + M[8] * Q[8]);
    vec s = 2 * (3 - trace);
    vec u = 2 / near - 2, v = -p->alpha / (s * root(s));
    /* vee of the skew part of M^T Q */
    vec x = (M[2] * Q[1] + M[5] * Q[4] + M[8] * Q[7]) - (M[1] * Q[2] + M[4] * Q[5] + M[7] * Q[8]);
    vec y = (M[0] * Q[2] + M[3] * Q[5] + M[6] * Q[8]) - (M[2] * Q[0] + M[5] * Q[3] + M[8] * Q[6]);
    vec z = (M[1] * Q[0] + M[4] * Q[3] + M[7] * Q[6]) - (M[0] * Q[1] + M[3] * Q[4] + M[6] * Q[7]);
    c->tau[0] = u * (Q[7] - Q[5]) + v * x, c->tau[1] = u * (Q[2] - Q[6]) + v * y, c->tau[2] = u * (Q[3] - Q[1]) + v * z;
}

INLINE void extrapolate(chain *c) {
    for (int i = 0; i < 3; i++) {
        vec guess = 3 * (c->e[i] - c->before[i]) + c->oldest[i];
        c->oldest[i] = c->before[i], c->before[i] = c->e[i], c->e[i] = guess;
    }
}

/* one correction of (1 + |e|^2) J e = b - e x b */
INLINE void newton(chain *c, const data *p) {
    vec x = c->e[0], y = c->e[1], z = c->e[2], b0 = c->b[0], b1 = c->b[1], b2 = c->b[2];
    double J0 = p->J[0], J1 = p->J[1], J2 = p->J[2];
    vec m0 = J0 * x, m1 = J1 * y, m2 = J2 * z, a = 1 + x * x + y * y + z * z;
    vec r0 = a * m0 + (y * b2 - z * b1) - b0;
    vec r1 = a * m1 + (z * b0 - x * b2) - b1;
    vec r2 = a * m2 + (x * b1 - y * b0) - b2;
    vec x2 = x + x, y2 = y + y, z2 = z + z;
    vec a0 = a * J0 + m0 * x2, a1 = m0 * y2 + b2, a2 = m0 * z2 - b1;
    vec a3 = m1 * x2 - b2, a4 = a * J1 + m1 * y2, a5 = m1 * z2 + b0;
    vec a6 = m2 * x2 + b1, a7 = m2 * y2 - b0, a8 = a * J2 + m2 * z2;
    vec c0 = a4 * a8 - a5 * a7, c1 = a2 * a7 - a1 * a8, c2 = a1 * a5 - a2 * a4;
    vec c3 = a5 * a6 - a3 * a8, c4 = a0 * a8 - a2 * a6, c5 = a2 * a3 - a0 * a5;
    vec c6 = a3 * a7 - a4 * a6, c7 = a1 * a6 - a0 * a7, c8 = a0 * a4 - a1 * a3;
    vec d = 1 / (a0 * c0 + a1 * c3 + a2 * c6);
    vec dx = d * (c0 * r0 + c1 * r1 + c2 * r2);
    vec dy = d * (c3 * r0 + c4 * r1 + c5 * r2);
    vec dz = d * (c6 * r0 + c7 * r1 + c8 * r2);
    c->e[0] = x - dx, c->e[1] = y - dy, c->e[2] = z - dz;
    c->last = c->size;
    c->size = size3(dx, dy, dz);
}

/* whether the error that is left, |d|^3 / |d before|^2, is below round-off in every lane */
INLINE int done(const chain *c) {
    return all_below(c->size * c->size * c->size, 2.7755575615628914e-17 * (c->last * c->last));
}

/* Q <- Q cay(2 e), the torque there, b <- b + 2 J e x e + (h^2/2) tau */
INLINE void move(chain *c, const data *p) {
    vec x = c->e[0], y = c->e[1], z = c->e[2];
    vec s = 2 / (1 + x * x + y * y + z * z);
    vec sx = s * x, sy = s * y, sz = s * z;
    vec xx = sx * x, xy = sx * y, xz = sx * z, yy = sy * y, yz = sy * z, zz = sz * z;
    vec F0 = 1 - (yy + zz), F1 = xy - sz, F2 = xz + sy, F3 = xy + sz, F4 = 1 - (xx + zz), F5 = yz - sx, F6 = xz - sy,
        F7 = yz + sx, F8 = 1 - (xx + yy);
    for (int r = 0; r < 9; r += 3) {
        vec q0 = c->Q[r], q1 = c->Q[r + 1], q2 = c->Q[r + 2];
        c->Q[r] = q0 * F0 + q1 * F3 + q2 * F6;
        c->Q[r + 1] = q0 * F1 + q1 * F4 + q2 * F7;
        c->Q[r + 2] = q0 * F2 + q1 * F5 + q2 * F8;
    }
    torque(c, p);
    vec m0 = p->J[0] * x, m1 = p->J[1] * y, m2 = p->J[2] * z;
    c->b[0] += 2 * (m1 * z - m2 * y) + 2 * p->kk * c->tau[0];
    c->b[1] += 2 * (m2 * x - m0 * z) + 2 * p->kk * c->tau[1];
    c->b[2] += 2 * (m0 * y - m1 * x) + 2 * p->kk * c->tau[2];
}

INLINE void begin(chain *c, const double *state, const data *p) {
    for (int i = 0; i < 9; i++) __builtin_memcpy(&c->Q[i], state + i * W, sizeof(vec));
    torque(c, p);
    for (int i = 0; i < 3; i++) {
        vec Pi;
        __builtin_memcpy(&Pi, state + (9 + i) * W, sizeof(vec));
        c->b[i] = p->k * Pi + p->kk * c->tau[i];
        c->e[i] = c->before[i] = c->oldest[i] = p->k * Pi / p->J[i];
    }
    c->size = c->tau[0];
}

INLINE void finish(chain *c, double *state, const data *p) {
    for (int i = 0; i < 9; i++) __builtin_memcpy(state + i * W, &c->Q[i], sizeof(vec));
    for (int i = 0; i < 3; i++) {
        vec Pi = (c->b[i] - p->kk * c->tau[i]) / p->k;
        __builtin_memcpy(state + (9 + i) * W, &Pi, sizeof(vec));
    }
}

/* states: for each vector of bodies [12][W], Q by rows and Pi; `vectors` is a multiple of CHAINS.
 * Returns the iterations of all groups, or -1 where one did not converge. */
long vlv_lanes(double h, long n, long vectors, double *states, const double J[3], double alpha, const double M[9]) {
    data p = {h / 2, h * h / 4, {J[0], J[1], J[2]}, alpha, {0}};
    for (int i = 0; i < 9; i++) p.M[i] = M[i];
    long total = 0;
    for (long v = 0; v < vectors; v += CHAINS) {
        chain c[CHAINS];
        for (int j = 0; j < CHAINS; j++) begin(&c[j], states + (v + j) * 12 * W, &p);
        for (long i = 0; i < n; i++) {
            for (int j = 0; j < CHAINS; j++) extrapolate(&c[j]);
            for (int j = 0; j < CHAINS; j++) newton(&c[j], &p);
            int iterations = 1, more = 1;
            do {
                for (int j = 0; j < CHAINS; j++) newton(&c[j], &p);
                more = 0;
                for (int j = 0; j < CHAINS; j++) more |= !done(&c[j]);
                if (++iterations == 30 && more) return -1;
            } while (more);
            total += iterations;
            for (int j = 0; j < CHAINS; j++) move(&c[j], &p);
        }
        for (int j = 0; j < CHAINS; j++) finish(&c[j], states + (v + j) * 12 * W, &p);
    }
    return total;
}
