// SPDX-License-Identifier: BSD-3-Clause
#include "adjust/gauge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "adjust/rotation.hpp"
#include "runtime/disjoint_sets.hpp"
#include "runtime/integers.hpp"

namespace bifocal::adjustment {
namespace {

// Constants at a smaller distance, local, are at one place or on one line.
constexpr double kSamePlace = 1e-9;

Vec3 centre_of(const Views& views, int image) { return views.poses[at(image)].centre; }
Vec3 difference(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

// Constants that a part observes, and its priors.
struct Anchors {
  std::vector<Vec3> places;  // of images and points
  bool has_rotation = false;
  std::vector<Vec3> directions;  // length 1
  std::vector<Vec3> heights;     // centres of images with heights
};

// Calls visit(lane, image) for every observation.
template <class Visit>
void each_observation(const Rows& rows, const Visit& visit) {
  for (int lane = 0; lane < rows.lanes; ++lane)
    for (int row = rows.rows[at(lane / SLICE)]; row < rows.rows[at(lane / SLICE) + 1]; ++row) {
      const std::size_t place = at(row) * SLICE + at(lane % SLICE);
      if (rows.px[place] == rows.px[place]) visit(at(lane), rows.other[place]);
    }
}

// Connects adjusted images by the adjusted points that they share, and numbers the parts in the
// order of their first images.
void set_parts(const Arrangement& arrangement, const std::vector<char>& is_adjusted, Gauge& gauge) {
  const std::size_t images = is_adjusted.size();
  DisjointSets sets(images);
  std::vector<int> image_of_lane(arrangement.is_free.size(), -1);
  each_observation(arrangement.by_point, [&](std::size_t lane, int image) {
    if (arrangement.is_free[lane] == 0 || !is_adjusted[at(image)]) return;
    if (image_of_lane[lane] >= 0) sets.join(at(image), at(image_of_lane[lane]));
    image_of_lane[lane] = image;
  });
  gauge.part_of_image.assign(images, -1);
  for (std::size_t i = 0; i < images; ++i) {
    if (!is_adjusted[i]) continue;
    // The root is the first image of its part.
    const std::size_t root = sets.root(i);
    if (root == i) {
      gauge.part_of_image[i] = static_cast<int>(gauge.parts.size());
      gauge.parts.push_back({.first = static_cast<int>(i)});
    }
    gauge.part_of_image[i] = gauge.part_of_image[root];
  }
  gauge.part_of_lane.assign(image_of_lane.size(), -1);
  for (std::size_t lane = 0; lane < image_of_lane.size(); ++lane)
    if (const int image = image_of_lane[lane]; image >= 0)
      gauge.part_of_lane[lane] = gauge.part_of_image[at(image)];
}

std::vector<Anchors> anchors_of(const AdjustProblem& problem, const Arrangement& arrangement,
                                const Unknowns& unknowns, const Gauge& gauge) {
  std::vector<Anchors> anchors(gauge.parts.size());
  each_observation(arrangement.by_point, [&](std::size_t lane, int image) {
    const bool is_constant = arrangement.is_free[lane] == 0;
    const int part = is_constant ? gauge.part_of_image[at(image)] : gauge.part_of_lane[lane];
    if (part < 0) return;
    Anchors& of = anchors[at(part)];
    if (is_constant)
      of.places.push_back(unknowns.frame().local(problem.points[at(arrangement.lane_point[lane])]));
    if (is_constant || gauge.part_of_image[at(image)] >= 0) return;
    of.has_rotation = true;
    of.places.push_back(centre_of(unknowns.start(), image));
  });
  return anchors;
}

// Adds the priors. Several priors of one image or point are at one place.
void add_priors(const AdjustProblem& problem, const Arrangement& arrangement,
                const Unknowns& unknowns, const Gauge& gauge, std::vector<Anchors>& anchors) {
  const AdjustPriors& priors = problem.priors;
  const auto of_image = [&](int image) -> Anchors* {
    const int part = gauge.part_of_image[at(image)];
    return part < 0 ? nullptr : &anchors[at(part)];
  };
  std::vector<char> has_place(gauge.part_of_image.size(), 0);
  for (const PositionPrior& prior : priors.positions)
    if (Anchors* const of = of_image(prior.image))
      if (!std::exchange(has_place[at(prior.image)], char{1}))
        of->places.push_back(unknowns.frame().local(prior.centre));
  for (const DirectionPrior& prior : priors.directions)
    if (Anchors* const of = of_image(prior.image)) of->directions.push_back(unit(prior.world));
  for (const OrientationPrior& prior : priors.orientations)
    if (Anchors* const of = of_image(prior.image)) of->has_rotation = true;
  for (const HeightPrior& prior : priors.heights)
    if (Anchors* const of = of_image(prior.image))
      of->heights.push_back(centre_of(unknowns.start(), prior.image));
  if (priors.points.empty()) return;
  std::vector<const PointPrior*> first(problem.points.size(), nullptr);
  for (const PointPrior& prior : priors.points)
    if (!first[at(prior.point)]) first[at(prior.point)] = &prior;
  for (std::size_t lane = 0; lane < gauge.part_of_lane.size(); ++lane) {
    const int part = gauge.part_of_lane[lane];
    if (part < 0) continue;
    if (const PointPrior* const prior = first[at(arrangement.lane_point[lane])])
      anchors[at(part)].places.push_back(unknowns.frame().local(prior->position));
  }
}

// Place of the largest distance from `from`, and the distance.
std::pair<Vec3, double> farthest_of(const std::vector<Vec3>& places, const Vec3& from) {
  std::pair<Vec3, double> farthest = {from, 0};
  for (const Vec3& place : places)
    if (const double d = norm(difference(place, from)); d > farthest.second) farthest = {place, d};
  return farthest;
}

bool are_on_line(const std::vector<Vec3>& places, const Vec3& origin, const Vec3& axis,
                 double rounding) {
  return std::ranges::all_of(places, [&](const Vec3& place) {
    return norm(cross(axis, difference(place, origin))) <= rounding;
  });
}

// Sets the freedom that places and rotations leave. Returns true if the scale is free.
bool set_freedom(const Anchors& anchors, double rounding, PartGauge& gauge) {
  gauge.has_position = anchors.places.empty();
  gauge.rotations = anchors.has_rotation ? 0 : 3;
  if (gauge.has_position) return true;
  gauge.origin = anchors.places.front();
  const auto [other, distance] = farthest_of(anchors.places, gauge.origin);
  if (distance <= rounding) return true;
  gauge.axis = unit(difference(other, gauge.origin));
  if (gauge.rotations == 3)
    gauge.rotations = are_on_line(anchors.places, gauge.origin, gauge.axis, rounding) ? 1 : 0;
  return false;
}

// Leaves the rotation about a direction.
void fix_direction(const Vec3& direction, PartGauge& gauge) {
  if (gauge.rotations == 1 && norm(cross(gauge.axis, direction)) > kSamePlace) gauge.rotations = 0;
  if (gauge.rotations == 3) gauge.rotations = 1, gauge.axis = direction;
}

// Largest difference of an image's coordinate along an axis from the first image's.
double extent_along(const std::vector<Vec3>& centres, const Vec3& axis) {
  double most = 0;
  for (const Vec3& c : centres)
    most = std::max(most, std::abs(dot(axis, difference(c, centres.front()))));
  return most;
}

// Removes what heights determine. Returns true if the scale is still free.
bool fix_heights(const std::vector<Vec3>& centres, const Vec3& up, double rounding,
                 PartGauge& gauge) {
  if (centres.empty()) return true;
  std::vector<Vec3> level;  // a rotation about an axis moves heights by these along the axis
  for (const Vec3& c : centres) level.push_back(cross(c, up));
  const auto [other, distance] = farthest_of(level, level.front());
  if (gauge.rotations == 1 && extent_along(level, gauge.axis) > rounding) gauge.rotations = 0;
  if (gauge.rotations == 3 && distance > rounding) {
    const Vec3 line = unit(difference(other, level.front()));
    const bool is_plane = are_on_line(level, level.front(), line, rounding);
    gauge.rotations = is_plane ? 0 : 1, gauge.axis = up;
  }
  return extent_along(centres, up) <= rounding;
}

// The rotation about an axis that is nearest to a rotation.
Mat3 about_axis(const Vec3& axis, const Mat3& R) {
  const double cosine = R[0] + R[4] + R[8] - dot(axis, times(R, axis));
  const double sine = dot(axis, {R[7] - R[5], R[2] - R[6], R[3] - R[1]});
  const double angle = std::atan2(sine, cosine);
  return rotation_of({angle * axis[0], angle * axis[1], angle * axis[2]});
}

// X -> scale Q (X - from) + to.
struct Similarity {
  Mat3 Q = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  Vec3 from, to;
  double scale = 1;

  [[nodiscard]] Vec3 of(const Vec3& X) const {
    const Vec3 moved = times(Q, difference(X, from));
    return {scale * moved[0] + to[0], scale * moved[1] + to[1], scale * moved[2] + to[2]};
  }
};

Similarity similarity_of(const PartGauge& gauge, const Views& start, const Views& views) {
  Similarity s{.from = gauge.origin, .to = gauge.origin};
  if (gauge.has_position)
    s.from = centre_of(views, gauge.first), s.to = centre_of(start, gauge.first);
  if (gauge.rotations > 0)
    s.Q = times(transposed(rotation_in(start, gauge.first)), rotation_in(views, gauge.first));
  if (gauge.rotations == 1) s.Q = about_axis(gauge.axis, s.Q);
  if (gauge.second < 0) return s;
  const double now = norm(difference(centre_of(views, gauge.second), s.from));
  const double then = norm(difference(centre_of(start, gauge.second), s.to));
  if (now > 0 && then > 0) s.scale = then / now;
  return s;
}

}  // namespace

Mat3 rotation_in(const Views& views, int image) { return views.poses[at(image)].R; }

// about_axis() of D = before' R is the identity if the axis times the vector of D - D' is 0, whose
// derivative by w is (trace(D) I - D') w.
Vec3 PartGauge::axis_of_step(const Mat3& before, const Mat3& R) const {
  const Mat3 D = times(transposed(before), R);
  const Vec3 moved = times(D, axis);
  const double trace = D[0] + D[4] + D[8];
  return unit({trace * axis[0] - moved[0], trace * axis[1] - moved[1], trace * axis[2] - moved[2]});
}

AdjustFreedom Gauge::freedom() const {
  AdjustFreedom sum;
  for (const PartGauge& part : parts) {
    sum.position += part.has_position ? 3 : 0;
    sum.rotation += part.rotations;
    sum.scale += part.second >= 0 ? 1 : 0;
  }
  return sum;
}

Gauge gauge_of(const AdjustProblem& problem, const Arrangement& arrangement,
               const Unknowns& unknowns) {
  std::vector<char> is_adjusted;
  for (int i = 0; i < unknowns.images(); ++i)
    is_adjusted.push_back(unknowns.is_active()[6 * at(i)]);
  Gauge gauge;
  set_parts(arrangement, is_adjusted, gauge);
  std::vector<Anchors> anchors = anchors_of(problem, arrangement, unknowns, gauge);
  add_priors(problem, arrangement, unknowns, gauge, anchors);
  const Vec3 up = unit(problem.priors.up);
  const LocalFrame& frame = unknowns.frame();
  const double rounding = kSamePlace + 1e-15 * frame.scale * norm(frame.origin);
  std::vector<double> farthest(gauge.parts.size(), rounding);
  for (std::size_t p = 0; p < gauge.parts.size(); ++p) {
    PartGauge& part = gauge.parts[p];
    const bool has_scale = set_freedom(anchors[p], rounding, part);
    for (const Vec3& direction : anchors[p].directions) fix_direction(direction, part);
    if (!fix_heights(anchors[p].heights, up, rounding, part) || !has_scale)
      farthest[p] = std::numeric_limits<double>::infinity();
    if (part.has_position) part.origin = centre_of(unknowns.start(), part.first);
  }
  for (int i = 0; i < unknowns.images(); ++i) {
    const int p = gauge.part_of_image[at(i)];
    if (p < 0) continue;
    PartGauge& part = gauge.parts[at(p)];
    const double distance = norm(difference(centre_of(unknowns.start(), i), part.origin));
    if (distance > farthest[at(p)]) farthest[at(p)] = distance, part.second = i;
  }
  return gauge;
}

void restore_gauge(const Gauge& gauge, const Views& start, Views& views,
                   std::vector<PointRecord>& points) {
  std::vector<Similarity> similarities;
  for (const PartGauge& part : gauge.parts)
    similarities.push_back(similarity_of(part, start, views));
  for (std::size_t i = 0; i < gauge.part_of_image.size(); ++i) {
    const int part = gauge.part_of_image[i];
    if (part < 0 || !gauge.parts[at(part)].is_free()) continue;
    const auto image = static_cast<int>(i);
    const Mat3 R = times(rotation_in(views, image), transposed(similarities[at(part)].Q));
    const Vec3 centre = similarities[at(part)].of(centre_of(views, image));
    views.poses[i] = {R, centre};
  }
  for (std::size_t lane = 0; lane < gauge.part_of_lane.size(); ++lane) {
    const int part = gauge.part_of_lane[lane];
    if (part < 0 || !gauge.parts[at(part)].is_free()) continue;
    Vec3& X = points[lane].X;
    X = similarities[at(part)].of(X);
  }
}

}  // namespace bifocal::adjustment
