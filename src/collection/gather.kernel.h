// SPDX-License-Identifier: BSD-3-Clause

group_kernel(gather_points, pair, GATHER_POINTS) {
  global_const offset* place = places + 3 * (offset)pair;
  global_const bits32* from = points + place[0] * POINT_WORDS;
  global_ptr bits32* to = kept + place[1] * POINT_WORDS;
  const index words = (index)place[2] * POINT_WORDS;
  for (index i = (index)group_member(); i < words; i += GROUP_SIZE) to[i] = from[i];
}

map_kernel(gather_rows, i, GATHER_ROWS) {
  for (offset word = i; word < kept * words; word += items)
    to[word] = table[rows[word / words] * words + word % words];
}
