// SPDX-License-Identifier: BSD-3-Clause
#include "picture.hpp"

#include <cmath>
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

void check_inside(const std::string& file, const Correspondences& rows, const PictureSize& left,
                  const PictureSize& right) {
  const auto check = [&](std::size_t row, double x, double y, const PictureSize& p) {
    // Tolerates programs whose pixel origin is the corner of a pixel.
    const bool inside = x >= -1 && y >= -1 && x <= p.width && y <= p.height;
    if (inside || !std::isfinite(x) || !std::isfinite(y)) return;
    throw Error(ErrorCode::input, fmt::format("{}: row {}: {} {} is outside {}, {} x {} px", file,
                                              row + 1, x, y, p.file, p.width, p.height));
  };
  for (std::size_t i = 0; i < rows.points.size(); ++i) {
    if (!rows.weights.empty() && rows.weights[i] == 0) continue;
    check(i, rows.points[i].x1, rows.points[i].y1, left);
    check(i, rows.points[i].x2, rows.points[i].y2, right);
  }
}

std::string image_formats() {
  std::string text = "JPEG, PNG, ";
  if constexpr (BIFOCAL_READS_TIFF) text += "TIFF, ";
  if constexpr (BIFOCAL_READS_WEBP) text += "WebP, ";
  return text + "BMP, PGM or PPM";
}

}  // namespace bifocal::cli
