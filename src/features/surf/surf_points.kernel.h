// SPDX-License-Identifier: BSD-3-Clause
// Refinement, orientation and description of points; surf_points.kernels describes the arguments.

// Returns the pixels from one centre of a refinement to the next. away: in samples.
group_fn index surf_moved(real away, real step) {
  const real size = fabs(away) * step;
  const index by = size <= surf_max_offset(step) ? 0 : (index)(size + lane(0.5));
  return away < lane(0) ? -by : by;
}

// A point in px of the enlarged image.
typedef struct {
  real x, y, sigma, response;
  index exists, is_bright;
} surf_point;

// Returns the maximum of the quadratic around a pixel. The refinement restarts from the nearest
// pixel until it stays there. All members of the group compute the same result.
group_fn surf_point surf_refined(GROUP_PARAM const integral_view image, global_const candidate* c,
                                 global_const float* scales, real threshold,
                                 local_ptr float* neighbours) {
  global_const bits32* own = image.sums;
  const index octave = (index)where_octave(c->where), layer = where_layer(c->where);
  const index stride = image.stride, width = image.width, height = image.height;
  const index step = surf_step(octave);
  index x = (index)c->x, y = (index)c->y;
  const index margin = (3 * surf_layer_lobe(octave, layer + 1) - 1) / 2 + step;
  surf_point point;
  point.x = point.y = point.sigma = point.response = lane(0);
  point.exists = point.is_bright = 0;
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
    real D[27];
    lane_unroll for (index k = 0; k < 27; ++k) D[k] = neighbours[k];
    const stationary_point p = sift_stationary_point(D);
    const index is_near = (fabs(p.x) < lane(1)) & (fabs(p.y) < lane(1)) & (fabs(p.layer) < lane(1));
    const index dx = is_near ? surf_moved(p.x, lane(step)) : 0;
    const index dy = is_near ? surf_moved(p.y, lane(step)) : 0;
    if (is_inside && is_near && dx == 0 && dy == 0 && p.value > threshold) {
      global_const bits32* at = own + (offset)y * stride + x;
      const index l = surf_layer_lobe(octave, layer);
      point.x = lane(x) + p.x * lane(step);
      point.y = lane(y) + p.y * lane(step);
      point.sigma = surf_sigma(surf_lobe(octave, lane(layer) + p.layer));
      point.response = sqrt(p.value);
      point.exists = 1;
      point.is_bright = SURF_XX(at, (offset)stride, l) + SURF_YY(at, (offset)stride, l) < 0;
    }
    is_moving = is_inside & is_near & ((dx != 0) | (dy != 0));
    x += dx;
    y += dy;
    group_barrier();
  }
  return point;
}

// Computes the Haar wavelets around the pixel nearest to (x, y): differences to the right and down.
// They are 0 if they exceed the image.
group_fn void surf_wavelets(const integral_view image, real x, real y, index reach, real* dx,
                            real* dy) {
  const index cx = (index)(x + lane(0.5)), cy = (index)(y + lane(0.5)), n = reach;
  *dx = *dy = lane(0);
  if (cx >= n && cy >= n && cx < image.width - n && cy < image.height - n) {
    global_const bits32* here = image.sums + (offset)cy * image.stride + cx;
    const offset pitch = image.stride;
    *dx = (real)(SURF_BOX(here, pitch, 1, n + 1, -n, n + 1) -
                 SURF_BOX(here, pitch, -n, 0, -n, n + 1));
    *dy = (real)(SURF_BOX(here, pitch, -n, n + 1, 1, n + 1) -
                 SURF_BOX(here, pitch, -n, n + 1, -n, 0));
  }
}

// Returns the direction, in degrees, of the longest sum in a window. All members compute the
// same result.
group_fn real surf_direction(GROUP_PARAM const integral_view image, const surf_point point,
                             local_ptr float* across, local_ptr float* down, local_ptr bits32* bins,
                             local_ptr float* bin_sums, local_ptr float* windows) {
  const index member = (index)group_member(), reach = surf_wide_reach(point.sigma);
  for (index i = member; i < SURF_DISC; i += GROUP_SIZE) {
    const index u = i % SURF_DISC_SIDE - SURF_RING, v = i / SURF_DISC_SIDE - SURF_RING;
    const index square = u * u + v * v, is_inside = square < SURF_RING * SURF_RING;
    real dx = lane(0), dy = lane(0);
    if (is_inside)
      surf_wavelets(image, point.x + lane(u) * point.sigma, point.y + lane(v) * point.sigma, reach,
                    &dx, &dy);
    const real weight = is_inside ? exp(lane(square) * lane(-0.125)) : lane(0);
    const real direction = sift_direction(dx, dy, lane(SURF_DIRECTIONS));
    bins[i] = (bits32)(direction + lane(0.5)) % SURF_DIRECTIONS;
    across[i] = weight * dx;
    down[i] = weight * dy;
  }
  group_barrier();
  if_constant(GROUP_SIZE == 1) {  // the same sums, in the same order
    for (index b = 0; b < 2 * SURF_DIRECTIONS; ++b) bin_sums[b] = lane(0);
    for (index i = 0; i < SURF_DISC; ++i) {
      bin_sums[bins[i]] += across[i];
      bin_sums[SURF_DIRECTIONS + bins[i]] += down[i];
    }
  }
  for (index b = member; b < SURF_DIRECTIONS && GROUP_SIZE > 1; b += GROUP_SIZE) {
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
  const bits32 count = listed_candidates(counts, candidate_capacity);
  for (bits32 i = (bits32)group; i < count; i += (bits32)groups) {
    global_const candidate* c = candidates + i;
    const integral_view image = integral_of(sums + c->image * pitch, stride, width, height);
    const surf_point point = surf_refined(GROUP_ARG image, c, scales, threshold, neighbours);
    real angle = lane(0);
    if (point.exists && !is_upright)
      angle = surf_direction(GROUP_ARG image, point, across, down, bins, bin_sums, windows);
    keypoint f;
    f.x = point.x * scale + shift;
    f.y = point.y * scale + shift;
    f.sigma = f.angle = f.response = lane(0);
    if (point.exists && group_member() == 0 &&
        is_unmasked(f, mask, mask_width, image_width, image_height)) {
      const bits32 slot = global_atomic_add(found + c->image, 1u);
      if (slot < (bits32)capacity) {
        global_ptr octave_point* p = points + ((offset)c->image * capacity + slot);
        p->x = point.x;
        p->y = point.y;
        p->sigma = point.sigma;
        p->angle = angle;
        p->response = point.response;
        p->where = (bits32)point.is_bright;
        f = keypoint_of(p, scale, shift);
        (void)global_atomic_add(
            rows + (offset)c->image * (image_height + 1) + row_of(f, image_height), 1u);
      }
    }
  }
}

// Sums of some samples: of the elements `a`, separated by the sign of `b` if a cell has eight
// elements, and of their sizes.
typedef struct {
  real sum, size, sum_below, size_below;
} surf_sums;

// Sums the samples of a column of a row of cells. shares: of the rows of samples.
group_fn surf_sums surf_column(local_ptr const float* a, local_ptr const float* b,
                               local_ptr const float* shares, index is_split) {
  surf_sums s;
  s.sum = s.size = s.sum_below = s.size_below = lane(0);
  lane_unroll_all for (index row = 0; row < SURF_CELL_SIDE; ++row) {
    const real v = a[row * SURF_SIDE] * shares[row];
    const real below = (is_split & (b[row * SURF_SIDE] < lane(0))) ? lane(1) : lane(0);
    const real v_below = v * below, v_above = v * (lane(1) - below);
    s.sum += v_above;
    s.size += fabs(v_above);
    s.sum_below += v_below;
    s.size_below += fabs(v_below);
  }
  return s;
}

// Computes the elements of the samples `a` in all cells: first the sums of the columns of each row
// of cells, which cells share. numbers: elements of the first cell; each: elements of a cell.
group_fn void surf_cells(GROUP_PARAM local_ptr const float* a, local_ptr const float* b,
                         local_ptr const float* shares, index each, local_ptr float* columns,
                         local_ptr float* numbers) {
  const index member = (index)group_member(), side = SURF_SIDE;
  for (index cy = 0; cy < SURF_CELLS; ++cy) {
    local_ptr float* out = columns + cy * 4 * side;
    const index first = SURF_CELL_STEP * cy;
    for (index column = member; column < side; column += GROUP_SIZE) {
      const surf_sums s = surf_column(a + first * side + column, b + first * side + column,
                                      shares + cy * side + first, each == 8);
      out[column] = s.sum_below;
      out[side + column] = s.sum;
      out[2 * side + column] = s.size_below;
      out[3 * side + column] = s.size;
    }
  }
  group_barrier();
  for (index cell = member; cell < SURF_CELLS * SURF_CELLS; cell += GROUP_SIZE) {
    const index cx = cell % SURF_CELLS, first = SURF_CELL_STEP * cx;
    local_ptr const float* in = columns + cell / SURF_CELLS * 4 * side;
    real s[4];
    lane_unroll for (index k = 0; k < 4; ++k) s[k] = lane(0);
    for (index column = first; column < first + SURF_CELL_SIDE; ++column) {
      lane_unroll for (index k = 0; k < 4; ++k) s[k] +=
          shares[cx * side + column] * in[k * side + column];
    }
    // Of four elements, the other samples have the odd ones.
    local_ptr float* out = numbers + cell * each;
    lane_unroll for (index k = 0; k < 4; ++k) {
      if (each == 8) out[k] = s[k];
      if (each == 4 && k % 2 == 1) out[k - 1] = s[k];
    }
  }
  group_barrier();
}

// Normalises to unit length, and writes bytes as described in bifocal/features.hpp.
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
  const index all =
      feature_count(counts, candidate_capacity, found[picture], capacity, kept[picture]);
  const index count = all < most ? all : most;
  global_const sort_key* keys = is_merged_evenly(all) ? sorted : sorted_too;
  const integral_view image = integral_of(sums + picture * pitch, stride, width, height);
  if (group % each == 0 && member == 0) numbers[first + picture] = count;
  for (index i = member; i < SURF_SHARES; i += GROUP_SIZE) own_shares[i] = shares[i];
  for (index rank = group % each; rank < count; rank += each) {
    const bits32 number = keys[(offset)picture * capacity + rank].point;
    global_const octave_point* p = points + ((offset)picture * capacity + number);
    const real angle = p->angle * lane(0.01745329252), cosine = cos(angle), sine = sin(angle);
    const index reach = surf_reach(p->sigma);
    // Blocks of 8 x 4 samples lie on fewer memory lines than rows do.
    for (index k = member; k < SURF_SAMPLES; k += GROUP_SIZE) {
      const index block = k / 32, seat = k % 32;
      const index column = block % 3 * 8 + seat % 8, row = block / 3 * 4 + seat / 8;
      const index i = row * SURF_SIDE + column;
      const real u = (lane(column) - lane(11.5)) * p->sigma;
      const real v = (lane(row) - lane(11.5)) * p->sigma;
      real dx, dy;
      surf_wavelets(image, p->x + u * cosine - v * sine, p->y + u * sine + v * cosine, reach, &dx,
                    &dy);
      along[i] = cosine * dx + sine * dy;
      across[i] = cosine * dy - sine * dx;
    }
    group_barrier();
    for (index is_across = 0; is_across < 2; ++is_across)
      surf_cells(GROUP_ARG is_across ? across : along, is_across ? along : across, own_shares,
                 numbers_each, columns, cells + is_across * (numbers_each == 8 ? 4 : 1));
    const offset slot = begin + (offset)picture * most + rank;
    surf_quantise(GROUP_ARG cells, 16 * numbers_each, (index)p->where,
                  descriptors + slot * SURF_BYTES);
    if (member == 0) keypoints[slot] = keypoint_of(p, scale, shift);
    group_barrier();
  }
}
