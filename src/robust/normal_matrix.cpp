// SPDX-License-Identifier: BSD-3-Clause
#include "robust/normal_matrix.hpp"

#include <cmath>
#include <utility>

namespace bifocal::robust {

bool invert(std::vector<double>& m, std::size_t d) {
  std::vector<double> scale(d), L(d * d), inverse(d * d);
  for (std::size_t i = 0; i < d; ++i) {
    if (!(m[i * d + i] > 0)) return false;
    scale[i] = 1 / std::sqrt(m[i * d + i]);
  }
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = m[i * d + j] * scale[i] * scale[j];
      for (std::size_t k = 0; k < j; ++k) sum -= L[i * d + k] * L[j * d + k];
      if (i == j && !(sum > 1e-13)) return false;
      L[i * d + j] = i == j ? std::sqrt(sum) : sum / L[j * d + j];
    }
  }
  for (std::size_t column = 0; column < d; ++column) {  // L L' x = e
    std::vector<double> x(d);
    for (std::size_t i = 0; i < d; ++i) {
      double sum = i == column ? 1 : 0;
      for (std::size_t k = 0; k < i; ++k) sum -= L[i * d + k] * x[k];
      x[i] = sum / L[i * d + i];
    }
    for (std::size_t i = d; i-- > 0;) {
      for (std::size_t k = i + 1; k < d; ++k) x[i] -= L[k * d + i] * x[k];
      x[i] /= L[i * d + i];
    }
    for (std::size_t i = 0; i < d; ++i) inverse[i * d + column] = x[i] * scale[i] * scale[column];
  }
  m = std::move(inverse);
  return true;
}

}  // namespace bifocal::robust
