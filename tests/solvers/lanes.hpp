// SPDX-License-Identifier: BSD-3-Clause
// The lane functions as plain functions of scalars.
#pragma once

#include "lane/scalar.hpp"

namespace bifocal::test {

template <class Real>
struct lanes {
#include "lane/cpp_begin.h"

#include "math/math.lanes"

#include "linalg/linalg.lanes"

#include "solvers/solvers.lanes"

#include "lane/cpp_end.h"
};
}  // namespace bifocal::test
