// SPDX-License-Identifier: BSD-3-Clause
// Checks of options and images. Errors name the option or image that does not fit, and its value.
#pragma once

#include <bifocal/stereo.hpp>

namespace bifocal::stereo {

// Both throw Error(usage).
void check_sgm(const SgmOptions& options);
void check_ssd(const SsdOptions& options);

struct ImageShape {
  int width, height, channels;
  bool empty, usable;
};
template <class T>
[[nodiscard]] ImageShape shape_of(ImageView<const T> image) {
  return {image.width, image.height, image.channels, image.empty(), image.usable()};
}
void check_shapes(const char* function, const ImageShape& left, const ImageShape& right,
                  int most_channels);
// Checks that two images have the same size and are grey, or have at most `most_channels` channels.
template <class T>
void check_images(const char* function, ImageView<const T> left, ImageView<const T> right,
                  int most_channels = 1) {
  check_shapes(function, shape_of(left), shape_of(right), most_channels);
}

}  // namespace bifocal::stereo
