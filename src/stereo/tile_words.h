// SPDX-License-Identifier: BSD-3-Clause
// Twin: filter_cpu.cpp (CPUs). Defines the words of filter.kernel.h on GPUs.

// Runs the statement for every x < width and y < height, each pixel by one member of the group.
#define tile_for(x, y, width, height)                                                    \
  for (index at_##x = (index)group_member(), x = at_##x % (width), y = at_##x / (width); \
       at_##x < (width) * (height);                                                      \
       at_##x += GROUP_SIZE, x = at_##x % (width), y = at_##x / (width))
// Runs the statement for the pixels in the first columns and rows of a tile.
#define tile_for_inside(x, y, columns, rows) \
  tile_for(x, y, TILE_WIDTH, TILE_HEIGHT) if (x < (columns) && y < (rows))

// A word holds two 16-bit numbers: a pixel of a tile and the pixel below it.
enum { PAIRS_ACROSS = 1, PAIRS_DOWN = 2 };  // pixels of a word
typedef bits32 pairs;
group_fn pairs pairs_ones() { return 0xffffffffu; }
// Sets all bits of each 16-bit number whose highest bit is set.
group_fn pairs pairs_unknown(pairs v) { return ((v >> 15) & 0x00010001u) * 0xffffu; }
group_fn pairs pairs_load(local_ptr const bits16* halo, index i) {
  return (bits32)halo[i] | (bits32)halo[i + HALO_WIDTH] << 16;
}
group_fn void pairs_store(local_ptr bits16* tile, index i, pairs v) {
  tile[i] = (bits16)(v & 0xffffu);
  tile[i + TILE_WIDTH] = (bits16)(v >> 16);
}
