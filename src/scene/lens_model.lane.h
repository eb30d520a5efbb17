// SPDX-License-Identifier: BSD-3-Clause
// Pixels of a lens_model, on lanes of plain numbers (real = scalar = double). NaN: the pixel has no
// ray, or a ray that no pinhole sees.

// Returns the squared tangent of 80 degrees: rays farther off the axis have no point.
lane_fn real lens_squared_reach() { return lane(32.16343747752632); }

// Computes (X / Z, Y / Z) of the ray through the pixel (x, y); NaN beyond the reach of pinholes.
lane_fn void lens_ray_of_pixel(const lens_model* m, real x, real y, real* out) {
  lens_ray_of(m->kind, m->k, m->reach, (x - m->cx) / m->fx, (y - m->cy) / m->fy, out);
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
