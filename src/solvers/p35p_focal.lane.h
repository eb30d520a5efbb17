// SPDX-License-Identifier: BSD-3-Clause
// Absolute pose and focal length f from 4 scene points: d (x / f, y / f, 1) = R X + t, d > 0, for
// coordinates x, y of square pixels relative to the principal point. The last of the eight
// equations of the four points is not used.
//   C. Wu, P3.5P: pose estimation with unknown focal length, CVPR 2015
// Solutions: 0 to 10, with f between 0.05 and 50. None for two equal points or NaN; points on a
// plane parallel to the image do not determine f. Coordinates of about unit size, scene points
// in any unit.

// x, y: 4 points; X: [4][3]. solutions: [10][13], R row-major, t, f; unused slots are NaN.
lane_fn real p35p_focal(const real* x, const real* y, const real* X, real* solutions) {
  real mean[3], centred[12], A[84], N[60], data[45], roots[40], own[13], kept = lane(0);
  real spread = scene_points_centred(X, mean, centred);
  for (index e = 0; e < 7; ++e) {
    const index i = e / 2, row = e % 2;
    real *a = A + 12 * e, v = row == 0 ? x[i] : y[i];
    for (index k = 0; k < 3; ++k) {
      a[k] = row == 0 ? centred[3 * i + k] : lane(0);
      a[3 + k] = row == 1 ? centred[3 * i + k] : lane(0);
      a[6 + k] = -v * centred[3 * i + k];
      a[9 + k] = k == 2 ? -v : lane(k == row ? 1 : 0);
    }
  }
  real sine = null_space(A, 7, 12, N);
  mask independent = sine > lane(1e2) * lane_epsilon();
  for (index i = 0; i < 45; ++i) data[i] = N[12 * (i / 9) + i % 9];
  real count = p35p_focal_roots(data, roots);
  for (index i = 0; i < 130; ++i) solutions[i] = lane_nan();
  for (index s = 0; s < 10 && any(count > lane(s)); ++s) {
    real P[12];
    for (index k = 0; k < 12; ++k) {
      P[k] = N[48 + k];
      for (index j = 0; j < 4; ++j) P[k] += roots[4 * s + j] * N[12 * j + k];
    }
    for (index k = 9; k < 12; ++k) P[k] = P[k] * spread;
    mask valid = pose_focal_of(P, P + 9, mean, own);
    kept = solution_keep(valid & independent & (count > lane(s)), own, 13, s, kept, solutions);
  }
  return kept;
}
