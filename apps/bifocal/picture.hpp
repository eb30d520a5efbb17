// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>
#include <bifocal/error.hpp>
#include <bifocal/image.hpp>
#include <bifocal/io.hpp>

#include <string>

namespace bifocal::cli {

// A photograph with the bit depth of its file; a PNG of 16 bits keeps 16.
struct Picture {
  ImageU8 image;  // empty if the file has 16 bits
  ImageU16 deep;
  int width = 0, height = 0;
};
Picture read_picture(const std::string& file);

struct PictureSize {
  const std::string& file;
  int width, height;
};
// Throws Error(input) with the row of a match outside of its picture. Rows of weight 0 do not
// count.
void check_inside(const std::string& file, const Correspondences& rows, const PictureSize& left,
                  const PictureSize& right);
// Lists the image formats that this build reads: "JPEG, PNG, TIFF, WebP, BMP, PGM or PPM".
[[nodiscard]] std::string image_formats();

// Throws Error(input) "NAME 40 x 30 px, but PICTURE is 400 x 300 px" unless both sizes are equal.
template <class Sized, class Pixels>
void check_size(const std::string& what, const Sized& of, const std::string& picture,
                const Pixels& pixels) {
  if (of.width == pixels.width && of.height == pixels.height) return;
  throw Error(ErrorCode::input, fmt::format("{} {} x {} px, but {} is {} x {} px", what, of.width,
                                            of.height, picture, pixels.width, pixels.height));
}

}  // namespace bifocal::cli
