// SPDX-License-Identifier: BSD-3-Clause

map_kernel(keep_cells, i, KEEP_CELLS) {
  for (offset cell = i; cell < cells; cell += items) {
    const bits32 low = from[2 * (from_first + cell)], high = from[2 * (from_first + cell) + 1];
    global_ptr bits32* kept = to + 2 * (to_first + cell);
    // Bytes 0 1 2 3 4 5 6 7 become 0 7 6 5 4 3 2 1.
    kept[0] = is_reversed ? (low & 0xffu) | (high >> 24 << 8) | (high & 0xff0000u) |
                                ((high & 0xff00u) << 16)
                          : low;
    kept[1] = is_reversed
                  ? (high & 0xffu) | (low >> 24 << 8) | (low & 0xff0000u) | ((low & 0xff00u) << 16)
                  : high;
  }
}

map_kernel(copy_rows, i, COPY_ROWS) {
  for (offset word = i; word < kept * words; word += items) {
    const offset row = word / words;
    to[to_first * words + word] = table[rows[rows_first + row] * words + word - row * words];
  }
}
