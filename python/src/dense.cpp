// SPDX-License-Identifier: BSD-3-Clause
// Binds the computation of depth and point clouds from disparities, and their files.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <bifocal/draw.hpp>
#include <tuple>

#include "files.hpp"
#include "points.hpp"
#include "results.hpp"

namespace bifocal::python {
namespace {

ImageF image_of(const FloatRows& rows) {
  ImageF image;
  image.width = static_cast<int>(rows.shape(1)), image.height = static_cast<int>(rows.shape(0));
  image.pixels.assign(rows.data(), rows.data() + rows.size());
  return image;
}

ImageView<const float> view_of(const FloatRows& rows) {
  return {rows.data(), static_cast<int>(rows.shape(1)), static_cast<int>(rows.shape(0))};
}

ImageView<const std::uint8_t> bytes_of(const Picture& p, const char* name) {
  if (p.bits != 8) type_error(fmt::format("{}: dtype uint16, must be uint8", name));
  return p.view<std::uint8_t>();
}

nb::object dense(const Rectification& rectification, const FloatRows& disparity) {
  DenseMatches m;
  {
    const Unlocked unlocked;
    m = dense_matches(rectification, view_of(disparity));
  }
  return nb::make_tuple(image_array(std::move(m.x)), image_array(std::move(m.y)),
                        image_array(std::move(m.dx)), image_array(std::move(m.dy)));
}

nb::object depth(const std::tuple<FloatRows, FloatRows, FloatRows, FloatRows>& given,
                 bool is_swapped, const std::tuple<nb::handle, nb::handle>& cameras, nb::handle R,
                 nb::handle t, double disparity_deviation, nb::handle pose_covariance,
                 double max_deviation) {
  const auto& [x, y, dx, dy] = given;
  const DenseMatches matches{image_of(x), image_of(y), image_of(dx), image_of(dy), is_swapped};
  const Intrinsics first = pinhole_of(std::get<0>(cameras), "camera1"),
                   second = pinhole_of(std::get<1>(cameras), "camera2");
  const Pose pose{mat3_of(R, "R"), vec3_of(t, "t")};
  std::vector<double> covariance;
  if (!pose_covariance.is_none()) {
    const Numbers c = numbers_of(pose_covariance, "pose_covariance", {6, 6});
    for (std::size_t i = 0; i < 36; ++i) covariance.push_back(c.at(i / 6, i % 6));
  }
  DepthMap map;
  {
    const Unlocked unlocked;
    map = depth_map(matches, first, second, pose,
                    {.disparity_deviation = disparity_deviation,
                     .pose_covariance = covariance,
                     .max_deviation = max_deviation});
  }
  return nb::make_tuple(image_array(std::move(map.depth)), image_array(std::move(map.deviation)));
}

nb::object cloud_of_depth(const FloatRows& map, nb::handle colour, nb::handle camera, int step) {
  if (step < 1) value_error(fmt::format("step = {}, must be at least 1", step));
  const Picture picture = picture_of(colour, "colour");
  const Intrinsics k = pinhole_of(camera, "camera");
  return cloud_arrays(depth_to_cloud(view_of(map), bytes_of(picture, "colour"), k, step));
}

// Coordinates keep their type in the file.
template <class Point, class Number>
void save_ply(
    nb::handle given,
    const nb::ndarray<const Number, nb::ndim<2>, nb::c_contig, nb::device::cpu>& xyz,
    const nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>& rgb) {
  const FileName file = file_of(given, "file");
  if (xyz.shape(1) != 3 || rgb.shape(1) != 3 || xyz.shape(0) != rgb.shape(0))
    value_error(fmt::format("xyz, rgb: shapes ({}, {}) and ({}, {}), must be (N, 3) both",
                            xyz.shape(0), xyz.shape(1), rgb.shape(0), rgb.shape(1)));
  std::vector<Point> points(xyz.shape(0));
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Number* p = xyz.data() + 3 * i;
    const std::uint8_t* c = rgb.data() + 3 * i;
    points[i] = {p[0], p[1], p[2], c[0], c[1], c[2]};
  }
  written(file, [&] { write_ply(file.path, std::span<const Point>(points)); });
}

nb::object score(const FloatRows& raw, const FloatRows& filled, const FloatRows& truth,
                 nb::handle mask) {
  DisparityMap map;
  map.raw = image_of(raw), map.filled = image_of(filled);
  std::int64_t known = 0;
  for (const float d : map.raw.pixels) known += d == d;
  map.density = 100.0 * static_cast<double>(known) / std::max<double>(1, double(raw.size()));
  std::optional<Picture> only;
  ImageU16 wide;
  if (!mask.is_none()) {
    only = picture_of(mask, "mask");
    const auto bytes = bytes_of(*only, "mask");
    wide = ImageU16(bytes.width, bytes.height, 1);
    for (int y = 0; y < bytes.height; ++y)
      for (int x = 0; x < bytes.width; ++x) wide.at(x, y) = bytes.at(x, y);
  }
  const StereoScore s = score_disparity(map, view_of(truth), wide);
  nb::dict d;
  d["density"] = s.density;
  d["bad1"] = s.bad1, d["bad2"] = s.bad2, d["avgerr"] = s.avgerr;
  d["bad1_filled"] = s.bad1_filled, d["bad2_filled"] = s.bad2_filled;
  d["avgerr_filled"] = s.avgerr_filled;
  d["scored"] = s.scored;
  return d;
}

nb::object epipolar_lines(nb::handle image1, nb::handle image2, nb::handle x1, nb::handle x2,
                          nb::handle F, int count) {
  const Picture p1 = picture_of(image1, "image1"), p2 = picture_of(image2, "image2");
  auto points = points_of<PointPair>(x1, x2);
  gather(points);
  return image_array(draw_epipolar_lines(bytes_of(p1, "image1"), bytes_of(p2, "image2"),
                                         points.span, {}, mat3_of(F, "F"), count));
}

template <class Read>
auto read_by(nb::handle given, const Read& read) {
  const FileName file = file_of(given, "file");
  try {
    return read(file.path);
  } catch (const Error& e) {
    if (e.code() == ErrorCode::input) raise_refused_reading({&file});
    throw;
  }
}

nb::object numbers_of_camera(const Intrinsics& k) {
  if (!k.valid()) return nb::none();
  return nb::make_tuple(k.fx, k.fy, k.cx, k.cy);
}

nb::object calibration(nb::handle file) {
  const Calibration c = read_by(file, [](const auto& path) { return read_calibration(path); });
  return nb::make_tuple(numbers_of_camera(c.camera1.intrinsics),
                        numbers_of_camera(c.camera2.intrinsics),
                        c.baseline ? nb::cast(*c.baseline) : nb::none(), c.doffs, c.max_disparity,
                        c.camera1.width, c.camera1.height);
}

nb::object correspondences(nb::handle file) {
  Correspondences c = read_by(file, [](const auto& path) { return read_correspondences(path); });
  const std::size_t n = c.points.size();
  std::vector<double> x1, x2;
  for (const PointPair& p : c.points) {
    x1.insert(x1.end(), {p.x1, p.y1});
    x2.insert(x2.end(), {p.x2, p.y2});
  }
  const auto or_none = [n](std::vector<double> values) -> nb::object {
    if (values.empty()) return nb::none();
    return array_from(std::move(values), {n});
  };
  return nb::make_tuple(array_from(std::move(x1), {n, 2}), array_from(std::move(x2), {n, 2}),
                        or_none(std::move(c.weights)), or_none(std::move(c.qualities)));
}

nb::object range(const Rectification& r, nb::handle x1, nb::handle x2) {
  auto points = points_of<PointPair>(x1, x2);
  gather(points);
  const DisparityRange found = disparity_range(r, points.span);
  return nb::make_tuple(found.min, found.count);
}

nb::object vertical(const Rectification& r, nb::handle x1, nb::handle x2) {
  auto points = points_of<PointPair>(x1, x2);
  gather(points);
  const VerticalDisparity v = vertical_disparity(r, points.span);
  return nb::make_tuple(v.median, v.percentile95, v.counted);
}

}  // namespace

Intrinsics pinhole_of(nb::handle camera, const char* name) {
  const AnyCamera any = any_camera_of(camera, name);
  if (any.lens) value_error(fmt::format("{}: has a lens; undistort the photographs first", name));
  return any.pinhole;
}

nb::object cloud_arrays(const std::vector<CloudPoint>& cloud) {
  std::vector<float> xyz;
  std::vector<std::uint8_t> rgb;
  xyz.reserve(3 * cloud.size()), rgb.reserve(3 * cloud.size());
  for (const CloudPoint& p : cloud) {
    xyz.insert(xyz.end(), {p.x, p.y, p.z});
    rgb.insert(rgb.end(), {p.r, p.g, p.b});
  }
  return nb::make_tuple(array_from(std::move(xyz), {cloud.size(), 3}),
                        array_from(std::move(rgb), {cloud.size(), 3}));
}

namespace {

#define ANY "typing.Any"
void bind_depth(nb::module_& m) {
  m.def("dense_matches", &dense, nb::arg("rectification"), nb::arg("disparity"),
        nb::sig("def dense_matches(rectification: Rectification, disparity: object) -> " ANY));
  m.def("depth_map", &depth, nb::arg("matches"), nb::arg("is_swapped"), nb::arg("cameras"),
        nb::arg("R").none(), nb::arg("t").none(), nb::arg("disparity_deviation"),
        nb::arg("pose_covariance").none(), nb::arg("max_deviation"),
        nb::sig("def depth_map(matches: object, is_swapped: bool, cameras: object, R: object, "
                "t: object, disparity_deviation: float, pose_covariance: object, "
                "max_deviation: float) -> " ANY));
  m.def(
      "depth_to_cloud", &cloud_of_depth, nb::arg("depth"), nb::arg("colour").none(),
      nb::arg("camera").none(), nb::arg("step"),
      nb::sig(
          "def depth_to_cloud(depth: object, colour: object, camera: object, step: int) -> " ANY));
  m.def(
      "score_disparity", &score, nb::arg("raw"), nb::arg("filled"), nb::arg("truth"),
      nb::arg("mask").none(),
      nb::sig(
          "def score_disparity(raw: object, filled: object, truth: object, mask: object) -> " ANY));
  m.def("disparity_range", &range, nb::arg("rectification"), nb::arg("x1").none(),
        nb::arg("x2").none(),
        nb::sig("def disparity_range(rectification: Rectification, x1: object, x2: object) -> "
                "tuple[int, int]"));
  m.def("vertical_disparity", &vertical, nb::arg("rectification"), nb::arg("x1").none(),
        nb::arg("x2").none(),
        nb::sig("def vertical_disparity(rectification: Rectification, x1: object, x2: object) -> "
                "tuple[float, float, int]"));
  m.def(
      "choose_rectification",
      [](const Rectification& planar, const Rectification& polar) {
        const RectificationChoice c = choose_rectification(planar, polar);
        return std::tuple(c.is_polar, c.planar_stretch, c.polar_stretch, c.reason);
      },
      nb::arg("planar"), nb::arg("polar"),
      nb::sig("def choose_rectification(planar: Rectification, polar: Rectification) -> "
              "tuple[bool, float, float, str]"));
}

void bind_files(nb::module_& m) {
  m.def(
      "write_ply", &save_ply<CloudPoint, float>, nb::arg("file").none(), nb::arg("xyz").noconvert(),
      nb::arg("rgb"),
      nb::sig("def write_ply(file: object, xyz: numpy.typing.NDArray[numpy.float32], rgb: object) "
              "-> None"));
  m.def("write_ply", &save_ply<WorldPoint, double>, nb::arg("file").none(), nb::arg("xyz"),
        nb::arg("rgb"), nb::sig("def write_ply(file: object, xyz: object, rgb: object) -> None"));
  m.def(
      "read_pfm",
      [](nb::handle file) {
        return image_array(read_by(file, [](const auto& path) { return read_pfm(path); }));
      },
      nb::arg("file").none(),
      nb::sig("def read_pfm(file: object) -> numpy.typing.NDArray[numpy.float32]"));
  m.def(
      "write_pfm",
      [](nb::handle given, const FloatRows& image) {
        const FileName file = file_of(given, "file");
        written(file, [&] { write_pfm(file.path, view_of(image)); });
      },
      nb::arg("file").none(), nb::arg("image"),
      nb::sig("def write_pfm(file: object, image: object) -> None"));
  m.def(
      "read_disparity",
      [](nb::handle file, double scale) {
        return image_array(
            read_by(file, [scale](const auto& path) { return read_disparity(path, scale); }));
      },
      nb::arg("file").none(), nb::arg("scale"),
      nb::sig(
          "def read_disparity(file: object, scale: float) -> numpy.typing.NDArray[numpy.float32]"));
  m.def(
      "intrinsics_from_exif",
      [](nb::handle file) -> nb::object {
        const auto k = read_by(file, [](const auto& path) { return intrinsics_from_exif(path); });
        return k ? numbers_of_camera(*k) : nb::none();
      },
      nb::arg("file").none(), nb::sig("def intrinsics_from_exif(file: object) -> " ANY));
  m.def("read_calibration", &calibration, nb::arg("file").none(),
        nb::sig("def read_calibration(file: object) -> " ANY));
  m.def("read_correspondences", &correspondences, nb::arg("file").none(),
        nb::sig("def read_correspondences(file: object) -> " ANY));
}

void bind_drawing(nb::module_& m) {
  m.def(
      "turbo_picture",
      [](const FloatRows& values, float lo, float hi) {
        return image_array(turbo_picture(view_of(values), lo, hi));
      },
      nb::arg("values"), nb::arg("lo"), nb::arg("hi"),
      nb::sig("def turbo_picture(values: object, lo: float, hi: float) -> "
              "numpy.typing.NDArray[numpy.uint8]"));
  m.def("draw_epipolar_lines", &epipolar_lines, nb::arg("image1").none(), nb::arg("image2").none(),
        nb::arg("x1").none(), nb::arg("x2").none(), nb::arg("F").none(), nb::arg("count"),
        nb::sig("def draw_epipolar_lines(image1: object, image2: object, x1: object, x2: object, "
                "F: object, count: int) -> numpy.typing.NDArray[numpy.uint8]"));
  m.def(
      "warp",
      [](nb::handle image, nb::handle H, int width, int height) {
        const Picture p = picture_of(image, "image");
        return image_array(warp(bytes_of(p, "image"), mat3_of(H, "H"), width, height));
      },
      nb::arg("image").none(), nb::arg("H").none(), nb::arg("width"), nb::arg("height"),
      nb::sig("def warp(image: object, H: object, width: int, height: int) -> "
              "numpy.typing.NDArray[numpy.uint8]"));
}

#undef ANY

}  // namespace

void bind_dense(nb::module_& m) {
  bind_depth(m);
  bind_files(m);
  bind_drawing(m);
}

}  // namespace bifocal::python
