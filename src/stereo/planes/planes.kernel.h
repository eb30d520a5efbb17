// SPDX-License-Identifier: BSD-3-Clause
// Kernels that fit planes to flat regions, on all devices; planes.kernels describes the arguments.
// Regions are numbered in the order in which their points are counted; no result depends on
// this order.

// Returns the first pixel of the region that contains a flat pixel.
group_fn bits32 region_of(global_const bits32* labels, offset pixel) {
  return labels[labels[pixel]];
}

group_kernel(planes_flat, y, PLANES_FLAT) {
  const offset row = (offset)y * width;
  global_const bits8* here = brightness + y * stride;
  global_const bits8* above = y > 0 ? here - stride : here;
  global_const bits8* below = y + 1 < height ? here + stride : here;
  group_for_range(x, 1, width - 1) flat[row + x] =
      (bits16)(is_flat(above, here, below, x - 1, x, x + 1) - 1);
  group_for_each(side, 2) {
    const index x = side * (width - 1);
    flat[row + x] =
        (bits16)(is_flat(above, here, below, x > 0 ? x - 1 : 0, x, x + 1 < width ? x + 1 : x) - 1);
  }
  group_for_each(x, width) known[row + x] = 0;
  if (y == 0 && group_leads()) regions[0] = 0;
}

group_fn offset point_pixel(index point, index across, index step, index width) {
  return (offset)(point / across * step) * width + point % across * step;
}

map_kernel(planes_count, point, PLANES_COUNT) {
  const offset pixel = point_pixel(point, across, step, width);
  if (disparity[pixel] == UNKNOWN_DISPARITY || labels[pixel] == no_label()) return;
  const bits32 region = region_of(labels, pixel);
  if (global_atomic_add(known + region, 1u) == PLANE_FEWEST - 1)
    regions[1 + global_atomic_add(regions, 1u)] = region;
}

map_kernel(planes_open, place, PLANES_OPEN) {
  const bits32 region = (bits32)place / PLANE_SAMPLES;
  if (region >= regions[0]) return;
  samples[place] = no_sample();
  if (place % PLANE_SAMPLES != 0) return;
  const bits32 first = regions[1 + region];
  region_known[region] = known[first];
  known[first] = PLANE_OPEN | region;
  best[region] = 0xffffffffu;
  tally[region * TALLY_NUMBERS] = 0;
  tally[region * TALLY_NUMBERS + 1] = tally[region * TALLY_NUMBERS + 2] = 0xffffffffu;
}

map_kernel(planes_sample, point, PLANES_SAMPLE) {
  const offset pixel = point_pixel(point, across, step, width);
  if (disparity[pixel] == UNKNOWN_DISPARITY || labels[pixel] == no_label()) return;
  const bits32 region = known[region_of(labels, pixel)];
  if (region < PLANE_OPEN) return;
  global_atomic_min(samples + (offset)(region - PLANE_OPEN) * PLANE_SAMPLES + sample_place(point),
                    sample_key(point));
}

map_kernel(planes_point, place, PLANES_POINT) {
  if ((bits32)place / PLANE_SAMPLES >= regions[0]) return;
  const bits32 key = samples[place];
  values[place] = UNKNOWN_DISPARITY;
  if (key == no_sample()) return;
  const index point = (index)(key & 0xffffu);
  values[place] = disparity[point_pixel(point, across, step, width)];
  samples[place] = (bits32)(point / across * step) << 16 | (bits32)(point % across * step);
}

// Computes the plane of a trial from the samples of a region. Returns 0 if the trial has no plane.
group_fn index trial_plane(index trial, global_const bits32* samples, global_const bits16* values,
                           struct disparity_plane* plane) {
  index x[3], y[3], d[3];
  for (index j = 0; j < 3; ++j) {
    index place = trial_place(trial, j);
    while (values[place] == UNKNOWN_DISPARITY) place = (place + 1) % PLANE_SAMPLES;
    x[j] = (index)(samples[place] & 0xffffu);
    y[j] = (index)(samples[place] >> 16);
    d[j] = values[place];
  }
  return plane_through(trial, x, y, d, plane);
}

group_fn index sample_vote(const struct disparity_plane* plane, bits32 sample, index d) {
  return d == UNKNOWN_DISPARITY
             ? 0
             : plane_vote(plane, (index)(sample & 0xffffu), (index)(sample >> 16), d);
}

// The lowest key belongs to the plane with the most votes, and to its first trial if planes
// are equal.
map_kernel(planes_try, item, PLANES_TRY) {
  const index region = item / PLANE_TRIALS, trial = item % PLANE_TRIALS;
  if ((bits32)region >= regions[0]) return;
  global_const bits32* own = samples + (offset)region * PLANE_SAMPLES;
  global_const bits16* own_values = values + (offset)region * PLANE_SAMPLES;
  struct disparity_plane plane;
  if (!trial_plane(trial, own, own_values, &plane)) return;
  index votes = 0;
  for (index i = 0; i < PLANE_SAMPLES; ++i) votes += sample_vote(&plane, own[i], own_values[i]);
  global_atomic_min(best + region, (bits32)(PLANE_SAMPLES - votes) * PLANE_TRIALS + (bits32)trial);
}

// Counts the samples of a region in the high half of its first number, and those on its plane in
// the low half. Of the samples on the plane, the second number becomes the lowest disparity, the
// third 0xffff minus the highest disparity.
map_kernel(planes_tally, place, PLANES_TALLY) {
  const bits32 region = (bits32)place / PLANE_SAMPLES;
  const index own = place % PLANE_SAMPLES;
  if (region >= regions[0]) return;
  const offset first = (offset)region * PLANE_SAMPLES;
  struct disparity_plane plane;
  trial_plane((index)(best[region] % PLANE_TRIALS), samples + first, values + first, &plane);
  if (own == 0) {
    global_ptr int* out = planes + (offset)region * PLANE_NUMBERS;
    out[0] = plane.x;
    out[1] = plane.y;
    out[2] = plane.d;
    out[3] = plane.along;
    out[4] = plane.down;
  }
  const index d = values[place], is_on = sample_vote(&plane, samples[place], d) == 1;
  if (d == UNKNOWN_DISPARITY) return;
  global_ptr bits32* t = tally + (offset)region * TALLY_NUMBERS;
  global_atomic_add(t, is_on ? 0x10001u : 0x10000u);
  if (!is_on) return;
  global_atomic_min(t + 1, (bits32)d);
  global_atomic_min(t + 2, 0xffffu - (bits32)d);
}

map_kernel(planes_fill, pixel, PLANES_FILL) {
  index d = disparity[pixel];
  if (d == UNKNOWN_DISPARITY && labels[pixel] != no_label()) {
    const bits32 first = region_of(labels, pixel), open = known[first];
    if (open >= PLANE_OPEN) {
      const offset region = (offset)(open - PLANE_OPEN);
      global_const int* p = planes + region * PLANE_NUMBERS;
      global_const bits32* t = tally + region * TALLY_NUMBERS;
      const struct disparity_plane plane = {p[0], p[1], p[2], p[3], p[4]};
      if (plane_fits((index)(t[0] & 0xffffu), (index)(t[0] >> 16), (index)region_known[region],
                     step, (index)sizes[first]))
        d = plane_fill(&plane, (index)t[1], (index)(0xffffu - t[2]), pixel % width, pixel / width);
    }
  }
  filled[pixel] = (bits16)d;
}
