// SPDX-License-Identifier: BSD-3-Clause
// Features of another tool (CollectOptions::given): where they come from, and their matches.
#pragma once

#include <bifocal/collect.hpp>
#include <bifocal/colmap/hloc.hpp>

#include <optional>
#include <string>
#include <vector>

#include "collection/collect/work_database.hpp"
#include "runtime/lru_cache.hpp"

namespace bifocal::collection {

// The same for the same features, wherever they lie: size and parts of a file, names and sizes of
// those of a folder. Throws Error(input) where there are none.
[[nodiscard]] std::string identity_of(const std::filesystem::path& source);

// In memory, while its pairs are matched.
[[nodiscard]] inline std::int64_t bytes_of_given(const DescriptorKind& kind) {
  return static_cast<std::int64_t>(sizeof(Vec2)) + 4 * std::int64_t{kind.numbers};
}

struct GivenImage {
  std::vector<Vec2> keypoints;     // px
  std::vector<float> descriptors;  // [keypoints, kind.numbers]
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

// Matches the given features of images; those of the least lately used ones are dropped. The
// database has no place for most descriptors: they come from their source again.
class GivenMatcher {
 public:
  GivenMatcher(const std::filesystem::path& source, const DescriptorKind& kind,
               std::span<const PhotographRow> rows, std::int64_t max_memory)
      : source_(source), kind_(kind), rows_(rows), kept_(max_memory) {}

  // Of pairs of images, by their numbers.
  [[nodiscard]] MatchBatch match(Queue& queue, std::span<const ImagePair> pairs,
                                 const FloatMatchOptions& options);

 private:
  const std::vector<float>& descriptors(int number);

  GivenSource source_;
  DescriptorKind kind_;
  std::span<const PhotographRow> rows_;
  runtime::LruCache<int, std::vector<float>> kept_;
};

}  // namespace bifocal::collection
