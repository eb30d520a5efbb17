// SPDX-License-Identifier: BSD-3-Clause
// Results that several calls return.
#pragma once

#include "arrays.hpp"

namespace bifocal::python {

struct Batch {
  ModelKind kind = ModelKind::homography;
  bool has_pose = false;
  BatchEstimate result;
  std::vector<std::int64_t> offsets;
};

struct Matches {
  std::vector<Match> rows;
};

}  // namespace bifocal::python
