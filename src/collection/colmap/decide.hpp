// SPDX-License-Identifier: BSD-3-Clause
// The rules of one pair, on the models that were found of it.
#pragma once

#include <memory>
#include <span>

#include <bifocal/colmap/verify.hpp>
#include <bifocal/robust.hpp>

namespace bifocal::colmap {

// A model of a pair, with a flag for each match; without a model the flags count for nothing.
struct FoundModel {
  Estimate estimate;
  std::span<const std::uint8_t> inliers;

  // That support the model, or the rotation in its place.
  [[nodiscard]] int count() const {
    const bool counts =
        estimate.outcome == Outcome::ok || estimate.outcome == Outcome::rotation_only;
    return counts ? estimate.inlier_count : 0;
  }
};

struct PairView {
  std::span<const PointPair> points, undistorted;
  const ViewCamera *camera1 = nullptr, *camera2 = nullptr;
  FoundModel E, F, H;  // E of no match where a focal length is not known
  FoundModel shared;   // F with the focal length of one camera that is not known
};

// `inliers`: one flag a match, zeros at first.
[[nodiscard]] DecidedPair decide_pair(const PairView& pair, const VerifyOptions& options,
                                      std::span<std::uint8_t> inliers);

// decide() of one batch after another on one queue; the memory of one serves the next.
class BatchDecider {
 public:
  explicit BatchDecider(Queue& queue);
  ~BatchDecider();
  BatchDecider(BatchDecider&&) noexcept;
  BatchDecider& operator=(BatchDecider&&) = delete;

  [[nodiscard]] DecidedPairs decide(const DecideBatch& batch, const VerifyOptions& options);

 private:
  Queue& queue_;
  std::unique_ptr<struct DecideMemory> memory_;
};

}  // namespace bifocal::colmap
