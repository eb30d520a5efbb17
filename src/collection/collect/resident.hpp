// SPDX-License-Identifier: BSD-3-Clause
// Features of as many images as memory allows, on the device, and pieces of pairs for which few are
// loaded twice.
#pragma once

#include <bifocal/matching.hpp>

#include <mutex>

#include "collection/collect/stages.hpp"

namespace bifocal::collection {

// Bytes of a resident feature, on the device.
inline constexpr std::int64_t kBytesOfFeature = sizeof(Keypoint) + kDescriptorBytes;

// Some of a list of pairs, by their places in it.
using Places = std::vector<std::size_t>;

// Cuts a list of pairs, which is in order, into pieces.
class PairPieces {
 public:
  // A piece is of at most `images` images. Images k * height and the next ones are matched with
  // the others side by side, so that these are loaded once for all of them; with a height of 1, and
  // where all images of the pairs fit, pieces come in the order of the list.
  PairPieces(std::span<const ImagePair> pairs, int images, int height);

  // The next at most `most` pairs; false at the end.
  bool next(std::size_t most, Places& places);

 private:
  struct Tile {
    int row = 0, column = 0;
    bool operator==(const Tile&) const = default;
  };
  [[nodiscard]] Tile tile_of(const ImagePair& pair) const;

  std::span<const ImagePair> pairs_;
  int height_ = 1, width_ = 1;  // images of a tile
  Places order_;
  std::size_t next_ = 0;
};

// Each device has one; any thread may ask it.
class ResidentFeatures {
 public:
  // For `images` images together. Of those with more features than `capacity` there are the ones of
  // largest scale.
  ResidentFeatures(const Device& device, const Job& job, int capacity, int images);

  // Makes the images of these pairs resident, and says where they are: pairs of slots. They stay
  // until the next call that needs their room; where that may be, one thread alone asks. Throws
  // std::logic_error for more images than slots.
  [[nodiscard]] std::vector<ImagePair> slots_of(std::span<const ImagePair> pairs);
  [[nodiscard]] const FeatureSet& set() const { return set_; }

 private:
  int free_slot();
  void load(std::span<const int> images);

  std::mutex mutex_;
  const FeatureStore& found_;
  Queue queue_;
  std::vector<std::unique_ptr<WorkDatabase>> readers_;
  FeatureSet set_;
  std::vector<int> image_in_;    // of each slot, -1: none
  std::vector<char> is_needed_;  // of each slot
  std::map<int, int> where_;     // slot of an image
  std::size_t next_ = 0;         // where a free slot is looked for
};

}  // namespace bifocal::collection
