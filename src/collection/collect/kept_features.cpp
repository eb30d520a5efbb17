// SPDX-License-Identifier: BSD-3-Clause
#include "collection/collect/kept_features.hpp"

#include <algorithm>
#include <cstring>

#include "collection/collect/kept.kernels.hpp"
#include "collection/screen.hpp"
#include "features/matching/grow.hpp"
#include "runtime/launch_cache.hpp"

namespace bifocal::collection {
namespace {

constexpr int kKeypointWords = sizeof(Keypoint) / sizeof(std::uint32_t);
constexpr int kDescriptorWords = kDescriptorBytes / sizeof(std::uint32_t);
constexpr std::int64_t kCells = kDescriptorBytes / 8;  // of a descriptor

const kernels::kept::launch<float>& launch() {
  return runtime::launch_of<kernels::kept::launch<float>>(256);
}

int items_of(std::int64_t count) {
  return static_cast<int>(std::min<std::int64_t>(count, 1 << 20));
}

bool is_cpu(const Queue& queue) { return queue.device().info().kind == DeviceKind::cpu; }

// Returns the memory as words of 32 bits.
template <class T>
Buffer<std::uint32_t> words_of(const Buffer<T>& buffer) {
  return {buffer.memory(), buffer.size() * sizeof(T) / sizeof(std::uint32_t)};
}

template <class T>
void upload_rows(Queue& queue, const Buffer<T>& to, std::int64_t first, std::span<const T> from) {
  runtime::upload(queue, *to.memory(), static_cast<std::size_t>(first) * sizeof(T), from.data(),
                  from.size_bytes());
}

}  // namespace

KeptFeatures::KeptFeatures(const Device& device, std::int64_t features, int images, int largest)
    : most_(features),
      images_(images),
      largest_(largest),
      set_(device, features),
      largest_rows_(device, static_cast<std::size_t>(images) * static_cast<std::size_t>(largest)) {}

std::int64_t KeptFeatures::bytes() const {
  return most_ * static_cast<std::int64_t>(sizeof(Keypoint) + kDescriptorBytes) +
         static_cast<std::int64_t>(largest_rows_.size() * sizeof(std::int64_t));
}

void KeptFeatures::add(Queue& queue, int image, std::span<const Keypoint> keypoints,
                       std::span<const std::uint8_t> descriptors, const FeatureSet* found, int from,
                       bool is_reversed) {
  const auto count = std::ssize(keypoints);
  if (count == 0 || count > most_ - used_ || set_.size() == images_) return;
  Kept kept{set_.reserve(queue, static_cast<int>(count)), static_cast<int>(count), 0};
  used_ += count;
  const std::int64_t first = set_.begin(kept.slot);
  upload_rows(queue, set_.keypoints(), first, keypoints);
  if (found) {
    const std::int64_t cells = kCells * count;
    launch().keep_cells(queue, {.count = items_of(cells)},
                        {.from = words_of(found->descriptors()),
                         .from_first = kCells * found->begin(from),
                         .to = words_of(set_.descriptors()),
                         .to_first = kCells * first,
                         .cells = cells,
                         .is_reversed = is_reversed ? 1 : 0,
                         .items = items_of(cells)});
  } else {
    runtime::upload(queue, *set_.descriptors().memory(),
                    static_cast<std::size_t>(first) * kDescriptorBytes, descriptors.data(),
                    descriptors.size());
  }
  std::vector<std::int64_t> rows;
  if (largest_ > 0 && count > largest_) {
    rows = largest_keypoints(keypoints, largest_);
    for (std::int64_t& row : rows) row += first;
    kept.largest = largest_;
    upload_rows<std::int64_t>(queue, largest_rows_, std::int64_t{kept.slot} * largest_, rows);
  }
  queue.wait();  // `keypoints` and `rows` must outlive the copies
  kept_.emplace(image, kept);
}

bool KeptFeatures::has(int image, int capacity) const {
  const auto kept = kept_.find(image);
  if (kept == kept_.end()) return false;
  return kept->second.count <= capacity || kept->second.largest == capacity;
}

template <class T>
void KeptFeatures::copy_largest(Queue& queue, const Kept& kept, const Buffer<T>& table, int words,
                                const Buffer<T>& to, std::int64_t to_first) const {
  const std::int64_t rows_first = std::int64_t{kept.slot} * largest_;
  if (!is_cpu(queue)) {
    const int items = items_of(std::int64_t{kept.largest} * words);
    launch().copy_rows(queue, {.count = items},
                       {.table = words_of(table),
                        .rows = largest_rows_,
                        .rows_first = rows_first,
                        .kept = kept.largest,
                        .words = words,
                        .to = words_of(to),
                        .to_first = to_first,
                        .items = items});
    return;
  }
  const auto row_bytes = static_cast<std::int64_t>(sizeof(std::uint32_t)) * words;
  const auto* from = static_cast<const char*>(static_cast<const void*>(table.data()));
  auto* own = static_cast<char*>(static_cast<void*>(to.data()));
  for (std::int64_t k = 0; k < kept.largest; ++k)
    std::memcpy(own + (to_first + k) * row_bytes,
                from + largest_rows_.data()[rows_first + k] * row_bytes,
                static_cast<std::size_t>(row_bytes));
}

void KeptFeatures::copy(Queue& queue, int image, const FeatureSet& to, int slot) const {
  const Kept& kept = kept_.at(image);
  const auto from = static_cast<std::size_t>(set_.begin(kept.slot)),
             own = static_cast<std::size_t>(to.begin(slot));
  const bool fits = kept.count <= to.capacity(slot);
  if (fits) {
    const auto count = static_cast<std::size_t>(kept.count);
    features::copy_on_device(queue, set_.descriptors().memory(), to.descriptors().memory(),
                             count * kDescriptorBytes, from * kDescriptorBytes,
                             own * kDescriptorBytes);
    features::copy_on_device(queue, set_.keypoints().memory(), to.keypoints().memory(),
                             count * sizeof(Keypoint), from * sizeof(Keypoint),
                             own * sizeof(Keypoint));
  } else {
    copy_largest(queue, kept, set_.descriptors(), kDescriptorWords, to.descriptors(),
                 static_cast<std::int64_t>(own));
    copy_largest(queue, kept, set_.keypoints(), kKeypointWords, to.keypoints(),
                 static_cast<std::int64_t>(own));
  }
  upload_rows<int>(queue, to.counts(), slot, std::span(fits ? &kept.count : &kept.largest, 1));
}

}  // namespace bifocal::collection
