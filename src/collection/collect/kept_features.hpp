// SPDX-License-Identifier: BSD-3-Clause
// Features that stay in the memory of the device that detected them, until their pairs are matched.
#pragma once

#include <bifocal/matching.hpp>

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace bifocal::collection {

class KeptFeatures {
 public:
  // Allocates memory for `features` features of all images together. largest: size of the subsets
  // of largest features that copy() makes of at most `images` images; 0: none.
  KeptFeatures(const Device& device, std::int64_t features, int images, int largest);

  // Keeps the features of an image, unless memory is used up. keypoints: as the database returns
  // them. found: the same features on the device in slot `from`, or null on a CPU, where
  // `descriptors` are kept. is_reversed: the descriptors of `found` are not in COLMAP's order.
  // Returns after the copy.
  void add(Queue& queue, int image, std::span<const Keypoint> keypoints,
           std::span<const std::uint8_t> descriptors, const FeatureSet* found, int from,
           bool is_reversed);

  [[nodiscard]] bool has(int image) const { return kept_.contains(image); }
  // Returns whether copy() can fill a slot of this capacity with the features of the image.
  [[nodiscard]] bool has(int image, int capacity) const;
  // Replaces the features of a slot of another set on the device by the features of the image, or
  // by the largest if they exceed the capacity of the slot. Runs in the queue's order; this object
  // must outlive the work.
  void copy(Queue& queue, int image, const FeatureSet& to, int slot) const;

  [[nodiscard]] const Device& device() const { return set_.device(); }
  [[nodiscard]] std::int64_t bytes() const;

 private:
  struct Kept {
    int slot, count;
    int largest;  // number of largest features; 0 if all features are among them
  };
  template <class T>
  void copy_largest(Queue& queue, const Kept& kept, const Buffer<T>& table, int words,
                    const Buffer<T>& to, std::int64_t to_first) const;

  const std::int64_t most_;
  const int images_, largest_;
  std::int64_t used_ = 0;
  FeatureSet set_;                     // slots of exactly the size of an image
  Buffer<std::int64_t> largest_rows_;  // [images][largest], by slot
  std::map<int, Kept> kept_;           // by image
};

}  // namespace bifocal::collection
