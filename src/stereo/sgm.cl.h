// SPDX-License-Identifier: BSD-3-Clause
// The kernels of sgm_device.cpp for OpenCL. Layouts: sgm.kernel.h.

// left, right [height][width] -> smoothed, brightness [2][height][width]. A work-item a pixel.
kernel void sgm_smooth(global const pixel* left, global const pixel* right, int width, int height,
                       int white, global ushort* smoothed, global uchar* brightness) {
  const long area = (long)width * height, i = (long)get_global_id(0);
  if (i >= 2 * area) return;
  const int second = i >= area, at = (int)(second ? i - area : i);
  global const pixel* image = second ? right : left;
  smoothed[i] =
      (ushort)smoothed_pixel(image, width, height, at % width, at / width, PIXEL_BITS == 16);
  brightness[i] = (uchar)brightness_of(image[at], white);
}

// smoothed -> codes, high [2][height][width]; brightness, jumps [256] -> jump_bytes of the left
// picture [height][width]. A work-item a pixel.
kernel void sgm_census(global const ushort* smoothed, global const uchar* brightness,
                       global const uchar* jumps, int width, int height, int kind, int margin,
                       global uint* codes, global uint* high, global uint* pixel_jumps) {
  const long area = (long)width * height, i = (long)get_global_id(0);
  if (i >= 2 * area) return;
  const int second = i >= area, at = (int)(second ? i - area : i);
  uint code[2];
  const int x = at % width, y = at / width;
  if (census_inside(width, height, x, y)) {
    census_pixel(smoothed + (second ? area : 0), width, height, x, y, CENSUS_KIND, margin, 1, code);
  } else {
    census_pixel(smoothed + (second ? area : 0), width, height, x, y, CENSUS_KIND, margin, 0, code);
  }
  codes[i] = code[0];
  if (CENSUS_KIND == CENSUS_FULL) high[i] = code[1];
  if (!second) pixel_jumps[at] = jump_bytes(brightness, width, x, y, jumps);
}

// codes, high -> costs. A work-item a word of the pixels of one of the `runs` of a row.
kernel void sgm_cost(global const uint* codes, global const uint* high, int is_full, int width,
                     int height, int disparities, int min_disparity, int tolerance, int pixel_words,
                     int runs, int row0, int rows, global uint* costs) {
  const int i = (int)get_global_id(0), run = i / pixel_words, y = run / runs;
  if (y >= rows) return;
  cost_words(codes, high, is_full, width, height, row0 + y, run - y * runs,
             4 * (i - run * pixel_words), disparities, min_disparity, tolerance, pixel_words,
             costs + (long)y * width * pixel_words);
}

// costs, jump bytes -> volumes [PATHS][rows][width] and states. A
// team a line; struct sgm_band has the numbers.
kernel void sgm_paths(int row_groups, int width, int height, int row0, int rows, int directions,
                      int keeps, int leaves, int disparities, global const uint* costs,
                      global const uchar* pixel_jumps, int P1, global uint* volumes,
                      global const uint* down_in, global const uint* up_in, global uint* down_out,
                      global uint* up_out) {
  const struct sgm_band band = {width, height, row0, rows, directions, keeps, leaves};
  const struct sgm_states states = {down_in, up_in, down_out, up_out};
  const int along_rows = (int)get_group_id(0) < row_groups,
            item = (int)get_global_id(0) - (along_rows ? 0 : row_groups * (int)get_local_size(0));
  sgm_line(item / TEAM, along_rows, &band, &states, disparities, costs, pixel_jumps, P1, volumes);
}

// volumes -> steps and confidence, checked for uniqueness, and the right pixels' winners (0xffff
// none) [height][width]. A work-group a row, whose teams
// take a part of it each.
kernel void sgm_winners(int width, int rows, int row0, int disparities, int min_disparity,
                        int uniqueness, int step_cost, global const uint* volumes,
                        global ushort* steps, global uchar* confidence, global ushort* right_index,
                        local uint* keys) {
  const int members = (int)get_local_size(0), member = (int)get_local_id(0), teams = members / TEAM;
  const int y = (int)get_group_id(0), team = member / TEAM;
  struct sgm_search search = {width, rows, disparities, min_disparity, uniqueness, step_cost};
  local struct words_beside beside[WINNER_MEMBERS];
  for (int x = member; x < width; x += members) keys[x] = NO_KEY;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int run = (width + teams - 1) / teams;
  const long first = (long)row0 * width;
  winner_run(&search, y, team * run, run, volumes, steps + first, confidence + first, keys,
             beside + team * TEAM);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int x = member; x < width; x += members)
    right_index[first + (long)y * width + x] = (ushort)(keys[x] & 0xffffu);
}
