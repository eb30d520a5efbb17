// SPDX-License-Identifier: BSD-3-Clause
// Pairs of images as arrays [P, 2].
#pragma once

#include <bifocal/matching.hpp>

#include "arrays.hpp"

namespace bifocal::python {

// Reads pairs of image numbers from 0 to images - 1.
[[nodiscard]] std::vector<ImagePair> pairs_of(nb::handle object, const char* name, int images);
[[nodiscard]] nb::object array_of_pairs(const std::vector<ImagePair>& pairs);

}  // namespace bifocal::python
