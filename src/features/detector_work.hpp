// SPDX-License-Identifier: BSD-3-Clause
// Implementation of Detector<Options>, the detectors of images of one size.
#pragma once

#include <bifocal/error.hpp>
#include <bifocal/matching.hpp>
#include <bifocal/features.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <climits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "features/grey/grey_device.hpp"
#include "features/order.hpp"
#include "features/points_device.hpp"
#include "features/sift/sift.hpp"
#include "runtime/alternate_slots.hpp"
#include "runtime/memory_limit.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::features {

[[nodiscard]] inline std::vector<AnyImageView> pictures_of(
    std::span<const ImageView<const std::uint8_t>> images) {
  return {images.begin(), images.end()};
}

inline void check_size(const char* detector, int width, int height, bool upsample, int batch) {
  const int enlarged = upsample ? 4 : 1;
  if (width < 1 || height < 1 || width > kMaxSiftSide || height > kMaxSiftSide)
    throw Error(ErrorCode::usage, fmt::format("{}: images of {} x {} px: sides must be 1 to {}",
                                              detector, width, height, kMaxSiftSide));
  if (batch < 1 || std::int64_t{width} * height * enlarged * batch > INT_MAX / 2)
    throw Error(
        ErrorCode::usage,
        fmt::format("{}: a batch of {} images of {} x {} px: must be 1 to {}", detector, batch,
                    width, height, INT_MAX / 2 / (std::int64_t{width} * height * enlarged)));
}

// Method has Options, Device, kName and has_shapes(); make() for a device and bytes(), the memory
// of an image there; and detect() for a CPU, where threads share the images of a batch. On a
// device, batches alternate between two slots if memory suffices: while the device processes one
// batch, the host copies the next.
template <class Method>
class DetectorWork {
 public:
  using Options = typename Method::Options;

  // memory: limit of device memory without the features that are found, in bytes; 0: all
  // available memory.
  DetectorWork(Queue& queue, int width, int height, const Options& options, int batch,
               std::size_t memory = 0)
      : queue_(queue), width_(width), height_(height), options_(options), batch_(batch) {
    if (is_cpu()) return;
    if (memory > 0) bound(memory);
    slots_[0] = make_slot(nullptr);
    const Device& device = *slots_[0]->device;
    point_capacity_ = device.capacity();
    is_alone_ = device.is_banded() || (memory > 0 && 2 * bytes_of(device) > memory);
    set_.emplace(queue.device());
  }

  [[nodiscard]] std::size_t memory() const {
    if (is_cpu()) return 0;
    std::size_t bytes =
        static_cast<std::size_t>(set_->capacity()) * (sizeof(Keypoint) + kDescriptorBytes) +
        set_->shapes().size() * sizeof(KeypointShape);
    for (const auto& slot : slots_)
      if (slot && slot->device) bytes += bytes_of(*slot->device) + slot->samples.size();
    return bytes;
  }

  void set_mask(ImageView<const std::uint8_t> mask) {
    check_mask(Method::kName, mask, width_, height_);
    mask_ = ImageU8(mask.width, mask.height);
    if (!mask_.empty()) copy_rows(AnyImageView(mask), mask_.pixels.data());
    for (auto& slot : slots_)
      if (slot && slot->device) slot->device->set_mask(mask_);
  }

  std::vector<Features> detect(std::span<const AnyImageView> images) {
    std::vector<Features> all;
    if (is_cpu()) {
      check(images);
      all.resize(images.size());
      const int count = static_cast<int>(images.size());
      for (int first = 0; first < count; first += batch_) {
        runtime::parallel_for(std::min(batch_, count - first), [&](int i) {
          const auto k = static_cast<std::size_t>(first + i);
          all[k] = Method::detect(images[k], options_, mask_);
        });
      }
      return all;
    }
    for (int most = 0; most != capacity();) {  // repeats if the capacity was too small
      most = capacity();
      set_->clear();
      add(images, *set_);
    }
    for (int k = 0; k < set_->size(); ++k) all.push_back(set_->get(queue_, k));
    return all;
  }

  [[nodiscard]] const FeatureSet* found() const { return set_ ? &*set_ : nullptr; }

  int add(std::span<const AnyImageView> images, FeatureSet& set) {
    check(images);
    if (is_cpu()) {
      const int first = set.size();
      for (const auto& image : images) set.add(queue_, Method::detect(image, options_, mask_));
      return first;
    }
    const int count = static_cast<int>(images.size()), first = reserve(set, count);
    int done = 0;
    const auto begin = [&](std::size_t number) {
      if (done == count) return false;
      Slot& slot = slot_of(number);
      take(slot, images.subspan(static_cast<std::size_t>(done)));
      slot.out = output(set, first + done);
      start(slot);
      done += slot.count;
      return true;
    };
    runtime::alternate_slots(begin, [&](std::size_t number) {
      if (slots_[number]) finish(*slots_[number]);
    });
    return first;
  }

  template <class Sample>  // 8 or 16 bits
  int add(const Memory<const Sample>& images, int count, FeatureSet& set, int channels) {
    check(images, count, channels);
    if (is_cpu()) {
      const int first = set.size();
      for (int k = 0; k < count; ++k) {
        const std::size_t first_sample = samples_of(k, channels);
        const AnyImageView image(images.pointer() + first_sample, width_, height_, channels);
        set.add(queue_, Method::detect(image, options_, mask_));
      }
      return first;
    }
    const int first = reserve(set, count);
    Slot& slot = slot_of(0);
    for (int done = 0; done < count; done += batch_) {
      const int now = std::min(batch_, count - done);
      const FeatureOutput out = output(set, first + done);
      if constexpr (sizeof(Sample) == 1) {
        if (channels == 1) {
          slot.device->run(images, done, now, out);
          continue;
        }
      }
      make_grey(queue_, images, channels, std::int64_t{done} * std::int64_t(pixels()),
                now * static_cast<int>(pixels()), slot.pictures);
      slot.device->run(slot.pictures, 0, now, out);
    }
    return first;
  }

 private:
  using Device = typename Method::Device;
  struct Slot {
    std::unique_ptr<Queue> own_queue;                // nullptr: the detector's queue
    Buffer<std::uint8_t> pictures;                   // 8-bit grey images
    std::optional<Device> device;                    // empty after a failure
    std::unique_ptr<HostBuffer<std::uint8_t>> host;  // images in the format of the caller
    Buffer<std::uint8_t> samples;                    // their copy, unless they are 8-bit grey
    PixelFormat format;
    FeatureOutput out;
    int count = 0;  // images in progress
  };

  [[nodiscard]] bool is_cpu() const { return queue_.device().info().kind == DeviceKind::cpu; }
  [[nodiscard]] std::size_t pixels() const {
    return static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
  }
  [[nodiscard]] std::size_t samples_of(int images, int channels) const {
    return static_cast<std::size_t>(images) * static_cast<std::size_t>(channels) * pixels();
  }
  // Returns the number of features for which a slot of a set has memory.
  [[nodiscard]] int capacity() const { return capacity(point_capacity_); }
  [[nodiscard]] int capacity(int points) const {
    return options_.max_features > 0 ? std::min(options_.max_features, points) : points;
  }

  // Returns the bytes of device memory that a batch needs.
  [[nodiscard]] std::size_t bytes_of(const Device& device) const {
    return static_cast<std::size_t>(batch_) * (device.bytes() + pixels());
  }
  [[nodiscard]] std::size_t least_bytes() const {
    return static_cast<std::size_t>(batch_) *
           (Method::least_bytes(width_, height_, options_, point_capacity_) + pixels());
  }
  void bound(std::size_t memory) {
    if (least_bytes() > memory)
      throw Error(ErrorCode::usage,
                  fmt::format("{}: memory = {} bytes: images of {} x {} px, {} at once, take at "
                              "least {}",
                              Method::kName, memory, width_, height_, batch_, least_bytes()));
    most_ = memory / static_cast<std::size_t>(batch_) - pixels();
    is_bound_ = true;
  }

  std::unique_ptr<Slot> make_slot(std::unique_ptr<Queue> own) {
    Queue& queue = own ? *own : queue_;
    try {
      Buffer<std::uint8_t> pictures(queue.device(), static_cast<std::size_t>(batch_) * pixels());
      // Only the first slot may have less memory than all levels need.
      Device device = own ? new_device(queue) : make_device(queue);
      return std::unique_ptr<Slot>(
          new Slot{std::move(own), std::move(pictures), std::move(device), {}, {}, {}, {}});
    } catch (const Error& e) {
      if (!runtime::is_out_of_memory(e)) throw;
      throw Error(
          ErrorCode::device,
          fmt::format("{}: images of {} x {} px, {} at once, take at least {} MB of the "
                      "device's memory{}: {}",
                      Method::kName, width_, height_, batch_, (least_bytes() >> 20) + 1,
                      options_.upsample ? ", a quarter of it without `upsample`" : "", e.what()));
    }
  }
  Device new_device(Queue& queue) {
    Device device = Method::make(queue, width_, height_, options_, batch_, point_capacity_, most_);
    device.set_mask(mask_);
    return device;
  }
  // Makes a detector with all levels in memory. If memory does not suffice, tries bands with half
  // as many bytes, repeatedly; a quarter of their size must remain free for other uses.
  Device make_device(Queue& queue) {
    for (;;) {
      try {
        Device device = new_device(queue);
        if (device.is_banded() && !is_bound_)
          (void)Buffer<std::uint8_t>(queue.device(), bytes_of(device) / 4);
        return device;
      } catch (const Error& e) {
        if (!runtime::is_out_of_memory(e) || !halve()) throw;
      }
    }
  }
  // Halves the memory of an image. Returns whether an image can be processed with less memory.
  bool halve() {
    const std::size_t tried = Method::bytes(width_, height_, options_, point_capacity_, most_);
    const std::size_t least = Method::least_bytes(width_, height_, options_, point_capacity_);
    most_ = std::max(least, tried / 2);
    return tried > least;
  }
  // Returns slot 0 or 1. If memory suffices for one slot only, waits for slot 0 and returns it.
  Slot& slot_of(std::size_t number) {
    if (!slots_[number] && !is_alone_) {
      try {
        slots_[number] = make_slot(std::make_unique<Queue>(queue_.device()));
      } catch (const Error& e) {
        if (!runtime::is_out_of_memory(e)) throw;
        is_alone_ = true;
      }
    }
    Slot& slot = *slots_[slots_[number] ? number : 0];
    finish(slot);
    if (!slot.device) slot.device.emplace(make_device(queue_of(slot)));
    return slot;
  }
  // Replaces the device of a slot, whose memory is freed first. If making the new device fails, the
  // slot has none until its next use.
  void remake(Slot& slot) {
    const int count = std::exchange(slot.count, 0);
    slot.device.reset();
    slot.device.emplace(make_device(queue_of(slot)));
    slot.count = count;
  }
  Queue& queue_of(Slot& slot) { return slot.own_queue ? *slot.own_queue : queue_; }

  // Reserves memory for features. If memory is short, the slots get less.
  int reserve(FeatureSet& set, int images) {
    if (images == 0) return set.size();
    for (;;) {
      try {
        return set.reserve(queue_, capacity(), images, Method::has_shapes(options_));
      } catch (const Error& e) {
        if (!runtime::is_out_of_memory(e)) throw;
        queue_.wait();
        const bool had_two = slots_[1] != nullptr;
        slots_[1].reset();
        is_alone_ = true;
        if (had_two) continue;
        if (!halve()) throw;
        remake(*slots_[0]);
      }
    }
  }
  FeatureOutput output(const FeatureSet& set, int image) const {
    return {set.keypoints(), set.descriptors(),   set.counts(), set.begin(image),
            image,           set.capacity(image), set.shapes()};
  }

  // Copies the first images of one format to the slot, at most a batch.
  void take(Slot& slot, std::span<const AnyImageView> images) {
    slot.format = format_of(images[0]);
    const std::size_t size = pixels() * slot.format.bytes();
    const std::size_t most = size * static_cast<std::size_t>(batch_);
    const bifocal::Device& device = queue_.device();
    if (!slot.host || slot.host->size() < most) {
      slot.host.reset();
      slot.host = std::make_unique<HostBuffer<std::uint8_t>>(device, most);
    }
    if (!slot.format.is_grey_8() && slot.samples.size() < most)
      slot.samples = Buffer<std::uint8_t>(device, most);
    slot.count = 0;
    for (const AnyImageView& image : images) {
      if (slot.count == batch_ || format_of(image) != slot.format) break;
      copy_rows(image, slot.host->data() + static_cast<std::size_t>(slot.count++) * size);
    }
  }

  void start(Slot& slot) {
    Queue& queue = queue_of(slot);
    const std::size_t count = static_cast<std::size_t>(slot.count) * pixels();
    Buffer<std::uint8_t>& to = slot.format.is_grey_8() ? slot.pictures : slot.samples;
    to.upload(queue, slot.host->span().first(count * slot.format.bytes()));
    if (!slot.format.is_grey_8())
      make_grey(queue, slot.samples, slot.format, static_cast<int>(count), slot.pictures);
    slot.device->run(slot.pictures, 0, slot.count, slot.out);
  }
  void finish(Slot& slot) {
    // Only noise has more features than the capacity, no photograph.
    while (slot.count > 0 && slot.device->was_full(slot.count)) {
      point_capacity_ = std::max(point_capacity_, 2 * slot.device->capacity());
      remake(slot);
      start(slot);
    }
    slot.count = 0;
  }

  void check(std::span<const AnyImageView> images) const {
    for (const AnyImageView& image : images) {
      check_image(image, Method::kName);
      if (image.width() != width_ || image.height() != height_)
        throw Error(ErrorCode::usage,
                    fmt::format("{}: an image of {} x {} px, made for {} x {}", Method::kName,
                                image.width(), image.height(), width_, height_));
    }
  }
  template <class Sample>
  void check(const Memory<const Sample>& images, int count, int channels) const {
    if (channels < 1 || channels > 4)
      throw Error(ErrorCode::usage, fmt::format("{}: channels = {}: must be 1 (grey) to 4 (RGBA)",
                                                Method::kName, channels));
    if (count < 0 || (count > 0 && images.is_null()))
      throw Error(ErrorCode::usage,
                  fmt::format("{}: count = {} of images that are {}", Method::kName, count,
                              images.is_null() ? "null" : "given"));
    if (const std::string why = runtime::why_foreign(queue_, "images", images); !why.empty())
      throw Error(ErrorCode::usage, fmt::format("{}: {}", Method::kName, why));
    if (!is_cpu() && !images.is_on_device() && count > 0)
      throw Error(ErrorCode::usage,
                  fmt::format("{}: images is memory of the host; the queue is of {}", Method::kName,
                              queue_.device().info().id));
    const std::size_t needed = samples_of(count, channels);
    if (images.size() > 0 && images.size() < needed)
      throw Error(ErrorCode::usage, fmt::format("{}: images holds {} samples; {} images have {}",
                                                Method::kName, images.size(), count, needed));
  }

  Queue& queue_;
  int width_, height_;
  Options options_;
  ImageU8 mask_;
  int batch_, point_capacity_ = 0;
  std::size_t most_ = 0;   // limit of device memory per image, in bytes; 0: none
  bool is_bound_ = false;  // the caller gave the limit
  bool is_alone_ = false;  // memory suffices for one slot only
  std::array<std::unique_ptr<Slot>, 2> slots_;
  std::optional<FeatureSet> set_;  // features to be copied to the host
};

}  // namespace bifocal::features
