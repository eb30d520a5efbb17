// SPDX-License-Identifier: BSD-3-Clause
#include "collection/collect/masks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace bifocal::collection {
namespace fs = std::filesystem;
namespace {

std::array<std::string, 2> names_of(const std::string& photograph) {
  return {photograph + ".png", fs::path(photograph).replace_extension(".png").generic_string()};
}

}  // namespace

fs::path mask_file(const fs::path& masks, const std::string& photograph) {
  std::error_code none;
  for (const std::string& name : names_of(photograph)) {
    const fs::path lower = masks / name;
    if (fs::exists(lower, none)) return lower;
    fs::path upper = lower;
    upper.replace_extension(".PNG");
    if (fs::exists(upper, none)) return upper;
  }
  return {};
}

std::string expected_masks(const fs::path& masks, const std::string& photograph) {
  const auto [whole, stem] = names_of(photograph);
  std::string text = fmt::format("expected {} or {}", whole, stem);
  std::error_code error;
  std::string found;  // first by name, because folder order differs between systems
  for (fs::recursive_directory_iterator entry(masks, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!entry->is_regular_file(error)) continue;
    const std::string name = entry->path().lexically_relative(masks).generic_string();
    if (found.empty() || name < found) found = name;
  }
  return text + (found.empty() ? ", found no file" : ", found " + found);
}

ImageU8 reduced_mask(const ImageU8& mask, const ReducedImage& reduced) {
  const int width = reduced.image.width, height = reduced.image.height;
  if (mask.empty() || (mask.width == width && mask.height == height)) return mask;
  ImageU8 small(width, height);
  const auto first = [](int i, double scale) { return static_cast<int>(i * scale); };
  for (int y = 0; y < mask.height; ++y) {
    const int row = std::min(height - 1, static_cast<int>(y / reduced.scale_y));
    for (int x = 0; x < mask.width; ++x) {
      if (mask.at(x, y) == 0) continue;
      const int column = std::min(width - 1, static_cast<int>(x / reduced.scale_x));
      // A pixel of the file may straddle the border between two reduced pixels.
      const bool is_last_x = column + 1 < width && first(column + 1, reduced.scale_x) <= x;
      const bool is_last_y = row + 1 < height && first(row + 1, reduced.scale_y) <= y;
      for (int j = 0; j <= int{is_last_y}; ++j)
        for (int i = 0; i <= int{is_last_x}; ++i) small.at(column + i, row + j) = 255;
    }
  }
  return small;
}

bool is_masked(const ImageU8& mask, float x, float y) {
  const int column = std::clamp(static_cast<int>(std::floor(x + 0.5F)), 0, mask.width - 1),
            row = std::clamp(static_cast<int>(std::floor(y + 0.5F)), 0, mask.height - 1);
  return mask.at(column, row) == 0;
}

void leave_out_masked(const ImageU8& mask, Features& found) {
  const std::size_t bytes =
      found.keypoints.empty() ? 0 : found.descriptors.size() / found.keypoints.size();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < found.keypoints.size(); ++i) {
    const Keypoint& k = found.keypoints[i];
    if (is_masked(mask, k.x, k.y)) continue;
    found.keypoints[kept] = k;
    if (!found.shapes.empty()) found.shapes[kept] = found.shapes[i];
    std::copy_n(found.descriptors.begin() + static_cast<std::ptrdiff_t>(i * bytes), bytes,
                found.descriptors.begin() + static_cast<std::ptrdiff_t>(kept * bytes));
    ++kept;
  }
  found.keypoints.resize(kept);
  if (!found.shapes.empty()) found.shapes.resize(kept);
  found.descriptors.resize(kept * bytes);
}

}  // namespace bifocal::collection
