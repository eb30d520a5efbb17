// SPDX-License-Identifier: BSD-3-Clause
// Fisheye lenses (LENS_FISHEYE): k[8] = k1 k2 k3 k4 p1 p2 sx sy. The point (a, b) = angle *
// direction moves to
//   x = a s + 2 p1 a b + p2 (q + 2 a^2) + sx q,   y = b s + 2 p2 a b + p1 (q + 2 b^2) + sy q,
// with q = a^2 + b^2 and s = 1 + k1 q + k2 q^2 + k3 q^3 + k4 q^4.

enum { FISHEYE_TANGENTIAL = 0xf0 };  // bits of p1 p2 sx sy

lane_fn real fisheye_scale(const real* k, real q) {
  return lane(1) + q * (k[0] + q * (k[1] + q * (k[2] + q * k[3])));
}
lane_fn real fisheye_slope(const real* k, real q) {
  return k[0] + q * (lane(2) * k[1] + q * (lane(3) * k[2] + q * lane(4) * k[3]));
}

// Sets the distorted point of (u, v) = angle * direction, and its derivatives by (u, v).
lane_fn void fisheye_map(const real* k, index used, real u, real v, lens_image* image) {
  real q = u * u + v * v, s = fisheye_scale(k, q), slope = fisheye_slope(k, q);
  image->a = u, image->b = v, image->q = q;
  image->x = u * s, image->y = v * s;
  image->xx = s + lane(2) * u * u * slope, image->yy = s + lane(2) * v * v * slope;
  image->xy = lane(2) * u * v * slope, image->yx = image->xy;
  if ((used & FISHEYE_TANGENTIAL) == 0) return;
  image->x = image->x + lane(2) * k[4] * u * v + k[5] * (q + lane(2) * u * u) + k[6] * q;
  image->y = image->y + lane(2) * k[5] * u * v + k[4] * (q + lane(2) * v * v) + k[7] * q;
  image->xx = image->xx + lane(2) * k[4] * v + lane(6) * k[5] * u + lane(2) * k[6] * u;
  image->xy = image->xy + lane(2) * k[4] * u + lane(2) * k[5] * v + lane(2) * k[6] * v;
  image->yx = image->yx + lane(2) * k[5] * v + lane(2) * k[4] * u + lane(2) * k[7] * u;
  image->yy = image->yy + lane(2) * k[5] * u + lane(6) * k[4] * v + lane(2) * k[7] * v;
}

lane_fn void fisheye_image(const real* k, index used, real reach, real x, real y,
                           lens_image* image) {
  pinhole_image(k, used, reach, x, y, image);
  real q = image->q, r = sqrt(q), angle = lane_atan(r);
  real ratio = select(r > lane(0), angle / r, lane(1));
  lens_scale(image, ratio, arctangent_slope(q, ratio));
  real uu = image->xx, uv = image->xy, vv = image->yy;
  fisheye_map(k, used, image->x, image->y, image);
  real xx = image->xx, xy = image->xy, yx = image->yx, yy = image->yy;
  image->xx = xx * uu + xy * uv, image->xy = xx * uv + xy * vv;
  image->yx = yx * uu + yy * uv, image->yy = yx * uv + yy * vv;
  image->is_seen = image->is_seen & (angle < reach);
}

lane_fn void fisheye_column(const real* k, const lens_image* image, index coefficient, real* out) {
  (void)k;
  if (coefficient < 4) {
    power_column(image, coefficient, out);
  } else if (coefficient < 6) {
    decentring_column(image, coefficient - 4, out);
  } else {
    out[0] = coefficient == 6 ? image->q : lane(0);
    out[1] = coefficient == 6 ? lane(0) : image->q;
  }
}

// Finds (u, v) = angle * direction of the distorted (x, y) by Newton's method.
lane_fn void fisheye_angles(const real* k, real reach, real x, real y, real* out) {
  lens_image moved;
  real size = lane_hypot(x, y);
  real draw = fmin(lane(0.9) * reach / fmax(size, lane(1e-300)), lane(1));
  real u = x * draw, v = y * draw;
  mask lost = !(size <= lane(1e300)), active = !lost;
  for (index i = 0; i < 50 && any(active); ++i) {
    fisheye_map(k, FISHEYE_TANGENTIAL, u, v, &moved);
    real ru = moved.x - x, rv = moved.y - y;
    active = active & !(lane_hypot(ru, rv) <= lane(1e-14) * (lane(1) + size));
    real determinant = moved.xx * moved.yy - moved.xy * moved.yx;
    real du = (moved.yy * ru - moved.xy * rv) / determinant;
    real dv = (moved.xx * rv - moved.yx * ru) / determinant;
    real step = lane_hypot(du, dv), most = lane(0.5) * reach;
    lost = lost | (active & !(step <= lane(1e300)));
    active = active & !lost;
    real part = select(step > most, most / step, lane(1));
    u = select(active, u - du * part, u);
    v = select(active, v - dv * part, v);
  }
  fisheye_map(k, FISHEYE_TANGENTIAL, u, v, &moved);
  mask found = !lost & (lane_hypot(moved.x - x, moved.y - y) <= lane(1e-9) * (lane(1) + size)) &
               (u * u + v * v < reach * reach);
  out[0] = select(found, u, lane_nan());
  out[1] = select(found, v, lane_nan());
}

lane_fn void fisheye_ray(const real* k, real reach, real x, real y, real* out) {
  fisheye_angles(k, reach, x, y, out);
  real angle = lane_hypot(out[0], out[1]);
  real factor = select(angle > lane(0), lane_tan(angle) / angle, lane(1));
  out[0] = factor * out[0], out[1] = factor * out[1];
}
