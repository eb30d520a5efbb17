// SPDX-License-Identifier: BSD-3-Clause
// Orientation and description of points on GPUs; sift_points.kernels describes the arguments.

// A gradient's shares of two directions, in the member's own column of `shares`: nobody waits, and
// the sums do not depend on the order of the work.
group_fn void add_direction(real gx, real gy, real weight, index member, local_ptr float* shares) {
  const real share = sqrt_normal(gx * gx + gy * gy) * weight;
  const real at = sift_direction(gx, gy, lane(ORIENTATION_BINS));
  const index bin = (index)at;
  const real part = (at - (real)bin) * share;
  shares[bin * GROUP_SIZE + member] += share - part;
  shares[(bin + 1) * GROUP_SIZE + member] += part;
}

// Adds up the gradient directions around (x, y) of a level, weighted by magnitude and a Gaussian.
group_fn void orientation_shares(global_const float* pyramid, offset level, index stride,
                                 index width, index height, real x, real y, real sigma,
                                 local_ptr float* shares) {
  const real spread = sift_orientation_spread() * sigma, factor = lane(-0.5) / (spread * spread);
  const index reach = (index)(lane(3) * spread + lane(0.5)), member = (index)group_member();
  const index cx = (index)(x + lane(0.5)), cy = (index)(y + lane(0.5));
  const index x0 = cx - reach > 1 ? cx - reach : 1, y0 = cy - reach > 1 ? cy - reach : 1;
  const index x1 = cx + reach < width - 2 ? cx + reach : width - 2;
  const index y1 = cy + reach < height - 2 ? cy + reach : height - 2;
  const index columns = x1 - x0 + 1, samples = columns * (y1 - y0 + 1);
  for (index b = 0; b < ORIENTATION_BINS + 2; ++b) shares[b * GROUP_SIZE + member] = lane(0);
  index u = x0 + member, v = y0;
  for (index i = member; i < samples; i += GROUP_SIZE, u += GROUP_SIZE) {
    while (u > x1) {
      u -= columns;
      ++v;
    }
    global_const float* p = pyramid + (level + (offset)v * stride + u);
    const real gx = p[1] - p[-1], gy = p[stride] - p[-stride];
    const real dx = (real)u - x, dy = (real)v - y;
    const real weight = exp(factor * (dx * dx + dy * dy));
    add_direction(gx, gy, weight, member, shares);
  }
}

// Where an extremum lies in the picture.
group_fn feature extremum_feature(global_const float* e, index octave, real scale, real shift) {
  const real to_px = scale * (real)(1u << octave);
  feature f;
  f.x = e[0] * to_px + shift;
  f.y = e[1] * to_px + shift;
  f.sigma = f.angle = f.response = lane(0);
  return f;
}

group_fn index around(index bin) { return (bin + ORIENTATION_BINS) % ORIENTATION_BINS; }

// Points of candidate i, whose shares of directions are there: one for each direction. A: the
// shape.
group_fn void add_points(GROUP_PARAM bits32 i, index picture, index octave, index level,
                         real own_sigma, const real* A KERNEL_PARAMETERS(SIFT_ORIENT)) {
  const index member = (index)group_member();
  global_const float* e = extrema + (offset)i * EXTREMUM_FLOATS;
  group_barrier();
  for (index b = member; b < ORIENTATION_BINS; b += GROUP_SIZE) {
    real sum = lane(0);
    for (index k = 0; k < GROUP_SIZE; ++k) {
      const index thread = (k + member) % GROUP_SIZE;  // each its own bank
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
    // Of two equal bins the first is the peak.
    if (!(here > left && here >= right && here >= sift_peak_ratio() * highest)) continue;
    if (!is_unmasked(extremum_feature(e, octave, scale, shift), mask, mask_width, picture_width,
                     picture_height))
      continue;
    const bits32 slot = global_atomic_add(found + picture, 1u);
    if (slot >= (bits32)room) continue;
    global_ptr float* p = points + ((offset)picture * room + slot) * POINT_FLOATS;
    p[0] = e[0];
    p[1] = e[1];
    p[2] = own_sigma;
    p[3] = sift_peak((real)b, left, here, right);
    p[4] = e[3];
    p[5] = bits_float((bits32)(octave << 8 | level));
    if_constant(SHAPED) {
      global_ptr float* own = shapes + ((offset)picture * room + slot) * SHAPE_FLOATS;
      lane_unroll for (index k = 0; k < SHAPE_FLOATS; ++k) own[k] = A[k];
    }
    const feature f = feature_of(p, scale, shift);
    (void)global_atomic_add(
        rows + (offset)picture * (picture_height + 1) + row_of(f, picture_height), 1u);
  }
}

group_kernel(sift_orient, group, SIFT_ORIENT) {
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
    const real own_sigma = sigma * exp2(e[2] / (real)layers);
    orientation_shares(pyramid, picture * pitch + o[0] + level * o[1], (index)o[2], (index)o[3],
                       (index)o[4], e[0], e[1], own_sigma, shares);
    const real A[SHAPE_FLOATS] = {lane(1), lane(0), lane(1)};
    add_points(GROUP_ARG i, picture, octave, level, own_sigma, A KERNEL_ARGUMENTS(SIFT_ORIENT));
    group_barrier();
  }
}

// Weighted magnitudes and directions of the grid's gradients, 20 in a row.
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

// Lowe's 4 x 4 x 8 histogram with trilinear interpolation: two seats a bin of 8 directions, each
// with four of the eight rows in its reach and a column of `bins` of its own. is_first: in the
// place of what is there, else added to it.
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

// Number `direction` of the description's bin, from the two threads that have it.
group_fn real histogram_at(local_ptr const float* bins, index bin, index direction) {
  local_ptr const float* at = bins + direction * POINT_THREADS + 2 * bin;
  real sum = at[0] + at[1];
  if (direction == 0) sum += at[8 * POINT_THREADS] + at[8 * POINT_THREADS + 1];
  return sum;
}

group_fn real length_factor(real squares) { return lane(1) / fmax(sqrt(squares), lane(1e-20)); }

// Unit length, clipped, unit length again, or with `root` the square root of what sums to one; each
// seat has four numbers, which it writes in 8 bits.
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

// Others are another band's.
group_fn index is_own_row(global_const offset* octave, index y) {
  return y >= (index)octave[8] && y < (index)octave[9];
}

group_kernel(sift_describe, group, SIFT_DESCRIBE) {
  const index picture = group % pictures, member = (index)group_member();
  const index is_full =
      counts[0] > (bits32)candidate_room || counts[1] || found[picture] > (bits32)room;
  const index all = is_full ? 0 : (index)kept[picture], count = all < most ? all : most;
  index merges = 0;
  for (index run = SORT_CHUNK; run < all; run *= MERGED_RUNS) ++merges;
  global_const bits32* keys = merges % 2 ? sorted_too : sorted;
  if (group < pictures && member == 0) numbers[first + picture] = count;
  for (index rank = group / pictures; rank < count; rank += groups / pictures) {
    const bits32 name = keys[2 * ((offset)picture * room + rank) + 1];
    global_const float* p = points + ((offset)picture * room + name) * POINT_FLOATS;
    const bits32 where = float_bits(p[5]);
    global_const offset* o = octaves + (where >> 8) * OCTAVE_OFFSETS;
    if (!is_own_row(o, (index)p[1])) continue;
    const feature f = feature_of(p, scale, shift);
    const real turn = p[3] * lane(0.01745329252), step = lane(0.25) * sift_bin_width() * p[2];
    const real c = step * cos(turn), s = step * sin(turn);
    real ux = c, uy = s, vx = -s, vy = c;
    if_constant(SHAPED) {
      global_const float* A = shapes + ((offset)picture * room + name) * SHAPE_FLOATS;
      ux = A[0] * c + A[1] * s;
      uy = A[1] * c + A[2] * s;
      vx = A[1] * c - A[0] * s;
      vy = A[2] * c - A[1] * s;
    }
    lane_keep_loop for (index d = 0; d < DOMAINS; ++d) {
      index level = (index)(where & 255u);
      real size = lane(1);
      if_constant(DOMAINS > 1) {
        level += (index)domains[2 * d + 1];
        level = level < 0 ? 0 : level < levels ? level : levels - 1;
        size = domains[2 * d];
      }
      sample_grid(pyramid, picture * pitch + o[0] + (offset)level * o[1], (index)o[2], (index)o[3],
                  (index)o[4], p[0], p[1], size * ux, size * uy, size * vx, size * vy,
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
      global_ptr float* k = keypoints + slot * 5;
      k[0] = f.x;
      k[1] = f.y;
      k[2] = f.sigma;
      k[3] = f.angle;
      k[4] = f.response;
      if_constant(SHAPED) {
        global_const float* A = shapes + ((offset)picture * room + name) * SHAPE_FLOATS;
        lane_unroll for (index d = 0; d < SHAPE_FLOATS; ++d)
            keypoint_shapes[slot * SHAPE_FLOATS + d] = A[d];
      }
    }
  }
}
