// SPDX-License-Identifier: BSD-3-Clause
// Levels of scale spaces on GPUs, the twin of space.cpp. The arguments of the kernels are described
// in space.kernels. Borders are mirrored at the centre of the edge pixel.

// Returns index i mirrored into [0, n): ... 2 1 [0 1 2 ... n-1] n-2 n-3 ... Returns 0 if n = 1.
group_fn index mirrored(index i, index n) {
  if (n == 1) return 0;
  const index period = 2 * (n - 1);
  i %= period;
  if (i < 0) i += period;
  return i < n ? i : period - i;
}

// Mirrors indices that lie less than n outside [0, n). For indices farther away, returns an
// arbitrary index within [0, n). It has no branch, so that loads need not wait for each other.
group_fn index mirrored_once(index i, index n) {
  const index inner = i < 0 ? -i : i, outer = 2 * (n - 1) - inner;
  const index nearer = inner < outer ? inner : outer;
  return nearer < 0 ? 0 : nearer;
}

// Converts bytes to floats in [0, 1]. Item i of a row converts BYTES_PIXELS pixels: i, i + items,
// i + 2 items, ... as far as the row has pixels.
map_kernel(sift_bytes, item, SIFT_BYTES) {
  const index row = item / items, picture = row / rows, y = first_row + row % rows;
  global_const bits8* in = pictures + ((offset)(first + picture) * height + y) * width;
  const offset out = picture * pitch + to + (offset)y * stride;
  lane_unroll for (index k = 0; k < BYTES_PIXELS; ++k) {
    const index x = item % items + k * items;
    if (x < width) pyramid[out + x] = (real)in[x] * lane(1.0 / 255);
  }
}

// Doubles an image with a filter for each phase: `taps` for even rows and columns, reversed `taps`
// for odd rows and columns. Blurs the pixels of a tile along columns into `rows`, two rows per
// pixel, then along rows.
group_kernel(sift_double, group, SIFT_DOUBLE) {
  const index across = (width + DOUBLE_SIDE - 1) / DOUBLE_SIDE;
  const index tiles = across * ((end_row - first_row + DOUBLE_SIDE - 1) / DOUBLE_SIDE);
  const index picture = group / tiles, tile = group % tiles, member = (index)group_member();
  const index x0 = tile % across * DOUBLE_SIDE;
  const index y0 = first_row / 2 + tile / across * (DOUBLE_SIDE / 2);
  const index columns = DOUBLE_SIDE + 2 * radius, taps_count = 2 * radius + 1;
  const index is_small = radius >= width || radius >= height;
  global_const bits8* in = pictures + (offset)(first + picture) * width * height;
  for (index i = member; i < columns * (DOUBLE_SIDE / 2 + 2 * radius); i += GROUP_SIZE) {
    const index u = x0 + i % columns - radius, v = y0 + i / columns - radius;
    const index x = is_small ? mirrored(u, width) : mirrored_once(u, width);
    const index y = is_small ? mirrored(v, height) : mirrored_once(v, height);
    pixels[i] = (real)in[(offset)y * width + x] * lane(1.0 / 255);
  }
  group_barrier();
  for (index i = member; i < columns * (DOUBLE_SIDE / 2); i += GROUP_SIZE) {
    const index c = i % columns, r = i / columns;
    real even = lane(0), odd = lane(0);
    for (index j = 0; j < taps_count; ++j) {
      const real v = pixels[i + j * columns];
      even += taps[j] * v;
      odd += taps[2 * radius - j] * v;
    }
    rows[2 * r * columns + c] = even;
    rows[(2 * r + 1) * columns + c] = odd;
  }
  group_barrier();
  for (index i = member; i < DOUBLE_SIDE * DOUBLE_SIDE; i += GROUP_SIZE) {
    const index x = i % DOUBLE_SIDE, r = i / DOUBLE_SIDE;
    if (x0 + x >= width || 2 * y0 + r >= end_row) continue;
    real even = lane(0), odd = lane(0);
    for (index j = 0; j < taps_count; ++j) {
      const real v = rows[r * columns + x + j];
      even += taps[j] * v;
      odd += taps[2 * radius - j] * v;
    }
    const offset at = picture * pitch + to + (offset)(2 * y0 + r) * stride + 2 * (x0 + x);
    pyramid[at] = even;
    pyramid[at + 1] = odd;
  }
}

// Returns the number of tiles, each `of_tile` pixels long, that cover `length` pixels.
group_fn index blur_tiles(index length, index of_tile) { return (length + of_tile - 1) / of_tile; }

enum { BLUR_STRIP = 8, BLUR_COLUMNS = BLUR_WIDTH + 2 * RADIUS, BLUR_TAPS = 2 * RADIUS + 1 };

// Blurs two neighbouring pixels. row: pairs of pixels, from RADIUS pixels before the first pixel.
// k [RADIUS + 1]: one half of the symmetric taps, from the outermost to the centre.
group_fn void blur_two(local_ptr const local_pair* row, const real* k, real* first, real* second) {
  real left = lane(0), right = lane(0);
  lane_unroll for (index j = 0; j <= RADIUS; ++j) {
    const local_pair v = row[j];  // pixels 2 j and 2 j + 1
    const index t0 = 2 * j, t1 = 2 * j + 1;
    if (t0 < BLUR_TAPS) left += k[t0 <= RADIUS ? t0 : 2 * RADIUS - t0] * v.x;
    if (t0 > 0) right += k[t0 - 1 <= RADIUS ? t0 - 1 : 2 * RADIUS - t0 + 1] * v.x;
    if (t1 < BLUR_TAPS) left += k[t1 <= RADIUS ? t1 : 2 * RADIUS - t1] * v.y;
    right += k[t0 <= RADIUS ? t0 : 2 * RADIUS - t0] * v.y;
  }
  *first = left;
  *second = right;
}

// Returns row i of an octave of `height` rows, mirrored. For a row that the octave does not keep,
// returns the nearest kept row; such results are not used.
group_fn index kept_row(index i, index height, index first, index end) {
  const index y = mirrored_once(i, height);
  return y < first ? first : y < end ? y : end - 1;
}

// A thread blurs strips of columns, eight pixels each, into shared memory, and then pairs of pixels
// of rows.
group_kernel(sift_blur, group, SIFT_BLUR) {
  global_const octave_layout* o = octaves + octave;
  index tile = group % tiles, across = blur_tiles((index)o->width, BLUR_WIDTH);
  index all = across * blur_tiles((index)(o->end_kept - o->first_kept), BLUR_HEIGHT);
  while (tile >= all) {
    tile -= all;
    ++o;
    across = blur_tiles((index)o->width, BLUR_WIDTH);
    all = across * blur_tiles((index)(o->end_kept - o->first_kept), BLUR_HEIGHT);
  }
  const offset stride = o->stride;
  const index width = (index)o->width, height = (index)o->height;
  const index first_row = (index)o->first_kept, end_row = (index)o->end_kept;
  const index x0 = tile % across * BLUR_WIDTH, y0 = first_row + tile / across * BLUR_HEIGHT;
  const offset base = group / tiles * pitch, in = base + o->first + from * o->plane;
  local_ptr float* columns = (local_ptr float*)shared;
  const index is_inner = y0 - RADIUS >= first_row && y0 + BLUR_HEIGHT + RADIUS <= end_row;
  real k[RADIUS + 1];  // one half of the symmetric taps, the centre last
  lane_unroll for (index j = 0; j <= RADIUS; ++j) k[j] = taps[j];
  for (index i = (index)group_member(); i < BLUR_COLUMNS * (BLUR_HEIGHT / BLUR_STRIP);
       i += GROUP_SIZE) {
    const index c = i % BLUR_COLUMNS, first = i / BLUR_COLUMNS * BLUR_STRIP;
    if (y0 + first >= end_row) break;
    const offset at = in + mirrored_once(x0 + c - RADIUS, width);
    real sums[BLUR_STRIP], v[BLUR_STRIP + 2 * RADIUS];
    if (is_inner) {
      global_const float* column = pyramid + (at + (y0 + first - RADIUS) * stride);
      lane_unroll for (index j = 0; j < BLUR_STRIP + 2 * RADIUS; ++j) v[j] = column[j * stride];
    } else {
      lane_unroll for (index j = 0; j < BLUR_STRIP + 2 * RADIUS; ++j) v[j] =
          pyramid[at + kept_row(y0 + first + j - RADIUS, height, first_row, end_row) * stride];
    }
    lane_unroll for (index m = 0; m < BLUR_STRIP; ++m) {
      sums[m] = k[RADIUS] * v[m + RADIUS];
      lane_unroll for (index j = 0; j < RADIUS; ++j) sums[m] +=
          k[j] * (v[m + j] + v[m + 2 * RADIUS - j]);
    }
    lane_unroll for (index m = 0; m < BLUR_STRIP; ++m) columns[(first + m) * BLUR_COLUMNS + c] =
        sums[m];
  }
  group_barrier();
  const index first_own = (index)o->first_own, end_own = (index)o->end_own;
  for (index i = (index)group_member(); i < BLUR_WIDTH / 2 * BLUR_HEIGHT; i += GROUP_SIZE) {
    const index x = i % (BLUR_WIDTH / 2) * 2, r = i / (BLUR_WIDTH / 2), y = y0 + r;
    if (x0 + x >= width || y >= end_row) continue;
    real first, second;
    blur_two(shared + (r * BLUR_COLUMNS + x) / 2, k, &first, &second);
    global_ptr float* pixel = pyramid + (base + o->first + to * o->plane + y * stride + x0 + x);
    pixel[0] = first;
    pixel[1] = second;  // a row of odd width has memory for this pixel
    if (is_halved && y % 2 == 0 && y >= first_own && y < end_own)
      pyramid[base + (o + 1)->first + y / 2 * (o + 1)->stride + (x0 + x) / 2] = first;
  }
}

// Blurs along columns (is_down) or along rows with any radius. Rows outside memory are replaced by
// the nearest row in memory.
map_kernel(sift_blur_line, item, SIFT_BLUR_LINE) {
  const index x = item % width, row = item / width, y = first_row + row % rows;
  const index picture = row / rows, end_row = first_row + rows;
  const offset in = picture * pitch + from;
  real sum = lane(0);
  for (index j = -radius; j <= radius; ++j) {
    index v = is_down ? mirrored(y + j, height) : y;
    v = v < first_row ? first_row : v < end_row ? v : end_row - 1;
    const index u = is_down ? x : mirrored(x + j, width);
    sum += taps[j + radius] * pyramid[in + (offset)v * stride + u];
  }
  blurred[picture * to_pitch + to + (offset)y * stride + x] = sum;
}

// Copies every `step`-th pixel of every `step`-th row to another level.
map_kernel(sift_thin, item, SIFT_THIN) {
  const index x = item % width, row = item / width;
  const offset y = first_row + row % rows, base = row / rows * pitch;
  pyramid[base + to + y * to_stride + x] = pyramid[base + from + step * (y * stride + x)];
}
