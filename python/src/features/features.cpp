// SPDX-License-Identifier: BSD-3-Clause
// Binds features.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <tuple>

#include "../devices.hpp"
#include "feature_arrays.hpp"
#include "features_device.hpp"

namespace bifocal::python {

Features descriptors_of(nb::handle object, const char* name) {
  const AnyArray a = array_of(object, name);
  if (a.ndim() == 2 && a.shape(0) == kDescriptorBytes && a.shape(1) != kDescriptorBytes)
    value_error(fmt::format("{}: shape {}, must be (N, 128); give {}.T if its columns are features",
                            name, shape_text(a), name));
  need_shape(a, name, {-1, kDescriptorBytes});
  need_host(a, name);
  if (a.dtype() != nb::dtype<std::uint8_t>())
    type_error(fmt::format("{}: dtype {}, must be uint8", name, dtype_text(a)));
  Features f;
  f.keypoints.resize(a.shape(0));
  f.descriptors.resize(a.shape(0) * kDescriptorBytes);
  const auto* from = static_cast<const std::uint8_t*>(a.data());
  for (std::size_t i = 0; i < f.descriptors.size(); ++i)
    f.descriptors[i] = from[std::int64_t(i / kDescriptorBytes) * a.stride(0) +
                            std::int64_t(i % kDescriptorBytes) * a.stride(1)];
  return f;
}

namespace {

float float_of(double value, const char* name, std::size_t at) {
  const auto rounded = static_cast<float>(value);
  if (!std::isfinite(rounded))
    value_error(fmt::format("{}: [{}] = {}, must be a finite number of float32", name, at, value));
  return rounded;
}

}  // namespace

std::vector<float> numbers_of_each(nb::handle object, const char* name, std::size_t count,
                                   float usual) {
  std::vector<float> all(count, usual);
  if (object.is_none()) return all;
  const Numbers given = numbers_of(object, name, {int(count)});
  for (std::size_t i = 0; i < count; ++i) all[i] = float_of(given.at(i), name, i);
  return all;
}

namespace {

const Features& features(nb::handle self) { return nb::cast<const Features&>(self); }

// Expands three numbers to a symmetric matrix, whose off-diagonal elements are the second number.
nb::object shapes(nb::handle self) {
  static_assert(sizeof(KeypointShape) == 3 * sizeof(float));
  const Features& f = features(self);
  if (f.shapes.empty()) return nb::none();
  return view(self, &f.shapes[0].xx, {f.shapes.size(), 2, 2}, {3, 1, 1});
}

Features detect(nb::handle image, nb::handle options, nb::handle mask,
                const std::optional<std::string>& device, nb::handle frame) {
  if (!frame.is_none())
    if (const AnyArray there = array_of(image, "image"); on_cuda(there))
      return detect_there(there, options, mask, device, frame);
  const Picture picture = picture_of(image, "image");
  const DetectArguments o(options, mask);
  const Unlocked unlocked;
  QueueLease lease(device.value_or("cpu"));
  if (o.options.surf)
    return detect_surf(lease.queue(), picture.any(), *o.options.surf, o.allowed());
  return detect_sift(lease.queue(), picture.any(), o.options.sift, o.allowed());
}

std::vector<KeypointShape> shapes_of(nb::handle object, std::size_t count) {
  std::vector<KeypointShape> all;
  if (object.is_none()) return all;
  AnyArray array = array_of(object, "shapes");
  need_shape(array, "shapes", {int(count), 2, 2});
  const nb::object rows =
      nb::module_::import_("numpy").attr("reshape")(object, nb::make_tuple(count, 4));
  const Numbers given = numbers_of(rows, "shapes", {int(count), 4});
  for (std::size_t i = 0; i < count; ++i) {
    if (given.at(i, 1) != given.at(i, 2))
      value_error(fmt::format("shapes: [{}] is not symmetric", i));
    all.push_back({static_cast<float>(given.at(i, 0)), static_cast<float>(given.at(i, 1)),
                   static_cast<float>(given.at(i, 3))});
  }
  return all;
}

// Returns the rows of features[index]: a slice, a mask [N], or indices [M] that count from the end
// if they are negative.
std::vector<std::size_t> rows_of(nb::handle index, std::size_t count) {
  std::vector<std::size_t> rows;
  if (nb::isinstance<nb::slice>(index)) {
    const auto [start, stop, step, length] = nb::borrow<nb::slice>(index).compute(count);
    for (std::size_t i = 0; i < length; ++i)
      rows.push_back(std::size_t(start + std::ptrdiff_t(i) * step));
    return rows;
  }
  const AnyArray a = array_of(index, "index");
  need_host(a, "index");
  if (a.ndim() == 0)
    type_error("index: is one number; use features[i:i + 1], and features.xy for positions");
  if (a.ndim() != 1)
    type_error(fmt::format("index: shape {}, must be a slice, a mask or a list of indices",
                           shape_text(a)));
  if (a.dtype().code == std::uint8_t(nb::dlpack::dtype_code::Bool)) {
    if (a.size() != count)
      throw nb::index_error(
          fmt::format("index: a mask of {} flags for {} features", a.size(), count).c_str());
    for (std::size_t i = 0; i < count; ++i)
      if (static_cast<const std::uint8_t*>(a.data())[std::int64_t(i) * a.stride(0)] != 0)
        rows.push_back(i);
    return rows;
  }
  const WholeNumbers wanted = whole_numbers_of(index, "index", {-1});
  const auto size = std::int64_t(count);
  for (std::size_t i = 0; i < wanted.rows(); ++i) {
    const std::int64_t k = wanted.at(i);
    if (k < -size || k >= size)
      throw nb::index_error(
          fmt::format("index: [{}] = {}, but there are {} features", i, k, count).c_str());
    rows.push_back(std::size_t(k < 0 ? k + size : k));
  }
  return rows;
}

Features some_of(const Features& all, nb::handle index) {
  Features some;
  for (const std::size_t i : rows_of(index, all.size())) {
    some.keypoints.push_back(all.keypoints[i]);
    const auto first = all.descriptors.begin() + std::ptrdiff_t(i * kDescriptorBytes);
    some.descriptors.insert(some.descriptors.end(), first, first + kDescriptorBytes);
    if (!all.shapes.empty()) some.shapes.push_back(all.shapes[i]);
  }
  return some;
}

// Makes features from arrays, for example of another process or program.
void make_features(Features* self, nb::handle xy, nb::handle descriptors, nb::handle sigma,
                   nb::handle angle_deg, nb::handle response, nb::handle shapes) {
  const Numbers at = numbers_of(xy, "xy", {-1, 2});
  const std::size_t n = at.rows();
  Features own = descriptors_of(descriptors, "descriptors");
  if (own.keypoints.size() != n)
    value_error(fmt::format("descriptors: {} rows, but xy has {}", own.keypoints.size(), n));
  const std::vector<float> s = numbers_of_each(sigma, "sigma", n, 1),
                           a = numbers_of_each(angle_deg, "angle_deg", n, 0),
                           r = numbers_of_each(response, "response", n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    if (s[i] <= 0) value_error(fmt::format("sigma: [{}] = {}, must be above 0", i, s[i]));
    own.keypoints[i] = {float_of(at.at(i, 0), "xy", i), float_of(at.at(i, 1), "xy", i), s[i], a[i],
                        r[i]};
  }
  own.shapes = shapes_of(shapes, n);
  new (self) Features(std::move(own));
}

constexpr const char* kFeaturesDoc = R"(Keypoints and descriptors of one image, the strongest first.

Args:
    xy: Positions in px, shape (N, 2).
    descriptors: uint8, shape (N, 128).
    sigma: Scales of the Gaussian in px, shape (N,); 1 by default.
    angle_deg: Orientations in degrees, shape (N,); 0 by default.
    response: Strengths, shape (N,); 0 by default.
    shapes: Symmetric matrices of affine shapes, shape (N, 2, 2); None by default.

Raises:
    ValueError: If shapes differ or a position is not finite.)";
constexpr const char* kFromKeypointsDoc =
    R"(Converts keypoints and SIFT descriptors of OpenCV. The inverse of `bifocal.cv.SIFT_create().detectAndCompute`.

Args:
    keypoints: Sequence of N objects with cv2.KeyPoint's `pt`, `size` (twice the scale of the Gaussian), `angle` and `response`.
    descriptors: Numbers from 0 to 255 in OpenCV's order, shape (N, 128); None without keypoints.

Returns:
    Features in the order of the keypoints. Keypoints without an orientation (-1) have 0 degrees.

Raises:
    ValueError: If shapes differ, a position is not finite, or a descriptor is not within 0 to 255.)";

void bind_columns(nb::class_<Features>& f) {
  const auto number = [&](const char* name, float Keypoint::*member, const char* sig,
                          const char* doc, std::size_t width = 1) {
    f.def_prop_ro(
        name,
        [member, width](nb::handle s) { return column(s, features(s).keypoints, member, width); },
        nb::sig(sig), doc);
  };
#define FLOATS(name) "def " name "(self) -> numpy.typing.NDArray[numpy.float32]"
  number("xy", &Keypoint::x, FLOATS("xy"), "Positions in px, shape (N, 2).", 2);
  number("sigma", &Keypoint::sigma, FLOATS("sigma"), "Scales of the Gaussian in px, shape (N,).");
  number("angle_deg", &Keypoint::angle_deg, FLOATS("angle_deg"),
         "Orientations in degrees, [0, 360) from x towards y, shape (N,).");
  number("response", &Keypoint::response, FLOATS("response"),
         "Strengths, shape (N,): |DoG| at the extremum; for SURF the root of the determinant.");
  f.def_prop_ro(
      "descriptors",
      [](nb::handle s) {
        return view(s, features(s).descriptors.data(), {features(s).keypoints.size(), 128});
      },
      nb::sig("def descriptors(self) -> numpy.typing.NDArray[numpy.uint8]"),
      "Descriptors, shape (N, 128).");
  f.def_prop_ro("shapes", &shapes,
                nb::sig("def shapes(self) -> numpy.typing.NDArray[numpy.float32] | None"),
                "Affine shapes, shape (N, 2, 2): symmetric matrices of determinant 1 from the "
                "frame of a circular feature to the image; None without affine_shape.");
#undef FLOATS
}

}  // namespace

void bind_features(nb::module_& m) {
  nb::class_<Features> f(m, "Features", kFeaturesDoc);
  f.def("__init__", &make_features, nb::arg("xy").none(), nb::arg("descriptors").none(),
        nb::arg("sigma").none() = nb::none(), nb::arg("angle_deg").none() = nb::none(),
        nb::arg("response").none() = nb::none(), nb::arg("shapes").none() = nb::none());
  f.def(
      "__getstate__",
      [](const Features& s) {
        return nb::make_tuple(bytes_of(s.keypoints), bytes_of(s.descriptors), bytes_of(s.shapes));
      },
      nb::sig("def __getstate__(self) -> tuple[bytes, bytes, bytes]"));
  f.def("__setstate__", [](Features& s, const std::tuple<nb::bytes, nb::bytes, nb::bytes>& state) {
    const auto& [keypoints, descriptors, shapes] = state;
    new (&s) Features{vector_of<Keypoint>(keypoints), vector_of<std::uint8_t>(descriptors),
                      vector_of<KeypointShape>(shapes)};
  });
  f.def("__len__", &Features::size);
  f.def("__getitem__", &some_of, nb::arg("index").none(),
        nb::sig("def __getitem__(self, index: slice | numpy.typing.ArrayLike) -> Features"),
        "Copies the features of a slice, of a mask (bool, shape (N,)), or of indices (shape (M,)), "
        "in their order. Raises IndexError if an index or the length of the mask does not fit.");
  f.def_static(
      "from_keypoints",
      [](nb::handle keypoints, nb::handle descriptors) {
        const nb::module_ opencv = nb::module_::import_("bifocal._cv.features");
        return nb::cast<Features>(opencv.attr("features_of")(keypoints, descriptors));
      },
      nb::arg("keypoints"), nb::arg("descriptors").none(),
      nb::sig("def from_keypoints(keypoints: typing.Iterable[typing.Any], descriptors: "
              "numpy.typing.ArrayLike | None) -> Features"),
      kFromKeypointsDoc);
  bind_columns(f);
  m.def("detect", &detect, nb::arg("image").none(), nb::arg("options").none(),
        nb::arg("mask").none(), nb::arg("device").none(), nb::arg("frame").none() = nb::none(),
        "Detects features (bifocal.detect).");
}

}  // namespace bifocal::python
