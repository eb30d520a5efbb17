// SPDX-License-Identifier: BSD-3-Clause
// Binds the robust estimation of one pair.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <limits>

#include "pair_input.hpp"
#include "results.hpp"

namespace bifocal::python {

Arguments arguments_of(nb::handle camera1, nb::handle camera2, nb::handle options,
                       const ProblemInfo& problem) {
  Arguments a;
  a.options = options_of<RobustOptions>(options);
  if (problem.cameras == 0) {
    if (!camera1.is_none() || !camera2.is_none())
      type_error("camera1, camera2: given, but this kind of model takes none");
    return a;
  }
  const bool two = problem.cameras == 2;
  a.cameras.push_back(any_camera_of(camera1, two ? "camera1" : "camera"));
  if (two)
    a.cameras.push_back(camera2.is_none() ? a.cameras[0] : any_camera_of(camera2, "camera2"));
  else if (!camera2.is_none())
    type_error("camera2: given, but this kind of model takes one camera");
  return a;
}

const PairEstimate& complete_estimate(nb::handle self) {
  auto& e = nb::cast<PairEstimate&>(self);
  complete(e);
  return e;
}

namespace {

template <class Point>
PairEstimate run(ModelKind kind, Points<Point>& points, const Arguments& a) {
  const ProblemInfo problem = problem_info(kind);
  PairEstimate e{kind, problem.has_pose, {}, problem.triangulates};
  with_input(problem, points, a, [&](Queue& queue, const EstimateInput& input) {
    if constexpr (!std::is_same_v<Point, ScenePoint>) {
      if (e.is_relative) {
        e.result = estimate_relative_pose(queue, kind, points.span, input);
        return;
      }
    }
    e.result = {estimate(queue, kind, points.span, input)};
  });
  return e;
}

PairEstimate estimate_any(const std::string& kind_name, const GivenPair& given, nb::handle options,
                          const std::optional<std::string>& device, nb::handle frame) {
  const auto& [left, right, depths, camera1, camera2, weights, qualities] = given;
  const ModelKind kind = kind_of(kind_name);
  const ProblemInfo problem = problem_info(kind);
  if (!depths.is_none() && !problem.takes_depths)
    type_error("depths: given, but this kind of model takes none");
  Arguments a = arguments_of(camera1, camera2, options, problem);
  if (!frame.is_none()) {
    const bool one = right.is_none();
    DevicePoints there{array_of(left, one ? "points" : "x1"), {}, {}, left, right, depths};
    if (on_cuda(there.left)) {
      if (one && !depths.is_none()) type_error("depths: given beside rows, which hold them");
      if (!one) there.right = array_of(right, "x2");
      if (!one && problem.takes_depths) there.depths = array_of(depths, "depths");
      return estimate_there(kind, there, a.cameras, weights, qualities, a.options, device, frame);
    }
  }
  a.weights = doubles_of(weights, "weights");
  a.qualities = qualities_of(qualities);
  a.device = device_for(device, nullptr, "");
  PairEstimate e;
  const auto run_on = [&](auto points) {
    const Unlocked unlocked;
    e = run(kind, points, a);
  };
  if (problem.takes_depths)
    run_on(points_of<DepthPair>(left, right, depths));
  else if (problem.is_two_view)
    run_on(points_of<PointPair>(left, right));
  else
    run_on(points_of<ScenePoint>(left, right));
  if (!frame.is_none()) e.frame = nb::borrow(frame);
  return e;
}

const PairEstimate& of(nb::handle self) { return nb::cast<const PairEstimate&>(self); }
nb::object inliers(nb::handle self) {
  const auto& flags = of(self).result.inliers;
  return framed(of(self).frame,
                view(self, reinterpret_cast<const bool*>(flags.data()), {flags.size()}));
}
nb::object model(nb::handle self) {
  return framed(of(self).frame, view(self, of(self).result.model.data(), {3, 3}));
}
nb::object rotation(nb::handle self) {
  const PairEstimate& e = of(self);
  if (!e.has_pose) return nb::none();
  return framed(e.frame, view(self, e.result.pose.R.data(), {3, 3}));
}
nb::object translation(nb::handle self) {
  const PairEstimate& e = of(self);
  if (!e.has_pose) return nb::none();
  return framed(e.frame, view(self, e.result.pose.t.data(), {3}));
}
nb::object triangulated(nb::handle self) {
  const PairEstimate& e = complete_estimate(self);
  if (!e.is_relative) return nb::none();
  const auto& points = e.result.triangulated;
  return framed(e.frame,
                view(self, reinterpret_cast<const double*>(points.data()), {points.size(), 3}));
}
nb::object not_finite(nb::handle self) {
  const auto& which = complete_estimate(self).result.not_finite;
  return framed(of(self).frame, view(self, which.data(), {which.size()}));
}

std::optional<double> known(bool is_known, double value) {
  return is_known ? std::optional<double>(value) : std::nullopt;
}
bool has_model(const Estimate& e) {
  return e.outcome == Outcome::ok || e.outcome == Outcome::not_significant;
}

std::string text(const PairEstimate& e) {
  return fmt::format("<{} {}: {} of {} inliers, rms {:.3g} px, {} iterations>", name_of(e.kind),
                     to_string(e.result.outcome), e.result.num_inliers, e.result.inliers.size(),
                     e.result.rms, e.result.iterations);
}

template <class Get>
void number(nb::class_<PairEstimate>& c, const char* name, Get get, const char* doc) {
  c.def_prop_ro(
      name, [get](const PairEstimate& e) { return get(e.result); }, doc);
}

void bind_numbers(nb::class_<PairEstimate>& c) {
  number(
      c, "num_inliers", [](const auto& r) { return r.num_inliers; }, "Number of inliers.");
  number(
      c, "iterations", [](const auto& r) { return r.iterations; },
      "Number of minimal samples drawn.");
  number(
      c, "rms", [](const auto& r) { return r.rms; },
      "Root mean square error of the inliers, in px.");
  number(
      c, "noise", [](const auto& r) { return r.noise; },
      "Estimated standard deviation of the coordinates of correct matches, in px.");
  number(
      c, "score", [](const auto& r) { return r.score; },
      "MSAC score of the inliers, at most num_inliers.");
  number(
      c, "significance", [](const auto& r) { return r.significance; },
      "log10 of the number of models as well supported that are expected from wrong matches.");
}

void bind_fields(nb::class_<PairEstimate>& c) {
  c.def_prop_ro(
      "ok", [](const PairEstimate& e) { return e.result.ok(); }, "True if a model was found.");
  c.def("__bool__", [](const PairEstimate& e) { return e.result.ok(); });
  c.def("__repr__", &text);
  c.def_prop_ro(
      "reason", [](const PairEstimate& e) { return to_string(e.result.outcome); },
      "'ok', or the cause without a model: 'too_few_points', 'no_model', 'not_significant', "
      "'degenerate_sample', 'rotation_only'.");
  c.def_prop_ro(
      "kind", [](const PairEstimate& e) { return name_of(e.kind); }, "Kind of the model.");
  c.def_prop_ro(
      "model", &model, nb::sig("def model(self) -> numpy.typing.NDArray[numpy.float64]"),
      "Shape (3, 3): H, F (px) or E (normalised points) of norm 1, or the rotation of a camera; "
      "zeros unless ok or not_significant.");
  c.def_prop_ro("inliers", &inliers,
                nb::sig("def inliers(self) -> numpy.typing.NDArray[numpy.bool_]"),
                "Inlier flag of each correspondence, shape (N,).");
  c.def_prop_ro(
      "R", &rotation, nb::sig("def R(self) -> numpy.typing.NDArray[numpy.float64] | None"),
      "Rotation of X2 = R X1 + t, or of the camera from the world, shape (3, 3); None if the "
      "kind has no pose.");
  c.def_prop_ro(
      "t", &translation, nb::sig("def t(self) -> numpy.typing.NDArray[numpy.float64] | None"),
      "Translation, shape (3,), of length 1 for relative poses; None if the kind has no pose.");
  c.def_prop_ro(
      "triangulated", &triangulated,
      nb::sig("def triangulated(self) -> numpy.typing.NDArray[numpy.float64] | None"),
      "Scene points in the frame of camera 1, shape (N, 3), NaN for outliers; None without a "
      "relative pose and for 'upright_essential'.");
  c.def_prop_ro("not_finite", &not_finite,
                nb::sig("def not_finite(self) -> numpy.typing.NDArray[numpy.int32]"),
                "Indices of the correspondences with a NaN or an infinity, which were left out.");
  c.def_prop_ro(
      "in_front",
      [](nb::handle self) -> std::optional<int> {
        const PairEstimate& e = complete_estimate(self);
        return e.is_relative ? std::optional<int>(e.result.in_front) : std::nullopt;
      },
      "Number of inliers in front of both cameras; None for kinds without `triangulated`.");
  c.def_prop_ro(
      "median_parallax_deg",
      [](nb::handle self) -> std::optional<double> {
        const PairEstimate& e = complete_estimate(self);
        return known(e.is_relative && e.result.ok(), e.result.median_parallax_deg);
      },
      "Median angle between the rays of an inlier in degrees; None unless ok, and for kinds "
      "without `triangulated`.");
}

// Binds the focal length and the distortion, which some problems estimate.
void bind_unknowns(nb::class_<PairEstimate>& c) {
  const auto of_kinds = [&](const char* name, bool ProblemInfo::*is_estimated, auto get,
                            const char* doc) {
    c.def_prop_ro(
        name,
        [is_estimated, get](nb::handle self) -> std::optional<double> {
          const PairEstimate& e = of(self);
          if (!(problem_info(e.kind).*is_estimated)) return std::nullopt;
          return get(e.result);
        },
        doc);
  };
  of_kinds(
      "focal_length", &ProblemInfo::estimates_focal_length, &known_focal_length,
      "Estimated focal length in px; None without a model, and for kinds that do not estimate it "
      "(problem_info: estimates_focal_length).");
  of_kinds("focal_deviation", &ProblemInfo::estimates_focal_length, &known_focal_deviation,
           "Standard deviation of focal_length in px; None if the matches do not determine it, and "
           "without focal_length.");
  of_kinds("distortion", &ProblemInfo::estimates_distortion, &known_distortion,
           "Coefficient k of the division model in the given unit for 'radial_fundamental'; None "
           "without a model, and for other kinds.");
  of_kinds("distortion_deviation", &ProblemInfo::estimates_distortion, &known_distortion_deviation,
           "Standard deviation of distortion; None if the matches do not determine it, and without "
           "distortion.");
}

using State = std::tuple<std::string, nb::bytes, nb::bytes, nb::bytes, nb::bytes, int, double>;

State state_of(nb::handle self) {
  const PairEstimate& e = complete_estimate(self);
  const RelativePoseResult& r = e.result;
  return {name_of(e.kind),        bytes_of(std::vector<Estimate>{r}), bytes_of(r.inliers),
          bytes_of(r.not_finite), bytes_of(r.triangulated),           r.in_front,
          r.median_parallax_deg};
}

void restore(PairEstimate& e, const State& state) {
  const auto& [kind, numbers, inliers, not_finite, triangulated, in_front, parallax] = state;
  const std::vector<Estimate> one = vector_of<Estimate>(numbers);
  if (one.size() != 1) value_error("this pickle is of another version of bifocal");
  const ModelKind k = kind_of(kind);
  new (&e) PairEstimate{k,
                        problem_info(k).has_pose,
                        {{one[0], vector_of<std::uint8_t>(inliers), vector_of<int>(not_finite)},
                         in_front,
                         vector_of<Vec3>(triangulated),
                         parallax},
                        problem_info(k).triangulates};
}

}  // namespace

std::optional<double> known_focal_length(const Estimate& e) {
  return known(e.focal_length > 0, e.focal_length);
}
std::optional<double> known_focal_deviation(const Estimate& e) {
  return known(e.focal_length > 0 && std::isfinite(e.focal_deviation), e.focal_deviation);
}
std::optional<double> known_distortion(const Estimate& e) {
  return known(has_model(e), e.distortion);
}
std::optional<double> known_distortion_deviation(const Estimate& e) {
  return known(has_model(e) && std::isfinite(e.distortion_deviation), e.distortion_deviation);
}

void bind_robust(nb::module_& m) {
  nb::class_<PairEstimate> c(m, "Estimate",
                             "Result of a robust estimator for one pair; true if `ok`.");
  c.def("__getstate__", &state_of);
  c.def("__setstate__", &restore);
  bind_fields(c);
  bind_unknowns(c);
  bind_numbers(c);
  m.def(
      "estimate",
      [](const std::string& kind, nb::handle left, nb::handle right, nb::handle camera1,
         nb::handle camera2, nb::handle weights, nb::handle qualities, nb::handle options,
         const std::optional<std::string>& device, nb::handle frame, nb::handle depths) {
        return estimate_any(kind,
                            {.left = left,
                             .right = right,
                             .depths = depths,
                             .camera1 = camera1,
                             .camera2 = camera2,
                             .weights = weights,
                             .qualities = qualities},
                            options, device, frame);
      },
      nb::arg("kind"), nb::arg("left").none(), nb::arg("right").none(), nb::arg("camera1").none(),
      nb::arg("camera2").none(), nb::arg("weights").none(), nb::arg("qualities").none(),
      nb::arg("options").none(), nb::arg("device").none(), nb::arg("frame").none() = nb::none(),
      nb::arg("depths").none() = nb::none(), "Estimates one pair (bifocal.estimate).");
  m.def(
      "reads_in_place",
      [](nb::handle points) {
        const auto p = points_of<PointPair>(points, nb::none());
        return p.span.data() != nullptr && p.span.data() == p.left.array.data();
      },
      "Returns True if rows x1 y1 x2 y2 are read without a copy (for tests).");
  m.def(
      "problem_info",
      [](const std::string& kind) {
        const ProblemInfo p = problem_info(kind_of(kind));
        nb::dict d;
        d["symbol"] = p.symbol, d["sample_size"] = p.sample_size;
        d["degrees_of_freedom"] = p.degrees_of_freedom, d["cameras"] = p.cameras;
        d["is_two_view"] = p.is_two_view, d["has_pose"] = p.has_pose;
        d["takes_depths"] = p.takes_depths;
        d["estimates_focal_length"] = p.estimates_focal_length;
        d["estimates_distortion"] = p.estimates_distortion;
        d["triangulates"] = p.triangulates;
        d["is_built"] = p.is_built;
        return d;
      },
      nb::sig("def problem_info(kind: str) -> dict[str, typing.Any]"),
      "Returns the properties of a kind of model (bifocal.solvers.problem_info).");
  m.def(
      "model_kinds",
      [] {
        nb::list names;
        for (const ModelKind kind : kModelKinds) names.append(name_of(kind));
        return names;
      },
      nb::sig("def model_kinds() -> list[str]"), "Lists the kinds of models in the order of C++.");
}

}  // namespace bifocal::python
