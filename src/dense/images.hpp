// SPDX-License-Identifier: BSD-3-Clause
// Pyramids of grey images, as the kernels of dense depth read them.
#pragma once

#include <bifocal/image.hpp>

#include <cstdint>
#include <span>

#include "dense/shape.hpp"

namespace bifocal::dense {

// Writes the padded levels of an image one after another, words.size() >= pyramid_size(). A level
// is the mean of 2 x 2 pixels of the level before. A word has the bytes of four neighbours.
void write_pyramid(const ImageU8& grey, std::span<std::uint32_t> words);

}  // namespace bifocal::dense
