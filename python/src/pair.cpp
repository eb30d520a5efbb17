// SPDX-License-Identifier: BSD-3-Clause
// Binds estimate_pair and the files of its result, which the program `bifocal pair` also writes.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <bifocal/jobs.hpp>
#include <optional>
#include <tuple>

#include "devices.hpp"
#include "features/features_device.hpp"
#include "files.hpp"
#include "pair.hpp"
#include "points.hpp"
#include "results.hpp"
#include "jobs/stage_times.hpp"

namespace bifocal::python {
namespace {

using Handles = std::tuple<nb::handle, nb::handle>;
Pair estimate(const Handles& photographs, nb::handle options, nb::handle matches,
              const Handles& masks, const std::string& device, nb::handle progress) {
  PairOptions o = options_of<PairOptions>(options);
  const auto& [left, right] = photographs;
  jobs::StageTimes times;
  Pair pair{photograph_argument(left, "left"),
            photograph_argument(right, "right"),
            {},
            {},
            {},
            o.robust.seed};
  pair.cameras.camera1 = o.camera1, pair.cameras.camera2 = o.camera2;
  if (pair.cameras.known()) pair.cameras.source = "the arguments camera1 and camera2";
  if (!pair.cameras.known() && pair.left.photograph.exif && pair.right.photograph.exif) {
    pair.cameras = jobs::exif_cameras(*pair.left.photograph.exif, *pair.right.photograph.exif);
    o.lens_is_unknown = true;
  }
  o.camera1 = pair.cameras.camera1, o.camera2 = pair.cameras.camera2;
  PairInput input;
  Points<PointPair> points;
  if (!matches.is_none()) {
    const nb::object x1 = matches[0], x2 = matches[1];
    points = points_of<PointPair>(x1, x2);
    gather(points);
    input.matches = points.span;
  }
  const DetectArguments first(nb::none(), std::get<0>(masks), "mask1"),
      second(nb::none(), std::get<1>(masks), "mask2");
  input.mask1 = first.allowed(), input.mask2 = second.allowed();
  o.progress = [&](std::string_view stage, double fraction) {
    const nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!progress.is_none()) progress(nb::str(stage.data(), stage.size()), fraction);
  };
  QueueLease lease(resolved_device(device));
  pair.device = lease.queue().device().info().id;
  const Unlocked unlocked;
  times.end("reading");
  pair.result = estimate_pair(lease.queue(), pair.left.photograph.view(),
                              pair.right.photograph.view(), o, input);
  times.end(pair.result.timings);
  pair.result.timings = times.times();
  for (const jobs::PairPhotograph* p : {&pair.left.photograph, &pair.right.photograph})
    if (!pair.cameras.known() && pair.result.doubt.empty() && !p->exif_doubt.empty())
      pair.result.doubt = fmt::format("{}: EXIF: {}, left out", p->file, p->exif_doubt);
  return pair;
}

const Pair& of(nb::handle self) { return nb::cast<const Pair&>(self); }

template <class Value>
nb::object view_of_image(nb::handle self, const Image<Value>& image) {
  const auto h = std::size_t(image.height), w = std::size_t(image.width),
             c = std::size_t(image.channels);
  if (image.empty()) return nb::none();
  if (c == 1) return view(self, image.pixels.data(), {h, w});
  return view(self, image.pixels.data(), {h, w, c});
}

const DensePair& dense_of(const Pair& p, const char* what) {
  if (!p.result.dense)
    value_error(fmt::format("{}: the pair has no dense part: {}", what, p.result.dense_reason));
  return *p.result.dense;
}

nb::object positions(const std::vector<PointPair>& points, bool is_second) {
  std::vector<double> values;
  values.reserve(2 * points.size());
  for (const PointPair& p : points)
    values.insert(values.end(), {is_second ? p.x2 : p.x1, is_second ? p.y2 : p.y1});
  return array_from(std::move(values), {points.size(), 2});
}

nb::object positions(const std::vector<Keypoint>& keypoints) {
  std::vector<float> values;
  for (const Keypoint& k : keypoints) values.insert(values.end(), {k.x, k.y});
  return array_from(std::move(values), {keypoints.size(), 2});
}

std::vector<std::string> doubts_of(const PairResult& r) {
  std::vector<std::string> all;
  for (const std::string& d : {r.doubt, r.repetition.reason})
    if (!d.empty()) all.push_back(d);
  return all;
}

std::string text(const Pair& p) {
  const PairResult& r = p.result;
  if (r.outcome != Outcome::ok) return fmt::format("<Pair: {}>", to_string(r.outcome));
  return fmt::format("<Pair: ok, {}, {} of {} matches are inliers{}{}{}>", to_string(r.kind),
                     r.estimate.num_inliers, r.points.size(), r.cam2_from_cam1 ? ", pose" : "",
                     r.dense ? ", depth" : "", doubts_of(r).empty() ? "" : ", doubted");
}

void write(const Pair& p, nb::handle folder, bool all_files, bool overwrite) {
  const FileName name = file_of(folder, "folder");
  std::int64_t lost = 0;
  try {
    const Unlocked unlocked;
    lost = jobs::write_pair({.left = p.left.photograph,
                             .right = p.right.photograph,
                             .command_line = "bifocal.estimate_pair",
                             .cameras = p.cameras,
                             .result = p.result,
                             .device = p.device,
                             .seed = p.seed,
                             .all_files = all_files,
                             .python_left = p.left.code,
                             .python_right = p.right.code,
                             .has_files = p.left.is_file && p.right.is_file},
                            name.path, overwrite)
               .lost_disparities;
  } catch (const Error& e) {
    if (e.code() == ErrorCode::input) raise_refused_writing_into(name);
    throw;
  }
  if (lost > 0)
    warn(fmt::format("disparity.png: {} negative disparities are stored as unknown ({})", lost,
                     all_files ? "disparity_raw.pfm has them"
                               : "all_files=True writes disparity_raw.pfm, which has them"));
}

using Class = nb::class_<Pair>;
#define ARRAY(type) "numpy.typing.NDArray[numpy." type "]"
#define GET(name, type, value, doc)         \
  c.def_prop_ro(                            \
      name,                                 \
      [](nb::handle self) {                 \
        const Pair& p = of(self);           \
        return nb::object(nb::cast(value)); \
      },                                    \
      nb::sig("def " name "(self) -> " type), doc)

nb::object optional_array(bool is_there, const auto& values,
                          std::initializer_list<std::size_t> shape) {
  return is_there ? copy_of(values, shape) : nb::none();
}

nb::object known(bool is_known, double value) {
  return is_known ? nb::object(nb::float_(value)) : nb::none();
}
bool has_focal_length(const PairResult& r) { return r.estimated_camera.focal_length > 0; }
bool has_distortion(const PairResult& r) { return r.estimated_camera.distortion != 0; }

nb::object inliers_of(const PairResult& r) {
  std::vector<std::uint8_t> flags = r.estimate.inliers;
  flags.resize(r.points.size());
  return flags_array(flags);
}

nb::object indices_of(const std::vector<Match>& matches) {
  std::vector<std::int64_t> values;
  for (const Match& m : matches) values.insert(values.end(), {m.index1, m.index2});
  return array_from(std::move(values), {matches.size(), 2});
}

nb::object scene_points(const std::vector<Vec3>& points) {
  std::vector<double> values;
  for (const Vec3& x : points) values.insert(values.end(), x.begin(), x.end());
  return array_from(std::move(values), {points.size(), 3});
}

nb::object cameras_of(const DensePair& d) {
  const auto numbers = [](const Intrinsics& k) { return std::tuple(k.fx, k.fy, k.cx, k.cy); };
  return nb::cast(
      std::tuple(numbers(d.camera1), numbers(d.camera2), std::string(to_string(d.cameras))));
}

nb::object milliseconds(const std::vector<StageTime>& times) {
  nb::dict d;
  for (const StageTime& t : times) d[t.stage.c_str()] = t.ms;
  return d;
}

nb::object tries_of(const std::vector<PairTry>& tries) {
  nb::list all;
  for (const PairTry& t : tries)
    all.append(nb::make_tuple(t.name, std::string(to_string(t.outcome)), t.is_doubted, t.inliers,
                              t.is_taken, t.ms));
  return all;
}

void bind_model(Class& c) {
  c.def("__bool__", [](const Pair& p) { return p.result.outcome == Outcome::ok; });
  c.def("__repr__", &text);
  GET("ok", "bool", p.result.outcome == Outcome::ok, "True if a model was found.");
  GET("outcome", "str", std::string(to_string(p.result.outcome)),
      "'ok' or the cause: 'no_model', ...");
  GET("kind", "str", std::string(to_string(p.result.kind)),
      "'homography', 'fundamental', 'radial_fundamental' or 'essential'.");
  GET("reason", "str", p.result.reason, "Reason for this model or for a missing model, in words.");
  GET("doubts", "list[str]", doubts_of(p.result),
      "Reasons to doubt the intrinsics or, for repeated structure, the model; empty without one. "
      "`bifocal pair --strict` ends with exit code 5 for each of them.");
  GET("model", ARRAY("float64") " | None",
      optional_array(p.result.outcome == Outcome::ok, p.result.estimate.model, {3, 3}),
      "H or F in px, or E of normalised points, shape (3, 3); None without a model.");
  GET("R", ARRAY("float64") " | None",
      optional_array(p.result.cam2_from_cam1.has_value(),
                     p.result.cam2_from_cam1.value_or(Pose{}).R, {3, 3}),
      "Rotation of X2 = R X1 + t; None without a pose.");
  GET("t", ARRAY("float64") " | None",
      optional_array(p.result.cam2_from_cam1.has_value(),
                     p.result.cam2_from_cam1.value_or(Pose{}).t, {3}),
      "Translation of unit length, 0 if the camera only rotated; None without a pose.");
}

void bind_matches(Class& c) {
  GET("inliers", ARRAY("bool_"), inliers_of(p.result), "Inlier flag of each match, shape (M,).");
  GET("num_inliers", "int", p.result.estimate.ok() ? p.result.estimate.num_inliers : 0,
      "Number of inliers.");
  GET("x1", ARRAY("float64"), positions(p.result.points, false),
      "Matched points of photograph 1, px, shape (M, 2).");
  GET("x2", ARRAY("float64"), positions(p.result.points, true),
      "Matched points of photograph 2, px, shape (M, 2).");
  GET("keypoints1", ARRAY("float32"), positions(p.result.keypoints1),
      "Keypoints of photograph 1, px, shape (N, 2).");
  GET("keypoints2", ARRAY("float32"), positions(p.result.keypoints2),
      "Keypoints of photograph 2, px, shape (N, 2).");
  GET("matches", ARRAY("int64"), indices_of(p.result.matches),
      "Indices of matched keypoints, shape (M, 2).");
  GET("triangulated", ARRAY("float64"), scene_points(p.result.triangulated),
      "Points of the matches in the frame of camera 1, shape (M, 3), NaN for outliers; empty "
      "without a pose.");
  GET("parallax_deg", "float | None",
      known(p.result.cam2_from_cam1.has_value(), p.result.median_parallax_deg),
      "Median angle between the rays of an inlier, in degrees; None without a pose.");
}

void bind_camera(Class& c) {
  GET("focal_length", "float | None",
      known(has_focal_length(p.result), p.result.estimated_camera.focal_length),
      "Estimated focal length of both photographs, px; None if it was given or is not "
      "determined.");
  GET("focal_deviation", "float | None",
      known(has_focal_length(p.result), p.result.estimated_camera.focal_deviation),
      "Standard deviation of focal_length, px: noise, correlated errors, the assumed principal "
      "point and the estimated distortion; None without focal_length.");
  GET("distortion", "float | None",
      known(has_distortion(p.result), p.result.estimated_camera.distortion),
      "Estimated coefficient of the division model, in units of half the diagonal; None if no "
      "distortion is determined.");
  GET("distortion_deviation", "float | None",
      known(has_distortion(p.result), p.result.estimated_camera.distortion_deviation),
      "Standard deviation of distortion: noise, correlated errors and the assumed centre; None "
      "without distortion.");
  GET("device", "str", p.device, "Device of all stages; 'auto' is resolved.");
  GET("timings", "dict[str, float]", milliseconds(p.result.timings), "Duration of each stage, ms.");
  GET("tries", "list[tuple[str, str, bool, int, bool, float]]", tries_of(p.result.tries),
      "(name, outcome, is_doubted, inliers, is_taken, milliseconds) of each try; more than one if "
      "the pair was escalated.");
}

void bind_pose_deviation(Class& c) {
  GET("pose_covariance", ARRAY("float64") " | None",
      optional_array(p.result.pose_deviation.is_known, p.result.pose_deviation.covariance, {6, 6}),
      "Covariance of (w, t), shape (6, 6), w a rotation in radians: noise, correlated errors and "
      "the deviations of the cameras; None if the pose is not determined or the cameras are "
      "doubted.");
  GET("rotation_deviation_deg", "float | None",
      known(p.result.pose_deviation.is_known, p.result.pose_deviation.rotation_deg),
      "Standard deviation of the rotation, in degrees; None where pose_covariance is.");
  GET("direction_deviation_deg", "float | None",
      known(p.result.pose_deviation.is_known, p.result.pose_deviation.direction_deg),
      "Standard deviation of the direction of t, in degrees; None where pose_covariance is.");
}

void bind_depth(Class& c) {
  GET("has_depth", "bool", p.result.dense.has_value(), "True if the pair was matched densely.");
  GET("dense_reason", "str", p.result.dense_reason, "Reason for missing depth; '' if has_depth.");
  c.def_prop_ro(
      "rectification",
      [](const Pair& p) -> const Rectification& {
        return dense_of(p, "rectification").rectification;
      },
      nb::rv_policy::reference_internal,
      "Planar or polar. This and all dense results raise ValueError without has_depth.");
  GET("rectified_left", ARRAY("uint8"), view_of_image(self, dense_of(p, "rectified_left").left),
      "Rectified left image, RGB.");
  GET("rectified_right", ARRAY("uint8"), view_of_image(self, dense_of(p, "rectified_right").right),
      "Rectified right image, RGB.");
  GET("disparity", ARRAY("float32"), view_of_image(self, dense_of(p, "disparity").disparity.raw),
      "Disparities of rectified_left in px, shape (H, W); NaN if unknown.");
  GET("disparity_filled", ARRAY("float32"),
      view_of_image(self, dense_of(p, "disparity_filled").disparity.filled),
      "Disparities of rectified_left in px with unknown pixels filled, shape (H, W).");
  GET("disparity_range", "tuple[int, int]",
      std::tuple(dense_of(p, "disparity_range").min_disparity,
                 dense_of(p, "disparity_range").disparities),
      "Range (min_disparity, disparities) of the disparity search in px.");
  GET("depth", ARRAY("float32"), view_of_image(self, dense_of(p, "depth").depth.depth),
      "Depth of the pixels of photograph 1 in units of the baseline, shape (H, W), NaN if "
      "unknown.");
  GET("depth_deviation", ARRAY("float32"),
      view_of_image(self, dense_of(p, "depth_deviation").depth.deviation),
      "Standard deviation of depth in units of the baseline, shape (H, W); by 0.5 px of disparity "
      "alone if the cameras are assumed or doubted.");
  GET("cloud", "tuple[" ARRAY("float32") ", " ARRAY("uint8") "]",
      cloud_arrays(dense_of(p, "cloud").cloud),
      "Points in the frame of camera 1, shape (K, 3), and their colours, uint8.");
  GET("depth_cameras",
      "tuple[tuple[float, float, float, float], tuple[float, float, float, float], str]",
      cameras_of(dense_of(p, "depth_cameras")),
      "fx, fy, cx, cy of both cameras for depth, and 'given', 'estimated' or 'assumed'.");
  c.def("write", &write, nb::arg("folder").none(), nb::kw_only(), nb::arg("all_files") = false,
        nb::arg("overwrite") = false,
        nb::sig("def write(self, folder: object, *, all_files: bool = False, overwrite: bool = "
                "False) -> None"),
        R"(Writes the files of `bifocal pair`, or none if writing fails: report.html, geometry.json,
matches.txt, rectified images, disparity, depth and a cloud of at most 500,000 points.

Args:
    folder: Name of the folder.
    all_files: Writes the whole cloud as well as the files of `bifocal pair --all-files`.
    overwrite: Replaces files of these names. Those that an earlier call on the same two files wrote are replaced without it.

Raises:
    ValueError: If a file exists already and `overwrite` is False, or a result would replace a photograph.
    OSError: If a file cannot be written.)");
}
#undef GET
#undef ARRAY

}  // namespace

void bind_pair(nb::module_& m) {
  Class c(m, "Pair", "Geometry of two photographs. Arrays are read-only views.");
  bind_model(c);
  bind_matches(c);
  bind_camera(c);
  bind_pose_deviation(c);
  bind_depth(c);
  c.def(
      "__getstate__", [](const Pair& p) { return state_of(p); },
      nb::sig("def __getstate__(self) -> tuple[bytes, object]"));
  c.def(
      "__setstate__", [](Pair& p, const nb::tuple& state) { restore(p, state); },
      nb::sig("def __setstate__(self, state: tuple[bytes, object]) -> None"));
  m.def("estimate_pair", &estimate, nb::arg("photographs"), nb::arg("options"),
        nb::arg("matches").none(), nb::arg("masks"), nb::arg("device"), nb::arg("progress").none(),
        nb::sig("def estimate_pair(photographs: object, options: object, matches: object, masks: "
                "object, device: str, progress: object) -> Pair"));
}

}  // namespace bifocal::python
