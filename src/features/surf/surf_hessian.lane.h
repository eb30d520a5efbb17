// SPDX-License-Identifier: BSD-3-Clause
// Box-filtered Hessians on an integral image in a device's memory, in whole numbers: the same
// everywhere. `sums` are those of the pixel at the filter's centre.

// Of the pixels [left, right) x [top, bottom) from the centre.
group_fn index surf_box(global_const bits32* sums, offset stride, index left, index right,
                        index top, index bottom) {
  global_const bits32* upper = sums + top * stride;
  global_const bits32* lower = sums + bottom * stride;
  return (index)(lower[right] - lower[left] - upper[right] + upper[left]);
}

group_fn index surf_xx(global_const bits32* sums, offset stride, index l) {
  const index reach = (3 * l - 1) / 2, inner = (l - 1) / 2;
  return surf_box(sums, stride, -reach, reach + 1, 1 - l, l) -
         3 * surf_box(sums, stride, -inner, inner + 1, 1 - l, l);
}
group_fn index surf_yy(global_const bits32* sums, offset stride, index l) {
  const index reach = (3 * l - 1) / 2, inner = (l - 1) / 2;
  return surf_box(sums, stride, 1 - l, l, -reach, reach + 1) -
         3 * surf_box(sums, stride, 1 - l, l, -inner, inner + 1);
}
group_fn index surf_xy(global_const bits32* sums, offset stride, index l) {
  return surf_box(sums, stride, -l, 0, -l, 0) + surf_box(sums, stride, 1, l + 1, 1, l + 1) -
         surf_box(sums, stride, 1, l + 1, -l, 0) - surf_box(sums, stride, -l, 0, 1, l + 1);
}

// l: a third of the filter's side. Rounded once, and scaled.
group_fn real surf_determinant(global_const bits32* sums, offset stride, index l, real scale) {
  const offset xx = surf_xx(sums, stride, l), yy = surf_yy(sums, stride, l);
  const offset xy = surf_xy(sums, stride, l);
  return (real)(SURF_DETERMINANT * xx * yy - SURF_MIXED * xy * xy) * scale;
}

// Of a layer of an octave, in whole numbers.
group_fn index surf_layer_lobe(index octave, index layer) {
  return (2 << octave) * (layer + 1) + 1;
}
