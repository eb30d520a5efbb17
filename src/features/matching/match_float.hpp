// SPDX-License-Identifier: BSD-3-Clause
// Nearest neighbours of float descriptors on a CPU.
#pragma once

#include <vector>

namespace bifocal::features {

// Squared distances of the nearest and the second nearest, infinite where there is none, and the
// number of the nearest or -1.
struct FloatNearest {
  std::vector<float> distances, seconds;
  std::vector<int> nearest;
};

// Descriptors [count][size] and the squares of their lengths.
struct FloatRows {
  int count = 0, size = 0;
  std::vector<float> values, squares;
};

// The same in panels of kFloatPanel: values [panel][size][kFloatPanel], squares infinite in the
// padding.
inline constexpr int kFloatPanel = 64;
struct FloatPanels {
  int count = 0, padded = 0, size = 0;
  std::vector<float> values, squares;
};

// Fills in rows [first, end) of `out`; at most kFloatBlock rows. of_columns, with room for
// columns.padded entries, is merged into: the nearest among rows seen so far, which have been
// lower.
inline constexpr int kFloatBlock = 64;
void nearest_floats(const FloatRows& rows, int first, int end, const FloatPanels& columns,
                    FloatNearest& out, FloatNearest& of_columns);

}  // namespace bifocal::features
