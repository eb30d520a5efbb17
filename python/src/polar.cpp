// SPDX-License-Identifier: BSD-3-Clause
// This binds polar rectification.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include "files.hpp"
#include "points.hpp"
#include "remap.hpp"

namespace bifocal::python {
namespace {

PolarRectification by_matrix(nb::handle F, nb::handle x1, nb::handle x2, std::pair<int, int> size1,
                             std::pair<int, int> size2, double max_scale, int overlap) {
  const Mat3 matrix = mat3_of(F, "F");
  auto points = points_of<PointPair>(x1, x2);
  const Unlocked unlocked;
  gather(points);
  return rectify_polar(matrix, points.span, size1.first, size1.second, size2.first, size2.second,
                       {.max_scale = max_scale, .overlap = overlap});
}

PolarRectification by_pose(nb::handle camera1, nb::handle camera2, nb::handle R, nb::handle t,
                           nb::handle x1, nb::handle x2, std::pair<int, int> size1,
                           std::pair<int, int> size2, double max_scale, int overlap) {
  const Pose pose{mat3_of(R, "R"), vec3_of(t, "t")};
  const Intrinsics first = camera_of(camera1, "camera1").intrinsics,
                   second = camera_of(camera2, "camera2").intrinsics;
  const PolarOptions options{.max_scale = max_scale, .overlap = overlap};
  if (x1.is_none()) {
    const Unlocked unlocked;
    return rectify_polar(first, second, pose, {}, size1.first, size1.second, size2.first,
                         size2.second, options);
  }
  auto points = points_of<PointPair>(x1, x2);
  const Unlocked unlocked;
  gather(points);
  return rectify_polar(first, second, pose, points.span, size1.first, size1.second, size2.first,
                       size2.second, options);
}

int side_of(int side) {
  if (side != 0 && side != 1) value_error(fmt::format("side = {}, must be 0 or 1", side));
  return side;
}

// Points of the rectified picture as those of the photograph, or the other way.
nb::object moved(const PolarRectification& r, int side, nb::handle points, bool to_photograph) {
  const Numbers x = numbers_of(points, "points", {-1, 2});
  (void)side_of(side);
  const std::size_t rows = x.rows();
  std::vector<double> out(2 * rows);
  {
    const Unlocked unlocked;
    std::vector<Vec2> given(rows), found(rows);
    for (std::size_t i = 0; i < rows; ++i) given[i] = {x.at(i, 0), x.at(i, 1)};
    if (!to_photograph) found = rectified_points(r, side, given);
    for (std::size_t i = 0; i < rows; ++i) {
      if (i % 64 == 0) check_cancelled();
      const Vec2 q = to_photograph ? photograph_point(r, side, given[i]) : found[i];
      out[2 * i] = q[0];
      out[2 * i + 1] = q[1];
    }
  }
  return array_from(std::move(out), {rows, 2});
}

void write(const PolarRectification& r, nb::handle file) {
  const FileName name = file_of(file, "file");
  try {
    const Unlocked unlocked;
    write_polar(name.path, r);
  } catch (const Error& e) {
    if (e.code() == ErrorCode::input) raise_refused_writing(name);
    throw;
  }
}

PolarRectification read(nb::handle file) {
  const FileName name = file_of(file, "file");
  try {
    const Unlocked unlocked;
    return read_polar(name.path);
  } catch (const Error& e) {
    if (e.code() == ErrorCode::input) raise_refused_reading({&name});
    throw;
  }
}

std::string text(const PolarRectification& r) {
  if (r.width == 0) return fmt::format("<PolarRectification, {}>", to_string(r.outcome));
  return fmt::format("<PolarRectification {} x {}{}>", r.width, r.height,
                     r.is_cyclic ? ", cyclic" : "");
}

}  // namespace

void bind_polar(nb::module_& m) {
  nb::class_<PolarRectification> c(m, "PolarRectification",
                                   "Two pictures whose rows are pairs of epipolar half lines.");
  c.def_prop_ro(
      "ok", [](const PolarRectification& r) { return r.width > 0; }, "Is there a rectified pair?");
  c.def("__bool__", [](const PolarRectification& r) { return r.width > 0; });
  c.def("__repr__", &text);
  c.def_prop_ro(
      "reason", [](const PolarRectification& r) { return std::string(to_string(r.outcome)); },
      "'ok', 'no_geometry', 'no_common_rows' or 'no_orientation'.");
  c.def_ro("width", &PolarRectification::width,
           "Of both rectified pictures, px; 0: there are none.");
  c.def_ro("height", &PolarRectification::height, "Of both rectified pictures, px.");
  c.def_ro("scale", &PolarRectification::scale,
           "Rectified px a px of the photographs, at least, everywhere.");
  c.def_ro("is_cyclic", &PolarRectification::is_cyclic,
           "Both epipoles are in their pictures: rows go all the way round.");
  c.def_ro("overlap", &PolarRectification::overlap, "Rows at each end that repeat the other end.");
  c.def("resample", &resample<PolarRectification>, nb::arg("side"), nb::arg("image").none(),
        nb::sig("def resample(self, side: int, image: object) -> "
                "numpy.typing.NDArray[numpy.uint8]"),
        "Picture 1 (0) or 2 (1), rectified, in the memory where it lies. For many frames: "
        "Remapper.");
  c.def("sampling_map", &sampling_positions<PolarRectification>, nb::arg("side"),
        nb::sig("def sampling_map(self, side: int) -> "
                "tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]"),
        "x, y [height, width]: where a pixel of a rectified picture comes from, px, in steps of "
        "1/256; NaN outside.");
  c.def(
      "photograph_points",
      [](const PolarRectification& r, int side, nb::handle points) {
        return moved(r, side, points, true);
      },
      nb::arg("side"), nb::arg("points").none(),
      nb::sig("def photograph_points(self, side: int, points: object) -> "
              "numpy.typing.NDArray[numpy.float64]"),
      "[N, 2] px of the rectified picture as px of the photograph; NaN where there is none.");
  c.def(
      "rectified_points",
      [](const PolarRectification& r, int side, nb::handle points) {
        return moved(r, side, points, false);
      },
      nb::arg("side"), nb::arg("points").none(),
      nb::sig("def rectified_points(self, side: int, points: object) -> "
              "numpy.typing.NDArray[numpy.float64]"),
      "[N, 2] px of the photograph as px of the rectified picture; NaN where no row passes.");
  c.def("write", &write, nb::arg("file").none(),
        "Writes the map as an .npz file (docs/formats.md), whole or not at all.");
  m.def("rectify_polar", &by_matrix, nb::arg("F").none(), nb::arg("x1").none(),
        nb::arg("x2").none(), nb::arg("size1"), nb::arg("size2"), nb::arg("max_scale"),
        nb::arg("overlap"));
  m.def("rectify_polar_pose", &by_pose, nb::arg("camera1").none(), nb::arg("camera2").none(),
        nb::arg("R").none(), nb::arg("t").none(), nb::arg("x1").none(), nb::arg("x2").none(),
        nb::arg("size1"), nb::arg("size2"), nb::arg("max_scale"), nb::arg("overlap"));
  m.def("read_polar", &read, nb::arg("file").none());
}

}  // namespace bifocal::python
