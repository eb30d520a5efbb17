// SPDX-License-Identifier: BSD-3-Clause
#include "verify/undistorted_points.hpp"

#include <bifocal/error.hpp>

#include <utility>

#include "scene/lens_model.hpp"
#include "runtime/parallel.hpp"
#include "runtime/workspace.hpp"
#include "verify/gather.hpp"

namespace bifocal::verify {
namespace {

using runtime::Array;

template <class T>
auto uploaded(Queue& queue, runtime::Workspace& workspace, std::span<const T> numbers) {
  auto on_device = workspace.take<T>(numbers.size());
  on_device.upload(queue, numbers);
  return on_device;
}

}  // namespace

void UndistortedPoints::undistort(const FeatureSet& set, std::span<const int> images,
                                  const CameraOf& camera) {
  if (is_cpu(queue_)) {
    for (const int image : images) {
      check_cancelled();
      const LensCamera own = camera(image);
      const Keypoint* from = set.keypoints().data() + set.begin(image);
      Vec2* to = positions_.data() + set.begin(image);
      runtime::parallel_each(
          static_cast<std::size_t>(set.count(queue_, image)),
          [&](std::size_t i) {
            to[i] = own.undistort({from[i].x, from[i].y});
          },
          256);
    }
    return;
  }
  std::vector<image_slot> slots;
  std::vector<scene::lens_model> lenses;
  for (const int image : images) {
    slots.push_back({set.begin(image), image, set.capacity(image)});
    lenses.push_back(scene::lens_model_of(camera(image)));
  }
  runtime::Workspace workspace(queue_);
  gather().undistort_keypoints(
      queue_, {.count = static_cast<int>(images.size())},
      {.keypoints = Array<const features::keypoint>(runtime::Argument(set.keypoints())),
       .counts = set.counts(),
       .slots = uploaded<image_slot>(queue_, workspace, slots),
       .lenses = uploaded<scene::lens_model>(queue_, workspace, lenses),
       .positions = Array<position>(runtime::Argument(positions_))});
  queue_.wait();
}

Memory<const PointPair> UndistortedPoints::of_matches(const PlacedMatches& placed,
                                                      const CameraOf& camera) {
  const auto& [set, matches, images, begins, offsets] = placed;
  if (has_image_.empty()) {
    positions_ = Buffer<Vec2>(queue_.device(), static_cast<std::size_t>(set.capacity()));
    has_image_.resize(static_cast<std::size_t>(set.size()));
  }
  std::vector<std::int64_t> rows1, rows2;
  std::vector<int> new_images;
  for (const auto [image1, image2] : images) {
    for (const int image : {image1, image2})
      if (!std::exchange(has_image_[static_cast<std::size_t>(image)], 1))
        new_images.push_back(image);
    rows1.push_back(set.begin(image1));
    rows2.push_back(set.begin(image2));
  }
  if (!new_images.empty()) undistort(set, new_images, camera);
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
  const auto on_device = [&](std::span<const std::int64_t> numbers) {
    return uploaded(queue_, workspace, numbers);
  };
  gather().gather_positions(
      queue_, {.count = static_cast<int>(images.size())},
      {.matches = Array<const features::found_match>(runtime::Argument(matches)),
       .begins = on_device(begins),
       .offsets = on_device(offsets),
       .positions = Array<const position>(runtime::Argument(positions_)),
       .rows1 = on_device(rows1),
       .rows2 = on_device(rows2),
       .points = Array<features::point_match>(runtime::Argument(points_))});
  queue_.wait();
  return points_;
}

}  // namespace bifocal::verify
