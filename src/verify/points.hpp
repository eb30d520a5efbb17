// SPDX-License-Identifier: BSD-3-Clause
// Points of matches in memory that a queue's device can read, and copies of selected points there.
#pragma once

#include <bifocal/device.hpp>
#include <bifocal/geometry.hpp>

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/kernel.hpp"
#include "verify/records.hpp"

namespace bifocal::verify {

// Consecutive pairs in one work package of a thread, because a single pair is too little work.
inline constexpr std::size_t kPairsAtOnce = 16;

// Host memory that successive batches reuse. It is not initialised, because touching new pages took
// most of the time of gathering points.
template <class T>
class Reused {
 public:
  std::span<T> take(std::size_t size) {
    if (size > size_) {
      size_ = size + size / 4;
      data_.reset();
      data_ = std::make_unique_for_overwrite<T[]>(size_);
    }
    return {data_.get(), size};
  }

 private:
  std::unique_ptr<T[]> data_;
  std::size_t size_ = 0;
};

// Enlarges a buffer to at least `size` numbers; its content is lost if it grows. The new capacity
// includes a quarter more, because allocating and freeing memory stops all queues on some devices.
template <class T>
void make_capacity(const Device& device, Buffer<T>& buffer, std::size_t size) {
  if (buffer.size() >= size) return;
  buffer = {};
  buffer = Buffer<T>(device, size + size / 4);
}

// Host memory for points that are copied to a device next.
class UploadMemory {
 public:
  explicit UploadMemory(const Device& device) : device_(device) {}
  // Sets the number of points. The content is lost.
  void resize(std::size_t size) {
    // Page-locked memory is copied faster but takes long to allocate, so it is used only up to the
    // size of the pieces from verify().
    constexpr std::size_t kMostPageLocked = std::size_t{1} << 21;
    if (device_.info().kind == DeviceKind::cpu || size > kMostPageLocked) {
      data_ = pageable_.take(size).data();
      return;
    }
    if (!page_locked_ || page_locked_->size() < size) {
      page_locked_.reset();
      page_locked_.emplace(device_, size + size / 4);
    }
    data_ = page_locked_->data();
  }
  [[nodiscard]] PointPair* data() const { return data_; }

 private:
  Device device_;
  Reused<PointPair> pageable_;
  std::optional<HostBuffer<PointPair>> page_locked_;
  PointPair* data_ = nullptr;
};

[[nodiscard]] inline bool is_cpu(const Queue& queue) {
  return queue.device().info().kind == DeviceKind::cpu;
}

// Launches to[k] = table[rows[k]] for rows of `words` words of 32 bits.
void launch_gather_rows(Queue& queue, const runtime::Argument& table,
                        const Buffer<std::int64_t>& rows, std::int64_t count, int words,
                        const runtime::Argument& to);

// Computes to[k] = table[rows[k]] on any device. device_rows: a copy of `rows` in device memory,
// unused on a CPU.
template <class T>
void gather_rows(Queue& queue, const Memory<const T>& table, std::span<const std::int64_t> rows,
                 const Buffer<std::int64_t>& device_rows, int words, const Buffer<T>& to) {
  if (rows.empty()) return;
  if (!is_cpu(queue)) {
    launch_gather_rows(queue, table, device_rows, std::ssize(rows), words, to);
    return;
  }
  const auto bytes = static_cast<std::size_t>(words) * sizeof(std::uint32_t);
  const auto* from = static_cast<const char*>(static_cast<const void*>(table.pointer()));
  auto* own = static_cast<char*>(static_cast<void*>(to.data()));
  for (std::size_t k = 0; k < rows.size(); ++k)
    std::memcpy(own + k * bytes, from + static_cast<std::size_t>(rows[k]) * bytes, bytes);
}

// Copies of points in memory of a queue's device, reused by successive batches. Arguments in host
// memory must live until the queue has read them (Buffer::upload).
class PointCopies {
 public:
  explicit PointCopies(Queue& queue) : queue_(queue) {}

  // Copies the points of pairs: the points of pair k begin at points[begins[k]] and become
  // [offsets[k], offsets[k + 1]) of the result. Returns `points` if they already have this order.
  [[nodiscard]] Memory<const PointPair> of_pairs(const Memory<const PointPair>& points,
                                                 std::span<const std::int64_t> begins,
                                                 std::span<const std::int64_t> offsets);
  // Copies points[rows[0]], points[rows[1]], ...
  [[nodiscard]] Memory<const PointPair> of_rows(const Memory<const PointPair>& points,
                                                std::span<const std::int64_t> rows);

 private:
  Queue& queue_;
  Buffer<PointPair> of_pairs_, of_rows_;
  Buffer<std::int64_t> begins_, offsets_, rows_;
};

// Copies the first to.size() points from memory of the queue's device to the host, and waits.
void download_points(Queue& queue, const Memory<const PointPair>& points, std::span<PointPair> to);

// Returns a flag for each point. A point of pair k, in [offsets[k], offsets[k + 1]), gets 1 if it
// lies outside the inner areas of both images, otherwise 0.
[[nodiscard]] std::vector<std::uint8_t> border_flags(Queue& queue,
                                                     const Memory<const PointPair>& points,
                                                     std::span<const std::int64_t> offsets,
                                                     std::span<const inner_area> inner1,
                                                     std::span<const inner_area> inner2);

}  // namespace bifocal::verify
