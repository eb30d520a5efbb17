// SPDX-License-Identifier: BSD-3-Clause
// Reprojection error of a scene point under a pose P = (R row-major [9], t [3]): X_cam = R X + t,
// observed at (X_cam, Y_cam) / Z_cam on the normalised image plane. Focal lengths scale the two
// coordinates, so that the error is in px.

// Computes the residuals r [2] = f (projection - observation). Returns Z_cam; cam receives X_cam.
lane_fn real reprojection_residual(const real* P, real x, real y, const real* X, real fx, real fy,
                                   real* cam, real* r) {
  for (index i = 0; i < 3; ++i) {
    cam[i] = P[3 * i] * X[0] + P[3 * i + 1] * X[1] + P[3 * i + 2] * X[2] + P[9 + i];
  }
  real inverse = reciprocal(cam[2]);
  r[0] = fx * (cam[0] * inverse - x);
  r[1] = fy * (cam[1] * inverse - y);
  return cam[2];
}

// Returns the squared error; NaN for a point behind the camera, so that it does not score.
lane_fn real reprojection_squared(const real* P, real x, real y, const real* X, real fx, real fy) {
  real cam[3], r[2];
  real z = reprojection_residual(P, x, y, X, fx, fy, cam, r);
  return select(z > lane(0), r[0] * r[0] + r[1] * r[1], lane_nan());
}

// Computes the derivatives J [2][6] of the residuals with respect to a small rotation w and shift s
// of the camera frame: X_cam + w x X_cam + s.
lane_fn void reprojection_jacobian(const real* cam, real fx, real fy, real* J) {
  real inverse = reciprocal(cam[2]);
  real u = cam[0] * inverse, v = cam[1] * inverse;
  J[0] = -fx * u * v;
  J[1] = fx * (lane(1) + u * u);
  J[2] = -fx * v;
  J[3] = fx * inverse;
  J[4] = lane(0);
  J[5] = -fx * u * inverse;
  J[6] = -fy * (lane(1) + v * v);
  J[7] = fy * u * v;
  J[8] = fy * u;
  J[9] = lane(0);
  J[10] = fy * inverse;
  J[11] = -fy * v * inverse;
}
