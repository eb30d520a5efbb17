// SPDX-License-Identifier: BSD-3-Clause
// The lane functions of this room for one instance in double precision.
#pragma once

#include "lane/scalar.hpp"

namespace bifocal::robust {

template <class Real, int Problem = 0>
struct scalar_lanes {
  static constexpr int PROBLEM = Problem;
  using uniform = scalar_lanes;
#include "lane/cpp_begin.h"

#include "math/math.lanes"

#include "linalg/linalg.lanes"

#include "solvers/solvers.lanes"

#include "robust/robust.groups"

#include "robust/engine.groups"

#include "lane/cpp_end.h"
};
using Lanes = scalar_lanes<double>;

}  // namespace bifocal::robust
