// SPDX-License-Identifier: BSD-3-Clause
// The lane functions that all problems share, for one instance in double precision.
#pragma once

#include "lane/scalar.hpp"
#include "robust/pair_state.hpp"

namespace bifocal::robust {

template <class Real>
struct scalar_math {
  using uniform = scalar_math;
#include "lane/cpp_begin.h"

#include "math/math.lanes"

#include "linalg/linalg.lanes"

#include "solvers/shared.lanes"

#include "robust/ransac/shared.lanes"

#include "lane/cpp_end.h"
};
using ScalarMath = scalar_math<double>;

}  // namespace bifocal::robust
