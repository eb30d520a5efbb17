// SPDX-License-Identifier: BSD-3-Clause
#include "priors.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <bifocal/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

#include "models.hpp"

namespace bifocal::python {
namespace {

template <class T>
using Array = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

PriorLoss loss_of(const std::string& kind, const std::string& word, double scale) {
  const auto* const found = std::ranges::find(kAdjustLossWords, word);
  if (found == std::end(kAdjustLossWords))
    throw Error(ErrorCode::usage, "priors: loss of " + kind + " is '" + word +
                                      "', must be trivial, huber, soft_l1 or cauchy");
  return {static_cast<AdjustLoss>(found - kAdjustLossWords), scale};
}

Vec3 vector_at(const double* row) { return {row[0], row[1], row[2]}; }
Mat3 matrix_at(const double* row) {
  Mat3 m;
  std::copy_n(row, m.size(), m.begin());
  return m;
}

// Calls add(index, row) for every prior of a kind.
template <class Add>
void read_kind(const nb::dict& tables, const char* kind, PriorLoss& loss, AdjustPriors& priors,
               const Add& add) {
  if (!tables.contains(kind)) return;
  using Table = std::tuple<Array<std::int32_t>, Array<double>, std::string, double, Array<double>>;
  const auto [indices, numbers, word, scale, up] = nb::cast<Table>(tables[kind]);
  loss = loss_of(kind, word, scale);
  const std::size_t columns = numbers.shape(1);
  for (std::size_t i = 0; i < indices.size(); ++i)
    add(indices.data()[i], numbers.data() + i * columns);
  if (up.size() == 3) priors.up = vector_at(up.data());
}

nb::object array_of(const std::vector<double>& values) {
  return array_from(std::vector<double>(values), {values.size()});
}

}  // namespace

AdjustPriors priors_of(const nb::dict& tables) {
  AdjustPriors p;
  read_kind(tables, "positions", p.position_loss, p, [&](int index, const double* row) {
    p.positions.push_back({index, vector_at(row), matrix_at(row + 3)});
  });
  read_kind(tables, "directions", p.direction_loss, p, [&](int index, const double* row) {
    p.directions.push_back({index, vector_at(row), vector_at(row + 3), row[6]});
  });
  read_kind(tables, "orientations", p.orientation_loss, p, [&](int index, const double* row) {
    p.orientations.push_back({index, matrix_at(row), vector_at(row + 9)});
  });
  read_kind(tables, "points", p.point_loss, p, [&](int index, const double* row) {
    p.points.push_back({index, vector_at(row), matrix_at(row + 3)});
  });
  read_kind(tables, "heights", p.height_loss, p, [&](int index, const double* row) {
    p.heights.push_back({index, row[0], row[1]});
  });
  read_kind(tables, "parameters", p.parameter_loss, p, [&](int index, const double* row) {
    p.parameters.push_back({index, static_cast<int>(row[0]), row[1], row[2]});
  });
  return p;
}

nb::dict residuals_dict(const PriorResiduals& residuals) {
  nb::dict d;
  d["positions"] = array_of(residuals.positions);
  d["directions"] = array_of(residuals.directions);
  d["orientations"] = array_of(residuals.orientations);
  d["points"] = array_of(residuals.points);
  d["heights"] = array_of(residuals.heights);
  d["parameters"] = array_of(residuals.parameters);
  return d;
}

}  // namespace bifocal::python
