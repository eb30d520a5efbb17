// SPDX-License-Identifier: BSD-3-Clause
// Cameras of every kind of lens: projection with its derivatives, and the inverse of a lens.

// Call the function of a kind (lens_image.lane.h), which is the same for all lanes.
lane_fn void lens_image_of(index kind, const real* k, index used, real reach, real x, real y,
                           lens_image* image) {
#define LENS_CASE_(NAME, name, coefficients) \
  if (kind == LENS_##NAME) name##_image(k, used, reach, x, y, image);
  LENS_KINDS(LENS_CASE_)
#undef LENS_CASE_
}
lane_fn void lens_column_of(index kind, const real* k, const lens_image* image, index coefficient,
                            real* out) {
#define LENS_CASE_(NAME, name, coefficients) \
  if (kind == LENS_##NAME) name##_column(k, image, coefficient, out);
  LENS_KINDS(LENS_CASE_)
#undef LENS_CASE_
}
lane_fn void lens_ray_of(index kind, const real* k, real reach, real x, real y, real* out) {
#define LENS_CASE_(NAME, name, coefficients) \
  if (kind == LENS_##NAME) name##_ray(k, reach, x, y, out);
  LENS_KINDS(LENS_CASE_)
#undef LENS_CASE_
}

// Numbers of a camera. kind: LENS_..., which may differ between lanes.
typedef struct camera_lane {
  real fx, fy, cx, cy, kind;
  real k[LENS_SIZE];
} camera_lane;

lane_fn void lens_select(mask m, const lens_image* a, lens_image* b) {
  b->x = select(m, a->x, b->x), b->y = select(m, a->y, b->y);
  b->xx = select(m, a->xx, b->xx), b->xy = select(m, a->xy, b->xy);
  b->yx = select(m, a->yx, b->yx), b->yy = select(m, a->yy, b->yy);
  b->a = select(m, a->a, b->a), b->b = select(m, a->b, b->b), b->q = select(m, a->q, b->q);
  b->s = select(m, a->s, b->s), b->inverse = select(m, a->inverse, b->inverse);
  for (index k = 0; k < 2; ++k) b->by[k] = select(m, a->by[k], b->by[k]);
  b->is_seen = b->is_seen & (a->is_seen | !m);
}

// Projects the point X of camera coordinates: the px are fx x + cx, fy y + cy of the image. kinds:
// a bit for each LENS_... of the lanes. J: derivatives [2][3] of the px by X.
lane_fn void camera_project(const camera_lane* c, index kinds, index used, const real* X,
                            lens_image* image, real* J) {
  const mask is_front = X[2] > lane(0);
  const real inverse = lane(1) / select(is_front, X[2], lane(1));
  const real u = X[0] * inverse, v = X[1] * inverse, reach = lane(1e300);
  pinhole_image(c->k, used, reach, u, v, image);
  for (index kind = LENS_PINHOLE + 1; kind < LENS_COUNT; ++kind) {
    lens_image found;
    if ((kinds >> kind & 1) == 0) continue;
    lens_image_of(kind, c->k, used, reach, u, v, &found);
    lens_select(c->kind == lane(kind), &found, image);
  }
  image->is_seen = image->is_seen & is_front;
  const real fx = c->fx * inverse, fy = c->fy * inverse;
  J[0] = fx * image->xx, J[1] = fx * image->xy;
  J[2] = -(J[0] * u + J[1] * v);
  J[3] = fy * image->yx, J[4] = fy * image->yy;
  J[5] = -(J[3] * u + J[4] * v);
}

// out: derivative of the px by the parameter COLUMN_..., which is the same for all lanes.
lane_fn void camera_column(const camera_lane* c, index kinds, const lens_image* image, index column,
                           real* out) {
  if (column == COLUMN_CX || column == COLUMN_CY) {
    out[0] = lane(column == COLUMN_CX ? 1 : 0);
    out[1] = lane(column == COLUMN_CY ? 1 : 0);
    return;
  }
  if (column < COLUMN_LENS) {
    out[0] = column == COLUMN_FY ? lane(0) : image->x;
    out[1] = column == COLUMN_FX ? lane(0) : image->y;
    return;
  }
  real x = lane(0), y = lane(0);
  for (index kind = LENS_PINHOLE + 1; kind < LENS_COUNT; ++kind) {
    real found[2];
    if ((kinds >> kind & 1) == 0) continue;
    lens_column_of(kind, c->k, image, column - COLUMN_LENS, found);
    const mask is_mine = c->kind == lane(kind);
    x = select(is_mine, found[0], x), y = select(is_mine, found[1], y);
  }
  out[0] = c->fx * x, out[1] = c->fy * y;
}
