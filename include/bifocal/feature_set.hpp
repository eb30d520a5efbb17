// SPDX-License-Identifier: BSD-3-Clause
// The features of many images in the memory of one device, for everything that reads them there:
// matching of pairs by number (matching.hpp), detectors that write them without the host.
//
//   Queue queue(Device("cuda:0"));
//   FeatureSet set(queue.device());
//   for (const ImageU8& image : images) set.add(queue, detect_sift(image));
//   const MatchBatch batch = match(queue, set, {{0, 1}, {0, 2}});
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/features.hpp>

#include <cstdint>
#include <vector>

namespace bifocal {

// Images are numbered in the order of their coming. Each has a slot of fixed capacity in two
// arrays, and how many of its places are taken is known to the device, too: what fills a slot there
// need not tell the host. A feature takes 148 bytes, so that 8192 take 1.21 MB, and 12 more where
// an image of the set has shapes (KeypointShape).
//
// Methods that write take a queue, in whose order the work is done. All throw Error(usage) where
// the queue is of another device, an image is not in the set or a capacity is negative, and
// Error(device) when there is not enough memory.
class FeatureSet {
 public:
  // Room for that many features of all images together is taken at once; it grows by doubling,
  // which needs both the old arrays and the new ones for a moment.
  explicit FeatureSet(const Device& device = {}, std::int64_t features = 0);

  // The number of the image. Returns when the features are copied. Throws Error(usage) when
  // descriptors don't fit the keypoints.
  int add(Queue& queue, const Features& features);
  // A slot without features for a writer on the device: of image i it fills rows begin(i) .. of
  // keypoints() and descriptors() and sets counts()[i], at most capacity(i). The arrays move when
  // the set grows: reserve first, then ask for them.
  // `images`: slots that follow each other; returns the first one's number. has_shapes: the writer
  // fills the same rows of shapes(), too.
  int reserve(Queue& queue, int capacity, int images = 1, bool has_shapes = false);
  // The features of an image of `other`, a set on the same device, in the place of those of
  // `image`. Throws Error(usage) where they are more than its capacity.
  void put(Queue& queue, int image, const FeatureSet& other, int from);
  // Likewise of features on the host. Returns when they are copied.
  void put(Queue& queue, int image, const Features& features);
  // No images; the memory is kept.
  void clear();

  [[nodiscard]] const Device& device() const { return device_; }
  [[nodiscard]] int size() const { return static_cast<int>(slots_.size()); }  // images
  [[nodiscard]] std::int64_t begin(int image) const;
  [[nodiscard]] int capacity(int image) const;

  // These wait for the queue's work. A count above its capacity is cut to it.
  [[nodiscard]] std::vector<int> count_all(Queue& queue) const;  // one an image
  [[nodiscard]] int count(Queue& queue, int image) const;
  [[nodiscard]] Features get(Queue& queue, int image) const;
  [[nodiscard]] std::vector<Keypoint> get_keypoints(Queue& queue, int image) const;

  // Kernels read and write these.
  [[nodiscard]] const Buffer<std::uint8_t>& descriptors() const { return descriptors_; }  // [, 128]
  [[nodiscard]] const Buffer<Keypoint>& keypoints() const { return keypoints_; }
  [[nodiscard]] const Buffer<int>& counts() const { return counts_; }  // one an image
  // Up to the last image that has some: may be empty.
  [[nodiscard]] const Buffer<KeypointShape>& shapes() const { return shapes_; }
  // Features that there is room for, taken or not.
  [[nodiscard]] std::int64_t room() const { return static_cast<std::int64_t>(keypoints_.size()); }

 private:
  struct Slot {
    std::int64_t begin;
    int capacity;
    bool has_shapes;
  };
  int append(Queue& queue, int capacity, int count, int images, bool has_shapes);
  void make_shapes(Queue& queue, std::int64_t features);
  void upload(Queue& queue, const Slot& to, const Features& features);
  Slot& slot_for(int image, int count);
  void check(const Queue& queue, const char* method) const;
  [[nodiscard]] const Slot& slot(int image) const;

  Device device_;
  std::vector<Slot> slots_;
  std::int64_t used_ = 0;  // features
  Buffer<std::uint8_t> descriptors_;
  Buffer<Keypoint> keypoints_;
  Buffer<int> counts_;
  Buffer<KeypointShape> shapes_;
};

}  // namespace bifocal
