// SPDX-License-Identifier: BSD-3-Clause
// Essential matrix of two views with known vertical direction from 3 correspondences: x2' E x1 = 0
// with E = [t]x R, where R is a rotation by an angle a about the y axis. Points are normalised by
// the intrinsics and rotated so that y is vertical in both views.
//   F. Fraundorfer, P. Tanskanen, M. Pollefeys, A minimal case solution to the calibrated relative
//   pose problem for the case of two known orientation angles, ECCV 2010;  C. Sweeney, J. Flynn, M.
//   Turk, Solving for relative pose with a partially known rotation is a quadratic eigenvalue
//   problem, 3DV 2014.
// With q = tan((a - 2.2) / 2) the three equations are M(q) t = 0, where M is a 3x3 matrix of
// quadratics. Its determinant is 1 + q^2 times a quartic, which is solved by Ferrari's method with
// four Newton steps. Image 1 is rotated by 2.2 rad first, because symmetric motions have solutions
// at multiples of 90 degrees: without it, a vertical t has one at q = infinity.
// Solutions: 0 to 4. None without motion (every t is then a solution) or for two equal points.

// Computes the real roots of c[0] + c[1] x + ... + c[4] x^4: roots [4], valid where is_root [4].
lane_fn void upright_quartic_roots(const real* c, real* roots, mask* is_root) {
  real scale = lane(1) / c[4], a = c[3] * scale * lane(0.25);  // x = y - a
  real b2 = c[2] * scale, b1 = c[1] * scale, b0 = c[0] * scale, a2 = a * a;
  real p = b2 - lane(6) * a2;
  real r = b1 - lane(2) * b2 * a + lane(8) * a2 * a;
  real s = b0 - b1 * a + b2 * a2 - lane(3) * a2 * a2;
  // The resolvent m^3 + p m^2 + (p^2 / 4 - s) m - r^2 / 8 has a nonnegative root: its largest.
  real m[3];
  real count = cubic_roots(p, lane(0.25) * p * p - s, lane(-0.125) * r * r, m);
  real most = select(count > lane(1), fmax(m[0], fmax(m[1], m[2])), m[0]);
  most = fmax(most, lane(1e-12));
  real w = sqrt(lane(2) * most), middle = lane(0.5) * p + most, skew = r / (lane(2) * w);
  for (index k = 0; k < 2; ++k) {
    // y^2 + sign w y + middle - sign skew
    real sign = lane(k == 0 ? 1 : -1), d = w * w - lane(4) * (middle - sign * skew);
    real spread = sqrt(fmax(d, lane(0)));
    roots[2 * k] = lane(0.5) * (-sign * w - spread) - a;
    roots[2 * k + 1] = lane(0.5) * (-sign * w + spread) - a;
    is_root[2 * k] = is_root[2 * k + 1] = d >= lane(0);
  }
  for (index k = 0; k < 4; ++k) {
    real x = roots[k];
    for (index step = 0; step < 4; ++step) {
      real value = (((c[4] * x + c[3]) * x + c[2]) * x + c[1]) * x + c[0];
      real slope = ((lane(4) * c[4] * x + lane(3) * c[3]) * x + lane(2) * c[2]) * x + c[1];
      real moved = x - value / slope;
      x = select(fabs(moved - x) < lane(0.1) * (lane(1) + fabs(x)), moved, x);
    }
    roots[k] = x;
  }
}

// The cosine and the sine of 2.2 rad.
lane_fn real upright_cosine(void) { return lane(-0.58850111725534582); }
lane_fn real upright_sine(void) { return lane(0.80849640381959009); }

// Computes the coefficients [3] (of 1, q, q^2) of the three elements of the row (R x1) x x2.
lane_fn void upright_row(real x1, real y1, real x2, real y2, real* row) {
  real x = upright_cosine() * x1 + upright_sine(), z = upright_cosine() - upright_sine() * x1;
  real u[3] = {x, lane(2) * z, -x}, v[3] = {y1, lane(0), y1}, w[3] = {z, lane(-2) * x, -z};
  for (index k = 0; k < 3; ++k) {
    row[k] = v[k] - w[k] * y2;
    row[3 + k] = w[k] * x2 - u[k];
    row[6 + k] = u[k] * y2 - v[k] * x2;
  }
}

// Computes the five coefficients of the quartic from the rows M [3][3][3].
lane_fn void upright_quartic(const real* M, real* c) {
  real d[7];
  for (index i = 0; i < 7; ++i) d[i] = lane(0);
  for (index j = 0; j < 3; ++j) {
    const real *a = M + 9 + 3 * ((j + 1) % 3), *b = M + 18 + 3 * ((j + 2) % 3);
    const real *e = M + 9 + 3 * ((j + 2) % 3), *f = M + 18 + 3 * ((j + 1) % 3);
    real minor[5];
    for (index i = 0; i < 5; ++i) minor[i] = lane(0);
    for (index i = 0; i < 3; ++i) {
      for (index k = 0; k < 3; ++k) minor[i + k] += a[i] * b[k] - e[i] * f[k];
    }
    for (index i = 0; i < 5; ++i) {
      for (index k = 0; k < 3; ++k) d[i + k] += minor[i] * M[3 * j + k];
    }
  }
  c[0] = d[0];
  c[1] = d[1];
  c[2] = lane(0.5) * (d[2] - d[0] + d[4] - d[6]);
  c[3] = d[5];
  c[4] = d[6];
}

// Computes E [9] = [t]x R for the rotation q, with t orthogonal to the rows of M(q). Returns |t|^2
// for the longest cross product of two rows, 0 if they do not determine t.
lane_fn real upright_essential(const real* M, real q, real* E) {
  real rows[9], cross[3], t[3], best = lane(0);
  for (index i = 0; i < 9; ++i) rows[i] = (M[3 * i + 2] * q + M[3 * i + 1]) * q + M[3 * i];
  for (index k = 0; k < 3; ++k) {
    vec3_cross(rows + 3 * ((k + 1) % 3), rows + 3 * ((k + 2) % 3), cross);
    real length = vec3_dot(cross, cross);
    mask longer = length > best;
    for (index i = 0; i < 3; ++i) t[i] = k == 0 ? cross[i] : select(longer, cross[i], t[i]);
    best = fmax(best, length);
  }
  real c1 = lane(1) - q * q, s1 = lane(2) * q, one = lane(1) + q * q;
  real c = c1 * upright_cosine() - s1 * upright_sine();
  real s = s1 * upright_cosine() + c1 * upright_sine();
  E[0] = -t[1] * s;
  E[1] = -t[2] * one;
  E[2] = t[1] * c;
  E[3] = t[2] * c + t[0] * s;
  E[4] = lane(0);
  E[5] = t[2] * s - t[0] * c;
  E[6] = -t[1] * c;
  E[7] = t[0] * one;
  E[8] = -t[1] * s;
  mat3_normalise(E);
  return best;
}

// x1, y1, x2, y2: 3 points each. E: [4][9] with norm 1, unused slots are NaN. Returns the number
// of solutions.
lane_fn real essential_upright_3pt(const real* x1, const real* y1, const real* x2, const real* y2,
                                   real* E) {
  real M[27], c[5], q[4], own[9], kept = lane(0);
  mask valid[4];
  real size = lane(1), largest = lane(0);
  for (index i = 0; i < 3; ++i) {
    upright_row(x1[i], y1[i], x2[i], y2[i], M + 9 * i);
    real row = lane(0);
    for (index k = 0; k < 9; ++k) row = fmax(row, fabs(M[9 * i + k]));
    size = size * row;
  }
  upright_quartic(M, c);
  for (index k = 0; k < 5; ++k) largest = fmax(largest, fabs(c[k]));
  // If the equations are dependent, c contains rounding errors only.
  mask determined = largest > lane(100) * lane_epsilon() * size;
  upright_quartic_roots(c, q, valid);
  for (index i = 0; i < 36; ++i) E[i] = lane_nan();
  for (index k = 0; k < 4; ++k) {
    real length = upright_essential(M, q[k], own);
    mask here = determined & valid[k] & (length > lane(0)) & (own[0] == own[0]);
    kept = solution_keep(here, own, 9, k, kept, E);
  }
  return kept;
}
