/* The discrete Moser-Veselov equation J e - J e x e = (1 + |e|^2) b */
INLINE void moser_veselov(vec e, vec b, vec J, vec *r, mat *A) {
    vec m = mul(J, e), g = times(2, e), k = {J.z - J.y, J.x - J.z, J.y - J.x};
    *r = sub(sub(m, cross(m, e)), times(1 + dot(e, e), b));
    *A = (mat){{J.x - b.x * g.x, k.x * e.z - b.x * g.y, k.x * e.y - b.x * g.z, k.y * e.z - b.y * g.x, J.y - b.y * g.y,
                k.y * e.x - b.y * g.z, k.z * e.y - b.z * g.x, k.z * e.x - b.z * g.y, J.z - b.z * g.z}};
}
