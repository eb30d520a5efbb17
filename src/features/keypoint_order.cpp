// SPDX-License-Identifier: BSD-3-Clause
#include "features/keypoint_order.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "features/sift_rules.hpp"

namespace bifocal::features {
namespace {

// By response times sigma: the responses of large features are rarer and match better.
bool stronger(const Keypoint& a, const Keypoint& b) {
  const float strength_a = a.response * a.sigma, strength_b = b.response * b.sigma;
  return std::tie(strength_b, a.y, a.x, a.sigma, a.angle_deg) <
         std::tie(strength_a, b.y, b.x, b.sigma, b.angle_deg);
}

bool same_point(const Keypoint& a, const Keypoint& b) {
  return SiftRules::sift_same_point(a.x, a.y, a.sigma, a.angle_deg, b.x, b.y, b.sigma, b.angle_deg);
}

}  // namespace

std::vector<int> select(const std::vector<Keypoint>& points, int max_features) {
  std::vector<int> by_y(points.size());
  std::iota(by_y.begin(), by_y.end(), 0);
  const auto at = [&](int i) -> const Keypoint& { return points[std::size_t(i)]; };
  std::sort(by_y.begin(), by_y.end(), [&](int a, int b) {
    return std::tie(at(a).y, at(a).x, at(a).sigma, at(a).angle_deg) <
           std::tie(at(b).y, at(b).x, at(b).sigma, at(b).angle_deg);
  });
  std::vector<char> dropped(points.size());
  for (std::size_t i = 0; i < by_y.size(); ++i) {
    const Keypoint& a = at(by_y[i]);
    for (std::size_t j = i + 1; j < by_y.size() && at(by_y[j]).y - a.y < 0.1F * a.sigma; ++j) {
      const Keypoint& b = at(by_y[j]);
      if (!same_point(a, b)) continue;
      dropped[std::size_t(stronger(b, a) ? by_y[i] : by_y[j])] = 1;
    }
  }
  std::vector<int> kept;
  for (int i : by_y) {
    if (!dropped[std::size_t(i)]) kept.push_back(i);
  }
  std::sort(kept.begin(), kept.end(), [&](int a, int b) { return stronger(at(a), at(b)); });
  if (max_features > 0 && kept.size() > std::size_t(max_features))
    kept.resize(std::size_t(max_features));
  return kept;
}

}  // namespace bifocal::features
