// SPDX-License-Identifier: BSD-3-Clause
// Float descriptors: checks, packing, and the selection among the nearest neighbours of
// both directions.
#include "features/matching/match_float.hpp"

#include <bifocal/error.hpp>
#include <bifocal/matching.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "features/matching/match.hpp"
#include "features/matching/match_float.kernels.hpp"
#include "runtime/cancel.hpp"
#include "runtime/launch_cache.hpp"
#include "runtime/memory_limit.hpp"
#include "runtime/parallel.hpp"

namespace bifocal {
namespace features {
namespace {

constexpr int kMostNumbers = 4096;
constexpr int kRowsPerCheck = 64;  // rows between two checks for cancellation

void check(const FloatDescriptors& f, const char* name) {
  if (f.count < 0 || f.size < 1 || f.size > kMostNumbers || (f.count > 0 && !f.data))
    throw Error(ErrorCode::usage,
                fmt::format("match: {} has {} descriptors of {} numbers{}: must "
                            "be at least 0 of 1 to {}",
                            name, f.count, f.size, f.data ? "" : " at null", kMostNumbers));
  for (int i = 0; i < f.count; ++i) {
    if (i % kRowsPerCheck == 0) check_cancelled();
    const float* const row = f.data + std::ptrdiff_t{i} * f.size;
    const float* const bad =
        std::find_if(row, row + f.size, [](float v) { return !std::isfinite(v); });
    if (bad != row + f.size)
      throw Error(ErrorCode::usage, fmt::format("match: {}: descriptor {} has {}", name, i, *bad));
  }
}

void check(int size1, int size2, const FloatMatchOptions& options) {
  if (size1 != size2)
    throw Error(ErrorCode::usage,
                fmt::format("match: descriptors1 have {} numbers, descriptors2 {}", size1, size2));
  check_options(options);
}

void check(const FloatDescriptors& a, const FloatDescriptors& b, const FloatMatchOptions& options) {
  check(a, "descriptors1");
  check(b, "descriptors2");
  check(a.size, b.size, options);
}

void check(const Queue& queue, const FloatsOnDevice& f, const char* name) {
  if (queue.device().info().kind == DeviceKind::cpu)
    throw Error(ErrorCode::usage, fmt::format("match: {} on a device, the queue is of cpu", name));
  if (f.count < 0 || f.size < 1 || f.size > kMostNumbers)
    throw Error(ErrorCode::usage, fmt::format("match: {} has {} descriptors of {} numbers: must be "
                                              "at least 0 of 1 to {}",
                                              name, f.count, f.size, kMostNumbers));
  const auto count = std::size_t(f.count);
  for (const auto& [memory, what, numbers] :
       {std::tuple(&f.values, "values", count * std::size_t(f.size)),
        std::tuple(&f.squares, "squares", count)}) {
    const std::string called = fmt::format("{}.{}", name, what);
    if (const std::string why = runtime::why_foreign(queue, called.c_str(), *memory); !why.empty())
      throw Error(ErrorCode::usage, "match: " + why);
    if (count > 0 && (memory->is_null() || !memory->is_on_device()))
      throw Error(ErrorCode::usage,
                  fmt::format("match: {} has to be memory of the queue's device", called));
    if (memory->owner() && memory->size() < numbers)
      throw Error(ErrorCode::usage, fmt::format("match: {} holds {} numbers, needs {}", called,
                                                memory->size(), numbers));
  }
}
// Copies the descriptors and computes their squared lengths. Lengths are summed in double
// precision; a descriptor of zeros stays zero if normalised.
FloatRows rows_of(const FloatDescriptors& f, bool normalise) {
  const auto size = std::size_t(f.size);
  FloatRows rows{f.count, f.size, {}, {}};
  rows.values.reserve(std::size_t(f.count) * size);
  rows.squares.resize(std::size_t(f.count));
  for (std::size_t i = 0; i < rows.squares.size(); ++i) {
    if (i % kRowsPerCheck == 0) check_cancelled();
    rows.values.insert(rows.values.end(), f.data + i * size, f.data + (i + 1) * size);
    float* const row = rows.values.data() + i * size;
    const auto square = [&] {
      double sum = 0;
      for (std::size_t k = 0; k < size; ++k) sum += double(row[k]) * double(row[k]);
      return sum;
    };
    const double length = std::sqrt(square());
    if (normalise && length > 0)
      for (std::size_t k = 0; k < size; ++k) row[k] = static_cast<float>(row[k] / length);
    rows.squares[i] = static_cast<float>(square());
  }
  return rows;
}

FloatPanels panels_of(const FloatRows& rows) {
  const int padded = (rows.count + kFloatPanel - 1) / kFloatPanel * kFloatPanel;
  FloatPanels panels{rows.count, padded, rows.size, {}, {}};
  runtime::grow(panels.values, std::size_t(padded) * std::size_t(rows.size));
  panels.squares.assign(std::size_t(padded), std::numeric_limits<float>::infinity());
  std::copy(rows.squares.begin(), rows.squares.end(), panels.squares.begin());
  for (int i = 0; i < rows.count; ++i) {
    if (i % kRowsPerCheck == 0) check_cancelled();
    const float* in = rows.values.data() + std::ptrdiff_t{i} * rows.size;
    float* out = panels.values.data() + std::ptrdiff_t{i / kFloatPanel} * kFloatPanel * rows.size +
                 i % kFloatPanel;
    for (int k = 0; k < rows.size; ++k) out[std::ptrdiff_t{k} * kFloatPanel] = in[k];
  }
  return panels;
}

FloatNearest nearest_of(int count) {
  const auto size = std::size_t(count);
  constexpr float kNone = std::numeric_limits<float>::infinity();
  return {std::vector<float>(size, kNone), std::vector<float>(size, kNone),
          std::vector<int>(size, -1)};
}

struct FloatBothWays {
  FloatNearest rows, columns;
};

// The rows are divided independently of the number of threads.
FloatBothWays nearest_on_cpu(const FloatRows& rows, const FloatRows& columns) {
  const FloatPanels panels = panels_of(columns);
  const int blocks = (rows.count + kFloatBlock - 1) / kFloatBlock;
  const int tasks = std::min(blocks, kMostTasks);
  FloatBothWays both{nearest_of(rows.count), nearest_of(panels.padded)};
  std::vector<FloatNearest> parts(std::size_t(tasks), nearest_of(panels.padded));
  runtime::parallel_for(tasks, [&](int task) {
    for (int block = blocks * task / tasks; block < blocks * (task + 1) / tasks; ++block) {
      check_cancelled();
      const int first = block * kFloatBlock;
      nearest_floats(rows, first, std::min(rows.count, first + kFloatBlock), panels, both.rows,
                     parts[std::size_t(task)]);
    }
  });
  for (const FloatNearest& part : parts) {
    for (std::size_t j = 0; j < part.nearest.size(); ++j) {
      if (!(part.distances[j] < both.columns.distances[j])) continue;
      both.columns.distances[j] = part.distances[j];
      both.columns.nearest[j] = part.nearest[j];
    }
  }
  return both;
}

struct UploadedFloats {
  Buffer<float> values, squares;
  int count, size;
  UploadedFloats(Queue& queue, const FloatRows& rows)
      : values(queue.device(), rows.values.size()),
        squares(queue.device(), rows.squares.size()),
        count(rows.count),
        size(rows.size) {
    values.upload(queue, rows.values);
    squares.upload(queue, rows.squares);
  }
  [[nodiscard]] FloatsOnDevice view() const { return {values, squares, count, size}; }
};

FloatNearest nearest_on_device(Queue& queue, const FloatsOnDevice& rows,
                               const FloatsOnDevice& columns) {
  namespace kernel = kernels::match_float;
  const auto& launch = runtime::launch_of<kernel::launch<float>>(kernel::FLOAT_THREADS);
  const auto count = std::size_t(rows.count);
  const Buffer<float> distances(queue.device(), count), seconds(queue.device(), count);
  const Buffer<int> places(queue.device(), count);
  launch.match_float_rows(queue,
                          {.count = (rows.count + kernel::FLOAT_TILE - 1) / kernel::FLOAT_TILE},
                          {.rows = rows.values,
                           .row_squares = rows.squares,
                           .columns = columns.values,
                           .column_squares = columns.squares,
                           .row_count = rows.count,
                           .column_count = columns.count,
                           .size = rows.size,
                           .distances = distances,
                           .seconds = seconds,
                           .nearest = places});
  FloatNearest nearest = nearest_of(rows.count);
  distances.download(queue, nearest.distances);
  seconds.download(queue, nearest.seconds);
  places.download(queue, nearest.nearest);
  queue.wait();
  return nearest;
}

// Selects the matches. columns: nearest neighbours of the columns, read only for mutual matches.
std::vector<FloatMatch> select(const FloatNearest& rows, const FloatNearest& columns,
                               const FloatMatchOptions& options) {
  std::vector<FloatMatch> matches;
  for (std::size_t i = 0; i < rows.nearest.size(); ++i) {
    const int j = rows.nearest[i];
    if (j < 0) continue;
    const double nearest = std::sqrt(double(rows.distances[i]));
    const double second = std::sqrt(double(rows.seconds[i]));
    const double ratio = std::isinf(second) ? 0 : second > 0 ? nearest / second : 1;
    if (options.max_ratio < 1 && !(ratio < options.max_ratio)) continue;
    if (options.max_distance > 0 && nearest > options.max_distance) continue;
    if (options.mutual && columns.nearest[std::size_t(j)] != int(i)) continue;
    matches.push_back({int(i), j, float(nearest), float(ratio)});
  }
  return matches;
}

std::vector<FloatMatch> select_on_device(Queue& queue, const FloatsOnDevice& a,
                                         const FloatsOnDevice& b,
                                         const FloatMatchOptions& options) {
  const FloatNearest rows = nearest_on_device(queue, a, b);
  return select(rows, options.mutual ? nearest_on_device(queue, b, a) : FloatNearest{}, options);
}

}  // namespace
}  // namespace features

std::vector<FloatMatch> match(const FloatDescriptors& descriptors1,
                              const FloatDescriptors& descriptors2,
                              const FloatMatchOptions& options) {
  Queue queue;
  return match(queue, descriptors1, descriptors2, options);
}

std::vector<FloatMatch> match(Queue& queue, const FloatDescriptors& descriptors1,
                              const FloatDescriptors& descriptors2,
                              const FloatMatchOptions& options) {
  using namespace features;
  check(descriptors1, descriptors2, options);
  if (descriptors1.count == 0 || descriptors2.count == 0) return {};
  const FloatRows a = rows_of(descriptors1, options.normalise),
                  b = rows_of(descriptors2, options.normalise);
  if (queue.device().info().kind == DeviceKind::cpu) {
    const FloatBothWays both = nearest_on_cpu(a, b);
    return select(both.rows, both.columns, options);
  }
  const UploadedFloats x(queue, a), y(queue, b);
  return select_on_device(queue, x.view(), y.view(), options);
}

std::vector<FloatMatch> match(Queue& queue, const FloatsOnDevice& descriptors1,
                              const FloatsOnDevice& descriptors2,
                              const FloatMatchOptions& options) {
  using namespace features;
  check(queue, descriptors1, "descriptors1");
  check(queue, descriptors2, "descriptors2");
  check(descriptors1.size, descriptors2.size, options);
  if (descriptors1.count == 0 || descriptors2.count == 0) return {};
  return select_on_device(queue, descriptors1, descriptors2, options);
}

}  // namespace bifocal
