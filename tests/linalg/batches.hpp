// SPDX-License-Identifier: BSD-3-Clause
// Converts matrices to and from the layouts of bifocal/linalg.hpp.
#pragma once

#include <bifocal/linalg.hpp>

#include <vector>

#include <Eigen/Dense>

namespace bifocal::test {

struct Layout {
  MatrixLayout kind = MatrixLayout::interleaved;
  std::ptrdiff_t stride = 0;  // as in MatrixBatch; 0: dense

  // Returns the index of element e of matrix b, for matrices of `size` elements.
  [[nodiscard]] std::size_t at(int count, int size, int b, int e) const {
    const bool interleaved = kind == MatrixLayout::interleaved;
    const std::ptrdiff_t step = stride != 0 ? stride : interleaved ? count : size;
    return static_cast<std::size_t>(interleaved ? e * step + b : b * step + e);
  }
  // Returns the numbers of a batch, gaps included.
  [[nodiscard]] std::size_t extent(int count, int size) const {
    return count == 0 || size == 0 ? 0 : at(count, size, count - 1, size - 1) + 1;
  }
  // Returns the layout of outputs that belong to inputs of this layout.
  [[nodiscard]] Layout of_outputs() const {
    return {kind, kind == MatrixLayout::interleaved ? stride : 0};
  }
};

// Packs matrices into a layout; gaps hold `gap`.
template <class T>
std::vector<T> pack(const std::vector<Eigen::MatrixXd>& matrices, const Layout& layout = {},
                    T gap = T(0)) {
  const int count = static_cast<int>(matrices.size());
  if (count == 0) return {};
  const int cols = static_cast<int>(matrices[0].cols());
  const int size = static_cast<int>(matrices[0].size());
  std::vector<T> data(layout.extent(count, size), gap);
  for (int b = 0; b < count; ++b) {
    for (int e = 0; e < size; ++e) {
      data[layout.at(count, size, b, e)] =
          static_cast<T>(matrices[static_cast<std::size_t>(b)](e / cols, e % cols));
    }
  }
  return data;
}

// Returns matrix b from a batch of rows x cols matrices.
template <class T>
Eigen::MatrixXd unpack(const std::vector<T>& data, int count, int b, int rows, int cols,
                       const Layout& layout = {}) {
  Eigen::MatrixXd A(rows, cols);
  for (int e = 0; e < rows * cols; ++e) {
    A(e / cols, e % cols) = static_cast<double>(data[layout.at(count, rows * cols, b, e)]);
  }
  return A;
}

}  // namespace bifocal::test
