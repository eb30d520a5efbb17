// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>
#include <vector>

#include "oxford.hpp"

namespace bifocal::bench {
namespace {

// Overlap error of the circle of radius r1 around the origin, mapped by A (row-major), and the
// circle of radius r2 around (x, y): one minus intersection over union, from samples of the second.
double overlap_error(const std::array<double, 4>& A, double r1, double x, double y, double r2) {
  constexpr int kSide = 32;
  const double det = A[0] * A[3] - A[1] * A[2];
  int common = 0, all = 0;
  for (int i = 0; i < kSide * kSide; ++i) {
    const double u = (2 * (i % kSide + 0.5) / kSide - 1) * r2;
    const double v = (2 * (i / kSide + 0.5) / kSide - 1) * r2;
    if (u * u + v * v > r2 * r2) continue;
    ++all;
    const double px = x + u, py = y + v;
    common += std::hypot(A[3] * px - A[1] * py, A[0] * py - A[2] * px) <= r1 * std::abs(det);
  }
  const double second = std::numbers::pi * r2 * r2, shared = second * common / all;
  return 1 - shared / (std::numbers::pi * r1 * r1 * std::abs(det) + second - shared);
}

// The derivative of the map at (x, y).
std::array<double, 4> affine_at(const Mat3& H, double x, double y) {
  const auto [a, b] = mapped(H, x, y);
  const auto [ax, bx] = mapped(H, x + 0.5, y);
  const auto [ay, by] = mapped(H, x, y + 0.5);
  return {2 * (ax - a), 2 * (ay - a), 2 * (bx - b), 2 * (by - b)};
}

bool is_inside(const std::array<double, 2>& p, const ImageU8& image) {
  return p[0] >= 0 && p[1] >= 0 && p[0] <= image.width - 1 && p[1] <= image.height - 1;
}

}  // namespace

double region_repeatability(const std::vector<Keypoint>& points1,
                            const std::vector<Keypoint>& points2, const Mat3& H,
                            const Mat3& H_inverse, const ImageU8& image1, const ImageU8& image2) {
  constexpr double kRadius = 30, kMostError = 0.4, kFarthest = 25;  // px, -, px
  std::map<std::pair<int, int>, std::vector<int>> cells;
  const auto cell = [&](double v) { return static_cast<int>(std::floor(v / kFarthest)); };
  int seen1 = 0, seen2 = 0;
  for (int j = 0; j < static_cast<int>(points2.size()); ++j) {
    const Keypoint& q = points2[std::size_t(j)];
    if (!is_inside(mapped(H_inverse, q.x, q.y), image1)) continue;
    ++seen2;
    cells[{cell(q.x), cell(q.y)}].push_back(j);
  }
  std::vector<std::tuple<double, int, int>> pairs;  // error, points
  for (int i = 0; i < static_cast<int>(points1.size()); ++i) {
    const Keypoint& p = points1[std::size_t(i)];
    const auto at = mapped(H, p.x, p.y);
    if (!is_inside(at, image2)) continue;
    ++seen1;
    const auto A = affine_at(H, p.x, p.y);
    for (int k = 0; k < 9; ++k) {
      const auto near = cells.find({cell(at[0]) + k % 3 - 1, cell(at[1]) + k / 3 - 1});
      if (near == cells.end()) continue;
      for (int j : near->second) {
        const Keypoint& q = points2[std::size_t(j)];
        const double dx = q.x - at[0], dy = q.y - at[1];
        const double r2 = kRadius * q.sigma / p.sigma;
        const double ratio = r2 * r2 / (kRadius * kRadius * std::abs(A[0] * A[3] - A[1] * A[2]));
        if (std::hypot(dx, dy) > kFarthest || ratio < 1 - kMostError ||
            ratio * (1 - kMostError) > 1)
          continue;
        const double error = overlap_error(A, kRadius, dx, dy, r2);
        if (error < kMostError) pairs.emplace_back(error, i, j);
      }
    }
  }
  // Each point once, the best pairs first.
  std::ranges::sort(pairs);
  std::vector<char> taken1(points1.size()), taken2(points2.size());
  int found = 0;
  for (const auto& [error, i, j] : pairs) {
    if (taken1[std::size_t(i)] || taken2[std::size_t(j)]) continue;
    taken1[std::size_t(i)] = taken2[std::size_t(j)] = 1;
    ++found;
  }
  return std::min(seen1, seen2) > 0 ? double(found) / std::min(seen1, seen2) : 0;
}

}  // namespace bifocal::bench
