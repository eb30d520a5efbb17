// SPDX-License-Identifier: BSD-3-Clause
// Template of a kind of lens: the image of the ray's point on a sphere. The radius r of the
// normalised point becomes r / sqrt(1 + k r^2), for k = 1 the sine of the angle off the axis.
//
// The terms are those of scene/lens_image.lane.h. radial_image and radial_column (radial.lane.h)
// suit every lens that scales the point by a factor s(q), q = r^2; other lenses set the members of
// lens_image themselves, as brown.lane.h does.

// Distorted point: the factor, its derivative by q, those by the coefficients (here one), and
// whether the point has an image.
lane_fn void sphere_image(const real* k, index used, real reach, real x, real y,
                          lens_image* image) {
  pinhole_image(k, used, reach, x, y, image);
  real q = image->q, inside = lane(1) + k[0] * q, s = lane(1) / sqrt(inside);
  real slope = lane(-0.5) * s * s * s;
  radial_image(image, s, k[0] * slope, q * slope, lane(0), inside > lane(1e-12));
}

// Derivative of the distorted point by a coefficient.
lane_fn void sphere_column(const real* k, const lens_image* image, index coefficient, real* out) {
  (void)k;
  radial_column(image, coefficient, out);
}

// The inverse: the normalised point of a distorted one, or NaN.
lane_fn void sphere_ray(const real* k, real reach, real x, real y, real* out) {
  (void)reach;
  real inside = lane(1) - k[0] * (x * x + y * y);
  real factor = select(inside > lane(0), lane(1) / sqrt(inside), lane_nan());
  out[0] = factor * x, out[1] = factor * y;
}
