// SPDX-License-Identifier: BSD-3-Clause
// Applies COLMAP's rules to a pair, based on the models estimated for it.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <bifocal/colmap/verify.hpp>
#include <bifocal/robust.hpp>

#include "verify/records.hpp"

namespace bifocal::colmap {

// A model of a pair, with a flag for each match; without a model the flags have no meaning.
struct FoundModel {
  Estimate estimate;
  std::span<const std::uint8_t> inliers;

  // Returns the number of inliers of the model, or of the rotation if only a rotation was found;
  // 0 without either.
  [[nodiscard]] int count() const {
    const bool counts =
        estimate.outcome == Outcome::ok || estimate.outcome == Outcome::rotation_only;
    return counts ? estimate.num_inliers : 0;
  }
};

// The points of a batch on the host. Points in device memory are downloaded at the first call of
// get(), because few batches need them. Thread-safe.
class HostPoints {
 public:
  HostPoints(Queue& queue, const Memory<const PointPair>& points, std::size_t size)
      : queue_(queue), points_(points), size_(size) {}
  [[nodiscard]] std::span<const PointPair> get() const;

 private:
  Queue& queue_;
  const Memory<const PointPair> points_;
  const std::size_t size_;
  mutable std::once_flag once_;
  mutable std::vector<PointPair> downloaded_;
};

struct PairView {
  std::size_t first = 0;  // index of its first point in the batch
  const HostPoints *points = nullptr, *undistorted = nullptr;
  std::span<const std::uint8_t> at_border;  // 1: at the border of both images (inner_area_of)
  const ViewCamera *camera1 = nullptr, *camera2 = nullptr;
  FoundModel E, F, H;  // E without a match if a focal length is unknown
  FoundModel shared;   // F with the unknown focal length of one camera
};

// Returns the part of an image inside a border of `size` times its diagonal; the whole plane if the
// size of the image is unknown.
[[nodiscard]] verify::inner_area inner_area_of(const ViewCamera& camera, double size);

// Decides the configuration of a pair. inliers: one flag per match, initially zero.
[[nodiscard]] DecidedPair decide_pair(const PairView& pair, const TwoViewGeometryOptions& options,
                                      std::span<std::uint8_t> inliers);

// Runs decide() for successive batches on one queue and reuses the memory. Pairs with fewer matches
// than `min_matches` are degenerate.
class BatchDecider {
 public:
  explicit BatchDecider(Queue& queue);
  ~BatchDecider();
  BatchDecider(BatchDecider&&) noexcept;
  BatchDecider& operator=(BatchDecider&&) = delete;

  [[nodiscard]] DecidedPairs decide(const DecideBatch& batch, const TwoViewGeometryOptions& options,
                                    int min_matches = 0);

 private:
  Queue& queue_;
  std::unique_ptr<struct DecideMemory> memory_;
};

}  // namespace bifocal::colmap
