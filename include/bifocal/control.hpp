// SPDX-License-Identifier: BSD-3-Clause
// Control points: points on the ground whose positions were surveyed and that were marked in
// photographs. They give a model its place, scale and rotation, and correct its shape.
//
//   ControlPoints control = read_control_points("gcp_list.txt");
//   choose_check_points(control, names);            // compared with the model, not used
//   colmap::Model model = colmap::read_model("sparse/0");
//   const ControlResult result = apply_control_points(queue, model, control);
//   puts(control_table(control, result.after).c_str());
//
// Altitudes are heights above the ellipsoid of WGS84 (geodesy.hpp).
#pragma once

#include <bifocal/camera.hpp>
#include <bifocal/colmap/bundle_adjust.hpp>
#include <bifocal/colmap/model.hpp>
#include <bifocal/device.hpp>
#include <bifocal/fields.hpp>
#include <bifocal/geodesy.hpp>
#include <bifocal/geometry.hpp>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bifocal {

struct ControlPoint {
  std::string name;
  GeoPoint place;
  std::optional<Vec3> deviations = {};  // east, north, up, m; none: ControlOptions::deviation
  bool is_check = false;                // reported, not used
};

// A control point in a photograph.
struct ControlMark {
  int point = 0;        // place in ControlPoints::points
  std::string image;    // name in the model, or its last part
  double x = 0, y = 0;  // px; (0, 0) is the centre of the first pixel
  int line = 0;         // of the file
};

struct ControlPoints {
  std::string file;  // for messages
  std::vector<ControlPoint> points;
  std::vector<ControlMark> marks;
};

// Reads one of two formats.
//
// OpenDroneMap's gcp_list.txt: the first line is the projection, WGS84 (EPSG:4326, WGS84,
// +proj=longlat) or a zone of UTM (WGS84 UTM 32N, EPSG:32632, +proj=utm +zone=32). Each further
// line is a mark: X Y Z x y IMAGE [NAME], where X and Y are longitude and latitude or easting and
// northing. Points without a name are one if their coordinates are equal. As in OpenSfM, px (0, 0)
// is the centre of the first pixel. # starts a comment.
//
// CSV: a table of points and a table of marks, each with its header:
//   point,latitude,longitude,altitude[,deviation[,deviation_up]]
//   point,zone,easting,northing,altitude[,deviation[,deviation_up]]     zone: 32N, 7S
//   point,image,x,y
//
// Throws Error(input) with file and line for another projection or table, a missing field, a number
// that is not finite, a latitude or longitude out of range, two positions of one name, two marks of
// a point in one image, and a mark of an unknown point.
[[nodiscard]] ControlPoints read_control_points(const std::filesystem::path& file);
// Parses the text of such a file; `name` is used in messages.
[[nodiscard]] ControlPoints parse_control_points(std::string_view text, std::string_view name);

// Mean of the places of all points, by their Earth-centred coordinates.
[[nodiscard]] GeoPoint mean_place(const ControlPoints& control);

// Makes the named points check points, and the remaining points control points. Throws Error(usage)
// for an unknown name.
void choose_check_points(ControlPoints& control, std::span<const std::string> names);

struct ControlOptions {
  double deviation = 0.02;
  double max_mark_error = 5;
  double min_angle_deg = 1;
  colmap::BundleAdjustOptions adjust = {.adjust = {.loss = AdjustLoss::soft_l1, .loss_scale = 1}};
};
constexpr const char* name_of(const ControlOptions&) { return "ControlOptions"; }
template <MaybeConst<ControlOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [deviation, max_mark_error, min_angle_deg, adjust] = options;
  BIFOCAL_FIELD(deviation, "standard deviation of control points without a stated one",
                Range::above(0).finite(), "m");
  BIFOCAL_FIELD(max_mark_error, "marks farther from their point contradict the other marks",
                Range::above(0).finite(), "px");
  BIFOCAL_FIELD(min_angle_deg, "smallest angle between two rays of a point",
                Range::above(0).below(90), "degrees");
  BIFOCAL_FIELD(adjust, "adjustment of the model");
}

enum class ControlUse {
  control,              // determines the model
  check,                // only compared with the model
  too_few_marks,        // fewer than two marks in images of the model
  contradictory_marks,  // at most half of the marks agree
  narrow,               // no two rays meet at min_angle_deg
  contradictory,        // its position contradicts the other control points
};
inline constexpr std::string_view kControlUseWords[] = {
    "control", "check", "too_few_marks", "contradictory_marks", "narrow", "contradictory"};
[[nodiscard]] std::string_view to_string(ControlUse use);
// True if marks determine the point.
[[nodiscard]] constexpr bool is_determined(ControlUse use) {
  return use == ControlUse::control || use == ControlUse::check || use == ControlUse::contradictory;
}

struct ControlPointReport {
  ControlUse use = ControlUse::too_few_marks;
  int marks = 0;       // that agree
  Vec3 position{};     // triangulated from these marks, in the world of the model
  Vec3 residual{};     // triangulated minus stated position: east, north, up, m
  double rms_px = 0;   // reprojection error of the marks that agree
  double px_size = 0;  // of a pixel at the point, in units of the model
};
struct ControlMarkReport {
  bool is_in_model = false, agrees = false;
  double error_px = 0;  // distance from the projection of the triangulated point; NaN without one
};
// Root mean squares of residuals, m.
struct ControlRms {
  int points = 0;
  double horizontal = 0, up = 0, total = 0;
};

// A comparison of a model with control points. Without a triangulated point, residuals are NaN.
struct ControlReport {
  std::vector<ControlPointReport> points;  // one a point
  std::vector<ControlMarkReport> marks;    // one a mark
  GeoPoint origin;                         // of the metres of residuals, WGS84
  // East, north, up = scale R X + t of X in the world of the model.
  double scale = 1;
  Mat3 R = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  Vec3 t = {0, 0, 0};
  ControlRms control, check;
  std::vector<std::string> doubts;  // sentences without a full stop
};

// Triangulates all points by their marks and the model's cameras, without contradictory marks, and
// estimates the similarity from the model to the control points, robustly if at least four agree.
//
// origin: of east, north and up; by default the mean of all points.
//
// Throws Error(input) for a mark outside of its image and if no mark is in an image of the model;
// Error(usage) if fewer than three control points are determined or they lie on a line, and for an
// option out of range.
//   S. Umeyama, Least-squares estimation of transformation parameters between two point patterns,
//   PAMI 13(4), 1991.
[[nodiscard]] ControlReport check_control_points(const colmap::Model& model,
                                                 const ControlPoints& control,
                                                 const ControlOptions& options = {},
                                                 const std::optional<GeoPoint>& origin = {});

// Compares a model whose world is east, north and up of its georeference's origin with control
// points, without a similarity: residuals are the errors of its coordinates. Any number of points
// suffices, and none is used.
//
// Throws as check_control_points() for marks and options, and Error(usage) for a model without an
// origin.
[[nodiscard]] ControlReport compare_control_points(const colmap::Model& model,
                                                   const ControlPoints& control,
                                                   const ControlOptions& options = {});

struct ControlResult {
  ControlReport before, after;          // after: scale 1, R = I, t = 0
  AdjustResult adjustment;              // with the control points and their marks
  colmap::BundleAdjustResult of_model;  // the same in terms of the model, without them
  double deviation_px = 0;              // of an observation, from the residuals
};

// Transforms a model to east, north and up in metres by the similarity of check_control_points(),
// and adjusts it together with the control points: their positions with their deviations, and their
// marks that agree. Check points are only compared. Positions of images (GPS) do not act. The
// model, with its georeference, changes only when the call returns.
//
// Throws as check_control_points(), colmap::adjust_problem() and adjust().
[[nodiscard]] ControlResult apply_control_points(Queue& queue, colmap::Model& model,
                                                 const ControlPoints& control,
                                                 const ControlOptions& options = {},
                                                 const std::optional<GeoPoint>& origin = {});

// A table for people: a line a point with its use, marks, residuals (m) and rms_px, then the root
// mean squares.
[[nodiscard]] std::string control_table(const ControlPoints& control, const ControlReport& report);

}  // namespace bifocal
