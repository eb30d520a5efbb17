// SPDX-License-Identifier: BSD-3-Clause
// Fundamental matrix and focal length from 6 correspondences between two images of one camera whose
// only unknown intrinsic is the focal length f: x2' F x1 = 0, and E = K F K with K = diag(f, f, 1)
// is an essential matrix. Coordinates are in square pixels relative to the principal point.
//   H. Stewenius, D. Nister, F. Kahl, F. Schaffalitzky, A minimal solution for relative pose with
//   unknown focal length, CVPR 2005 (15 solutions);
//   Z. Kukelova, J. Kileel, B. Sturmfels, T. Pajdla, A clever elimination strategy for efficient
//   minimal solvers, CVPR 2017 (f is eliminated first: a cubic and a quintic in F are left).
// Let F = [A b; c' d] (A is 2 x 2), q = 1 / f^2 and Q = diag(1, 1, q). The equation 2 E E'E =
// trace(E E') E becomes 2 F Q F'Q F = trace(F Q F'Q) F. Its last column times b, minus its last
// element times |b|^2, and its last row times c, minus the last element times |c|^2, are
//   d |A'b|^2 - |b|^2 b'Ac + q d (d b'Ac - |b|^2 |c|^2) = 0      (1)
//   d |A c|^2 - |c|^2 b'Ac + q d (d b'Ac - |b|^2 |c|^2) = 0      (2)
// and their difference is the quintic without f:
//   d (|A'b|^2 - |A c|^2) = (|b|^2 - |c|^2) b'Ac.
// On the null space F = x N0 + y N1 + z N2 of the six linear equations, the cubic det F is made
// monic in x. The remainder of the quintic modulo this cubic is a quadratic in x, and the
// determinant of multiplication by it modulo the cubic is a polynomial of degree 15 in y / z. Each
// root is refined by two Newton steps on both equations. f follows from (1), (2) and three more
// equations that are linear in q. Solutions: 0 to 15, with f between 0.05 and 50. None for
// dependent equations (two equal points, ...), six points on a plane, identical images, or NaN. f
// is undetermined, and the returned value arbitrary, if the optical axes are parallel or meet at
// equal distances from both cameras (P. Sturm, On focal length calibration from two views, CVPR
// 2001). Coordinates of about unit size: divided by about half the image width.

// Returns the offset of the coefficients with power k of x in a form of degree n in x, y, z. The
// form has (n + 1)(n + 2) / 2 coefficients: for each power k of x the coefficients of z^(n - k),
// ..., y^(n - k).
lane_fn index form_row(index n, index k) { return k * (n + 1) - k * (k - 1) / 2; }

// out += s a b, for forms of degree m and n.
lane_fn void form_product_add(const real* a, index m, const real* b, index n, real s, real* out) {
  for (index k = 0; k <= m; ++k) {
    for (index l = 0; l <= n; ++l) {
      const real* u = a + form_row(m, k);
      const real* v = b + form_row(n, l);
      real* w = out + form_row(m + n, k + l);
      for (index i = 0; i <= m - k; ++i) {
        real factor = s * u[i];
        for (index j = 0; j <= n - l; ++j) w[i + j] += factor * v[j];
      }
    }
  }
}

// Computes the elements of F on N [3][9] as forms e [9][3], and the cubic det F [10].
lane_fn void focal_cubic(const real* N, real* e, real* cubic) {
  for (index i = 0; i < 9; ++i) {
    e[3 * i] = N[18 + i];
    e[3 * i + 1] = N[9 + i];
    e[3 * i + 2] = N[i];
  }
  for (index i = 0; i < 10; ++i) cubic[i] = lane(0);
  for (index j = 0; j < 3; ++j) {
    const index j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    real minor[6];
    for (index i = 0; i < 6; ++i) minor[i] = lane(0);
    form_product_add(e + 9 + 3 * j1, 1, e + 18 + 3 * j2, 1, lane(1), minor);
    form_product_add(e + 9 + 3 * j2, 1, e + 18 + 3 * j1, 1, lane(-1), minor);
    form_product_add(minor, 2, e + 3 * j, 1, lane(1), cubic);
  }
}

// Computes the quintic [21] from the elements e [9][3].
lane_fn void focal_quintic(const real* e, real* quintic) {
  real left[6], right[6], difference[15], sides[6], product[10];
  for (index i = 0; i < 15; ++i) difference[i] = lane(0);
  for (index i = 0; i < 10; ++i) product[i] = lane(0);
  for (index i = 0; i < 6; ++i) sides[i] = lane(0);
  for (index i = 0; i < 21; ++i) quintic[i] = lane(0);
  for (index k = 0; k < 2; ++k) {
    const real* b = e + 9 * k + 6;
    const real* c = e + 18 + 3 * k;
    for (index i = 0; i < 6; ++i) left[i] = right[i] = lane(0);
    for (index l = 0; l < 2; ++l) {
      form_product_add(e + 9 * l + 3 * k, 1, e + 9 * l + 6, 1, lane(1), left);    // (A'b)_k
      form_product_add(e + 9 * k + 3 * l, 1, e + 18 + 3 * l, 1, lane(1), right);  // (A c)_k
    }
    form_product_add(left, 2, left, 2, lane(1), difference);
    form_product_add(right, 2, right, 2, lane(-1), difference);
    form_product_add(b, 1, b, 1, lane(1), sides);
    form_product_add(c, 1, c, 1, lane(-1), sides);
    form_product_add(b, 1, right, 2, lane(1), product);
  }
  form_product_add(e + 24, 1, difference, 4, lane(1), quintic);
  form_product_add(sides, 2, product, 3, lane(-1), quintic);
}

// Changes the basis N [3][9] so that det F, given as the form `cubic`, is large at N0.
lane_fn void focal_reflect_basis(const real* cubic, real* N) {
  real best = lane(-1), d[3];
  for (index i = 0; i < 3; ++i) d[i] = lane(0);
  // All combinations of -1, 0, 1 up to sign: a nonzero cubic form is nonzero for at least one.
  for (index k = 14; k < 27; ++k) {
    const index x = k / 9 - 1, y = k / 3 % 3 - 1, z = k % 3 - 1;
    const index n = x * x + y * y + z * z;
    real unit = lane(n == 1 ? 1 : n == 2 ? 0.70710678118654752 : 0.57735026918962576);
    real value = lane(0);
    for (index i = 0; i <= 3; ++i) {
      for (index j = 0; j <= 3 - i; ++j) {
        const index power = (i > 0 ? x : 1) * (i > 1 ? x : 1) * (i > 2 ? x : 1) * (j > 0 ? y : 1) *
                            (j > 1 ? y : 1) * (j > 2 ? y : 1) * (3 - i - j > 0 ? z : 1) *
                            (3 - i - j > 1 ? z : 1) * (3 - i - j > 2 ? z : 1);
        if (power > 0) value += cubic[form_row(3, i) + j];
        if (power < 0) value -= cubic[form_row(3, i) + j];
      }
    }
    value = fabs(value) * unit * unit * unit;
    mask better = value > best;
    best = select(better, value, best);
    d[0] = select(better, unit * lane(x), d[0]);
    d[1] = select(better, unit * lane(y), d[1]);
    d[2] = select(better, unit * lane(z), d[2]);
  }
  // The reflection that maps the first axis to d or -d.
  real sign = copysign(lane(1), d[0]);
  d[0] += sign;
  real beta = lane(1) / fabs(d[0]);
  for (index i = 0; i < 9; ++i) {
    real s = beta * (d[0] * N[i] + d[1] * N[9 + i] + d[2] * N[18 + i]);
    for (index k = 0; k < 3; ++k) N[9 * k + i] -= s * d[k];
  }
}

// out += s a b, for polynomials with m + 1 and n + 1 coefficients.
lane_fn void polynomial_product_add(const real* a, index m, const real* b, index n, real s,
                                    real* out) {
  for (index i = 0; i <= m; ++i) {
    real factor = s * a[i];
    for (index j = 0; j <= n; ++j) out[i + j] += factor * b[j];
  }
}

// Computes the rows r [3][3][8]: x^i times the quintic modulo the monic cubic. They are polynomials
// in y (z = 1), the coefficients of 1, x, x^2; row i, column j has degree 5 + i - j.
lane_fn void focal_rows(const real* cubic, real* quintic, real* r) {
  for (index k = 5; k >= 3; --k) {
    const real* head = quintic + form_row(5, k);
    for (index j = 0; j < 3; ++j)
      polynomial_product_add(cubic + form_row(3, j), 3 - j, head, 5 - k, lane(-1),
                             quintic + form_row(5, k - 3 + j));
  }
  for (index i = 0; i < 72; ++i) r[i] = lane(0);
  for (index j = 0; j < 3; ++j) {
    for (index i = 0; i <= 5 - j; ++i) r[8 * j + i] = quintic[form_row(5, j) + i];
  }
  for (index i = 1; i < 3; ++i) {
    const real* before = r + 24 * (i - 1);
    real* own = r + 24 * i;
    for (index j = 0; j < 3; ++j) {
      if (j > 0) {
        for (index k = 0; k <= 5 + i - j; ++k) own[8 * j + k] = before[8 * (j - 1) + k];
      }
      polynomial_product_add(cubic + form_row(3, j), 3 - j, before + 16, 2 + i, lane(-1),
                             own + 8 * j);
    }
  }
}

// Computes the determinant of the rows: 16 coefficients.
lane_fn void focal_resultant(const real* r, real* p) {
  for (index i = 0; i < 16; ++i) p[i] = lane(0);
  for (index j = 0; j < 3; ++j) {
    const index u = (j + 1) % 3, v = (j + 2) % 3;
    real minor[13];
    for (index i = 0; i < 13; ++i) minor[i] = lane(0);
    polynomial_product_add(r + 24 + 8 * u, 6 - u, r + 48 + 8 * v, 7 - v, lane(1), minor);
    polynomial_product_add(r + 24 + 8 * v, 6 - v, r + 48 + 8 * u, 7 - u, lane(-1), minor);
    polynomial_product_add(r + 8 * j, 5 - j, minor, 10 + j, lane(1), p);
  }
}

// Computes the cubic and the quintic at F, and their derivatives by the elements of F: g [2],
// D [2][9].
lane_fn void focal_equations(const real* F, real* g, real* D) {
  real p[2], q[2], Ap[2], Aq[2];  // A'b, A c, A A'b, A'A c
  mat3_cofactors(F, D);
  g[0] = vec3_dot(F, D);
  for (index k = 0; k < 2; ++k) {
    p[k] = F[k] * F[2] + F[3 + k] * F[5];
    q[k] = F[3 * k] * F[6] + F[3 * k + 1] * F[7];
  }
  for (index k = 0; k < 2; ++k) {
    Ap[k] = F[3 * k] * p[0] + F[3 * k + 1] * p[1];
    Aq[k] = F[k] * q[0] + F[3 + k] * q[1];
  }
  real sides = F[2] * F[2] + F[5] * F[5] - F[6] * F[6] - F[7] * F[7];
  real across = F[2] * q[0] + F[5] * q[1], d = F[8];
  real squares = p[0] * p[0] + p[1] * p[1] - q[0] * q[0] - q[1] * q[1];
  g[1] = d * squares - sides * across;
  for (index k = 0; k < 2; ++k) {
    real b = F[3 * k + 2], c = F[6 + k], d2 = d + d;
    for (index l = 0; l < 2; ++l)
      D[9 + 3 * k + l] = d2 * (b * p[l] - q[k] * F[6 + l]) - sides * b * F[6 + l];
    D[9 + 3 * k + 2] = d2 * Ap[k] - lane(2) * b * across - sides * q[k];
    D[9 + 6 + k] = lane(2) * c * across - d2 * Aq[k] - sides * p[k];
  }
  D[17] = squares;
}

// Refines w [3] = (x, y, z) by Newton's method on both equations, with F = x N0 + y N1 + z N2 on N
// [3][9]. The larger of y and z is held fixed.
lane_fn void focal_polish(const real* N, real* w, real* F) {
  mask keep_y = fabs(w[1]) > fabs(w[2]);
  for (index step = 0; step < 3; ++step) {
    real g[2], D[18], J[4];
    for (index i = 0; i < 9; ++i) F[i] = w[0] * N[i] + w[1] * N[9 + i] + w[2] * N[18 + i];
    if (step == 2) break;
    focal_equations(F, g, D);
    for (index k = 0; k < 2; ++k) {
      real y = mat3_dot(D + 9 * k, N + 9), z = mat3_dot(D + 9 * k, N + 18);
      J[2 * k] = mat3_dot(D + 9 * k, N);
      J[2 * k + 1] = select(keep_y, z, y);
    }
    real inverse = lane(1) / (J[0] * J[3] - J[1] * J[2]);
    real dx = (g[0] * J[3] - g[1] * J[1]) * inverse, ds = (J[0] * g[1] - J[2] * g[0]) * inverse;
    mask sane = fabs(dx) + fabs(ds) < lane(0.1) * (fabs(w[0]) + fabs(w[1]) + fabs(w[2]));
    w[0] -= select(sane, dx, lane(0));
    w[1] -= select(sane & !keep_y, ds, lane(0));
    w[2] -= select(sane & keep_y, ds, lane(0));
  }
}

// Computes F, |F| = 1, at the root y / z of the resultant.
lane_fn void focal_at_root(const real* N, const real* r, real root, real* F) {
  mask beyond = fabs(root) > lane(1);
  real u = select(beyond, lane(1) / root, root), m[9], crosses[9], w[3];
  for (index i = 0; i < 3; ++i) {
    for (index j = 0; j < 3; ++j) {
      const real* c = r + 24 * i + 8 * j;
      const index degree = 5 + i - j;
      real v = select(beyond, c[0], c[degree]);
      for (index k = 1; k <= degree; ++k) v = v * u + select(beyond, c[k], c[degree - k]);
      m[3 * i + j] = v;
    }
  }
  // The null vector (1, x, x^2): the longest cross product of two rows.
  mat3_cofactors(m, crosses);
  real best = vec3_dot(crosses, crosses);
  for (index i = 1; i < 3; ++i) {
    real length2 = vec3_dot(crosses + 3 * i, crosses + 3 * i);
    mask better = length2 > best;
    best = select(better, length2, best);
    for (index k = 0; k < 3; ++k) crosses[k] = select(better, crosses[3 * i + k], crosses[k]);
  }
  mask far = fabs(crosses[2]) > fabs(crosses[0]);
  w[0] = select(far, crosses[2], crosses[1]) / select(far, crosses[1], crosses[0]);
  w[1] = select(beyond, lane(1), u);
  w[2] = select(beyond, u, lane(1));
  real scale = lane(1) / sqrt(vec3_dot(w, w));
  for (index i = 0; i < 3; ++i) w[i] = w[i] * scale;
  focal_polish(N, w, F);
  mat3_normalise(F);
}

// Computes the null space N [3][9], the rows r [72] and the values of y / z [15] for which
// focal_at_root returns F. Returns the number of roots.
lane_fn real relative_pose_6pt_shared_focal_roots(const real* x1, const real* y1, const real* x2,
                                                  const real* y2, real* N, real* r, real* roots) {
  real A[54], e[27], cubic[10], quintic[21], p[16];
  for (index i = 0; i < 6; ++i) epipolar_equation(x1[i], y1[i], x2[i], y2[i], A + 9 * i);
  real sine = null_space(A, 6, 9, N);
  focal_cubic(N, e, cubic);
  focal_reflect_basis(cubic, N);
  focal_cubic(N, e, cubic);
  focal_quintic(e, quintic);
  real monic = cubic[9], inverse = lane(1) / monic;
  for (index i = 0; i < 10; ++i) cubic[i] = cubic[i] * inverse;
  focal_rows(cubic, quintic, r);
  focal_resultant(r, p);
  real largest = lane(0);
  for (index i = 0; i < 16; ++i) largest = fmax(largest, fabs(p[i]));
  real scale = lane(1) / largest;
  for (index i = 0; i < 16; ++i) p[i] = p[i] * scale;
  real count = real_roots_15(p, roots);
  // The accuracy of the basis depends on how independent the equations are.
  const real least = lane(1e2) * lane_epsilon();
  mask valid = (sine > least) & (fabs(monic) * sine > least);
  return select(valid & (scale > lane(0)), count, lane(0));
}

// x1, y1, x2, y2: 6 points each. solutions: [15][10], F row-major with Frobenius norm 1, then f;
// unused slots are NaN.
lane_fn real relative_pose_6pt_shared_focal(const real* x1, const real* y1, const real* x2,
                                            const real* y2, real* solutions) {
  real N[27], r[72], roots[15], own[10], kept = lane(0);
  real count = relative_pose_6pt_shared_focal_roots(x1, y1, x2, y2, N, r, roots);
  for (index i = 0; i < 150; ++i) solutions[i] = lane_nan();
  for (index s = 0; s < 15 && any(count > lane(s)); ++s) {
    focal_at_root(N, r, roots[s], own);
    own[9] = focal_length_of(own);
    mask valid = (count > lane(s)) & focal_is_plausible(own[9]) & (mat3_dot(own, own) > lane(0.5));
    kept = solution_keep(valid, own, 10, s, kept, solutions);
  }
  return kept;
}
