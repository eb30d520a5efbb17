// SPDX-License-Identifier: BSD-3-Clause
// Lenses: maps of the normalised point (x, y) = (X / Z, Y / Z) of a ray to a distorted point
// (bifocal/camera.hpp has the formulas and their papers). Every kind of LENS_KINDS has three
// functions:
//
//   NAME_image(k, used, reach, x, y, image)  sets the distorted point and its derivatives;
//   NAME_column(k, image, coefficient, out)  derivative of the distorted point by a coefficient,
//                                            after NAME_image;
//   NAME_ray(k, reach, x, y, out)            the inverse: the normalised point of the distorted
//                                            point (x, y); NaN if there is none.
//
// k: the LENS_SIZE numbers of the lens. used: bits of the numbers that may be nonzero; the same for
// all lanes, so that zero coefficients cost no time. reach: up to which the map has an inverse, for
// BROWN the squared radius of a disc, for FISHEYE the angle off the axis; unused by other kinds.

typedef struct lens_image {
  real x, y;            // the distorted point
  real xx, xy, yx, yy;  // its derivatives by the normalised point
  real a, b;            // the point that coefficients act on: normalised, of FISHEYE as an angle
  real q, s, inverse;   // a^2 + b^2; radial factor; one over the denominator of the factor
  real by[2];           // derivatives of the radial factor by the coefficients (radial.lane.h)
  mask is_seen;         // whether the point has an image
} lens_image;

lane_fn void pinhole_image(const real* k, index used, real reach, real x, real y,
                           lens_image* image) {
  (void)k, (void)used, (void)reach;
  image->x = x, image->y = y;
  image->xx = lane(1), image->xy = lane(0), image->yx = lane(0), image->yy = lane(1);
  image->a = x, image->b = y, image->q = x * x + y * y;
  image->s = lane(1), image->inverse = lane(1);
  image->by[0] = lane(0), image->by[1] = lane(0);
  image->is_seen = image->q >= lane(0);
}
lane_fn void pinhole_column(const real* k, const lens_image* image, index coefficient, real* out) {
  (void)k, (void)image, (void)coefficient;
  out[0] = lane(0), out[1] = lane(0);
}
lane_fn void pinhole_ray(const real* k, real reach, real x, real y, real* out) {
  (void)k, (void)reach;
  out[0] = x, out[1] = y;
}

// Scales the normalised point by the factor s(q), whose derivative by q is `slope`.
lane_fn void lens_scale(lens_image* image, real s, real slope) {
  real x = image->a, y = image->b, twice = lane(2) * slope;
  image->s = s;
  image->x = s * x, image->y = s * y;
  image->xx = s + twice * x * x, image->yy = s + twice * y * y;
  image->xy = twice * x * y, image->yx = image->xy;
}

// Derivatives by the coefficient of q^(power + 1) in the numerator of the radial factor, and by the
// decentring coefficient p1 (number 0) or p2 (1).
lane_fn void power_column(const lens_image* image, index power, real* out) {
  real factor = image->q * image->inverse;
  for (index k = 0; k < power; ++k) factor = factor * image->q;
  out[0] = image->a * factor, out[1] = image->b * factor;
}
lane_fn void decentring_column(const lens_image* image, index number, real* out) {
  real a = image->a, b = image->b, across = lane(2) * a * b;
  out[0] = number == 0 ? across : image->q + lane(2) * a * a;
  out[1] = number == 0 ? image->q + lane(2) * b * b : across;
}

// Returns the derivative by q of atan(r) / r, r = sqrt(q), which is `ratio`; a series for small q.
lane_fn real arctangent_slope(real q, real ratio) {
  real value = lane(0), slope = lane(0);
  for (index k = 9; k >= 0; --k) {
    slope = -(value + q * slope);
    value = lane(1.0 / (2 * k + 1)) - q * value;
  }
  return select(q < lane(0.01), slope, (lane(1) / (lane(1) + q) - ratio) / (lane(2) * q));
}
