// SPDX-License-Identifier: BSD-3-Clause
// This binds lenses, rectification and resampling.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include "points.hpp"
#include "remap.hpp"

namespace bifocal::python {
namespace {

const Rectification& of(nb::handle self) { return nb::cast<const Rectification&>(self); }

nb::object numbers(const Intrinsics& k) {
  if (!k.valid()) return nb::none();
  return copy_of(std::array{k.fx, k.fy, k.cx, k.cy}, {4});
}

void need_size(const LensCamera& camera, const char* name, const char* type) {
  if (camera.width() <= 0 || camera.height() <= 0)
    value_error(
        fmt::format("{}: width {} and height {}, must be the picture's size "
                    "(bifocal.{}(..., width=, height=))",
                    name, camera.width(), camera.height(), type));
}

LensCamera sized_camera_of(nb::handle object, const char* name) {
  if (std::optional<LensCamera> lens = lens_camera_if(object, name)) {
    need_size(*lens, name, "LensCamera");
    return *lens;
  }
  const LensCamera camera(camera_of(object, name));
  need_size(camera, name, "Camera");
  return camera;
}

Rectification calibrated(nb::handle camera1, nb::handle camera2, nb::handle R, nb::handle t,
                         double max_scale, double max_angle_deg) {
  const Pose pose{mat3_of(R, "R"), vec3_of(t, "t")};
  const RectifyOptions options{.max_scale = max_scale, .max_angle_deg = max_angle_deg};
  const LensCamera first = sized_camera_of(camera1, "camera1"),
                   second = sized_camera_of(camera2, "camera2");
  if (lens_camera_if(camera1, "camera1") || lens_camera_if(camera2, "camera2")) {
    const Unlocked unlocked;
    return rectify(first, second, pose, options);
  }
  const Camera one = camera_of(camera1, "camera1"), two = camera_of(camera2, "camera2");
  const Unlocked unlocked;
  return rectify(one, two, pose, options);
}

Rectification uncalibrated(nb::handle F, nb::handle x1, nb::handle x2, std::pair<int, int> size1,
                           std::pair<int, int> size2, double max_scale) {
  const Mat3 matrix = mat3_of(F, "F");
  if (x1.is_none())
    return rectify_uncalibrated(matrix, size1.first, size1.second, size2.first, size2.second,
                                {.max_scale = max_scale});
  auto points = points_of<PointPair>(x1, x2);
  const Unlocked unlocked;
  gather(points);
  return rectify_uncalibrated(matrix, points.span, size1.first, size1.second, size2.first,
                              size2.second, {.max_scale = max_scale});
}

// `back`: from where the pinhole sees them to where the camera does.
nb::object move_points(nb::handle points, nb::handle camera, bool back) {
  const Numbers x = numbers_of(points, "points", {-1, 2});
  const AnyCamera c = any_camera_of(camera, "camera");
  const Intrinsics& k = c.pinhole;
  if (!k.valid()) value_error(fmt::format("camera: fx = {}, fy = {}, must be > 0", k.fx, k.fy));
  std::vector<double> out(2 * x.rows());
  {
    const Unlocked unlocked;
    for (std::size_t i = 0; i < x.rows(); ++i) {
      if (i % 64 == 0) check_cancelled();
      const Vec2 given = {x.at(i, 0), x.at(i, 1)};
      const Vec2 q = !c.lens ? given : back ? c.lens->distort(given) : c.lens->undistort(given);
      out[2 * i] = q[0];
      out[2 * i + 1] = q[1];
    }
  }
  const std::size_t rows = x.rows();
  return array_from(std::move(out), {rows, 2});
}

#define DOUBLES(name) "def " name "(self) -> numpy.typing.NDArray[numpy.float64]"
void bind_rectification(nb::class_<Rectification>& c) {
  c.def_prop_ro(
      "ok", [](const Rectification& r) { return r.width > 0; }, "Is there a rectified pair?");
  c.def("__bool__", [](const Rectification& r) { return r.width > 0; });
  c.def_prop_ro(
      "reason", [](const Rectification& r) { return std::string(to_string(r.outcome)); },
      "'ok', 'epipole_near_image', 'too_wide', 'no_common_rows' or 'no_geometry'.");
  c.def_ro("width", &Rectification::width, "Of both rectified pictures, px; 0: there are none.");
  c.def_ro("height", &Rectification::height, "Of both rectified pictures, px.");
  c.def_ro("swapped", &Rectification::swapped, "Picture 2 is the left one.");
  const auto matrix = [&](const char* name, Mat3 Rectification::*member, const char* sig,
                          const char* doc) {
    c.def_prop_ro(
        name,
        [member](nb::handle s) {
          return view(s, (of(s).*member).data(), {3, 3});
        },
        nb::sig(sig), doc);
  };
  matrix("H1", &Rectification::H1, DOUBLES("H1"), "[3, 3]: rectified px ~ H1 left px.");
  matrix("H2", &Rectification::H2, DOUBLES("H2"), "[3, 3]: rectified px ~ H2 right px.");
  matrix("R1", &Rectification::R1, DOUBLES("R1"), "[3, 3]: rectified left camera from left one.");
  matrix("R2", &Rectification::R2, DOUBLES("R2"), "[3, 3]: rectified right camera from right one.");
  c.def_prop_ro(
      "camera1", [](const Rectification& r) { return numbers(r.camera1); },
      nb::sig(DOUBLES("camera1") " | None"),
      "fx, fy, cx, cy of the rectified left picture; None if uncalibrated.");
  c.def_prop_ro(
      "camera2", [](const Rectification& r) { return numbers(r.camera2); },
      nb::sig(DOUBLES("camera2") " | None"), "Of the right one.");
  c.def(
      "Q",
      [](const Rectification& r, double b) {
        return copy_of(reprojection_matrix(r, b), {4, 4});
      },
      nb::arg("baseline") = 1.0,
      nb::sig("def Q(self, baseline: float = 1.0) -> numpy.typing.NDArray[numpy.float64]"),
      "[4, 4]: (X, Y, Z, W) = Q (x, y, d, 1).");
  c.def("resample", &resample<Rectification>, nb::arg("side"), nb::arg("image").none(),
        nb::sig("def resample(self, side: int, image: object) -> "
                "numpy.typing.NDArray[numpy.uint8]"),
        "The left (0) or right (1) picture, rectified, in the memory where it lies: of torch and "
        "CuPy also on a CUDA device. For many frames: Remapper.");
  c.def("sampling_map", &sampling_positions<Rectification>, nb::arg("side"),
        nb::sig("def sampling_map(self, side: int) -> "
                "tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]"),
        "x, y [height, width]: where a pixel of the left (0) or right (1) rectified picture comes "
        "from, px, in steps of 1/256; NaN outside.");
}
#undef DOUBLES

}  // namespace

void bind_rectify(nb::module_& m) {
  nb::class_<Rectification> c(m, "Rectification", "Two pictures brought to equal rows.");
  bind_rectification(c);
  m.def("rectify", &calibrated, nb::arg("camera1").none(), nb::arg("camera2").none(),
        nb::arg("R").none(), nb::arg("t").none(), nb::arg("max_scale"), nb::arg("max_angle_deg"));
  m.def("rectify_uncalibrated", &uncalibrated, nb::arg("F").none(), nb::arg("x1").none(),
        nb::arg("x2").none(), nb::arg("size1"), nb::arg("size2"), nb::arg("max_scale"));
  m.def("move_points", &move_points, nb::arg("points").none(), nb::arg("camera").none(),
        nb::arg("back"),
        nb::sig("def move_points(points: object, camera: object, back: bool) -> "
                "numpy.typing.NDArray[numpy.float64]"),
        "Pixels of a camera as those of its pinhole, or the other way.");
  m.def(
      "pinhole_of",
      [](nb::handle camera) {
        const Intrinsics k = any_camera_of(camera, "camera").pinhole;
        return nb::make_tuple(k.fx, k.fy, k.cx, k.cy);
      },
      nb::arg("camera").none(),
      nb::sig("def pinhole_of(camera: object) -> tuple[float, float, float, float]"),
      "fx, fy, cx, cy of undistorted points.");
}

}  // namespace bifocal::python
