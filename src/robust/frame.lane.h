// SPDX-License-Identifier: BSD-3-Clause
// Numbers that follow from a pair's points and options.

enum { FRAME_SUBSET = 128 };  // points whose medians make the scoring coordinates

// How often a wrong match agrees with a wrong model, from the box [w, h] of the points in an image:
// it falls into the strip along its epipolar line, or into the ellipse around the transferred point
// (of radius sqrt(2) thresholds where both images have one scale).
lane_fn real chance_in_box(index is_homography, real w, real h, real threshold) {
  real u = lane(1) / w, v = lane(1) / h;  // a wild point may make the box's area infinite
  real ellipse = lane(6.283185307179586) * threshold * u * threshold * v;
  real strip = lane(2.8284271247461903) * threshold * sqrt(u * u + v * v);
  real rate = is_homography ? ellipse : strip;
  return select(rate < lane(1), rate, lane(1));
}

// Squared sine of a parallax that noise of three thresholds can make; focal [4].
lane_fn real parallax_limit(const real* focal, real threshold) {
  real least = fmin(fmin(focal[0], focal[1]), fmin(focal[2], focal[3]));
  real sine = lane(3) * threshold / least;
  return sine * sine;
}

// A hash of the numbers [first, end) of a point's columns, never 0.
//   The finaliser of A. Appleby, MurmurHash3.
lane_fn bits32 point_hash(global_const float* points, index stride, index first, index end,
                          index i) {
  bits32 hash = 1;
  for (index c = first; c < end; ++c) {
    hash ^= float_bits(points[c * stride + i] + 0.0f);  // -0 is 0
    hash = (hash ^ (hash >> 16)) * 0x85ebca6bu;
    hash = (hash ^ (hash >> 13)) * 0xc2b2ae35u;
    hash = (hash ^ (hash >> 16)) + 0x9e3779b9u * (bits32)(c + 1);
  }
  return hash | 1u;
}
