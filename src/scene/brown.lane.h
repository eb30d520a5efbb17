// SPDX-License-Identifier: BSD-3-Clause
// Radial and decentring distortion (LENS_BROWN): k[8] = k1 k2 p1 p2 k3 k4 k5 k6. The map has an
// inverse on a disc of the squared radius `reach`.

enum { BROWN_ABOVE = 0x13, BROWN_DECENTRING = 0x0c, BROWN_BELOW = 0xe0, BROWN_ALL = 0xff };

// The map is the gradient of a potential, for the decentring part (p2 x + p1 y) q, so that its
// Jacobian is symmetric.
lane_fn void brown_image(const real* k, index used, real reach, real x, real y, lens_image* image) {
  pinhole_image(k, used, reach, x, y, image);
  real q = image->q, s = lane(1), slope = lane(0), tangential = lane(0);
  if ((used & BROWN_ABOVE) != 0) {
    s = lane(1) + q * (k[0] + q * (k[1] + q * k[4]));
    slope = k[0] + q * (lane(2) * k[1] + lane(3) * q * k[4]);
  }
  if ((used & BROWN_BELOW) != 0) {
    real below = lane(1) + q * (k[5] + q * (k[6] + q * k[7]));
    s = s / below;
    slope = (slope - s * (k[5] + q * (lane(2) * k[6] + lane(3) * q * k[7]))) / below;
    image->inverse = lane(1) / below;
    image->is_seen = below > lane(1e-12);
  }
  if ((used & BROWN_DECENTRING) != 0) tangential = lane(2) * (k[3] * x + k[2] * y);
  image->s = s;
  image->x = x * (s + tangential), image->y = y * (s + tangential);
  image->xx = s + tangential + x * (lane(2) * slope * x + lane(4) * k[3]);
  image->xy = lane(2) * (slope * x * y + k[3] * y + k[2] * x);
  image->yx = image->xy;
  image->yy = s + tangential + y * (lane(2) * slope * y + lane(4) * k[2]);
  image->is_seen = image->is_seen & (q < reach);
  if ((used & BROWN_DECENTRING) == 0) return;
  image->x = image->x + k[3] * q, image->y = image->y + k[2] * q;
}

lane_fn void brown_column(const real* k, const lens_image* image, index coefficient, real* out) {
  (void)k;
  if (coefficient == 2 || coefficient == 3) {
    decentring_column(image, coefficient - 2, out);
    return;
  }
  const bool is_below = coefficient > 4;
  power_column(image, is_below ? coefficient - 5 : coefficient == 4 ? 2 : coefficient, out);
  const real factor = is_below ? -image->s : lane(1);
  out[0] = factor * out[0], out[1] = factor * out[1];
}

// Computes the distorted point, without a test of the disc. J: xx, xy = yx, yy of the Jacobian.
lane_fn void brown_map(const real* k, real x, real y, real* out, real* J) {
  lens_image image;
  brown_image(k, BROWN_ALL, lane(1e300), x, y, &image);
  out[0] = image.x, out[1] = image.y;
  J[0] = image.xx, J[1] = image.xy, J[2] = image.yy;
}

// Distorts a point. The result is NaN outside the disc.
lane_fn void brown_distort(const real* k, real reach, real x, real y, real* out) {
  real J[3];
  brown_map(k, x, y, out, J);
  mask inside = x * x + y * y < reach;
  out[0] = select(inside, out[0], lane_nan());
  out[1] = select(inside, out[1], lane_nan());
}

// Finds the point of the disc that is distorted to (x, y). Newton's method, in which a step is
// halved until it stays in the disc and comes nearer. At most 60 evaluations; NaN without a
// solution to within rounding.
lane_fn void brown_ray(const real* k, real reach, real x, real y, real* out) {
  real size = x * x + y * y;
  // The first trial is the point itself, or the point at half the radius of the disc in its
  // direction if that is nearer to the centre.
  real draw =
      select(lane(4) * size < reach, lane(1), lane(0.5) * sqrt(reach / fmax(size, lane_tiny())));
  real tx = x * draw, ty = y * draw;
  real px = lane(0), py = lane(0), dx = tx, dy = ty;
  real error = size * lane(4) + lane(1);  // more than the error of the first trial, which is taken
  error = error * error * lane(1e6);
  real unit = lane(16) * lane_epsilon(), bound = size;
  mask finite = size - size == lane(0);
  mask active = finite;
  for (index i = 0; i < 60 && any(active); ++i) {
    real moved[2], J[3];
    brown_map(k, tx, ty, moved, J);
    real rx = x - moved[0], ry = y - moved[1], q = tx * tx + ty * ty;
    real rest = rx * rx + ry * ry;
    mask better = active & (q < reach) & (rest < error);
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
