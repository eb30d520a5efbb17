// SPDX-License-Identifier: BSD-3-Clause
// The comparison of a model with control points.
#include <bifocal/control.hpp>
#include <bifocal/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "mapping/place/control_marks.hpp"
#include "math/median.hpp"

namespace bifocal {
namespace {

using namespace mapping;

constexpr double kContradiction = 5;  // deviations, or normalised median residuals
constexpr double kNearby = 100e3;     // m; no flight is longer

// Input of the similarity: triangulated points and places of the control points.
struct Pairs {
  std::vector<std::size_t> points;  // of ControlPoints
  std::vector<Vec3> from, to;
  std::vector<double> weights, deviations;  // deviations: lengths, m
};

Pairs pairs_of(const ControlPoints& control, const ControlReport& report,
               const std::vector<Vec3>& places, const ControlOptions& options) {
  Pairs out;
  for (std::size_t i = 0; i < control.points.size(); ++i) {
    if (report.points[i].use != ControlUse::control) continue;
    out.points.push_back(i);
    out.from.push_back(report.points[i].position), out.to.push_back(places[i]);
    out.deviations.push_back(norm(deviations_of(control.points[i], options)));
    out.weights.push_back(1 / (out.deviations.back() * out.deviations.back()));
  }
  return out;
}

std::vector<double> distances(const Pairs& pairs, const Similarity& similarity) {
  std::vector<double> out;
  for (std::size_t i = 0; i < pairs.from.size(); ++i)
    out.push_back(norm(difference(moved(similarity, pairs.from[i]), pairs.to[i])));
  return out;
}

// Returns the similarity of all points, without contradictory points if at least four agree. They
// contradict the similarity of three points that has the least median residual; their weights
// become 0.
std::optional<Similarity> robust_similarity(Pairs& pairs) {
  const std::size_t count = pairs.from.size();
  const std::vector<double> weights = pairs.weights;
  constexpr std::size_t kMost = 24;  // points of which triples are tried; 2,024 triples
  if (count < 4) return similarity_of(pairs.from, pairs.to, weights);
  double least = std::numeric_limits<double>::infinity();
  std::vector<double> best;
  const std::size_t step = (count + kMost - 1) / kMost;
  for (std::size_t a = 0; a < count; a += step)
    for (std::size_t b = a + step; b < count; b += step)
      for (std::size_t c = b + step; c < count; c += step) {
        std::vector<double> three(count);
        three[a] = three[b] = three[c] = 1;
        const std::optional<Similarity> tried = similarity_of(pairs.from, pairs.to, three);
        if (!tried) continue;
        const std::vector<double> errors = distances(pairs, *tried);
        std::vector<double> sorted = errors;
        const double middle = upper_median(sorted);
        if (middle < least) least = middle, best = errors;
      }
  for (std::size_t i = 0; i < best.size(); ++i) {
    const double limit = kContradiction * std::max(1.4826 * least, pairs.deviations[i]);
    if (best[i] > limit) pairs.weights[i] = 0;
  }
  // Three points alone have no residual, so they contradict no fourth.
  if (std::ranges::count_if(pairs.weights, [](double w) { return w > 0; }) < 4)
    pairs.weights = weights;
  return similarity_of(pairs.from, pairs.to, pairs.weights);
}

ControlRms rms_of(const ControlReport& report, ControlUse use) {
  ControlRms out;
  double level = 0, up = 0;
  for (const ControlPointReport& point : report.points) {
    if (point.use != use) continue;
    ++out.points;
    level += point.residual[0] * point.residual[0] + point.residual[1] * point.residual[1];
    up += point.residual[2] * point.residual[2];
  }
  const double count = std::max(1, out.points);
  out.horizontal = std::sqrt(level / count), out.up = std::sqrt(up / count);
  out.total = std::sqrt((level + up) / count);
  return out;
}

void add_mark_doubts(const ControlPoints& control, ControlReport& report) {
  std::vector<std::string> missing;
  for (std::size_t k = 0; k < control.marks.size(); ++k) {
    const ControlMark& mark = control.marks[k];
    const auto i = static_cast<std::size_t>(mark.point);
    const ControlPointReport& point = report.points[i];
    const ControlMarkReport& seen = report.marks[k];
    if (!seen.is_in_model && std::ranges::find(missing, mark.image) == missing.end())
      missing.push_back(mark.image);
    if (!seen.is_in_model || seen.agrees || !is_determined(point.use)) continue;
    report.doubts.push_back(
        std::isfinite(seen.error_px)
            ? fmt::format("{}, line {}: the mark of {} in {} is {:.1f} px from the point of its {} "
                          "other marks",
                          control.file, mark.line, control.points[i].name, mark.image,
                          seen.error_px, point.marks)
            : fmt::format("{}, line {}: the mark of {} in {} is behind the camera or beyond its "
                          "lens",
                          control.file, mark.line, control.points[i].name, mark.image));
  }
  constexpr std::size_t kNamed = 5;
  if (const std::size_t count = missing.size(); count > 0) {
    missing.resize(std::min(count, kNamed));
    report.doubts.push_back(fmt::format("{}: marks in {} images that are not in the model: {}{}",
                                        control.file, count, fmt::join(missing, ", "),
                                        count > kNamed ? ", ..." : ""));
  }
}

void add_point_doubts(const ControlPoints& control, ControlReport& report) {
  for (std::size_t i = 0; i < control.points.size(); ++i) {
    const std::string& name = control.points[i].name;
    const ControlPointReport& point = report.points[i];
    if (point.use == ControlUse::too_few_marks)
      report.doubts.push_back(fmt::format("{} has fewer than two marks in the model", name));
    if (point.use == ControlUse::contradictory_marks)
      report.doubts.push_back(fmt::format("most marks of {} contradict each other", name));
    if (point.use == ControlUse::narrow)
      report.doubts.push_back(fmt::format("the rays of {} are nearly parallel", name));
    if (point.use == ControlUse::contradictory)
      report.doubts.push_back(
          fmt::format("{} is {:.3g} m from its place after the similarity of the other control "
                      "points",
                      name, norm(point.residual)));
  }
}

// Doubts points whose residuals do not agree with their deviations and the errors of their marks.
void add_rms_doubt(const ControlPoints& control, const ControlOptions& options, ControlUse use,
                   const ControlRms& rms, ControlReport& report) {
  double sum = 0;
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    const ControlPointReport& point = report.points[i];
    if (point.use != use) continue;
    const double deviation = norm(deviations_of(control.points[i], options)),
                 of_marks = report.scale * point.px_size * point.rms_px;
    sum += deviation * deviation + of_marks * of_marks;
  }
  const double limit = kContradiction * std::sqrt(sum / std::max(1, rms.points));
  if (rms.points > 0 && rms.total > limit)
    report.doubts.push_back(
        fmt::format("the {} points are {:.3g} m (rms) from their places, their deviations and "
                    "marks explain at most {:.2g} m",
                    to_string(use), rms.total, limit));
}

// Returns the reason why the control points determine no similarity.
std::string undetermined(const ControlPoints& control, const Pairs& pairs) {
  if (pairs.points.size() >= 3)
    return fmt::format(
        "{}: the control points lie on a line, so the rotation about it is not "
        "determined",
        control.file);
  std::vector<std::string> names;
  for (const std::size_t i : pairs.points) names.push_back(control.points[i].name);
  return fmt::format(
      "{}: {} control points are determined by marks{}{}, at least 3 are needed{}", control.file,
      names.size(), names.empty() ? "" : ": ", fmt::join(names, ", "),
      names.size() == 2
          ? "; two determine scale and position, but not the rotation about their line"
          : "");
}

}  // namespace

GeoPoint mean_place(const ControlPoints& control) {
  Vec3 out{};
  for (const ControlPoint& point : control.points)
    out = sum(out, scaled(ecef_of(point.place), 1.0 / double(control.points.size())));
  return geo_of(out);
}

void mapping::check_places(const ControlPoints& control, const TangentPlane& plane) {
  for (const ControlPoint& point : control.points) {
    const double distance = norm(plane.enu(point.place));
    if (distance <= kNearby) continue;
    GeoPoint other = point.place;
    std::swap(other.latitude_deg, other.longitude_deg);
    const bool is_exchanged =
        std::abs(other.latitude_deg) <= 90 && norm(plane.enu(other)) <= kNearby;
    throw Error(
        ErrorCode::input,
        fmt::format("{}: {} is {:.0f} km from the model's origin{}", control.file, point.name,
                    distance / 1000,
                    is_exchanged ? "; it agrees if latitude and longitude are exchanged" : ""));
  }
}

void mapping::complete(const ControlPoints& control, const ControlOptions& options,
                       const Similarity& similarity, ControlReport& report) {
  const TangentPlane plane(report.origin);
  report.scale = similarity.scale, report.R = similarity.R, report.t = similarity.t;
  for (std::size_t i = 0; i < control.points.size(); ++i) {
    ControlPointReport& point = report.points[i];
    point.residual = {kNone, kNone, kNone};
    if (is_determined(point.use))
      point.residual =
          difference(moved(similarity, point.position), plane.enu(control.points[i].place));
  }
  report.control = rms_of(report, ControlUse::control);
  report.check = rms_of(report, ControlUse::check);
  add_mark_doubts(control, report);
  add_point_doubts(control, report);
  add_rms_doubt(control, options, ControlUse::control, report.control, report);
  add_rms_doubt(control, options, ControlUse::check, report.check, report);
}

std::string_view to_string(ControlUse use) {
  return kControlUseWords[static_cast<std::size_t>(use)];
}

ControlReport check_control_points(const colmap::Model& model, const ControlPoints& control,
                                   const ControlOptions& options,
                                   const std::optional<GeoPoint>& origin) {
  check_options(options);
  colmap::check_model(model);
  ControlReport report;
  triangulate(model, control, options, images_of_marks(model, control), report);
  report.origin = origin ? *origin : mean_place(control);
  const TangentPlane plane(report.origin);
  check_places(control, plane);
  std::vector<Vec3> places;
  for (const ControlPoint& point : control.points) places.push_back(plane.enu(point.place));

  Pairs pairs = pairs_of(control, report, places, options);
  const std::optional<Similarity> similarity = robust_similarity(pairs);
  // Within a few deviations of a line, the deviations decide about the rotation.
  if (!similarity ||
      extent_across(pairs.to, pairs.weights) < kContradiction * std::ranges::max(pairs.deviations))
    throw Error(ErrorCode::usage, undetermined(control, pairs));
  for (std::size_t k = 0; k < pairs.points.size(); ++k)
    if (pairs.weights[k] == 0) report.points[pairs.points[k]].use = ControlUse::contradictory;
  mapping::complete(control, options, *similarity, report);
  return report;
}

ControlReport compare_control_points(const colmap::Model& model, const ControlPoints& control,
                                     const ControlOptions& options) {
  check_options(options);
  colmap::check_model(model);
  if (!model.georeference || !model.georeference->origin)
    throw Error(ErrorCode::usage, "model: has no georeference with an origin");
  ControlReport report;
  triangulate(model, control, options, images_of_marks(model, control), report);
  report.origin = *model.georeference->origin;
  check_places(control, TangentPlane(report.origin));
  mapping::complete(control, options, {}, report);
  return report;
}

std::string control_table(const ControlPoints& control, const ControlReport& report) {
  std::string out = fmt::format("{:<16} {:<20} {:>5} {:>9} {:>9} {:>9} {:>7}\n", "point", "use",
                                "marks", "east, m", "north, m", "up, m", "px");
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    const ControlPointReport& point = report.points[i];
    out += fmt::format("{:<16} {:<20} {:>5}", control.points[i].name, to_string(point.use),
                       point.marks);
    if (is_determined(point.use))
      out += fmt::format(" {:>9.3f} {:>9.3f} {:>9.3f} {:>7.2f}", point.residual[0],
                         point.residual[1], point.residual[2], point.rms_px);
    out += '\n';
  }
  for (const auto& [name, rms] : {std::pair{"control", report.control}, {"check", report.check}})
    if (rms.points > 0)
      out += fmt::format("{} {} points: {:.3f} m horizontally, {:.3f} m in height (rms)\n",
                         rms.points, name, rms.horizontal, rms.up);
  return out;
}

}  // namespace bifocal
