// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/image.hpp>

#include <string>

namespace bifocal::cli {

// A photograph in the depth of its file: a PNG of 16 bits keeps them.
struct Picture {
  ImageU8 image;  // empty when deep
  ImageU16 deep;
  int width = 0, height = 0;
};
Picture read_picture(const std::string& file);

}  // namespace bifocal::cli
