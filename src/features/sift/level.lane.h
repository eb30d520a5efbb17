// SPDX-License-Identifier: BSD-3-Clause
// A level of an octave in the pyramid, on GPUs.

typedef struct {
  global_const float* pyramid;
  offset first;  // position of row 0 in the pyramid; may lie before it
  index stride, width, height;
} level_view;

// Returns a level of an octave. image: number in the batch; each image has `pitch` floats of
// the pyramid.
group_fn level_view level_of(global_const float* pyramid, offset pitch,
                             global_const octave_layout* octave, index image, index level) {
  level_view view;
  view.pyramid = pyramid;
  view.first = image * pitch + octave->first + level * octave->plane;
  view.stride = (index)octave->stride;
  view.width = (index)octave->width;
  view.height = (index)octave->height;
  return view;
}
