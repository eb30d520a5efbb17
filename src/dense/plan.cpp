// SPDX-License-Identifier: BSD-3-Clause
#include "dense/plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "mapping/algebra.hpp"
#include "math/median.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::dense {
namespace {

using mapping::centre_of;

constexpr double kDegree = std::numbers::pi / 180;
constexpr double kLeastAngle = 1 * kDegree;
constexpr std::size_t kLeastPoints = 30;  // of a view; with fewer its cameras decide
constexpr int kGrid = 6;                  // columns and rows of pixels that replace points

// Value of an angle between two rays of a point. A small angle does not determine the depth; at a
// large angle patches do not look alike.
double value_of(double angle) {
  constexpr double kBest = 3 * kDegree, kFall = 20 * kDegree;
  if (angle < kLeastAngle) return 0;
  const double ratio = angle / kBest, beyond = (angle - kBest) / kFall;
  return angle < kBest ? ratio : std::exp(-beyond * beyond);
}

struct Seen {
  double x, y, z;
};
Seen project(const Placed& view, const Vec3& point) {
  const Vec3 p = mapping::moved(view.cam_from_world, point);
  return {view.camera.fx * p[0] / p[2] + view.camera.cx,
          view.camera.fy * p[1] / p[2] + view.camera.cy, p[2]};
}
bool is_inside(const Placed& view, const Seen& p) {
  return p.z > 0 && p.x >= 0 && p.y >= 0 && p.x <= view.shape.width - 1 &&
         p.y <= view.shape.height - 1;
}

double angle_between(const Vec3& a, const Vec3& b, const Vec3& point) {
  const Vec3 u = mapping::difference(point, a), v = mapping::difference(point, b);
  return std::acos(std::clamp(dot(u, v) / (norm(u) * norm(v)), -1.0, 1.0));
}

// Returns the depth at which the optical axis of a view is nearest to the axes of other views: the
// median over views whose axes come near in front of both. 0 without such a view.
double depth_of_crossings(std::span<const Placed> views, std::size_t i) {
  const auto axis = [&](std::size_t k) {
    const Mat3& R = views[k].cam_from_world.R;
    return Vec3{R[6], R[7], R[8]};
  };
  const Vec3 a = centre_of(views[i].cam_from_world), d = axis(i);
  std::vector<double> depths;
  for (std::size_t j = 0; j < views.size(); ++j) {
    if (j == i) continue;
    const Vec3 b = centre_of(views[j].cam_from_world), e = axis(j);
    const Vec3 between = mapping::difference(b, a);
    const double de = dot(d, e), determinant = 1 - de * de;
    if (de < std::cos(75 * kDegree) || determinant < std::pow(std::sin(2 * kDegree), 2)) continue;
    const double s = (dot(between, d) - de * dot(between, e)) / determinant,
                 t = (de * dot(between, d) - dot(between, e)) / determinant;
    if (s > 0 && t > 0) depths.push_back(s);
  }
  return depths.empty() ? 0 : upper_median(depths);
}

// Points of a view: observed points, or pixels at several depths.
struct ViewPoints {
  std::vector<Vec3> xyz;
  std::vector<const std::vector<int>*> seen_by;  // views with an observation, sorted; null: unknown
  double assumed_depth = 0;                      // around which points were assumed; 0: none
};

void add_grid(const Placed& view, double depth, ViewPoints& points) {
  const Vec3 centre = centre_of(view.cam_from_world);
  const Mat3 to_world = transposed(view.cam_from_world.R);
  for (int k = 0; k < kGrid * kGrid; ++k) {
    const double x = (k % kGrid + 0.5) / kGrid * view.shape.width - 0.5,
                 y = (k / kGrid + 0.5) / kGrid * view.shape.height - 0.5;
    const Vec3 ray = times(to_world, Vec3{(x - view.camera.cx) / view.camera.fx * depth,
                                          (y - view.camera.cy) / view.camera.fy * depth, depth});
    points.xyz.push_back({centre[0] + ray[0], centre[1] + ray[1], centre[2] + ray[2]});
    points.seen_by.push_back(nullptr);
  }
}

// Points at three depths in the given range, or around the depth at which optical axes cross.
ViewPoints assumed_points(std::span<const Placed> views, std::size_t i,
                          const DenseOptions& options) {
  constexpr double kNearer = 3;
  ViewPoints points;
  const bool has_range = options.min_depth > 0 && options.max_depth > 0;
  points.assumed_depth =
      has_range ? std::sqrt(options.min_depth * options.max_depth) : depth_of_crossings(views, i);
  if (!(points.assumed_depth > 0)) return points;
  const double ratio = has_range ? std::sqrt(options.max_depth / options.min_depth) : kNearer;
  for (const double scale : {1 / ratio, 1 / std::sqrt(ratio), 1.0})
    add_grid(views[i], scale * points.assumed_depth, points);
  return points;
}

// Returns the views that can see points of a view: the views with the most common points, and the
// nearest views.
std::vector<int> candidates_of(std::span<const Placed> views, std::size_t i,
                               const ViewPoints& points) {
  constexpr std::size_t kMost = 40;
  std::vector<int> common(views.size()), order(views.size());
  std::vector<double> distance(views.size());
  for (const std::vector<int>* seen_by : points.seen_by)
    if (seen_by)
      for (const int j : *seen_by) ++common[static_cast<std::size_t>(j)];
  const Vec3 centre = centre_of(views[i].cam_from_world);
  for (std::size_t j = 0; j < views.size(); ++j)
    distance[j] = norm(mapping::difference(centre_of(views[j].cam_from_world), centre));
  const auto first = [&](const auto& is_before) {
    std::iota(order.begin(), order.end(), 0);
    std::erase(order, static_cast<int>(i));
    std::ranges::stable_sort(order, is_before);
    return std::vector<int>(
        order.begin(), order.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, order.size())));
  };
  std::vector<int> all = first([&](int a, int b) {
    return common[static_cast<std::size_t>(a)] > common[static_cast<std::size_t>(b)];
  });
  order.resize(views.size());
  for (const int j : first([&](int a, int b) {
         return distance[static_cast<std::size_t>(a)] < distance[static_cast<std::size_t>(b)];
       }))
    all.push_back(j);
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

// Chooses views one by one so that as many points as possible are seen well by two of them.
class Choice {
 public:
  Choice(std::span<const Placed> views, std::size_t i, const ViewPoints& points)
      : candidates_(candidates_of(views, i, points)), covered_(points.xyz.size()) {
    const Vec3 centre = centre_of(views[i].cam_from_world);
    for (const int j : candidates_) {
      const Placed& other = views[static_cast<std::size_t>(j)];
      const Vec3 there = centre_of(other.cam_from_world);
      std::vector<float>& values = values_.emplace_back(points.xyz.size());
      for (std::size_t p = 0; p < points.xyz.size(); ++p) {
        const Seen a = project(views[i], points.xyz[p]), b = project(other, points.xyz[p]);
        if (a.z <= 0 || !is_inside(other, b)) continue;
        const double angle = angle_between(centre, there, points.xyz[p]);
        largest_angle_ = std::max(largest_angle_, angle);
        const double scale = (views[i].camera.fx / a.z) / (other.camera.fx / b.z);
        const double similar = std::min(scale, 1 / scale);
        constexpr double kNotObserved = 0.25;  // it may be hidden
        const bool is_observed =
            !points.seen_by[p] || std::ranges::binary_search(*points.seen_by[p], j);
        values[p] = static_cast<float>(value_of(angle) * similar * similar *
                                       (is_observed ? 1 : kNotObserved));
      }
    }
  }
  [[nodiscard]] double largest_angle() const { return largest_angle_; }

  // Returns up to `count` views, the most useful first.
  std::vector<int> views(std::size_t count) {
    std::vector<int> chosen;
    while (chosen.size() < count) {
      double best = 0;
      std::size_t at = 0;
      for (std::size_t c = 0; c < candidates_.size(); ++c)
        if (const double gain = gain_of(c); gain > best) best = gain, at = c;
      if (!(best > 0)) break;
      chosen.push_back(candidates_[at]);
      for (std::size_t p = 0; p < covered_.size(); ++p) covered_[p] += values_[at][p];
      std::ranges::fill(values_[at], 0.0F);
    }
    return chosen;
  }

 private:
  [[nodiscard]] double gain_of(std::size_t candidate) const {
    const auto worth = [](float covered) { return std::min(covered, 2.0F) + 0.1F * covered; };
    double gain = 0;
    for (std::size_t p = 0; p < covered_.size(); ++p)
      gain += worth(covered_[p] + values_[candidate][p]) - worth(covered_[p]);
    return gain;
  }
  std::vector<int> candidates_;
  std::vector<std::vector<float>> values_;  // of candidates, for points
  std::vector<float> covered_;
  double largest_angle_ = 0;
};

// Sets the range of inverse depths from the points, widened. Without a range it sets the fault.
void set_range(PlannedView& view, const ViewPoints& points, const DenseOptions& options) {
  constexpr double kTail = 0.01, kWiden = 1.6, kAssumed = 6;
  if (points.assumed_depth > 0) {
    view.farthest = 1 / (kAssumed * points.assumed_depth);
    view.nearest = kAssumed / points.assumed_depth;
  } else {
    std::vector<double> inverse;
    for (const Vec3& p : points.xyz)
      if (const double z = project(view.placed, p).z; z > 0) inverse.push_back(1 / z);
    if (inverse.empty()) {
      view.fault = "all its points are behind it";
      return;
    }
    std::ranges::sort(inverse);
    const auto at = [&](double share) {
      return inverse[static_cast<std::size_t>(share * static_cast<double>(inverse.size() - 1))];
    };
    view.farthest = at(kTail) / kWiden, view.nearest = at(1 - kTail) * kWiden;
  }
  if (options.max_depth > 0) view.farthest = 1 / options.max_depth;
  if (options.min_depth > 0) view.nearest = 1 / options.min_depth;
  if (!(view.farthest < view.nearest)) view.fault = "has no points between min_depth and max_depth";
}

struct Tracks {
  std::vector<std::vector<int>> of_view;  // numbers of points
  std::vector<double> error;              // mean error of a view's points, px; 0: unknown
};
Tracks tracks_of(std::size_t views, std::span<const DensePoint> points) {
  Tracks tracks{std::vector<std::vector<int>>(views), std::vector<double>(views)};
  std::vector<int> known(views);
  for (std::size_t p = 0; p < points.size(); ++p)
    for (const int view : points[p].views) {
      const auto i = static_cast<std::size_t>(view);
      tracks.of_view[i].push_back(static_cast<int>(p));
      if (!(points[p].error >= 0)) continue;
      tracks.error[i] += points[p].error;
      ++known[i];
    }
  for (std::size_t i = 0; i < views; ++i)
    if (known[i] > 0) tracks.error[i] /= known[i];
  return tracks;
}

PlannedView plan_view(std::span<const Placed> views, std::size_t i,
                      std::span<const DensePoint> points, const std::vector<int>& own,
                      const DenseOptions& options) {
  constexpr std::size_t kChecks = 10, kMostPoints = 500;
  PlannedView view{.placed = views[i], .sources = {}, .checks = {}};
  ViewPoints seen;
  if (own.size() >= kLeastPoints) {
    const std::size_t step = own.size() / kMostPoints + 1;
    for (std::size_t k = 0; k < own.size(); k += step) {
      const DensePoint& point = points[static_cast<std::size_t>(own[k])];
      seen.xyz.push_back(point.xyz);
      seen.seen_by.push_back(&point.views);
    }
  } else {
    seen = assumed_points(views, i, options);
    if (seen.xyz.empty()) {
      view.fault =
          "has too few points, and no other view looks at the same place; min_depth and max_depth "
          "would replace them";
      return view;
    }
  }
  set_range(view, seen, options);
  if (!view.fault.empty()) return view;
  Choice choice(views, i, seen);
  view.sources = choice.views(static_cast<std::size_t>(options.views));
  view.checks = view.sources;
  if (view.checks.size() < kChecks)
    for (const int j : choice.views(kChecks - view.checks.size())) view.checks.push_back(j);
  if (view.sources.empty())
    view.fault = choice.largest_angle() > 0 ? "has no neighbour with an angle above 1 degree"
                                            : "has no neighbour that sees the same points";
  return view;
}

}  // namespace

std::vector<PlannedView> plan_views(std::span<const Placed> views,
                                    std::span<const DensePoint> points,
                                    const DenseOptions& options) {
  constexpr double kShare = 0.3;  // of the reprojection errors that comes from the cameras
  const Tracks tracks = tracks_of(views.size(), points);
  std::vector<PlannedView> plan(views.size());
  runtime::parallel_each(views.size(), [&](std::size_t i) {
    plan[i] = plan_view(views, i, points, tracks.of_view[i], options);
    plan[i].error_px = kShare * tracks.error[i];
  });
  return plan;
}

std::vector<float> geometry_of(const Placed& from, const Placed& to, int level) {
  const double scale = std::ldexp(1.0, -level);
  const auto at_level = [&](const Intrinsics& k) {
    return Intrinsics{k.fx * scale, k.fy * scale, (k.cx + 0.5) * scale - 0.5,
                      (k.cy + 0.5) * scale - 0.5};
  };
  const Intrinsics K1 = at_level(from.camera), K2 = at_level(to.camera);
  const Mat3 R = times(to.cam_from_world.R, transposed(from.cam_from_world.R));
  const Vec3 moved = times(R, from.cam_from_world.t);
  const Vec3 t = {to.cam_from_world.t[0] - moved[0], to.cam_from_world.t[1] - moved[1],
                  to.cam_from_world.t[2] - moved[2]};
  const Mat3 H = times(K2.matrix(), times(R, K1.inverse_matrix()));
  const Vec3 e = times(K2.matrix(), t);
  std::vector<float> all;
  for (const double v : H) all.push_back(static_cast<float>(v));
  for (const double v : e) all.push_back(static_cast<float>(v));
  return all;
}

}  // namespace bifocal::dense
