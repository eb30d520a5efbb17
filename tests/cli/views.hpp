// SPDX-License-Identifier: BSD-3-Clause
// Photographs of two synthetic scenes.
#pragma once

#include <fmt/format.h>
#include <bifocal/io.hpp>

#include <filesystem>

#include "support/texture.hpp"

namespace bifocal::test {

// Renders a view of a scene of four planes next to each other, moved to the right by `shift`.
inline ImageU8 view_of(unsigned scene, double shift) {
  const ImageU8 at_zero = texture(400, 300, 10 * scene + 1);
  ImageU8 view = texture(400, 300, 10 * scene + 2);
  constexpr int kShifts[] = {10, 34, 16, 28};
  for (int x = 0; x < 400; ++x) {
    const int to = x - int(shift * kShifts[x / 100]);
    for (int y = 0; to >= 0 && y < 300; ++y) view.at(to, y) = at_zero.at(x, y);
  }
  return view;
}

// Writes three views of each of two scenes: a/0.png to a/2.png and b/0.jpg to b/2.jpg.
inline void write_views(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder / "a");
  std::filesystem::create_directories(folder / "b");
  for (int i = 0; i < 3; ++i) {
    write_png(folder / fmt::format("a/{}.png", i), view_of(1, i));
    write_file(folder / fmt::format("b/{}.jpg", i), encode_jpeg(view_of(2, i), 95));
  }
}

}  // namespace bifocal::test
