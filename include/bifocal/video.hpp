// SPDX-License-Identifier: BSD-3-Clause
// A sequence of frames, each matched with those before it, on one device.
//
//   Queue queue(Device("cuda:0"));
//   VideoMatcher matcher(queue, 1920, 1080, {.partners = 2});
//   while (camera.read(picture))
//     if (const auto frame = matcher.add(picture)) use(*frame);  // the one before
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
  std::optional<SurfOptions> surf = {};  // in the place of `sift` (features.hpp)
  int partners = 1;
  VerifyOptions verify = {};
  std::optional<Intrinsics> camera = {};  // px; for models that take cameras
};
constexpr const char* name_of(const VideoOptions&) { return "VideoOptions"; }
template <MaybeConst<VideoOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [sift, surf, partners, verify, camera] = options;
  BIFOCAL_FIELD(sift, "how features are found");
  BIFOCAL_FIELD(surf, "features of SURF instead");
  BIFOCAL_FIELD(partners, "frames before it that each frame is matched with",
                Range::within(1, kMostVideoPartners));
  BIFOCAL_FIELD(verify, "matches, and the model that is sought of them");
  BIFOCAL_FIELD(camera, "camera of all frames");
}

// A frame has this in common with one before it.
struct FramePair {
  int other = 0;                      // number of the earlier frame
  std::vector<Match> matches;         // index1: of the earlier frame, index2: of this one
  std::vector<PointPair> points;      // px, one a match
  Estimate estimate;                  // the model from the earlier frame to this one
  std::vector<std::uint8_t> inliers;  // 1 or 0 for each match
};

struct VideoFrame {
  int number = 0;  // in the order of their coming, from 0
  std::vector<Keypoint> keypoints;
  std::vector<FramePair> pairs;  // the nearest frame first; fewer at the beginning
};

// Frames of one size. Features of each are found once, and stay in the device's memory while
// partners come, which is bounded: partners + 2 frames' features and what one detector takes.
// Results are those of detect_sift(), match(), keep_distinct_places() and estimate_batch() of each
// pair alone, bit for bit.
class VideoMatcher {
 public:
  // The queue lives longer than the matcher. Throws Error(usage) naming what is out of range, and
  // Error(device) when the device has not enough memory.
  VideoMatcher(Queue& queue, int width, int height, const VideoOptions& options = {});
  ~VideoMatcher();
  VideoMatcher(VideoMatcher&&) noexcept;
  VideoMatcher& operator=(VideoMatcher&&) noexcept;

  // The next frame, of 1 to 4 channels and 8 or 16 bits (to_grey_8), in the host's memory. While it
  // is copied to the device and searched for features, the one before is matched; returns what came
  // of that, nothing for the first. Throws Error(usage) for a picture of another size, which is no
  // frame then, and as detect_sift(), match() and estimate_batch() do; after another error than
  // that the next frame is a first one.
  std::optional<VideoFrame> add(const AnyImageView& frame);
  // The same of a frame [height][width][channels] in memory of the queue's device (on a CPU the
  // host's), which is read while this call lasts.
  std::optional<VideoFrame> add(const Memory<const std::uint8_t>& frame, int channels = 1);
  std::optional<VideoFrame> add(const Memory<const std::uint16_t>& frame, int channels = 1);
  // Returns what came of the last frame, and nothing where there is none. The next frame is a first
  // one, of number 0.
  std::optional<VideoFrame> finish();

  [[nodiscard]] std::size_t memory() const;  // bytes of the device

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace bifocal
