// SPDX-License-Identifier: BSD-3-Clause
// The test that distinguishes depth from a map of the whole image (of a plane, or of a camera that
// only rotated). Depth is proved by matches off the map whose errors point along their epipolar
// lines. The errors of outliers and of inaccurate matches point in any direction.

enum { OFF_MAP, ON_LINE, ON_LINE_BY_CHANCE, PARALLAX_SUMS };

// Adds a match with the squared errors `off_map` and `off_line` to sums [PARALLAX_SUMS]. OFF_MAP
// counts the matches farther from the map than `far`. ON_LINE counts those among the OFF_MAP
// matches that are nearer to their line than `near`, and ON_LINE_BY_CHANCE is the expected
// number of ON_LINE for random errors. far, near: squared, far >= 4 near. An error at an angle a
// to the line is within `near` if sin a < sqrt(near / off_map) = s <= 1/2; this is a fraction
// asin(s) 2 / pi <= 2 s / 3 of all angles. chance: lower limit of the probability, for an
// outlier that starts anywhere.
lane_fn void parallax_add(real off_map, real off_line, real near, real far, real chance,
                          real* sums) {
  mask off = off_map > far;
  real by_chance = fmax(lane(2.0 / 3.0) * sqrt(near / fmax(off_map, far)), chance);
  sums[OFF_MAP] += select(off, lane(1), lane(0));
  sums[ON_LINE] += select(off & (off_line < near), lane(1), lane(0));
  sums[ON_LINE_BY_CHANCE] += select(off, by_chance, lane(0));
}

// Computes the map H [9] in scoring coordinates of a camera rotation R (rays: see relative_pose).
lane_fn void rotation_map(const real* R, const real* rays, real* H) {
  real before[3] = {rays[0], rays[1], lane(1)}, after[3] = {rays[2], rays[3], lane(1)};
  for (index i = 0; i < 9; ++i) H[i] = R[i] * before[i % 3] / after[i / 3];
}

// One Gauss-Newton step of a rotation R [9], or for size = 4 of R and the logarithm of a focal
// length R[9]. A [size][size] (lower triangle) and g [size] are as in damped_solve.
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
