// SPDX-License-Identifier: BSD-3-Clause
#include "features/points_device.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "features/order.kernels.hpp"
#include "runtime/launch_cache.hpp"

namespace bifocal::features {
namespace {

namespace order = kernels::order;
using Launch = order::launch<float>;

static_assert(sizeof(keypoint) == sizeof(Keypoint));
static_assert(sizeof(keypoint_shape) == sizeof(KeypointShape));

const Launch& groups_of(const Device& device) {
  return runtime::group_launch_of<Launch>(device, order::ORDER_THREADS);
}
const Launch& maps() { return runtime::launch_of<Launch>(order::ORDER_THREADS); }

}  // namespace

PointsDevice::PointsDevice(Queue& queue, int batch, int capacity, int height, float scale,
                           float shift)
    : queue_(&queue), capacity_(capacity), height_(height), scale_(scale), shift_(shift) {
  const Device& device = queue.device();
  const auto pictures = static_cast<std::size_t>(batch), heights = static_cast<std::size_t>(height);
  const std::size_t all = pictures * static_cast<std::size_t>(capacity);
  points_ = Buffer<octave_point>(device, all);
  counts = Buffer<candidate_count>(device, 1);
  found = Buffer<std::uint32_t>(device, pictures);
  kept = Buffer<std::uint32_t>(device, pictures);
  rows = Buffer<std::uint32_t>(device, pictures * (heights + 1));
  keys_ = Buffer<sort_key>(device, all);
  sorted_ = Buffer<sort_key>(device, all);
  begins_ = Buffer<std::uint32_t>(device, pictures * heights);
  order_ = Buffer<std::uint32_t>(device, all);
}

std::size_t PointsDevice::bytes(int capacity, int height) {
  return static_cast<std::size_t>(capacity) *
             (sizeof(octave_point) + 2 * sizeof(sort_key) + sizeof(std::uint32_t)) +
         8 * static_cast<std::size_t>(height);
}

kernels::feature_list<float> FeatureOutput::list() const {
  return {.keypoints = runtime::Array<keypoint>(runtime::Argument(keypoints)),
          .descriptors = descriptors,
          .numbers = numbers,
          .begin = begin,
          .first = first,
          .most = most};
}

kernels::point_list<float> PointsDevice::list() const {
  return {.points = points_, .capacity = capacity_, .scale = scale_, .shift = shift_};
}

kernels::new_points<float> PointsDevice::added(int width) const {
  return {.points = points_,
          .capacity = capacity_,
          .scale = scale_,
          .shift = shift_,
          .found = found,
          .rows = rows,
          .image_width = width,
          .image_height = height_,
          .mask = mask_,
          .mask_width = mask_width_};
}

kernels::ranked_points<float> PointsDevice::ranked(int candidate_capacity) const {
  return {.list = list(),
          .sorted = sorted_,
          .sorted_too = keys_,
          .kept = kept,
          .counts = counts,
          .candidate_capacity = candidate_capacity,
          .found = found};
}

void PointsDevice::clear(int count, const FeatureOutput& out) {
  const int all_rows = static_cast<int>(rows.size());
  maps().order_clear(*queue_, {.count = std::max({1, count, all_rows})},
                     {.counts = counts,
                      .found = found,
                      .kept = kept,
                      .pictures = count,
                      .row_counts = rows,
                      .rows = all_rows,
                      .numbers = out.numbers,
                      .first = out.first});
}

void PointsDevice::set_mask(const ImageU8& given) {
  mask_width_ = given.width;
  if (given.empty()) return;
  mask_ = Buffer<std::uint8_t>(queue_->device(), given.pixels.size());
  mask_.upload(*queue_, given.pixels);
  queue_->wait();
}

void PointsDevice::drop_copies(int count, const Buffer<std::uint32_t>* again) {
  const int all = capacity_ * count, is_again = again ? 1 : 0;
  const runtime::Array<const std::uint32_t> pictures = again ? *again : Buffer<std::uint32_t>();
  groups_of(queue_->device())
      .order_rows(*queue_, {.count = count},
                  {.rows = rows,
                   .height = height_,
                   .begins = begins_,
                   .is_again = is_again,
                   .again = pictures});
  maps().order_place(*queue_, {.count = all},
                     {.list = list(),
                      .found = found,
                      .height = height_,
                      .begins = begins_,
                      .order = order_,
                      .is_again = is_again,
                      .again = pictures});
  maps().order_keep(*queue_, {.count = all},
                    {.list = list(),
                     .found = found,
                     .height = height_,
                     .rows = rows,
                     .order = order_,
                     .kept = kept,
                     .keys = keys_,
                     .is_again = is_again,
                     .again = pictures});
}

void PointsDevice::order(int count, const Grid& grid, int most) {
  const Launch& groups = groups_of(queue_->device());
  const int all = capacity_ * count;
  const int chunks = std::min<int>(order::SORT_CHUNKS, divided_up(capacity_, order::SORT_CHUNK));
  groups.order_sort_chunk(
      *queue_, {.count = chunks * (int{order::SORT_CHUNK} / order::SORT_KEYS) * count},
      {.list = list(), .keys = keys_, .kept = kept, .chunks = chunks, .sorted = sorted_});
  const Buffer<sort_key>*from = &sorted_, *to = &keys_;
  for (int run = order::SORT_CHUNK; run < capacity_; run *= order::MERGED_RUNS, std::swap(from, to))
    maps().order_sort_merge(
        *queue_, {.count = all},
        {.list = list(), .keys = *from, .kept = kept, .run = run, .sorted = *to});
  if (grid.cells() == 0) return;
  const std::int64_t words = std::int64_t{2} * capacity_ + grid.cells();
  const auto all_words = static_cast<std::size_t>(words) * kept.size();
  if (rounds_.size() < all_words) rounds_ = Buffer<std::uint32_t>(queue_->device(), all_words);
  groups.order_balance(*queue_, {.count = count},
                       {.list = list(),
                        .width = grid.width,
                        .height = grid.height,
                        .side = grid.side,
                        .columns = grid.columns,
                        .cells = grid.cells(),
                        .most = most,
                        .scratch = rounds_,
                        .words = words,
                        .sorted = sorted_,
                        .sorted_too = keys_,
                        .kept = kept});
}

bool PointsDevice::was_full(int count, int candidate_capacity, bool* tile_full) {
  candidate_count found_candidates{};
  std::vector<std::uint32_t> all(static_cast<std::size_t>(count));
  counts.download(*queue_, {&found_candidates, 1});
  found.download(*queue_, all);
  queue_->wait();
  const auto [candidates, overflow] = found_candidates;
  *tile_full = overflow == TILE_OVERFLOW;
  return candidates > std::uint32_t(candidate_capacity) || overflow == BAND_OVERFLOW ||
         std::ranges::any_of(all, [&](std::uint32_t n) { return n > std::uint32_t(capacity_); });
}

}  // namespace bifocal::features
