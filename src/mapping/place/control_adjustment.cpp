// SPDX-License-Identifier: BSD-3-Clause
// The adjustment of a model with control points.
#include <bifocal/control.hpp>

#include <algorithm>
#include <cmath>

#include "mapping/place/control_marks.hpp"

namespace bifocal {
namespace {

using namespace mapping;

constexpr int kRounds = 3;
constexpr double kSame = 0.1;             // relative change of a deviation that is ignored
constexpr double kLeastDeviation = 0.05;  // px; synthetic observations may be exact

// Standard deviation of one coordinate of the first observations and points: from the median of the
// errors, which outliers do not move, and the redundancy of points and poses.
double deviation_of(const AdjustProblem& problem, std::size_t observations, std::size_t points) {
  std::vector<double> errors = colmap::reprojection_errors(problem);
  errors.resize(observations);
  std::erase_if(errors, [](double e) { return !std::isfinite(e); });
  if (errors.empty()) return 1;
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::nth_element(errors.begin(), middle, errors.end());
  const double numbers = 2.0 * static_cast<double>(errors.size());
  const double unknowns = 3.0 * static_cast<double>(points) + 6.0 * double(problem.images.size());
  const double redundancy = std::max(0.1, 1 - unknowns / numbers);
  return std::max(*middle / std::sqrt(2 * std::log(2.0) * redundancy), kLeastDeviation);
}

// Adds control points with their marks that agree.
void add_points(const ControlPoints& control, const ControlOptions& options,
                const ControlReport& report, const std::vector<int>& images,
                const Similarity& similarity, AdjustProblem& problem) {
  const TangentPlane plane(report.origin);
  std::vector<int> places(control.points.size(), -1);
  for (std::size_t i = 0; i < control.points.size(); ++i) {
    if (report.points[i].use != ControlUse::control) continue;
    places[i] = static_cast<int>(problem.points.size());
    problem.points.push_back(moved(similarity, report.points[i].position));
    if (!problem.constant_points.empty()) problem.constant_points.push_back(false);
    const Vec3 deviations = deviations_of(control.points[i], options);
    PointPrior prior{places[i], plane.enu(control.points[i].place)};
    for (std::size_t k = 0; k < 3; ++k) prior.covariance[4 * k] = deviations[k] * deviations[k];
    problem.priors.points.push_back(prior);
  }
  for (std::size_t k = 0; k < control.marks.size(); ++k) {
    const ControlMark& mark = control.marks[k];
    const int point = places[static_cast<std::size_t>(mark.point)];
    if (point >= 0 && report.marks[k].agrees)
      problem.observations.push_back({images[k], point, mark.x, mark.y});
  }
}

// The result for the first observations and points.
AdjustResult of_first(AdjustResult adjustment, std::size_t observations, std::size_t points) {
  if (adjustment.uses.size() > observations) adjustment.uses.resize(observations);
  if (adjustment.point_covariances.size() > points) adjustment.point_covariances.resize(points);
  return adjustment;
}

// Differences along the axes, root mean squares.
Vec3 residuals_of(const ControlReport& report, ControlUse use) {
  Vec3 out{};
  int count = 0;
  for (const ControlPointReport& point : report.points) {
    if (point.use != use) continue;
    ++count;
    for (std::size_t k = 0; k < 3; ++k) out[k] += point.residual[k] * point.residual[k];
  }
  for (double& v : out) v = std::sqrt(v / std::max(1, count));
  return out;
}

colmap::Georeference georeference_of(const ControlReport& report) {
  return {.origin = report.origin,
          .control_points = report.control.points,
          .check_points = report.check.points,
          .control_residuals = residuals_of(report, ControlUse::control),
          .check_residuals = residuals_of(report, ControlUse::check)};
}

}  // namespace

ControlResult apply_control_points(Queue& queue, colmap::Model& model, const ControlPoints& control,
                                   const ControlOptions& options,
                                   const std::optional<GeoPoint>& origin) {
  ControlResult result;
  result.before = check_control_points(model, control, options, origin);
  const std::vector<int> images = images_of_marks(model, control);
  const Similarity similarity{result.before.scale, result.before.R, result.before.t};
  colmap::Model out = model;
  transform(out, similarity);
  AdjustProblem problem = colmap::adjust_problem(out, options.adjust);
  const std::size_t points = problem.points.size(), observations = problem.observations.size();
  const std::vector<double> errors = colmap::reprojection_errors(problem);
  add_points(control, options, result.before, images, similarity, problem);
  AdjustOptions adjust_options = options.adjust.adjust;
  for (int round = 0; round < kRounds; ++round) {
    // Of the adjusted model from the second round on: the given one may fit its features badly.
    const double deviation = deviation_of(problem, observations, points);
    if (std::abs(deviation - result.deviation_px) < kSame * deviation) break;
    adjust_options.deviation_px = result.deviation_px = deviation;
    result.adjustment = adjust(queue, problem, adjust_options);
  }

  problem.points.resize(points), problem.observations.resize(observations);
  problem.priors = {};
  result.of_model = colmap::describe_adjustment(
      out, problem, of_first(result.adjustment, observations, points), errors);
  colmap::take_adjusted(out, problem, options.adjust);
  colmap::set_point_errors(out);
  triangulate(out, control, options, images, result.after);
  for (std::size_t i = 0; i < control.points.size(); ++i)
    if (result.before.points[i].use == ControlUse::contradictory &&
        result.after.points[i].use == ControlUse::control)
      result.after.points[i].use = ControlUse::contradictory;
  result.after.origin = result.before.origin;
  complete(control, options, {}, result.after);  // the world is east, north and up
  out.georeference = georeference_of(result.after);
  model = std::move(out);
  return result;
}

}  // namespace bifocal
