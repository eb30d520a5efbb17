// SPDX-License-Identifier: BSD-3-Clause
// One octave of the scale space, computed and searched from top to bottom. Only the rows in reach
// of a description are kept, so that memory grows with the width of an image, not with its area.
#pragma once

#include <bifocal/features.hpp>

#include <functional>
#include <vector>

#include "features/sift/extrema.hpp"
#include "features/sift/space.hpp"
#include "runtime/cancel.hpp"

namespace bifocal::features {

// Float image whose rows can be read and written in whole registers.
struct Plane {
  int width = 0, height = 0, stride = 0;
  std::vector<float> data;

  Plane() = default;
  Plane(int w, int h) : width(w), height(h), stride(row_stride(w)) {
    runtime::grow(data, std::size_t(stride) * std::size_t(h));
  }
  [[nodiscard]] float* row(int y) { return data.data() + std::ptrdiff_t{y} * stride; }
  [[nodiscard]] const float* row(int y) const { return data.data() + std::ptrdiff_t{y} * stride; }
};

// Writes rows [first, first + 2) of the octave's first level, or only row `first` if it is
// the last.
using RowPairSource = std::function<void(int first, float* row0, float* row1)>;

// Finds the features of the octave of width x height whose first level `source` computes, in order
// of (row, scale, column) of their extrema. Coordinates and sigma are in px of the octave. The
// features are appended in pieces, which avoids copies into a longer list. `next` receives the
// first level of the next octave (half the size).
void detect_octave(int width, int height, const RowPairSource& source, const SiftOptions& options,
                   Plane& next, std::vector<Features>& pieces);

}  // namespace bifocal::features
