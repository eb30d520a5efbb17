// SPDX-License-Identifier: BSD-3-Clause
#include "dense/truth.hpp"

#include <bifocal/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "math/median.hpp"

namespace bifocal::bench {
namespace {

// Whether the photograph sees a point of the scene.
bool sees(const TrueView& p, const Vec3& point) {
  const Vec3 X = times(p.pose.R, point);
  const double z = X[2] + p.pose.t[2];
  if (!(z > 0)) return false;
  const double u = p.camera.fx * (X[0] + p.pose.t[0]) / z + p.camera.cx,
               v = p.camera.fy * (X[1] + p.pose.t[1]) / z + p.camera.cy;
  if (!(u >= 0 && v >= 0 && u <= p.width - 1 && v <= p.height - 1)) return false;
  const float there =
      p.depth[static_cast<std::size_t>(std::lround(v)) * static_cast<std::size_t>(p.width) +
              static_cast<std::size_t>(std::lround(u))];
  return std::fabs(there / z - 1) < 0.01;
}

bool is_near(const std::int8_t* a, const std::int8_t* b, double degrees) {
  double dot = 0, aa = 0, bb = 0;
  for (int c = 0; c < 3; ++c) dot += a[c] * b[c], aa += a[c] * a[c], bb += b[c] * b[c];
  return dot >= std::cos(degrees * std::numbers::pi / 180) * std::sqrt(aa * bb);
}

float median_of(std::vector<float> values) { return values.empty() ? 0 : upper_median(values); }

double share(std::int64_t part, std::int64_t whole) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(std::max<std::int64_t>(1, whole));
}

}  // namespace

void DenseCounts::add(const DenseCounts& o) {
  seen += o.seen, known += o.known, near += o.near, off += o.off, normals += o.normals;
  contained += o.contained, sky += o.sky;
  std::ranges::copy(o.errors, std::back_inserter(errors));
  std::ranges::copy(o.deviations, std::back_inserter(deviations));
}

std::string DenseCounts::text() const {
  const float error = median_of(errors), deviation = median_of(deviations);
  return fmt::format(
      "pixels that three photographs see: {}; known {:.1f} %, within 0.5 % {:.1f} %, off by more "
      "than 2 % {:.2f} % (of the known {:.2f} %)\nof the known: median error {:.3f} %, normals "
      "within 15 degrees {:.1f} %, within two deviations {:.1f} %, median deviation / median "
      "error {:.2f}; depths in the sky {}\n",
      seen, share(known, seen), share(near, seen), share(off, seen), share(off, known), 100 * error,
      share(normals, known), share(contained, known), deviation / error, sky);
}

DenseCounts compare_depth(std::span<const TrueView> all, std::size_t i, const FoundDepth& found,
                          int step) {
  const TrueView& own = all[i];
  if (found.depth.size() != own.depth.size())
    throw Error(ErrorCode::input, fmt::format("{}: another size than the truth", own.name));
  DenseCounts counts;
  const Mat3 to_world = transposed(own.pose.R);
  for (int y = 0; y < own.height; y += step)
    for (int x = 0; x < own.width; x += step) {
      const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(own.width) +
                             static_cast<std::size_t>(x);
      const float truth = own.depth[at];
      if (std::isnan(truth)) {
        counts.sky += std::isnan(found.depth[at]) ? 0 : 1;
        continue;
      }
      const Vec3 moved = {(x - own.camera.cx) / own.camera.fx * truth - own.pose.t[0],
                          (y - own.camera.cy) / own.camera.fy * truth - own.pose.t[1],
                          truth - own.pose.t[2]};
      const Vec3 point = times(to_world, moved);
      int others = 0;
      for (std::size_t j = 0; j < all.size() && others < 2; ++j)
        others += j != i && sees(all[j], point) ? 1 : 0;
      if (others < 2) continue;
      ++counts.seen;
      if (std::isnan(found.depth[at])) continue;
      const float error = std::fabs(found.depth[at] / truth - 1);
      ++counts.known;
      counts.near += error <= 0.005F ? 1 : 0;
      counts.off += error > 0.02F ? 1 : 0;
      counts.normals += is_near(&found.normal[3 * at], &own.normal[3 * at], 15) ? 1 : 0;
      counts.contained +=
          std::fabs(found.depth[at] - truth) <= 2 * float(found.deviation[at]) ? 1 : 0;
      counts.errors.push_back(error);
      counts.deviations.push_back(float(found.deviation[at]) / truth);
    }
  return counts;
}

}  // namespace bifocal::bench
