// SPDX-License-Identifier: BSD-3-Clause
// The lane functions that all problems share, for one instance in double precision.
#pragma once

#include "lane/scalar.hpp"
#include "robust/pair_state.hpp"

namespace bifocal::robust {

template <class Real>
struct scalar_lanes {
  using uniform = scalar_lanes;
#include "lane/cpp_begin.h"

#include "math/math.lanes"

#include "linalg/linalg.lanes"

#include "solvers/solvers.lanes"

#include "robust/search/shared.lanes"

#include "lane/cpp_end.h"
};
using Lanes = scalar_lanes<double>;

}  // namespace bifocal::robust
