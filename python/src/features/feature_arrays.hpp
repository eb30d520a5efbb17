// SPDX-License-Identifier: BSD-3-Clause
// Columns of keypoints and matches as arrays, and features from arrays.
#pragma once

#include "../results.hpp"

namespace bifocal::python {

// Returns one member of each row as a strided array.
template <class T, class Row>
nb::object column(nb::handle self, const std::vector<Row>& rows, T Row::*member,
                  std::size_t width = 1) {
  static_assert(sizeof(Row) % sizeof(T) == 0);
  static const Row none{};
  const T* first = rows.empty() ? &(none.*member) : &(rows[0].*member);
  const std::int64_t step = std::int64_t(sizeof(Row) / sizeof(T));
  if (width == 1) return view(self, first, {rows.size()}, {step});
  return view(self, first, {rows.size(), width}, {step, 1});
}

// Reads descriptors from a uint8 array [N, 128].
[[nodiscard]] Features descriptors_of(nb::handle object, const char* name);
// Returns one number for each keypoint or match, `usual` if the argument is None.
[[nodiscard]] std::vector<float> numbers_of_each(nb::handle object, const char* name,
                                                 std::size_t count, float usual);

}  // namespace bifocal::python
