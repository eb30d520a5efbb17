// SPDX-License-Identifier: BSD-3-Clause
// Samples from which descriptions and shapes are computed, on GPUs.

// Grid around (x, y), px of a level: (ux, uy) is a step along a row, (vx, vy) a step to the
// next row.
typedef struct {
  real x, y, ux, uy, vx, vy;
} sample_frame;

// Samples a level bilinearly on a grid. Weights are a Gaussian, exp(window * squared steps from the
// centre), and 0 outside the image.
group_fn void sample_grid(const level_view level, const sample_frame frame, real window,
                          local_ptr float* values, local_ptr float* weights) {
  const real right = (real)(level.width - 1), bottom = (real)(level.height - 1);
  // Blocks of 8 x 4 samples lie on fewer memory lines than rows do.
  for (index k = (index)group_member(); k < SAMPLE_BLOCKS * POINT_THREADS; k += GROUP_SIZE) {
    const index block = k / POINT_THREADS, seat = k % POINT_THREADS;
    const index column = block % 3 * 8 + seat % 8, row = block / 3 * 4 + seat / 8;
    const index i = row * GRID_SIDE + column;
    if (column >= GRID_SIDE || row >= GRID_SIDE) continue;
    const real u = (real)column - lane(10.5), v = (real)row - lane(10.5);
    const real px = frame.x + u * frame.ux + v * frame.vx;
    const real py = frame.y + u * frame.uy + v * frame.vy;
    const index is_inside = px >= lane(0) && px <= right && py >= lane(0) && py <= bottom;
    const real qx = fmin(fmax(px, lane(0)), right), qy = fmin(fmax(py, lane(0)), bottom);
    index ix = (index)qx, iy = (index)qy;
    if (ix > level.width - 2) ix = level.width - 2;
    if (iy > level.height - 2) iy = level.height - 2;
    const real fx = qx - (real)ix, fy = qy - (real)iy;
    global_const float* pixel = level.pyramid + (level.first + (offset)iy * level.stride + ix);
    global_const float* lower_pixel = pixel + level.stride;
    const real top = pixel[0] + fx * (pixel[1] - pixel[0]);
    const real low = lower_pixel[0] + fx * (lower_pixel[1] - lower_pixel[0]);
    values[i] = top + fy * (low - top);
    weights[i] = is_inside ? exp((u * u + v * v) * window) : lane(0);
  }
}
