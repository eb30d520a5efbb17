// SPDX-License-Identifier: BSD-3-Clause
// Undistorts image points for every lens model (bifocal/camera.hpp has the models and their
// papers). The functions take lanes of plain numbers (real = scalar). All points of a call belong
// to one camera, so that the kind of lens is uniform. NaN: the point has no ray, or a ray that no
// pinhole sees.

// Returns the squared tangent of 80 degrees: rays farther off the axis have no point.
lane_fn real lens_squared_reach() { return lane(32.16343747752632); }

lane_fn real fisheye_scale(const real* k, real q) {
  return lane(1) + q * (k[0] + q * (k[1] + q * (k[2] + q * k[3])));
}
lane_fn real fisheye_slope(const real* k, real q) {
  return k[0] + q * (lane(2) * k[1] + q * (lane(3) * k[2] + q * lane(4) * k[3]));
}

// Computes the distorted point of the ray at the angle |(u, v)| in the direction (u, v).
lane_fn void fisheye_distort(const real* k, real u, real v, real* out) {
  real q = u * u + v * v, s = fisheye_scale(k, q);
  out[0] = u * s + lane(2) * k[4] * u * v + k[5] * (q + lane(2) * u * u) + k[6] * q;
  out[1] = v * s + lane(2) * k[5] * u * v + k[4] * (q + lane(2) * v * v) + k[7] * q;
}

// Finds the ray (u, v) = angle * direction of the distorted (x, y) by Newton's method.
lane_fn void fisheye_angles(const real* k, real fold, real x, real y, real* out) {
  real size = scalar_hypot(x, y);
  real draw = fmin(lane(0.9) * fold / fmax(size, lane(1e-300)), lane(1));
  real u = x * draw, v = y * draw, moved[2];
  mask lost = !(size <= lane(1e300)), active = !lost;
  for (index i = 0; i < 50 && any(active); ++i) {
    real q = u * u + v * v, s = fisheye_scale(k, q), slope = fisheye_slope(k, q);
    fisheye_distort(k, u, v, moved);
    real ru = moved[0] - x, rv = moved[1] - y;
    real uu =
        s + lane(2) * u * u * slope + lane(2) * k[4] * v + lane(6) * k[5] * u + lane(2) * k[6] * u;
    real uv =
        lane(2) * u * v * slope + lane(2) * k[4] * u + lane(2) * k[5] * v + lane(2) * k[6] * v;
    real vu =
        lane(2) * u * v * slope + lane(2) * k[5] * v + lane(2) * k[4] * u + lane(2) * k[7] * u;
    real vv =
        s + lane(2) * v * v * slope + lane(2) * k[5] * u + lane(6) * k[4] * v + lane(2) * k[7] * v;
    active = active & !(scalar_hypot(ru, rv) <= lane(1e-14) * (lane(1) + size));
    real determinant = uu * vv - uv * vu;
    real du = (vv * ru - uv * rv) / determinant, dv = (uu * rv - vu * ru) / determinant;
    real step = scalar_hypot(du, dv), most = lane(0.5) * fold;
    lost = lost | (active & !(step <= lane(1e300)));
    active = active & !lost;
    real part = select(step > most, most / step, lane(1));
    u = select(active, u - du * part, u);
    v = select(active, v - dv * part, v);
  }
  fisheye_distort(k, u, v, moved);
  mask found = !lost & (scalar_hypot(moved[0] - x, moved[1] - y) <= lane(1e-9) * (lane(1) + size)) &
               (u * u + v * v < fold * fold);
  out[0] = select(found, u, lane_nan());
  out[1] = select(found, v, lane_nan());
}

// Return the factors by which the points of a ray without distortion are farther from the centre
// than the distorted point (x, y) at squared distance r2.
lane_fn real fov_factor(const real* k, real r2) {
  real r = sqrt(r2), angle = r * k[0];
  mask undistorted = (fabs(k[0]) < lane(1e-9)) | (r == lane(0));
  mask seen = fabs(angle) < lane(1.5707963267948966);  // a quarter of a full circle
  real factor = scalar_tan(angle) / (lane(2) * scalar_tan(k[0] / lane(2))) / r;
  return select(undistorted, lane(1), select(seen, factor, lane_nan()));
}
// The radius of the ray grows with r up to the fold at |k| r^2 = 1.
lane_fn real division_factor(const real* k, real r2) {
  return select(fabs(k[0] * r2) < lane(1), lane(1) / (lane(1) + k[0] * r2), lane_nan());
}
lane_fn real eucm_factor(const real* k, real r2) {
  real below = lane(1) - (lane(2) * k[0] - lane(1)) * k[1] * r2;
  real z = (lane(1) - k[0] * k[0] * k[1] * r2) / (k[0] * sqrt(below) + lane(1) - k[0]);
  return select(z > lane(0), lane(1) / z, lane_nan());
}

// Computes (X / Z, Y / Z) of the ray through the distorted normalised point (x, y).
lane_fn void lens_ray(const lens_model* m, real x, real y, real* out) {
  real factor = lane(1), r2 = x * x + y * y;
  out[0] = x, out[1] = y;
  if (m->kind == LENS_BROWN) {
    lens_undistort(m->k, m->squared_radius, x, y, out);
    return;
  }
  if (m->kind == LENS_FISHEYE) {
    fisheye_angles(m->k, m->fold, x, y, out);
    real angle = scalar_hypot(out[0], out[1]);
    factor = select(angle > lane(0), scalar_tan(angle) / angle, lane(1));
  }
  if (m->kind == LENS_FOV) factor = fov_factor(m->k, r2);
  if (m->kind == LENS_DIVISION) factor = division_factor(m->k, r2);
  if (m->kind == LENS_EUCM) factor = eucm_factor(m->k, r2);
  out[0] = factor * out[0], out[1] = factor * out[1];
}

// Computes (X / Z, Y / Z) of the ray through the pixel (x, y); NaN beyond the reach of pinholes.
lane_fn void lens_ray_of_pixel(const lens_model* m, real x, real y, real* out) {
  lens_ray(m, (x - m->cx) / m->fx, (y - m->cy) / m->fy, out);
  mask seen = out[0] * out[0] + out[1] * out[1] < lens_squared_reach();
  out[0] = select(seen, out[0], lane_nan());
  out[1] = select(seen, out[1], lane_nan());
}

// Projects the ray through the pixel (x, y) of the image by the model's pinhole.
lane_fn void lens_undistort_pixel(const lens_model* m, real x, real y, real* out) {
  lens_ray_of_pixel(m, x, y, out);
  out[0] = m->pinhole_fx * out[0] + m->pinhole_cx;
  out[1] = m->pinhole_fy * out[1] + m->pinhole_cy;
}
