// SPDX-License-Identifier: BSD-3-Clause
// What tells depth from a map of the whole picture (a plane's, or that of a camera that only
// rotated): matches off the map whose errors point along their epipolar lines. The errors of wrong
// and of bad matches point anywhere.

enum { OFF_MAP, ON_LINE, ON_LINE_BY_CHANCE, PARALLAX_SUMS };

// Adds a match with the squared errors `off_map` and `off_line` to sums [PARALLAX_SUMS]: the
// matches farther from the map than `far` (OFF_MAP), those of them nearer to their line than `near`
// (ON_LINE), and how many would be by chance. far, near: squared, far >= 4 near: an error at an
// angle a to the line is within if sin a < sqrt(near / off_map) = s <= 1/2, of all angles asin(s) 2
// / pi <= 2 s / 3. chance: that of a match which starts anywhere.
lane_fn void parallax_add(real off_map, real off_line, real near, real far, real chance,
                          real* sums) {
  mask off = off_map > far;
  real by_chance = fmax(lane(2.0 / 3.0) * sqrt(near / fmax(off_map, far)), chance);
  sums[OFF_MAP] += select(off, lane(1), lane(0));
  sums[ON_LINE] += select(off & (off_line < near), lane(1), lane(0));
  sums[ON_LINE_BY_CHANCE] += select(off, by_chance, lane(0));
}

// The map H [9] of scoring coordinates that a rotation R of the camera makes (rays: relative_pose).
lane_fn void rotation_map(const real* R, const real* rays, real* H) {
  real before[3] = {rays[0], rays[1], lane(1)}, after[3] = {rays[2], rays[3], lane(1)};
  for (index i = 0; i < 9; ++i) H[i] = R[i] * before[i % 3] / after[i / 3];
}

// One step of Gauss and Newton of a rotation R [9], or of R and a focal length R[9] (in its
// logarithm) for size = 4: A [size][size] (lower triangle), g [size] as in damped_solve.
lane_fn void rotation_move(real* A, real* g, index size, real* R) {
  real W[9], rotated[9];
  damped_solve(A, g, size, lane(1e-9));
  rotation_cayley(g, W);
  mat3_mul(W, R, rotated);
  for (index i = 0; i < 9; ++i) R[i] = rotated[i];
  if (size == 4) {
    real h = fmax(lane(-0.25), fmin(lane(0.5) * g[3], lane(0.25)));
    R[9] = R[9] * (lane(1) + h) / (lane(1) - h);
  }
}
