// SPDX-License-Identifier: BSD-3-Clause
// Binds rectification and the undistortion of points.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>

#include "files.hpp"
#include "points.hpp"
#include "rectify_pickle.hpp"
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

// Calls `rectify` with the matches x1, x2, or without any if they are optional and x1 is None.
template <class Rectify>
Rectification with_matches(nb::handle x1, nb::handle x2, bool is_optional, const Rectify& make) {
  if (is_optional && x1.is_none()) {
    const Unlocked unlocked;
    return make(std::span<const PointPair>());
  }
  auto points = points_of<PointPair>(x1, x2);
  const Unlocked unlocked;
  gather(points);
  return make(points.span);
}

using Size = std::pair<int, int>;  // width, height

Rectification uncalibrated(nb::handle F, nb::handle x1, nb::handle x2, Size size1, Size size2,
                           double max_scale) {
  const Mat3 matrix = mat3_of(F, "F");
  return with_matches(x1, x2, true, [&](std::span<const PointPair> matches) {
    return rectify_uncalibrated(matrix, matches, size1.first, size1.second, size2.first,
                                size2.second, {.max_scale = max_scale});
  });
}

Rectification polar(nb::handle F, nb::handle x1, nb::handle x2, Size size1, Size size2,
                    const PolarOptions& options) {
  const Mat3 matrix = mat3_of(F, "F");
  return with_matches(x1, x2, false, [&](std::span<const PointPair> matches) {
    return rectify_polar(matrix, matches, size1.first, size1.second, size2.first, size2.second,
                         options);
  });
}

int side_of(int side) {
  if (side != 0 && side != 1) value_error(fmt::format("side = {}, must be 0 or 1", side));
  return side;
}

using Convert = std::vector<Vec2> (*)(const Rectification&, int, std::span<const Vec2>);

// Converts points between the rectified image and the photograph.
template <Convert convert>
nb::object converted(const Rectification& r, int side, nb::handle points) {
  const Numbers x = numbers_of(points, "points", {-1, 2});
  (void)side_of(side);
  const std::size_t rows = x.rows();
  std::vector<double> out;
  {
    const Unlocked unlocked;
    std::vector<Vec2> given(rows);
    for (std::size_t i = 0; i < rows; ++i) given[i] = {x.at(i, 0), x.at(i, 1)};
    for (const Vec2& q : convert(r, side, given)) out.insert(out.end(), q.begin(), q.end());
  }
  return array_from(std::move(out), {rows, 2});
}

void write(const Rectification& r, nb::handle file) {
  const FileName name = file_of(file, "file");
  try {
    const Unlocked unlocked;
    write_rectification(name.path, r);
  } catch (const Error& e) {
    if (e.code() == ErrorCode::input) raise_refused_writing(name);
    throw;
  }
}

Rectification read(nb::handle file) {
  const FileName name = file_of(file, "file");
  try {
    const Unlocked unlocked;
    return read_rectification(name.path);
  } catch (const Error& e) {
    if (e.code() == ErrorCode::input) raise_refused_reading({&name});
    throw;
  }
}

std::string text(const Rectification& r) {
  if (!r.ok()) return fmt::format("<Rectification, {}>", to_string(r.outcome));
  return fmt::format("<Rectification {} x {}, {}{}>", r.width, r.height, to_string(r.kind),
                     r.is_cyclic ? ", cyclic" : "");
}

nb::object resample(const Rectification& r, int side, nb::handle image) {
  const auto map = [&] {
    const Unlocked unlocked;
    return sampling_map(r, side);
  };
  return resampled(map(), "image", image);
}

nb::object sampling_positions(const Rectification& r, int side) {
  const auto map = [&] {
    const Unlocked unlocked;
    return sampling_map(r, side);
  };
  return positions_of(map());
}

// Converts px of a camera to px of its pinhole; `back`: the inverse.
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

using Class = nb::class_<Rectification>;

void bind_summary(Class& c) {
  c.def_prop_ro(
      "ok", [](const Rectification& r) { return r.ok(); }, "True if the pair is rectified.");
  c.def("__bool__", [](const Rectification& r) { return r.ok(); });
  c.def("__repr__", &text);
  c.def_prop_ro(
      "reason", [](const Rectification& r) { return std::string(to_string(r.outcome)); },
      "'ok', 'epipole_near_image', 'too_wide', 'no_common_rows', 'no_geometry' or "
      "'no_orientation'.");
  c.def_prop_ro(
      "kind", [](const Rectification& r) { return std::string(to_string(r.kind)); },
      "'planar' or 'polar'.");
  c.def_ro("doubt", &Rectification::doubt,
           "Reason to doubt that the cameras belong to images of these sizes; '' without a doubt.");
  c.def_ro("width", &Rectification::width,
           "Width of both rectified images in px; 0 if the pair is not rectified.");
  c.def_ro("height", &Rectification::height,
           "Height of both rectified images in px; 0 if the pair is not rectified.");
  c.def_ro("is_swapped", &Rectification::is_swapped, "True if image 2 is the left one.");
  c.def_ro("is_reversed", &Rectification::is_reversed,
           "True if the left image has the right camera: disparities decrease as points come "
           "nearer.");
  c.def_ro("scale", &Rectification::scale,
           "Polar: smallest number of rectified px per photograph px.");
  c.def_ro("is_cyclic", &Rectification::is_cyclic,
           "Polar: True if both epipoles are in their images; the rows cover the full circle.");
  c.def_ro("overlap", &Rectification::overlap,
           "Polar: number of rows at each end that repeat the other end.");
}

#define DOUBLES(name) "def " name "(self) -> numpy.typing.NDArray[numpy.float64]"
void bind_planar(Class& c) {
  const auto matrix = [&](const char* name, Mat3 RectifiedSide::*member, std::size_t side,
                          const char* sig, const char* doc) {
    c.def_prop_ro(
        name,
        [member, side](nb::handle self) -> nb::object {
          const Mat3& m = of(self).sides[side].*member;
          if (std::ranges::all_of(m, [](double v) { return v == 0; })) return nb::none();
          return view(self, m.data(), {3, 3});
        },
        nb::sig(sig), doc);
  };
  using Side = RectifiedSide;
  matrix("H1", &Side::H, 0, DOUBLES("H1") " | None",
         "Homography with rectified px ~ H1 left px, shape (3, 3); None if polar.");
  matrix("H2", &Side::H, 1, DOUBLES("H2") " | None",
         "Homography with rectified px ~ H2 right px, shape (3, 3); None if polar.");
  matrix("R1", &Side::R, 0, DOUBLES("R1") " | None",
         "Rotation of the rectified left camera from the left camera, shape (3, 3); None if "
         "uncalibrated or polar.");
  matrix("R2", &Side::R, 1, DOUBLES("R2") " | None",
         "Rotation of the rectified right camera from the right camera, shape (3, 3); None if "
         "uncalibrated or polar.");
  c.def_prop_ro(
      "camera1", [](const Rectification& r) { return numbers(r.sides[0].camera); },
      nb::sig(DOUBLES("camera1") " | None"),
      "fx, fy, cx, cy of the rectified left image; None if uncalibrated or polar.");
  c.def_prop_ro(
      "camera2", [](const Rectification& r) { return numbers(r.sides[1].camera); },
      nb::sig(DOUBLES("camera2") " | None"),
      "fx, fy, cx, cy of the rectified right image; None if uncalibrated or polar.");
  c.def(
      "Q",
      [](const Rectification& r, double b) {
        return copy_of(reprojection_matrix(r, b), {4, 4});
      },
      nb::arg("baseline") = 1.0,
      nb::sig("def Q(self, baseline: float = 1.0) -> numpy.typing.NDArray[numpy.float64]"),
      R"(Returns the matrix from pixels and disparities to scene points, (X, Y, Z, W) = Q (x, y, d, 1).

Args:
    baseline: Distance of the cameras, in the unit of the scene points.

Returns:
    Matrix of shape (4, 4).)");
}
#undef DOUBLES

void bind_conversions(Class& c) {
  c.def("resample", &resample, nb::arg("side"), nb::arg("image").none(),
        nb::sig("def resample(self, side: int, image: object) -> "
                "numpy.typing.NDArray[numpy.uint8]"),
        R"(Rectifies an image of the pair. For many images use Remapper.

Args:
    side: 0 for the left image, 1 for the right image.
    image: uint8 or uint16, shape (H, W) or (H, W, C); torch and CuPy also on a CUDA device.

Returns:
    Rectified image of the same type and library; pixels from outside the image are 0.)");
  c.def("sampling_map", &sampling_positions, nb::arg("side"),
        nb::sig("def sampling_map(self, side: int) -> "
                "tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]"),
        R"(Computes the position in the photograph of each pixel of a rectified image.

Args:
    side: 0 for the left image, 1 for the right image.

Returns:
    x and y in px in steps of 1/256, shape (height, width); NaN outside.)");
  c.def("photograph_points", &converted<photograph_points>, nb::arg("side"),
        nb::arg("points").none(),
        nb::sig("def photograph_points(self, side: int, points: object) -> "
                "numpy.typing.NDArray[numpy.float64]"),
        R"(Converts points of the rectified image to points of the photograph.

Args:
    side: 0 for the left image, 1 for the right image.
    points: Points in px of the rectified image, shape (N, 2).

Returns:
    Points in px of the photograph, shape (N, 2); NaN outside.)");
  c.def("rectified_points", &converted<rectified_points>, nb::arg("side"), nb::arg("points").none(),
        nb::sig("def rectified_points(self, side: int, points: object) -> "
                "numpy.typing.NDArray[numpy.float64]"),
        R"(Converts points of the photograph to points of the rectified image.

Args:
    side: 0 for the left image, 1 for the right image.
    points: Points in px of the photograph, shape (N, 2).

Returns:
    Points in px of the rectified image, shape (N, 2); NaN outside.)");
  c.def("write", &write, nb::arg("file").none(),
        R"(Writes the rectification as an .npz file (docs/formats.md), whole or not at all.

Args:
    file: Name of the file.

Raises:
    OSError: If the file cannot be written.)");
}

void bind_pickle(Class& c) {
  c.def(
      "__getstate__", [](const Rectification& r) { return state_of(r); },
      nb::sig("def __getstate__(self) -> tuple[bytes, str, object, object]"));
  c.def(
      "__setstate__", [](Rectification& r, const nb::tuple& state) { restore(r, state); },
      nb::sig("def __setstate__(self, state: tuple[bytes, str, object, object], /) -> None"));
}

void bind_doubt(nb::module_& m) {
  m.def(
      "intrinsics_doubt",
      [](nb::handle camera, double width, double height) {
        const AnyCamera c = any_camera_of(camera, "camera");
        return intrinsics_doubt(c.lens ? c.lens->intrinsics() : c.pinhole, width, height);
      },
      nb::arg("camera").none(), nb::arg("width"), nb::arg("height"));
}

}  // namespace

void bind_rectify(nb::module_& m) {
  Class c(m, "Rectification",
          "Two images resampled so that a scene point lies on the same row of both.");
  bind_pickle(c);
  bind_doubt(m);
  bind_summary(c);
  bind_planar(c);
  bind_conversions(c);
  m.def("rectify", &calibrated, nb::arg("camera1").none(), nb::arg("camera2").none(),
        nb::arg("R").none(), nb::arg("t").none(), nb::arg("max_scale"), nb::arg("max_angle_deg"));
  m.def("rectify_uncalibrated", &uncalibrated, nb::arg("F").none(), nb::arg("x1").none(),
        nb::arg("x2").none(), nb::arg("size1"), nb::arg("size2"), nb::arg("max_scale"));
  m.def(
      "rectify_polar",
      [](nb::handle F, nb::handle x1, nb::handle x2, Size size1, Size size2, double max_scale,
         int overlap) {
        return polar(F, x1, x2, size1, size2, {.max_scale = max_scale, .overlap = overlap});
      },
      nb::arg("F").none(), nb::arg("x1").none(), nb::arg("x2").none(), nb::arg("size1"),
      nb::arg("size2"), nb::arg("max_scale"), nb::arg("overlap"));
  m.def(
      "rectify_polar_pose",
      [](nb::handle camera1, nb::handle camera2, nb::handle R, nb::handle t, nb::handle x1,
         nb::handle x2, Size size1, Size size2, double max_scale, int overlap) {
        const Pose pose{mat3_of(R, "R"), vec3_of(t, "t")};
        Camera first = camera_of(camera1, "camera1"), second = camera_of(camera2, "camera2");
        std::tie(first.width, first.height) = size1;
        std::tie(second.width, second.height) = size2;
        return with_matches(x1, x2, true, [&](std::span<const PointPair> matches) {
          return rectify_polar(first, second, pose, matches,
                               {.max_scale = max_scale, .overlap = overlap});
        });
      },
      nb::arg("camera1").none(), nb::arg("camera2").none(), nb::arg("R").none(),
      nb::arg("t").none(), nb::arg("x1").none(), nb::arg("x2").none(), nb::arg("size1"),
      nb::arg("size2"), nb::arg("max_scale"), nb::arg("overlap"));
  m.def("read_rectification", &read, nb::arg("file").none());
  m.def("move_points", &move_points, nb::arg("points").none(), nb::arg("camera").none(),
        nb::arg("back"),
        nb::sig("def move_points(points: object, camera: object, back: bool) -> "
                "numpy.typing.NDArray[numpy.float64]"),
        "Converts px of a camera to px of its pinhole, or back (bifocal.undistort_points).");
  m.def(
      "pinhole_of",
      [](nb::handle camera, const std::string& name) {
        const Intrinsics k = any_camera_of(camera, name.c_str()).pinhole;
        return nb::make_tuple(k.fx, k.fy, k.cx, k.cy);
      },
      nb::arg("camera").none(), nb::arg("name") = "camera",
      nb::sig("def pinhole_of(camera: object, name: str = 'camera') -> tuple[float, float, float, "
              "float]"),
      "Returns fx, fy, cx, cy of the pinhole for undistorted points (bifocal.pinhole_of).");
}

}  // namespace bifocal::python
