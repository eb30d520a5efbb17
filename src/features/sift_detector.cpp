// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/feature_set.hpp>
#include <bifocal/features.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <climits>
#include <optional>

#include "features/sift.hpp"
#include "features/sift_device.hpp"
#include "runtime/memory_check.hpp"

namespace bifocal {
namespace {

constexpr const char* kName = "SiftDetector";

// Grey rows without gaps.
void copy_rows(ImageView<const std::uint8_t> image, std::uint8_t* to) {
  for (int y = 0; y < image.height; ++y)
    std::copy_n(image.row(y), image.width, to + std::ptrdiff_t{y} * image.width);
}

void check_size(int width, int height, const SiftOptions& options, int batch) {
  const int enlarged = options.upsample ? 4 : 1;
  if (width < 1 || height < 1 || width > kMaxSiftSide || height > kMaxSiftSide)
    throw Error(ErrorCode::usage, fmt::format("{}: images of {} x {} px: sides must be 1 to {}",
                                              kName, width, height, kMaxSiftSide));
  if (batch < 1 || std::int64_t{width} * height * enlarged * batch > INT_MAX / 2)
    throw Error(
        ErrorCode::usage,
        fmt::format("{}: a batch of {} images of {} x {} px: must be 1 to {}", kName, batch, width,
                    height, INT_MAX / 2 / (std::int64_t{width} * height * enlarged)));
}

}  // namespace

// Batches go to two lanes in turn: while the device works on one, the host copies the next.
class SiftDetector::Work {
 public:
  Work(Queue& queue, int width, int height, const SiftOptions& options, int batch)
      : queue_(queue), width_(width), height_(height), options_(options), batch_(batch) {
    if (is_cpu()) return;
    lanes_[0] = make_lane(nullptr);
    room_ = lanes_[0]->device.room();
    set_.emplace(queue.device());
  }

  [[nodiscard]] std::size_t memory() const {
    if (is_cpu()) return 0;
    const std::size_t lane = static_cast<std::size_t>(batch_) *
                             (features::SiftDevice::bytes(width_, height_, options_) + pixels());
    return lane * (lanes_[1] ? 2 : 1) +
           static_cast<std::size_t>(set_->room()) * (sizeof(Keypoint) + kDescriptorBytes);
  }

  std::vector<Features> detect(std::span<const ImageView<const std::uint8_t>> images) {
    std::vector<Features> all;
    if (is_cpu()) {
      check(images);
      for (const auto& image : images) all.push_back(detect_sift(image, options_));
      return all;
    }
    for (int most = 0; most != capacity();) {  // again, if there were more than room for
      most = capacity();
      set_->clear();
      add(images, *set_);
    }
    for (int k = 0; k < set_->size(); ++k) all.push_back(set_->get(queue_, k));
    return all;
  }

  int add(std::span<const ImageView<const std::uint8_t>> images, FeatureSet& set) {
    check(images);
    if (is_cpu()) {
      const int first = set.size();
      for (const auto& image : images) set.add(queue_, detect_sift(image, options_));
      return first;
    }
    const int count = static_cast<int>(images.size()), first = reserve(set, count);
    for (int done = 0, turn = 0; done < count; ++turn) {
      Lane& lane = lane_of(turn);
      finish(lane);
      lane.count = std::min(batch_, count - done);
      for (int k = 0; k < lane.count; ++k)
        copy_rows(images[static_cast<std::size_t>(done + k)],
                  lane.host.data() + static_cast<std::size_t>(k) * pixels());
      lane.out = output(set, first + done);
      start(lane);
      done += lane.count;
    }
    for (auto& lane : lanes_)
      if (lane) finish(*lane);
    return first;
  }

  int add(const Memory<const std::uint8_t>& images, int count, FeatureSet& set) {
    check(images, count);
    if (is_cpu()) {
      const int first = set.size();
      for (int k = 0; k < count; ++k) {
        const std::uint8_t* pixel = images.pointer() + static_cast<std::size_t>(k) * pixels();
        set.add(queue_, detect_sift({pixel, width_, height_, 1, width_}, options_));
      }
      return first;
    }
    const int first = reserve(set, count);
    for (int done = 0; done < count; done += batch_)
      lanes_[0]->device.run(images, done, std::min(batch_, count - done),
                            output(set, first + done));
    return first;
  }

 private:
  struct Lane {
    std::unique_ptr<Queue> own_queue;  // nullptr: the detector's
    features::SiftDevice device;
    HostBuffer<std::uint8_t> host;
    Buffer<std::uint8_t> pictures;
    features::SiftOutput out;
    int count = 0;  // images under way
  };

  [[nodiscard]] bool is_cpu() const { return queue_.device().info().kind == DeviceKind::cpu; }
  [[nodiscard]] std::size_t pixels() const {
    return static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
  }
  // Of a slot.
  [[nodiscard]] int capacity() const {
    return options_.max_features > 0 ? std::min(options_.max_features, room_) : room_;
  }

  std::unique_ptr<Lane> make_lane(std::unique_ptr<Queue> own) {
    Queue& queue = own ? *own : queue_;
    const std::size_t size = static_cast<std::size_t>(batch_) * pixels();
    features::SiftDevice device(queue, width_, height_, options_, batch_, room_);
    return std::unique_ptr<Lane>(new Lane{std::move(own),
                                          std::move(device),
                                          HostBuffer<std::uint8_t>(queue.device(), size),
                                          Buffer<std::uint8_t>(queue.device(), size),
                                          {}});
  }
  Lane& lane_of(int turn) {
    auto& lane = lanes_[static_cast<std::size_t>(turn % 2)];
    if (!lane) lane = make_lane(std::make_unique<Queue>(queue_.device()));
    return *lane;
  }
  Queue& queue_of(Lane& lane) { return lane.own_queue ? *lane.own_queue : queue_; }

  int reserve(FeatureSet& set, int images) {
    return images == 0 ? set.size() : set.reserve(queue_, capacity(), images);
  }
  features::SiftOutput output(const FeatureSet& set, int image) const {
    return {set.keypoints(), set.descriptors(),  set.counts(), set.begin(image),
            image,           set.capacity(image)};
  }

  void start(Lane& lane) {
    const std::size_t size = static_cast<std::size_t>(lane.count) * pixels();
    lane.pictures.upload(queue_of(lane), lane.host.span().first(size));
    lane.device.run(lane.pictures, 0, lane.count, lane.out);
  }
  void finish(Lane& lane) {
    while (lane.count > 0 && lane.device.was_full(lane.count)) {  // noise that no photograph has
      room_ = std::max(room_, 2 * lane.device.room());
      lane.device = features::SiftDevice(queue_of(lane), width_, height_, options_, batch_, room_);
      start(lane);
    }
    lane.count = 0;
  }

  void check(std::span<const ImageView<const std::uint8_t>> images) const {
    for (const ImageView<const std::uint8_t>& image : images) {
      features::check_image(image, kName);
      if (image.width != width_ || image.height != height_)
        throw Error(ErrorCode::usage,
                    fmt::format("{}: an image of {} x {} px, made for {} x {}", kName, image.width,
                                image.height, width_, height_));
    }
  }
  void check(const Memory<const std::uint8_t>& images, int count) const {
    if (count < 0 || (count > 0 && images.is_null()))
      throw Error(ErrorCode::usage, fmt::format("{}: count = {} of images that are {}", kName,
                                                count, images.is_null() ? "null" : "given"));
    if (const std::string why = runtime::why_foreign(queue_, "images", images); !why.empty())
      throw Error(ErrorCode::usage, fmt::format("{}: {}", kName, why));
    if (!is_cpu() && !images.is_on_device() && count > 0)
      throw Error(ErrorCode::usage,
                  fmt::format("{}: images is memory of the host; the queue is of {}", kName,
                              queue_.device().info().id));
    const std::size_t needed = static_cast<std::size_t>(count) * pixels();
    if (images.size() > 0 && images.size() < needed)
      throw Error(ErrorCode::usage, fmt::format("{}: images holds {} bytes; {} images have {}",
                                                kName, images.size(), count, needed));
  }

  Queue& queue_;
  int width_, height_;
  SiftOptions options_;
  int batch_, room_ = 0;
  std::array<std::unique_ptr<Lane>, 2> lanes_;
  std::optional<FeatureSet> set_;  // of what goes back to the host
};

SiftDetector::SiftDetector(Queue& queue, int width, int height, const SiftOptions& options,
                           int batch) {
  features::check_options(options);
  check_size(width, height, options, batch);
  work_ = std::make_unique<Work>(queue, width, height, options, batch);
}
SiftDetector::~SiftDetector() = default;
SiftDetector::SiftDetector(SiftDetector&&) noexcept = default;
SiftDetector& SiftDetector::operator=(SiftDetector&&) noexcept = default;

std::size_t SiftDetector::memory() const { return work_->memory(); }

int SiftDetector::add(const Memory<const std::uint8_t>& images, int count, FeatureSet& set) {
  return work_->add(images, count, set);
}

int SiftDetector::add(std::span<const ImageView<const std::uint8_t>> images, FeatureSet& set) {
  return work_->add(images, set);
}

std::vector<Features> SiftDetector::operator()(
    std::span<const ImageView<const std::uint8_t>> images) {
  return work_->detect(images);
}

Features SiftDetector::operator()(ImageView<const std::uint8_t> image) {
  return std::move(work_->detect({&image, 1}).front());
}

Features detect_sift(Queue& queue, ImageView<const std::uint8_t> grey, const SiftOptions& options) {
  if (queue.device().info().kind == DeviceKind::cpu) return detect_sift(grey, options);
  features::check_options(options);
  features::check_image(grey, "detect_sift");
  if (grey.empty()) return {};
  return SiftDetector(queue, grey.width, grey.height, options)(grey);
}

}  // namespace bifocal
