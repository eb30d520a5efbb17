// SPDX-License-Identifier: BSD-3-Clause
// Problem: F and the focal length shared by two images of one camera, from six matches (family
// focal_pose). Solver: solvers/relative_pose_6pt_shared_focal.lane.h.

enum {
  SAMPLE_SIZE = 6,
  SLOTS = 5,            // largest number of kept models of a sample
  TARGET_PERCENT = 15,  // smallest inlier ratio to find in one pair of 1000 matches, in percent
  SAMPLE_COST = 2000    // time to solve a sample, in scored points
};

// Writes the models [SLOTS][MODEL_SIZE] of a sample p [COLUMNS][SAMPLE_SIZE]; returns their number.
// Models are dropped unless the whole sample is in front of both cameras, or behind both.
lane_fn real sample_models(const real* p, const real* rays, real* models) {
  real q[24], N[27], r[72], roots[15], F[9], kept = lane(0);
  for (index i = 0; i < 9 * SLOTS; ++i) models[i] = lane_nan();
  for (index i = 0; i < 24; ++i) q[i] = rays[i / 6] * p[i];
  real count = relative_pose_6pt_shared_focal_roots(q, q + 6, q + 12, q + 18, N, r, roots);
  for (index s = 0; s < 15; ++s) {
    mask valid = count > lane(s);
    if (any(valid)) {
      focal_at_root(N, r, roots[s], F);
      real f = focal_length_of(F);
      valid = valid & focal_is_plausible(f) & (mat3_dot(F, F) > lane(0.5));
      valid = valid & epipolar_oriented(F, q, q + 6, q + 12, q + 18, 6);
      essential_scale(rays, F);
      focal_model(f, F);
      epipolar_keep(F, valid, SLOTS, &kept, models);
    }
  }
  return kept;
}

// Number of samples after which a pair of n points is given up, measured with 20 % of correct
// matches (docs/robust.md).
lane_fn real hypotheses_before_giving_up(real n) { return lane(1e7) / n; }
