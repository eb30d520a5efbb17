// SPDX-License-Identifier: BSD-3-Clause
// Distortion of a lens (bifocal/camera.hpp): coefficients k[8] = k1 k2 p1 p2 k3 k4 k5 k6, and the
// squared radius of the disc on which the map has an inverse.

// Computes the distorted point, without a test of the disc. J: xx, xy = yx, yy of the Jacobian. The
// map is the gradient of a potential, for the decentring part (p2 x + p1 y) q, so that J
// is symmetric.
lane_fn void lens_map(const real* k, real x, real y, real* out, real* J) {
  real q = x * x + y * y;
  real above = lane(1) + q * (k[0] + q * (k[1] + q * k[4]));
  real below = lane(1) + q * (k[5] + q * (k[6] + q * k[7]));
  real s = above / below;
  real slope = (k[0] + q * (lane(2) * k[1] + lane(3) * q * k[4]) -
                s * (k[5] + q * (lane(2) * k[6] + lane(3) * q * k[7]))) /
               below;
  real tangential = lane(2) * (k[3] * x + k[2] * y);
  out[0] = x * (s + tangential) + k[3] * q;
  out[1] = y * (s + tangential) + k[2] * q;
  J[0] = s + tangential + x * (lane(2) * slope * x + lane(4) * k[3]);
  J[1] = lane(2) * (slope * x * y + k[3] * y + k[2] * x);
  J[2] = s + tangential + y * (lane(2) * slope * y + lane(4) * k[2]);
}

// Distorts a point. The result is NaN outside the disc.
lane_fn void lens_distort(const real* k, real squared_radius, real x, real y, real* out) {
  real J[3];
  lens_map(k, x, y, out, J);
  mask inside = x * x + y * y < squared_radius;
  out[0] = select(inside, out[0], lane_nan());
  out[1] = select(inside, out[1], lane_nan());
}

// Finds the point of the disc that is distorted to (x, y). Newton's method, in which a step is
// halved until it stays in the disc and comes nearer. At most 60 evaluations; NaN without a
// solution to within rounding.
lane_fn void lens_undistort(const real* k, real squared_radius, real x, real y, real* out) {
  real size = x * x + y * y;
  // The first trial is the point itself, or the point at half the radius of the disc in its
  // direction if that is nearer to the centre.
  real draw = select(lane(4) * size < squared_radius, lane(1),
                     lane(0.5) * sqrt(squared_radius / fmax(size, lane_tiny())));
  real tx = x * draw, ty = y * draw;
  real px = lane(0), py = lane(0), dx = tx, dy = ty;
  real error = size * lane(4) + lane(1);  // more than the error of the first trial, which is taken
  error = error * error * lane(1e6);
  real unit = lane(16) * lane_epsilon(), bound = size;
  mask finite = size - size == lane(0);
  mask active = finite;
  for (index i = 0; i < 60 && any(active); ++i) {
    real moved[2], J[3];
    lens_map(k, tx, ty, moved, J);
    real rx = x - moved[0], ry = y - moved[1], q = tx * tx + ty * ty;
    real rest = rx * rx + ry * ry;
    mask better = active & (q < squared_radius) & (rest < error);
    real scale = lane(1) / (J[0] * J[2] - J[1] * J[1]);
    px = select(better, tx, px);
    py = select(better, ty, py);
    error = select(better, rest, error);
    bound = select(better, unit * unit * (size + q), bound);  // squared rounding
    dx = select(better, scale * (J[2] * rx - J[1] * ry), lane(0.5) * dx);
    dy = select(better, scale * (J[0] * ry - J[1] * rx), lane(0.5) * dy);
    tx = px + dx;
    ty = py + dy;
    active = active & (error > bound);
  }
  mask found = finite & (error <= bound);
  out[0] = select(found, px, lane_nan());
  out[1] = select(found, py, lane_nan());
}
