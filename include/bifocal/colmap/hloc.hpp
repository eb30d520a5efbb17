// SPDX-License-Identifier: BSD-3-Clause
// Features and matches in hloc's HDF5 files, and their way into a verified database of COLMAP.
//
//   const colmap::VerifyProgress done = hloc::verify(
//       DeviceSet("cuda:all"), {"features.h5", "matches.h5", "pairs.txt"}, "out.db", {});
//
// hloc's pixels are Bifocal's: the centre of the first one is (0, 0). Failing functions throw
// Error(input) that names the file and the data set; a build without HDF5 (BIFOCAL_HDF5=OFF)
// throws Error(usage).
//
// The file alone is read: links to other files, data sets stored in them (external storage) and
// virtual ones are refused. A data set has at most 2^26 numbers, and no more than the bytes that
// the file has of it can hold: as many without compression, 1032 times as many with one (two are
// refused). Beyond that files of unknown origin are as safe to read as the HDF5 library is.
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

// features.h5: for each image a group of its name, with `keypoints` [N, 2], float32 or float16 (of
// which px above 1024 are whole numbers, above 2048 even ones), and `image_size` [2];
// `descriptors` and `scores` where they are asked for.
class FeatureFile {
 public:
  explicit FeatureFile(const std::filesystem::path& file);
  ~FeatureFile();
  FeatureFile(FeatureFile&&) noexcept;
  FeatureFile& operator=(FeatureFile&&) noexcept;

  // Returns the names of the images, sorted, which are found once. Throws for two names that hloc
  // cannot tell apart in a file of matches ('a/b.jpg' and 'a-b.jpg').
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] bool contains(std::string_view image) const;
  [[nodiscard]] std::vector<Vec2> keypoints(std::string_view image) const;
  // Returns width and height, px, 1 to 2^20.
  [[nodiscard]] std::array<std::int64_t, 2> image_size(std::string_view image) const;
  // The data set `descriptors`, [size, count] in the file, one for each keypoint. Throws
  // Error(input) where there is none, or another number of them than of keypoints.
  struct Descriptors {
    std::vector<float> values;  // [count][size]
    int count = 0, size = 0;
    bool is_bytes = false;  // whole numbers of 8 bits in the file
  };
  [[nodiscard]] Descriptors descriptors(std::string_view image) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// matches.h5: for each pair a group 'a.jpg/b.jpg' (of old versions 'a.jpg_b.jpg'), '/' in names
// replaced by '-', with `matches0` [N], int16 or int32: for each keypoint of the first image the
// index of its match in the second, or -1.
class MatchFile {
 public:
  explicit MatchFile(const std::filesystem::path& file);
  ~MatchFile();
  MatchFile(MatchFile&&) noexcept;
  MatchFile& operator=(MatchFile&&) noexcept;

  // Returns whether the file has the pair, in either order.
  [[nodiscard]] bool contains(std::string_view image1, std::string_view image2) const;
  // Returns the matches of a pair in either order, as hloc looks them up, and nothing where the
  // file has no such pair. Throws for an index below -1, as more than 32767 keypoints leave in
  // int16.
  [[nodiscard]] std::optional<std::vector<colmap::IndexPair>> matches(
      std::string_view image1, std::string_view image2) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct Files {
  std::filesystem::path features, matches, pairs;
};

// Keypoints, and of the listed pairs matches and geometries, into a database, in one pass. A
// database that is there (hloc's create_empty_db and import_images make one) keeps its cameras and
// images; a new one gets the images of the features, in the order of names, each with a
// SIMPLE_RADIAL camera of f = 1.2 times the longer side and no prior of the focal length. As
// colmap::verify() it goes on where it was; VerifyRun::pairs is not looked at. Throws also for an
// image of the pairs that is not in the features, and a pair without matches in the file.
colmap::VerifyProgress verify(const DeviceSet& devices, const Files& files,
                              const std::filesystem::path& database, const colmap::VerifyRun& run);

}  // namespace bifocal::hloc
