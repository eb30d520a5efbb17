// SPDX-License-Identifier: BSD-3-Clause
// The public calls that match on any device.
#include <bifocal/matching.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "features/matching/grow.hpp"
#include "features/matching/match.hpp"
#include "features/matching/match_device.hpp"

namespace bifocal {
namespace {

void check_pairs(const Queue& queue, const FeatureSet& set, std::span<const ImagePair> pairs,
                 const MatchOptions& options) {
  features::check_match_options(options);
  if (!(queue.device() == set.device()))
    throw Error(ErrorCode::usage, fmt::format("match: the queue is of {}, the set of {}",
                                              queue.device().info().id, set.device().info().id));
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    for (const int image : {pairs[k].image1, pairs[k].image2})
      if (image < 0 || image >= set.size())
        throw Error(ErrorCode::usage, fmt::format("match: pair {} has image {} of a set of {}", k,
                                                  image, set.size()));
  }
}

bool is_cpu(const Queue& queue) { return queue.device().info().kind == DeviceKind::cpu; }

std::vector<Match> match_on_cpu(Queue& queue, const FeatureSet& set, ImagePair pair,
                                const MatchOptions& options) {
  const auto rows = [&](int image) {
    return features::DescriptorRows{set.descriptors().data() + set.begin(image) * kDescriptorBytes,
                                    set.count(queue, image)};
  };
  return features::match_rows(rows(pair.image1), rows(pair.image2), options);
}

}  // namespace

std::vector<Match> match(Queue& queue, const Features& features1, const Features& features2,
                         const MatchOptions& options) {
  features::check_match_options(options);
  features::check_features(features1, "match", "features1");
  features::check_features(features2, "match", "features2");
  if (is_cpu(queue)) return match(features1, features2, options);
  FeatureSet set(queue.device(), std::int64_t{features1.size()} + features2.size());
  const ImagePair pair{set.add(queue, features1), set.add(queue, features2)};
  return match(queue, set, {&pair, 1}, options).matches;
}

MatchBatch match(Queue& queue, const FeatureSet& set, std::span<const ImagePair> pairs,
                 const MatchOptions& options) {
  check_pairs(queue, set, pairs, options);
  MatchBatch batch;
  batch.offsets.assign(1, 0);
  DeviceMatches piece;
  while (!pairs.empty()) {
    const std::size_t count = is_cpu(queue) ? 1 : features::pairs_of_piece(set, pairs);
    const auto before = batch.matches.size();
    if (is_cpu(queue)) {
      const std::vector<Match> list = match_on_cpu(queue, set, pairs.front(), options);
      batch.matches.insert(batch.matches.end(), list.begin(), list.end());
      batch.offsets.push_back(static_cast<std::int64_t>(batch.matches.size()));
    } else {
      piece.offsets.assign(1, 0);
      features::match_on_device(queue, set, pairs.first(count), options, false, piece);
      for (std::size_t k = 1; k < piece.offsets.size(); ++k)
        batch.offsets.push_back(static_cast<std::int64_t>(before) + piece.offsets[k]);
      batch.matches.resize(static_cast<std::size_t>(batch.offsets.back()));
      piece.matches.download(queue, std::span(batch.matches).subspan(before));
      queue.wait();
    }
    pairs = pairs.subspan(count);
  }
  return batch;
}

void match(Queue& queue, const FeatureSet& set, std::span<const ImagePair> pairs,
           const MatchOptions& options, DeviceMatches& found) {
  check_pairs(queue, set, pairs, options);
  found.offsets.assign(1, 0);
  if (!is_cpu(queue)) {
    features::match_on_device(queue, set, pairs, options, true, found);
    return;
  }
  for (const ImagePair& pair : pairs) {
    const std::vector<Match> list = match_on_cpu(queue, set, pair, options);
    const auto used = static_cast<std::size_t>(found.offsets.back());
    features::grow(queue, found.matches, used, used + list.size());
    features::grow(queue, found.points, used, used + list.size());
    std::copy(list.begin(), list.end(), found.matches.data() + used);
    const Keypoint* const a = set.keypoints().data() + set.begin(pair.image1);
    const Keypoint* const b = set.keypoints().data() + set.begin(pair.image2);
    for (std::size_t m = 0; m < list.size(); ++m) {
      const Keypoint &p = a[list[m].index1], &q = b[list[m].index2];
      found.points.data()[used + m] = {p.x, p.y, q.x, q.y};
    }
    found.offsets.push_back(static_cast<std::int64_t>(used + list.size()));
  }
}

}  // namespace bifocal
