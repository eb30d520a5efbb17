// SPDX-License-Identifier: BSD-3-Clause
// Matching of a video: each frame of a sequence is matched with the frames before it, on
// one device.
//
//   Queue queue(Device("cuda:0"));
//   VideoMatcher matcher(queue, 1920, 1080, {.partners = 2});
//   while (camera.read(picture))
//     if (const auto frame = matcher.add(picture)) use(*frame);  // previous frame
//   if (const auto frame = matcher.finish()) use(*frame);
#pragma once

#include <bifocal/verify_pairs.hpp>
#include <bifocal/features.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace bifocal {

inline constexpr int kMostVideoPartners = 256;

struct VideoOptions {
  SiftOptions sift = {.max_features = 8192};
  std::optional<SurfOptions> surf = {};  // if set, replaces `sift` (features.hpp)
  int partners = 1;
  VerifyOptions verify = {};
  // Px; required for models that take cameras, otherwise empty.
  std::optional<Intrinsics> camera = {};
};
constexpr const char* name_of(const VideoOptions&) { return "VideoOptions"; }
template <MaybeConst<VideoOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [sift, surf, partners, verify, camera] = options;
  BIFOCAL_FIELD(sift, "how features are found");
  BIFOCAL_FIELD(surf, "SURF features instead");
  BIFOCAL_FIELD(partners, "number of previous frames that each frame is matched with",
                Range::within(1, kMostVideoPartners));
  BIFOCAL_FIELD(verify, "matching and the model to estimate");
  BIFOCAL_FIELD(camera, "camera of all frames");
}

// Matches and model between a frame and an earlier one.
struct FramePair {
  int other = 0;                      // number of the earlier frame
  std::vector<Match> matches;         // index1: in the earlier frame, index2: in this frame
  std::vector<PointPair> points;      // px, one for each match
  Estimate estimate;                  // model that maps from the earlier frame to this one
  std::vector<std::uint8_t> inliers;  // 1 or 0 for each match
};

// A frame with its matches.
struct VideoFrame {
  int number = 0;  // position in the sequence, from 0
  std::vector<Keypoint> keypoints;
  std::vector<FramePair>
      pairs;  // nearest earlier frame first; fewer than `partners` at the beginning
};

// Matches a sequence of frames of one size. The features of each frame are detected once and stay
// in device memory until its last partner has come. Memory is bounded: the features of partners + 2
// frames, and the memory of one detector. Results are the same as from detect_sift(), match(),
// keep_distinct_places() and estimate_batch() for each pair alone, bit for bit.
class VideoMatcher {
 public:
  // Allocates memory for frames of width x height px. The queue must outlive the matcher. Throws
  // Error(usage) with the argument that is out of range, and Error(device) if device memory
  // is insufficient.
  VideoMatcher(Queue& queue, int width, int height, const VideoOptions& options = {});
  ~VideoMatcher();
  VideoMatcher(VideoMatcher&&) noexcept;
  VideoMatcher& operator=(VideoMatcher&&) noexcept;

  // Adds the next frame, with 1 to 4 channels and 8 or 16 bits (to_grey_8), from host memory.
  // Copies it to the device and detects its features while the previous frame is matched. Returns
  // the result of the previous frame, empty for the first.
  //
  // Throws Error(usage) for an image of another size, which is ignored, and errors of
  // detect_sift(), match() and estimate_batch(). After such an error the next frame
  // starts a new sequence.
  std::optional<VideoFrame> add(const AnyImageView& frame);
  // Adds a frame [height][width][channels] from memory of the queue's device (for a CPU host
  // memory), which is read only during the call.
  std::optional<VideoFrame> add(const Memory<const std::uint8_t>& frame, int channels = 1);
  std::optional<VideoFrame> add(const Memory<const std::uint16_t>& frame, int channels = 1);
  // Returns the result of the last frame, empty without a frame. The next frame starts a new
  // sequence with number 0.
  std::optional<VideoFrame> finish();

  [[nodiscard]] std::size_t memory() const;  // bytes on the device; 0 for a CPU

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace bifocal
