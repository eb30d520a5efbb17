// SPDX-License-Identifier: BSD-3-Clause
// Order of the points of SIFT on CPUs, the twin of order.kernel.h.
#include "features/order.hpp"

#include <bifocal/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "features/sift/sift_rules.hpp"
#include "runtime/cancel.hpp"

namespace bifocal::features {
namespace {

// Orders by response times sigma, because large features are rarer and match better.
bool stronger(const Keypoint& a, const Keypoint& b) {
  const float strength_a = a.response * a.sigma, strength_b = b.response * b.sigma;
  return std::tie(strength_b, a.y, a.x, a.sigma, a.angle_deg) <
         std::tie(strength_a, b.y, b.x, b.sigma, b.angle_deg);
}

bool same_point(const Keypoint& a, const Keypoint& b) {
  return SiftRules::sift_same_point(a.x, a.y, a.sigma, a.angle_deg, b.x, b.y, b.sigma, b.angle_deg);
}

int nearest(float at, int size) { return std::clamp(static_cast<int>(at + 0.5F), 0, size - 1); }

// Returns the points of each strip of columns, in their order. Points near a border are in both
// strips, so that all copies of a point meet. A single list would take quadratic time in the number
// of points of a row.
std::vector<std::vector<int>> strips_of(const std::vector<Keypoint>& points,
                                        const std::vector<int>& order, int width) {
  constexpr int kWidth = 256;  // px, more than the distance between copies
  std::vector<std::vector<int>> strips(static_cast<std::size_t>(width / kWidth + 1));
  runtime::CancelTicks tick;
  for (int i : order) {
    tick();
    const Keypoint& p = points[std::size_t(i)];
    const auto strip_at = [&](float x) {
      return std::clamp(static_cast<int>(x) / kWidth, 0, static_cast<int>(strips.size()) - 1);
    };
    const int first = strip_at(p.x - 0.1F * p.sigma), last = strip_at(p.x + 0.1F * p.sigma);
    strips[std::size_t(first)].push_back(i);
    if (last != first) strips[std::size_t(last)].push_back(i);
  }
  return strips;
}

// Returns the first max_features points in the order of `sorted`, by rounds in which each cell
// gives one point.
std::vector<int> balanced(const std::vector<Keypoint>& points, const std::vector<int>& sorted,
                          const Selection& selection) {
  const Grid grid(selection.width, selection.height, selection.balance);
  std::vector<int> taken(static_cast<std::size_t>(grid.cells())), rounds, sizes(sorted.size());
  for (int i : sorted) {
    rounds.push_back(taken[std::size_t(grid.cell_of(points[std::size_t(i)]))]++);
    ++sizes[std::size_t(rounds.back())];
  }
  int left = selection.max_features, last = 0;  // `last` is the round that does not fit as a whole
  while (left >= sizes[std::size_t(last)]) left -= sizes[std::size_t(last++)];
  std::vector<int> kept;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    if (rounds[k] < last || (rounds[k] == last && left-- > 0)) kept.push_back(sorted[k]);
  }
  return kept;
}

}  // namespace

Grid::Grid(int width_, int height_, int balance)
    : width(width_), height(height_), side(1), columns(0), rows(0) {
  if (balance == 0) return;
  side = (std::max(width, height) + balance - 1) / balance;
  columns = (width + side - 1) / side;
  rows = (height + side - 1) / side;
}

int Grid::cell_of(const Keypoint& point) const {
  return nearest(point.y, height) / side * columns + nearest(point.x, width) / side;
}

void check_mask(const char* function, ImageView<const std::uint8_t> mask, int width, int height) {
  if (mask.empty()) return;
  if (mask.width != width || mask.height != height || mask.channels != 1 || !mask.usable())
    throw Error(ErrorCode::usage,
                fmt::format("{}: mask of {} x {} px with {} channels: must be of the image's {} x "
                            "{} with one",
                            function, mask.width, mask.height, mask.channels, width, height));
}

std::vector<int> select(const std::vector<Keypoint>& points, const Selection& selection) {
  const auto at = [&](int i) -> const Keypoint& { return points[std::size_t(i)]; };
  const ImageView<const std::uint8_t>& mask = selection.mask;
  std::vector<int> by_y;
  runtime::CancelTicks tick;
  for (int i = 0; i < static_cast<int>(points.size()); ++i) {
    tick();
    const int x = nearest(at(i).x, selection.width), y = nearest(at(i).y, selection.height);
    if (mask.empty() || mask.at(x, y) != 0) by_y.push_back(i);
  }
  std::sort(by_y.begin(), by_y.end(), [&](int a, int b) {
    tick();
    return std::tie(at(a).y, at(a).x, at(a).sigma, at(a).angle_deg) <
           std::tie(at(b).y, at(b).x, at(b).sigma, at(b).angle_deg);
  });
  std::vector<char> dropped(points.size());
  for (const std::vector<int>& strip : strips_of(points, by_y, selection.width)) {
    for (std::size_t i = 0; i < strip.size(); ++i) {
      tick();
      const Keypoint& a = at(strip[i]);
      for (std::size_t j = i + 1; j < strip.size() && at(strip[j]).y - a.y < 0.1F * a.sigma; ++j) {
        const Keypoint& b = at(strip[j]);
        if (same_point(a, b)) dropped[std::size_t(stronger(b, a) ? strip[i] : strip[j])] = 1;
      }
    }
  }
  std::vector<int> kept;
  for (int i : by_y) {
    if (!dropped[std::size_t(i)]) kept.push_back(i);
  }
  std::sort(kept.begin(), kept.end(), [&](int a, int b) {
    tick();
    return stronger(at(a), at(b));
  });
  const auto most = static_cast<std::size_t>(selection.max_features);
  if (most == 0 || kept.size() <= most) return kept;
  if (selection.balance > 0) return balanced(points, kept, selection);
  kept.resize(most);
  return kept;
}

}  // namespace bifocal::features
