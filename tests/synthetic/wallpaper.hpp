// SPDX-License-Identifier: BSD-3-Clause
// Two images of a wall with a periodic pattern, for tests of doubts about repeated structure.
#pragma once

#include <bifocal/geometry.hpp>
#include <bifocal/image.hpp>

#include <cstdint>

namespace bifocal::synthetic {

// The cameras (640 x 480 px) stand 4 in front of the wall and see areas between 0.2 and 0.8 of the
// image's width apart. The board, 0.7 wide and 1.8 high, is 1 in front of the wall.
struct WallpaperOptions {
  double period = 1.2;     // horizontal period of the pattern; the vertical one is 1.3 times it
  double variation = 0.2;  // contrast of stains without a period, as a fraction of the pattern's
  bool has_second_plane = false;  // a board without repetition before the wall
  std::uint32_t seed = 0;
};

struct WallpaperPair {
  ImageU8 image1, image2;  // grey
  Intrinsics camera{600, 600, 319.5, 239.5};
  Pose truth;            // cam2_from_cam1
  Mat3 wall{}, board{};  // homographies, px of image 1 to px of image 2
};

[[nodiscard]] WallpaperPair make_wallpaper(const WallpaperOptions& options);

}  // namespace bifocal::synthetic
