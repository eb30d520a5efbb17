// SPDX-License-Identifier: BSD-3-Clause
#include "picture.hpp"

#include <filesystem>
#include <fstream>
#include <string_view>

#include <bifocal/io.hpp>

namespace bifocal::cli {

Picture read_picture(const std::string& file) {
  char head[25] = {};  // signature, length and name of the first chunk, width, height, bit depth
  std::error_code ignored;
  if (std::filesystem::is_regular_file(file, ignored))
    std::ifstream(file, std::ios::binary).read(head, sizeof head);
  Picture p;
  if (std::string_view(head, 4) == "\x89PNG" && head[24] == 16) {
    p.deep = read_image_16(file);
    p.width = p.deep.width, p.height = p.deep.height;
  } else {
    p.image = read_image(file);
    p.width = p.image.width, p.height = p.image.height;
  }
  return p;
}

std::string image_formats() {
  std::string text = "JPEG, PNG, ";
  if constexpr (BIFOCAL_READS_TIFF) text += "TIFF, ";
  if constexpr (BIFOCAL_READS_WEBP) text += "WebP, ";
  return text + "BMP, PGM or PPM";
}

}  // namespace bifocal::cli
