// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/staging.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "runtime/backend.hpp"
#include "runtime/alternate_slots.hpp"
#include "runtime/parallel.hpp"
#include "runtime/staging_slots.hpp"
#include "runtime/workspace.hpp"

namespace bifocal::runtime {
namespace {

constexpr std::size_t kRowAlignment = 32;  // numbers: rows of a piece start on a memory transaction
constexpr std::size_t kSmallestPiece = std::size_t{1} << 20;  // bytes

std::size_t rounded_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

char* host_address(const BatchArray& array) {
  return *static_cast<char* const*>(array.memory.value());
}

void check(const Batch& batch, std::span<const BatchArray> arrays) {
  if (batch.count < 0)
    throw Error(ErrorCode::usage, fmt::format("a batch of {} instances", batch.count));
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const BatchArray& array = arrays[i];
    const std::ptrdiff_t rows = batch.interleaved ? array.numbers : batch.count;
    const std::ptrdiff_t row = batch.interleaved ? batch.count : array.numbers;
    if (array.is_null || rows == 0 || row == 0) continue;
    if (rows > 1 && array.stride < row)
      throw Error(ErrorCode::usage, fmt::format("array {} of a batch: stride {} where rows have {} "
                                                "numbers",
                                                i, array.stride, row));
    const auto needed = static_cast<std::size_t>((rows - 1) * array.stride + row);
    if (array.size > 0 && array.size < needed)
      throw Error(ErrorCode::usage, fmt::format("array {} of a batch: {} numbers where {} are "
                                                "needed",
                                                i, array.size, needed));
  }
}

// Part of an array in one piece: a rectangle in the array itself, and a dense rectangle
// on the device.
struct Share {
  Share(const Batch& batch, const BatchArray& array, std::size_t begin, std::size_t count,
        std::size_t device_stride)
      : stride(device_stride) {
    const std::size_t numbers = static_cast<std::size_t>(array.numbers);
    const std::size_t from_stride = static_cast<std::size_t>(array.stride);
    rectangle.rows = batch.interleaved ? numbers : count;
    rectangle.row_bytes = (batch.interleaved ? count : numbers) * array.number_bytes;
    rectangle.pitch = stride * array.number_bytes;
    rectangle.host_pitch = from_stride * array.number_bytes;
    begin_bytes = begin * (batch.interleaved ? 1 : from_stride) * array.number_bytes;
    device_bytes = rectangle.rows * rectangle.pitch;
    if (rectangle.pitch == rectangle.row_bytes && rectangle.host_pitch == rectangle.row_bytes) {
      rectangle.row_bytes *= rectangle.rows;
      rectangle.rows = 1;
    }
  }
  std::size_t stride;  // in numbers
  Rectangle rectangle;
  std::size_t begin_bytes = 0, device_bytes = 0;
};

Share piece_share(const Batch& batch, const BatchArray& array, std::size_t begin,
                  std::size_t count) {
  const std::size_t stride = batch.interleaved ? rounded_up(count, kRowAlignment)
                                               : static_cast<std::size_t>(array.numbers);
  return {batch, array, begin, count, stride};
}

constexpr std::size_t kPackage = std::size_t{256} << 10;  // bytes that a thread copies at a time

// Copies rows between the caller's memory and page-locked memory, on all threads.
void copy_rows(char* to, std::size_t to_pitch, const char* from, std::size_t from_pitch,
               std::size_t row_bytes, std::size_t rows) {
  if (rows == 1) return copy_on_all_threads(to, from, row_bytes);
  const std::size_t rows_each = std::max<std::size_t>(1, kPackage / row_bytes);
  parallel_for(static_cast<int>((rows + rows_each - 1) / rows_each), [&](int package) {
    const std::size_t begin = static_cast<std::size_t>(package) * rows_each;
    for (std::size_t row = begin; row < std::min(rows, begin + rows_each); ++row)
      std::memcpy(to + row * to_pitch, from + row * from_pitch, row_bytes);
  });
}

// Processes the pieces of one batch in alternating slots.
class Pipeline {
 public:
  Pipeline(Staging& staging, const Batch& batch, std::span<const BatchArray> arrays,
           const std::function<void(const Piece&)>& work, const Backend& device)
      : staging_(staging), batch_(batch), arrays_(arrays), work_(work) {
    for (const BatchArray& array : arrays_)
      direct_.push_back(!array.is_null && device.is_page_locked(host_address(array)));
  }
  // Waits for the queues: if `work` throws, copies from and to the caller's memory may
  // still be pending.
  ~Pipeline() {
    for (StagingSlot& slot : staging_.slots) {
      try {
        slot.queue.wait();
      } catch (const Error&) {  // a first exception is already propagating
      }
      slot.count = 0;
    }
  }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  void run(std::size_t capacity) {
    const std::size_t count = static_cast<std::size_t>(batch_.count);
    std::size_t begin = 0;
    const auto next = [&](std::size_t number) {
      if (begin >= count) return false;
      StagingSlot& slot = staging_.slots[number];
      slot.begin = begin;
      slot.count = std::min(capacity, count - begin);
      begin += capacity;
      start(slot);
      return true;
    };
    alternate_slots(next, [&](std::size_t number) { retire(staging_.slots[number]); });
  }

 private:
  // Calls use(i, array, share, offset in the slot's page-locked memory) for every array.
  template <class Use>
  void for_arrays(const StagingSlot& slot, const Use& use) const {
    std::size_t place = 0;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      if (arrays_[i].is_null) continue;
      const Share share = piece_share(batch_, arrays_[i], slot.begin, slot.count);
      use(i, arrays_[i], share, place);
      if (!direct_[i]) place += rounded_up(share.device_bytes, kSliceAlignment);
    }
  }

  void start(StagingSlot& slot) {
    std::size_t staged_bytes = 0;
    for_arrays(slot, [&](std::size_t, const BatchArray&, const Share& share, std::size_t place) {
      staged_bytes = place + share.device_bytes;
    });
    slot.reserve(staged_bytes);
    Workspace workspace(slot.queue);
    std::vector<Argument> arguments(arrays_.size(), Memory<char>());
    std::vector<std::ptrdiff_t> strides(arrays_.size());
    std::vector<Buffer<char>> buffers(arrays_.size());
    for_arrays(slot,
               [&](std::size_t i, const BatchArray& array, const Share& share, std::size_t place) {
                 buffers[i] = workspace.take<char>(share.device_bytes);
                 arguments[i] = buffers[i];
                 strides[i] = static_cast<std::ptrdiff_t>(share.stride);
                 if (!array.is_output) send(slot, i, share, place, *buffers[i].memory());
               });
    work_({slot.queue, static_cast<int>(slot.begin), static_cast<int>(slot.count), arguments,
           strides, arrays_});
    for_arrays(slot,
               [&](std::size_t i, const BatchArray& array, const Share& share, std::size_t place) {
                 if (!array.is_output) return;
                 if (direct_[i])
                   download(slot.queue, *buffers[i].memory(), share.rectangle,
                            host_address(array) + share.begin_bytes);
                 else
                   download(slot.queue, *buffers[i].memory(), 0, slot.memory->data() + place,
                            share.device_bytes);
               });
  }

  void send(StagingSlot& slot, std::size_t i, const Share& share, std::size_t place,
            BackendMemory& to) {
    const char* from = host_address(arrays_[i]) + share.begin_bytes;
    if (direct_[i]) {
      upload(slot.queue, to, share.rectangle, from);
      return;
    }
    char* staged = slot.memory->data() + place;
    const Rectangle& r = share.rectangle;
    copy_rows(staged, r.pitch, from, r.host_pitch, r.row_bytes, r.rows);
    upload(slot.queue, to, 0, staged, share.device_bytes);
  }

  // Waits for the slot's piece and copies its results to the caller's memory.
  void retire(StagingSlot& slot) {
    if (slot.count == 0) return;
    slot.queue.wait();
    for_arrays(slot,
               [&](std::size_t i, const BatchArray& array, const Share& share, std::size_t place) {
                 if (!array.is_output || direct_[i]) return;
                 const Rectangle& r = share.rectangle;
                 copy_rows(host_address(array) + share.begin_bytes, r.host_pitch,
                           slot.memory->data() + place, r.pitch, r.row_bytes, r.rows);
               });
    slot.count = 0;
  }

  Staging& staging_;
  Batch batch_;
  std::span<const BatchArray> arrays_;
  const std::function<void(const Piece&)>& work_;
  std::vector<bool> direct_;  // the caller's memory is page-locked itself
};

void run_whole(Queue& queue, const Batch& batch, std::span<const BatchArray> arrays,
               const std::function<void(const Piece&)>& work) {
  Workspace workspace(queue);
  const std::size_t count = static_cast<std::size_t>(batch.count);
  std::vector<Argument> arguments;
  std::vector<std::ptrdiff_t> strides;
  std::vector<Buffer<char>> buffers(arrays.size());
  // Interleaved arrays keep their strides, like the arrays on the device.
  const auto share_of = [&](const BatchArray& array) {
    const std::size_t stride = batch.interleaved
                                   ? std::max(count, static_cast<std::size_t>(array.stride))
                                   : static_cast<std::size_t>(array.numbers);
    return Share(batch, array, 0, count, stride);
  };
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    arguments.push_back(arrays[i].memory);
    strides.push_back(arrays[i].stride);
    if (!arrays[i].memory.on_host()) continue;
    const Share share = share_of(arrays[i]);
    buffers[i] = workspace.take<char>(share.device_bytes);
    arguments[i] = buffers[i];
    strides[i] = static_cast<std::ptrdiff_t>(share.stride);
    if (!arrays[i].is_output)
      upload(queue, *buffers[i].memory(), share.rectangle, host_address(arrays[i]));
  }
  work({queue, 0, batch.count, arguments, strides, arrays});
  for (std::size_t i = 0; i < arrays.size(); ++i)
    if (arrays[i].is_output && buffers[i].size() > 0)
      download(queue, *buffers[i].memory(), share_of(arrays[i]).rectangle, host_address(arrays[i]));
  queue.wait();
}

void run_directly(Queue& queue, const Batch& batch, std::span<const BatchArray> arrays,
                  const std::function<void(const Piece&)>& work) {
  std::vector<Argument> arguments;
  std::vector<std::ptrdiff_t> strides;
  for (const BatchArray& array : arrays) {
    arguments.push_back(array.memory);
    strides.push_back(array.stride);
  }
  work({queue, 0, batch.count, arguments, strides, arrays});
}

// Returns the number of instances in a piece: the capacity of the slot's memory, but at most a
// quarter of the batch unless such pieces are tiny.
std::size_t piece_capacity(const Batch& batch, std::span<const BatchArray> arrays,
                           std::size_t piece_bytes) {
  std::size_t each = 1;
  for (const BatchArray& array : arrays)
    if (!array.is_null) each += static_cast<std::size_t>(array.numbers) * array.number_bytes;
  const std::size_t quarter = (static_cast<std::size_t>(batch.count) + 3) / 4;
  const std::size_t least = std::min(kSmallestPiece, piece_bytes) / each;
  return rounded_up(
      std::max<std::size_t>(1, std::min(piece_bytes / each, std::max(least, quarter))),
      kRowAlignment);
}

// Returns the staging memory of a queue. Waits for the queue first, because earlier work may still
// write data that the pieces read.
Staging& staging_of(Queue& queue) {
  queue.wait();
  std::unique_ptr<Staging>& staging = runtime::backend_of(queue).staging;
  if (!staging) staging = std::make_unique<Staging>(queue.device());
  return *staging;
}

}  // namespace

void for_each_on_slots(Queue& queue, std::size_t count, std::size_t slots,
                       const std::function<void(StagingSlot&, std::size_t)>& work) {
  Staging& staging = staging_of(queue);
  const std::size_t threads = std::min({slots, count, std::size(staging.slots)});
  run_on_threads(static_cast<int>(threads), [&](int thread) {
    const auto first = static_cast<std::size_t>(thread);
    for (std::size_t k = first; k < count; k += threads) work(staging.slots[first], k);
  });
}

void copy_on_all_threads(char* to, const char* from, std::size_t bytes) {
  const std::size_t packages = (bytes + kPackage - 1) / kPackage;
  parallel_for(static_cast<int>(packages), [&](int package) {
    const std::size_t at = static_cast<std::size_t>(package) * kPackage;
    std::memcpy(to + at, from + at, std::min(kPackage, bytes - at));
  });
}

void for_each_piece(Queue& queue, const Batch& batch, std::span<const BatchArray> arrays,
                    const std::function<void(const Piece&)>& work, std::size_t piece_bytes) {
  check(batch, arrays);
  if (batch.count == 0) return;
  const Backend& device = *runtime::backend_of(queue.device());
  const auto on_host = [](const BatchArray& a) { return a.is_null || a.memory.on_host(); };
  const auto not_on_host = [](const BatchArray& a) { return !a.memory.on_host(); };
  if (device.info().kind == DeviceKind::cpu || std::ranges::all_of(arrays, not_on_host)) {
    run_directly(queue, batch, arrays, work);
  } else if (!std::ranges::all_of(arrays, on_host)) {
    run_whole(queue, batch, arrays, work);
  } else {
    Pipeline(staging_of(queue), batch, arrays, work, device)
        .run(piece_capacity(batch, arrays, piece_bytes));
  }
}

}  // namespace bifocal::runtime
