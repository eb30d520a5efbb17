// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/matching.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "features/matching/feature_set.kernels.hpp"
#include "features/matching/grow.hpp"
#include "features/matching/match.hpp"
#include "runtime/launch_cache.hpp"

namespace bifocal {
namespace features {

void copy_on_device(Queue& queue, const std::shared_ptr<runtime::BackendMemory>& from,
                    const std::shared_ptr<runtime::BackendMemory>& to, std::size_t bytes,
                    std::size_t from_first, std::size_t to_first) {
  if (queue.device().info().kind == DeviceKind::cpu) {
    std::memcpy(static_cast<char*>(runtime::address(*to)) + to_first,
                static_cast<const char*>(runtime::address(*from)) + from_first, bytes);
    return;
  }
  constexpr std::int64_t kMostItems = 1 << 20;
  const auto& launch = runtime::launch_of<kernels::feature_set::launch<float>>(256);
  const auto words = static_cast<std::int64_t>(bytes / 4);
  const auto items = static_cast<int>(std::min(words, kMostItems));
  launch.copy_words(queue, {.count = items},
                    {.from = Buffer<std::uint32_t>(from, bytes / 4),
                     .from_first = static_cast<std::int64_t>(from_first / 4),
                     .to = Buffer<std::uint32_t>(to, bytes / 4),
                     .to_first = static_cast<std::int64_t>(to_first / 4),
                     .words = words,
                     .items = items});
}

}  // namespace features

FeatureSet::FeatureSet(const Device& device, std::int64_t features) : device_(device) {
  if (features < 0)
    throw Error(ErrorCode::usage,
                fmt::format("FeatureSet: features = {}: must be at least 0", features));
  const auto capacity = static_cast<std::size_t>(features);
  descriptors_ = Buffer<std::uint8_t>(device, capacity * kDescriptorBytes);
  keypoints_ = Buffer<Keypoint>(device, capacity);
}

// Allocates memory for the shapes of this number of features.
void FeatureSet::make_shapes(Queue& queue, std::int64_t features) {
  const auto used = std::min(shapes_.size(), static_cast<std::size_t>(used_));
  features::grow(queue, shapes_, used, static_cast<std::size_t>(features));
}

int FeatureSet::append(Queue& queue, int capacity, int count, int images, bool has_shapes) {
  const auto added = static_cast<std::size_t>(images);
  const auto needed = static_cast<std::size_t>(used_ + std::int64_t{capacity} * images);
  const auto used = static_cast<std::size_t>(used_);
  features::grow(queue, descriptors_, used * kDescriptorBytes, needed * kDescriptorBytes);
  features::grow(queue, keypoints_, used, needed);
  if (has_shapes) make_shapes(queue, used_ + std::int64_t{capacity} * images);
  features::grow(queue, counts_, slots_.size(), std::max<std::size_t>(64, slots_.size() + added));
  const std::vector<int> counts(added, count);
  runtime::upload(queue, *counts_.memory(), slots_.size() * sizeof(int), counts.data(),
                  added * sizeof(int));
  queue.wait();  // `counts` must outlive the copy
  const int first = size();
  for (int k = 0; k < images; ++k, used_ += capacity)
    slots_.push_back({used_, capacity, has_shapes});
  return first;
}

int FeatureSet::add(Queue& queue, const Features& features) {
  check(queue, "add");
  features::check_features(features, "FeatureSet::add", "features");
  const int image = append(queue, features.size(), features.size(), 1, !features.shapes.empty());
  upload(queue, slots_.back(), features);
  queue.wait();
  return image;
}

void FeatureSet::upload(Queue& queue, const Slot& to, const Features& features) {
  if (features.size() == 0) return;
  const auto first = static_cast<std::size_t>(to.begin);
  runtime::upload(queue, *descriptors_.memory(), first * kDescriptorBytes,
                  features.descriptors.data(), features.descriptors.size());
  runtime::upload(queue, *keypoints_.memory(), first * sizeof(Keypoint), features.keypoints.data(),
                  features.keypoints.size() * sizeof(Keypoint));
  if (!features.shapes.empty())
    runtime::upload(queue, *shapes_.memory(), first * sizeof(KeypointShape), features.shapes.data(),
                    features.shapes.size() * sizeof(KeypointShape));
}

int FeatureSet::reserve(Queue& queue, int capacity, int images, bool has_shapes) {
  check(queue, "reserve");
  if (capacity < 0 || images < 1)
    throw Error(
        ErrorCode::usage,
        fmt::format("FeatureSet::reserve: {} images of capacity {}: must be at least 1 of at "
                    "least 0",
                    images, capacity));
  return append(queue, capacity, 0, images, has_shapes);
}

FeatureSet::Slot& FeatureSet::slot_for(int image, int count) {
  (void)slot(image);
  Slot& to = slots_[static_cast<std::size_t>(image)];
  if (count > to.capacity)
    throw Error(ErrorCode::usage,
                fmt::format("FeatureSet::put: {} features to image {} of capacity "
                            "{}",
                            count, image, to.capacity));
  return to;
}

void FeatureSet::put(Queue& queue, int image, const Features& features) {
  check(queue, "put");
  features::check_features(features, "FeatureSet::put", "features");
  const int count = features.size();
  Slot& to = slot_for(image, count);
  to.has_shapes = !features.shapes.empty();
  if (to.has_shapes) make_shapes(queue, to.begin + to.capacity);
  upload(queue, to, features);
  runtime::upload(queue, *counts_.memory(), static_cast<std::size_t>(image) * sizeof(int), &count,
                  sizeof count);
  queue.wait();  // `count` must outlive the copy
}

void FeatureSet::put(Queue& queue, int image, const FeatureSet& other, int from) {
  check(queue, "put");
  const int count = other.count(queue, from);
  Slot& to = slot_for(image, count);
  const auto size = static_cast<std::size_t>(count);
  const auto first = static_cast<std::size_t>(other.slot(from).begin);
  const auto own = static_cast<std::size_t>(to.begin);
  if (count > 0) {
    features::copy_on_device(queue, other.descriptors_.memory(), descriptors_.memory(),
                             size * kDescriptorBytes, first * kDescriptorBytes,
                             own * kDescriptorBytes);
    features::copy_on_device(queue, other.keypoints_.memory(), keypoints_.memory(),
                             size * sizeof(Keypoint), first * sizeof(Keypoint),
                             own * sizeof(Keypoint));
  }
  to.has_shapes = other.slot(from).has_shapes;
  if (to.has_shapes && count > 0) {
    make_shapes(queue, to.begin + to.capacity);
    features::copy_on_device(queue, other.shapes_.memory(), shapes_.memory(),
                             size * sizeof(KeypointShape), first * sizeof(KeypointShape),
                             own * sizeof(KeypointShape));
  }
  runtime::upload(queue, *counts_.memory(), static_cast<std::size_t>(image) * sizeof(int), &count,
                  sizeof count);
  queue.wait();  // `count` must outlive the copy
}

void FeatureSet::clear() {
  slots_.clear();
  used_ = 0;
}

std::int64_t FeatureSet::begin(int image) const { return slot(image).begin; }
int FeatureSet::capacity(int image) const { return slot(image).capacity; }

std::vector<int> FeatureSet::count_all(Queue& queue) const {
  check(queue, "count_all");
  std::vector<int> counts(slots_.size());
  counts_.download(queue, counts);
  queue.wait();
  for (std::size_t i = 0; i < counts.size(); ++i)
    counts[i] = std::clamp(counts[i], 0, slots_[i].capacity);
  return counts;
}

int FeatureSet::count(Queue& queue, int image) const {
  check(queue, "count");
  const Slot& of = slot(image);
  int count = 0;
  runtime::download(queue, *counts_.memory(), static_cast<std::size_t>(image) * sizeof(int), &count,
                    sizeof count);
  queue.wait();
  return std::clamp(count, 0, of.capacity);
}

Features FeatureSet::get(Queue& queue, int image) const {
  check(queue, "get");
  const auto size = static_cast<std::size_t>(count(queue, image));
  const auto first = static_cast<std::size_t>(slot(image).begin);
  Features features;
  if (size == 0) return features;
  features.keypoints = get_keypoints(queue, image);
  features.descriptors.resize(size * kDescriptorBytes);
  runtime::download(queue, *descriptors_.memory(), first * kDescriptorBytes,
                    features.descriptors.data(), features.descriptors.size());
  if (slot(image).has_shapes) {
    features.shapes.resize(size);
    runtime::download(queue, *shapes_.memory(), first * sizeof(KeypointShape),
                      features.shapes.data(), size * sizeof(KeypointShape));
  }
  queue.wait();
  return features;
}

std::vector<Keypoint> FeatureSet::get_keypoints(Queue& queue, int image) const {
  check(queue, "get_keypoints");
  const int size = count(queue, image);
  std::vector<Keypoint> keypoints(static_cast<std::size_t>(size));
  if (keypoints.empty()) return keypoints;
  const auto first = static_cast<std::size_t>(slot(image).begin);
  runtime::download(queue, *keypoints_.memory(), first * sizeof(Keypoint), keypoints.data(),
                    keypoints.size() * sizeof(Keypoint));
  queue.wait();
  return keypoints;
}

void FeatureSet::check(const Queue& queue, const char* method) const {
  if (!(queue.device() == device_))
    throw Error(ErrorCode::usage, fmt::format("FeatureSet::{}: the queue is of {}, the set of {}",
                                              method, queue.device().info().id, device_.info().id));
}

const FeatureSet::Slot& FeatureSet::slot(int image) const {
  if (image < 0 || image >= size())
    throw Error(ErrorCode::usage,
                fmt::format("FeatureSet: image = {} of a set of {}", image, size()));
  return slots_[static_cast<std::size_t>(image)];
}

}  // namespace bifocal
