// SPDX-License-Identifier: BSD-3-Clause
// Features of as many images as memory allows, on the device, and the order of pairs in which few
// are loaded twice.
#pragma once

#include <bifocal/feature_set.hpp>

#include "collection/collect/work_file.hpp"

namespace bifocal::collection {

// A run of pairs whose images are resident together: those of one block of images with another.
struct PairBlock {
  std::vector<ImagePair> pairs;  // by number
};
// Images [k * block, (k + 1) * block) are one block. Blocks are walked there and back, so that from
// one run to the next only one of the two changes.
[[nodiscard]] std::vector<PairBlock> blocks_of(std::span<const ImagePair> pairs, int block);

class ResidentFeatures {
 public:
  // For images of `capacity` features at most, `images` of them together.
  ResidentFeatures(Queue& queue, WorkFile& work, int capacity, int images);

  // Makes the images of the pairs resident, none of them out of its slot, and says where they are:
  // pairs of slots. There have to be slots enough.
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
