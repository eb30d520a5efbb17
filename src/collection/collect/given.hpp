// SPDX-License-Identifier: BSD-3-Clause
// Features of another tool (CollectOptions::given): where they come from, how the work file keeps
// them, and their matches.
#pragma once

#include <bifocal/collect.hpp>
#include <bifocal/hloc.hpp>

#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collection/collect/work_file.hpp"

namespace bifocal::collection {

// The same for the same features, wherever they lie: size and parts of a file, names and sizes of
// those of a folder. Throws Error(input) where there are none.
[[nodiscard]] std::string identity_of(const std::filesystem::path& source);

[[nodiscard]] std::string to_string(const DescriptorKind& kind);  // "256 floats"

// In memory, while its pairs are matched.
[[nodiscard]] inline std::int64_t bytes_of_given(const DescriptorKind& kind) {
  return static_cast<std::int64_t>(sizeof(Keypoint)) + 4 * std::int64_t{kind.numbers};
}

struct GivenImage {
  Features features;  // descriptors: the bytes of [N][numbers] bytes or floats
  DescriptorKind kind;
};

class GivenSource {
 public:
  explicit GivenSource(const std::filesystem::path& source);
  // Of a photograph of this size. Throws Error(input) with the reason why it has none that can be
  // used.
  [[nodiscard]] GivenImage read(const std::string& name, const PhotographInfo& photograph) const;

 private:
  std::filesystem::path folder_;
  std::optional<hloc::FeatureFile> file_;
};

// Given features of images, from the work file; the least lately used ones are dropped.
class GivenMatcher {
 public:
  GivenMatcher(WorkFile& work, const DescriptorKind& kind, std::int64_t max_memory)
      : work_(work), kind_(kind), max_memory_(max_memory) {}

  // Of pairs of images, by their numbers; the points of each match go to `points`.
  [[nodiscard]] MatchBatch match(Queue& queue, std::span<const ImagePair> pairs,
                                 const FloatMatchOptions& options, std::vector<PointPair>& points);

 private:
  struct Image {
    std::vector<Keypoint> keypoints;
    std::vector<float> values;
    std::list<int>::iterator use;
  };
  const Image& image(int number);

  WorkFile& work_;
  DescriptorKind kind_;
  std::int64_t max_memory_, used_ = 0;
  std::list<int> uses_;  // latest first
  std::map<int, Image> kept_;
};

}  // namespace bifocal::collection
