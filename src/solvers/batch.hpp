// SPDX-License-Identifier: BSD-3-Clause
// What the dispatching file of each solver offers to solvers.cpp.
#pragma once

#include <bifocal/solvers.hpp>

namespace bifocal::solvers {

// Samples [begin, end) of a batch of n; rows as in bifocal/solvers.hpp.
template <class T>
struct Batch {
  const T* samples;
  T* solutions;
  int* counts;
  int n, begin, end;
};

template <class T>
using BatchFunction = void (*)(const Batch<T>&);

// One for each precision and kind of lanes.
struct BatchFunctions {
  BatchFunction<double> simd_f64, scalar_f64;
  BatchFunction<float> simd_f32, scalar_f32;
};

[[nodiscard]] BatchFunctions homography_4pt_functions();
[[nodiscard]] BatchFunctions homography_svd_functions();
[[nodiscard]] BatchFunctions fundamental_7pt_functions();
[[nodiscard]] BatchFunctions fundamental_8pt_functions();
[[nodiscard]] BatchFunctions essential_5pt_functions();
[[nodiscard]] BatchFunctions essential_5pt_action_functions();
[[nodiscard]] BatchFunctions p3p_functions();

}  // namespace bifocal::solvers
