// SPDX-License-Identifier: BSD-3-Clause
// Features of the images that fit a device's memory, and a partition of the pairs into pieces for
// which few images are loaded twice.
#pragma once

#include <bifocal/matching.hpp>

#include <mutex>

#include "collection/collect/stages.hpp"

namespace bifocal::collection {

// Bytes of a resident feature on the device.
inline constexpr std::int64_t kBytesOfFeature = sizeof(Keypoint) + kDescriptorBytes;

// Indices into a list of pairs.
using Places = std::vector<std::size_t>;

// Divides a sorted list of pairs into pieces.
class PairPieces {
 public:
  // images: largest number of images of a piece. Tiles of `height` rows of the match matrix are
  // processed together, so that an image of their columns is loaded once for a tile. With a height
  // of 1, or if all images fit, pieces follow the order of the list.
  PairPieces(std::span<const ImagePair> pairs, int images, int height);

  // Writes the indices of the next pairs, at most `most`, to `places`. Returns false at the end.
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

// Features in the memory of one device. Thread-safe.
class ResidentFeatures {
 public:
  // Reserves `images` slots of `capacity` features. An image with more features keeps the largest.
  ResidentFeatures(const Device& device, const Job& job, int capacity, int images);

  // Loads the images of `pairs` and returns the slots of each pair. A later call may reuse the
  // slots; in that case only one thread may call. Throws std::logic_error if the images
  // outnumber the slots.
  [[nodiscard]] std::vector<ImagePair> slots_of(std::span<const ImagePair> pairs);
  [[nodiscard]] const FeatureSet& set() const { return set_; }

 private:
  int free_slot();
  bool take_kept(int image);
  void occupy(int slot, int image);
  void load(std::span<const int> images);

  std::mutex mutex_;
  const FeatureStore& found_;
  const KeptFeatures* const kept_;  // may be null
  Queue queue_;
  std::vector<std::unique_ptr<WorkDatabase>> readers_;
  FeatureSet set_;
  std::vector<int> image_in_;    // image in each slot, -1 if empty
  std::vector<char> is_needed_;  // by slot
  std::map<int, int> where_;     // slot of each image
  std::size_t next_ = 0;         // first slot to test for being free
};

}  // namespace bifocal::collection
