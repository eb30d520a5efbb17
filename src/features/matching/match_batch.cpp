// SPDX-License-Identifier: BSD-3-Clause
// Public functions that match on any device.
#include <bifocal/matching.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "features/matching/grow.hpp"
#include "features/matching/match.hpp"
#include "features/matching/match_device.hpp"
#include "runtime/parallel.hpp"

namespace bifocal {
namespace {

void check_pairs(const Queue& queue, const FeatureSet& set, std::span<const ImagePair> pairs,
                 const MatchOptions& options) {
  check_options(options);
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

void check_guides(std::span<const MatchGuide> guides, std::size_t pairs) {
  if (guides.size() != pairs)
    throw Error(ErrorCode::usage,
                fmt::format("match_guided: {} guides for {} pairs", guides.size(), pairs));
  for (std::size_t k = 0; k < guides.size(); ++k) {
    if (!(guides[k].threshold > 0) || !std::isfinite(guides[k].threshold))
      throw Error(ErrorCode::usage,
                  fmt::format("match_guided: guide {} has threshold = {}: must be above 0", k,
                              guides[k].threshold));
    for (const double number : guides[k].model)
      if (!std::isfinite(number))
        throw Error(ErrorCode::usage,
                    fmt::format("match_guided: guide {} has {} in its model", k, number));
  }
}

bool is_cpu(const Queue& queue) { return queue.device().info().kind == DeviceKind::cpu; }

features::FeatureRows rows_of(const Features& f) {
  return {f.keypoints.data(), {f.descriptors.data(), f.size()}};
}
features::FeatureRows rows_of(Queue& queue, const FeatureSet& set, int image) {
  return {
      set.keypoints().data() + set.begin(image),
      {set.descriptors().data() + set.begin(image) * kDescriptorBytes, set.count(queue, image)}};
}

// guide: null for unguided matching.
std::vector<Match> match_on_cpu(const features::FeatureRows& rows1,
                                const features::FeatureRows& rows2, const MatchGuide* guide,
                                const MatchOptions& options) {
  return guide ? features::match_rows_guided(rows1, rows2, *guide, options)
               : features::match_rows(rows1.descriptors, rows2.descriptors, options);
}

using Guides = std::span<const MatchGuide>;

MatchBatch batch_on_cpu(Queue& queue, const FeatureSet& set, std::span<const ImagePair> pairs,
                        Guides guides, const MatchOptions& options) {
  std::vector<std::array<features::FeatureRows, 2>> rows;
  rows.reserve(pairs.size());
  for (const ImagePair& p : pairs)
    rows.push_back({rows_of(queue, set, p.image1), rows_of(queue, set, p.image2)});
  std::vector<std::vector<Match>> lists(pairs.size());
  const auto match_pair = [&](int i) {
    const auto k = static_cast<std::size_t>(i);
    lists[k] = match_on_cpu(rows[k][0], rows[k][1], guides.empty() ? nullptr : &guides[k], options);
  };
  const int count = static_cast<int>(pairs.size());
  if (count >= runtime::thread_count()) {
    runtime::parallel_for(count, match_pair);
  } else {  // all threads share each pair
    for (int i = 0; i < count; ++i) match_pair(i);
  }
  MatchBatch batch;
  batch.offsets.assign(1, 0);
  for (const std::vector<Match>& list : lists)
    batch.offsets.push_back(batch.offsets.back() + std::ssize(list));
  batch.matches.reserve(static_cast<std::size_t>(batch.offsets.back()));
  for (const std::vector<Match>& list : lists)
    batch.matches.insert(batch.matches.end(), list.begin(), list.end());
  return batch;
}

MatchBatch batch_of(Queue& queue, const FeatureSet& set, std::span<const ImagePair> pairs,
                    Guides guides, const MatchOptions& options) {
  if (is_cpu(queue)) return batch_on_cpu(queue, set, pairs, guides, options);
  MatchBatch batch;
  batch.offsets.assign(1, 0);
  features::match_to_host(queue, features::plan_set(queue, set, pairs.size()), pairs, guides,
                          options, batch);
  return batch;
}

void leave_on_device(Queue& queue, const FeatureSet& set, std::span<const ImagePair> pairs,
                     Guides guides, const MatchOptions& options, DeviceMatches& found) {
  if (!is_cpu(queue)) {
    found.offsets.assign(1, 0);
    features::match_on_device(queue, features::plan_set(queue, set, pairs.size()), pairs, guides,
                              options, found);
    return;
  }
  const MatchBatch batch = batch_on_cpu(queue, set, pairs, guides, options);
  found.offsets = batch.offsets;
  features::grow(queue, found.matches, 0, batch.matches.size());
  features::grow(queue, found.points, 0, batch.matches.size());
  found.matches.upload(queue, batch.matches);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const Keypoint* const a = set.keypoints().data() + set.begin(pairs[k].image1);
    const Keypoint* const b = set.keypoints().data() + set.begin(pairs[k].image2);
    for (std::int64_t m = batch.offsets[k]; m < batch.offsets[k + 1]; ++m) {
      const Match& match = batch.matches[static_cast<std::size_t>(m)];
      const Keypoint &p = a[match.index1], &q = b[match.index2];
      found.points.data()[m] = {p.x, p.y, q.x, q.y};
    }
  }
}

void check_two(const Features& features1, const Features& features2, const MatchOptions& options) {
  check_options(options);
  features::check_features(features1, "match", "features1");
  features::check_features(features2, "match", "features2");
}

std::vector<Match> match_two(Queue& queue, const Features& features1, const Features& features2,
                             Guides guides, const MatchOptions& options) {
  if (is_cpu(queue))
    return match_on_cpu(rows_of(features1), rows_of(features2),
                        guides.empty() ? nullptr : guides.data(), options);
  FeatureSet set(queue.device(), std::int64_t{features1.size()} + features2.size());
  const ImagePair pair{set.add(queue, features1), set.add(queue, features2)};
  return batch_of(queue, set, {&pair, 1}, guides, options).matches;
}

}  // namespace

std::vector<Match> match(Queue& queue, const Features& features1, const Features& features2,
                         const MatchOptions& options) {
  check_two(features1, features2, options);
  return match_two(queue, features1, features2, {}, options);
}

MatchBatch match(Queue& queue, const FeatureSet& set, std::span<const ImagePair> pairs,
                 const MatchOptions& options) {
  check_pairs(queue, set, pairs, options);
  return batch_of(queue, set, pairs, {}, options);
}

void match(Queue& queue, const FeatureSet& set, std::span<const ImagePair> pairs,
           const MatchOptions& options, DeviceMatches& found) {
  check_pairs(queue, set, pairs, options);
  leave_on_device(queue, set, pairs, {}, options, found);
}

std::vector<Match> match_guided(const Features& features1, const Features& features2,
                                const MatchGuide& guide, const MatchOptions& options) {
  check_two(features1, features2, options);
  check_guides({&guide, 1}, 1);
  return match_on_cpu(rows_of(features1), rows_of(features2), &guide, options);
}

std::vector<Match> match_guided(Queue& queue, const Features& features1, const Features& features2,
                                const MatchGuide& guide, const MatchOptions& options) {
  check_two(features1, features2, options);
  check_guides({&guide, 1}, 1);
  return match_two(queue, features1, features2, {&guide, 1}, options);
}

MatchBatch match_guided(Queue& queue, const FeatureSet& set, std::span<const ImagePair> pairs,
                        std::span<const MatchGuide> guides, const MatchOptions& options) {
  check_pairs(queue, set, pairs, options);
  check_guides(guides, pairs.size());
  return batch_of(queue, set, pairs, guides, options);
}

void match_guided(Queue& queue, const FeatureSet& set, std::span<const ImagePair> pairs,
                  std::span<const MatchGuide> guides, const MatchOptions& options,
                  DeviceMatches& found) {
  check_pairs(queue, set, pairs, options);
  check_guides(guides, pairs.size());
  leave_on_device(queue, set, pairs, guides, options, found);
}

}  // namespace bifocal
