// SPDX-License-Identifier: BSD-3-Clause
// Lenses that only scale the normalised point, by a factor that depends on q = x^2 + y^2, with an
// inverse in closed form: LENS_FOV, LENS_DIVISION, LENS_EUCM.

// Scales the point; `by` has the derivatives of the factor by the coefficients.
lane_fn void radial_image(lens_image* image, real s, real slope, real by_first, real by_second,
                          mask is_seen) {
  lens_scale(image, s, slope);
  image->by[0] = by_first, image->by[1] = by_second;
  image->is_seen = image->is_seen & is_seen;
}
lane_fn void radial_column(const lens_image* image, index coefficient, real* out) {
  real slope = image->by[coefficient == 0 ? 0 : 1];
  out[0] = slope * image->a, out[1] = slope * image->b;
}

// k[0] = w; k[1] = 2 tan(w / 2), k[2] = its derivative by w.
lane_fn void fov_image(const real* k, index used, real reach, real x, real y, lens_image* image) {
  pinhole_image(k, used, reach, x, y, image);
  real q = image->q, r = sqrt(q), w = k[0], steep = k[1] * k[1];
  real angle = lane_atan(r * k[1]);
  real s = select(r == lane(0), k[1] / w, angle / w / r);
  s = select(fabs(w) < lane(1e-9), lane(1), s);
  real slope = k[1] / w * steep * arctangent_slope(steep * q, angle / (r * k[1]));
  real by = (k[2] / (lane(1) + steep * q) - s) / w;
  // For a small w the factor is 1 + w^2 / 12 - w^2 q / 3.
  mask is_weak = fabs(w) < lane(1e-4);
  slope = select(is_weak, w * w * lane(-1.0 / 3), slope);
  by = select(is_weak, w * (lane(1.0 / 6) - q * lane(2.0 / 3)), by);
  radial_image(image, s, slope, by, lane(0), image->is_seen);
}
lane_fn void fov_column(const real* k, const lens_image* image, index coefficient, real* out) {
  (void)k;
  radial_column(image, coefficient, out);
}
lane_fn void fov_ray(const real* k, real reach, real x, real y, real* out) {
  (void)reach;
  real r = sqrt(x * x + y * y), angle = r * k[0];
  mask undistorted = (fabs(k[0]) < lane(1e-9)) | (r == lane(0));
  mask seen = fabs(angle) < lane(1.5707963267948966);  // a quarter of a full circle
  real factor = lane_tan(angle) / (lane(2) * lane_tan(k[0] / lane(2))) / r;
  factor = select(undistorted, lane(1), select(seen, factor, lane_nan()));
  out[0] = factor * x, out[1] = factor * y;
}

lane_fn void division_image(const real* k, index used, real reach, real x, real y,
                            lens_image* image) {
  pinhole_image(k, used, reach, x, y, image);
  real q = image->q, inside = lane(1) - lane(4) * k[0] * q;
  real root = sqrt(fmax(inside, lane(1e-20))), s = lane(2) / (lane(1) + root);
  radial_image(image, s, k[0] * s * s / root, q * s * s / root, lane(0), inside > lane(1e-12));
}
lane_fn void division_column(const real* k, const lens_image* image, index coefficient, real* out) {
  (void)k;
  radial_column(image, coefficient, out);
}
// The radius of the ray grows with r up to the fold at |k| r^2 = 1.
lane_fn void division_ray(const real* k, real reach, real x, real y, real* out) {
  (void)reach;
  real r2 = x * x + y * y;
  real factor = select(fabs(k[0] * r2) < lane(1), lane(1) / (lane(1) + k[0] * r2), lane_nan());
  out[0] = factor * x, out[1] = factor * y;
}

lane_fn void eucm_image(const real* k, index used, real reach, real x, real y, lens_image* image) {
  pinhole_image(k, used, reach, x, y, image);
  real q = image->q, under = k[1] * q + lane(1), root = sqrt(fmax(under, lane(1e-20)));
  real below = k[0] * root + lane(1) - k[0], s = lane(1) / below;
  radial_image(image, s, -s * s * k[0] * k[1] / (lane(2) * root), -s * s * (root - lane(1)),
               -s * s * k[0] * q / (lane(2) * root), (under > lane(1e-12)) & (below > lane(1e-12)));
}
lane_fn void eucm_column(const real* k, const lens_image* image, index coefficient, real* out) {
  (void)k;
  radial_column(image, coefficient, out);
}
lane_fn void eucm_ray(const real* k, real reach, real x, real y, real* out) {
  (void)reach;
  real r2 = x * x + y * y, below = lane(1) - (lane(2) * k[0] - lane(1)) * k[1] * r2;
  real z = (lane(1) - k[0] * k[0] * k[1] * r2) / (k[0] * sqrt(below) + lane(1) - k[0]);
  real factor = select(z > lane(0), lane(1) / z, lane_nan());
  out[0] = factor * x, out[1] = factor * y;
}
