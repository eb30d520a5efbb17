// SPDX-License-Identifier: BSD-3-Clause
#include "collection/screen.hpp"

#include <bifocal/error.hpp>
#include <bifocal/pair_selection.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "verify/points.hpp"

namespace bifocal {
namespace collection {

std::vector<std::int64_t> largest_keypoints(std::span<const Keypoint> keypoints, int most) {
  std::vector<std::int64_t> places(keypoints.size());
  std::iota(places.begin(), places.end(), std::int64_t{0});
  if (places.size() <= static_cast<std::size_t>(most)) return places;
  const auto is_larger = [&](std::int64_t a, std::int64_t b) {
    const float one = keypoints[static_cast<std::size_t>(a)].sigma,
                two = keypoints[static_cast<std::size_t>(b)].sigma;
    return one > two || (one == two && a < b);
  };
  std::nth_element(places.begin(), places.begin() + most, places.end(), is_larger);
  places.resize(static_cast<std::size_t>(most));
  std::sort(places.begin(), places.end());
  return places;
}

Features features_at(const Features& features, std::span<const std::int64_t> places) {
  Features some;
  some.keypoints.reserve(places.size());
  some.descriptors.reserve(places.size() * kDescriptorBytes);
  for (const std::int64_t place : places) {
    const auto i = static_cast<std::size_t>(place);
    const auto at =
        features.descriptors.begin() + static_cast<std::ptrdiff_t>(i * kDescriptorBytes);
    some.keypoints.push_back(features.keypoints[i]);
    some.descriptors.insert(some.descriptors.end(), at, at + kDescriptorBytes);
    if (!features.shapes.empty()) some.shapes.push_back(features.shapes[i]);
  }
  return some;
}

}  // namespace collection

namespace {

constexpr int kKeypointWords = sizeof(Keypoint) / sizeof(std::uint32_t);
constexpr int kDescriptorWords = kDescriptorBytes / sizeof(std::uint32_t);

// Returns a set with the features of largest scale of each image.
FeatureSet largest_features(Queue& queue, const FeatureSet& set, int most) {
  FeatureSet kept(queue.device());
  std::vector<std::int64_t> rows;
  std::vector<int> counts;
  for (int image = 0; image < set.size(); ++image) {
    check_cancelled();
    const std::vector<Keypoint> keypoints = set.get_keypoints(queue, image);
    const auto places = collection::largest_keypoints(keypoints, most);
    counts.push_back(static_cast<int>(places.size()));
    for (const std::int64_t place : places) rows.push_back(set.begin(image) + place);
    // Each slot has exactly the size of its image, so that the rows of all images are contiguous.
    (void)kept.reserve(queue, counts.back());
  }
  if (counts.empty()) return kept;
  runtime::upload(queue, *kept.counts().memory(), 0, counts.data(), counts.size() * sizeof(int));
  Buffer<std::int64_t> device_rows(queue.device(), rows.size());
  device_rows.upload(queue, rows);
  verify::gather_rows<Keypoint>(queue, set.keypoints(), rows, device_rows, kKeypointWords,
                                kept.keypoints());
  verify::gather_rows<std::uint8_t>(queue, set.descriptors(), rows, device_rows, kDescriptorWords,
                                    kept.descriptors());
  queue.wait();
  return kept;
}

}  // namespace

std::vector<int> screen_pairs(Queue& queue, const FeatureSet& set, std::span<const ImagePair> pairs,
                              const ScreenOptions& options) {
  check_options(options);
  const FeatureSet largest = largest_features(queue, set, options.features);
  // 2^16 pairs keep a GPU busy; a CPU gets 4096 at a time, so that cancellation is
  // checked often enough.
  const std::size_t piece = queue.device().info().kind == DeviceKind::cpu ? 4096 : 1 << 16;
  std::vector<int> counts;
  counts.reserve(pairs.size());
  DeviceMatches found;
  for (std::size_t first = 0; first < pairs.size(); first += piece) {
    check_cancelled();
    match(queue, largest, pairs.subspan(first, std::min(piece, pairs.size() - first)),
          {.max_ratio = options.max_ratio}, found);
    for (std::size_t k = 1; k < found.offsets.size(); ++k)
      counts.push_back(static_cast<int>(found.offsets[k] - found.offsets[k - 1]));
  }
  queue.wait();
  return counts;
}

std::vector<ImagePair> linking_pairs(int images, std::span<const ImagePair> verified,
                                     std::span<const ScreenedPair> left_out, int most) {
  ImageComponents components(images);
  const auto check_pair = [&](const ImagePair& p) {
    if (std::min(p.image1, p.image2) < 0 || std::max(p.image1, p.image2) >= images)
      throw Error(ErrorCode::usage,
                  fmt::format("linking_pairs: images {} and {} of {}", p.image1, p.image2, images));
  };
  for (const ImagePair& p : verified) check_pair(p), components.join(p);
  std::vector<ScreenedPair> between;
  for (const ScreenedPair& s : left_out) {
    check_pair(s.pair);
    if (components.of(s.pair.image1) != components.of(s.pair.image2)) between.push_back(s);
  }
  std::ranges::sort(between, [](const ScreenedPair& a, const ScreenedPair& b) {
    return std::tuple(-a.matches, a.pair.image1, a.pair.image2) <
           std::tuple(-b.matches, b.pair.image1, b.pair.image2);
  });
  std::vector<int> taken(static_cast<std::size_t>(images));
  std::vector<ImagePair> pairs;
  for (const ScreenedPair& s : between) {
    int& one = taken[static_cast<std::size_t>(components.of(s.pair.image1))];
    int& two = taken[static_cast<std::size_t>(components.of(s.pair.image2))];
    if (one >= most && two >= most) continue;
    ++one, ++two;
    pairs.push_back(s.pair);
  }
  tidy_pairs(pairs);
  return pairs;
}

}  // namespace bifocal
