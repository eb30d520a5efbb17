// SPDX-License-Identifier: BSD-3-Clause
// The layout of adjust.kernels for the host.
#pragma once

#include <bifocal/geometry.hpp>

#include <array>
#include <span>
#include <vector>

#include "adjust/adjust.kernels.hpp"
#include "scene/lens_model.hpp"

namespace bifocal::adjustment {

using namespace kernels::adjust;  // SLICE, CAMERA_FX, ...
using namespace scene;            // LENS_..., COLUMN_...

// The records of arrays.h.
struct PoseRecord {
  Mat3 R;
  Vec3 centre;
};
struct ProjectionRecord {
  double fx, fy, cx, cy, kind;
  std::array<double, CAMERA_SLOTS - CAMERA_LENS> lens;
  std::array<double, CAMERA_SIZE - CAMERA_SLOTS> slots;
};
struct PointRecord {
  Vec3 X;
  double unused;
};
static_assert(sizeof(PoseRecord) == POSE_SIZE * sizeof(double));
static_assert(sizeof(ProjectionRecord) == CAMERA_SIZE * sizeof(double));
static_assert(sizeof(PointRecord) == POINT_SIZE * sizeof(double));

// The numbers of records, as kernels see them.
template <class Record>
[[nodiscard]] std::span<const double> numbers_of(const std::vector<Record>& records) {
  return {reinterpret_cast<const double*>(records.data()),
          records.size() * (sizeof(Record) / sizeof(double))};
}
template <class Record>
[[nodiscard]] std::span<double> numbers_of(std::vector<Record>& records) {
  return {reinterpret_cast<double*>(records.data()),
          records.size() * (sizeof(Record) / sizeof(double))};
}

}  // namespace bifocal::adjustment
