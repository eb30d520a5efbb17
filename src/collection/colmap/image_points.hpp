// SPDX-License-Identifier: BSD-3-Clause
// Keypoints of images, and of a piece's matches the points that they join.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <bifocal/colmap/verify.hpp>

namespace bifocal::colmap {

// Pairs that one thread puts together: one alone is too little.
inline constexpr std::size_t kPairsAtOnce = 16;

// Of one image. Many pieces share them; any thread may ask.
class ImagePoints {
 public:
  // `lens`: null where there is none to be taken away; lives longer.
  ImagePoints(std::vector<Vec2> px, const Undistortion* lens) : px_(std::move(px)), lens_(lens) {}

  [[nodiscard]] std::span<const Vec2> px() const { return px_; }
  [[nodiscard]] bool has_lens() const { return lens_ != nullptr; }
  // Without the lens; found when they are first asked for.
  [[nodiscard]] std::span<const Vec2> straight() const;
  // With those without the lens.
  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>(px_.size() * sizeof(Vec2)) * (lens_ ? 2 : 1);
  }

 private:
  std::vector<Vec2> px_;
  const Undistortion* lens_;
  mutable std::once_flag once_;
  mutable std::vector<Vec2> straight_;
};

// Memory that one piece after another uses and that is not filled first: most of what putting
// points together took was new pages.
template <class T>
class Reused {
 public:
  std::span<T> take(std::size_t size) {
    if (size > size_) {
      size_ = size + size / 4;
      data_.reset();
      data_ = std::make_unique_for_overwrite<T[]>(size_);
    }
    return {data_.get(), size};
  }

 private:
  std::unique_ptr<T[]> data_;
  std::size_t size_ = 0;
};

}  // namespace bifocal::colmap
