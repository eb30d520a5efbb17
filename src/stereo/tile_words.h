// SPDX-License-Identifier: BSD-3-Clause
// Twin: filter_cpu.cpp (CPUs). Words of filter.kernel.h on GPUs.

// Every x < width of every y < height is worked on by one member of the group.
#define tile_for(x, y, width, height)                                                    \
  for (index at_##x = (index)group_member(), x = at_##x % (width), y = at_##x / (width); \
       at_##x < (width) * (height);                                                      \
       at_##x += GROUP_SIZE, x = at_##x % (width), y = at_##x / (width))
// The pixels of a tile in its first columns and rows.
#define tile_for_inside(x, y, columns, rows) \
  tile_for(x, y, TILE_WIDTH, TILE_HEIGHT) if (x < (columns) && y < (rows))

// Two 16-bit numbers: those of a pixel of a tile and of the pixel below it.
enum { PAIRS_ACROSS = 1, PAIRS_DOWN = 2 };  // pixels of a word
typedef bits32 pairs;
group_fn pairs pairs_ones() { return 0xffffffffu; }
// All bits of a number whose highest bit is set.
group_fn pairs pairs_unknown(pairs v) { return ((v >> 15) & 0x00010001u) * 0xffffu; }
group_fn pairs pairs_load(local_ptr const bits16* halo, index i) {
  return (bits32)halo[i] | (bits32)halo[i + HALO_WIDTH] << 16;
}
group_fn void pairs_store(local_ptr bits16* tile, index i, pairs v) {
  tile[i] = (bits16)(v & 0xffffu);
  tile[i + TILE_WIDTH] = (bits16)(v >> 16);
}
