// SPDX-License-Identifier: BSD-3-Clause
#include "verify/points.hpp"

#include <algorithm>
#include <numeric>

#include "runtime/parallel.hpp"
#include "runtime/workspace.hpp"
#include "verify/gather.hpp"

namespace bifocal::verify {
namespace {

using runtime::Array;

bool is_outside(double x, double y, const inner_area& inner) {
  x += 0.5, y += 0.5;
  return x < inner.least || y < inner.least || x > inner.most_x || y > inner.most_y;
}

}  // namespace

void launch_gather_rows(Queue& queue, const runtime::Argument& table,
                        const Buffer<std::int64_t>& rows, std::int64_t count, int words,
                        const runtime::Argument& to) {
  constexpr int kMostItems = 1 << 20;
  const int items = static_cast<int>(std::min<std::int64_t>(count * words, kMostItems));
  gather().gather_rows(queue, {.count = items},
                       {.table = Array<const std::uint32_t>(table),
                        .rows = rows,
                        .kept = count,
                        .words = words,
                        .items = items,
                        .to = Array<std::uint32_t>(to)});
}

Memory<const PointPair> PointCopies::of_pairs(const Memory<const PointPair>& points,
                                              std::span<const std::int64_t> begins,
                                              std::span<const std::int64_t> offsets) {
  if (std::equal(begins.begin(), begins.end(), offsets.begin())) return points;
  make_capacity(queue_.device(), of_pairs_, static_cast<std::size_t>(offsets.back()));
  if (is_cpu(queue_)) {
    const auto copy = [&](std::size_t k) {
      std::copy_n(points.pointer() + begins[k], offsets[k + 1] - offsets[k],
                  of_pairs_.data() + offsets[k]);
    };
    runtime::parallel_each(begins.size(), copy, kPairsAtOnce);
    return of_pairs_;
  }
  make_capacity(queue_.device(), begins_, begins.size());
  make_capacity(queue_.device(), offsets_, offsets.size());
  begins_.upload(queue_, begins);
  offsets_.upload(queue_, offsets);
  gather().gather_points(queue_, {.count = static_cast<int>(begins.size())},
                         {.points = Array<const std::uint32_t>(runtime::Argument(points)),
                          .begins = begins_,
                          .offsets = offsets_,
                          .kept = Array<std::uint32_t>(runtime::Argument(of_pairs_))});
  return of_pairs_;
}

Memory<const PointPair> PointCopies::of_rows(const Memory<const PointPair>& points,
                                             std::span<const std::int64_t> rows) {
  make_capacity(queue_.device(), of_rows_, rows.size());
  if (!is_cpu(queue_)) {
    make_capacity(queue_.device(), rows_, rows.size());
    rows_.upload(queue_, rows);
  }
  gather_rows(queue_, points, rows, rows_, kernels::gather::POINT_WORDS, of_rows_);
  return of_rows_;
}

void download_points(Queue& queue, const Memory<const PointPair>& points, std::span<PointPair> to) {
  if (to.empty()) return;
  if (points.owner()) {
    runtime::download(queue, *points.owner(), 0, to.data(), to.size_bytes());
    queue.wait();
    return;
  }
  // The address was allocated by a different library, so only a kernel can read it.
  std::vector<std::int64_t> rows(to.size());
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  PointCopies copies(queue);
  download_points(queue, copies.of_rows(points, rows), to);
}

std::vector<std::uint8_t> border_flags(Queue& queue, const Memory<const PointPair>& points,
                                       std::span<const std::int64_t> offsets,
                                       std::span<const inner_area> inner1,
                                       std::span<const inner_area> inner2) {
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(offsets.back()));
  if (flags.empty()) return flags;
  if (is_cpu(queue)) {
    runtime::parallel_each(
        inner1.size(),
        [&](std::size_t k) {
          for (std::int64_t i = offsets[k]; i < offsets[k + 1]; ++i) {
            const PointPair& p = points.pointer()[i];
            flags[static_cast<std::size_t>(i)] =
                is_outside(p.x1, p.y1, inner1[k]) && is_outside(p.x2, p.y2, inner2[k]);
          }
        },
        kPairsAtOnce);
    return flags;
  }
  runtime::Workspace workspace(queue);
  auto own_offsets = workspace.take<std::int64_t>(offsets.size());
  auto own_inner1 = workspace.take<inner_area>(inner1.size());
  auto own_inner2 = workspace.take<inner_area>(inner2.size());
  const auto own_flags = workspace.take<std::uint8_t>(flags.size());
  own_offsets.upload(queue, offsets);
  own_inner1.upload(queue, inner1);
  own_inner2.upload(queue, inner2);
  gather().flag_border(queue, {.count = static_cast<int>(inner1.size())},
                       {.points = Array<const features::point_match>(runtime::Argument(points)),
                        .offsets = own_offsets,
                        .inner1 = own_inner1,
                        .inner2 = own_inner2,
                        .at_border = own_flags});
  own_flags.download(queue, flags);
  queue.wait();
  return flags;
}

}  // namespace bifocal::verify
