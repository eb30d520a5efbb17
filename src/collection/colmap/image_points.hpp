// SPDX-License-Identifier: BSD-3-Clause
// Keypoint positions of an image, with and without lens distortion.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <bifocal/colmap/verify.hpp>

namespace bifocal::colmap {

// Positions are shared by many chunks. Thread-safe.
class ImagePoints {
 public:
  // lens: null without distortion; must outlive the object.
  ImagePoints(std::string name, std::vector<Vec2> px, const LensCamera* lens)
      : name_(std::move(name)), px_(std::move(px)), lens_(lens) {}

  [[nodiscard]] const std::string& name() const { return name_; }  // of the image
  [[nodiscard]] std::span<const Vec2> px() const { return px_; }
  [[nodiscard]] bool has_lens() const { return lens_ != nullptr; }
  // Returns undistorted positions, which are computed on the first call.
  [[nodiscard]] std::span<const Vec2> undistorted() const;
  // Returns the memory of both kinds of positions.
  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>(px_.size() * sizeof(Vec2)) * (lens_ ? 2 : 1);
  }

 private:
  std::string name_;
  std::vector<Vec2> px_;
  const LensCamera* lens_;
  mutable std::once_flag once_;
  mutable std::vector<Vec2> undistorted_;
};

}  // namespace bifocal::colmap
