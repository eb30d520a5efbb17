// SPDX-License-Identifier: BSD-3-Clause
// Lane functions as plain functions of scalars. Functions of single solvers are excluded, so that a
// change to a solver recompiles only its own tests.
#pragma once

#include "lane/scalar.hpp"

namespace bifocal::test {

template <class Real>
struct lanes {
#include "lane/cpp_begin.h"

#include "math/math.lanes"

#include "linalg/linalg.lanes"

#include "solvers/shared.lanes"

#include "lane/cpp_end.h"
};
}  // namespace bifocal::test
