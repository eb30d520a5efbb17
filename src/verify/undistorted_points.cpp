// SPDX-License-Identifier: BSD-3-Clause
#include "verify/undistorted_points.hpp"

#include <bifocal/error.hpp>

#include "runtime/parallel.hpp"
#include "runtime/workspace.hpp"
#include "verify/gather.kernels.hpp"

namespace bifocal::verify {

void UndistortedPoints::undistort(const FeatureSet& set, int image, const LensCamera& camera) {
  char& is_done = has_image_[static_cast<std::size_t>(image)];
  if (is_done) return;
  check_cancelled();
  const std::vector<Keypoint> keypoints = set.get_keypoints(queue_, image);
  std::vector<Vec2> positions(keypoints.size());
  runtime::parallel_each(
      keypoints.size(),
      [&](std::size_t i) {
        positions[i] = camera.undistort({keypoints[i].x, keypoints[i].y});
      },
      256);
  if (!positions.empty())
    runtime::upload(queue_, *positions_.memory(),
                    static_cast<std::size_t>(set.begin(image)) * sizeof(Vec2), positions.data(),
                    positions.size() * sizeof(Vec2));
  queue_.wait();
  is_done = 1;
}

Memory<const PointPair> UndistortedPoints::of_matches(
    const PlacedMatches& placed, const std::function<LensCamera(int image)>& camera) {
  const auto& [set, matches, images, begins, offsets] = placed;
  if (has_image_.empty()) {
    positions_ = Buffer<Vec2>(queue_.device(), static_cast<std::size_t>(set.room()));
    has_image_.resize(static_cast<std::size_t>(set.size()));
  }
  std::vector<std::int64_t> rows1, rows2;
  for (const auto [image1, image2] : images) {
    undistort(set, image1, camera(image1));
    undistort(set, image2, camera(image2));
    rows1.push_back(set.begin(image1));
    rows2.push_back(set.begin(image2));
  }
  make_capacity(queue_.device(), points_, static_cast<std::size_t>(offsets.back()));
  if (is_cpu(queue_)) {
    runtime::parallel_each(
        images.size(),
        [&, begins = begins, offsets = offsets, &matches = matches](std::size_t k) {
          const Match* own = matches.pointer() + begins[k];
          const Vec2 *one = positions_.data() + rows1[k], *two = positions_.data() + rows2[k];
          for (std::int64_t i = offsets[k]; i < offsets[k + 1]; ++i, ++own) {
            const Vec2 &a = one[own->index1], &b = two[own->index2];
            points_.data()[i] = {a[0], a[1], b[0], b[1]};
          }
        },
        kPairsAtOnce);
    return points_;
  }
  runtime::Workspace workspace(queue_);
  const auto uploaded = [&](std::span<const std::int64_t> numbers) {
    auto there = workspace.take<std::int64_t>(numbers.size());
    there.upload(queue_, numbers);
    return there;
  };
  static const kernels::gather::launch<double> launch(kernels::gather::GATHER_THREADS);
  launch.gather_positions(
      queue_, {.count = static_cast<int>(images.size())},
      {.matches = runtime::Array<const feature_match>(runtime::Argument(matches)),
       .begins = uploaded(begins),
       .offsets = uploaded(offsets),
       .positions = runtime::Array<const position>(runtime::Argument(positions_)),
       .rows1 = uploaded(rows1),
       .rows2 = uploaded(rows2),
       .points = runtime::Array<point_pair>(runtime::Argument(points_))});
  queue_.wait();
  return points_;
}

}  // namespace bifocal::verify
