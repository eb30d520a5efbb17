// SPDX-License-Identifier: BSD-3-Clause
#include "features/points_device.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "features/sift.kernels.hpp"

namespace bifocal::features {
namespace {

namespace sift = kernels::sift;
using Launch = sift::launch<float>;
constexpr int kAnyRadius = 4;  // one that CUDA's kernels are compiled for

const Launch& groups_of(const Device& device) {
  static const Launch wide(sift::SIFT_THREADS, {{"RADIUS", kAnyRadius}});
  static const Launch single(1, {{"RADIUS", kAnyRadius}});
  return device.info().group_code ? wide : single;
}
const Launch& maps() {
  static const Launch launch(sift::SIFT_THREADS, {{"RADIUS", kAnyRadius}});
  return launch;
}

}  // namespace

PointsDevice::PointsDevice(Queue& queue, int batch, int room, int height, float scale, float shift)
    : queue_(&queue), room_(room), height_(height), scale_(scale), shift_(shift) {
  const Device& device = queue.device();
  const auto pictures = static_cast<std::size_t>(batch), heights = static_cast<std::size_t>(height);
  const std::size_t all = pictures * static_cast<std::size_t>(room);
  points = Buffer<float>(device, all * sift::POINT_FLOATS);
  counts = Buffer<std::uint32_t>(device, 2);
  found = Buffer<std::uint32_t>(device, pictures);
  kept = Buffer<std::uint32_t>(device, pictures);
  rows = Buffer<std::uint32_t>(device, pictures * (heights + 1));
  keys = Buffer<std::uint32_t>(device, 2 * all);
  sorted = Buffer<std::uint32_t>(device, 2 * all);
  begins_ = Buffer<std::uint32_t>(device, pictures * heights);
  order_ = Buffer<std::uint32_t>(device, all);
}

std::size_t PointsDevice::bytes(int room, int height) {
  return static_cast<std::size_t>(room) *
             (sizeof(float) * sift::POINT_FLOATS + 5 * sizeof(std::uint32_t)) +
         8 * static_cast<std::size_t>(height);
}

void PointsDevice::clear(int count, const FeatureOutput& out) {
  const int all_rows = static_cast<int>(rows.size());
  maps().sift_clear(*queue_, {.count = std::max({2, count, all_rows})}, counts, found, kept, count,
                    rows, all_rows, out.numbers, out.first);
}

void PointsDevice::set_mask(const ImageU8& given) {
  mask_width = given.width;
  if (given.empty()) return;
  mask = Buffer<std::uint8_t>(queue_->device(), given.pixels.size());
  mask.upload(*queue_, given.pixels);
  queue_->wait();
}

void PointsDevice::drop_copies(int count, const Buffer<std::uint32_t>* again) {
  const int all = room_ * count, is_again = again ? 1 : 0;
  const Buffer<std::uint32_t>& pictures = again ? *again : found;
  groups_of(queue_->device())
      .sift_rows(*queue_, {.count = count}, rows, height_, begins_, is_again, pictures);
  maps().sift_place(*queue_, {.count = all}, points, found, room_, scale_, shift_, height_, begins_,
                    order_, is_again, pictures);
  maps().sift_keep(*queue_, {.count = all}, points, found, room_, scale_, shift_, height_, rows,
                   begins_, order_, kept, keys, is_again, pictures);
}

void PointsDevice::order(int count, const Grid& grid, int most) {
  const Launch& groups = groups_of(queue_->device());
  const int all = room_ * count;
  const int chunks = std::min<int>(sift::SORT_CHUNKS, divided_up(room_, sift::SORT_CHUNK));
  groups.sift_sort_chunk(*queue_, {.count = chunks * (sift::SORT_CHUNK / sift::SORT_KEYS) * count},
                         keys, kept, room_, chunks, points, scale_, shift_, sorted);
  const Buffer<std::uint32_t>*from = &sorted, *to = &keys;
  for (int run = sift::SORT_CHUNK; run < room_; run *= sift::MERGED_RUNS, std::swap(from, to))
    maps().sift_sort_merge(*queue_, {.count = all}, *from, kept, room_, points, scale_, shift_, run,
                           *to);
  if (grid.cells() == 0) return;
  const std::int64_t words = std::int64_t{2} * room_ + grid.cells();
  const auto all_words = static_cast<std::size_t>(words) * kept.size();
  if (turns_.size() < all_words) turns_ = Buffer<std::uint32_t>(queue_->device(), all_words);
  groups.sift_balance(*queue_, {.count = count}, points, room_, scale_, shift_, grid.width,
                      grid.height, grid.side, grid.columns, grid.cells(), most, turns_, words,
                      sorted, keys, kept);
}

bool PointsDevice::was_full(int count, int candidate_room, bool* tile_full) {
  std::vector<std::uint32_t> numbers(2), all(static_cast<std::size_t>(count));
  counts.download(*queue_, numbers);
  found.download(*queue_, all);
  queue_->wait();
  *tile_full = numbers[1] != 0;
  return numbers[0] > std::uint32_t(candidate_room) ||
         std::ranges::any_of(all, [&](std::uint32_t n) { return n > std::uint32_t(room_); });
}

}  // namespace bifocal::features
