// SPDX-License-Identifier: BSD-3-Clause
// The nearest rotation of a matrix, and the check of rotations that a caller gives.
#include <bifocal/error.hpp>
#include <bifocal/linalg.hpp>
#include <bifocal/geometry.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "linalg/svd3.hpp"

namespace bifocal {
namespace {

constexpr double kRounding = 1e-12;  // of a rotation that stays unchanged

bool is_finite(const Mat3& m) {
  return std::all_of(m.begin(), m.end(), [](double v) { return std::isfinite(v); });
}

}  // namespace

namespace linalg {

Svd3 svd3(const Mat3& A) {
  Svd3 out;
  Queue queue;
  svd<double>(queue, {A.data(), 3, 3, 1},
              {.S = out.S.data(), .V = out.V.data(), .U = out.U.data()});
  return out;
}

}  // namespace linalg

Mat3 nearest_rotation(const Mat3& M) {
  if (!is_finite(M)) throw Error(ErrorCode::usage, "nearest_rotation: the matrix is not finite");
  if (rotation_error(M) <= kRounding) return M;
  const linalg::Svd3 f = linalg::svd3(M);
  const double sign = std::copysign(1, determinant(f.U) * determinant(f.V));
  Mat3 R{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k)
        R[3 * i + j] += (k == 2 ? sign : 1) * f.U[3 * i + k] * f.V[3 * j + k];
  return R;
}

std::string rotation_fault(const Mat3& R) {
  if (!is_finite(R)) return "is no rotation: R is not finite";
  const double error = rotation_error(R);
  if (error <= kRotationTolerance) return {};
  return fmt::format(
      "is no rotation: R R' differs from I, or its determinant from 1, by {:.3g}, must be at most "
      "{}",
      error, kRotationTolerance);
}

Mat3 checked_rotation(std::string_view name, const Mat3& R) {
  if (const std::string fault = rotation_fault(R); !fault.empty())
    throw Error(ErrorCode::usage, fmt::format("{} {}", name, fault));
  return nearest_rotation(R);
}

}  // namespace bifocal
