// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/features.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "features/matching/match.hpp"
#include "runtime/cancel.hpp"
#include "runtime/parallel.hpp"

namespace bifocal {
namespace features {
namespace {

constexpr int kTasksAThread = 4;
constexpr int kBlockRows = 96;  // rows whose state stays in the cache while they meet the columns
static_assert(kBlockRows <= kMostBlockRows && kBlockRows % kRowStep == 0);

int round_up(int n, int step) { return (n + step - 1) / step * step; }

std::int32_t square(const std::uint8_t* descriptor) {
  return std::inner_product(descriptor, descriptor + kElements, descriptor, std::int32_t{0});
}

// Order of the elements for 16-bit sums. Element w of a group of two cells is direction w of both
// cells, rotated by another angle in each cell, so that sum w takes one direction of each cell.
constexpr std::array<std::uint8_t, kElements> kShortSumOrder = [] {
  std::array<std::uint8_t, kElements> order{};
  for (int k = 0; k < kElements; ++k) {
    const int cell = k / 16 * 2 + k % 2, rotation = 3 * (cell % 4) + 2 * (cell / 4);
    order[std::size_t(k)] = std::uint8_t(cell * 8 + (k % 16 / 2 + rotation) % 8);
  }
  return order;
}();

// Copies a descriptor in this order and returns its norms.
Norms reorder(const std::uint8_t* in, std::uint8_t* out, int most) {
  for (int k = 0; k < kElements; ++k) out[k] = in[kShortSumOrder[std::size_t(k)]];
  std::array<int, 8> sums{}, pairs{};
  for (int k = 0; k < kElements; k += 16) {
    for (int w = 0; w < 8; ++w) {
      const int a = std::min<int>(out[k + 2 * w], most),
                b = std::min<int>(out[k + 2 * w + 1], most);
      const int square = a * a + b * b;
      sums[std::size_t(w)] += square;
      pairs[std::size_t(w)] = std::max(pairs[std::size_t(w)], square);
    }
  }
  Norms norms;
  norms.pair = float(*std::max_element(pairs.begin(), pairs.end()));
  std::copy(sums.begin(), sums.end(), norms.sums.begin());
  return norms;
}

struct BothWays {
  Nearest rows, columns;
};

// The result does not depend on how the rows are divided into tasks, because nearest neighbours can
// be merged in any order.
BothWays nearest(DescriptorRows rows1, DescriptorRows rows2, ColumnsWanted wanted) {
  const PackedRows a = pack_rows(rows1.data, rows1.count);
  const PackedPanels b = pack_panels(rows2.data, rows2.count);
  const int threads = runtime::thread_count();
  const int most = threads == 1 ? 1 : std::min(kMostTasks, kTasksAThread * threads);
  const int share = round_up(std::max(1, (a.count + most - 1) / most), kBlockRows);
  const int tasks = (a.count + share - 1) / share;
  BothWays result{Nearest(std::size_t(a.count)), Nearest(std::size_t(b.padded))};
  std::vector<Nearest> columns(std::size_t(tasks), Nearest(std::size_t(b.padded)));
  runtime::parallel_for(tasks, [&](int task) {
    const int end = std::min(a.count, (task + 1) * share);
    for (int i = task * share; i < end; i += kBlockRows)
      nearest_in_block(a, i, std::min(end, i + kBlockRows), b, wanted, result.rows,
                       columns[std::size_t(task)]);
  });
  for (const Nearest& n : columns) {
    for (std::size_t j = 0; j < std::size_t(b.count); ++j) {
      merge_nearest(result.columns, j, n.distance[j], n.second[j], n.index[j]);
    }
  }
  return result;
}

}  // namespace

PackedRows pack_rows(const std::uint8_t* descriptors, int count) {
  PackedRows packed{count, round_up(count, kRowStep), {}, {}, {}};
  const bool is_short = sums_are_short();
  if (is_short) packed.norms.resize(std::size_t(packed.padded));
  packed.values.resize(std::size_t(packed.padded) * kElements);
  packed.squares.resize(std::size_t(packed.padded), kNoSquare);
  std::copy_n(descriptors, std::size_t(count) * kElements, packed.values.begin());
  runtime::CancelTicks tick;
  for (int i = 0; i < count; ++i) {
    tick();
    const std::uint8_t* in = descriptors + std::ptrdiff_t{i} * kElements;
    packed.squares[std::size_t(i)] = square(in);
    if (is_short)
      packed.norms[std::size_t(i)] =
          reorder(in, packed.values.data() + std::ptrdiff_t{i} * kElements, kLargestByte);
  }
  return packed;
}

PackedPanels pack_panels(const std::uint8_t* descriptors, int count) {
  PackedPanels packed{count, round_up(count, kPanel), {}, {}, {}, {}};
  const bool is_short = sums_are_short();
  if (is_short) packed.norms.resize(std::size_t(packed.padded));
  std::array<std::uint8_t, kElements> reordered;
  packed.values.resize(std::size_t(packed.padded) * kElements);
  packed.squares.resize(std::size_t(packed.padded), kNoSquare);
  packed.sums.resize(std::size_t(packed.padded));
  runtime::CancelTicks tick;
  for (int i = 0; i < count; ++i) {
    tick();
    const std::uint8_t* in = descriptors + std::ptrdiff_t{i} * kElements;
    std::uint8_t* out =
        packed.values.data() + std::ptrdiff_t{i / kPanel} * kPanel * kElements + 4 * (i % kPanel);
    if (is_short) packed.norms[std::size_t(i)] = reorder(in, reordered.data(), 255);
    const std::uint8_t* const from = is_short ? reordered.data() : in;
    for (int k = 0; k < kQuads; ++k) std::copy_n(from + 4 * k, 4, out + 4 * kPanel * k);
    packed.squares[std::size_t(i)] = square(in);
    packed.sums[std::size_t(i)] = 128 * std::accumulate(in, in + kElements, 0);
  }
  return packed;
}

void check_features(const Features& f, const char* function, const char* name) {
  if (!f.shapes.empty() && f.shapes.size() != f.keypoints.size())
    throw Error(ErrorCode::usage,
                fmt::format("{}: {} has {} keypoints but {} shapes, must be as many or none",
                            function, name, f.keypoints.size(), f.shapes.size()));
  if (f.descriptors.size() == f.keypoints.size() * std::size_t(kDescriptorBytes)) return;
  throw Error(
      ErrorCode::usage,
      fmt::format("{}: {} has {} keypoints but {} bytes of descriptors, must be {} each", function,
                  name, f.keypoints.size(), f.descriptors.size(), kDescriptorBytes));
}

MatchRule rule_of(const MatchOptions& options) {
  MatchRule rule{};
  rule.least_ratio = options.max_ratio >= 1 ? std::numeric_limits<float>::infinity()
                                            : static_cast<float>(options.max_ratio);
  const double square = options.max_distance * options.max_distance;
  rule.max_distance = options.max_distance > 0 && square < kNoDistance
                          ? static_cast<std::int32_t>(std::floor(square))
                          : kNoDistance - 1;
  rule.mutual = options.mutual, rule.ratio_both_ways = options.ratio_both_ways;
  return rule;
}

std::vector<Match> select_matches(const Nearest& rows, const Nearest& columns, int count,
                                  const MatchRule& rule) {
  std::vector<Match> matches;
  for (int i = 0; i < count; ++i) {
    const auto row = std::size_t(i);
    const float ratio = distance_ratio(rows.distance[row], rows.second[row]);
    if (!(ratio < rule.least_ratio) || rows.distance[row] > rule.max_distance) continue;
    const auto column = std::size_t(rows.index[row]);
    if (rule.mutual && columns.index[column] != i) continue;
    if (rule.ratio_both_ways &&
        !(distance_ratio(columns.distance[column], columns.second[column]) < rule.least_ratio))
      continue;
    matches.push_back({i, rows.index[row], rows.distance[row], ratio});
  }
  return matches;
}

std::vector<Match> match_rows(DescriptorRows rows1, DescriptorRows rows2,
                              const MatchOptions& options) {
  if (rows1.count == 0 || rows2.count == 0) return {};
  const MatchRule rule = rule_of(options);
  const BothWays both = nearest(rows1, rows2,
                                rule.ratio_both_ways ? ColumnsWanted::two
                                : rule.mutual        ? ColumnsWanted::nearest
                                                     : ColumnsWanted::none);
  return select_matches(both.rows, both.columns, rows1.count, rule);
}

}  // namespace features

std::vector<Match> match(const Features& features1, const Features& features2,
                         const MatchOptions& options) {
  using namespace features;
  check_options(options);
  check_features(features1, "match", "features1");
  check_features(features2, "match", "features2");
  return match_rows({features1.descriptors.data(), features1.size()},
                    {features2.descriptors.data(), features2.size()}, options);
}

std::vector<PointPair> matched_points(const Features& features1, const Features& features2,
                                      std::span<const Match> matches) {
  std::vector<PointPair> points;
  points.reserve(matches.size());
  for (const Match& m : matches) {
    if (m.index1 < 0 || m.index1 >= features1.size() || m.index2 < 0 ||
        m.index2 >= features2.size()) {
      throw Error(ErrorCode::usage,
                  fmt::format("matched_points: match {} - {} of {} and {} features", m.index1,
                              m.index2, features1.size(), features2.size()));
    }
    const Keypoint& a = features1.keypoints[std::size_t(m.index1)];
    const Keypoint& b = features2.keypoints[std::size_t(m.index2)];
    points.push_back({a.x, a.y, b.x, b.y});
  }
  return points;
}

}  // namespace bifocal
