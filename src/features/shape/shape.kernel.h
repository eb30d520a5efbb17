// SPDX-License-Identifier: BSD-3-Clause
// Affine shapes of points on GPUs, the twin of shape_simd.cpp.

// Returns the second moments of the grid's gradients.
group_fn symmetric_2x2 grid_moments(GROUP_PARAM local_ptr const float* values,
                                    local_ptr const float* weights) {
  real xx = lane(0), xy = lane(0), yy = lane(0);
  lane_keep_loop for (index i = (index)group_member(); i < INNER_FLOATS; i += GROUP_SIZE) {
    const index at = (i / GRID_INNER + 1) * GRID_SIDE + i % GRID_INNER + 1;
    const real gx = values[at + 1] - values[at - 1];
    const real gy = values[at + GRID_SIDE] - values[at - GRID_SIDE];
    xx += weights[at] * gx * gx;
    xy += weights[at] * gx * gy;
    yy += weights[at] * gy * gy;
  }
  symmetric_2x2 moments;
  moments.xx = group_sum(xx);
  moments.xy = group_sum(xy);
  moments.yy = group_sum(yy);
  return moments;
}

// Finds the shape around (x, y) in rounds and returns it, the same for all members. The final
// samples lie in the frame of the shape and have the weights of orientations. Each function is
// called in one place only, because PoCL 3.1 uses wrong shared memory in functions that it does
// not inline.
group_fn symmetric_2x2 sample_shape(GROUP_PARAM const level_view level, real x, real y, real sigma,
                                    local_ptr float* values, local_ptr float* weights) {
  const real step = shape_step() * sigma;
  symmetric_2x2 A = shape_circle();
  index is_found = 0;
  for (index k = 0; k <= SHAPE_ROUNDS; ++k) {
    const real spread = is_found ? sift_orientation_spread() : shape_window();
    const real steps = spread / shape_step();
    const sample_frame frame = {x, y, A.xx * step, A.xy * step, A.xy * step, A.yy * step};
    sample_grid(level, frame, lane(-0.5) / (steps * steps), values, weights);
    group_barrier();
    if (is_found) break;
    const symmetric_2x2 moments = grid_moments(GROUP_ARG values, weights);
    const real state = shape_round(moments, &A);
    is_found = state != lane(0) || k + 1 == SHAPE_ROUNDS;
    if (is_found && !(state > lane(0))) A = shape_circle();
    group_barrier();
  }
  return A;
}
