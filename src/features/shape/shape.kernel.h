// SPDX-License-Identifier: BSD-3-Clause
// Affine shapes of points on GPUs, and orientations in their frames; sift_points.kernels describes
// the arguments.

// The second moments, xx, xy, yy, of the grid's gradients.
group_fn void grid_moments(GROUP_PARAM local_ptr const float* values,
                           local_ptr const float* weights, real* moments) {
  real xx = lane(0), xy = lane(0), yy = lane(0);
  for (index i = (index)group_member(); i < INNER_FLOATS; i += GROUP_SIZE) {
    const index at = (i / GRID_INNER + 1) * GRID_SIDE + i % GRID_INNER + 1;
    const real gx = values[at + 1] - values[at - 1];
    const real gy = values[at + GRID_SIDE] - values[at - GRID_SIDE];
    xx += weights[at] * gx * gx;
    xy += weights[at] * gx * gy;
    yy += weights[at] * gy * gy;
  }
  moments[0] = group_sum(xx);
  moments[1] = group_sum(xy);
  moments[2] = group_sum(yy);
}

// Samples of the grid in the frame of the shape A around (x, y), which is found in rounds; the last
// samples have the weights of orientations. All members come to the same. Only one call each: PoCL
// 3.1 takes wrong memory for that of the group in functions that it does not inline.
group_fn void sample_shape(GROUP_PARAM global_const float* pyramid, offset level, index stride,
                           index width, index height, real x, real y, real sigma, real* A,
                           local_ptr float* values, local_ptr float* weights) {
  const real step = shape_step() * sigma;
  index is_found = 0;
  A[0] = A[2] = lane(1);
  A[1] = lane(0);
  for (index k = 0; k <= SHAPE_ROUNDS; ++k) {
    const real spread = is_found ? sift_orientation_spread() : shape_window();
    const real steps = spread / shape_step();
    sample_grid(pyramid, level, stride, width, height, x, y, A[0] * step, A[1] * step, A[1] * step,
                A[2] * step, lane(-0.5) / (steps * steps), values, weights);
    group_barrier();
    if (is_found) break;
    real moments[3];
    grid_moments(GROUP_ARG values, weights, moments);
    const real state = shape_round(moments, A);
    is_found = state != lane(0) || k + 1 == SHAPE_ROUNDS;
    if (is_found && !(state > lane(0))) {
      A[0] = A[2] = lane(1);
      A[1] = lane(0);
    }
    group_barrier();
  }
}

group_kernel(sift_shape, group, SIFT_SHAPE) {
  const index member = (index)group_member();
  bits32 count = counts[0] < (bits32)candidate_room ? counts[0] : (bits32)candidate_room;
  if (round >= 0) count = selected_counts[round];
  for (bits32 next = (bits32)group; next < count; next += (bits32)groups) {
    const bits32 i = round >= 0 ? selected[next] : next;
    global_const float* e = extrema + (offset)i * EXTREMUM_FLOATS;
    if (e[3] < lane(0)) continue;
    global_const bits32* c = candidates + (offset)i * CANDIDATE_WORDS;
    const index picture = (index)c[0], octave = (index)(c[1] >> 8), level = (index)(e[2] + 0.5f);
    global_const offset* o = octaves + octave * OCTAVE_OFFSETS;
    const offset own = picture * pitch + o[0] + level * o[1];
    const real own_sigma = sigma * exp2(e[2] / (real)layers);
    real A[SHAPE_FLOATS];
    sample_shape(GROUP_ARG pyramid, own, (index)o[2], (index)o[3], (index)o[4], e[0], e[1],
                 own_sigma, A, values, weights);
    for (index b = 0; b < ORIENTATION_BINS + 2; ++b) shares[b * GROUP_SIZE + member] = lane(0);
    for (index k = member; k < INNER_FLOATS; k += GROUP_SIZE) {
      const index at = (k / GRID_INNER + 1) * GRID_SIDE + k % GRID_INNER + 1;
      add_direction(values[at + 1] - values[at - 1],
                    values[at + GRID_SIDE] - values[at - GRID_SIDE], weights[at], member, shares);
    }
    add_points(GROUP_ARG i, picture, octave, level, own_sigma, A KERNEL_ARGUMENTS(SIFT_ORIENT));
    group_barrier();
  }
}
