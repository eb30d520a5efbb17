// SPDX-License-Identifier: BSD-3-Clause

group_kernel(gather_points, pair, GATHER_POINTS) {
  global_const bits32* from = points + begins[pair] * POINT_WORDS;
  global_ptr bits32* to = kept + offsets[pair] * POINT_WORDS;
  const index words = (index)(offsets[pair + 1] - offsets[pair]) * POINT_WORDS;
  for (index i = (index)group_member(); i < words; i += GROUP_SIZE) to[i] = from[i];
}

map_kernel(gather_rows, i, GATHER_ROWS) {
  for (offset word = i; word < kept * words; word += items)
    to[word] = table[rows[word / words] * words + word % words];
}

group_kernel(undistort_keypoints, i, UNDISTORT_KEYPOINTS) {
  const lens_model lens = lenses[i];
  const image_slot slot = slots[i];
  const index found = counts[slot.image], count = found < slot.capacity ? found : slot.capacity;
  for (index k = (index)group_member(); k < count; k += GROUP_SIZE) {
    global_const keypoint* p = keypoints + slot.begin + k;
    double out[2];
    lens_undistort_pixel(&lens, p->x, p->y, out);
    positions[slot.begin + k].x = out[0], positions[slot.begin + k].y = out[1];
  }
}

group_kernel(gather_positions, pair, GATHER_POSITIONS) {
  global_const found_match* match = matches + begins[pair];
  global_const position* from1 = positions + rows1[pair];
  global_const position* from2 = positions + rows2[pair];
  global_ptr point_match* to = points + offsets[pair];
  const index count = (index)(offsets[pair + 1] - offsets[pair]);
  for (index i = (index)group_member(); i < count; i += GROUP_SIZE) {
    global_const position* p1 = from1 + match[i].index1;
    global_const position* p2 = from2 + match[i].index2;
    to[i].x1 = p1->x, to[i].y1 = p1->y;
    to[i].x2 = p2->x, to[i].y2 = p2->y;
  }
}

// Returns whether a point lies outside an inner area. (x, y): px from the centre of
// the first pixel.
group_fn bool is_outside(double x, double y, global_const inner_area* inner) {
  x += 0.5, y += 0.5;
  return x < inner->least || y < inner->least || x > inner->most_x || y > inner->most_y;
}

group_kernel(flag_border, pair, FLAG_BORDER) {
  for (offset i = offsets[pair] + (offset)group_member(); i < offsets[pair + 1]; i += GROUP_SIZE) {
    global_const point_match* p = points + i;
    const bool is_at_border =
        is_outside(p->x1, p->y1, inner1 + pair) && is_outside(p->x2, p->y2, inner2 + pair);
    at_border[i] = is_at_border ? 1 : 0;
  }
}
