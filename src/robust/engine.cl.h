// SPDX-License-Identifier: BSD-3-Clause
// The kernels of engine_device.cpp for OpenCL; their arguments are described in engine.kernel.h.
// Scoring works in float (REAL_IS_FLOAT), solving in either, the rest in double.

kernel void engine_solve(global const int* active, int from, int round, int places,
                         global const long* pairs, global const int* work,
                         global const real* points, global const double* info,
                         global const double* priors, global const int* ranking, int seed0,
                         int seed1, global float* models, global int* counts) {
  int place = (int)get_global_id(0);
  if (place >= places) return;
  kernel_solve(active[from + place / round], place % round, place, pairs, work, points, info,
               priors, ranking, (uint)seed0, (uint)seed1, models, counts);
}

#if REAL_IS_FLOAT

kernel void engine_score(global const int* active, int from, int round, global const long* pairs,
                         global const int* work, global const float* points,
                         global const double* info, global const float* fast_weights,
                         global const double* state, global const float* models,
                         global const int* counts, global float* scores, global int* slots) {
  local scalar group_scratch[GROUP_SCRATCH];
  int place = (int)get_group_id(0);
  kernel_score(GROUP_ARG active[from + place / round], place % round, place, pairs, work, points,
               info, fast_weights, state, models, counts, scores, slots);
}

#else

kernel void engine_prepare(global const long* pairs, global const double* given,
                           global const double* cameras, int given_priors,
                           global const double* weights, long weights_from,
                           global const double* qualities, long qualities_from, double threshold,
                           int seed0, int seed1, int first_round, global int* kept,
                           global int* order, global double* points, global float* fast_points,
                           global double* priors, global float* fast_weights, global int* ranking,
                           global uint* tables, global double* info, global double* state,
                           global int* work, global unsigned char* inliers) {
  local scalar group_scratch[GROUP_SCRATCH];
  local scalar shared[PREPARE_SHARED];
  kernel_prepare(GROUP_ARG(int) get_group_id(0), pairs, given, cameras, given_priors, weights,
                 weights_from, qualities, qualities_from, threshold, (uint)seed0, (uint)seed1,
                 first_round, kept, order, points, fast_points, priors, fast_weights, ranking,
                 tables, info, state, work, inliers, shared);
}

kernel void engine_decide(global const int* active, int from, int round, global const long* pairs,
                          global int* work, global const double* points, global const double* info,
                          global const double* priors, int min_iterations, int max_iterations,
                          double log_failure, global const float* scores,
                          global const float* models, global const int* slots, global double* state,
                          global double* weights) {
  local scalar group_scratch[GROUP_SCRATCH];
  local scalar shared[SHARED_SIZE];
  int at = (int)get_group_id(0);
  kernel_decide(GROUP_ARG active[from + at], (long)at * round, pairs, work, points, info, priors,
                min_iterations, max_iterations, log_failure, scores, models, slots, state, weights,
                shared);
}

kernel void engine_planes(global const long* pairs, global const int* work,
                          global const double* points, global const double* info,
                          global const double* priors, int seed0, int seed1, double log_failure,
                          global double* state, global double* weights) {
  local scalar group_scratch[GROUP_SCRATCH];
  local scalar shared[SHARED_SIZE];
  kernel_planes(GROUP_ARG(int) get_group_id(0), pairs, work, points, info, priors, (uint)seed0,
                (uint)seed1, log_failure, state, weights, shared);
}

kernel void engine_finish(global const long* pairs, global const double* given,
                          global const double* cameras, global int* work, global const int* order,
                          global double* points, global const float* fast_points,
                          global const double* info, global const double* priors,
                          global const double* state, global double* errors, global double* results,
                          global uint* tables, global unsigned char* inliers) {
  local scalar group_scratch[GROUP_SCRATCH];
  local scalar shared[SHARED_SIZE];
  kernel_finish(GROUP_ARG(int) get_group_id(0), pairs, given, cameras, work, order, points,
                fast_points, info, priors, state, errors, results, tables, inliers, shared);
}

#endif
