// SPDX-License-Identifier: BSD-3-Clause
// Relative pose and focal length f from 3 correspondences with monocular depth predictions: depths
// a in the first image, and s (b + u) in the second image, where b is predicted and the scale s and
// shift u are unknown, so that s (b + u) (x2 / f, y2 / f, 1) = R a (x1 / f, y1 / f, 1) + t.
// Both images are from one camera with square pixels. Coordinates are relative to its principal
// point and scaled to about unit size; f is in the unit of the coordinates.
//   Y. Ding, V. Kocur, V. Vavra, Z. B. Haladova, J. Yang, T. Sattler, Z. Kukelova, RePoseD:
//   Efficient relative pose estimation with known depth information, ICCV 2025
// The equations state that distances between the points are the same in both images. The solver
// finds 0 to 4 solutions, with f between 0.05 and 50 and all points in front of the second camera,
// and none for collinear points or NaN.

// Computes the data of the generated solver from the three pairs of points.
lane_fn void monodepth_distances(const real* x1, const real* y1, const real* x2, const real* y2,
                                 const real* a, const real* b, real* data) {
  for (index i = 0; i < 3; ++i) {
    const index j = (i + 1) % 3;
    real ax = a[i] * x1[i] - a[j] * x1[j], ay = a[i] * y1[i] - a[j] * y1[j], az = a[i] - a[j];
    real bx = b[i] * x2[i] - b[j] * x2[j], by = b[i] * y2[i] - b[j] * y2[j], bz = b[i] - b[j];
    real dx = x2[i] - x2[j], dy = y2[i] - y2[j];
    data[i] = ax * ax + ay * ay;
    data[3 + i] = az * az;
    data[6 + i] = bx * bx + by * by;
    data[9 + i] = lane(2) * (bx * dx + by * dy);
    data[12 + i] = dx * dx + dy * dy;
    data[15 + i] = bz * bz;
  }
}

// Computes R, t with Y = R X + t for three points each, X and Y [3][3], with equal distances.
// Returns the square of twice the triangle's area.
lane_fn real pose_of_triangles(const real* X, const real* Y, real* pose) {
  real e[18], n[9], m[3], rotated[3];
  for (index k = 0; k < 6; ++k) {
    e[k] = X[3 + k] - X[k % 3];
    e[9 + k] = Y[3 + k] - Y[k % 3];
  }
  vec3_cross(e, e + 3, n + 6);
  vec3_cross(e + 9, e + 12, m);
  vec3_cross(e + 3, n + 6, n);
  vec3_cross(n + 6, e, n + 3);
  real area2 = vec3_dot(n + 6, n + 6), inverse = lane(1) / area2;
  for (index i = 0; i < 9; ++i)
    pose[i] = inverse *
              (e[9 + i / 3] * n[i % 3] + e[12 + i / 3] * n[3 + i % 3] + m[i / 3] * n[6 + i % 3]);
  mat3_apply(pose, X, rotated);
  for (index k = 0; k < 3; ++k) pose[9 + k] = Y[k] - rotated[k];
  return area2;
}

// Computes the solutions and returns their number. x1, y1, x2, y2 [3]: image coordinates; a, b [3]:
// depths in images 1 and 2. solutions [4][15]: R row-major, t, f, s, u; unused slots are NaN.
lane_fn real relative_pose_3pt_monodepth_shared_focal(const real* x1, const real* y1,
                                                      const real* x2, const real* y2, const real* a,
                                                      const real* b, real* solutions) {
  real data[18], roots[12], own[15], kept = lane(0);
  monodepth_distances(x1, y1, x2, y2, a, b, data);
  real count = relative_pose_3pt_monodepth_shared_focal_roots(data, roots);
  for (index i = 0; i < 60; ++i) solutions[i] = lane_nan();
  for (index s = 0; s < 4 && any(count > lane(s)); ++s) {
    real q = roots[3 * s], w = roots[3 * s + 1], u = roots[3 * s + 2], X[9], Y[9];
    real inverse = sqrt(q), scale = sqrt(w);  // inverse: 1 / f
    mask valid = (count > lane(s)) & (w > lane(0)) & focal_is_plausible(lane(1) / inverse);
    for (index i = 0; i < 3; ++i) {
      real d = scale * (b[i] + u);
      valid = valid & (d > lane(0));
      X[3 * i] = a[i] * x1[i] * inverse;
      X[3 * i + 1] = a[i] * y1[i] * inverse;
      X[3 * i + 2] = a[i];
      Y[3 * i] = d * x2[i] * inverse;
      Y[3 * i + 1] = d * y2[i] * inverse;
      Y[3 * i + 2] = d;
    }
    valid = valid & (pose_of_triangles(X, Y, own) > lane(0));
    own[12] = lane(1) / inverse;
    own[13] = scale;
    own[14] = u;
    kept = solution_keep(valid, own, 15, s, kept, solutions);
  }
  return kept;
}
