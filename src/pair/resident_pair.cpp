// SPDX-License-Identifier: BSD-3-Clause
#include "pair/resident_pair.hpp"

#include <bifocal/error.hpp>
#include <bifocal/two_view.hpp>

#include <array>

#include "features/any_detector.hpp"
#include "runtime/memory_limit.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::pair {
namespace {

using Picture = ImageView<const std::uint8_t>;

// The features of one picture, by a queue of its own.
FeatureSet detected(Picture image, Picture mask, const PairOptions& options) {
  Queue queue(options.device);
  FeatureSet set(options.device);
  if (options.device.info().kind ==
      DeviceKind::cpu) {  // of pictures that no detector's size bounds
    set.add(queue, options.surf ? detect_surf(image, *options.surf, mask)
                                : detect_sift(image, options.sift, mask));
    return set;
  }
  features::AnyDetector detector(queue, image.width, image.height, {options.sift, options.surf});
  detector.set_mask(mask);
  const PictureView picture(image);
  (void)detector.add({&picture, 1}, set);
  queue.wait();
  return set;
}

}  // namespace

ResidentPair::ResidentPair(const PairOptions& options)
    : options_(options), queue_(options.device), features_(options.device) {}

void ResidentPair::detect(Picture image1, Picture image2) {
  std::array<FeatureSet, 2> found;
  const auto find = [&](int i) {
    found[static_cast<std::size_t>(i)] = i == 0 ? detected(image1, options_.mask1, options_)
                                                : detected(image2, options_.mask2, options_);
  };
  try {
    runtime::parallel_for(2, find);
  } catch (const Error& e) {
    if (!runtime::is_out_of_memory(e)) throw;
    for (FeatureSet& one : found) one = FeatureSet();  // one after the other
    find(0);
    find(1);
  }
  features_.clear();
  for (const FeatureSet& one : found)
    features_.put(queue_, features_.reserve(queue_, one.count(queue_, 0)), one, 0);
}

void ResidentPair::match(const MatchGuide* guide) {
  constexpr ImagePair kPair[] = {{0, 1}};
  if (guide) {
    match_guided(queue_, features_, kPair, {guide, 1}, options_.matching, found_);
  } else {
    bifocal::match(queue_, features_, kPair, options_.matching, found_);
  }
  keep_distinct_places(queue_, found_);
  queue_.wait();  // other queues read the points
}

EstimateResult ResidentPair::estimate(ModelKind kind, std::span<const Intrinsics> cameras) const {
  Queue queue(options_.device);
  const auto matches = static_cast<std::size_t>(found_.offsets.back());
  return single_result(
      estimate_batch(queue, kind, found_.points,
                     {.offsets = found_.offsets,
                      .cameras1 = cameras.first(cameras.empty() ? 0 : 1),
                      .cameras2 = cameras.subspan(cameras.empty() ? 0 : 1),
                      .options = one_pair_options(kind, matches, options_.robust)}));
}

std::vector<Keypoint> ResidentPair::keypoints(int image) {
  return features_.get_keypoints(queue_, image);
}

void ResidentPair::download(std::vector<Match>& matches, std::vector<PointPair>& points) {
  const auto size = static_cast<std::size_t>(found_.offsets.back());
  matches.resize(size);
  points.resize(size);
  found_.matches.download(queue_, matches);
  found_.points.download(queue_, points);
  queue_.wait();
}

}  // namespace bifocal::pair
