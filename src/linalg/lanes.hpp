// SPDX-License-Identifier: BSD-3-Clause
// Views: the memory layout of the elements of a batch of matrices.
#pragma once

#include <bifocal/linalg.hpp>

#include <cstddef>

namespace bifocal::linalg {

// Element e of matrix b is at data[e element + b matrix].
template <class T>
struct View {
  T* data = nullptr;
  std::ptrdiff_t element = 0, matrix = 0;
  [[nodiscard]] T* at(int e, int b) const { return data + e * element + b * matrix; }
};

// Returns the view of an input of `size` elements per matrix, with `stride` as in MatrixBatch.
template <class T>
View<T> view_of_input(T* data, MatrixLayout layout, std::ptrdiff_t stride, int count, int size) {
  if (layout == MatrixLayout::interleaved) return {data, stride != 0 ? stride : count, 1};
  return {data, 1, stride != 0 ? stride : size};
}

// Returns the view of an output. Interleaved outputs have the stride of the input, strided outputs
// are dense.
template <class T>
View<T> view_of_output(T* data, MatrixLayout layout, std::ptrdiff_t stride, int count, int size) {
  return view_of_input(data, layout, layout == MatrixLayout::interleaved ? stride : 0, count, size);
}

}  // namespace bifocal::linalg
