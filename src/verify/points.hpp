// SPDX-License-Identifier: BSD-3-Clause
// Points of matches in memory that the device of a queue reads, and copies of some of them there.
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

// Pairs that one thread works on in a row: a single pair is too little work.
inline constexpr std::size_t kPairsAtOnce = 16;

// Memory of the host that one batch after another uses. It is not initialised: new pages took most
// of the time of gathering points.
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

// Makes a buffer hold at least `size` numbers; those in it are lost if it grows. On some devices
// allocating and freeing memory stops the work of all queues, so it grows by a quarter more.
template <class T>
void make_capacity(const Device& device, Buffer<T>& buffer, std::size_t size) {
  if (buffer.size() >= size) return;
  buffer = {};
  buffer = Buffer<T>(device, size + size / 4);
}

// Memory of the host for points that are copied to a device next.
class UploadMemory {
 public:
  explicit UploadMemory(const Device& device) : device_(device) {}
  // The points are lost.
  void resize(std::size_t size) {
    // Page-locked memory is copied faster, and takes long to allocate: only for the size of the
    // pieces that verify() makes.
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

// to[k] = table[rows[k]], on any device; there: `rows` in its memory, unused on a CPU.
template <class T>
void gather_rows(Queue& queue, const Memory<const T>& table, std::span<const std::int64_t> rows,
                 const Buffer<std::int64_t>& there, int words, const Buffer<T>& to) {
  if (rows.empty()) return;
  if (!is_cpu(queue)) {
    launch_gather_rows(queue, table, there, std::ssize(rows), words, to);
    return;
  }
  const auto bytes = static_cast<std::size_t>(words) * sizeof(std::uint32_t);
  const auto* from = static_cast<const char*>(static_cast<const void*>(table.pointer()));
  auto* own = static_cast<char*>(static_cast<void*>(to.data()));
  for (std::size_t k = 0; k < rows.size(); ++k)
    std::memcpy(own + k * bytes, from + static_cast<std::size_t>(rows[k]) * bytes, bytes);
}

// Copies of points in memory of a queue's device, which one batch after another uses. Arguments in
// the host's memory live until the queue has come to them (Buffer::upload).
class PointCopies {
 public:
  explicit PointCopies(Queue& queue) : queue_(queue) {}

  // Copies the points of pairs: those of pair k begin at points[begins[k]] and become
  // [offsets[k], offsets[k + 1]) of the result. Returns `points` if they lie so already.
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

// Copies the first points of memory of the queue's device to the host, and waits.
void download_points(Queue& queue, const Memory<const PointPair>& points, std::span<PointPair> to);

// Flags the points of pair k, [offsets[k], offsets[k + 1]), with 1 if they lie outside the inner
// areas of both images, else with 0.
[[nodiscard]] std::vector<std::uint8_t> border_flags(Queue& queue,
                                                     const Memory<const PointPair>& points,
                                                     std::span<const std::int64_t> offsets,
                                                     std::span<const inner_area> inner1,
                                                     std::span<const inner_area> inner2);

}  // namespace bifocal::verify
