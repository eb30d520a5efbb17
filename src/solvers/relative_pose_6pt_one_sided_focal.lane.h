// SPDX-License-Identifier: BSD-3-Clause
// Fundamental matrix and focal length f of the first camera from 6 correspondences, with a
// calibrated second camera: x2' F x1 = 0, and F diag(f, f, 1) is an essential matrix. Coordinates
// of image 1 are in square pixels relative to the principal point.
//   M. Bujnak, Z. Kukelova, T. Pajdla, 3D reconstruction from image collections with a single known
//   focal length, ICCV 2009
// Solutions: 0 to 9, with f between 0.05 and 50. None for dependent equations (two equal points,
// ...) or NaN. Coordinates of about unit size.

// x1, y1, x2, y2: 6 points each. solutions: [9][10], F row-major with Frobenius norm 1, then f;
// unused slots are NaN.
lane_fn real relative_pose_6pt_one_sided_focal(const real* x1, const real* y1, const real* x2,
                                               const real* y2, real* solutions) {
  real A[54], N[27], roots[27], own[10], kept = lane(0);
  for (index i = 0; i < 6; ++i) epipolar_equation(x1[i], y1[i], x2[i], y2[i], A + 9 * i);
  real sine = null_space(A, 6, 9, N);
  mask independent = sine > lane(1e2) * lane_epsilon();
  real count = relative_pose_6pt_one_sided_focal_roots(N, roots);
  for (index i = 0; i < 90; ++i) solutions[i] = lane_nan();
  for (index s = 0; s < 9 && any(count > lane(s)); ++s) {
    const real* x = roots + 3 * s;  // coefficients of F = x0 N1 + x1 N2 + N3, and 1 / f^2
    for (index i = 0; i < 9; ++i) own[i] = x[0] * N[i] + x[1] * N[9 + i] + N[18 + i];
    mat3_normalise(own);
    own[9] = lane(1) / sqrt(x[2]);
    mask valid = independent & (count > lane(s)) & focal_is_plausible(own[9]);
    kept = solution_keep(valid, own, 10, s, kept, solutions);
  }
  return kept;
}
