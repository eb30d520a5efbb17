// SPDX-License-Identifier: BSD-3-Clause
// A pair whose cameras nobody gave: what its matches tell of the one that took both pictures.
#pragma once

#include <bifocal/two_photographs.hpp>

#include <optional>
#include <vector>

#include "pair/resident_pair.hpp"

namespace bifocal::pair {

// The pictures, and px of them, in which pinholes see a pair: the photographs, or those without
// their lens.
struct PinholePair {
  ImageView<const std::uint8_t> image1, image2;
  ImageView<const std::uint8_t> inside;  // of both: where they hold something; empty: everywhere
  std::vector<PointPair> inliers;
  Mat3 F{};  // of a pair with a fundamental matrix
};
[[nodiscard]] PinholePair pinhole_pair(ImageView<const std::uint8_t> image1,
                                       ImageView<const std::uint8_t> image2,
                                       const PairResult& result);

// A pinhole with square pixels in whose middle the principal point lies.
[[nodiscard]] Intrinsics camera_of(ImageView<const std::uint8_t> image, double focal_length);

// Of a pair with a fundamental matrix and no camera whose pictures have one size. Where F with the
// distortion of a lens explains more of the matches than F alone, it becomes the model of `result`,
// with straight pictures; where the matches tell the focal length, `result` has it and the pose.
void tell_camera(Queue& queue, const ResidentPair& resident, ImageView<const std::uint8_t> image1,
                 ImageView<const std::uint8_t> image2, const PairOptions& options,
                 PairResult& result);

}  // namespace bifocal::pair
