/* The torque of the stress test. With -DCALLED it is a function that is called, as a torque given at run time must be;
 * otherwise it is part of the loop, which is what one writes for one problem only.
 */
#ifdef CALLED
static __attribute__((noinline))
#else
INLINE
#endif
vec torque(mat attitude, double alpha, const double *M) {
    const double *Q = attitude.a;
    double near = sqrt(2 * (3 - (Q[0] + Q[4] + Q[8])));
    double trace = (M[0] * Q[0] + M[3] * Q[3] + M[6] * Q[6]) + (M[1] * Q[1] + M[4] * Q[4] + M[7] * Q[7]) +
                   (M[2] * Q[2] + M[5] * Q[5] + M[8] * Q[8]);
    double s = 2 * (3 - trace), u = 2 / near - 2, v = -alpha / (s * sqrt(s));
    /* the skew parts of Q and of M^T Q */
    vec a = {Q[7] - Q[5], Q[2] - Q[6], Q[3] - Q[1]};
    vec b = {(M[2] * Q[1] + M[5] * Q[4] + M[8] * Q[7]) - (M[1] * Q[2] + M[4] * Q[5] + M[7] * Q[8]),
             (M[0] * Q[2] + M[3] * Q[5] + M[6] * Q[8]) - (M[2] * Q[0] + M[5] * Q[3] + M[8] * Q[6]),
             (M[1] * Q[0] + M[4] * Q[3] + M[7] * Q[6]) - (M[0] * Q[1] + M[3] * Q[4] + M[6] * Q[7])};
    return add(times(u, a), times(v, b));
}
