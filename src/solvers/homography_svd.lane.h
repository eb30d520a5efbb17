// SPDX-License-Identifier: BSD-3-Clause
// Homography from n >= 4 correspondences: x2 ~ H x1. H is the singular vector of the smallest
// singular value of the linear equations (R. Hartley, A. Zisserman, Multiple View Geometry, 2nd
// ed., algorithm 4.2, the normalised DLT; the normalisation is from R. Hartley, In defense of the
// eight-point algorithm, PAMI 19(6), 1997). The SVD is computed of the equations A themselves, not
// of A'A, whose condition number would be squared. For 4 points the closed form
// (homography_4pt.lane.h) gives the same H at a fraction of the cost.
// Solutions: 0 or 1. None if the equations do not determine H (two equal points, three collinear in
// both images, ...), if H is singular (three of 4 points collinear in one image), if 4 points are
// not all on the same side of the line that maps to infinity, or for NaN. Coordinates in any unit,
// because the solver normalises them.

// Computes the two equations of a correspondence in the elements of H, that of x2 first: rows
// [2][9].
lane_fn void homography_equations(real x1, real y1, real x2, real y2, real* rows) {
  for (index i = 0; i < 18; ++i) rows[i] = lane(0);
  rows[0] = x1;
  rows[1] = y1;
  rows[2] = lane(1);
  rows[6] = -x2 * x1;
  rows[7] = -x2 * y1;
  rows[8] = -x2;
  rows[12] = x1;
  rows[13] = y1;
  rows[14] = lane(1);
  rows[15] = -y2 * x1;
  rows[16] = -y2 * y1;
  rows[17] = -y2;
}

// Updates the upper triangular QR factor R [9][9] of the equations by one more row, which is
// overwritten by zeros, apart from rounding. Uses Givens rotations, so that no product of two rows
// is formed; skips a column in which R and the row are 0.
lane_fn void triangle_append_row(real* R, real* row) {
  for (index k = 0; k < 9; ++k) {
    real length = sqrt(R[10 * k] * R[10 * k] + row[k] * row[k]);
    real inverse = select(length > lane(0), lane(1) / length, lane(0));
    real c = select(length > lane(0), R[10 * k] * inverse, lane(1)), s = row[k] * inverse;
    for (index j = k; j < 9; ++j) {
      real top = R[9 * k + j];
      R[9 * k + j] = c * top + s * row[j];
      row[j] = c * row[j] - s * top;
    }
  }
}

// Converts H to the original coordinates of the points: T2^-1 H T1. normal1, normal2: scale and
// mean x, y of points_normalise().
lane_fn void homography_denormalise(real* H, const real* normal1, const real* normal2) {
  for (index i = 0; i < 3; ++i) {
    H[3 * i + 2] -= normal1[0] * (H[3 * i] * normal1[1] + H[3 * i + 1] * normal1[2]);
    H[3 * i] = H[3 * i] * normal1[0];
    H[3 * i + 1] = H[3 * i + 1] * normal1[0];
  }
  real inverse = lane(1) / normal2[0];
  for (index j = 0; j < 3; ++j) {
    H[j] = H[j] * inverse + normal2[1] * H[6 + j];
    H[3 + j] = H[3 + j] * inverse + normal2[2] * H[6 + j];
  }
}

// Computes H from h, the unit singular vector of the smallest singular value; second: the second
// smallest singular value divided by the norm. H is row-major with Frobenius norm 1, with the sign
// for which H x1 = s x2 with s > 0 at the mean of the points. Returns the number of solutions, 1 or
// 0; without a solution H is NaN.
lane_fn real homography_of_vector(const real* h, real second, const real* normal1,
                                  const real* normal2, real* H) {
  mask valid = (second > lane(1e2) * lane_epsilon()) &
               (fabs(mat3_determinant(h)) > lane(1e2) * lane_epsilon());
  for (index i = 0; i < 9; ++i) H[i] = h[i];
  homography_denormalise(H, normal1, normal2);
  // The mean of the normalised points is the origin.
  real s = copysign(lane(1) / sqrt(mat3_dot(H, H)), h[8]);
  mat3_scale(H, select(valid, s, lane_nan()));
  return select(valid, lane(1), lane(0));
}

// Computes h [9], the singular vector of the smallest singular value of the columns W [9][m], which
// have elements of at most about 6 and are overwritten. Returns the second smallest singular value
// divided by the norm of the matrix; NaN for NaN, or if 20 sweeps do not suffice.
lane_fn real homography_vector(real* W, index m, real* h) {
  real V[81], norm2[9];
  for (index i = 0; i < 81; ++i) V[i] = lane(i % 10 == 0);
  for (index i = 0; i < 9; ++i) h[i] = lane(0);
  for (index i = 0; i < 9 * m; ++i) W[i] = W[i] * lane(0x1p48f);  // see jacobi_scaled
  mask unfinished = jacobi_orthogonalise(W, m, V, 9, 9, norm2, 20);
  real total = lane(0), second = lane(0), smallest = lane(0);
  for (index j = 0; j < 9; ++j) {
    real length2 = columns_dot(W + m * j, W + m * j, m);
    mask below = length2 < smallest;
    if (j == 0) below = length2 == length2;
    for (index i = 0; i < 9; ++i) h[i] = select(below, V[9 * j + i], h[i]);
    second = select(below, smallest, j == 1 ? length2 : fmin(second, length2));
    smallest = select(below, length2, smallest);
    total += length2;
  }
  return select(unfinished, lane_nan(), sqrt(second / total));
}

// Computes the equations of a sample, rows [8][9] in normalised coordinates, from x1, y1, x2, y2 of
// 4 points. Returns whether the points can be related by a homography; computes the rows in any
// case.
lane_fn mask homography_system(const real* x1, const real* y1, const real* x2, const real* y2,
                               real* rows, real* normal1, real* normal2) {
  real a[4], b[4], c[4], d[4], relative[12], l[3], m[3];
  points_normalise(x1, y1, 4, a, b, normal1);
  points_normalise(x2, y2, 4, c, d, normal2);
  for (index i = 0; i < 3; ++i) {
    relative[i] = a[i] - a[3];
    relative[3 + i] = b[i] - b[3];
    relative[6 + i] = c[i] - c[3];
    relative[9 + i] = d[i] - d[3];
  }
  for (index i = 0; i < 4; ++i) homography_equations(a[i], b[i], c[i], d[i], rows + 18 * i);
  return homography_admits(relative, relative + 3, relative + 6, relative + 9, l, m);
}

// x1, y1, x2, y2: 4 points each. H: [9], row-major with Frobenius norm 1. Returns the number of
// solutions, 1 or 0; without a solution H is NaN.
lane_fn real homography_svd(const real* x1, const real* y1, const real* x2, const real* y2,
                            real* H) {
  real normal1[3], normal2[3], rows[72], W[72], h[9];
  mask valid = homography_system(x1, y1, x2, y2, rows, normal1, normal2);
  for (index i = 0; i < 8; ++i) {
    for (index j = 0; j < 9; ++j) W[8 * j + i] = rows[9 * i + j];
  }
  real second = homography_vector(W, 8, h);
  return homography_of_vector(h, select(valid, second, lane_nan()), normal1, normal2, H);
}
