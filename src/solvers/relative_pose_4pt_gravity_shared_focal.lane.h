// SPDX-License-Identifier: BSD-3-Clause
// Fundamental matrix and focal length f from 4 correspondences between two images of one camera
// with known vertical directions, for example from an accelerometer: E = diag(f, f, 1) F diag(f, f,
// 1) = [t]x R with R g1 = g2. Coordinates are in square pixels relative to the principal point; g1
// and g2 are the same direction in the frames of the two cameras.
//   Y. Ding, J. Yang, J. Ponce, H. Kong, Minimal solutions to relative pose estimation from two
//   views sharing a common direction with unknown focal length, CVPR 2020
// Solutions: 0 to 20, with f between 0.05 and 50. None without motion, for two equal points or NaN.
// A rotation by 180 degrees about the vertical is not found. Coordinates of about unit size.

// Computes R with R g = |g| (0, 1, 0). It is the shortest rotation if g points down (y > 0),
// otherwise the shortest rotation to (0, -1, 0) followed by a rotation by 180 degrees about the
// x axis.
lane_fn void gravity_rotation(const real* g, real* R) {
  real scale = copysign(lane(1), g[1]), inverse = scale / sqrt(vec3_dot(g, g));
  real x = g[0] * inverse, y = g[1] * inverse, z = g[2] * inverse, k = lane(1) / (lane(1) + y);
  R[0] = lane(1) - k * x * x;
  R[1] = -x;
  R[2] = -k * x * z;
  R[3] = scale * x;
  R[4] = scale * y;
  R[5] = scale * z;
  R[6] = scale * R[2];
  R[7] = -scale * z;
  R[8] = scale * (lane(1) - k * z * z);
}

// Computes the data of one camera for the generated solver: the axis [3] and the points (x, y, 0)
// [4][3] in the levelled frame, and for the pairs 12, 13, 14, 23, 24 of points i, j the vectors
// axis x (pj - pi) [5][3] and pi x pj [5][3].
lane_fn void gravity_camera(const real* x, const real* y, const real* R, real* axis, real* points,
                            real* steps, real* crosses) {
  for (index k = 0; k < 3; ++k) axis[k] = R[3 * k + 2];
  for (index p = 0; p < 4; ++p) {
    for (index k = 0; k < 3; ++k) points[3 * p + k] = x[p] * R[3 * k] + y[p] * R[3 * k + 1];
  }
  for (index p = 0; p < 5; ++p) {
    const real* from = points + (p < 3 ? 0 : 3);
    const real* to = points + 3 * (p < 3 ? p + 1 : p - 1);
    real step[3];
    for (index k = 0; k < 3; ++k) step[k] = to[k] - from[k];
    vec3_cross(axis, step, steps + 3 * p);
    vec3_cross(from, to, crosses + 3 * p);
  }
}

// Computes F [9] = diag(u, u, 1) R2' E R1 diag(u, u, 1) and f = 1 / u from a root (q, u), where E
// belongs to the levelled cameras. Returns the square of the largest sine of
// essential_from_rotation().
lane_fn real gravity_solution(const real* axes, const real* points, const real* R, const real* root,
                              real* solution) {
  real rays[24], E[9], own[9], rotation[3] = {lane(0), root[0], lane(0)}, u = root[1];
  for (index i = 0; i < 24; ++i) rays[i] = axes[3 * (i / 12) + i % 3] + u * points[i];
  real sine2 = essential_from_rotation(rays, rays + 12, rotation, E);
  mat3_mul(E, R, own);
  for (index i = 0; i < 9; ++i) {
    const index r = i / 3, c = i % 3;
    real e = R[9 + r] * own[c] + R[12 + r] * own[3 + c] + R[15 + r] * own[6 + c];
    solution[i] = e * (r < 2 ? u : lane(1)) * (c < 2 ? u : lane(1));
  }
  mat3_normalise(solution);
  solution[9] = lane(1) / u;
  return sine2;
}

// Returns the smallest squared distance between two of the matches (x1, y1, x2, y2), at most 1.
lane_fn real gravity_least_distance2(const real* x1, const real* y1, const real* x2,
                                     const real* y2) {
  real least = lane(1);
  for (index i = 0; i < 4; ++i) {
    for (index j = 0; j < i; ++j) {
      real a = x1[i] - x1[j], b = y1[i] - y1[j], c = x2[i] - x2[j], d = y2[i] - y2[j];
      least = fmin(least, a * a + b * b + c * c + d * d);
    }
  }
  return least;
}

// x1, y1, x2, y2: 4 points each; g1, g2 [3]: of any length. solutions: [20][10], F row-major with
// Frobenius norm 1, then f; unused slots are NaN.
lane_fn real relative_pose_4pt_gravity_shared_focal(const real* x1, const real* y1, const real* x2,
                                                    const real* y2, const real* g1, const real* g2,
                                                    real* solutions) {
  real R[18], axes[6], points[24], data[84], roots[40], own[10], kept = lane(0);
  gravity_rotation(g1, R);
  gravity_rotation(g2, R + 9);
  gravity_camera(x1, y1, R, axes, points, data + 24, data + 39);
  gravity_camera(x2, y2, R + 9, axes + 3, points + 12, data + 54, data + 69);
  for (index i = 0; i < 24; ++i) {
    const index camera = i / 12, k = i % 12;
    data[i] = k < 3 ? axes[3 * camera + k] : points[12 * camera + k];
  }
  // Two equal matches have a family of solutions, from which the template would return
  // arbitrary members.
  const real apart = lane(1e2) * lane_epsilon();
  mask differ = gravity_least_distance2(x1, y1, x2, y2) > apart * apart;
  real count = relative_pose_4pt_gravity_shared_focal_roots(data, roots);
  for (index i = 0; i < 200; ++i) solutions[i] = lane_nan();
  for (index s = 0; s < 20 && any(count > lane(s)); ++s) {
    real sine2 = gravity_solution(axes, points, R, roots + 2 * s, own);
    mask valid = differ & (count > lane(s)) & (sine2 > lane_epsilon()) & focal_is_plausible(own[9]);
    kept = solution_keep(valid, own, 10, s, kept, solutions);
  }
  return kept;
}
