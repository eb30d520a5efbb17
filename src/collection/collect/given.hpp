// SPDX-License-Identifier: BSD-3-Clause
// Features of other tools (CollectOptions::given): reading and matching.
#pragma once

#include <bifocal/collect.hpp>
#include <bifocal/colmap/database.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "collection/collect/work_database.hpp"
#include "runtime/lru_cache.hpp"

namespace bifocal::collection {

// Returns an identity of the features, independent of their location: hash of size and parts of a
// file, or of names and sizes of a folder's files. Throws Error(input) if no features exist.
[[nodiscard]] std::string identity_of(const std::filesystem::path& source);

// Returns the bytes that a feature takes in memory while its pairs are matched.
[[nodiscard]] inline std::int64_t bytes_of_given(const DescriptorKind& kind) {
  return static_cast<std::int64_t>(sizeof(Vec2)) + 4 * std::int64_t{kind.numbers};
}

struct GivenImage {
  std::vector<Vec2> keypoints;     // px
  std::vector<float> descriptors;  // [keypoints, kind.numbers]
  DescriptorKind kind;
};

// Open file of features or of matches, in hloc's format. Functions may run on several threads and
// throw Error(input) with file, data set and value.
class GivenFile {
 public:
  virtual ~GivenFile() = default;
  // Returns the features of a photograph of this name and size.
  [[nodiscard]] virtual GivenImage features(const std::string& name,
                                            const PhotographInfo& photograph,
                                            bool has_descriptors) const = 0;
  // Returns the pairs with matches among images of these names, as indices of the names.
  [[nodiscard]] virtual std::vector<ImagePair> pairs(
      const std::vector<std::string>& names) const = 0;
  // Returns the matches of a pair of images; empty if the file does not have the pair.
  [[nodiscard]] virtual std::vector<colmap::IndexPair> matches(const std::string& name1,
                                                               const std::string& name2) const = 0;
};

// Opens files of features, or of matches. The library has no reader of HDF5: the Python package,
// which reads it by h5py, sets this function. Must not be replaced while files are read.
using GivenOpener =
    std::function<std::unique_ptr<GivenFile>(const std::filesystem::path& file, bool has_matches)>;
[[nodiscard]] GivenOpener& given_opener();
// Throws Error(usage) if the options name files of features or matches and no opener is set.
void check_reader(const GivenFeatures& given);

class GivenSource {
 public:
  // Descriptors are read if they will be matched.
  GivenSource(const std::filesystem::path& source, bool has_descriptors);
  // Reads the features of a photograph of this size. Throws Error(input) with the reason if they
  // cannot be used.
  [[nodiscard]] GivenImage read(const std::string& name, const PhotographInfo& photograph) const;

 private:
  bool has_descriptors_;
  std::filesystem::path folder_;
  std::unique_ptr<GivenFile> file_;
};

// Matches the given features of images and drops the least recently used. The database stores no
// descriptors of most kinds, so they are read from their source again.
class GivenMatcher {
 public:
  GivenMatcher(const GivenFeatures& given, const DescriptorKind& kind,
               std::span<const PhotographRow> rows, std::int64_t max_memory);

  // Returns the matches of pairs of images, given by their numbers.
  [[nodiscard]] MatchBatch match(Queue& queue, std::span<const ImagePair> pairs);

 private:
  void match_descriptors(Queue& queue, const ImagePair& pair, std::vector<Match>& matches);
  void read_matches(const ImagePair& pair, std::vector<Match>& matches) const;
  const std::vector<float>& descriptors(int number);

  const GivenFeatures& given_;
  GivenSource source_;
  std::unique_ptr<GivenFile> matches_;
  DescriptorKind kind_;
  std::span<const PhotographRow> rows_;
  runtime::LruCache<int, std::vector<float>> kept_;
};

}  // namespace bifocal::collection
