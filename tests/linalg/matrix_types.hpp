// SPDX-License-Identifier: BSD-3-Clause
// Matrices that break careless SVD and eigenvalue code: LAPACK's test types (TESTING/EIG/ddrvev.f,
// ddrvbd.f) and classical matrices. The same seed gives the same matrix.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <vector>

namespace bifocal::test {

enum class MatrixType {
#define MATRIX_TYPE(name, derogatory) name,
#include "linalg/matrix_types.def"
};

struct MatrixTypeInfo {
  MatrixType type;
  const char* name;
  bool derogatory;  // (nearly) equal eigenvalues: their vectors are not well defined
  bool square;      // made for m = n only
};
[[nodiscard]] const std::vector<MatrixTypeInfo>& matrix_types();
// Returns the types of square matrices, or the types of any shape.
[[nodiscard]] std::vector<MatrixTypeInfo> matrix_types_of(bool square);
[[nodiscard]] const char* name_of(MatrixType type);

// The precision for which a matrix is made difficult.
struct Precision {
  double eps, smallest, largest;  // ulp of 1, smallest normal number, largest number
};
[[nodiscard]] Eigen::MatrixXd make_matrix(MatrixType type, int m, int n, std::uint64_t seed,
                                          const Precision& precision);

// Makes a matrix of this type that is difficult in precision T, with entries that T
// represents exactly.
template <class T>
Eigen::MatrixXd make_matrix(MatrixType type, int m, int n, std::uint64_t seed) {
  using Limits = std::numeric_limits<T>;
  return make_matrix(type, m, n, seed, {Limits::epsilon(), Limits::min(), Limits::max()})
      .template cast<T>()
      .template cast<double>();
}

}  // namespace bifocal::test
