/* What the hand-written methods share: vectors, the attitude, Newton's method.
 *
 * The unknown of every method is e = (h/2) w, half the rotation vector of a step, so that cay(2 e) needs no square
 * root and no product with the inertia is undone by a division. Its guess is the parabola through the last three
 * solutions. Newton's method stops when the error it leaves, |d|^3 / |d'|^2 after corrections d' and d, is below
 * round-off: known one iteration before the corrections vanish.
 *
 * The attitude is a matrix, or a quaternion with -DQUATERNION: which is faster depends on the method and on how the
 * compiler contracts products and sums, so the program that times them tries all.
 */
#include <math.h>

#define INLINE static inline __attribute__((always_inline))
#define MOST 30

typedef struct { double x, y, z; } vec;
typedef struct { double a[9]; } mat;
typedef struct { vec now, before, older; } trail;

INLINE vec add(vec a, vec b) { return (vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
INLINE vec sub(vec a, vec b) { return (vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
INLINE vec times(double s, vec a) { return (vec){s * a.x, s * a.y, s * a.z}; }
INLINE vec mul(vec a, vec b) { return (vec){a.x * b.x, a.y * b.y, a.z * b.z}; }
INLINE double dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
INLINE vec cross(vec a, vec b) { return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

/* A^-1 r by the adjugate: one division, no branch */
INLINE vec solve3(mat A, vec r) {
    double a0 = A.a[0], a1 = A.a[1], a2 = A.a[2], a3 = A.a[3], a4 = A.a[4], a5 = A.a[5], a6 = A.a[6], a7 = A.a[7];
    double a8 = A.a[8];
    double c0 = a4 * a8 - a5 * a7, c1 = a2 * a7 - a1 * a8, c2 = a1 * a5 - a2 * a4;
    double c3 = a5 * a6 - a3 * a8, c4 = a0 * a8 - a2 * a6, c5 = a2 * a3 - a0 * a5;
    double c6 = a3 * a7 - a4 * a6, c7 = a1 * a6 - a0 * a7, c8 = a0 * a4 - a1 * a3;
    double d = 1 / (a0 * c0 + a1 * c3 + a2 * c6);
    vec x = {c0 * r.x + c1 * r.y + c2 * r.z, c3 * r.x + c4 * r.y + c5 * r.z, c6 * r.x + c7 * r.y + c8 * r.z};
    return times(d, x);
}

/* Solve f(e, b, J) = 0, f giving residual and Jacobian; the solution becomes t->now. More than MOST: not solved. */
typedef void equation(vec e, vec b, vec J, vec *r, mat *A);

INLINE int newton(equation f, trail *t, vec b, vec J) {
    vec e = add(times(3, sub(t->now, t->before)), t->older), r;
    mat A;
    double last = 1;
    for (int n = 1; n <= MOST; n++) {
        f(e, b, J, &r, &A);
        vec d = solve3(A, r);
        e = sub(e, d);
        double size = fabs(d.x) + fabs(d.y) + fabs(d.z);
        if (size * size * size <= 0x1p-55 * last * last) {
            *t = (trail){e, t->now, t->before};
            return n;
        }
        last = size;
    }
    return MOST + 1;
}

/* `turn` makes Q <- Q cay(2 e) and returns Q as a matrix; the state begins with the numbers of the attitude */
#ifdef QUATERNION
#define NUMBERS 4
typedef struct { double w, x, y, z; } attitude;

INLINE mat turn(attitude *q, vec e) {
    double w = q->w - q->x * e.x - q->y * e.y - q->z * e.z, x = q->x + q->w * e.x + q->y * e.z - q->z * e.y;
    double y = q->y + q->w * e.y + q->z * e.x - q->x * e.z, z = q->z + q->w * e.z + q->x * e.y - q->y * e.x;
    double n = 1 / (w * w + x * x + y * y + z * z), k = sqrt(n);
    *q = (attitude){k * w, k * x, k * y, k * z};
    double s = 2 * n, sx = s * x, sy = s * y, sz = s * z;
    double wx = w * sx, wy = w * sy, wz = w * sz;
    double xx = x * sx, xy = x * sy, xz = x * sz, yy = y * sy, yz = y * sz, zz = z * sz;
    return (mat){{1 - (yy + zz), xy - wz, xz + wy, xy + wz, 1 - (xx + zz), yz - wx, xz - wy, yz + wx, 1 - (xx + yy)}};
}

INLINE attitude read_attitude(const double *s) { return (attitude){s[0], s[1], s[2], s[3]}; }
INLINE void write_attitude(double *s, attitude q) { s[0] = q.w, s[1] = q.x, s[2] = q.y, s[3] = q.z; }
#else
#define NUMBERS 9
typedef mat attitude;

INLINE mat turn(attitude *q, vec e) {
    vec c = times(2 / (1 + dot(e, e)), e);
    double xx = c.x * e.x, xy = c.x * e.y, xz = c.x * e.z, yy = c.y * e.y, yz = c.y * e.z, zz = c.z * e.z;
    double F0 = 1 - (yy + zz), F1 = xy - c.z, F2 = xz + c.y, F3 = xy + c.z, F4 = 1 - (xx + zz), F5 = yz - c.x;
    double F6 = xz - c.y, F7 = yz + c.x, F8 = 1 - (xx + yy);
    for (int r = 0; r < 9; r += 3) {
        double q0 = q->a[r], q1 = q->a[r + 1], q2 = q->a[r + 2];
        q->a[r] = q0 * F0 + q1 * F3 + q2 * F6;
        q->a[r + 1] = q0 * F1 + q1 * F4 + q2 * F7;
        q->a[r + 2] = q0 * F2 + q1 * F5 + q2 * F8;
    }
    return *q;
}

INLINE attitude read_attitude(const double *s) {
    attitude q;
    for (int i = 0; i < 9; i++) q.a[i] = s[i];
    return q;
}
INLINE void write_attitude(double *s, attitude q) {
    for (int i = 0; i < 9; i++) s[i] = q.a[i];
}
#endif

INLINE vec read_vec(const double *s) { return (vec){s[0], s[1], s[2]}; }
INLINE void write_vec(double *s, vec v) { s[0] = v.x, s[1] = v.y, s[2] = v.z; }
