// SPDX-License-Identifier: BSD-3-Clause
// Orientations of points on GPUs, the twin of orient.cpp; orient.kernels describes the arguments.

enum {
  // Only points with shapes need the grid.
  ORIENT_GRID = SHAPED ? GRID_FLOATS : 1
};

// Adds a gradient's shares of two directions to the member's own column of `shares`. Members
// therefore need not wait, and the sums do not depend on the order of the work.
group_fn void add_direction(real gx, real gy, real weight, index member, local_ptr float* shares) {
  const real share = sqrt_normal(gx * gx + gy * gy) * weight;
  const real at = sift_direction(gx, gy, lane(ORIENTATION_BINS));
  const index bin = (index)at;
  const real part = (at - (real)bin) * share;
  shares[bin * GROUP_SIZE + member] += share - part;
  shares[(bin + 1) * GROUP_SIZE + member] += part;
}

// Sums the gradient directions around (x, y) of a level, weighted by magnitude and a Gaussian.
group_fn void orientation_shares(const level_view level, real x, real y, real sigma,
                                 local_ptr float* shares) {
  const real spread = sift_orientation_spread() * sigma, factor = lane(-0.5) / (spread * spread);
  const index reach = (index)(lane(3) * spread + lane(0.5)), member = (index)group_member();
  const index cx = (index)(x + lane(0.5)), cy = (index)(y + lane(0.5));
  const index x0 = cx - reach > 1 ? cx - reach : 1, y0 = cy - reach > 1 ? cy - reach : 1;
  const index x1 = cx + reach < level.width - 2 ? cx + reach : level.width - 2;
  const index y1 = cy + reach < level.height - 2 ? cy + reach : level.height - 2;
  const index columns = x1 - x0 + 1, samples = columns * (y1 - y0 + 1);
  index u = x0 + member, v = y0;
  for (index i = member; i < samples; i += GROUP_SIZE, u += GROUP_SIZE) {
    while (u > x1) {
      u -= columns;
      ++v;
    }
    global_const float* pixel = level.pyramid + (level.first + (offset)v * level.stride + u);
    const real gx = pixel[1] - pixel[-1], gy = pixel[level.stride] - pixel[-level.stride];
    const real dx = (real)u - x, dy = (real)v - y;
    const real weight = exp(factor * (dx * dx + dy * dy));
    add_direction(gx, gy, weight, member, shares);
  }
}

// Sums the gradient directions of a grid of samples.
group_fn void grid_shares(local_ptr const float* values, local_ptr const float* weights,
                          local_ptr float* shares) {
  const index member = (index)group_member();
  for (index k = member; k < INNER_FLOATS; k += GROUP_SIZE) {
    const index at = (k / GRID_INNER + 1) * GRID_SIDE + k % GRID_INNER + 1;
    add_direction(values[at + 1] - values[at - 1], values[at + GRID_SIDE] - values[at - GRID_SIDE],
                  weights[at], member, shares);
  }
}

// Returns the position of an extremum in the image.
group_fn keypoint extremum_position(global_const extremum* e, bits32 octave, real scale,
                                    real shift) {
  const real to_px = scale * (real)(1u << octave);
  keypoint k;
  k.x = e->x * to_px + shift;
  k.y = e->y * to_px + shift;
  k.sigma = k.angle = k.response = lane(0);
  return k;
}

group_fn index around(index bin) { return (bin + ORIENTATION_BINS) % ORIENTATION_BINS; }

// Adds a point for each dominant direction of an extremum. shares: the gradient directions around
// it; where: octave and level of the points.
group_fn void add_points(GROUP_PARAM global_const extremum* e, index picture, bits32 where,
                         real own_sigma, const symmetric_2x2 A KERNEL_PARAMETERS(SIFT_ORIENT)) {
  const index member = (index)group_member();
  group_barrier();
  for (index b = member; b < ORIENTATION_BINS; b += GROUP_SIZE) {
    real sum = lane(0);
    for (index k = 0; k < GROUP_SIZE; ++k) {
      const index thread = (k + member) % GROUP_SIZE;  // a different bank for each
      sum += shares[b * GROUP_SIZE + thread];
      if (b < 2) sum += shares[(b + ORIENTATION_BINS) * GROUP_SIZE + thread];
    }
    histogram[b] = sum;
  }
  group_barrier();
  real highest = lane(0);
  for (index b = member; b < ORIENTATION_BINS; b += GROUP_SIZE) {
    smoothed[b] = sift_smoothed(histogram[around(b - 2)], histogram[around(b - 1)], histogram[b],
                                histogram[around(b + 1)], histogram[around(b + 2)]);
    highest = fmax(highest, smoothed[b]);
  }
  highest = group_max(highest);
  group_barrier();
  for (index b = member; b < ORIENTATION_BINS; b += GROUP_SIZE) {
    const real left = smoothed[around(b - 1)], here = smoothed[b], right = smoothed[around(b + 1)];
    // The first of two equal bins is the peak.
    if (!(here > left && here >= right && here >= sift_peak_ratio() * highest)) continue;
    if (!is_unmasked(extremum_position(e, where_octave(where), scale, shift), mask, mask_width,
                     image_width, image_height))
      continue;
    const bits32 slot = global_atomic_add(found + picture, 1u);
    if (slot >= (bits32)capacity) continue;
    const offset at = (offset)picture * capacity + slot;
    global_ptr octave_point* p = points + at;
    p->x = e->x;
    p->y = e->y;
    p->sigma = own_sigma;
    p->angle = sift_peak((real)b, left, here, right);
    p->response = e->response;
    p->where = where;
    if_constant(SHAPED) {
      shapes[at].xx = A.xx;
      shapes[at].xy = A.xy;
      shapes[at].yy = A.yy;
    }
    const keypoint k = keypoint_of(p, scale, shift);
    (void)global_atomic_add(rows + (offset)picture * (image_height + 1) + row_of(k, image_height),
                            1u);
  }
}

group_kernel(sift_orient, group, SIFT_ORIENT) {
  const index member = (index)group_member();
  const bits32 count =
      round >= 0 ? selected_counts[round] : listed_candidates(counts, candidate_capacity);
  for (bits32 next = (bits32)group; next < count; next += (bits32)groups) {
    const bits32 i = round >= 0 ? selected[next] : next;
    global_const extremum* e = extrema + i;
    if (e->response < lane(0)) continue;
    const index picture = (index)candidates[i].image, level = (index)(e->layer + 0.5f);
    const bits32 octave = where_octave(candidates[i].where);
    const level_view view = level_of(pyramid, pitch, octaves + octave, picture, level);
    const real own_sigma = sigma * exp2(e->layer / (real)layers);
    symmetric_2x2 A = shape_circle();
    if_constant(SHAPED) {
      A = sample_shape(GROUP_ARG view, e->x, e->y, own_sigma, values, weights);
    }
    for (index b = 0; b < ORIENTATION_BINS + 2; ++b) shares[b * GROUP_SIZE + member] = lane(0);
    if_constant(SHAPED) grid_shares(values, weights, shares);
    if_constant(!SHAPED) orientation_shares(view, e->x, e->y, own_sigma, shares);
    add_points(GROUP_ARG e, picture, where_of(octave, (bits32)level), own_sigma,
               A KERNEL_ARGUMENTS(SIFT_ORIENT));
    group_barrier();
  }
}
