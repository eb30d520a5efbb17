// SPDX-License-Identifier: BSD-3-Clause
// Binds bundle adjustment: of arrays, and of COLMAP's models (bifocal/_adjust.py,
// _colmap_model.py).
#include "models.hpp"
#include "priors.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <bifocal/jobs.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <tuple>

#include "../devices.hpp"
#include "../files.hpp"

namespace bifocal::python {
namespace {

// A dense array of the host.
template <class T>
using Array = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

nb::dict iteration_dict(const AdjustIteration& i) {
  nb::dict d;
  d["iteration"] = i.iteration;
  d["cost"] = i.cost;
  d["trial_cost"] = i.trial_cost;
  d["gradient"] = i.gradient;
  d["step"] = i.step;
  d["damping"] = i.damping;
  d["cg_iterations"] = i.cg_iterations;
  d["is_accepted"] = i.is_accepted;
  d["seconds"] = i.seconds;
  return d;
}

// Ctrl-C raises KeyboardInterrupt; False of the function ends the adjustment.
std::function<bool(const AdjustIteration&)> progress_of(nb::handle progress) {
  return [progress](const AdjustIteration& i) {
    nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (progress.is_none()) return true;
    return goes_on(progress(iteration_dict(i)));
  };
}

template <std::size_t N>
nb::object matrices(const std::vector<std::array<double, N>>& values, std::size_t side) {
  if (values.empty()) return nb::none();
  std::vector<double> flat;
  flat.reserve(N * values.size());
  for (const auto& one : values) flat.insert(flat.end(), one.begin(), one.end());
  return array_from(std::move(flat), {values.size(), side, side});
}

nb::object camera_covariances(const AdjustResult& r) {
  if (r.camera_covariances.empty()) return nb::none();
  nb::list all;
  for (const std::vector<double>& values : r.camera_covariances) {
    std::size_t side = 0;
    while (side * side < values.size()) ++side;
    all.append(array_from(values, {side, side}));
  }
  return all;
}

nb::dict freedom_dict(const AdjustFreedom& freedom) {
  nb::dict d;
  d["position"] = freedom.position;
  d["rotation"] = freedom.rotation;
  d["scale"] = freedom.scale;
  return d;
}

std::string undetermined_of(const AdjustResult& r) {
  if (r.undetermined_image >= 0) return "image " + std::to_string(r.undetermined_image);
  if (r.undetermined_camera >= 0) return "camera " + std::to_string(r.undetermined_camera);
  return {};
}

nb::dict result_dict(const AdjustResult& r) {
  nb::dict d;
  d["initial_cost"] = r.initial_cost;
  d["final_cost"] = r.final_cost;
  d["iterations"] = r.iterations;
  d["reason"] = std::string(to_string(r.reason));
  d["is_converged"] = r.is_converged();
  d["parts"] = r.parts;
  d["redundancy"] = r.redundancy;
  d["freedom"] = freedom_dict(r.freedom);
  d["undetermined"] = undetermined_of(r);
  d["pose_covariances"] = matrices(r.pose_covariances, 6);
  d["point_covariances"] = matrices(r.point_covariances, 3);
  d["camera_covariances"] = camera_covariances(r);
  nb::list history;
  for (const AdjustIteration& i : r.history) history.append(iteration_dict(i));
  d["history"] = history;
  return d;
}

// Reads member `name` of a dictionary as a dense array.
template <class T>
Array<T> array_in(const nb::dict& d, const char* name) {
  return nb::cast<Array<T>>(d[name]);
}

// Values of _adjust.py, which has checked shapes and types.
AdjustProblem problem_of(const nb::dict& d) {
  AdjustProblem problem;
  for (const nb::handle camera : d["cameras"]) {
    const auto [model, params, constant] =
        nb::cast<std::tuple<std::string, std::vector<double>, std::vector<bool>>>(camera);
    problem.cameras.push_back({model, params, constant});
  }
  const auto R = array_in<double>(d, "R"), t = array_in<double>(d, "t"),
             points = array_in<double>(d, "points"), seen = array_in<double>(d, "observations");
  const auto cameras = array_in<std::int32_t>(d, "camera_indices"),
             images = array_in<std::int32_t>(d, "image_indices"),
             places = array_in<std::int32_t>(d, "point_indices");
  const auto constant_cameras = array_in<std::uint8_t>(d, "constant_cameras"),
             constant_images = array_in<std::uint8_t>(d, "constant_images"),
             constant_points = array_in<std::uint8_t>(d, "constant_points");
  for (std::size_t i = 0; i < problem.cameras.size(); ++i)
    problem.cameras[i].is_constant = constant_cameras.data()[i] != 0;
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    AdjustImage image{{}, cameras.data()[i], constant_images.data()[i] != 0};
    std::copy_n(R.data() + 9 * i, 9, image.cam_from_world.R.begin());
    std::copy_n(t.data() + 3 * i, 3, image.cam_from_world.t.begin());
    problem.images.push_back(image);
  }
  for (std::size_t i = 0; i + 2 < points.size(); i += 3)
    problem.points.push_back({points.data()[i], points.data()[i + 1], points.data()[i + 2]});
  for (std::size_t i = 0; i < images.size(); ++i)
    problem.observations.push_back(
        {images.data()[i], places.data()[i], seen.data()[2 * i], seen.data()[2 * i + 1]});
  problem.constant_points.assign(constant_points.data(),
                                 constant_points.data() + constant_points.size());
  problem.priors = priors_of(nb::cast<nb::dict>(d["priors"]));
  return problem;
}

nb::dict adjust_arrays(const nb::dict& arrays, nb::handle given_options, const std::string& device,
                       nb::handle progress) {
  AdjustProblem problem = problem_of(arrays);
  AdjustOptions options = options_of<AdjustOptions>(given_options);
  options.progress = progress_of(progress);
  AdjustResult result;
  std::vector<double> errors;
  {
    QueueLease lease(device);
    const Unlocked unlocked;
    result = adjust(lease.queue(), problem, options);
    errors = colmap::reprojection_errors(problem);
  }
  nb::dict d = result_dict(result);
  d["prior_cost"] = result.prior_cost;
  d["prior_residuals"] = residuals_dict(result.prior_residuals);
  d["height_level"] = result.prior_residuals.level;
  nb::list params;
  for (const AdjustCamera& k : problem.cameras) params.append(nb::cast(k.params));
  d["params"] = params;
  std::vector<double> R, t, points;
  for (const AdjustImage& image : problem.images) {
    R.insert(R.end(), image.cam_from_world.R.begin(), image.cam_from_world.R.end());
    t.insert(t.end(), image.cam_from_world.t.begin(), image.cam_from_world.t.end());
  }
  for (const Vec3& p : problem.points) points.insert(points.end(), p.begin(), p.end());
  d["R"] = array_from(std::move(R), {problem.images.size(), 3, 3});
  d["t"] = array_from(std::move(t), {problem.images.size(), 3});
  d["points"] = array_from(std::move(points), {problem.points.size(), 3});
  std::vector<std::uint8_t> used;
  for (const ObservationUse use : result.uses) used.push_back(use == ObservationUse::used);
  d["used"] = flags_array(used);
  d["errors"] = array_from(std::move(errors), {problem.observations.size()});
  return d;
}

// output: the format, "binary" or "text", or empty for that of the input; overwrite; the file of
// control points or None, and the names of check points.
nb::dict adjust_model(
    nb::handle given_in, nb::handle given_out, nb::handle given_options,
    const std::vector<std::vector<std::uint64_t>>& constant,
    const std::tuple<std::string, bool, nb::object, std::vector<std::string>>& output,
    const std::string& device, nb::handle progress) {
  const auto& [format, overwrite, control_file, check] = output;
  const FileName in = file_of(given_in, "model_in"), out = file_of(given_out, "model_out");
  jobs::AdjustFiles files{.model = in.path,
                          .out = out.path,
                          .has_covariance_file = false,
                          .adjust = options_of<colmap::BundleAdjustOptions>(given_options),
                          .out_argument = "model_out"};
  if (!format.empty())
    files.format = format == "text" ? colmap::ModelFormat::text : colmap::ModelFormat::binary;
  files.adjust.constant_cameras.assign(constant[0].begin(), constant[0].end());
  files.adjust.constant_images.assign(constant[1].begin(), constant[1].end());
  files.adjust.constant_points.assign(constant[2].begin(), constant[2].end());
  files.adjust.adjust.progress = progress_of(progress);
  take_control({control_file, check}, files);
  jobs::ControlledModel controlled;
  files.controlled = [&](const ControlPoints& control, const ControlResult& result) {
    controlled = {control, result, {}};
  };
  colmap::BundleAdjustResult r;
  {
    QueueLease lease(device);
    const Unlocked unlocked;
    std::error_code none;
    files.overwrite = overwrite || std::filesystem::equivalent(in.path, out.path, none);
    colmap::check_model_folder(out.path, files.overwrite);
    r = jobs::adjust_and_write(lease.queue(), files);
  }
  nb::dict d = result_dict(r.adjustment);
  d["cameras"] = r.cameras;
  d["images"] = r.images;
  d["points"] = r.points;
  d["observations"] = r.adjustment.counts[0];
  d["undetermined"] = r.undetermined;
  d["initial_error"] = r.initial_error;
  d["final_error"] = r.final_error;
  d["control"] = controlled.result ? control_tuple(controlled) : nb::none();
  return d;
}

}  // namespace

void bind_adjust(nb::module_& m) {
  m.def(
      "focal_length_count",
      [](const std::string& model) { return LensCamera::focal_lengths(model); }, nb::arg("model"),
      "Number of focal lengths of a camera model: 1 or 2, 0 for another name.");
  m.def("adjust_arrays", &adjust_arrays, nb::arg("arrays"), nb::arg("options").none(),
        nb::arg("device"), nb::arg("progress").none(),
        nb::sig("def adjust_arrays(arrays: dict[str, typing.Any], options: object, device: str, "
                "progress: object) -> dict[str, typing.Any]"));
  m.def("adjust_model", &adjust_model, nb::arg("model_in").none(), nb::arg("model_out").none(),
        nb::arg("options").none(), nb::arg("constant"), nb::arg("output"), nb::arg("device"),
        nb::arg("progress").none(),
        nb::sig("def adjust_model(model_in: object, model_out: object, options: object, constant: "
                "list[list[int]], output: tuple[str, bool, object, list[str]], device: str, "
                "progress: object) -> dict[str, typing.Any]"));
}

}  // namespace bifocal::python
