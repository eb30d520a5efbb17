// SPDX-License-Identifier: BSD-3-Clause
// Tests whether the camera only rotated. Then an essential matrix with any translation fits
// all matches, and the translation is undetermined. The rotation R that explains the inliers
// best is fitted, and accepted unless enough matches off it prove depth (parallax.lane.h). R
// [10]: the rotation, then the focal length in the unit of the rays, which is fitted as well
// if it is unknown.

enum {
  ROTATION_POINTS = 512,  // points for the first fits; if they prove no depth, all
  ROTATION_SIZE = 3 + UNKNOWN_FOCAL,
  ROTATION_GRADIENT = ROTATION_SIZE * (ROTATION_SIZE + 1) / 2,
  ROTATION_SUMS = ROTATION_GRADIENT + ROTATION_SIZE
};

// Computes the map in scoring coordinates of R [10].
group_fn void rotation_map_of(const struct pair_view* pair, const scalar* R, scalar* map) {
  scalar rays[4];
  for (index i = 0; i < 4; ++i) rays[i] = pair->rays[i];
  if_constant(UNKNOWN_FOCAL) {
    for (index i = 0; i < 4; ++i) rays[i] = rays[i] / R[9];
  }
  uniform_fn(rotation_map)(R, rays, map);
}

// Returns whether the parallax is significant. The map and two matches off it determine an epipolar
// matrix; the remaining matches test it.
group_fn index parallax_proves(const scalar* sums) {
  const scalar off = sums[OFF_MAP], proof = sums[ON_LINE], chance = sums[ON_LINE_BY_CHANCE] / off;
  if (!(proof > 2) || !(chance < (scalar)0.99)) return 0;
  const scalar limit = scalar_log((scalar)0.01 / (off * (off - 1) / 2));
  return proof - 2 >= least_beyond_chance(off - 2, chance, limit);
}

// Selects the rotation of the SIDES poses that is nearer to the inliers among the first n points.
group_fn void rotation_start(GROUP_PARAM const struct pair_view* pair, index n,
                             const struct lane_model* m, const scalar* model, scalar* R) {
  scalar sides[12 * SIDES + 1], sums[SIDES + 1];
  real cosines[SIDES + 1], candidates[12 * SIDES + 1], t = group_same(pair->threshold);
  for (index i = 0; i < 12 * SIDES + 1; ++i) sides[i] = 0;
  uniform_fn(side_candidates)(model, pair->rays, sides);
  for (index i = 0; i < 12 * SIDES; ++i) candidates[i] = group_same(sides[i]);
  for (index k = 0; k < SIDES; ++k) cosines[k] = lane(0);
  group_for(i, n) {
    real p[SEEN_COLUMNS], q[3];
    point_load(pair->points, pair->stride, i, 0, p);
    real r1[3] = {m->rays[0] * p[0], m->rays[1] * p[1], lane(1)};
    real r2[3] = {m->rays[2] * p[2], m->rays[3] * p[3], lane(1)};
    real scale = rsqrt(vec3_dot(r1, r1) * vec3_dot(r2, r2));
    mask inside = point_error(m->model, p, m->focal) * t < lane(1);
    for (index k = 0; k < SIDES; ++k) {
      mat3_apply(candidates + 12 * k, r1, q);
      cosines[k] += select(inside, vec3_dot(q, r2) * scale, lane(0));
    }
  }
  group_sums(cosines, SIDES, sums);
  const index second = SIDES > 1 && sums[SIDES - 1] > sums[0];
  for (index i = 0; i < 9; ++i) R[i] = sides[(second ? 12 : 0) + i];
  R[9] = uniform_fn(model_focal)(model);
}

// Moves R towards the inliers of m (if is_own: the inliers of R) among the first n points, with the
// weight 1 / (1 + cut e)^2 for a squared error e.
//   S. Geman, D. McClure, Statistical methods for tomographic image reconstruction, Bull. ISI
//   52, 1987.
group_fn void rotation_step(GROUP_PARAM const struct pair_view* pair, index n,
                            const struct lane_model* m, index is_own, scalar cut, scalar* R) {
  scalar map[9], A[ROTATION_SIZE * ROTATION_SIZE], sums[ROTATION_SUMS], unit = 1;
  real H[9], total[ROTATION_SUMS], t = group_same(pair->threshold), limit = group_same(cut),
                                   rays[2], axis[3];
  rotation_map_of(pair, R, map);
  if_constant(UNKNOWN_FOCAL) unit = 1 / R[9];
  for (index i = 0; i < 2; ++i) rays[i] = group_same(pair->rays[2 + i] * unit);
  for (index i = 0; i < 3; ++i) axis[i] = group_same(R[3 * i + 2]);
  for (index i = 0; i < 9; ++i) H[i] = group_same(map[i]);
  for (index i = 0; i < ROTATION_SUMS; ++i) total[i] = lane(0);
  group_for(i, n) {
    real p[SEEN_COLUMNS], J[12];
    point_load(pair->points, pair->stride, i, 0, p);
    real x1[3] = {p[0], p[1], lane(1)}, q[3];
    mat3_apply(H, x1, q);
    real inverse = lane(1) / q[2], u = q[0] * inverse, v = q[1] * inverse;
    real ray[3] = {u * rays[0], v * rays[1], lane(1)}, Ju[4], Jv[4];
    reprojection_jacobian(ray, lane(1) / rays[0], lane(1) / rays[1], J);
    for (index k = 0; k < 3; ++k) {
      Ju[k] = J[k];
      Jv[k] = J[6 + k];
    }
    // Derivatives by log f of f times the projection of R (x1 / f, 1): the third column of R is the
    // only part of the rotated ray that does not scale with 1 / f.
    Ju[3] = u + inverse * vec3_dot(J + 3, axis);
    Jv[3] = v + inverse * vec3_dot(J + 9, axis);
    real e = transfer_squared(H, p[0], p[1], p[2], p[3]), near = lane(1) + limit * e;
    real gate = is_own ? e : point_error(m->model, p, m->focal);
    mask kept = (gate * t < lane(1)) & (q[2] > lane(0));
    real w = select(kept, point_weight(pair, i) / (near * near), lane(0));
    for (index k = 0, packed = 0; k < ROTATION_SIZE; ++k) {
      real a = masked(w, w * Ju[k]), b = masked(w, w * Jv[k]);
      for (index l = 0; l <= k; ++l, ++packed)
        total[packed] += a * masked(w, Ju[l]) + b * masked(w, Jv[l]);
      total[ROTATION_GRADIENT + k] += a * masked(w, u - p[2]) + b * masked(w, v - p[3]);
    }
  }
  group_sums(total, ROTATION_SUMS, sums);
  for (index k = 0, packed = 0; k < ROTATION_SIZE; ++k) {
    for (index l = 0; l <= k; ++l, ++packed) A[ROTATION_SIZE * k + l] = sums[packed];
  }
  if_constant(DOF == 3) {  // upright cameras rotate about y only
    A[0] = A[8] = 1;
    A[3] = A[6] = A[7] = sums[6] = sums[8] = 0;
  }
  if (sums[2] > 0) uniform_fn(rotation_move)(A, sums + ROTATION_GRADIENT, ROTATION_SIZE, R);
}

// Returns whether the map [9] explains most inliers of m among the first n points, with no proof of
// depth off it. Depth is tested at the threshold and, if the noise is smaller than the threshold
// expects, at a threshold that fits the noise. Matches nearer to the map than the threshold are
// never off it.
group_fn index map_explains(GROUP_PARAM const struct pair_view* pair, index n,
                            const struct lane_model* m, const scalar* map, scalar noise,
                            scalar chance) {
  enum { INLIERS_OF_MAP = 2 * PARALLAX_SUMS, INLIERS_OF_MODEL, COUNTS };
  scalar sums[COUNTS];
  real H[9], total[COUNTS], rate = group_same(chance);
  const scalar limit = 1 / pair->threshold;
  scalar fine = (scalar)6.25 * noise * noise;
  fine = fine < limit ? fine : limit;
  fine = fine > (scalar)0.01 * limit ? fine : (scalar)0.01 * limit;
  const scalar beyond = 4 * fine > limit ? 4 * fine : limit;
  real near = group_same(limit), far = group_same(4 * limit);
  for (index i = 0; i < 9; ++i) H[i] = group_same(map[i]);
  for (index i = 0; i < COUNTS; ++i) total[i] = lane(0);
  group_for(i, n) {
    real p[SEEN_COLUMNS];
    point_load(pair->points, pair->stride, i, 0, p);
    real off_map = transfer_squared(H, p[0], p[1], p[2], p[3]),
         off_line = admitted_error(m, pair, i);
    parallax_add(off_map, off_line, near, far, rate, total);
    parallax_add(off_map, off_line, group_same(fine), group_same(beyond), rate,
                 total + PARALLAX_SUMS);
    total[INLIERS_OF_MAP] += select(off_map < near, lane(1), lane(0));
    total[INLIERS_OF_MODEL] += select(off_line < near, lane(1), lane(0));
  }
  group_sums(total, COUNTS, sums);
  return 2 * sums[INLIERS_OF_MAP] > sums[INLIERS_OF_MODEL] && !parallax_proves(sums) &&
         !parallax_proves(sums + PARALLAX_SUMS);
}

group_fn index rotation_explains(GROUP_PARAM const struct pair_view* pair, index n,
                                 const struct lane_model* m, const scalar* R, scalar noise,
                                 scalar chance) {
  scalar map[9];
  rotation_map_of(pair, R, map);
  return map_explains(GROUP_ARG pair, n, m, map, noise, chance);
}

// Computes the squared errors of the first n points from the rotation R, and its support.
group_fn void rotation_support(GROUP_PARAM const struct pair_view* pair, index n, const scalar* R,
                               global_ptr scalar* errors, support_sums* support) {
  scalar map[9];
  real H[9], total[SUPPORT_SUMS], t = group_same(pair->threshold);
  rotation_map_of(pair, R, map);
  for (index i = 0; i < 9; ++i) H[i] = group_same(map[i]);
  for (index i = 0; i < SUPPORT_SUMS; ++i) total[i] = lane(0);
  group_for(i, n) {
    real p[SEEN_COLUMNS];
    point_load(pair->points, pair->stride, i, 0, p);
    real e = transfer_squared(H, p[0], p[1], p[2], p[3]), u = msac_score(e, t);
    real own = select(u > lane(0), point_weight(pair, i), lane(0));
    group_store(errors, i, e, pair->stride);
    total[SUPPORT_SCORE] += u * own;
    total[SUPPORT_INLIERS] += select(u > lane(0), lane(1), lane(0));
    total[SUPPORT_SQUARES] += select(u > lane(0), e, lane(0));
    total[SUPPORT_WEIGHT] += own;
  }
  group_support(GROUP_ARG total, SUPPORT_SUMS, support);
}

// Returns whether a rotation R explains the inliers of the relative pose (model, side). If so,
// errors and support are set for the rotation.
group_fn index pair_rotation(GROUP_PARAM const struct pair_view* pair, const scalar* model,
                             const scalar* side, scalar noise, scalar chance, scalar* R,
                             global_ptr scalar* errors, support_sums* support) {
  struct lane_model m;
  index n = pair_subset(pair, ROTATION_POINTS);
  lane_model_set(pair, model, side, &m);
  rotation_start(GROUP_ARG pair, n, &m, model, R);
  // The translation may have absorbed part of the rotation, so the weights of distant matches are
  // large at first and then fall.
  for (index k = 0; k < 6; ++k) {
    const scalar t = pair->threshold, cut = k < 2 ? t / 256 : k < 4 ? t / 16 : t;
    rotation_step(GROUP_ARG pair, n, &m, 0, cut, R);
  }
  // From here on the inliers are those of R, so that the result does not depend on which epipolar
  // matrix of the rotation RANSAC has found.
  for (index k = 0; k < 4; ++k) rotation_step(GROUP_ARG pair, n, &m, 1, pair->threshold, R);
  if (!rotation_explains(GROUP_ARG pair, n, &m, R, noise, chance)) return 0;
  if (n < pair->n) {
    n = pair->n;
    for (index k = 0; k < 2; ++k) rotation_step(GROUP_ARG pair, n, &m, 1, pair->threshold, R);
    if (!rotation_explains(GROUP_ARG pair, n, &m, R, noise, chance)) return 0;
  }
  rotation_support(GROUP_ARG pair, n, R, errors, support);
  return 1;
}
