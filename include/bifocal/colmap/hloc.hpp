// SPDX-License-Identifier: BSD-3-Clause
// Features and matches from hloc's HDF5 files, and their verification in a COLMAP database.
//
//   const colmap::VerifyProgress done = hloc::verify(
//       DeviceSet("cuda:all"), {"features.h5", "matches.h5", "pairs.txt"}, "out.db", {});
//
// hloc's pixels equal Bifocal's: (0, 0) is the centre of the first pixel. Functions that fail throw
// Error(input) with the file and the data set; a build without HDF5 (BIFOCAL_HDF5=OFF)
// throws Error(usage).
//
// Only the given file is read: links to other files, external storage and virtual data sets are
// refused. A data set has at most 2^26 numbers, and not more than its bytes in the file can hold:
// as many numbers as stored without compression, 1032 times as many with it; two filters are
// refused. Apart from these checks, reading files of unknown origin is as safe as the HDF5 library.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <bifocal/colmap/database.hpp>
#include <bifocal/colmap/verify.hpp>
#include <bifocal/device.hpp>

namespace bifocal::hloc {

// hloc's features.h5. Each image has a group with its name that contains `keypoints` [N, 2] and
// `image_size` [2], and, if required, `descriptors` and `scores`. Keypoints are float32 or float16;
// in float16, coordinates above 1024 px are integers, above 2048 px even integers.
class FeatureFile {
 public:
  explicit FeatureFile(const std::filesystem::path& file);
  ~FeatureFile();
  FeatureFile(FeatureFile&&) noexcept;
  FeatureFile& operator=(FeatureFile&&) noexcept;

  // Returns the names of the images, sorted. The file is searched once. Throws if two names cannot
  // be distinguished in a file of matches ('a/b.jpg' and 'a-b.jpg').
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] bool contains(std::string_view image) const;
  [[nodiscard]] std::vector<Vec2> keypoints(std::string_view image) const;
  // Returns width and height in px, each 1 to 2^20.
  [[nodiscard]] std::array<std::int64_t, 2> image_size(std::string_view image) const;
  // Descriptors of an image, one for each keypoint; the data set `descriptors` is [size, count] in
  // the file.
  struct Descriptors {
    std::vector<float> values;  // [count][size]
    int count = 0, size = 0;
    bool is_bytes = false;  // 8-bit integers in the file
  };
  // Reads the descriptors. Throws Error(input) if they are missing, or if their number differs from
  // the keypoints'.
  [[nodiscard]] Descriptors descriptors(std::string_view image) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// hloc's matches.h5. Each pair has a group 'a.jpg/b.jpg', in old versions 'a.jpg_b.jpg', with '/'
// in names replaced by '-'. Its data set `matches0` [N], int16 or int32, contains for each keypoint
// of the first image the index of its match in the second, or -1.
class MatchFile {
 public:
  explicit MatchFile(const std::filesystem::path& file);
  ~MatchFile();
  MatchFile(MatchFile&&) noexcept;
  MatchFile& operator=(MatchFile&&) noexcept;

  // Returns whether the file has the pair, in either order.
  [[nodiscard]] bool contains(std::string_view image1, std::string_view image2) const;
  // Returns the matches of a pair in either order, like hloc; empty if the file does not have the
  // pair. Throws for an index below -1, which more than 32767 keypoints cause in int16.
  [[nodiscard]] std::optional<std::vector<colmap::IndexPair>> matches(
      std::string_view image1, std::string_view image2) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Input files of verify().
struct Files {
  std::filesystem::path features, matches, pairs;
};

// Writes keypoints, and the matches and verified geometries of the listed pairs, into a database in
// one pass.
//
// An existing database (made by hloc's create_empty_db and import_images) keeps its cameras and
// images. A new one gets the images of the features in the order of their names, each with a
// SIMPLE_RADIAL camera with f = 1.2 times the longer side and no prior focal length. An interrupted
// run is resumed as in colmap::verify(); VerifyRun::pairs is ignored. Also throws if a listed image
// has no features, or a listed pair no matches.
colmap::VerifyProgress verify(const DeviceSet& devices, const Files& files,
                              const std::filesystem::path& database, const colmap::VerifyRun& run);

}  // namespace bifocal::hloc
