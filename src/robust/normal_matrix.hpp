// SPDX-License-Identifier: BSD-3-Clause
// Normal matrices of a few parameters, and their inverses.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace bifocal::robust {

// J' J of all points' whitened constraints in d parameters.
struct Normal {
  std::size_t d = 0;
  std::vector<double> matrix;  // d x d
  double squares = 0;          // px^2
  std::int64_t constraints = 0;

  explicit Normal(std::size_t parameters) : d(parameters), matrix(parameters * parameters) {}
  // A row of the whitened Jacobian.
  void add(const double* row) {
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j) matrix[i * d + j] += row[i] * row[j];
    ++constraints;
  }
};

// The inverse of a symmetric positive definite matrix, by Cholesky's method after scaling to a
// diagonal of ones; false where it has none to speak of.
[[nodiscard]] bool invert(std::vector<double>& m, std::size_t d);

// out = D C D', D of `rows` rows.
template <std::size_t N>
void map_to(const std::vector<double>& C, std::size_t d, const std::vector<double>& D,
            std::array<double, N>& out) {
  const std::size_t rows = D.size() / d;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < rows; ++j) {
      double sum = 0;
      for (std::size_t a = 0; a < d; ++a)
        for (std::size_t b = 0; b < d; ++b) sum += D[i * d + a] * C[a * d + b] * D[j * d + b];
      out[i * rows + j] = sum;
    }
  }
}

}  // namespace bifocal::robust
