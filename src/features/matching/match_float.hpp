// SPDX-License-Identifier: BSD-3-Clause
// Nearest neighbours of float descriptors on a CPU.
#pragma once

#include <vector>

namespace bifocal::features {

// Squared distances of the nearest and the second nearest neighbour, infinite if it does not exist,
// and the index of the nearest or -1.
struct FloatNearest {
  std::vector<float> distances, seconds;
  std::vector<int> nearest;
};

// Descriptors [count][size] and the squares of their lengths.
struct FloatRows {
  int count = 0, size = 0;
  std::vector<float> values, squares;
};

// Descriptors in panels of kFloatPanel: values [panel][size][kFloatPanel], squares infinite in
// the padding.
inline constexpr int kFloatPanel = 64;
struct FloatPanels {
  int count = 0, padded = 0, size = 0;
  std::vector<float> values, squares;
};

// Sets rows [first, end) of `out`, at most kFloatBlock rows. Merges into of_columns, which has
// columns.padded elements, the nearest among the rows seen so far; earlier calls must have had
// lower rows.
inline constexpr int kFloatBlock = 64;
void nearest_floats(const FloatRows& rows, int first, int end, const FloatPanels& columns,
                    FloatNearest& out, FloatNearest& of_columns);

}  // namespace bifocal::features
