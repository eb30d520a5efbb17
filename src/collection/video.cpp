// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/video.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>

#include "features/any_detector.hpp"
#include "runtime/parallel.hpp"

namespace bifocal {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCode::usage, "VideoMatcher: " + message);
}

const VideoOptions& checked(const VideoOptions& o) {
  check_options(o);
  const bool takes_camera = problem_info(o.verify.kind).cameras > 0;
  if (takes_camera != o.camera.has_value())
    refuse(fmt::format("VideoOptions::camera is {}; VideoOptions::verify.kind = {} takes {}",
                       o.camera ? "given" : "not given", to_string(o.verify.kind),
                       takes_camera ? "one" : "none"));
  return o;
}

}  // namespace

// A second thread with its own queue detects the features of the newest frame into `newest_`.
// Afterwards they are copied to the ring of frames that are matched.
class VideoMatcher::Work {
 public:
  Work(Queue& queue, int width, int height, const VideoOptions& options)
      : queue_(queue),
        detecting_(queue.device()),
        options_(checked(options)),
        width_(width),
        height_(height),
        detector_(detecting_, width, height, {options_.sift, options_.surf}),
        newest_(queue.device()),
        ring_(queue.device()) {
    // Runs the stages on an empty list of pairs, so that invalid options are
    // rejected at construction.
    const VerifyOptions& v = options_.verify;
    if (options_.camera) cameras_.push_back(LensCamera(*options_.camera));
    verify_pairs(queue_, ring_, {}, cameras_, v, [](const VerifiedPairs&) {});
    (void)match(queue_, ring_, std::span<const ImagePair>(), v.matching);
    constexpr std::int64_t kNone[] = {0};
    const auto pinhole = options_.camera ? std::span<const Intrinsics>(&*options_.camera, 1)
                                         : std::span<const Intrinsics>();
    (void)estimate_batch(
        queue_, v.kind, Memory<const PointPair>(),
        {.offsets = kNone, .cameras1 = pinhole, .cameras2 = pinhole, .options = v.robust});
  }

  std::optional<VideoFrame> add(const AnyImageView& picture) {
    features::check_image(picture, "VideoMatcher");
    if (picture.width() != width_ || picture.height() != height_)
      refuse(fmt::format("a frame of {} x {} px, made for {} x {}", picture.width(),
                         picture.height(), width_, height_));
    return add_frame([&] { (void)detector_.add({&picture, 1}, newest_); });
  }
  template <class Sample>
  std::optional<VideoFrame> add(const Memory<const Sample>& picture, int channels) {
    return add_frame([&] {
      (void)detector_.add(picture, 1, newest_, channels);
      detecting_.wait();
    });
  }

  std::optional<VideoFrame> finish() {
    if (keypoints_.empty()) return {};
    std::optional<VideoFrame> frame;
    try {
      frame = match_newest();
    } catch (...) {
      forget();
      throw;
    }
    forget();
    return frame;
  }

  [[nodiscard]] std::size_t memory() const {
    if (queue_.device().info().kind == DeviceKind::cpu) return 0;
    return detector_.memory() + static_cast<std::size_t>(newest_.capacity() + ring_.capacity()) *
                                    (sizeof(Keypoint) + kDescriptorBytes);
  }

 private:
  // Detects features in the new frame while the previous frame is matched. Exceptions are thrown
  // after both have ended.
  std::optional<VideoFrame> add_frame(const std::function<void()>& detect) {
    std::optional<VideoFrame> before;
    try {
      newest_.clear();
      runtime::run_on_threads(2, [&](int thread) {
        if (thread == 1) return detect();
        if (!keypoints_.empty()) before = match_newest();
      });
      add_newest();
    } catch (...) {
      forget();
      throw;
    }
    return before;
  }

  [[nodiscard]] int slots() const { return options_.partners + 1; }
  [[nodiscard]] int slot_of(int number) const { return number % slots(); }

  // Copies the features of the newest frame to the slot of the oldest frame.
  void add_newest() {
    std::vector<Keypoint> keypoints = newest_.get_keypoints(queue_, 0);
    ensure_capacity(static_cast<int>(keypoints.size()));
    if (keypoints_.size() == static_cast<std::size_t>(slots())) keypoints_.pop_front();
    ring_.put(queue_, slot_of(next_), newest_, 0);
    keypoints_.push_back(std::move(keypoints));
    ++next_;
  }

  // Enlarges the slots of the ring if they cannot hold `features` features each.
  void ensure_capacity(int features) {
    const int capacity = ring_.size() > 0 ? ring_.capacity(0) : 0;
    if (ring_.size() > 0 && features <= capacity) return;
    const int larger = std::max(features + features / 4, 1024);
    FeatureSet ring(queue_.device(), std::int64_t{larger} * slots());
    ring.reserve(queue_, larger, slots());
    for (int slot = 0; slot < ring_.size(); ++slot) ring.put(queue_, slot, ring_, slot);
    ring_ = std::move(ring);
  }

  VideoFrame match_newest() {
    const int number = next_ - 1, earlier = static_cast<int>(keypoints_.size()) - 1;
    VideoFrame frame{number, keypoints_.back(), {}};
    std::vector<ImagePair> pairs;
    for (int k = 1; k <= std::min(earlier, options_.partners); ++k)
      pairs.push_back({slot_of(number - k), slot_of(number)});
    verify_pairs(queue_, ring_, pairs, cameras_, options_.verify,
                 [&](const VerifiedPairs& found) { take(found, frame); });
    return frame;
  }

  void take(const VerifiedPairs& found, VideoFrame& frame) const {
    for (std::size_t k = 0; k < found.pairs.size(); ++k) {
      FramePair& pair = frame.pairs.emplace_back();
      const std::size_t back = frame.pairs.size();  // distance in frames
      pair.other = frame.number - static_cast<int>(back);
      const auto begin = found.offsets[k], end = found.offsets[k + 1];
      pair.matches.assign(found.matches.begin() + begin, found.matches.begin() + end);
      pair.inliers.assign(found.inliers.begin() + begin, found.inliers.begin() + end);
      pair.estimate = found.estimates[k];
      const std::vector<Keypoint>& earlier = keypoints_[keypoints_.size() - 1 - back];
      for (const Match& m : pair.matches) {
        const Keypoint& a = earlier[static_cast<std::size_t>(m.index1)];
        const Keypoint& b = frame.keypoints[static_cast<std::size_t>(m.index2)];
        pair.points.push_back({a.x, a.y, b.x, b.y});
      }
    }
  }

  void forget() {
    keypoints_.clear();
    next_ = 0;
  }

  Queue& queue_;
  Queue detecting_;
  VideoOptions options_;
  std::vector<LensCamera> cameras_;  // one camera if the model takes cameras, else empty
  int width_, height_;
  features::AnyDetector detector_;
  FeatureSet newest_, ring_;
  std::deque<std::vector<Keypoint>> keypoints_;  // of the frames in the ring, newest last
  int next_ = 0;                                 // number of the next frame
};

VideoMatcher::VideoMatcher(Queue& queue, int width, int height, const VideoOptions& options)
    : work_(std::make_unique<Work>(queue, width, height, options)) {}
VideoMatcher::~VideoMatcher() = default;
VideoMatcher::VideoMatcher(VideoMatcher&&) noexcept = default;
VideoMatcher& VideoMatcher::operator=(VideoMatcher&&) noexcept = default;

std::optional<VideoFrame> VideoMatcher::add(const AnyImageView& frame) { return work_->add(frame); }
std::optional<VideoFrame> VideoMatcher::add(const Memory<const std::uint8_t>& frame, int channels) {
  return work_->add(frame, channels);
}
std::optional<VideoFrame> VideoMatcher::add(const Memory<const std::uint16_t>& frame,
                                            int channels) {
  return work_->add(frame, channels);
}
std::optional<VideoFrame> VideoMatcher::finish() { return work_->finish(); }

std::size_t VideoMatcher::memory() const { return work_->memory(); }

}  // namespace bifocal
