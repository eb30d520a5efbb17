// SPDX-License-Identifier: BSD-3-Clause
// Binds the single steps of two-view geometry.
#include <bifocal/two_view.hpp>

#include "estimate.hpp"
#include "points.hpp"

namespace bifocal::python {
namespace {

// Undistorted points and pinhole cameras of a problem.
template <class Point>
struct Given {
  Points<Point> points;
  std::vector<Intrinsics> cameras;
};
template <class Point>
Given<Point> given_of(nb::handle left, nb::handle right, nb::handle camera1, nb::handle camera2,
                      int count) {
  Given<Point> g{points_of<Point>(left, right), {}};
  gather(g.points);
  if (count == 0 && !(camera1.is_none() && camera2.is_none()))
    type_error("camera1, camera2: given, but this kind of model takes none");
  for (int i = 0; i < count; ++i) {
    const bool own = i == 0 || !camera2.is_none();
    const AnyCamera c = any_camera_of(own && i == 1 ? camera2 : camera1, count == 1 ? "camera"
                                                                         : i == 0   ? "camera1"
                                                                                    : "camera2");
    g.cameras.push_back(c.pinhole);
    undistort(g.points, c, 2 * std::size_t(i));
    if (count == 1 && std::is_same_v<Point, PointPair>)
      undistort(g.points, c, 2);  // one camera for both images
  }
  return g;
}

nb::object residuals_of(const std::string& name, nb::handle model, nb::handle left,
                        nb::handle right, nb::handle camera1, nb::handle camera2) {
  const ModelKind kind = kind_of(name);
  const ProblemInfo problem = problem_info(kind);
  if (!problem.is_two_view)
    value_error("kind: 'absolute_pose' has pose_residuals, must be a model of two views");
  const Mat3 matrix = mat3_of(model, "model");
  const auto g = given_of<PointPair>(left, right, camera1, camera2, problem.cameras);
  std::vector<double> errors = residuals(kind, matrix, g.points.span, g.cameras);
  const std::size_t n = errors.size();
  return array_from(std::move(errors), {n});
}

nb::object pose_residuals(nb::handle R, nb::handle t, nb::handle x, nb::handle X,
                          nb::handle camera) {
  const Pose pose{mat3_of(R, "R"), vec3_of(t, "t")};
  const auto g = given_of<ScenePoint>(x, X, camera, nb::none(), 1);
  std::vector<double> errors = residuals(pose, g.points.span, g.cameras[0]);
  const std::size_t n = errors.size();
  return array_from(std::move(errors), {n});
}

nb::tuple tuple_of(const Refined& r) {
  return nb::make_tuple(copy_of(r.model, {3, 3}), copy_of(r.pose.t, {3}), r.count, r.rms, r.steps);
}

// Points of two views and their cameras as given in Python.
struct GivenViews {
  nb::handle left, right, camera1, camera2;
};
Given<PointPair> given_of(const GivenViews& views, int cameras) {
  return given_of<PointPair>(views.left, views.right, views.camera1, views.camera2, cameras);
}

nb::tuple refine_model(const std::string& name, nb::handle start, const GivenViews& views,
                       nb::handle inliers, double threshold, int max_steps) {
  const ModelKind kind = kind_of(name);
  const ProblemInfo problem = problem_info(kind);
  if (!problem.is_two_view)
    value_error("kind: 'absolute_pose' has refine_absolute_pose, must be a model of two views");
  const Mat3 matrix = mat3_of(start, "start");
  const auto g = given_of(views, problem.cameras);
  const auto flags = flags_of(inliers, "inliers", int(g.points.span.size()));
  Refined r;
  {
    const Unlocked unlocked;
    r = refine(kind, matrix, g.points.span, g.cameras, flags, {threshold, max_steps});
  }
  return tuple_of(r);
}

nb::tuple refine_pose(nb::handle R, nb::handle t, nb::handle x, nb::handle X, nb::handle camera,
                      nb::handle inliers, double threshold, int max_steps) {
  const Pose start{mat3_of(R, "R"), vec3_of(t, "t")};
  const auto g = given_of<ScenePoint>(x, X, camera, nb::none(), 1);
  const auto flags = flags_of(inliers, "inliers", int(g.points.span.size()));
  Refined r;
  {
    const Unlocked unlocked;
    r = refine(start, g.points.span, g.cameras[0], flags, {threshold, max_steps});
  }
  return tuple_of(r);
}

nb::tuple decompose_E(nb::handle E) {
  const EssentialPoses poses = decompose_essential(mat3_of(E, "E"));
  return nb::make_tuple(copy_of(poses.R[0], {3, 3}), copy_of(poses.R[1], {3, 3}),
                        copy_of(poses.t, {3}));
}

nb::tuple recover(nb::handle E, nb::handle left, nb::handle right, nb::handle camera1,
                  nb::handle camera2, nb::handle inliers) {
  const Mat3 matrix = mat3_of(E, "E");
  const auto g = given_of<PointPair>(left, right, camera1, camera2, 2);
  const RecoveredPose r = recover_pose(matrix, g.points.span, g.cameras[0], g.cameras[1],
                                       flags_of(inliers, "inliers", int(g.points.span.size())));
  return nb::make_tuple(copy_of(r.cam2_from_cam1.R, {3, 3}), copy_of(r.cam2_from_cam1.t, {3}),
                        flags_array(r.are_there));
}

nb::tuple choose(nb::handle left, nb::handle right, const PairEstimate& homography,
                 const PairEstimate& epipolar, nb::handle camera1, nb::handle camera2,
                 double threshold) {
  if (homography.kind != ModelKind::homography)
    value_error(fmt::format("homography: an estimate of {}", to_string(homography.kind)));
  const auto g =
      given_of<PointPair>(left, right, camera1, camera2, problem_info(epipolar.kind).cameras);
  const ModelChoice choice = choose_model(g.points.span, homography.result, epipolar.result,
                                          epipolar.kind, threshold, g.cameras);
  return nb::make_tuple(std::string(to_string(choice.kind)), std::string(choice.rule),
                        choice.reason);
}

nb::list decompose_H(nb::handle H, nb::handle camera1, nb::handle camera2, nb::handle left,
                     nb::handle right) {
  const Mat3 matrix = mat3_of(H, "H");
  const auto first = any_camera_of(camera1, "camera1").pinhole;
  const auto second = camera2.is_none() ? first : any_camera_of(camera2, "camera2").pinhole;
  Points<PointPair> points;
  if (!left.is_none()) {
    points = points_of<PointPair>(left, right);
    gather(points);
  }
  nb::list out;
  for (const PlaneMotion& m : decompose_homography(matrix, first, second, points.span))
    out.append(nb::make_tuple(copy_of(m.cam2_from_cam1.R, {3, 3}), copy_of(m.cam2_from_cam1.t, {3}),
                              copy_of(m.normal, {3})));
  return out;
}

nb::tuple tuple_of(const ModelCovariance& c) {
  const nb::object focal_variance =
      c.focal_variance > 0 ? nb::object(nb::float_(c.focal_variance)) : nb::none();
  return nb::make_tuple(c.ok, c.parameters, c.noise, copy_of(c.model, {9, 9}),
                        copy_of(c.pose, {6, 6}), focal_variance, c.correlation);
}

// Returns the covariance of a matrix, or of a relative pose if R is given.
nb::tuple covariance_of_two_views(const std::string& name, nb::handle model, nb::handle R,
                                  nb::handle t, const GivenViews& views, nb::handle inliers,
                                  double noise) {
  const ModelKind kind = kind_of(name);
  const ProblemInfo problem = problem_info(kind);
  if (!problem.is_two_view)
    value_error("kind: 'absolute_pose' has absolute_pose_covariance, must be a model of two views");
  const bool has_pose = !R.is_none();
  const Mat3 matrix = has_pose ? Mat3{} : mat3_of(model, "model");
  const Pose pose = has_pose ? Pose{mat3_of(R, "R"), vec3_of(t, "t")} : Pose{};
  const auto g = given_of(views, problem.cameras);
  const auto flags = flags_of(inliers, "inliers", int(g.points.span.size()));
  return tuple_of(has_pose
                      ? covariance(pose, g.points.span, g.cameras[0], g.cameras[1], flags, noise)
                      : covariance(kind, matrix, g.points.span, g.cameras, flags, noise));
}

nb::tuple covariance_of_pose(nb::handle R, nb::handle t, nb::handle x, nb::handle X,
                             nb::handle camera, nb::handle inliers, double noise) {
  const Pose pose{mat3_of(R, "R"), vec3_of(t, "t")};
  const auto g = given_of<ScenePoint>(x, X, camera, nb::none(), 1);
  return tuple_of(covariance(pose, g.points.span, g.cameras[0],
                             flags_of(inliers, "inliers", int(g.points.span.size())), noise));
}

nb::object homography_of_all(nb::handle left, nb::handle right) {
  auto points = points_of<PointPair>(left, right);
  gather(points);
  const auto H = homography_svd(points.span);
  return H ? copy_of(*H, {3, 3}) : nb::object(nb::none());
}

nb::object triangulate_points(nb::handle left, nb::handle right, nb::handle camera1,
                              nb::handle camera2, nb::handle R, nb::handle t) {
  const Pose pose{mat3_of(R, "R"), vec3_of(t, "t")};
  const auto g = given_of<PointPair>(left, right, camera1, camera2, 2);
  std::vector<double> out(3 * g.points.span.size());
  {
    const Unlocked unlocked;
    const auto X = triangulate(g.points.span, g.cameras[0], g.cameras[1], pose);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = X[i / 3][i % 3];
  }
  const std::size_t n = g.points.span.size();
  return array_from(std::move(out), {n, 3});
}

#define NUMBERS "numpy.typing.NDArray[numpy.float64]"
auto any(const char* name) { return nb::arg(name).none(); }

void bind_covariances(nb::module_& m) {
  m.def(
      "covariance",
      [](const std::string& kind, nb::handle model, nb::handle R, nb::handle t, nb::handle left,
         nb::handle right, nb::handle camera1, nb::handle camera2, nb::handle inliers,
         double noise) {
        const GivenViews views = {left, right, camera1, camera2};
        return covariance_of_two_views(kind, model, R, t, views, inliers, noise);
      },
      any("kind"), any("model"), any("R"), any("t"), any("left"), any("right"), any("camera1"),
      any("camera2"), any("inliers"), nb::arg("noise"),
      nb::sig("def covariance(kind: str, model: object, R: object, t: object, left: object, "
              "right: object, camera1: object, camera2: object, inliers: object, noise: float) "
              "-> tuple[bool, int, float, " NUMBERS ", " NUMBERS ", float, float]"));
  m.def("absolute_pose_covariance", &covariance_of_pose, any("R"), any("t"), any("x"), any("X"),
        any("camera"), any("inliers"), nb::arg("noise"),
        nb::sig("def absolute_pose_covariance(R: object, t: object, x: object, X: object, camera: "
                "object, inliers: object, noise: float) -> tuple[bool, int, float, " NUMBERS
                ", " NUMBERS ", float, float]"));
}

}  // namespace

void bind_two_view(nb::module_& m) {
  bind_covariances(m);
  m.def("residuals", &residuals_of, any("kind"), any("model"), any("left"), any("right"),
        any("camera1"), any("camera2"),
        nb::sig("def residuals(kind: str, model: object, left: object, right: object, camera1: "
                "object, camera2: object) -> " NUMBERS));
  m.def("pose_residuals", &pose_residuals, any("R"), any("t"), any("x"), any("X"), any("camera"),
        nb::sig("def pose_residuals(R: object, t: object, x: object, X: object, camera: object) "
                "-> " NUMBERS));
  m.def(
      "refine",
      [](const std::string& kind, nb::handle start, nb::handle left, nb::handle right,
         nb::handle camera1, nb::handle camera2, nb::handle inliers, double threshold,
         int max_steps) {
        return refine_model(kind, start, {left, right, camera1, camera2}, inliers, threshold,
                            max_steps);
      },
      any("kind"), any("start"), any("left"), any("right"), any("camera1"), any("camera2"),
      any("inliers"), any("threshold"), any("max_steps"),
      nb::sig("def refine(kind: str, start: object, left: object, right: object, camera1: "
              "object, camera2: object, inliers: object, threshold: float, max_steps: int) -> "
              "tuple[" NUMBERS ", " NUMBERS ", int, float, int]"));
  m.def("refine_pose", &refine_pose, any("R"), any("t"), any("x"), any("X"), any("camera"),
        any("inliers"), any("threshold"), any("max_steps"),
        nb::sig("def refine_pose(R: object, t: object, x: object, X: object, camera: object, "
                "inliers: object, threshold: float, max_steps: int) -> "
                "tuple[" NUMBERS ", " NUMBERS ", int, float, int]"));
  m.def("choose_model", &choose, any("left"), any("right"), nb::arg("homography"),
        nb::arg("epipolar"), any("camera1"), any("camera2"), nb::arg("threshold"),
        nb::sig("def choose_model(left: object, right: object, homography: Estimate, epipolar: "
                "Estimate, camera1: object, camera2: object, threshold: float) -> "
                "tuple[typing.Any, str, str]"));
  m.def("decompose_essential", &decompose_E, any("E"),
        nb::sig("def decompose_essential(E: object) -> "
                "tuple[" NUMBERS ", " NUMBERS ", " NUMBERS "]"));
  m.def("recover_pose", &recover, any("E"), any("left"), any("right"), any("camera1"),
        any("camera2"), any("inliers"),
        nb::sig("def recover_pose(E: object, left: object, right: object, camera1: object, "
                "camera2: object, inliers: object) -> tuple[" NUMBERS ", " NUMBERS
                ", numpy.typing.NDArray[numpy.bool_]]"));
  m.def("decompose_homography", &decompose_H, any("H"), any("camera1"), any("camera2"), any("left"),
        any("right"),
        nb::sig("def decompose_homography(H: object, camera1: object, camera2: object, left: "
                "object, right: object) -> list[tuple[" NUMBERS ", " NUMBERS ", " NUMBERS "]]"));
  m.def("triangulate", &triangulate_points, any("left"), any("right"), any("camera1"),
        any("camera2"), any("R"), any("t"),
        nb::sig("def triangulate(left: object, right: object, camera1: object, camera2: object, "
                "R: object, t: object) -> " NUMBERS));
  m.def("homography_svd", &homography_of_all, any("left"), any("right"),
        nb::sig("def homography_svd(left: object, right: object) -> " NUMBERS " | None"));
#undef NUMBERS
}

}  // namespace bifocal::python
