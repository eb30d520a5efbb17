// SPDX-License-Identifier: BSD-3-Clause
// Scene point from two views with pose X2 = R X1 + t. Both image points are moved by the least
// squared distance onto corresponding epipolar lines (P. Lindstrom, Triangulation made easy, CVPR
// 2010, the two-step method); their rays then intersect exactly. Points are normalised; the
// distance is also the least in pixels if both cameras have the same focal length. Degenerate:
// parallel rays (a point at infinity, or t = 0) give infinite or NaN coordinates.

// Moves (x1, y1) and (x2, y2) to the nearest pair that satisfies x2' E x1 = 0, in place.
lane_fn void epipolar_correct(const real* E, real* x1, real* y1, real* x2, real* y2) {
  // Gradients of x2' E x1 with respect to the points of image 1 (n) and image 2 (m).
  real m0 = E[0] * *x1 + E[1] * *y1 + E[2], m1 = E[3] * *x1 + E[4] * *y1 + E[5];
  real n0 = E[0] * *x2 + E[3] * *y2 + E[6], n1 = E[1] * *x2 + E[4] * *y2 + E[7];
  real c = *x2 * m0 + *y2 * m1 + E[6] * *x1 + E[7] * *y1 + E[8];
  real a = m0 * (E[0] * n0 + E[1] * n1) + m1 * (E[3] * n0 + E[4] * n1);
  real b = lane(0.5) * (n0 * n0 + n1 * n1 + m0 * m0 + m1 * m1);
  real d = sqrt(fmax(b * b - a * c, lane(0)));
  real first = c / (b + d);
  real n0_moved = n0 - first * (E[0] * m0 + E[3] * m1),
       n1_moved = n1 - first * (E[1] * m0 + E[4] * m1);
  real m0_moved = m0 - first * (E[0] * n0 + E[1] * n1),
       m1_moved = m1 - first * (E[3] * n0 + E[4] * n1);
  real length2 =
      n0_moved * n0_moved + n1_moved * n1_moved + m0_moved * m0_moved + m1_moved * m1_moved;
  real second = first * lane(2) * d / length2;
  *x1 -= second * n0_moved;
  *y1 -= second * n1_moved;
  *x2 -= second * m0_moved;
  *y2 -= second * m1_moved;
}

// E = [t]x R
lane_fn void essential_from_pose(const real* R, const real* t, real* E) {
  for (index j = 0; j < 3; ++j) {
    E[j] = t[1] * R[6 + j] - t[2] * R[3 + j];
    E[3 + j] = t[2] * R[j] - t[0] * R[6 + j];
    E[6 + j] = t[0] * R[3 + j] - t[1] * R[j];
  }
}

// Computes X, the point in the frame of camera 1, in the unit of t. Its depth is negative behind
// the camera: see pose_in_front.
lane_fn void triangulate(const real* R, const real* t, real x1, real y1, real x2, real y2,
                         real* X) {
  real E[9];
  essential_from_pose(R, t, E);
  epipolar_correct(E, &x1, &y1, &x2, &y2);
  real z1, z2;
  real factor = ray_depths(R, t, x1, y1, x2, y2, &z1, &z2);
  X[2] = z1 / factor;
  X[0] = x1 * X[2];
  X[1] = y1 * X[2];
}

// Returns the tangent of the angle between the two rays, which is the parallax; it is negative
// beyond 90 degrees.
lane_fn real parallax_tangent(const real* R, real x1, real y1, real x2, real y2) {
  real ray1[3] = {x1, y1, lane(1)};
  real b[3] = {x2, y2, lane(1)};
  real a[3], normal[3];
  mat3_apply(R, ray1, a);
  vec3_cross(a, b, normal);
  return sqrt(vec3_dot(normal, normal)) / vec3_dot(a, b);
}
