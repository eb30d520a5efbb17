// SPDX-License-Identifier: BSD-3-Clause
// Points as kernels store them (records.h), and in coordinates of the image.

// Packs the octave and the layer of a candidate, or the octave and the level of a point, into
// one number.
group_fn bits32 where_of(bits32 octave, bits32 layer) { return octave << 8 | layer; }
group_fn bits32 where_octave(bits32 where) { return where >> 8; }
group_fn index where_layer(bits32 where) { return (index)(where & 255u); }

// Converts a point to the image. scale: px of the image per px of the first octave; shift: position
// of its first pixel.
group_fn keypoint keypoint_of(global_const octave_point* p, real scale, real shift) {
  const real to_px = scale * (real)(1u << where_octave(p->where));
  keypoint k;
  k.x = p->x * to_px + shift;
  k.y = p->y * to_px + shift;
  k.sigma = p->sigma * to_px;
  k.angle = p->angle;
  k.response = p->response;
  return k;
}

group_fn index nearest_pixel(real at, index size) {
  const index i = (index)(at + lane(0.5));
  return i < 0 ? 0 : i < size ? i : size - 1;
}

// Returns whether the mask allows the point. mask_width: 0 without a mask.
group_fn index is_unmasked(const keypoint k, global_const bits8* mask, index mask_width,
                           index width, index height) {
  index allowed = 1;
  if (mask_width > 0)
    allowed = mask[(offset)nearest_pixel(k.y, height) * width + nearest_pixel(k.x, width)] != 0;
  return allowed;
}

// Returns the image row in whose list a point is.
group_fn index row_of(const keypoint k, index height) {
  const index row = (index)k.y;
  return row < 0 ? 0 : row < height ? row : height - 1;
}

// Returns the number of candidates in their list.
group_fn bits32 listed_candidates(global_const candidate_count* counts, index capacity) {
  return counts->found < (bits32)capacity ? counts->found : (bits32)capacity;
}

// Returns the number of features of an image, 0 if candidates or points were lost.
group_fn index feature_count(global_const candidate_count* counts, index candidate_capacity,
                             bits32 found, index capacity, bits32 kept) {
  const index is_full = counts->found > (bits32)candidate_capacity ||
                        counts->overflow != NO_OVERFLOW || found > (bits32)capacity;
  return is_full ? 0 : (index)kept;
}

// Returns whether an even number of merges sorts `count` keys, which are then in `sorted`.
group_fn index is_merged_evenly(index count) {
  index merges = 0;
  for (index run = SORT_CHUNK; run < count; run *= MERGED_RUNS) ++merges;
  return merges % 2 == 0;
}
