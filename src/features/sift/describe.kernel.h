// SPDX-License-Identifier: BSD-3-Clause
// Descriptions of points on GPUs, the twin of describe.cpp; describe.kernels describes the
// arguments. Rules of SIFT are in sift.lane.h, the sampling of the grid in
// features/shape/grid.kernel.h; tests/features/sift_device_test.cpp compares both twins.

// Computes weighted magnitudes and directions of the grid's gradients, 20 per row.
group_fn void grid_gradients(local_ptr const float* values, local_ptr const float* weights,
                             local_ptr float* magnitudes, local_ptr float* directions) {
  for (index i = (index)group_member(); i < INNER_FLOATS; i += GROUP_SIZE) {
    const index at = (i / GRID_INNER + 1) * GRID_SIDE + i % GRID_INNER + 1;
    const real gx = values[at + 1] - values[at - 1];
    const real gy = values[at + GRID_SIDE] - values[at - GRID_SIDE];
    magnitudes[i] = sqrt_normal(gx * gx + gy * gy) * weights[at];
    directions[i] = sift_direction(gx, gy, lane(8));
  }
}

// Computes Lowe's 4 x 4 x 8 histogram with trilinear interpolation. A bin of 8 directions has two
// seats, each with four of the eight rows in its reach and with its own column of `bins`. is_first:
// sets the bins instead of adding to them.
group_fn void grid_histogram(local_ptr const float* magnitudes, local_ptr const float* directions,
                             index is_first, local_ptr float* bins) {
  for (index seat = (index)group_member(); seat < POINT_THREADS; seat += GROUP_SIZE) {
    const index bin = seat / 2, is_lower = seat % 2, bx = bin % 4, by = bin / 4;
    if (is_first) {
      lane_unroll for (index o = 0; o < 9; ++o) bins[o * POINT_THREADS + seat] = lane(0);
    }
    for (index r = 0; r < 4; ++r) {
      const real down = is_lower ? lane(1) - sift_bin_share(r) : sift_bin_share(r);
      const index row = (4 * (by + is_lower) + r) * GRID_INNER + 4 * bx;
      lane_unroll for (index c = 0; c < 8; ++c) {
        const real across = c < 4 ? sift_bin_share(c) : lane(1) - sift_bin_share(c - 4);
        const real weight = magnitudes[row + c] * (down * across), at = directions[row + c];
        const index o = (index)at < 8 ? (index)at : 7;
        const real upper = (at - (real)o) * weight;
        bins[o * POINT_THREADS + seat] += weight - upper;
        bins[(o + 1) * POINT_THREADS + seat] += upper;
      }
    }
  }
}

// Returns element `direction` of a bin of the description, the sum over the two threads of the bin.
group_fn real histogram_at(local_ptr const float* bins, index bin, index direction) {
  const index upper = 2 * bin, lower = 2 * bin + 1;
  local_ptr const float* shares = bins + direction * POINT_THREADS;
  real sum = shares[upper] + shares[lower];
  if (direction == 0) sum += shares[8 * POINT_THREADS + upper] + shares[8 * POINT_THREADS + lower];
  return sum;
}

group_fn real length_factor(real squares) { return lane(1) / fmax(sqrt(squares), lane(1e-20)); }

// Normalises to unit length, clips and normalises again, or with `root` takes the square root of
// the L1-normalised vector. Each seat writes four elements in 8 bits.
group_fn void quantise(GROUP_PARAM local_ptr const float* bins, index root, global_ptr bits8* out) {
  const index member = (index)group_member();
  real sum = lane(0);
  for (index i = 4 * member; i < DESCRIPTOR; i += 4 * GROUP_SIZE) {
    lane_unroll for (index k = i; k < i + 4; ++k) {
      const real v = histogram_at(bins, k / 8, k % 8);
      sum += v * v;
    }
  }
  const real factor = length_factor(group_sum(sum));
  sum = lane(0);
  for (index i = 4 * member; i < DESCRIPTOR; i += 4 * GROUP_SIZE) {
    lane_unroll for (index k = i; k < i + 4; ++k) {
      const real v = fmin(histogram_at(bins, k / 8, k % 8) * factor, sift_clip());
      sum += root ? v : v * v;
    }
  }
  sum = group_sum(sum);
  const real again = root ? lane(1) / fmax(sum, lane(1e-20)) : length_factor(sum);
  for (index i = 4 * member; i < DESCRIPTOR; i += 4 * GROUP_SIZE) {
    lane_unroll for (index k = i; k < i + 4; ++k) {
      const real v = fmin(histogram_at(bins, k / 8, k % 8) * factor, sift_clip()) * again;
      out[k] = (bits8)fmin(lane(255), sift_byte_scale() * (root ? sqrt(v) : v) + lane(0.5));
    }
  }
}

// Returns whether the band owns row y of an octave; other rows belong to other bands.
group_fn index is_own_row(global_const octave_layout* octave, index y) {
  return y >= (index)octave->first_own && y < (index)octave->end_own;
}

// Returns the grid of a description without its position, with a step of `step` px and rotated by
// an angle.
group_fn sample_frame rotated_frame(real step, real degrees) {
  const real angle = degrees * lane(0.01745329252), c = step * cos(angle), s = step * sin(angle);
  sample_frame frame;
  frame.ux = c;
  frame.uy = s;
  frame.vx = -s;
  frame.vy = c;
  return frame;
}

// Returns the rotated grid in the frame of a shape.
group_fn sample_frame shaped_frame(const sample_frame round, global_const keypoint_shape* A) {
  const real c = round.ux, s = round.uy;
  sample_frame frame;
  frame.ux = A->xx * c + A->xy * s;
  frame.uy = A->xy * c + A->yy * s;
  frame.vx = A->xy * c - A->xx * s;
  frame.vy = A->yy * c - A->xy * s;
  return frame;
}

// Returns the grid of a domain of `size` times the size of the point, around (x, y).
group_fn sample_frame domain_frame(const sample_frame own, real x, real y, real size) {
  sample_frame frame;
  frame.x = x;
  frame.y = y;
  frame.ux = size * own.ux;
  frame.uy = size * own.uy;
  frame.vx = size * own.vx;
  frame.vy = size * own.vy;
  return frame;
}

group_kernel(sift_describe, group, SIFT_DESCRIBE) {
  const index picture = group % pictures, member = (index)group_member();
  const index all =
      feature_count(counts, candidate_capacity, found[picture], capacity, kept[picture]);
  const index count = all < most ? all : most;
  global_const sort_key* keys = is_merged_evenly(all) ? sorted : sorted_too;
  if (group < pictures && member == 0) numbers[first + picture] = count;
  for (index rank = group / pictures; rank < count; rank += groups / pictures) {
    const offset place = (offset)picture * capacity + keys[(offset)picture * capacity + rank].point;
    global_const octave_point* p = points + place;
    global_const octave_layout* o = octaves + where_octave(p->where);
    if (!is_own_row(o, (index)p->y)) continue;
    sample_frame own = rotated_frame(lane(0.25) * sift_bin_width() * p->sigma, p->angle);
    if_constant(SHAPED) own = shaped_frame(own, shapes + place);
    lane_keep_loop for (index d = 0; d < DOMAINS; ++d) {
      index level = where_layer(p->where);
      real size = lane(1);
      if_constant(DOMAINS > 1) {
        level += (index)domains[d].levels_up;
        level = level < 0 ? 0 : level < levels ? level : levels - 1;
        size = domains[d].size;
      }
      sample_grid(level_of(pyramid, pitch, o, picture, level), domain_frame(own, p->x, p->y, size),
                  lane(-1.0 / 128), values, weights);
      group_barrier();
      grid_gradients(values, weights, magnitudes, directions);
      group_barrier();
      grid_histogram(magnitudes, directions, d == 0, bins);
    }
    group_barrier();
    const offset slot = begin + (offset)picture * most + rank;
    quantise(GROUP_ARG bins, root, descriptors + slot * DESCRIPTOR);
    if (member == 0) {
      keypoints[slot] = keypoint_of(p, scale, shift);
      if_constant(SHAPED) keypoint_shapes[slot] = shapes[place];
    }
  }
}
