// SPDX-License-Identifier: BSD-3-Clause
// Plane and parallax for fundamental matrices. If most inliers of the best matrix lie on one plane
// of the scene, it may describe that plane only, since samples of the plane and a few outliers have
// the whole plane as inliers. F = [e']x H then follows from the homography H of the plane and two
// matches off the plane: the epipole e' is the intersection of their lines through H x1 and x2.
//   O. Chum, T. Werner, J. Matas, Two-view geometry estimation unaffected by a dominant plane,
//   CVPR 2005.

enum {
  PLANE_ITERATIONS = 64,
  PLANE_POINTS = 512,  // points on which planes are scored
  PARALLAX_ROUND = 128,
  PARALLAX_ITERATIONS = 2048,
  PARALLAX_POINTS = 4096,
  // The second counter word of the random numbers; sampling uses 0 and 1.
  PLANE_STREAM = 2,
  PARALLAX_STREAM = 3
};

// Draws `count` <= 4 distinct numbers below n, each subset with the same probability, as
// sample `iteration`.
//   J. Bentley, B. Floyd, A sample of brilliance, CACM 30(9), 1987.
lane_fn void few_draw(bits32 seed0, bits32 seed1, index stream, index iteration, index n,
                      index count, index* drawn) {
  bits32 counter[4] = {0, (bits32)stream, (bits32)iteration, 0}, numbers[4];
  philox(counter, seed0, seed1, numbers);
  for (index k = 0; k < count; ++k) {
    const index last = n - count + k;
    index value = (index)bits_mul_high(numbers[k], (bits32)(last + 1));
    index fresh = 1;
    for (index i = 0; i < k; ++i) fresh = fresh && drawn[i] != value;
    drawn[k] = fresh ? value : last;
  }
}

// Computes F, |F| = 1, from H and two matches p [x1, y1, x2, y2][2]; NaN if their lines coincide.
lane_fn void parallax_fundamental(const real* H, const real* p, real* F) {
  real lines[6], e[3];
  for (index k = 0; k < 2; ++k) {
    real from[3] = {p[k], p[2 + k], lane(1)}, to[3] = {p[4 + k], p[6 + k], lane(1)}, moved[3];
    mat3_apply(H, from, moved);
    vec3_cross(to, moved, lines + 3 * k);
  }
  vec3_cross(lines, lines + 3, e);
  for (index c = 0; c < 3; ++c) {
    real column[3] = {H[c], H[3 + c], H[6 + c]}, product[3];
    vec3_cross(e, column, product);
    for (index r = 0; r < 3; ++r) F[3 * r + c] = product[r];
  }
  mat3_normalise(F);
}

// A fundamental matrix and the plane on which its inliers may lie.
struct plane_search {
  scalar model[12], side[12], H[9];
  scalar on, off, all_off;  // inliers on the plane and off it; matches off it
};

// Replaces the flags of list [stride], above 0 for selected points, by the indices of the selected
// points. Returns their number.
group_fn index list_points(GROUP_PARAM const struct pair_view* pair, global_ptr scalar* list,
                           local_ptr pair_shared* shared) {
  group_barrier();
  if (group_leads()) {
    index count = 0;
    for (index i = 0; i < pair->n; ++i) {
      if (list[i] > 0) list[count++] = (scalar)i;
    }
    shared->count = count;
  }
  group_barrier();
  const index count = shared->count;
  group_barrier();
  return count;
}

group_fn index list_inliers(GROUP_PARAM const struct pair_view* pair, const struct plane_search* s,
                            global_ptr scalar* list, local_ptr pair_shared* shared) {
  struct lane_model m;
  lane_model_set(pair, s->model, s->side, &m);
  real t = group_same(pair->threshold);
  group_for(i, pair->stride) {
    mask inside = admitted_error(&m, pair, i) * t < lane(1);
    group_store(list, i, select(inside, lane(1), lane(0)), pair->stride);
  }
  return list_points(GROUP_ARG pair, list, shared);
}

// Squared distance of point i from the plane H.
group_fn real plane_error(const real* H, const struct pair_view* pair, index i) {
  real p[SEEN_COLUMNS];
  point_load(pair->points, pair->stride, i, 0, p);
  return transfer_squared(H, p[0], p[1], p[2], p[3]);
}

// MSAC score of the plane H over the first n points.
group_fn scalar plane_score(GROUP_PARAM const struct pair_view* pair, const scalar* plane,
                            index n) {
  real H[9], score = lane(0), t = group_same(pair->threshold);
  for (index i = 0; i < 9; ++i) H[i] = group_same(plane[i]);
  group_for(i, n) { score += msac_score(plane_error(H, pair, i), t); }
  return group_sum(score);
}

// Normal equations of the plane H over all points [PLANE_SUMS]: packed lower triangle, half
// gradient and score.
enum { PLANE_GRADIENT = 45, PLANE_SCORE = PLANE_GRADIENT + 9, PLANE_SUMS };
group_fn void plane_equations(GROUP_PARAM const struct pair_view* pair, const scalar* plane,
                              scalar* out) {
  real H[9], sums[PLANE_SUMS], t = group_same(pair->threshold);
  for (index i = 0; i < 9; ++i) H[i] = group_same(plane[i]);
  for (index i = 0; i < PLANE_SUMS; ++i) sums[i] = lane(0);
  group_for(i, pair->stride) {
    real p[SEEN_COLUMNS], terms[TRANSFER_TERMS];
    point_load(pair->points, pair->stride, i, 0, p);
    real u = msac_score(transfer_terms(H, p, terms), t), own = point_weight(pair, i);
    transfer_accumulate(terms, select(u > lane(0), own, lane(0)), sums, sums + PLANE_GRADIENT);
    sums[PLANE_SCORE] += u * own;
  }
  group_sums(sums, PLANE_SUMS, out);
}

// Lists the matches off the plane. These are farther than two thresholds from it, where the
// direction of their parallax is reliable.
group_fn index list_off_plane(GROUP_PARAM const struct pair_view* pair,
                              const struct plane_search* s, global_ptr scalar* list,
                              local_ptr pair_shared* shared) {
  real H[9], t = group_same(pair->threshold);
  for (index i = 0; i < 9; ++i) H[i] = group_same(s->H[i]);
  group_for(i, pair->stride) {
    mask off = plane_error(H, pair, i) * t > lane(4);
    group_store(list, i, select(off, lane(1), lane(0)), pair->stride);
  }
  return list_points(GROUP_ARG pair, list, shared);
}

group_fn void count_planes(GROUP_PARAM const struct pair_view* pair, struct plane_search* s) {
  struct lane_model m;
  enum { ON, OFF, ALL_OFF, COUNTS };
  real H[9], counts[COUNTS] = {lane(0), lane(0), lane(0)}, t = group_same(pair->threshold);
  scalar sums[COUNTS];
  lane_model_set(pair, s->model, s->side, &m);
  for (index i = 0; i < 9; ++i) H[i] = group_same(s->H[i]);
  group_for(i, pair->stride) {
    mask inside = admitted_error(&m, pair, i) * t < lane(1);
    real e = plane_error(H, pair, i) * t;
    mask off = e > lane(4);
    counts[ON] += select(inside & (e < lane(1)), lane(1), lane(0));
    counts[OFF] += select(inside & off, lane(1), lane(0));
    counts[ALL_OFF] += select(off, lane(1), lane(0));
  }
  group_sums(counts, COUNTS, sums);
  s->on = sums[ON];
  s->off = sums[OFF];
  s->all_off = sums[ALL_OFF];
}

// Copies `count` points of the list for the leader: p [4][count].
group_fn void listed_points(const struct pair_view* pair, global_const scalar* list,
                            const index* drawn, index count, scalar* p) {
  for (index k = 0; k < count; ++k) {
    const index point = (index)list[drawn[k]];
    for (index c = 0; c < 4; ++c) p[c * count + k] = pair->points[c * pair->stride + point];
  }
}

// Copies the leader's matrix `own` [9] to all members.
group_fn void broadcast_matrix(GROUP_PARAM const scalar* own, scalar* all,
                               local_ptr pair_shared* shared) {
  if (group_leads()) {
    for (index i = 0; i < 9; ++i) shared->matrix[i] = own[i];
  }
  group_barrier();
  for (index i = 0; i < 9; ++i) all[i] = shared->matrix[i];
  group_barrier();
}

// Finds the homography of the highest score from samples of four listed points. Returns the score,
// 0 if no sample has a model.
group_fn scalar find_plane(GROUP_PARAM const struct pair_view* pair, bits32 seed0, bits32 seed1,
                           global_const scalar* list, index count, scalar* H,
                           local_ptr pair_shared* shared) {
  const index end = pair_subset(pair, PLANE_POINTS);
  scalar best = 0, own[9], candidate[9];
  for (index k = 0; k < PLANE_ITERATIONS; ++k) {
    if (group_leads()) {
      index drawn[4];
      scalar sample[16];
      few_draw(seed0, seed1, PLANE_STREAM, k, count, 4, drawn);
      listed_points(pair, list, drawn, 4, sample);
      uniform_fn(homography_4pt)(sample, sample + 4, sample + 8, sample + 12, own);
    }
    broadcast_matrix(GROUP_ARG own, candidate, shared);
    const scalar score = plane_score(GROUP_ARG pair, candidate, end);
    if (!(score > best)) continue;
    best = score;
    for (index i = 0; i < 9; ++i) H[i] = candidate[i];
  }
  return best;
}

// Refines H by Gauss-Newton steps on the truncated error while the score rises.
group_fn void refine_plane(GROUP_PARAM const struct pair_view* pair, scalar* H,
                           local_ptr pair_shared* shared) {
  scalar best = -1, sums[PLANE_SUMS], candidate[9], own[9];
  for (index i = 0; i < 9; ++i) candidate[i] = H[i];
  for (index step = 0; step < 8; ++step) {
    plane_equations(GROUP_ARG pair, candidate, sums);
    if (!(sums[PLANE_SCORE] > best)) return;
    best = sums[PLANE_SCORE];
    for (index i = 0; i < 9; ++i) own[i] = H[i] = candidate[i];
    if (group_leads()) {
      scalar A[64], delta[8];
      uniform_fn(homography_reduce)(own, sums, sums + PLANE_GRADIENT, A, delta);
      scalar pivot = uniform_fn(damped_solve)(A, delta, 8, (scalar)1e-4);
      if (pivot > (scalar)1e-14) uniform_fn(homography_move)(own, delta);
    }
    broadcast_matrix(GROUP_ARG own, candidate, shared);
  }
}

// Returns the number of samples of two matches off the plane until one is free of outliers.
group_fn scalar parallax_iterations(const struct plane_search* s, scalar log_failure) {
  const scalar rate = s->off / s->all_off, clean = rate * rate;
  if (!(clean < (scalar)0.999)) return 1;
  const scalar failure = scalar_log(1 - clean), most = (scalar)PARALLAX_ITERATIONS;
  return failure * most < log_failure ? log_failure / failure : most;
}

// Samples [from, to) of two listed points off the plane.
struct parallax_samples {
  bits32 seed0, seed1;
  global_const scalar* list;
  index count, from, to;
};

// Finds the matrix of the highest score from these samples; returns its score.
group_fn scalar find_parallax(GROUP_PARAM const struct pair_view* pair,
                              const struct plane_search* s, const struct parallax_samples* samples,
                              scalar* model, local_ptr pair_shared* shared) {
  const struct score_plan plan = {{pair_subset(pair, PARALLAX_POINTS)}, {-1}};
  scalar best = 0, own[9], candidate[12];
  for (index k = samples->from; k < samples->to; ++k) {
    if (group_leads()) {
      index drawn[2];
      scalar sample[8];
      few_draw(samples->seed0, samples->seed1, PARALLAX_STREAM, k, samples->count, 2, drawn);
      listed_points(pair, samples->list, drawn, 2, sample);
      uniform_fn(parallax_fundamental)(s->H, sample, own);
    }
    broadcast_matrix(GROUP_ARG own, candidate, shared);
    const scalar score = model_score(GROUP_ARG candidate, pair, &plan, 1);
    if (!(score > best)) continue;
    best = score;
    for (index i = 0; i < 9; ++i) model[i] = candidate[i];
  }
  return best;
}

group_fn void open_planes(GROUP_PARAM const struct pair_view* pair,
                          global_const ransac_state* state, struct plane_search* s) {
  for (index i = 0; i < 9; ++i) s->model[i] = state->model[i];
  model_side(GROUP_ARG pair, pair->stride, s->model, s->side);
}

// Completes RANSAC on a fundamental matrix. If at least half of its inliers lie on a plane, the
// matrix is replaced by a matrix that contains this plane, if such a matrix scores more. weights
// [stride]: scratch memory.
group_fn void pair_planes(GROUP_PARAM const struct pair_view* pair, bits32 seed0, bits32 seed1,
                          scalar log_failure, global_ptr ransac_state* state,
                          global_ptr scalar* weights, local_ptr pair_shared* shared) {
  struct plane_search s;
  if (!(state->score > 0)) return;
  open_planes(GROUP_ARG pair, state, &s);
  const index inliers = list_inliers(GROUP_ARG pair, &s, weights, shared);
  if (inliers < SAMPLE_SIZE) return;
  if (!(find_plane(GROUP_ARG pair, seed0, seed1, weights, inliers, s.H, shared) > 0)) return;
  refine_plane(GROUP_ARG pair, s.H, shared);
  count_planes(GROUP_ARG pair, &s);
  if (2 * s.on < (scalar)inliers) return;
  scalar most = 0;
  for (index done = 0; s.all_off > 1;) {
    refined_model c;
    scalar wanted = parallax_iterations(&s, log_failure);
    if (wanted < (scalar)PARALLAX_ROUND) wanted = (scalar)PARALLAX_ROUND;
    if (!((scalar)done < wanted)) break;
    const index round = done > 0 ? done : PARALLAX_ROUND;  // as many samples as drawn so far
    const index off = list_off_plane(GROUP_ARG pair, &s, weights, shared);
    const struct parallax_samples samples = {seed0, seed1, weights, off, done, done + round};
    const scalar score = find_parallax(GROUP_ARG pair, &s, &samples, c.model, shared);
    done += round;
    if (!(score > most)) continue;
    most = score;
    ransac_consider(GROUP_ARG pair, &c, state, weights, shared);
    open_planes(GROUP_ARG pair, state, &s);
    count_planes(GROUP_ARG pair, &s);
  }
  group_barrier();  // all have read the state
  if (!group_leads()) return;
  state->plane.is_found = 1;
  state->plane.off = s.all_off;
  state->plane.parallax = s.off;
}
