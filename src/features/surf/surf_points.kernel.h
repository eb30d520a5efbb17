// SPDX-License-Identifier: BSD-3-Clause
// Refinement, orientation and description of points on GPUs; surf_points.kernels describes the
// arguments.

// Pixels from one to the next centre of a refinement; away: in samples.
group_fn index surf_moved(real away, real step) {
  const real size = fabs(away) * step;
  const index by = size <= surf_settled(step) ? 0 : (index)(size + lane(0.5));
  return away < lane(0) ? -by : by;
}

// A point in px of the enlarged picture.
typedef struct {
  real x, y, sigma, response;
  index is_there, is_bright;
} surf_point;

// The maximum of the quadratic around a pixel, from the nearest one again until it stays. All
// members of the group come to the same result.
group_fn surf_point surf_refined(GROUP_PARAM global_const bits32* own, index stride, index width,
                                 index height, global_const float* scales, real threshold,
                                 index octave, index layer, index x, index y,
                                 local_ptr float* neighbours) {
  const index step = surf_step(octave);
  const index margin = (3 * surf_layer_lobe(octave, layer + 1) - 1) / 2 + step;
  surf_point point;
  point.x = point.y = point.sigma = point.response = lane(0);
  point.is_there = point.is_bright = 0;
  index is_moving = 1;
  for (index move = 0; move <= SURF_MOVES && is_moving; ++move) {
    const index is_inside =
        (x >= margin) & (y >= margin) & (x < width - margin) & (y < height - margin);
    const index px = is_inside ? x : margin, py = is_inside ? y : margin;
    for (index k = (index)group_member(); k < SURF_NEIGHBOURS; k += GROUP_SIZE) {
      const index l = surf_layer_lobe(octave, layer + k / 9 - 1);
      const offset at = (offset)(py + (k / 3 % 3 - 1) * step) * stride + px + (k % 3 - 1) * step;
      neighbours[k] =
          surf_determinant(own + at, stride, l, scales[octave * SURF_LAYERS + layer + k / 9 - 1]);
    }
    group_barrier();
    real D[27], o[3], value, curves[3];
    lane_unroll for (index k = 0; k < 27; ++k) D[k] = neighbours[k];
    sift_quadratic(D, o, &value, curves);
    const index is_near = (fabs(o[0]) < lane(1)) & (fabs(o[1]) < lane(1)) & (fabs(o[2]) < lane(1));
    const index dx = is_near ? surf_moved(o[0], lane(step)) : 0;
    const index dy = is_near ? surf_moved(o[1], lane(step)) : 0;
    if (is_inside && is_near && dx == 0 && dy == 0 && value > threshold) {
      global_const bits32* at = own + (offset)y * stride + x;
      const index l = surf_layer_lobe(octave, layer);
      point.x = lane(x) + o[0] * lane(step);
      point.y = lane(y) + o[1] * lane(step);
      point.sigma = surf_sigma(surf_lobe(octave, lane(layer) + o[2]));
      point.response = sqrt(value);
      point.is_there = 1;
      point.is_bright = SURF_XX(at, (offset)stride, l) + SURF_YY(at, (offset)stride, l) < 0;
    }
    is_moving = is_inside & is_near & ((dx != 0) | (dy != 0));
    x += dx;
    y += dy;
    group_barrier();
  }
  return point;
}

// Haar wavelets around the pixel nearest to (x, y): differences to the right and down; 0 where they
// do not lie within the picture.
group_fn void surf_wavelets(global_const bits32* own, index stride, index width, index height,
                            real x, real y, index reach, real* dx, real* dy) {
  const index cx = (index)(x + lane(0.5)), cy = (index)(y + lane(0.5)), n = reach;
  *dx = *dy = lane(0);
  if (cx >= n && cy >= n && cx < width - n && cy < height - n) {
    global_const bits32* here = own + (offset)cy * stride + cx;
    const offset pitch = stride;
    *dx = (real)(SURF_BOX(here, pitch, 1, n + 1, -n, n + 1) -
                 SURF_BOX(here, pitch, -n, 0, -n, n + 1));
    *dy = (real)(SURF_BOX(here, pitch, -n, n + 1, 1, n + 1) -
                 SURF_BOX(here, pitch, -n, n + 1, -n, 0));
  }
}

// The direction, degrees, of the longest sum in a window; all members come to the same.
group_fn real surf_direction(GROUP_PARAM global_const bits32* own, index stride, index width,
                             index height, const surf_point point, local_ptr float* across,
                             local_ptr float* down, local_ptr bits32* bins,
                             local_ptr float* bin_sums, local_ptr float* windows) {
  const index member = (index)group_member(), reach = surf_wide_reach(point.sigma);
  for (index i = member; i < SURF_DISC; i += GROUP_SIZE) {
    const index u = i % SURF_DISC_SIDE - SURF_RING, v = i / SURF_DISC_SIDE - SURF_RING;
    const index square = u * u + v * v, is_inside = square < SURF_RING * SURF_RING;
    real dx = lane(0), dy = lane(0);
    if (is_inside)
      surf_wavelets(own, stride, width, height, point.x + lane(u) * point.sigma,
                    point.y + lane(v) * point.sigma, reach, &dx, &dy);
    const real weight = is_inside ? exp(lane(square) * lane(-0.125)) : lane(0);
    const real turn = sift_direction(dx, dy, lane(SURF_DIRECTIONS));
    bins[i] = (bits32)(turn + lane(0.5)) % SURF_DIRECTIONS;
    across[i] = weight * dx;
    down[i] = weight * dy;
  }
  group_barrier();
  for (index b = member; b < SURF_DIRECTIONS; b += GROUP_SIZE) {
    real x = lane(0), y = lane(0);
    for (index i = 0; i < SURF_DISC; ++i) {
      x += bins[i] == (bits32)b ? across[i] : lane(0);
      y += bins[i] == (bits32)b ? down[i] : lane(0);
    }
    bin_sums[b] = x;
    bin_sums[SURF_DIRECTIONS + b] = y;
  }
  group_barrier();
  for (index b = member; b < SURF_DIRECTIONS; b += GROUP_SIZE) {
    real x = lane(0), y = lane(0);
    for (index k = -SURF_WINDOW; k <= SURF_WINDOW; ++k) {
      const index bin = (b + k + SURF_DIRECTIONS) % SURF_DIRECTIONS;
      x += bin_sums[bin];
      y += bin_sums[SURF_DIRECTIONS + bin];
    }
    windows[b] = x;
    windows[SURF_DIRECTIONS + b] = y;
    windows[2 * SURF_DIRECTIONS + b] = x * x + y * y;
  }
  group_barrier();
  index best = 0;
  for (index b = 1; b < SURF_DIRECTIONS; ++b) {
    if (windows[2 * SURF_DIRECTIONS + b] > windows[2 * SURF_DIRECTIONS + best]) best = b;
  }
  const index is_any = windows[2 * SURF_DIRECTIONS + best] > lane(0);
  const real angle =
      sift_direction(is_any ? windows[best] : lane(1), windows[SURF_DIRECTIONS + best], lane(360));
  group_barrier();
  return angle >= lane(360) ? lane(0) : angle;
}

group_kernel(surf_orient, group, SURF_ORIENT) {
  const bits32 count = counts[0] < (bits32)candidate_room ? counts[0] : (bits32)candidate_room;
  for (bits32 i = (bits32)group; i < count; i += (bits32)groups) {
    global_const bits32* c = candidates + (offset)i * SURF_CANDIDATE_WORDS;
    global_const bits32* own = sums + c[0] * pitch;
    const surf_point point =
        surf_refined(GROUP_ARG own, stride, width, height, scales, threshold, (index)(c[1] >> 8),
                     (index)(c[1] & 255u), (index)c[2], (index)c[3], neighbours);
    real angle = lane(0);
    if (point.is_there && !is_upright)
      angle = surf_direction(GROUP_ARG own, stride, width, height, point, across, down, bins,
                             bin_sums, windows);
    feature f;
    f.x = point.x * scale + shift;
    f.y = point.y * scale + shift;
    f.sigma = f.angle = f.response = lane(0);
    if (point.is_there && group_member() == 0 &&
        is_unmasked(f, mask, mask_width, picture_width, picture_height)) {
      const bits32 slot = global_atomic_add(found + c[0], 1u);
      if (slot < (bits32)room) {
        global_ptr float* p = points + ((offset)c[0] * room + slot) * POINT_FLOATS;
        p[0] = point.x;
        p[1] = point.y;
        p[2] = point.sigma;
        p[3] = angle;
        p[4] = point.response;
        p[5] = bits_float((bits32)point.is_bright);
        f = feature_of(p, scale, shift);
        (void)global_atomic_add(
            rows + (offset)c[0] * (picture_height + 1) + row_of(f, picture_height), 1u);
      }
    }
  }
}

// The numbers of one half of a cell: sums of `a`, by the sign of `b` where there are four of them.
group_fn void surf_cell(local_ptr const float* a, local_ptr const float* b,
                        local_ptr const float* shares, index cell, index each,
                        local_ptr float* out) {
  const index cx = cell % SURF_CELLS, cy = cell / SURF_CELLS;
  real sum = lane(0), size = lane(0), sum_below = lane(0), size_below = lane(0);
  for (index row = 5 * cy; row < 5 * cy + 9; ++row) {
    const real share = shares[cy * SURF_SIDE + row];
    for (index column = 5 * cx; column < 5 * cx + 9; ++column) {
      const index i = row * SURF_SIDE + column;
      const real v = a[i] * (share * shares[cx * SURF_SIDE + column]);
      const index is_below = each == 8 && b[i] < lane(0);
      sum += is_below ? lane(0) : v;
      size += is_below ? lane(0) : fabs(v);
      sum_below += is_below ? v : lane(0);
      size_below += is_below ? fabs(v) : lane(0);
    }
  }
  if (each == 8) {
    out[0] = sum_below;
    out[1] = sum;
    out[2] = size_below;
    out[3] = size;
  } else {
    out[0] = sum;
    out[2] = size;
  }
}

// Unit length, in bytes as bifocal/features.hpp has it.
group_fn void surf_quantise(GROUP_PARAM local_ptr const float* cells, index count, index is_bright,
                            global_ptr bits8* out) {
  const index member = (index)group_member();
  real squares = lane(0);
  for (index i = member; i < count; i += GROUP_SIZE) squares += cells[i] * cells[i];
  const real factor =
      surf_byte_scale() * (lane(1) / fmax(sqrt((real)group_sum(squares)), lane(1e-20)));
  for (index i = member; i < SURF_BYTES; i += GROUP_SIZE) {
    const real origin = i % 4 < 2 ? lane(128) : lane(0);
    real v = i < count ? cells[i] * factor + origin + lane(0.5) : lane(0);
    v = fmin(fmax(v, lane(0)), lane(255));
    const bits32 byte = (bits32)v;
    out[i] = (bits8)(is_bright ? 255u - byte : byte);
  }
}

group_kernel(surf_describe, group, SURF_DESCRIBE) {
  const index member = (index)group_member(), each = groups / pictures, picture = group / each;
  const index is_full =
      counts[0] > (bits32)candidate_room || counts[1] || found[picture] > (bits32)room;
  const index all = is_full ? 0 : (index)kept[picture], count = all < most ? all : most;
  index merges = 0;
  for (index run = SORT_CHUNK; run < all; run *= MERGED_RUNS) ++merges;
  global_const bits32* keys = merges % 2 ? sorted_too : sorted;
  global_const bits32* own = sums + picture * pitch;
  if (group % each == 0 && member == 0) numbers[first + picture] = count;
  for (index i = member; i < SURF_SHARES; i += GROUP_SIZE) own_shares[i] = shares[i];
  for (index rank = group % each; rank < count; rank += each) {
    const bits32 name = keys[2 * ((offset)picture * room + rank) + 1];
    global_const float* p = points + ((offset)picture * room + name) * POINT_FLOATS;
    const feature f = feature_of(p, scale, shift);
    const real turn = p[3] * lane(0.01745329252), cosine = cos(turn), sine = sin(turn);
    const index reach = surf_reach(p[2]);
    // Blocks of 8 x 4 samples: they lie on fewer lines of memory than rows do.
    for (index k = member; k < SURF_SAMPLES; k += GROUP_SIZE) {
      const index block = k / 32, seat = k % 32;
      const index column = block % 3 * 8 + seat % 8, row = block / 3 * 4 + seat / 8;
      const index i = row * SURF_SIDE + column;
      const real u = (lane(column) - lane(11.5)) * p[2], v = (lane(row) - lane(11.5)) * p[2];
      real dx, dy;
      surf_wavelets(own, stride, width, height, p[0] + u * cosine - v * sine,
                    p[1] + u * sine + v * cosine, reach, &dx, &dy);
      along[i] = cosine * dx + sine * dy;
      across[i] = cosine * dy - sine * dx;
    }
    group_barrier();
    for (index seat = member; seat < 2 * SURF_CELLS * SURF_CELLS; seat += GROUP_SIZE) {
      const index cell = seat / 2, is_across = seat % 2;
      local_ptr float* out = cells + cell * numbers_each + is_across * (numbers_each == 8 ? 4 : 1);
      surf_cell(is_across ? across : along, is_across ? along : across, own_shares, cell,
                numbers_each, out);
    }
    group_barrier();
    const offset slot = begin + (offset)picture * most + rank;
    surf_quantise(GROUP_ARG cells, 16 * numbers_each, (index)float_bits(p[5]),
                  descriptors + slot * SURF_BYTES);
    if (member == 0) {
      global_ptr float* k = keypoints + slot * 5;
      k[0] = f.x;
      k[1] = f.y;
      k[2] = f.sigma;
      k[3] = f.angle;
      k[4] = f.response;
    }
    group_barrier();
  }
}
