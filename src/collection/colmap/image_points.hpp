// SPDX-License-Identifier: BSD-3-Clause
// Positions of the keypoints of an image, with and without the distortion of its lens.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <bifocal/colmap/verify.hpp>

namespace bifocal::colmap {

// Many pieces share the positions of an image; any thread may ask.
class ImagePoints {
 public:
  // lens: null if there is none to remove; it lives longer.
  ImagePoints(std::vector<Vec2> px, const Undistortion* lens) : px_(std::move(px)), lens_(lens) {}

  [[nodiscard]] std::span<const Vec2> px() const { return px_; }
  [[nodiscard]] bool has_lens() const { return lens_ != nullptr; }
  // Computed once, when they are first asked for.
  [[nodiscard]] std::span<const Vec2> undistorted() const;
  // Both kinds of positions.
  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>(px_.size() * sizeof(Vec2)) * (lens_ ? 2 : 1);
  }

 private:
  std::vector<Vec2> px_;
  const Undistortion* lens_;
  mutable std::once_flag once_;
  mutable std::vector<Vec2> undistorted_;
};

}  // namespace bifocal::colmap
