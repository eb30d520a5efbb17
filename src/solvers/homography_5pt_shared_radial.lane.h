// SPDX-License-Identifier: BSD-3-Clause
// Homography and radial distortion k from 5 correspondences between two images of a plane by one
// camera: (x2, y2, 1 + k r2^2) ~ H (x1, y1, 1 + k r1^2), r^2 = x^2 + y^2 from the centre of
// distortion (the division model of A. W. Fitzgibbon, Simultaneous linear estimation of multiple
// view geometry and lens distortion, CVPR 2001).
//   Z. Kukelova, J. Heller, M. Bujnak, T. Pajdla, Radial distortion homography, CVPR 2015
// The tenth equation is not used. Solutions: 0 to 4, in which all points are on one side of the
// line that maps to infinity, as a camera sees a plane. None for two equal points, NaN, or if
// one of the first four points is at the centre of distortion of the second image. Coordinates
// of about unit size.

// Computes the rows of H, H23 = 1, at x = H13 and k. S [5][8] holds five equations solved for H11,
// H12, H21, H22, k x, and T [4][8] four equations solved for H31, H32, H33, k H33.
lane_fn void radial_homography_at(const real* S, const real* T, real x, real k, real* H) {
  for (index i = 0; i < 2; ++i) {
    H[i] = -(S[8 * i + 5] * x + S[8 * i + 6] + S[8 * i + 7] * k);
    H[3 + i] = -(S[16 + 8 * i + 5] * x + S[16 + 8 * i + 6] + S[16 + 8 * i + 7] * k);
  }
  for (index i = 0; i < 3; ++i)
    H[6 + i] = -(T[8 * i + 4] * x + T[8 * i + 5] + (T[8 * i + 6] + T[8 * i + 7] * k) * k);
  H[2] = x;
  H[5] = lane(1);
}

// Computes the four equations T [4][8] that contain the third row of H, from the equations S
// without it.
lane_fn void radial_homography_third_row(const real* S, const real* x1, const real* y1,
                                         const real* x2, const real* y2, real* T) {
  for (index i = 0; i < 4; ++i) {
    real *t = T + 8 * i, g[3];
    real r = x1[i] * x1[i] + y1[i] * y1[i], s = x2[i] * x2[i] + y2[i] * y2[i];
    for (index j = 0; j < 3; ++j) {
      real h1 = x1[i] * S[5 + j] + y1[i] * S[13 + j] + r * S[37 + j];
      real h2 = x1[i] * S[21 + j] + y1[i] * S[29 + j];
      g[j] = x2[i] * (lane(j == 0 ? 1 : 0) - h1) + y2[i] * ((j == 0   ? lane(0)
                                                             : j == 1 ? lane(1)
                                                                      : r) -
                                                            h2);
    }
    t[0] = s * x1[i];
    t[1] = s * y1[i];
    t[2] = s;
    t[3] = s * r;
    t[4] = s * g[0] * S[37] - g[0];
    t[5] = s * g[0] * S[38] - g[1];
    t[6] = s * (g[0] * S[39] - g[1]) - g[2];
    t[7] = -s * g[2];
  }
}

// Scales H to norm 1 with the sign for which H x1 = s x2 with s > 0. Returns whether s has this
// sign for all five points.
lane_fn mask radial_homography_orient(const real* x1, const real* y1, const real* x2,
                                      const real* y2, real k, real* H) {
  mask before = lane(0) == lane(0), behind = before;
  for (index i = 0; i < 5; ++i) {
    real r = x1[i] * x1[i] + y1[i] * y1[i], s = x2[i] * x2[i] + y2[i] * y2[i];
    real w = (H[6] * x1[i] + H[7] * y1[i] + H[8] * (lane(1) + k * r)) * (lane(1) + k * s);
    before = before & (w > lane(0));
    behind = behind & (w < lane(0));
  }
  real scale = lane(1) / sqrt(mat3_dot(H, H));
  mat3_scale(H, select(behind, -scale, scale));
  return before | behind;
}

// x1, y1, x2, y2: 5 points each. solutions: [4][10], H row-major with Frobenius norm 1, then k;
// unused slots are NaN.
lane_fn real homography_5pt_shared_radial(const real* x1, const real* y1, const real* x2,
                                          const real* y2, real* solutions) {
  real S[40], T[32], data[11], roots[8], own[10], kept = lane(0);
  for (index i = 0; i < 5; ++i) {
    real *a = S + 8 * i, r = x1[i] * x1[i] + y1[i] * y1[i];
    a[0] = -y2[i] * x1[i];
    a[1] = -y2[i] * y1[i];
    a[2] = x2[i] * x1[i];
    a[3] = x2[i] * y1[i];
    a[4] = -y2[i] * r;
    a[5] = -y2[i];
    a[6] = x2[i];
    a[7] = x2[i] * r;
  }
  real first = rows_eliminate(S, 5, 8, 5);
  radial_homography_third_row(S, x1, y1, x2, y2, T);
  real second = rows_eliminate(T, 4, 8, 4);
  mask independent = (first > lane(3e2) * lane_epsilon()) & (second > lane(3e2) * lane_epsilon());
  for (index i = 0; i < 3; ++i) data[i] = -S[37 + i];
  for (index i = 0; i < 8; ++i) data[3 + i] = -T[8 * (i / 4) + 20 + i % 4];
  real count = homography_5pt_shared_radial_roots(data, roots);
  for (index i = 0; i < 40; ++i) solutions[i] = lane_nan();
  for (index s = 0; s < 4 && any(count > lane(s)); ++s) {
    radial_homography_at(S, T, roots[2 * s], roots[2 * s + 1], own);
    own[9] = roots[2 * s + 1];
    mask seen = radial_homography_orient(x1, y1, x2, y2, own[9], own);
    kept = solution_keep(seen & independent & (count > lane(s)), own, 10, s, kept, solutions);
  }
  return kept;
}
