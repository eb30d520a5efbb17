// SPDX-License-Identifier: BSD-3-Clause
// Common declarations of the suite `stereo`.
#pragma once

#include <functional>
#include <memory>

#include <bifocal/stereo.hpp>

#include "frame/bench.hpp"
#include "shifted_noise.hpp"

namespace bifocal::bench {

// Semi-global matching of frames on a GPU (suites/stereo_device.cpp).
void run_stereo_device(Context& context);

// Repeated frames of one pair by a StereoMatcher of the CPU, for SgmOptions or SsdOptions.
template <class Options>
[[nodiscard]] std::function<void()> frames_of(const StereoPair& pair, const Options& options) {
  struct Frames {
    Queue queue;
    StereoMatcher matcher;
    DisparityMap map;
    Frames(const StereoPair& p, const Options& o)
        : matcher(queue, p.left.width, p.left.height, o) {}
  };
  const auto frames = std::make_shared<Frames>(pair, options);
  return [&pair, frames] {
    frames->matcher.submit(pair.left, pair.right);
    frames->matcher.next(frames->map);
    keep(frames->map);
  };
}

}  // namespace bifocal::bench
