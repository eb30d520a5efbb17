// SPDX-License-Identifier: BSD-3-Clause
// Fundamental matrix from 7 correspondences: x2' F x1 = 0, det F = 0.
// Three of the points become the origin and the unit points of affine coordinates in both images.
// This leaves four equations in six elements of the matrix (cf. the reduced fundamental matrix of
// four points in a projective frame). The equations leave a pencil F0 + s F1; its singular members
// are the roots of a cubic (R. Hartley, A. Zisserman, Multiple View Geometry, 2nd ed., 11.1.2).
// Solutions: 1 or 3; 0 for dependent equations (equal points, 4 collinear, ...), if every member of
// the pencil is singular (6 of the points on a plane, and similar cases), or for NaN. Coordinates
// of about unit size (pixels divided by about the image width, origin anywhere inside the image).

// Returns twice the signed area of the triangle of the points i, j, k of an image.
lane_fn real triangle_area(const real* x, const real* y, index i, index j, index k) {
  return (x[j] - x[i]) * (y[k] - y[i]) - (y[j] - y[i]) * (x[k] - x[i]);
}

// Exchanges the points 0, 1, 2 with i, j, k in lanes where the triangles of i, j, k have the larger
// product of areas. p: x1, y1, x2, y2 of 7 points each. *area: the product for 0, 1, 2.
lane_fn void frame_of_larger(index i, index j, index k, real* p, real* area) {
  const index others[3] = {i, j, k};
  real other = fabs(triangle_area(p, p + 7, i, j, k) * triangle_area(p + 14, p + 21, i, j, k));
  mask larger = other > *area;
  *area = select(larger, other, *area);
  for (index c = 0; c < 28; c += 7) {
    for (index l = 0; l < 3; ++l) {
      real here = p[c + l];
      p[c + l] = select(larger, p[c + others[l]], here);
      p[c + others[l]] = select(larger, here, p[c + others[l]]);
    }
  }
}

// Computes the affine coordinates uv [2][4] of the points 3 to 6 in the frame of the points 0
// (origin), 1 and 2 (units) of an image. frame [6]: rows 0 and 1 of the matrix from image
// coordinates to frame coordinates. Returns whether the points 0, 1, 2 are collinear to
// within rounding.
lane_fn mask affine_frame(const real* x, const real* y, real* frame, real* uv) {
  real ax = x[1] - x[0], ay = y[1] - y[0], bx = x[2] - x[0], by = y[2] - y[0];
  real area = ax * by - ay * bx;
  real inverse = lane(1) / area;
  frame[0] = by * inverse;
  frame[1] = -bx * inverse;
  frame[3] = -ay * inverse;
  frame[4] = ax * inverse;
  frame[2] = -(frame[0] * x[0] + frame[1] * y[0]);
  frame[5] = -(frame[3] * x[0] + frame[4] * y[0]);
  for (index i = 0; i < 4; ++i) {
    real dx = x[3 + i] - x[0], dy = y[3 + i] - y[0];
    uv[i] = frame[0] * dx + frame[1] * dy;
    uv[4 + i] = frame[3] * dx + frame[4] * dy;
  }
  // Coordinates are rounded to epsilon times about one unit.
  return !(fabs(area) > lane(1e1) * lane_epsilon() * (fabs(ax) + fabs(ay) + fabs(bx) + fabs(by)));
}

// Computes the matrix from its six free elements f = F_12, F_21, F_13, F_31, F_23, F_32. The origin
// gives F_33 = 0, the unit points give F_11 = -F_13 - F_31 and F_22 = -F_23 - F_32.
lane_fn void framed_matrix(const real* f, real* F) {
  F[0] = -f[2] - f[3];
  F[1] = f[0];
  F[2] = f[2];
  F[3] = f[1];
  F[4] = -f[4] - f[5];
  F[5] = f[4];
  F[6] = f[3];
  F[7] = f[5];
  F[8] = lane(0);
}

// Adds the product of the three linear forms f_i s + g_i t to form [4]: the coefficients of s^3,
// s^2 t, s t^2 and t^3.
lane_fn void add_product_of_three(real f0, real g0, real f1, real g1, real f2, real g2,
                                  real* form) {
  real ss = f0 * f1, st = f0 * g1 + g0 * f1, tt = g0 * g1;
  form[0] += ss * f2;
  form[1] += ss * g2 + st * f2;
  form[2] += st * g2 + tt * f2;
  form[3] += tt * g2;
}

// Computes the determinant of s f + t g, for matrices given by six free elements: form [4]. The
// determinant of one matrix is F_31 F_23 (F_12 + F_13 + F_32) + F_13 F_32 (F_21 + F_31 + F_23).
lane_fn void framed_determinants(const real* f, const real* g, real* form) {
  for (index i = 0; i < 4; ++i) form[i] = lane(0);
  add_product_of_three(f[3], g[3], f[4], g[4], f[0] + f[2] + f[5], g[0] + g[2] + g[5], form);
  add_product_of_three(f[2], g[2], f[5], g[5], f[1] + f[3] + f[4], g[1] + g[3] + g[4], form);
}

// Computes the equation of a point (u1, v1), (u2, v2) in the six free elements. Returns whether the
// equation vanishes, i.e. the point equals one of the three points of the frame.
lane_fn mask framed_equation(real u1, real v1, real u2, real v2, real* a) {
  a[0] = u2 * v1;
  a[1] = v2 * u1;
  a[2] = u2 - u2 * u1;
  a[3] = u1 - u2 * u1;
  a[4] = v2 - v2 * v1;
  a[5] = v1 - v2 * v1;
  real square = lane(0);
  for (index j = 0; j < 6; ++j) square += a[j] * a[j];
  real whole = (lane(1) + u1 * u1 + v1 * v1) * (lane(1) + u2 * u2 + v2 * v2);
  return !(square > lane(1e4) * lane_epsilon() * lane_epsilon() * whole);
}

// Finds a direction far from all roots of the determinant of s N0 + t N1, which is a cubic
// form. A nonzero cubic form cannot vanish in four directions, so one of (1,0), (0,1), (1,1),
// (1,-1) qualifies. Sets that direction, scaled to length 1, and returns the absolute value of
// the form there.
lane_fn real direction_off_roots(const real* form, real* direction_s, real* direction_t) {
  real plus = (form[0] + form[2]) + (form[1] + form[3]);
  real minus = (form[0] + form[2]) - (form[1] + form[3]);
  real s = lane(1), t = lane(0), best = fabs(form[0]);
  mask better = fabs(form[3]) > best;
  s = select(better, lane(0), s);
  t = select(better, lane(1), t);
  best = fmax(best, fabs(form[3]));
  // The vectors of the diagonals are longer by sqrt(2), their determinants by sqrt(8).
  better = lane(0.35355339059327373) * fabs(plus) > best;
  s = select(better, lane(0.70710678118654752), s);
  t = select(better, lane(0.70710678118654752), t);
  best = fmax(best, lane(0.35355339059327373) * fabs(plus));
  better = lane(0.35355339059327373) * fabs(minus) > best;
  *direction_s = select(better, lane(0.70710678118654752), s);
  *direction_t = select(better, lane(-0.70710678118654752), t);
  return fmax(best, lane(0.35355339059327373) * fabs(minus));
}

// Computes the solutions before the change back to image coordinates. frames: [2][6], of images 1
// and 2. uv: [4][4], u1, v1, u2, v2 of the four remaining points. F: [3][9] in frame coordinates,
// row-major; unused slots are NaN. Returns the number of solutions.
lane_fn real fundamental_7pt_in_frames(const real* x1, const real* y1, const real* x2,
                                       const real* y2, real* frames, real* uv, real* F) {
  real p[28], A[24], N[12];
  for (index i = 0; i < 7; ++i)
    p[i] = x1[i], p[7 + i] = y1[i], p[14 + i] = x2[i], p[21 + i] = y2[i];
  real area = fabs(triangle_area(x1, y1, 0, 1, 2) * triangle_area(x2, y2, 0, 1, 2));
  frame_of_larger(3, 4, 5, p, &area);
  frame_of_larger(3, 4, 6, p, &area);
  mask dependent = affine_frame(p, p + 7, frames, uv);
  dependent = dependent | affine_frame(p + 14, p + 21, frames + 6, uv + 8);
  for (index i = 0; i < 4; ++i)
    dependent = dependent | framed_equation(uv[i], uv[4 + i], uv[8 + i], uv[12 + i], A + 6 * i);
  real sine = null_space(A, 4, 6, N);

  real form[4], s, t;
  framed_determinants(N, N + 6, form);
  real best = direction_off_roots(form, &s, &t);
  real F0[6], F1[6], roots[3];  // F1: the direction of infinite roots
  for (index i = 0; i < 6; ++i) {
    F1[i] = s * N[i] + t * N[6 + i];
    F0[i] = s * N[6 + i] - t * N[i];
  }
  framed_determinants(F0, F1, form);
  real inverse = lane(1) / form[3];
  real count = cubic_roots(inverse * form[2], inverse * form[1], inverse * form[0], roots);
  mask valid =
      (sine > lane(1e2) * lane_epsilon()) & (best > lane(1e2) * lane_epsilon()) & !dependent;
  count = select(valid, count, lane(0));
  for (index k = 0; k < 3; ++k) {
    real root = select(count > lane(k), roots[k], lane_nan()), f[6];
    for (index i = 0; i < 6; ++i) f[i] = F0[i] + root * F1[i];
    framed_matrix(f, F + 9 * k);
  }
  return count;
}

// Converts a matrix from frame coordinates to image coordinates, with Frobenius norm 1.
lane_fn void from_affine_frames(const real* frames, const real* reduced, real* F) {
  const real *to1 = frames, *to2 = frames + 6;
  real product[9], square = lane(0);
  for (index r = 0; r < 3; ++r) {
    const real* f = reduced + 3 * r;
    product[3 * r] = f[0] * to1[0] + f[1] * to1[3];
    product[3 * r + 1] = f[0] * to1[1] + f[1] * to1[4];
    product[3 * r + 2] = f[0] * to1[2] + f[1] * to1[5] + f[2];
  }
  for (index c = 0; c < 3; ++c) {
    F[c] = to2[0] * product[c] + to2[3] * product[3 + c];
    F[3 + c] = to2[1] * product[c] + to2[4] * product[3 + c];
    F[6 + c] = to2[2] * product[c] + to2[5] * product[3 + c] + product[6 + c];
  }
  for (index i = 0; i < 9; ++i) square += F[i] * F[i];
  real inverse = lane(1) / sqrt(square);
  for (index i = 0; i < 9; ++i) F[i] = inverse * F[i];
}

// x1, y1, x2, y2: 7 points each. F: [3][9], row-major with Frobenius norm 1; unused slots are NaN.
lane_fn real fundamental_7pt(const real* x1, const real* y1, const real* x2, const real* y2,
                             real* F) {
  real frames[12], uv[16], reduced[27];
  real count = fundamental_7pt_in_frames(x1, y1, x2, y2, frames, uv, reduced);
  for (index k = 0; k < 3; ++k) from_affine_frames(frames, reduced + 9 * k, F + 9 * k);
  return count;
}
