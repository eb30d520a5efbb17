// SPDX-License-Identifier: BSD-3-Clause
// PatchMatch with slanted planes on several views; patch_match.kernels describes the arguments.
//   S. Galliani, K. Lasinger, K. Schindler, Massively parallel multiview stereopsis by surface
//   normal diffusion, ICCV 2015: two halves of the pixels alternately take planes from each other.
//   Here the halves are the even and the odd rows, so that the pixels of a register are neighbours.

// Returns the index of an item's pixel in the arrays.
group_fn index patch_place(index row, index column, index across) {
  return (row + PATCH_MARGIN) * (across + 2 * PATCH_MARGIN) + PATCH_MARGIN + column;
}
group_fn index patch_pitch(index width) {
  return (width + PATCH_ACROSS - 1) / PATCH_ACROSS * PATCH_ACROSS + 2 * PATCH_MARGIN;
}
// Returns the first word of view k, or of the reference image for k = -1.
group_fn global_const bits32* patch_image(index k KERNEL_PARAMETERS(PATCH_IMAGES)) {
  global_const int* at = places + PATCH_PLACE * (k + 1);
  return images + (offset)at[0] * slot_size + (offset)at[1];
}

// A patch of the reference image: brightness of its centre, weighted mean and variance.
struct own_patch {
  index place;
  real x, y, centre, mean, variance;
};
// Returns the weight of a sample: pixels of the brightness of the centre belong to its surface.
//   C. Tomasi, R. Manduchi, Bilateral filtering for gray and color images, ICCV 1998.
group_fn real patch_weight(real own, real centre) {
  return fmax(lane(1) - fabs(own - centre) * lane(1.0 / 96), lane(0.002));
}

// Returns 1 - correlation between the patch around pixel (x, y) and the patch of view k to which
// the plane maps it, at most patch_limit().
group_fn real patch_cost(index k, struct own_patch p, real w, real wx,
                         real wy KERNEL_PARAMETERS(PATCH_VIEW)) {
  const index width = places[PATCH_PLACE * (k + 1) + 2], height = places[PATCH_PLACE * (k + 1) + 3];
  struct seen_patch s = patch_seen(geometry + PATCH_GEOMETRY * k, p.x, p.y, w, wx, wy);
  const mask inside = patch_is_inside(&s, w, lane(width), lane(height), lane(PATCH_MARGIN - 1));
  if (!group_worth(inside)) return patch_limit();
  global_const bits32* own_words = patch_image(-1 KERNEL_ARGUMENTS(PATCH_IMAGES));
  global_const bits32* words = patch_image(k KERNEL_ARGUMENTS(PATCH_IMAGES));
  const index pitch = across + 2 * PATCH_MARGIN;
  const real row_length = lane(patch_pitch(width)), r = lane(PATCH_RADIUS), step = lane(PATCH_STEP);
  const real u_x = select(inside, s.u_x, lane(0)), u_y = select(inside, s.u_y, lane(0)),
             v_x = select(inside, s.v_x, lane(0)), v_y = select(inside, s.v_y, lane(0));
  real row_u = select(inside, s.u, lane(0)) - r * (u_x + u_y) + lane(PATCH_MARGIN),
       row_v = select(inside, s.v, lane(0)) - r * (v_x + v_y) + lane(PATCH_MARGIN);
  real weights = lane(0), sum = lane(0), squares = lane(0), products = lane(0);
  for (index j = -PATCH_RADIUS; j <= PATCH_RADIUS; j += PATCH_STEP) {
    real u = row_u, v = row_v;
    for (index i = -PATCH_RADIUS; i <= PATCH_RADIUS; i += PATCH_STEP) {
      const real column = patch_floor(u), row = patch_floor(v), right = u - column, down = v - row,
                 at = row * row_length + column;
      real top_left, top_right, bottom_left, bottom_right;
      patch_quad(words, at, &top_left, &top_right, &bottom_left, &bottom_right);
      const real above = top_left + right * (top_right - top_left),
                 below = bottom_left + right * (bottom_right - bottom_left);
      const real other = above + down * (below - above) - p.mean;
      const real own = patch_first_byte(own_words, p.place + j * pitch + i);
      const real sample_weight = patch_weight(own, p.centre), weighted = sample_weight * other;
      weights += sample_weight;
      sum += weighted;
      squares += weighted * other;
      products += weighted * (own - p.mean);
      u += step * u_x;
      v += step * v_x;
    }
    row_u += step * u_y;
    row_v += step * v_y;
  }
  const real share = lane(1) / weights, other_mean = sum * share;
  const real other_variance = fmax(squares * share - other_mean * other_mean, lane(0));
  const real correlation =
      products * share / sqrt((p.variance + patch_noise()) * (other_variance + patch_noise()));
  return select(inside, fmin(lane(1) - correlation, patch_limit()), patch_limit());
}

// The plane of a view where it sees a point of the reference image, compared with the point.
struct patch_other {
  mask is_known;
  real step;       // change of w that moves the point along its ray onto the plane
  real px;         // length of the step in the view
  real deviation;  // of w from the deviation of the view
};

// Compares pixel (x, y) with inverse depth w with the map of view k.
group_fn struct patch_other patch_compared(index k, real x, real y,
                                           real w KERNEL_PARAMETERS(PATCH_MAPS)) {
  global_const int* at = map_places + PATCH_PLACE * (k + 1);
  const index width = at[2], height = at[3], pitch = patch_pitch(width);
  const index size = pitch * (height + 2 * PATCH_MARGIN);
  global_const float* other = maps + (offset)at[0] * map_size;
  global_const float* between = map_geometry + PATCH_GEOMETRY * k;
  const struct seen_patch s = patch_seen(between, x, y, w, lane(0), lane(0));
  const mask inside = (w > lane(0)) & (s.z > lane(0)) & (s.u >= lane(0)) & (s.v >= lane(0)) &
                      (s.u <= lane(width - 1)) & (s.v <= lane(height - 1));
  const real u = select(inside, s.u, lane(0)), v = select(inside, s.v, lane(0));
  const real column = patch_floor(u + lane(0.5)), row = patch_floor(v + lane(0.5));
  const real there = (row + lane(PATCH_MARGIN)) * lane(pitch) + column + lane(PATCH_MARGIN);
  const real other_wx = patch_gather(other + size, there),
             other_wy = patch_gather(other + (offset)2 * size, there),
             other_w = patch_gather(other, there) + other_wx * (u - column) + other_wy * (v - row);
  // Newton's step to the point of the ray on the plane. The inverse depth of the point in the view
  // is w / z.
  const real slope = other_wx * s.along_u + other_wy * s.along_v -
                     (s.z - w * group_same(between[11])) / (s.z * s.z);
  struct patch_other out;
  out.is_known = inside & (other_w > lane(0)) & (slope < lane(0));
  out.step = select(out.is_known, (w / s.z - other_w) / slope, lane(0));
  out.px = fabs(out.step) * patch_motion(&s);
  out.deviation = patch_gather(other + (offset)3 * size, there) / slope;
  return out;
}

// Returns the cost of a plane whose point the map of view k has elsewhere, or not at all.
group_fn real patch_disagreement(index k, real x, real y, real w, real scale,
                                 real weight KERNEL_PARAMETERS(PATCH_MAPS)) {
  const struct patch_other other =
      patch_compared(k, (x + lane(0.5)) * scale - lane(0.5), (y + lane(0.5)) * scale - lane(0.5),
                     w KERNEL_ARGUMENTS(PATCH_MAPS));
  return weight * select(other.is_known, fmin(lane(0.5) * other.px / scale, lane(1)), lane(1));
}

// Returns the sum of the costs of all views. A sum of `bound` or more may leave out views.
group_fn real patch_costs(struct own_patch p, real w, real wx, real wy,
                          real bound KERNEL_PARAMETERS(PATCH_VIEWS)) {
  real sum = lane(0);
  for (index k = 0; k < views; ++k) {
    if (!group_worth(sum < bound)) break;
    sum += patch_cost(k, p, w, wx, wy KERNEL_ARGUMENTS(PATCH_VIEW));
    if (weight > 0)
      sum += patch_disagreement(k, p.x, p.y, w, group_same(scale),
                                group_same(weight) KERNEL_ARGUMENTS(PATCH_MAPS));
  }
  return sum;
}

map_kernel(patch_raise, item, PATCH_RAISE) {
  const index row = item / across, column = item % across;
  const index place = patch_place(row, column, across), end = place + group_width;
  const index coarse_row = row / 2 < coarse_height ? row / 2 : coarse_height - 1;
  const real x = group_index(column);
  const real coarse_x = fmin(patch_floor(lane(0.5) * x), lane(coarse_width - 1));
  const real at =
      lane((coarse_row + PATCH_MARGIN) * patch_pitch(coarse_width)) + coarse_x + lane(PATCH_MARGIN);
  const real dx = lane(0.5) * x - lane(0.25) - coarse_x, dy = lane(0.5 * row - 0.25 - coarse_row);
  const real along = patch_gather(coarse_wx, at), down = patch_gather(coarse_wy, at);
  group_store(w, place, patch_gather(coarse_w, at) + dx * along + dy * down, end);
  group_store(wx, place, lane(0.5) * along, end);
  group_store(wy, place, lane(0.5) * down, end);
}

// Returns random number k for the pixels of a register.
group_fn real patch_random(global_const float* random, index row, index column, index seed,
                           index k) {
  const bits32 hash = ((bits32)row * 2654435761u) ^ ((bits32)(64 * seed + k + 1) * 2246822519u);
  return group_load(random, (index)((hash ^ (hash >> 15)) % (bits32)PATCH_RANDOM) + column);
}

// Three random numbers of a pixel.
struct patch_dice {
  real a, b, c;
};
group_fn struct patch_dice patch_thrown(global_const float* random, index row, index column,
                                        index seed, index trial) {
  struct patch_dice dice;
  dice.a = patch_random(random, row, column, seed, 3 * trial);
  dice.b = patch_random(random, row, column, seed, 3 * trial + 1);
  dice.c = patch_random(random, row, column, seed, 3 * trial + 2);
  return dice;
}
// Inverse depth and slopes of a random plane: small slopes are more frequent than large ones.
group_fn real patch_guess_w(struct patch_dice dice, real farthest, real nearest) {
  return farthest + lane(0.5) * (dice.a + lane(1)) * (nearest - farthest);
}
group_fn real patch_guess_slope(real die, real w, real slope) {
  return w * slope * die * die * die;
}

map_kernel(patch_scatter, item, PATCH_SCATTER) {
  const index row = item / across, column = item % across;
  const index place = patch_place(row, column, across), end = place + group_width;
  const struct patch_dice dice = patch_thrown(random, row, column, 0, 0);
  const real new_w = patch_guess_w(dice, group_same(farthest), group_same(nearest));
  group_store(w, place, new_w, end);
  group_store(wx, place, patch_guess_slope(dice.b, new_w, group_same(slope)), end);
  group_store(wy, place, patch_guess_slope(dice.c, new_w, group_same(slope)), end);
}

map_kernel(patch_begin, item, PATCH_BEGIN) {
  const index row = item / across, column = item % across;
  const index place = patch_place(row, column, across), pitch = across + 2 * PATCH_MARGIN;
  global_const bits32* own_words = patch_image(-1 KERNEL_ARGUMENTS(PATCH_IMAGES));
  const real centre = patch_first_byte(own_words, place);
  real weights = lane(0), sum = lane(0), squares = lane(0);
  for (index j = -PATCH_RADIUS; j <= PATCH_RADIUS; j += PATCH_STEP) {
    for (index i = -PATCH_RADIUS; i <= PATCH_RADIUS; i += PATCH_STEP) {
      const real own = patch_first_byte(own_words, place + j * pitch + i);
      const real sample_weight = patch_weight(own, centre);
      weights += sample_weight;
      sum += sample_weight * own;
      squares += sample_weight * own * own;
    }
  }
  const real share = lane(1) / weights, own_mean = sum * share;
  const real own_variance = fmax(squares * share - own_mean * own_mean, lane(0));
  const index end = place + group_width;
  group_store(mean, place, own_mean, end);
  group_store(variance, place, own_variance, end);
  const real x = group_index(column), y = lane(row);
  const struct own_patch p = {place, x, y, centre, own_mean, own_variance};
  group_store(cost, place,
              patch_costs(p, group_load(w, place), group_load(wx, place), group_load(wy, place),
                          lane(1e30) KERNEL_ARGUMENTS(PATCH_VIEWS)),
              end);
}

// Planes that a pixel may take.
struct tried_plane {
  real w, wx, wy;
};

// Returns the plane of neighbour k of a pixel, at the pixel. Neighbours are above, below, left and
// right: first at 1 px, then at `reach` px. Left and right neighbours come from an adjacent row.
// Neighbours in the margin have w = 0, which no view sees: margins keep numbers of other images.
group_fn struct tried_plane patch_neighbour(index k, struct own_patch p, index across, index height,
                                            index reach KERNEL_PARAMETERS(PATCH_PLANES)) {
  const index far = k < 4 ? 1 : reach, side = k % 4;
  const index dx = side == 2 ? -far : side == 3 ? far : 0;
  const index dy = side == 0 ? -far : side == 1 ? far : (side == 2) == (k < 4) ? -1 : 1;
  const index there = p.place + dy * (across + 2 * PATCH_MARGIN) + dx;
  const real x = p.x + lane(dx), y = p.y + lane(dy);
  const mask is_inside = (x >= lane(0)) & (y >= lane(0)) & (x < lane(across)) & (y < lane(height));
  struct tried_plane t;
  t.wx = group_load(wx, there);
  t.wy = group_load(wy, there);
  t.w = select(is_inside, group_load(w, there) - lane(dx) * t.wx - lane(dy) * t.wy, lane(0));
  return t;
}

// Returns a plane moved by up to shift px and tilted by up to tilt px per px in the view in which
// it moves most: in turn the position, the slope, and a quarter of both.
group_fn struct tried_plane patch_moved(struct tried_plane t, struct patch_dice dice, index trial,
                                        real shift, real tilt, struct own_patch p,
                                        global_const float* geometry, index views) {
  real motion = lane(0);
  for (index k = 0; k < views; ++k) {
    const struct seen_patch s =
        patch_seen(geometry + PATCH_GEOMETRY * k, p.x, p.y, t.w, t.wx, t.wy);
    motion = fmax(motion, patch_motion(&s));
  }
  const real moved = lane(trial % 3 == 1   ? 0
                          : trial % 3 == 2 ? 0.25
                                           : 1) *
                     shift / motion,
             tilted = lane(trial % 3 == 0   ? 0
                           : trial % 3 == 2 ? 0.25
                                            : 1) *
                      tilt / motion;
  t.w = t.w + dice.a * moved;
  t.wx = t.wx + dice.b * tilted;
  t.wy = t.wy + dice.c * tilted;
  return t;
}

map_kernel(patch_step, item, PATCH_STEP_LIST) {
  const index row = 2 * (item / across) + parity, column = item % across;
  const index place = patch_place(row, column, across);
  const real x = group_index(column), y = lane(row);
  const struct own_patch p = {
      place,
      x,
      y,
      patch_first_byte(patch_image(-1 KERNEL_ARGUMENTS(PATCH_IMAGES)), place),
      group_load(mean, place),
      group_load(variance, place)};
  struct tried_plane own = {group_load(w, place), group_load(wx, place), group_load(wy, place)};
  real best = group_load(cost, place);
  for (index k = 0; k < neighbours + moves + guesses; ++k) {
    struct tried_plane t;
    if (k < neighbours) {
      t = patch_neighbour(k, p, across, places[3], reach KERNEL_ARGUMENTS(PATCH_PLANES));
    } else {
      const index trial = k - neighbours;
      const struct patch_dice dice = patch_thrown(random, row, column, seed, trial);
      if (trial < moves) {
        t = patch_moved(own, dice, trial, group_same(shift), group_same(tilt), p, geometry, views);
      } else {
        t.w = patch_guess_w(dice, group_same(farthest), group_same(nearest));
        t.wx = patch_guess_slope(dice.b, t.w, group_same(slope));
        t.wy = patch_guess_slope(dice.c, t.w, group_same(slope));
      }
    }
    const real tried = patch_costs(p, t.w, t.wx, t.wy, best KERNEL_ARGUMENTS(PATCH_VIEWS));
    const mask is_better = tried < best;
    best = select(is_better, tried, best);
    own.w = select(is_better, t.w, own.w);
    own.wx = select(is_better, t.wx, own.wx);
    own.wy = select(is_better, t.wy, own.wy);
  }
  const index end = place + group_width;
  group_store(w, place, own.w, end);
  group_store(wx, place, own.wx, end);
  group_store(wy, place, own.wy, end);
  group_store(cost, place, best, end);
}

map_kernel(patch_finish, item, PATCH_FINISH) {
  const index row = item / across, column = item % across;
  const index place = patch_place(row, column, across), end = place + group_width;
  const real x = group_index(column), y = lane(row);
  const struct own_patch p = {
      place,
      x,
      y,
      patch_first_byte(patch_image(-1 KERNEL_ARGUMENTS(PATCH_IMAGES)), place),
      group_load(mean, place),
      group_load(variance, place)};
  const real own_w = group_load(w, place), own_wx = group_load(wx, place),
             own_wy = group_load(wy, place);
  // Sums over the views that correlate: their number, and the information that they give of w. All
  // have the patch of this image in common, so their mean is no better than one of them.
  real seen = lane(0), information = lane(0);
  for (index k = 0; k < views; ++k) {
    const struct seen_patch s =
        patch_seen(geometry + PATCH_GEOMETRY * k, x, y, own_w, own_wx, own_wy);
    const real motion = patch_motion(&s), step = lane(0.5) / motion;
    const real here = patch_cost(k, p, own_w, own_wx, own_wy KERNEL_ARGUMENTS(PATCH_VIEW)),
               before = patch_cost(k, p, own_w - step, own_wx, own_wy KERNEL_ARGUMENTS(PATCH_VIEW)),
               after = patch_cost(k, p, own_w + step, own_wx, own_wy KERNEL_ARGUMENTS(PATCH_VIEW));
    const mask sees = here <= group_same(most_cost);
    // Least squares over the samples of a patch: with c = 1 - correlation, the variance of the
    // position is 2 c / (samples c'').
    const real curvature = fmax(lane(4) * (before + after - lane(2) * here), lane(1e-6));
    const real variance_px = lane(2) / lane(PATCH_SAMPLES) * fmax(here, lane(0)) / curvature +
                             group_same(floor_px) * group_same(floor_px);
    seen += select(sees, lane(1), lane(0));
    information += select(sees, motion * motion / variance_px, lane(0));
    if (weight > 0) {
      // A map that agrees to a pixel counts as a view that determines the position to a pixel.
      const struct patch_other other = patch_compared(k, x, y, own_w KERNEL_ARGUMENTS(PATCH_MAPS));
      const mask agrees = (!sees) & other.is_known & (other.px <= group_same(scale));
      seen += select(agrees, lane(1), lane(0));
      information += select(agrees, motion * motion, lane(0));
    }
  }
  // A patch without texture could be anywhere, whatever its neighbours are.
  const mask is_known = (seen >= lane(least_views)) & (information > lane(0)) & (own_w > lane(0)) &
                        (x < lane(places[2])) & (p.variance >= lane(2) * patch_noise());
  group_store(w, place, select(is_known, own_w, lane_nan()), end);
  group_store(deviation, place, select(is_known, sqrt(seen / information), lane_nan()), end);
}
