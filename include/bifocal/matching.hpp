// SPDX-License-Identifier: BSD-3-Clause
// Matching on any device: one pair, or many pairs of the images of a FeatureSet.
//
// The list of a pair is the same everywhere, bit for bit: that of match(features1, features2) on
// the CPU. Distances are exact integers, ties go to the lower index. Devices need numbers of double
// precision (DeviceInfo::has_double) and groups of 256.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/feature_set.hpp>
#include <bifocal/features.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace bifocal {

// As match(features1, features2, options), computed where the queue says.
[[nodiscard]] std::vector<Match> match(Queue& queue, const Features& features1,
                                       const Features& features2, const MatchOptions& options = {});

// Numbers of images in a set.
struct ImagePair {
  int image1, image2;
};

// Pair k has the matches [offsets[k], offsets[k + 1]), ordered by index1.
struct MatchBatch {
  std::vector<std::int64_t> offsets;
  std::vector<Match> matches;
};

// All pairs, in pieces whose scratch memory on the device is bounded (256 MB, or what one pair
// needs: up to 410 bytes a feature). Throws Error(usage) when the queue is not of the set's device,
// naming the pair and the image when one is not in the set, and as match() does.
[[nodiscard]] MatchBatch match(Queue& queue, const FeatureSet& set,
                               std::span<const ImagePair> pairs, const MatchOptions& options = {});

// The same, the matches left where they are: in memory of the set's device, which is kept and
// enlarged when the object is used again. `points` are the positions of the matches, what
// PairBatch::points takes (robust.hpp):
//
//   match(queue, set, pairs, options, found);
//   estimate_batch(queue, ModelKind::fundamental, {found.points, found.offsets});
struct DeviceMatches {
  std::vector<std::int64_t> offsets;  // on the host, as in MatchBatch
  Buffer<Match> matches;              // the first offsets.back()
  Buffer<PointPair> points;           // px, one a match
};
// Returns when the offsets are known; what else is still under way the queue's order takes care of.
void match(Queue& queue, const FeatureSet& set, std::span<const ImagePair> pairs,
           const MatchOptions& options, DeviceMatches& found);

}  // namespace bifocal
