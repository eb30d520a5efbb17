// SPDX-License-Identifier: BSD-3-Clause
// Matching on any device: one pair, or many pairs of the images of a FeatureSet.
//
// The list of a pair is the same everywhere, bit for bit: that of match(features1, features2) on
// the CPU. Distances are exact integers, ties go to the lower index. Devices need numbers of double
// precision (DeviceInfo::has_double) and groups of 256.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/features.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace bifocal {

// The features of many images in the memory of one device, for everything that reads them there:
// matching of pairs by number (matching.hpp), detectors that write them without the host.
//
//   Queue queue(Device("cuda:0"));
//   FeatureSet set(queue.device());
//   for (const ImageU8& image : images) set.add(queue, detect_sift(image));
//   const MatchBatch batch = match(queue, set, {{0, 1}, {0, 2}});

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
  // Number of features for which memory is allocated, used or not.
  [[nodiscard]] std::int64_t capacity() const {
    return static_cast<std::int64_t>(keypoints_.size());
  }

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

// Gives the list of match(features1, features2, options), computed where the queue says.
[[nodiscard]] std::vector<Match> match(Queue& queue, const Features& features1,
                                       const Features& features2, const MatchOptions& options = {});

// Numbers of images in a set.
struct ImagePair {
  int image1, image2;
};

// Pair k has the matches [offsets[k], offsets[k + 1]), ordered by index1.
struct MatchBatch {
  std::vector<std::int64_t> offsets;
  std::vector<Match> matches;
};

// All pairs, in pieces whose scratch memory on the device is bounded (256 MB, or what one pair
// needs: up to 410 bytes a feature). Throws Error(usage) when the queue is not of the set's device,
// naming the pair and the image when one is not in the set, and as match() does.
[[nodiscard]] MatchBatch match(Queue& queue, const FeatureSet& set,
                               std::span<const ImagePair> pairs, const MatchOptions& options = {});

// The same, the matches left where they are: in memory of the set's device, which is kept and
// enlarged when the object is used again. `points` are the positions of the matches, what
// estimate_batch() takes (robust.hpp):
//
//   match(queue, set, pairs, options, found);
//   estimate_batch(queue, ModelKind::fundamental, found.points, {.offsets = found.offsets});
struct DeviceMatches {
  std::vector<std::int64_t> offsets;  // on the host, as in MatchBatch
  Buffer<Match> matches;              // the first offsets.back()
  Buffer<PointPair> points;           // px, one a match
};
// Returns when the offsets are known; the rest of the work may be under way, in the queue's order.
void match(Queue& queue, const FeatureSet& set, std::span<const ImagePair> pairs,
           const MatchOptions& options, DeviceMatches& found);

// A point with several orientations has a feature for each. Of the matches of a pair between the
// same two places the nearest in the descriptors stays, the first of equals, in the old order; the
// offsets are those of what stays. The time grows with the square of a pair's matches (on a CPU
// less).
void keep_distinct_places(Queue& queue, DeviceMatches& found);

// Guided matching: a second round, when the geometry of a pair is known. Only candidates that fit
// it count, as nearest and as second nearest, so that repeated texture elsewhere in the picture
// spoils no match; a descriptor with a single candidate passes every ratio.
enum class GuideKind { epipolar, homography };
struct MatchGuide {
  GuideKind kind = GuideKind::epipolar;
  Mat3 model{};          // F with x2' F x1 = 0, or H with x2 ~ H x1, in px
  double max_error = 4;  // px, above 0: the Sampson distance of a candidate is below (robust.hpp)
};
// Gives the lists of match() of the same arguments, with a guide for each pair.
// fundamental_from_essential (robust.hpp) makes a guide of an essential matrix. The errors are
// computed in double precision, and devices round them differently: lists are the same unless a
// candidate's error is within 1e-9 px of the bound. Throws Error(usage) also on a bound or a model
// out of range, and when there are not as many guides as pairs.
[[nodiscard]] std::vector<Match> match_guided(const Features& features1, const Features& features2,
                                              const MatchGuide& guide,
                                              const MatchOptions& options = {});
[[nodiscard]] std::vector<Match> match_guided(Queue& queue, const Features& features1,
                                              const Features& features2, const MatchGuide& guide,
                                              const MatchOptions& options = {});
[[nodiscard]] MatchBatch match_guided(Queue& queue, const FeatureSet& set,
                                      std::span<const ImagePair> pairs,
                                      std::span<const MatchGuide> guides,
                                      const MatchOptions& options = {});
void match_guided(Queue& queue, const FeatureSet& set, std::span<const ImagePair> pairs,
                  std::span<const MatchGuide> guides, const MatchOptions& options,
                  DeviceMatches& found);

// Descriptors of other tools (SuperPoint, ALIKED, DISK, XFeat, ...): [count][size] floats, of 1 to
// 4096 numbers each, in the host's memory.
struct FloatDescriptors {
  const float* data;
  int count, size;
};
struct FloatMatchOptions {
  bool normalise = true;
  bool mutual = true;
  double max_ratio = 1;
  double max_distance = 0;
};
constexpr const char* name_of(const FloatMatchOptions&) { return "FloatMatchOptions"; }
template <MaybeConst<FloatMatchOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [normalise, mutual, max_ratio, max_distance] = options;
  BIFOCAL_FIELD(normalise, "to unit length first: the nearest is the one of the largest cosine");
  BIFOCAL_FIELD(mutual, "each has to be the other's nearest");
  BIFOCAL_FIELD(max_ratio, "nearest over second nearest distance, from 1 to 2; 1 and more: any",
                Range::above(0));
  BIFOCAL_FIELD(
      max_distance,
      "largest Euclidean distance, of unit vectors with a cosine of c sqrt(2 - 2 c); 0: any",
      Range::at_least(0));
}
struct FloatMatch {
  int index1, index2;
  float distance;  // Euclidean
  float ratio;     // nearest over second nearest, 0 when there is no second
};
// Brute force, ordered by index1; ties go to the lower index. Sums are of float precision and in
// the order of the numbers: the same list on all processors and devices that multiply and add in
// one rounding, any number of threads; where two neighbours are equally near but for rounding,
// others may choose the other. Throws Error(usage) naming what is out of range or not finite.
[[nodiscard]] std::vector<FloatMatch> match(const FloatDescriptors& descriptors1,
                                            const FloatDescriptors& descriptors2,
                                            const FloatMatchOptions& options = {});
[[nodiscard]] std::vector<FloatMatch> match(Queue& queue, const FloatDescriptors& descriptors1,
                                            const FloatDescriptors& descriptors2,
                                            const FloatMatchOptions& options = {});

// The same in memory of the queue's device, which is no CPU's: finite numbers, and the square of
// each row's length. They are taken as they are; options.normalise is not looked at.
struct FloatsOnDevice {
  Memory<const float> values;   // [count][size]
  Memory<const float> squares;  // [count]
  int count = 0, size = 0;
};
// Throws Error(usage) naming what does not fit, also for a queue of a CPU or memory of the host.
[[nodiscard]] std::vector<FloatMatch> match(Queue& queue, const FloatsOnDevice& descriptors1,
                                            const FloatsOnDevice& descriptors2,
                                            const FloatMatchOptions& options = {});

}  // namespace bifocal
