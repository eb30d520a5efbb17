// SPDX-License-Identifier: BSD-3-Clause
// Order of points, the twin of order.cpp; order.kernels describes the arguments. Points arrive in
// any order, and no result depends on it, because the kept points are sorted by all their
// properties.

// Returns response times sigma, because large features are rarer and match better.
group_fn real keypoint_strength(const keypoint f) { return f.response * f.sigma; }

// Compares two points of the same strength by y, x, sigma and angle: -1, 0 or 1. It compares the
// results of keypoint_of, one number at a time, which takes fewer registers.
group_fn index point_order(global_const octave_point* p, global_const octave_point* q, real scale,
                           real shift) {
  const real px1 = scale * (real)(1u << where_octave(p->where));
  const real px2 = scale * (real)(1u << where_octave(q->where));
  const real y1 = p->y * px1 + shift, y2 = q->y * px2 + shift;
  if (y1 != y2) return y1 < y2 ? -1 : 1;
  const real x1 = p->x * px1 + shift, x2 = q->x * px2 + shift;
  if (x1 != x2) return x1 < x2 ? -1 : 1;
  const real sigma1 = p->sigma * px1, sigma2 = q->sigma * px2;
  if (sigma1 != sigma2) return sigma1 < sigma2 ? -1 : 1;
  if (p->angle != q->angle) return p->angle < q->angle ? -1 : 1;
  return 0;
}

map_kernel(order_clear, item, ORDER_CLEAR) {
  if (item == 0) counts->found = 0;
  if (item == 0) counts->overflow = NO_OVERFLOW;
  if (item < pictures) found[item] = kept[item] = 0;
  if (item < pictures) numbers[first + item] = 0;
  if (item < rows) row_counts[item] = 0;
}

group_kernel(order_rows, picture, ORDER_ROWS) {
  global_ptr bits32* counts = rows + (offset)picture * (height + 1);
  global_ptr bits32* out = begins + (offset)picture * height;
  const index member = (index)group_member();
  const index all = is_again && !again[picture] ? 0 : height;
  const index each = (all + GROUP_SIZE - 1) / GROUP_SIZE;
  const index first = member * each < all ? member * each : all;
  const index end = first + each < all ? first + each : all;
  bits32 sum = 0;
  for (index y = first; y < end; ++y) sum += counts[y];
  sums[member] = sum;
  for (index o = 1; o < GROUP_SIZE; o *= 2) {
    group_barrier();
    const bits32 before = member >= o ? sums[member - o] : 0;
    group_barrier();
    sums[member] += before;
  }
  bits32 at = sums[member] - sum;
  for (index y = first; y < end; ++y) {
    const bits32 n = counts[y];
    counts[y] = at;
    out[y] = at;
    at += n;
  }
  if (end == height && first < end) counts[height] = at;
}

map_kernel(order_place, item, ORDER_PLACE) {
  const index picture = item / capacity, i = item % capacity;
  if ((bits32)i >= found[picture] || (is_again && !again[picture])) return;
  const keypoint f = keypoint_of(points + (offset)item, scale, shift);
  const bits32 slot = global_atomic_add(begins + (offset)picture * height + row_of(f, height), 1u);
  order[(offset)picture * capacity + slot] = (bits32)i;
}

map_kernel(order_keep, item, ORDER_KEEP) {
  const index picture = item / capacity, i = item % capacity;
  if ((bits32)i >= found[picture] || (is_again && !again[picture])) return;
  global_const octave_point* all = points + (offset)picture * capacity;
  global_const bits32* begin = rows + (offset)picture * (height + 1);
  global_const bits32* names = order + (offset)picture * capacity;
  const keypoint f = keypoint_of(all + (offset)i, scale, shift);
  const real strength = keypoint_strength(f), reach = lane(0.1) * f.sigma;
  keypoint upper = f, lower = f;
  upper.y -= reach;
  lower.y += reach;
  const bits32 end = begin[row_of(lower, height) + 1];
  // Loads four points at a time, so that their loads overlap; the last point is repeated.
  for (bits32 k = begin[row_of(upper, height)]; k < end; k += 4) {
    index js[4];
    keypoint near[4];
    lane_unroll for (bits32 u = 0; u < 4; ++u) js[u] = (index)names[k + u < end ? k + u : end - 1];
    lane_unroll for (index u = 0; u < 4; ++u) near[u] =
        keypoint_of(all + (offset)js[u], scale, shift);
    lane_unroll for (index u = 0; u < 4; ++u) {
      const keypoint g = near[u];
      if (js[u] == i) continue;
      if (!sift_same_point(f.x, f.y, f.sigma, f.angle, g.x, g.y, g.sigma, g.angle)) continue;
      const real other = keypoint_strength(g);
      if (other < strength) continue;
      const index order_of_equal = point_order(all + js[u], all + i, scale, shift);
      // The second of two equal points is dropped.
      if (other > strength || order_of_equal < 0 || (order_of_equal == 0 && js[u] < i)) return;
    }
  }
  const bits32 slot = global_atomic_add(kept + picture, 1u);
  global_ptr sort_key* key = keys + ((offset)picture * capacity + slot);
  key->strength = float_bits(strength);
  key->point = (bits32)i;
}

// Returns whether point a comes before point b of the same strength.
group_fn index point_before(bits32 a, bits32 b, global_const octave_point* all, real scale,
                            real shift) {
  const index order = point_order(all + a, all + b, scale, shift);
  return order != 0 ? order < 0 : a < b;
}

// Returns whether key a comes before key b. Strengths are not negative, so that their bits have the
// same order.
group_fn index key_before(bits32 strength_a, bits32 a, bits32 strength_b, bits32 b,
                          global_const octave_point* all, real scale, real shift) {
  if (strength_a != strength_b) return strength_a > strength_b;
  return point_before(a, b, all, scale, shift);
}

// Each key has SORT_PARTS seats. A seat counts the keys before it in a part of the chunk.
group_kernel(order_sort_chunk, group, ORDER_SORT_CHUNK) {
  const index parts = (index)SORT_CHUNK / SORT_KEYS, picture = group / (chunks * parts);
  const index own_first = group % parts * SORT_KEYS, member = (index)group_member();
  const index all_count = (index)kept[picture] < capacity ? (index)kept[picture] : capacity;
  global_const octave_point* all = points + (offset)picture * capacity;
  for (index first = group / parts % chunks * SORT_CHUNK; first + own_first < all_count;
       first += chunks * SORT_CHUNK) {
    const index left = all_count - first, count = left < SORT_CHUNK ? left : SORT_CHUNK;
    global_const sort_key* in = keys + ((offset)picture * capacity + first);
    for (index i = member; i < count; i += GROUP_SIZE) strengths[i] = in[i].strength;
    group_barrier();
    for (index seat = member; seat < SORT_SEATS; seat += GROUP_SIZE) {
      const index own = own_first + seat % SORT_KEYS;
      const bits32 strength = own < count ? strengths[own] : 0;
      index before = 0, ties = 0;
      for (index j = seat / SORT_KEYS; j < count && own < count; j += SORT_PARTS) {
        before += strengths[j] > strength;
        ties += strengths[j] == strength && j != own;
      }
      lane_keep_loop for (index j = seat / SORT_KEYS; j < count && ties > 0; j += SORT_PARTS) {
        if (strengths[j] != strength || j == own) continue;
        before += point_before(in[j].point, in[own].point, all, scale, shift);
        --ties;
      }
      places[seat] = before;
    }
    group_barrier();
    for (index seat = member; seat < SORT_KEYS; seat += GROUP_SIZE) {
      const index own = own_first + seat;
      if (own >= count) continue;
      index before = 0;
      for (index k = 0; k < SORT_PARTS; ++k) before += places[seat + k * SORT_KEYS];
      global_ptr sort_key* out = sorted + ((offset)picture * capacity + first + before);
      out->strength = strengths[own];
      out->point = in[own].point;
    }
    group_barrier();  // the next chunk overwrites the shared arrays
  }
}

map_kernel(order_sort_merge, item, ORDER_SORT_MERGE) {
  const index picture = item / capacity, i = item % capacity, count = (index)kept[picture];
  if (i >= count || run >= count) return;
  global_const sort_key* in = keys + (offset)picture * capacity;
  global_const octave_point* all = points + (offset)picture * capacity;
  const bits32 strength = in[i].strength, name = in[i].point;
  const index first = i / (MERGED_RUNS * run) * (MERGED_RUNS * run), own = i / run % MERGED_RUNS;
  // Counts the keys that come before this key in each run except its own, by searches whose loads
  // do not wait for each other.
  index before[MERGED_RUNS];
  lane_unroll for (index r = 0; r < MERGED_RUNS; ++r) before[r] = 0;
  for (index step = run; step > 0; step /= 2) {
    bits32 strengths[MERGED_RUNS], names[MERGED_RUNS];
    index exists[MERGED_RUNS];
    lane_unroll for (index r = 0; r < MERGED_RUNS; ++r) {
      const index at = first + r * run + before[r] + step - 1;
      exists[r] = r != own && before[r] + step <= run && at < count;
      strengths[r] = exists[r] ? in[at].strength : 0;
      names[r] = exists[r] ? in[at].point : 0;
    }
    lane_unroll for (index r = 0; r < MERGED_RUNS; ++r) {
      if (exists[r] && key_before(strengths[r], names[r], strength, name, all, scale, shift))
        before[r] += step;
    }
  }
  index place = i - own * run;
  lane_unroll for (index r = 0; r < MERGED_RUNS; ++r) place += before[r];
  global_ptr sort_key* out = sorted + ((offset)picture * capacity + place);
  out->strength = strength;
  out->point = name;
}

// Cap that is balanced over the image.

// Returns how many of the first `seat` seats hold `value`.
group_fn index seats_before(local_ptr const int* seats, index seat, index value) {
  index count = 0;
  for (index k = 0; k < seat; ++k) count += seats[k] == value;
  return count;
}

// Returns the cell of a point in a grid of `columns` cells per row, with cells of side x side px.
group_fn index cell_of(const keypoint k, index width, index height, index side, index columns) {
  return nearest_pixel(k.y, height) / side * columns + nearest_pixel(k.x, width) / side;
}

// Sets rounds[i] of key i to the number of keys before it in its cell, and counts the keys of each
// round in `sizes`. The group processes GROUP_SIZE keys at a time. cell: cell of the member's key,
// or -1.
group_fn void count_rounds(GROUP_PARAM index i, index cell, global_ptr bits32* taken,
                           global_ptr bits32* sizes, global_ptr bits32* rounds,
                           local_ptr int* seats) {
  const index member = (index)group_member();
  seats[member] = cell;
  group_barrier();
  const index before = cell < 0 ? 0 : seats_before(seats, member, cell);
  const index is_last = seats_before(seats, GROUP_SIZE, cell) == before + 1;
  const bits32 round = cell < 0 ? 0 : taken[cell] + (bits32)before;
  group_barrier();
  if (cell >= 0) {
    rounds[i] = round;
    if (is_last) taken[cell] = round + 1u;
    (void)global_atomic_add(sizes + round, 1u);
  }
  group_barrier();
}

// Moves the keys of the rounds before `last`, and the first `left` keys of round `last`, to
// the front.
group_fn void keep_rounds(GROUP_PARAM index all, bits32 last, index left,
                          global_const bits32* rounds, global_ptr sort_key* keys,
                          global_ptr sort_key* keys_too, local_ptr int* seats) {
  const index member = (index)group_member();
  index of_last = 0, front = 0;  // sums over the preceding pieces
  for (index base = 0; base < all; base += GROUP_SIZE) {
    const index i = base + member;
    const bits32 round = i < all ? rounds[i] : last + 1u;
    seats[member] = round == last;
    group_barrier();
    const index rank = of_last + seats_before(seats, member, 1);
    of_last += seats_before(seats, GROUP_SIZE, 1);
    group_barrier();
    const index is_kept = i < all && (round < last || (round == last && rank < left));
    seats[member] = is_kept;
    bits32 strength = 0, point = 0;
    if (is_kept) {
      strength = keys[i].strength;
      point = keys[i].point;
    }
    group_barrier();
    const index to = front + seats_before(seats, member, 1);
    front += seats_before(seats, GROUP_SIZE, 1);
    if (is_kept) {
      keys[to].strength = keys_too[to].strength = strength;
      keys[to].point = keys_too[to].point = point;
    }
    group_barrier();
  }
}

group_kernel(order_balance, picture, ORDER_BALANCE) {
  const index member = (index)group_member(), found = (index)kept[picture];
  const index all = found > most ? found : 0, is_even = is_merged_evenly(found);
  const offset own = (offset)picture * capacity;
  global_ptr sort_key* keys = (is_even ? sorted : sorted_too) + own;
  global_ptr sort_key* keys_too = (is_even ? sorted_too : sorted) + own;
  global_ptr bits32* taken = scratch + picture * words;
  global_ptr bits32* sizes = taken + cells;
  global_ptr bits32* rounds = sizes + capacity;
  for (index i = member; i < cells + capacity; i += GROUP_SIZE) taken[i] = 0;
  group_barrier();
  for (index base = 0; base < all; base += GROUP_SIZE) {
    const index i = base + member;
    index cell = -1;
    if (i < all)
      cell = cell_of(keypoint_of(points + (own + keys[i].point), scale, shift), width, height, side,
                     columns);
    count_rounds(GROUP_ARG i, cell, taken, sizes, rounds, seats);
  }
  if (member == 0) {
    index round = 0, rest = most;
    while (all > 0 && rest >= (index)global_atomic_read(sizes + round))
      rest -= (index)global_atomic_read(sizes + round++);
    *last = round;
    *left = rest;
  }
  group_barrier();
  keep_rounds(GROUP_ARG all, (bits32)*last, *left, rounds, keys, keys_too, seats);
  if (member == 0 && all > 0) kept[picture] = (bits32)most;
}
