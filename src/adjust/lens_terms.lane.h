// SPDX-License-Identifier: BSD-3-Clause
// Projection by every model of LensCamera (bifocal/camera.hpp), with derivatives.
//
// A lens has two stages. The first one scales the normalised point (u, v) at q = u^2 + v^2 by a
// factor s(q): 1, or the factor of FISHEYE, FOV, DIVISION or EUCM. The second one moves the result
// (a, b), at q = a^2 + b^2, to
//   x = a S + 2 p1 a b + p2 (q + 2 a^2) + sx q,   y = b S + 2 p2 a b + p1 (q + 2 b^2) + sy q,
//   S = (1 + n1 q + n2 q^2 + n3 q^3 + n4 q^4) / (1 + d1 q + d2 q^2 + d3 q^3).
// `kinds` has a bit for each FIRST_... in the problem, `terms` one for each coefficient of the
// second stage that is not always zero; both are the same for all lanes.

// Numbers of a camera (CAMERA_... in adjust.kernels).
typedef struct camera_lane {
  real fx, fy, cx, cy, kind;
  real first[4];
  real terms[TERM_COUNT];
} camera_lane;

// A point in an image, and the intermediate results that derivatives need.
typedef struct lens_image {
  real u, v, first[8], a, b, q, S, inverse;  // inverse: 1 / denominator of S
  real x, y, xx, xy, yx, yy;                 // derivatives of (x, y) by (a, b)
  mask is_seen;
} lens_image;

// out: s, ds/dq, and the derivatives of s by the two parameters of the first stage.
lane_fn void fov_factor_terms(const camera_lane* c, real q, real* out) {
  real w = c->first[0], twice_tangent = c->first[2], tangent_slope = c->first[3];
  real ratio[2], scale = twice_tangent / w, steep = twice_tangent * twice_tangent;
  arctangent_ratio(steep * q, ratio);
  // Without distortion (w = 0) the factor is 1 + w^2 / 12 - w^2 q / 3.
  mask none = fabs(w) < lane(1e-4);
  real s = scale * ratio[0];
  out[0] = select(none, lane(1) + w * w * (lane(1.0 / 12) - q * lane(1.0 / 3)), s);
  out[1] = select(none, w * w * lane(-1.0 / 3), scale * steep * ratio[1]);
  out[2] = select(none, w * (lane(1.0 / 6) - q * lane(2.0 / 3)),
                  (tangent_slope / (lane(1) + steep * q) - s) / w);
  out[3] = lane(0);
}
lane_fn mask division_factor_terms(const camera_lane* c, real q, real* out) {
  real inside = lane(1) - lane(4) * c->first[0] * q, root = sqrt(fmax(inside, lane(1e-20)));
  real s = lane(2) / (lane(1) + root);
  out[0] = s;
  out[1] = c->first[0] * s * s / root;
  out[2] = q * s * s / root;
  out[3] = lane(0);
  return inside > lane(1e-12);
}
lane_fn mask eucm_factor_terms(const camera_lane* c, real q, real* out) {
  real alpha = c->first[0], beta = c->first[1];
  real under = beta * q + lane(1), root = sqrt(fmax(under, lane(1e-20)));
  real below = alpha * root + lane(1) - alpha, s = lane(1) / below;
  out[0] = s;
  out[1] = -s * s * alpha * beta / (lane(2) * root);
  out[2] = -s * s * (root - lane(1));
  out[3] = -s * s * alpha * q / (lane(2) * root);
  return (under > lane(1e-12)) & (below > lane(1e-12));
}

lane_fn void first_stage(const camera_lane* c, index kinds, lens_image* image) {
  real q = image->u * image->u + image->v * image->v, found[4];
  real* s = image->first;
  s[0] = lane(1), s[1] = lane(0), s[2] = lane(0), s[3] = lane(0);
  for (index kind = 1; kind < FIRST_COUNT; ++kind) {
    if ((kinds >> kind & 1) == 0) continue;
    mask is_mine = c->kind == lane(kind), is_valid = q >= lane(0);
    if (kind == FIRST_ARCTANGENT) {
      arctangent_ratio(q, found);
      found[2] = lane(0), found[3] = lane(0);
    }
    if (kind == FIRST_FOV) fov_factor_terms(c, q, found);
    if (kind == FIRST_DIVISION) is_valid = division_factor_terms(c, q, found);
    if (kind == FIRST_EUCM) is_valid = eucm_factor_terms(c, q, found);
    for (index k = 0; k < 4; ++k) s[k] = select(is_mine, found[k], s[k]);
    image->is_seen = image->is_seen & (is_valid | !is_mine);
  }
  image->a = s[0] * image->u;
  image->b = s[0] * image->v;
}

lane_fn void second_stage(const camera_lane* c, index terms, lens_image* image) {
  const real* n = c->terms + TERM_N1;
  const real* d = c->terms + TERM_D1;
  real a = image->a, b = image->b, q = a * a + b * b;
  real above = lane(1), below = lane(1), above_slope = lane(0), below_slope = lane(0);
  if ((terms & TERMS_N) != 0) {
    above = lane(1) + q * (n[0] + q * (n[1] + q * (n[2] + q * n[3])));
    above_slope = n[0] + q * (lane(2) * n[1] + q * (lane(3) * n[2] + q * lane(4) * n[3]));
  }
  image->inverse = lane(1);
  if ((terms & TERMS_D) != 0) {
    below = lane(1) + q * (d[0] + q * (d[1] + q * d[2]));
    below_slope = d[0] + q * (lane(2) * d[1] + q * lane(3) * d[2]);
    image->is_seen = image->is_seen & (below > lane(1e-12));
    image->inverse = lane(1) / below;
  }
  real S = above * image->inverse,
       slope = lane(2) * (above_slope - S * below_slope) * image->inverse;
  image->q = q, image->S = S;
  image->x = a * S, image->y = b * S;
  image->xx = S + a * a * slope, image->yy = S + b * b * slope;
  image->xy = a * b * slope, image->yx = image->xy;
  if ((terms & TERMS_TANGENTIAL) == 0) return;
  real p1 = c->terms[TERM_P1], p2 = c->terms[TERM_P2];
  real sx = c->terms[TERM_SX], sy = c->terms[TERM_SY], lean = lane(2) * (p1 * a + p2 * b);
  image->x += lane(2) * p1 * a * b + p2 * (q + lane(2) * a * a) + sx * q;
  image->y += lane(2) * p2 * a * b + p1 * (q + lane(2) * b * b) + sy * q;
  image->xx += lane(2) * p1 * b + (lane(6) * p2 + lane(2) * sx) * a;
  image->xy += lean + lane(2) * sx * b;
  image->yx += lean + lane(2) * sy * a;
  image->yy += lane(2) * p2 * a + (lane(6) * p1 + lane(2) * sy) * b;
}

// Projects the point X of camera coordinates. J: derivatives [2][3] of the px by X; may be unused.
lane_fn void lens_project(const camera_lane* c, index kinds, index terms, const real* X,
                          lens_image* image, real* J) {
  image->is_seen = X[2] > lane(0);
  real inverse = lane(1) / select(image->is_seen, X[2], lane(1));
  real u = X[0] * inverse, v = X[1] * inverse;
  image->u = u, image->v = v;
  first_stage(c, kinds, image);
  second_stage(c, terms, image);
  real s = image->first[0], slope = lane(2) * image->first[1];
  real uu = s + slope * u * u, uv = slope * u * v, vv = s + slope * v * v;
  real fx = c->fx * inverse, fy = c->fy * inverse;
  J[0] = fx * (image->xx * uu + image->xy * uv);
  J[1] = fx * (image->xx * uv + image->xy * vv);
  J[2] = -(J[0] * u + J[1] * v);
  J[3] = fy * (image->yx * uu + image->yy * uv);
  J[4] = fy * (image->yx * uv + image->yy * vv);
  J[5] = -(J[3] * u + J[4] * v);
}

// out: derivative of the px by the parameter that COLUMN_... names; the same one in all lanes.
lane_fn void camera_column(const camera_lane* c, const lens_image* image, index column, real* out) {
  real a = image->a, b = image->b, q = image->q, x = lane(0), y = lane(0);
  const index term = column - COLUMN_TERMS;
  if (column == COLUMN_CX || column == COLUMN_CY) {
    out[0] = lane(column == COLUMN_CX ? 1 : 0);
    out[1] = lane(column == COLUMN_CY ? 1 : 0);
    return;
  }
  if (column == COLUMN_F || column == COLUMN_FX || column == COLUMN_FY) {
    out[0] = column == COLUMN_FY ? lane(0) : image->x;
    out[1] = column == COLUMN_FX ? lane(0) : image->y;
    return;
  }
  if (column == COLUMN_FIRST || column == COLUMN_FIRST + 1) {
    real slope = image->first[2 + column - COLUMN_FIRST];
    real da = slope * image->u, db = slope * image->v;
    x = image->xx * da + image->xy * db, y = image->yx * da + image->yy * db;
  } else if (term < TERM_P1) {
    const index power = term < TERM_D1 ? term - TERM_N1 : term - TERM_D1;
    real factor = q * image->inverse;
    for (index k = 0; k < power; ++k) factor = factor * q;
    if (term >= TERM_D1) factor = -image->S * factor;
    x = a * factor, y = b * factor;
  } else if (term == TERM_P1) {
    x = lane(2) * a * b, y = q + lane(2) * b * b;
  } else if (term == TERM_P2) {
    x = q + lane(2) * a * a, y = lane(2) * a * b;
  } else {
    x = term == TERM_SX ? q : lane(0), y = term == TERM_SX ? lane(0) : q;
  }
  out[0] = c->fx * x, out[1] = c->fy * y;
}
