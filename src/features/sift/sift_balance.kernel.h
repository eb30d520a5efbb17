// SPDX-License-Identifier: BSD-3-Clause
// The cap balanced over the picture, on GPUs; sift.kernels describes the arguments.

// How many seats before this one hold `value`.
group_fn index seats_before(local_ptr const int* seats, index seat, index value) {
  index count = 0;
  for (index k = 0; k < seat; ++k) count += seats[k] == value;
  return count;
}

// The round in which each key is taken: how many of its cell come before it. Keys go by in pieces
// of a group's size. all: how many keys there are, or 0.
group_fn void take_turns(GROUP_PARAM global_const float* points, real scale, real shift,
                         index width, index height, index side, index columns, index all,
                         global_const bits32* keys, global_ptr bits32* taken,
                         global_ptr bits32* sizes, global_ptr bits32* rounds,
                         local_ptr int* seats) {
  const index member = (index)group_member();
  for (index base = 0; base < all; base += GROUP_SIZE) {
    const index i = base + member;
    index cell = -1;
    if (i < all) {
      const feature f = feature_of(points + (offset)keys[2 * i + 1] * POINT_FLOATS, scale, shift);
      cell = nearest_pixel(f.y, height) / side * columns + nearest_pixel(f.x, width) / side;
    }
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
}

// Moves the keys of the rounds before `last`, and the first `left` of it, to the front.
group_fn void keep_rounds(GROUP_PARAM index all, bits32 last, index left,
                          global_const bits32* rounds, global_ptr bits32* keys,
                          global_ptr bits32* keys_too, local_ptr int* seats) {
  const index member = (index)group_member();
  index of_last = 0, front = 0;  // of the pieces before
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
    bits32 strength = 0, name = 0;
    if (is_kept) {
      strength = keys[2 * i];
      name = keys[2 * i + 1];
    }
    group_barrier();
    const index to = front + seats_before(seats, member, 1);
    front += seats_before(seats, GROUP_SIZE, 1);
    if (is_kept) {
      keys[2 * to] = keys_too[2 * to] = strength;
      keys[2 * to + 1] = keys_too[2 * to + 1] = name;
    }
    group_barrier();
  }
}

group_kernel(sift_balance, picture, SIFT_BALANCE) {
  const index member = (index)group_member(), found = (index)kept[picture];
  const index all = found > most ? found : 0;
  index merges = 0;
  for (index run = SORT_CHUNK; run < found; run *= MERGED_RUNS) ++merges;
  const offset own = 2 * (offset)picture * room;
  global_ptr bits32* keys = (merges % 2 ? sorted_too : sorted) + own;
  global_ptr bits32* keys_too = (merges % 2 ? sorted : sorted_too) + own;
  global_ptr bits32* taken = turns + picture * words;
  global_ptr bits32* sizes = taken + cells;
  global_ptr bits32* rounds = sizes + room;
  for (index i = member; i < cells + room; i += GROUP_SIZE) taken[i] = 0;
  group_barrier();
  take_turns(GROUP_ARG points + (offset)picture * room * POINT_FLOATS, scale, shift, width, height,
             side, columns, all, keys, taken, sizes, rounds, seats);
  if (member == 0) {
    index last = 0, left = most;
    while (all > 0 && left >= (index)global_atomic_read(sizes + last))
      left -= (index)global_atomic_read(sizes + last++);
    shared[0] = last;
    shared[1] = left;
  }
  group_barrier();
  keep_rounds(GROUP_ARG all, (bits32)shared[0], shared[1], rounds, keys, keys_too, seats);
  if (member == 0 && all > 0) kept[picture] = (bits32)most;
}
