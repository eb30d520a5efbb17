// SPDX-License-Identifier: BSD-3-Clause
// Per-pixel rules on plain numbers, for C++.
#pragma once

#include "lane/scalar.hpp"

namespace bifocal::stereo {

template <class Real>
struct rules_of {
#include "lane/cpp_begin.h"

#include "stereo/stereo.lanes"

#include "lane/cpp_end.h"
};
using Rules = rules_of<float>;

}  // namespace bifocal::stereo
