// SPDX-License-Identifier: BSD-3-Clause
// Rules of SIFT on plain numbers, for C++.
#pragma once

#include "lane/scalar.hpp"

namespace bifocal::features {

template <class Real>
struct sift_rules_of {
#include "lane/cpp_begin.h"

#include "features/sift/sift.lane.h"
#include "features/shape/shape.lane.h"

#include "lane/cpp_end.h"
};
using SiftRules = sift_rules_of<float>;

}  // namespace bifocal::features
