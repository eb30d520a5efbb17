// SPDX-License-Identifier: BSD-3-Clause
// Matching of features on any device, for one pair or for many pairs of images of a FeatureSet.
//
// The matches of a pair are the same on every device, bit for bit, and equal match(features1,
// features2) on the CPU. Distances are exact integers, ties go to the lower index. A device needs
// double precision (DeviceInfo::has_double) and groups of 256 threads.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/features.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace bifocal {

// Features of many images in the memory of one device. Pairs of images are matched by their numbers
// in the set; a Detector adds features without copying them to the host.
//
//   Queue queue(Device("cuda:0"));
//   FeatureSet set(queue.device());
//   for (const ImageU8& image : images) set.add(queue, detect_sift(image));
//   const MatchBatch batch = match(queue, set, {{0, 1}, {0, 2}});

// A set of images, numbered in the order in which they are added. Each image has a slot of fixed
// capacity in two arrays, for keypoints and descriptors. The number of features in a slot is stored
// on the device, so a kernel can fill a slot without involving the host. A feature takes 148 bytes
// (1.21 MB for 8192), and 12 bytes more if an image of the set has shapes (KeypointShape).
//
// Methods that write take a queue and run in its order. All methods throw Error(usage) if the queue
// belongs to another device, the image is not in the set or the capacity is negative, and
// Error(device) if memory is insufficient.
class FeatureSet {
 public:
  // Makes an empty set and allocates memory for `features` features of all images together. It
  // grows by doubling, which temporarily needs both the old and the new arrays.
  explicit FeatureSet(const Device& device = {}, std::int64_t features = 0);

  // Adds an image with its features and returns its number. Returns after the copy. Throws
  // Error(usage) if the number of descriptors does not match the keypoints.
  int add(Queue& queue, const Features& features);
  // Adds `images` consecutive empty slots for a kernel to fill, and returns the number of the
  // first. For image i the kernel fills keypoints() and descriptors() from row begin(i) and sets
  // counts()[i] to at most capacity(i). has_shapes: it fills the same rows of shapes(), too. The
  // arrays move if the set grows, so reserve first and then get the arrays.
  int reserve(Queue& queue, int capacity, int images = 1, bool has_shapes = false);
  // Replaces the features of `image` by the features of image `from` in `other`, a set on the same
  // device. Throws Error(usage) if they exceed the capacity of the slot.
  void put(Queue& queue, int image, const FeatureSet& other, int from);
  // Replaces the features of `image` by features from the host. Returns after the copy.
  void put(Queue& queue, int image, const Features& features);
  // Removes all images and keeps the memory.
  void clear();

  [[nodiscard]] const Device& device() const { return device_; }
  [[nodiscard]] int size() const { return static_cast<int>(slots_.size()); }  // number of images
  [[nodiscard]] std::int64_t begin(int image) const;
  [[nodiscard]] int capacity(int image) const;

  // Methods that wait for the queue's work. A count above the capacity of its slot is reduced
  // to it.
  [[nodiscard]] std::vector<int> count_all(Queue& queue) const;  // one for each image
  [[nodiscard]] int count(Queue& queue, int image) const;
  [[nodiscard]] Features get(Queue& queue, int image) const;
  [[nodiscard]] std::vector<Keypoint> get_keypoints(Queue& queue, int image) const;

  // Arrays for kernels to read and write.
  [[nodiscard]] const Buffer<std::uint8_t>& descriptors() const { return descriptors_; }  // [, 128]
  [[nodiscard]] const Buffer<Keypoint>& keypoints() const { return keypoints_; }
  [[nodiscard]] const Buffer<int>& counts() const { return counts_; }  // one for each image
  // Shapes up to the last image that has some; may be empty.
  [[nodiscard]] const Buffer<KeypointShape>& shapes() const { return shapes_; }
  // Capacity of the arrays in features.
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

// Computes match(features1, features2, options) on the queue's device.
[[nodiscard]] std::vector<Match> match(Queue& queue, const Features& features1,
                                       const Features& features2, const MatchOptions& options = {});

// A pair of images, by their numbers in a set.
struct ImagePair {
  int image1, image2;
};

// Matches of several pairs. Pair k has matches [offsets[k], offsets[k + 1]), ordered by index1.
struct MatchBatch {
  std::vector<std::int64_t> offsets;
  std::vector<Match> matches;
};

// Matches all pairs. Scratch memory on the device is at most 256 MB, or the need of one pair (up to
// 410 bytes per feature) if that is more. Throws Error(usage) if the queue belongs to another
// device than the set, with the pair and the image if an image is not in the set, and for options
// out of range.
[[nodiscard]] MatchBatch match(Queue& queue, const FeatureSet& set,
                               std::span<const ImagePair> pairs, const MatchOptions& options = {});

// Matches that stay in device memory. The memory is kept, and enlarged if necessary, when the
// object is used again. `points` holds the positions of the matches for
// estimate_batch() (robust.hpp):
//
//   match(queue, set, pairs, options, found);
//   estimate_batch(queue, ModelKind::fundamental, found.points, {.offsets = found.offsets});
struct DeviceMatches {
  std::vector<std::int64_t> offsets;  // in host memory, as in MatchBatch
  Buffer<Match> matches;              // the first offsets.back() are valid
  Buffer<PointPair> points;           // px, one for each match
};
// Matches all pairs and leaves the matches on the device. Returns when the offsets are known; the
// rest of the work may still be running in the queue's order.
void match(Queue& queue, const FeatureSet& set, std::span<const ImagePair> pairs,
           const MatchOptions& options, DeviceMatches& found);

// Removes duplicate matches between the same two positions, which occur because a point with
// several orientations has a feature for each. Keeps the match with the smallest descriptor
// distance, or the first of equals, and the order; updates the offsets. The time grows with the
// square of the number of matches of a pair (less on a CPU).
void keep_distinct_places(Queue& queue, DeviceMatches& found);

// Guided matching: matches again after the geometry of a pair has been estimated. Only candidates
// that fit the geometry count as nearest and second nearest, so repeated texture elsewhere in the
// image does not prevent a match. A descriptor with a single candidate passes the ratio test.
enum class GuideKind { epipolar, homography };
// The geometry of a pair and the largest error of a candidate.
struct MatchGuide {
  GuideKind kind = GuideKind::epipolar;
  Mat3 model{};          // F with x2' F x1 = 0, or H with x2 ~ H x1, in px
  double threshold = 4;  // px, above 0: candidates have a smaller Sampson distance (robust.hpp)
};
// Match like match() with the same arguments, restricted to candidates that fit the guide of the
// pair. For an essential matrix use the guide from fundamental_from_essential (robust.hpp).
//
// Errors are computed in double precision, and devices round them differently. The matches are
// therefore the same unless the error of a candidate is within 1e-9 px of the limit. Throws
// Error(usage) like match(), and also if a limit or model is out of range or if the number of
// guides differs from the number of pairs.
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

// Descriptors of other tools (SuperPoint, ALIKED, DISK, XFeat, ...) in host memory: [count][size]
// floats with 1 <= size <= 4096.
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
  BIFOCAL_FIELD(normalise,
                "normalise to unit length first: the nearest descriptor has the largest cosine");
  BIFOCAL_FIELD(mutual, "matches must be nearest neighbours in both directions");
  BIFOCAL_FIELD(
      max_ratio,
      "largest ratio of nearest and second nearest distance, from image 1 to 2; 1 or more: no test",
      Range::above(0));
  BIFOCAL_FIELD(
      max_distance,
      "largest Euclidean distance, sqrt(2 - 2 c) for unit vectors with a cosine of c; 0: no limit",
      Range::at_least(0));
}
// A match between row index1 of the first descriptors and row index2 of the second.
struct FloatMatch {
  int index1, index2;
  float distance;  // Euclidean distance
  float ratio;     // nearest over second nearest distance, 0 without a second
};
// Match float descriptors by brute force, ordered by index1; ties go to the lower index. Sums are
// computed in float, in the order of the numbers. The result is the same for any number of threads
// and on all processors and devices with fused multiply-add; without it, another neighbour may be
// chosen if two are equally near up to rounding. Throws Error(usage) with the argument that is out
// of range or not finite.
[[nodiscard]] std::vector<FloatMatch> match(const FloatDescriptors& descriptors1,
                                            const FloatDescriptors& descriptors2,
                                            const FloatMatchOptions& options = {});
[[nodiscard]] std::vector<FloatMatch> match(Queue& queue, const FloatDescriptors& descriptors1,
                                            const FloatDescriptors& descriptors2,
                                            const FloatMatchOptions& options = {});

// Float descriptors in the memory of a GPU or OpenCL device, and the squared length of each row.
// All numbers must be finite. options.normalise is ignored.
struct FloatsOnDevice {
  Memory<const float> values;   // [count][size]
  Memory<const float> squares;  // [count]
  int count = 0, size = 0;
};
// Matches float descriptors in the memory of the queue's device. Throws Error(usage) with the
// invalid argument, and for a CPU queue or host memory.
[[nodiscard]] std::vector<FloatMatch> match(Queue& queue, const FloatsOnDevice& descriptors1,
                                            const FloatsOnDevice& descriptors2,
                                            const FloatMatchOptions& options = {});

}  // namespace bifocal
