// SPDX-License-Identifier: BSD-3-Clause
#include "adjust/gauge.hpp"

#include <algorithm>

#include "runtime/integers.hpp"

namespace bifocal::adjustment {
namespace {

Vec3 centre_of(const Views& views, int image) {
  const double* const c = &views.poses[at(image) * POSE_SIZE + POSE_CENTRE];
  return {c[0], c[1], c[2]};
}
Mat3 rotation_of(const Views& views, int image) {
  Mat3 R;
  std::copy_n(&views.poses[at(image) * POSE_SIZE], 9, R.begin());
  return R;
}
Vec3 difference(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

int part_of_lane(const Arrangement& arrangement, std::size_t lane) {
  const Rows& rows = arrangement.by_point;
  const int row = rows.rows[lane / SLICE];
  return arrangement.part_of_image[at(rows.other[at(row) * SLICE + lane % SLICE])];
}

// X -> scale Q (X - from) + to.
struct Similarity {
  Mat3 Q;
  Vec3 from, to;
  double scale;

  [[nodiscard]] Vec3 of(const Vec3& X) const {
    const Vec3 moved = times(Q, difference(X, from));
    return {scale * moved[0] + to[0], scale * moved[1] + to[1], scale * moved[2] + to[2]};
  }
};

Similarity similarity_of(const PartGauge& gauge, const Views& start, const Views& views) {
  Similarity s{
      .Q = times(transposed(rotation_of(start, gauge.first)), rotation_of(views, gauge.first)),
      .from = centre_of(views, gauge.first),
      .to = centre_of(start, gauge.first),
      .scale = 1};
  if (gauge.second < 0) return s;
  const double now = norm(difference(centre_of(views, gauge.second), s.from));
  const double then = norm(difference(centre_of(start, gauge.second), s.to));
  if (now > 0 && then > 0) s.scale = then / now;
  return s;
}

}  // namespace

std::vector<PartGauge> part_gauges(const AdjustProblem& problem, const Arrangement& arrangement,
                                   const Unknowns& unknowns) {
  std::vector<PartGauge> gauges(at(arrangement.parts));
  std::vector<double> farthest(gauges.size(), 0);
  for (int i = 0; i < unknowns.images(); ++i) {
    const int part = arrangement.part_of_image[at(i)];
    if (part < 0) continue;
    PartGauge& gauge = gauges[at(part)];
    if (gauge.first < 0) gauge.first = i;
    gauge.is_fixed = gauge.is_fixed || problem.images[at(i)].is_constant;
    const double distance =
        norm(difference(centre_of(unknowns.start(), i), centre_of(unknowns.start(), gauge.first)));
    if (distance > farthest[at(part)]) farthest[at(part)] = distance, gauge.second = i;
  }
  for (std::size_t lane = 0; lane < arrangement.lane_point.size(); ++lane)
    if (arrangement.lane_point[lane] >= 0 && arrangement.is_free[lane] == 0)
      gauges[at(part_of_lane(arrangement, lane))].is_fixed = true;
  return gauges;
}

void restore_gauge(const std::vector<PartGauge>& gauges, const Arrangement& arrangement,
                   const Views& start, Views& views, std::vector<double>& points) {
  std::vector<Similarity> similarities;
  for (const PartGauge& gauge : gauges) similarities.push_back(similarity_of(gauge, start, views));
  for (std::size_t i = 0; i < arrangement.part_of_image.size(); ++i) {
    const int part = arrangement.part_of_image[i];
    if (part < 0 || gauges[at(part)].is_fixed) continue;
    const auto image = static_cast<int>(i);
    const Mat3 R = times(rotation_of(views, image), transposed(similarities[at(part)].Q));
    const Vec3 centre = similarities[at(part)].of(centre_of(views, image));
    std::ranges::copy(R, &views.poses[i * POSE_SIZE]);
    std::ranges::copy(centre, &views.poses[i * POSE_SIZE + POSE_CENTRE]);
  }
  for (std::size_t lane = 0; lane < arrangement.lane_point.size(); ++lane) {
    if (arrangement.lane_point[lane] < 0) continue;
    const int part = part_of_lane(arrangement, lane);
    if (gauges[at(part)].is_fixed) continue;
    double* const X = &points[lane * POINT_SIZE];
    std::ranges::copy(similarities[at(part)].of({X[0], X[1], X[2]}), X);
  }
}

}  // namespace bifocal::adjustment
