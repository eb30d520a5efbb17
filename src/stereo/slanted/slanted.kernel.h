// SPDX-License-Identifier: BSD-3-Clause
// PatchMatch with slanted planes on an unrectified pair; slanted.kernels describes the arguments.
//   S. Galliani, K. Lasinger, K. Schindler, Massively parallel multiview stereopsis by surface
//   normal diffusion, ICCV 2015: two halves of the pixels alternately take planes from each other.
//   Here the halves are the even and the odd rows, so that the pixels of a register are neighbours.

// Returns the index of an item's pixel in the arrays.
group_fn index slanted_place(index row, index column, index across) {
  return (row + SLANTED_MARGIN) * (across + 2 * SLANTED_MARGIN) + SLANTED_MARGIN + column;
}
group_fn index slanted_pitch(index width) {
  return (width + SLANTED_ACROSS - 1) / SLANTED_ACROSS * SLANTED_ACROSS + 2 * SLANTED_MARGIN;
}

// Returns 1 - correlation between the patch around pixel (x, y) and the patch of the second view to
// which the plane maps it.
group_fn real patch_cost(index place, real x, real y, real w, real wx, real wy, real mean,
                         real variance KERNEL_PARAMETERS(SLANTED_VIEW)) {
  struct seen_patch s = patch_seen(geometry, x, y, w, wx, wy);
  const mask inside = patch_is_inside(&s, w, lane(width), lane(height), lane(SLANTED_MARGIN - 1));
  if (!group_worth(inside)) return patch_refused();
  const index pitch = across + 2 * SLANTED_MARGIN;
  const real row_length = lane(slanted_pitch(width)), r = lane(PATCH_RADIUS),
             step = lane(PATCH_STEP);
  const real u_x = select(inside, s.u_x, lane(0)), u_y = select(inside, s.u_y, lane(0)),
             v_x = select(inside, s.v_x, lane(0)), v_y = select(inside, s.v_y, lane(0));
  real row_u = select(inside, s.u, lane(0)) - r * (u_x + u_y) + lane(SLANTED_MARGIN),
       row_v = select(inside, s.v, lane(0)) - r * (v_x + v_y) + lane(SLANTED_MARGIN);
  real sum = lane(0), squares = lane(0), products = lane(0);
  for (index j = -PATCH_RADIUS; j <= PATCH_RADIUS; j += PATCH_STEP) {
    real u = row_u, v = row_v;
    for (index i = -PATCH_RADIUS; i <= PATCH_RADIUS; i += PATCH_STEP) {
      const real column = slanted_floor(u), row = slanted_floor(v), right = u - column,
                 down = v - row, at = row * row_length + column;
      real top_left, top_right, bottom_left, bottom_right;
      slanted_quad(quads, at, &top_left, &top_right, &bottom_left, &bottom_right);
      const real above = top_left + right * (top_right - top_left),
                 below = bottom_left + right * (bottom_right - bottom_left);
      const real other = above + down * (below - above) - mean;
      const real own = group_load(brightness, place + j * pitch + i) - mean;
      sum += other;
      squares += other * other;
      products += own * other;
      u += step * u_x;
      v += step * v_x;
    }
    row_u += step * u_y;
    row_v += step * v_y;
  }
  const real share = lane(1) / lane(PATCH_SAMPLES), other_mean = sum * share;
  const real other_variance = fmax(squares * share - other_mean * other_mean, lane(0));
  const real correlation =
      products * share / sqrt((variance + patch_noise()) * (other_variance + patch_noise()));
  return select(inside, lane(1) - correlation, patch_refused());
}

map_kernel(slanted_raise, item, SLANTED_RAISE) {
  const index row = item / across, column = item % across;
  const index place = slanted_place(row, column, across), end = place + group_width;
  const index coarse_row = row / 2 < coarse_height ? row / 2 : coarse_height - 1;
  const real x = group_index(column);
  const real coarse_x = fmin(slanted_floor(lane(0.5) * x), lane(coarse_width - 1));
  const real at = lane((coarse_row + SLANTED_MARGIN) * slanted_pitch(coarse_width)) + coarse_x +
                  lane(SLANTED_MARGIN);
  const real dx = lane(0.5) * x - lane(0.25) - coarse_x, dy = lane(0.5 * row - 0.25 - coarse_row);
  const real along = slanted_gather(coarse_wx, at), down = slanted_gather(coarse_wy, at);
  group_store(w, place, slanted_gather(coarse_w, at) + dx * along + dy * down, end);
  group_store(wx, place, lane(0.5) * along, end);
  group_store(wy, place, lane(0.5) * down, end);
}

map_kernel(slanted_begin, item, SLANTED_BEGIN) {
  const index row = item / across, column = item % across;
  const index place = slanted_place(row, column, across), pitch = across + 2 * SLANTED_MARGIN;
  real sum = lane(0), squares = lane(0);
  for (index j = -PATCH_RADIUS; j <= PATCH_RADIUS; j += PATCH_STEP) {
    for (index i = -PATCH_RADIUS; i <= PATCH_RADIUS; i += PATCH_STEP) {
      const real own = group_load(brightness, place + j * pitch + i);
      sum += own;
      squares += own * own;
    }
  }
  const real own_mean = sum * lane(1) / lane(PATCH_SAMPLES);
  const real own_variance =
      fmax(squares * lane(1) / lane(PATCH_SAMPLES) - own_mean * own_mean, lane(0));
  const index end = place + group_width;
  group_store(mean, place, own_mean, end);
  group_store(variance, place, own_variance, end);
  const real x = group_index(column), y = lane(row);
  const real own_w = group_load(w, place), own_wx = group_load(wx, place),
             own_wy = group_load(wy, place), first_w = group_load(seed_w, place),
             first_wx = group_load(seed_wx, place), first_wy = group_load(seed_wy, place);
  const real own_cost = patch_cost(place, x, y, own_w, own_wx, own_wy, own_mean,
                                   own_variance KERNEL_ARGUMENTS(SLANTED_VIEW)),
             seed_cost = patch_cost(place, x, y, first_w, first_wx, first_wy, own_mean,
                                    own_variance KERNEL_ARGUMENTS(SLANTED_VIEW));
  const mask takes_seed = seed_cost < own_cost;
  group_store(w, place, select(takes_seed, first_w, own_w), end);
  group_store(wx, place, select(takes_seed, first_wx, own_wx), end);
  group_store(wy, place, select(takes_seed, first_wy, own_wy), end);
  group_store(cost, place, select(takes_seed, seed_cost, own_cost), end);
}

// Returns random number k for the pixels of a register.
group_fn real slanted_random(global_const float* random, index row, index column, index seed,
                             index k) {
  const bits32 hash = ((bits32)row * 2654435761u) ^ ((bits32)(64 * seed + k + 1) * 2246822519u);
  return group_load(random, (index)((hash ^ (hash >> 15)) % (bits32)SLANTED_RANDOM) + column);
}

map_kernel(slanted_step, item, SLANTED_STEP_LIST) {
  const index row = 2 * (item / across) + parity, column = item % across;
  const index place = slanted_place(row, column, across), pitch = across + 2 * SLANTED_MARGIN;
  const index end = place + group_width;
  const real x = group_index(column), y = lane(row);
  const real own_mean = group_load(mean, place), own_variance = group_load(variance, place);
  real best_w = group_load(w, place), best_wx = group_load(wx, place),
       best_wy = group_load(wy, place), best = group_load(cost, place);
  for (index k = 0; k < neighbours + trials; ++k) {
    real try_w, try_wx, try_wy;
    if (k < neighbours) {
      // Neighbours above, below, left and right: first at 1 px, then at `reach` px. Left and right
      // neighbours come from an adjacent row.
      const index far = k < 4 ? 1 : reach, side = k % 4;
      const index dx = side == 2 ? -far : side == 3 ? far : 0;
      const index dy = side == 0 ? -far : side == 1 ? far : (side == 2) == (k < 4) ? -1 : 1;
      const index neighbour = place + dy * pitch + dx;
      try_wx = group_load(wx, neighbour);
      try_wy = group_load(wy, neighbour);
      try_w = group_load(w, neighbour) - lane(dx) * try_wx - lane(dy) * try_wy;
    } else {
      const index trial = k - neighbours;
      const real r0 = slanted_random(random, row, column, seed, 3 * trial),
                 r1 = slanted_random(random, row, column, seed, 3 * trial + 1),
                 r2 = slanted_random(random, row, column, seed, 3 * trial + 2);
      const struct seen_patch s = patch_seen(geometry, x, y, best_w, best_wx, best_wy);
      const real unit = lane(1) / patch_motion(&s);
      const real moves = lane(trial == 1   ? 0
                              : trial == 2 ? 0.25
                                           : 1) *
                         group_same(shift) * unit,
                 tilts = lane(trial == 0   ? 0
                              : trial == 2 ? 0.25
                                           : 1) *
                         group_same(tilt) * unit;
      try_w = best_w + r0 * moves;
      try_wx = best_wx + r1 * tilts;
      try_wy = best_wy + r2 * tilts;
      if (trial == 3)
        try_w = group_same(farthest) +
                lane(0.5) * (r0 + lane(1)) * (group_same(nearest) - group_same(farthest));
    }
    const real tried = patch_cost(place, x, y, try_w, try_wx, try_wy, own_mean,
                                  own_variance KERNEL_ARGUMENTS(SLANTED_VIEW));
    const mask is_better = tried < best;
    best = select(is_better, tried, best);
    best_w = select(is_better, try_w, best_w);
    best_wx = select(is_better, try_wx, best_wx);
    best_wy = select(is_better, try_wy, best_wy);
  }
  group_store(w, place, best_w, end);
  group_store(wx, place, best_wx, end);
  group_store(wy, place, best_wy, end);
  group_store(cost, place, best, end);
}

map_kernel(slanted_check, item, SLANTED_CHECK) {
  const index row = item / across, column = item % across;
  const index place = slanted_place(row, column, across);
  const real x = group_index(column), y = lane(row);
  const real own_w = group_load(w, place);
  const struct seen_patch s =
      patch_seen(geometry, x, y, own_w, group_load(wx, place), group_load(wy, place));
  const mask inside = patch_is_inside(&s, own_w, lane(width), lane(height), patch_farthest());
  const real u = select(inside, s.u, lane(0)), v = select(inside, s.v, lane(0));
  const real column2 = slanted_floor(u + lane(0.5)), row2 = slanted_floor(v + lane(0.5));
  const real at =
      (row2 + lane(SLANTED_MARGIN)) * lane(slanted_pitch(width)) + column2 + lane(SLANTED_MARGIN);
  const real back_wx = slanted_gather(other_wx, at), back_wy = slanted_gather(other_wy, at);
  const real back_w = slanted_gather(other_w, at) + back_wx * (u - column2) + back_wy * (v - row2);
  const struct seen_patch b = patch_seen(back, u, v, back_w, back_wx, back_wy);
  const real apart = sqrt((b.u - x) * (b.u - x) + (b.v - y) * (b.v - y));
  const mask is_near = inside & (b.z > lane(0)) & (apart < patch_farthest());
  group_store(distance, place, select(is_near, apart, patch_farthest()), place + group_width);
}
