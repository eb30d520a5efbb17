// SPDX-License-Identifier: BSD-3-Clause
// Features of as many images as memory allows, on the device, and the order of pairs in which few
// are loaded twice.
#pragma once

#include <bifocal/feature_set.hpp>

#include <mutex>

#include "collection/collect/work_file.hpp"

namespace bifocal::collection {

// Bytes of a resident feature, on the device and on the host.
inline constexpr std::int64_t kBytesOfFeature = sizeof(Keypoint) * 2 + kDescriptorBytes;

// A run of pairs whose images are resident together: those of one block of images with another.
struct PairBlock {
  std::vector<ImagePair> pairs;  // by number
};
// Images [k * block, (k + 1) * block) are one block. Blocks are walked there and back, so that from
// one run to the next only one of the two changes.
[[nodiscard]] std::vector<PairBlock> blocks_of(std::span<const ImagePair> pairs, int block);

// Hands blocks to several devices, piece by piece: a device keeps to one of its own, so that its
// images need not be loaded again, then takes the next that nobody has, and helps with one of
// another when there is none. Any thread may ask.
class PairWalk {
 public:
  explicit PairWalk(std::vector<PairBlock> blocks)
      : blocks_(std::move(blocks)), given_(blocks_.size()) {}

  struct Part {
    const PairBlock* block = nullptr;  // of the pairs; null: there are no more
    std::span<const ImagePair> pairs;  // at most as many as were asked for
  };
  // `last`: what the device had before.
  [[nodiscard]] Part next(const Part& last, std::size_t most);

 private:
  [[nodiscard]] std::size_t left(std::size_t block) const {
    return blocks_[block].pairs.size() - given_[block];
  }
  const std::vector<PairBlock> blocks_;
  std::mutex mutex_;
  std::vector<std::size_t> given_;  // pairs of each block
  std::size_t begun_ = 0;           // blocks
};

class ResidentFeatures {
 public:
  // For `images` images together. Of those with more features than `capacity` there are the ones of
  // largest scale.
  ResidentFeatures(Queue& queue, WorkFile& work, int capacity, int images);

  // Images of the block stay where they are until another one is entered. There have to be slots
  // enough for all.
  void enter(const PairBlock& block);
  // Makes the images of the pairs, of the block, resident, and says where they are: pairs of slots.
  [[nodiscard]] std::vector<ImagePair> slots_of(std::span<const ImagePair> pairs);
  [[nodiscard]] const FeatureSet& set() const { return set_; }
  [[nodiscard]] const std::vector<Keypoint>& keypoints(int slot) const {
    return keypoints_[static_cast<std::size_t>(slot)];
  }

 private:
  int slot_of(int image);
  void load(int image, int slot);

  Queue& queue_;
  WorkFile& work_;
  FeatureSet set_;
  std::vector<int> image_in_;    // of each slot, -1: none
  std::vector<char> is_needed_;  // of each slot
  std::map<int, int> where_;     // slot of an image
  std::vector<std::vector<Keypoint>> keypoints_;
  std::size_t next_ = 0;  // where a free slot is looked for
};

}  // namespace bifocal::collection
