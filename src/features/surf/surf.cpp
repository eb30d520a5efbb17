// SPDX-License-Identifier: BSD-3-Clause
// SURF of one image on the CPU.
#include <bifocal/matching.hpp>

#include <algorithm>

#include "features/grey/grey_device.hpp"
#include "features/order.hpp"
#include "features/sift/sift.hpp"
#include "features/surf/surf_device.hpp"

namespace bifocal {

Features detect_surf(const AnyImageView& image, const SurfOptions& options,
                     ImageView<const std::uint8_t> mask) {
  check_options(options);
  features::check_image(image, "detect_surf");
  features::check_mask("detect_surf", mask, image.width(), image.height());
  if (image.empty()) return {};
  const int width = image.width(), height = image.height();
  const features::Grey grey(image);
  ImageU8 picture(width, height), mask_rows(mask.width, mask.height);  // without gaps between rows
  features::copy_rows(grey.view(), picture.pixels.data());
  if (!mask.empty()) features::copy_rows(mask, mask_rows.pixels.data());
  Queue queue;
  for (int capacity = 0;;) {  // only noise has more features than the first capacity
    features::SurfDevice detector(queue, width, height, options, 1, capacity);
    detector.set_mask(mask_rows);
    capacity = detector.capacity();
    const int most = options.max_features > 0 ? std::min(options.max_features, capacity) : capacity;
    FeatureSet set;
    (void)set.reserve(queue, most);
    detector.run(picture.pixels.data(), 0, 1,
                 {set.keypoints(), set.descriptors(), set.counts(), 0, 0, most});
    if (!detector.was_full(1)) return set.get(queue, 0);
    capacity *= 2;
  }
}

}  // namespace bifocal
