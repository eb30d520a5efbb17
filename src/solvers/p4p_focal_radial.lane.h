// SPDX-License-Identifier: BSD-3-Clause
// Absolute pose, focal length f and radial distortion k from 4 scene points: d (x / f, y / f, 1 + k
// (x^2 + y^2)) = R X + t, d > 0, for coordinates x, y of square pixels relative to the principal
// point, which is the centre of distortion (the division model of A. W. Fitzgibbon, CVPR 2001).
//   M. Bujnak, Z. Kukelova, T. Pajdla, New efficient solution to the absolute pose problem for
//   camera with unknown focal length and radial distortion, ACCV 2010
//   V. Larsson, Z. Kukelova, Y. Zheng, Making minimal solvers for absolute pose estimation compact
//   and robust, ICCV 2017
// Solutions: 0 to 12, with f between 0.05 and 50, in 14 slots: the template has 14 eigenpairs, and
// those that are not roots of the equations are left out. None for two equal points, four points on
// a plane, a point at the centre of distortion, or NaN. Coordinates of about unit size, scene
// points in any unit.

// Computes the null space N [4][8] of the equations of the point directions, for the first two rows
// of diag(f, f, 1) R and their translations, and the equations M [4][12] of the third row: its four
// numbers times N and k N.
lane_fn mask radial_pose_equations(const real* x, const real* y, const real* centred, real* N,
                                   real* M) {
  real A[32], direction[2];
  for (index i = 0; i < 4; ++i) {
    for (index k = 0; k < 4; ++k) {
      real X = k < 3 ? centred[3 * i + k] : lane(1);
      A[8 * i + k] = y[i] * X;
      A[8 * i + 4 + k] = -x[i] * X;
    }
  }
  real sine = null_space(A, 4, 8, N);
  for (index i = 0; i < 4; ++i) {
    real r2 = x[i] * x[i] + y[i] * y[i], r = sqrt(r2);
    direction[0] = x[i] / r;
    direction[1] = y[i] / r;
    for (index k = 0; k < 4; ++k) {
      M[12 * i + k] = (k < 3 ? centred[3 * i + k] : lane(1)) * r;
      real sum = lane(0);
      for (index q = 0; q < 8; ++q)
        sum += direction[q / 4] * (q % 4 < 3 ? centred[3 * i + q % 4] : lane(1)) * N[8 * k + q];
      M[12 * i + 4 + k] = -sum;
      M[12 * i + 8 + k] = -sum * r2;
    }
  }
  real least = rows_eliminate(M, 4, 12, 4);
  return (sine > lane(1e2) * lane_epsilon()) & (least > lane(1e2) * lane_epsilon());
}

// x, y: 4 points; X: [4][3]. solutions: [14][14], R row-major, t, f, k; unused slots are NaN.
lane_fn real p4p_focal_radial(const real* x, const real* y, const real* X, real* solutions) {
  real mean[3], centred[12], N[32], M[48], data[48], roots[56], own[14], kept = lane(0);
  real spread = scene_points_centred(X, mean, centred);
  mask independent = radial_pose_equations(x, y, centred, N, M);
  for (index j = 0; j < 4; ++j) {
    for (index k = 0; k < 3; ++k) {
      data[9 * j + k] = N[8 * j + k];
      data[9 * j + 3 + k] = N[8 * j + 4 + k];
      data[9 * j + 6 + k] = -M[12 * k + 4 + j];
      data[36 + 3 * j + k] = -M[12 * k + 8 + j];
    }
  }
  real count = p4p_focal_radial_roots(data, roots);
  for (index i = 0; i < 196; ++i) solutions[i] = lane_nan();
  for (index s = 0; s < 14 && any(count > lane(s)); ++s) {
    const real* v = roots + 4 * s;
    real P[9], t[3];
    for (index q = 0; q < 12; ++q) {
      const index row = q / 4, k = q % 4;
      real sum = lane(0);
      for (index j = 0; j < 4; ++j) {
        real third = -(M[12 * k + 4 + j] + v[3] * M[12 * k + 8 + j]);
        sum += (j < 3 ? v[j] : lane(1)) * (row < 2 ? N[8 * j + 4 * row + k] : third);
      }
      if (k < 3)
        P[3 * row + k] = sum;
      else
        t[row] = sum * spread;
    }
    mask valid = pose_focal_of(P, t, mean, own);
    own[13] = v[3];
    kept = solution_keep(valid & independent & (count > lane(s)), own, 14, s, kept, solutions);
  }
  return kept;
}
