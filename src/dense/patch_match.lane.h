// SPDX-License-Identifier: BSD-3-Clause
// Planes of the scene at a pixel of the reference image, seen from another view. The inverse depth
// of a plane is linear in the pixel, so that the point of pixel (x, y) is seen at
// H (x, y, 1) + e (w + wx dx + wy dy).
//   M. Bleyer, C. Rhemann, C. Rother, PatchMatch stereo, BMVC 2011.
enum {
  PATCH_RADIUS = 5,  // px
  PATCH_STEP = 2,    // px between the samples of a patch
  PATCH_SAMPLES = 36,
  PATCH_FIT_RADIUS = 5  // px, of the window of fitted planes
};
// Returns the variance attributed to noise, levels^2 of 255. Because of it, flat patches correlate
// with no other patch.
lane_fn real patch_noise() { return lane(4); }
// Returns the largest cost of a view, 1 - correlation: a view that does not see the point counts
// as one that disagrees.
lane_fn real patch_limit() { return lane(0.8); }

// Projection of a patch: position (u, v) of its centre in px, derivatives of (u, v) by x and y, and
// the motion (along_u, along_v) per unit of inverse depth. z > 0 in front of the view.
struct seen_patch {
  real u, v, u_x, u_y, v_x, v_y, along_u, along_v, z;
};

lane_fn struct seen_patch patch_seen(global_const float* geometry, real x, real y, real w, real wx,
                                     real wy) {
  const real h0 = group_same(geometry[0]), h1 = group_same(geometry[1]),
             h3 = group_same(geometry[3]), h4 = group_same(geometry[4]),
             h6 = group_same(geometry[6]), h7 = group_same(geometry[7]);
  const real e0 = group_same(geometry[9]), e1 = group_same(geometry[10]),
             e2 = group_same(geometry[11]);
  struct seen_patch s;
  s.z = h6 * x + h7 * y + group_same(geometry[8]) + e2 * w;
  const real scale = lane(1) / s.z;
  s.u = (h0 * x + h1 * y + group_same(geometry[2]) + e0 * w) * scale;
  s.v = (h3 * x + h4 * y + group_same(geometry[5]) + e1 * w) * scale;
  const real z_x = h6 + e2 * wx, z_y = h7 + e2 * wy;
  s.u_x = (h0 + e0 * wx - s.u * z_x) * scale;
  s.u_y = (h1 + e0 * wy - s.u * z_y) * scale;
  s.v_x = (h3 + e1 * wx - s.v * z_x) * scale;
  s.v_y = (h4 + e1 * wy - s.v * z_y) * scale;
  s.along_u = (e0 - s.u * e2) * scale;
  s.along_v = (e1 - s.v * e2) * scale;
  return s;
}

// Returns the length of the motion, px per unit of inverse depth.
lane_fn real patch_motion(const struct seen_patch* s) {
  return sqrt(s->along_u * s->along_u + s->along_v * s->along_v) + lane(1e-6);
}

// Returns whether a patch lies in front of both cameras, has its centre in an image of the given
// size, and extends at most `reach` px from its centre.
lane_fn mask patch_is_inside(const struct seen_patch* s, real w, real width, real height,
                             real reach) {
  const real r = lane(PATCH_RADIUS);
  return (w > lane(0)) & (s->z > lane(0)) & (s->u >= lane(0)) & (s->v >= lane(0)) &
         (s->u <= width - lane(1)) & (s->v <= height - lane(1)) &
         (r * (fabs(s->u_x) + fabs(s->u_y)) <= reach) &
         (r * (fabs(s->v_x) + fabs(s->v_y)) <= reach);
}
