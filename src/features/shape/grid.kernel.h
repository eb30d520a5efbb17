// SPDX-License-Identifier: BSD-3-Clause
// The samples that descriptions and shapes are made of, on GPUs.

// Bilinear samples of the level whose row 0 is, or would be, at a place of the pyramid, on the grid
// around (x, y): a step along a row is (ux, uy), one to the next row (vx, vy). Weights are a
// Gaussian, exp(window * squared steps from the centre); samples outside of the picture weigh
// nothing.
group_fn void sample_grid(global_const float* pyramid, offset level, index stride, index width,
                          index height, real x, real y, real ux, real uy, real vx, real vy,
                          real window, local_ptr float* values, local_ptr float* weights) {
  const real right = (real)(width - 1), bottom = (real)(height - 1);
  // Blocks of 8 x 4 samples: they lie on fewer lines of memory than rows do.
  for (index k = (index)group_member(); k < SAMPLE_BLOCKS * POINT_THREADS; k += GROUP_SIZE) {
    const index block = k / POINT_THREADS, seat = k % POINT_THREADS;
    const index column = block % 3 * 8 + seat % 8, row = block / 3 * 4 + seat / 8;
    const index i = row * GRID_SIDE + column;
    if (column >= GRID_SIDE || row >= GRID_SIDE) continue;
    const real u = (real)column - lane(10.5), v = (real)row - lane(10.5);
    const real px = x + u * ux + v * vx, py = y + u * uy + v * vy;
    const index is_inside = px >= lane(0) && px <= right && py >= lane(0) && py <= bottom;
    const real qx = fmin(fmax(px, lane(0)), right), qy = fmin(fmax(py, lane(0)), bottom);
    index ix = (index)qx, iy = (index)qy;
    if (ix > width - 2) ix = width - 2;
    if (iy > height - 2) iy = height - 2;
    const real fx = qx - (real)ix, fy = qy - (real)iy;
    global_const float* p = pyramid + (level + (offset)iy * stride + ix);
    const real top = p[0] + fx * (p[1] - p[0]);
    const real low = p[stride] + fx * (p[stride + 1] - p[stride]);
    values[i] = top + fy * (low - top);
    weights[i] = is_inside ? exp((u * u + v * v) * window) : lane(0);
  }
}
