// SPDX-License-Identifier: BSD-3-Clause
// Agreement of depths between images, and planes fitted to them.

map_kernel(patch_agree, item, PATCH_AGREE) {
  const index row = item / across, column = item % across;
  const index place = patch_place(row, column, across), end = place + group_width;
  const real x = group_index(column), y = lane(row);
  const index size = (across + 2 * PATCH_MARGIN) * (map_places[3] + 2 * PATCH_MARGIN);
  global_const float* own = maps + (offset)map_places[0] * map_size;
  const real own_w = group_load(own, place),
             own_deviation = group_load(own + (offset)3 * size, place);
  const mask is_known = own_w > lane(0);
  const real w = select(is_known, own_w, lane(1));
  real agree = lane(0), information = lane(1) / (own_deviation * own_deviation), weighted = lane(0),
       squares = lane(0), is_old = lane(0);
  for (index k = 0; k < views; ++k) {
    const struct patch_other other = patch_compared(k, x, y, w KERNEL_ARGUMENTS(PATCH_MAPS));
    const mask agrees = is_known & other.is_known &
                        (fabs(other.step) <= group_same(most_relative) * w) &
                        (other.px <= group_same(most_px));
    const real weight = select(agrees, lane(1) / (other.deviation * other.deviation), lane(0));
    const real difference = select(agrees, other.step, lane(0));
    agree += select(agrees, lane(1), lane(0));
    information += weight;
    weighted += weight * difference;
    squares += weight * difference * difference;
    is_old += select(agrees, lane(earlier[k]), lane(0));
  }
  const mask is_kept = is_known & (agree >= lane(least_agreeing));
  const real change = weighted / information;
  // Views share images, so the mean is taken to be no better than one of them. A spread above the
  // stated deviations raises the deviation.
  const real spread = (squares - weighted * change) / (agree + lane(1));
  group_store(agreed, place, select(is_kept, w + change, lane_nan()), end);
  group_store(deviation, place, sqrt((lane(1) + agree) * fmax(spread, lane(1)) / information), end);
  group_store(agreeing, place, agree, end);
  group_store(is_new, place, select(is_old < lane(0.5), lane(1), lane(0)), end);
}

map_kernel(patch_fit, item, PATCH_FIT) {
  const index row = item / across, column = item % across;
  const index pitch = across + 2 * PATCH_MARGIN, size = pitch * (map_places[3] + 2 * PATCH_MARGIN);
  const index place = patch_place(row, column, across), end = place + group_width;
  const real x = group_index(column), y = lane(row);
  global_const float* own = maps + (offset)map_places[0] * map_size;
  const real w = group_load(agreed, place), own_deviation = group_load(agreed_deviation, place),
             own_wx = group_load(own + size, place),
             own_wy = group_load(own + (offset)2 * size, place);
  const real gate = fmax(lane(3) * own_deviation, group_same(most_relative) * w);
  // Sums over the pixels on the plane, of differences from it: weights times 1, x, y and so on.
  real s1 = lane(0), sx = lane(0), sy = lane(0), sxx = lane(0), sxy = lane(0), syy = lane(0),
       sd = lane(0), sdx = lane(0), sdy = lane(0), support = lane(0);
  for (index j = -PATCH_FIT_RADIUS; j <= PATCH_FIT_RADIUS; ++j) {
    for (index i = -PATCH_FIT_RADIUS; i <= PATCH_FIT_RADIUS; ++i) {
      const index there = place + j * pitch + i;
      const real dx = lane(i), dy = lane(j);
      const real difference = group_load(agreed, there) - (w + own_wx * dx + own_wy * dy);
      const real ratio = own_deviation / group_load(agreed_deviation, there);
      const mask is_on = fabs(difference) <= gate;
      const real weight = select(is_on, fmin(ratio * ratio, lane(4)), lane(0));
      const real d = select(is_on, difference, lane(0));
      support += select(is_on, lane(1), lane(0));
      s1 += weight;
      sx += weight * dx;
      sy += weight * dy;
      sxx += weight * dx * dx;
      sxy += weight * dx * dy;
      syy += weight * dy * dy;
      sd += weight * d;
      sdx += weight * d * dx;
      sdy += weight * d * dy;
    }
  }
  const real c11 = sxx * syy - sxy * sxy, c12 = sy * sxy - sx * syy, c13 = sx * sxy - sy * sxx;
  const real c22 = s1 * syy - sy * sy, c23 = sx * sy - s1 * sxy, c33 = s1 * sxx - sx * sx;
  const real determinant = s1 * c11 + sx * c12 + sy * c13;
  const mask is_fit = determinant > lane(1e-3) * s1 * s1 * s1;
  const real scale = lane(1) / select(is_fit, determinant, lane(1));
  const real step_w = select(is_fit, (c11 * sd + c12 * sdx + c13 * sdy) * scale, lane(0)),
             step_x = select(is_fit, (c12 * sd + c22 * sdx + c23 * sdy) * scale, lane(0)),
             step_y = select(is_fit, (c13 * sd + c23 * sdx + c33 * sdy) * scale, lane(0));
  const real new_w = w + step_w, wx = own_wx + step_x, wy = own_wy + step_y;
  const mask is_known = (new_w > lane(0)) & (support >= lane(least_support));
  const real z = lane(1) / new_w;
  const real a = wx * group_same(intrinsics[0]), b = wy * group_same(intrinsics[1]),
             c = new_w - wx * (x - group_same(intrinsics[2])) -
                 wy * (y - group_same(intrinsics[3]));
  const real length = lane(-1) / sqrt(a * a + b * b + c * c);
  group_store(depth, place, select(is_known, z, lane_nan()), end);
  group_store(deviation, place, select(is_known, own_deviation * z * z, lane_nan()), end);
  group_store(normal_x, place, a * length, end);
  group_store(normal_y, place, b * length, end);
  group_store(normal_z, place, c * length, end);
}
