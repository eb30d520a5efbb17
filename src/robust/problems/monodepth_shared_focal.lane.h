// SPDX-License-Identifier: BSD-3-Clause
// Problem: F and the focal length shared by two images of one camera,
// from three matches with depths (families depth_pairs and focal_pose).
// Solver: solvers/relative_pose_3pt_monodepth_shared_focal.lane.h.
//   Y. Ding, V. Kocur, V. Vavra, Z. B. Haladova, J. Yang, T. Sattler, Z. Kukelova, RePoseD:
//   Efficient relative pose estimation with known depth information, ICCV 2025

enum {
  SAMPLE_SIZE = 3,
  SLOTS = 4,            // largest number of kept models of a sample
  TARGET_PERCENT = 10,  // smallest inlier ratio to find in one pair of 1000 matches, in percent
  SAMPLE_COST = 700,    // time to solve a sample, in scored points
  // Depths, and so the models of samples, are wrong by a few per cent
  // (docs/develop/notes/robust.md).
  CLEAN_SAMPLES = 4,
  MODELS_OF = PROBLEM_shared_focal
};

// Computes F = diag(1 / f, 1 / f, 1) [t]x R diag(1 / f, 1 / f, 1) times f^2, from a pose (R, t).
lane_fn void focal_of_pose(const real* pose, real f, real* F) {
  for (index j = 0; j < 3; ++j) {
    real axis[3] = {pose[j], pose[3 + j], pose[6 + j]}, moment[3];
    vec3_cross(pose + 9, axis, moment);
    for (index i = 0; i < 3; ++i) F[3 * i + j] = moment[i];
  }
  for (index i = 0; i < 3; ++i) {
    F[3 * i + 2] = F[3 * i + 2] * f;
    F[6 + i] = F[6 + i] * f;
  }
}

// Writes the models [SLOTS][MODEL_SIZE] of a sample p [COLUMNS][SAMPLE_SIZE]; returns their number.
lane_fn real sample_models(const real* p, const real* rays, real* models) {
  real q[12], depths[6], solutions[15 * SLOTS], F[9], kept = lane(0);
  for (index i = 0; i < 9 * SLOTS; ++i) models[i] = lane_nan();
  for (index i = 0; i < 12; ++i) q[i] = rays[i / 3] * p[i];
  for (index v = 0; v < 2; ++v) {  // in units of their mean
    const real* given = p + 12 + 3 * v;
    real scale = lane(3) / (given[0] + given[1] + given[2]);
    for (index i = 0; i < 3; ++i) depths[3 * v + i] = scale * given[i];
  }
  real count = relative_pose_3pt_monodepth_shared_focal(q, q + 3, q + 6, q + 9, depths, depths + 3,
                                                        solutions);
  for (index s = 0; s < SLOTS; ++s) {
    const real* own = solutions + 15 * s;
    mask valid = count > lane(s);
    if (any(valid)) {
      focal_of_pose(own, own[12], F);
      valid = valid & (mat3_dot(F, F) > lane(0));
      essential_scale(rays, F);
      focal_model(own[12], F);
      epipolar_keep(F, valid, SLOTS, &kept, models);
    }
  }
  return kept;
}

// Number of samples after which a pair of n points is given up, for 20 % of correct matches. For n
// <= 2900 it is at least the number that CLEAN_SAMPLES requires.
lane_fn real hypotheses_before_giving_up(real n) { return lane(1e7) / n; }
