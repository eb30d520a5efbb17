// SPDX-License-Identifier: BSD-3-Clause
// disparity.lane.h on plain numbers, for C++.
#pragma once

#include "lane/scalar.hpp"

namespace bifocal::stereo {

template <class Real>
struct disparity_text_of {
#include "lane/cpp_begin.h"

#include "stereo/disparity.lane.h"

#include "lane/cpp_end.h"
};
using disparity_text = disparity_text_of<float>;

}  // namespace bifocal::stereo
