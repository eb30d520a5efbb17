// SPDX-License-Identifier: BSD-3-Clause
#include "pair/detect.hpp"

#include <bifocal/error.hpp>

#include <array>

#include "features/any_detector.hpp"
#include "runtime/memory_limit.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::pair {
namespace {

using PhotographView = ImageView<const std::uint8_t>;

// Detects the features of one image on a new queue.
FeatureSet detected(const Device& device, Photograph& photograph, PhotographView mask,
                    const PairOptions& options) {
  const PhotographView image = photograph.view();
  Queue queue(device);
  FeatureSet set(device);
  // On a CPU images may be larger than any detector.
  if (device.info().kind == DeviceKind::cpu) {
    set.add(queue, options.surf ? detect_surf(image, *options.surf, mask)
                                : detect_sift(image, options.sift, mask));
    return set;
  }
  photograph.upload(queue);
  features::AnyDetector detector(queue, image.width, image.height, {options.sift, options.surf});
  detector.set_mask(mask);
  (void)detector.add(photograph.samples(), 1, set, image.channels);
  // An image with more extrema than the detector's capacity gets no features. For images from the
  // host, the detector tries again with a larger capacity.
  if (set.count(queue, 0) == 0) {
    set.clear();
    const AnyImageView picture(image);
    (void)detector.add({&picture, 1}, set);
  }
  queue.wait();
  return set;
}

}  // namespace

FeatureSet detect(Queue& queue, Photograph& image1, Photograph& image2, const PairOptions& options,
                  const PairInput& input) {
  const Device& device = queue.device();
  std::array<FeatureSet, 2> found;
  const auto find = [&](int i) {
    found[static_cast<std::size_t>(i)] = i == 0 ? detected(device, image1, input.mask1, options)
                                                : detected(device, image2, input.mask2, options);
  };
  try {
    runtime::parallel_for(2, find);
  } catch (const Error& e) {
    if (!runtime::is_out_of_memory(e)) throw;
    for (FeatureSet& one : found) one = FeatureSet();  // frees their memory first
    find(0);
    find(1);
  }
  FeatureSet both(queue.device());
  for (const FeatureSet& one : found)
    both.put(queue, both.reserve(queue, one.count(queue, 0)), one, 0);
  queue.wait();
  return both;
}

}  // namespace bifocal::pair
