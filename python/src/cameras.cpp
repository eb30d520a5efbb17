// SPDX-License-Identifier: BSD-3-Clause
// Converts camera arguments from Python.
#include <nanobind/stl/vector.h>

#include <string_view>

#include "options.hpp"

namespace bifocal::python {
namespace {

Intrinsics from_matrix(const Mat3& K, const char* name) {
  if (K[1] != 0 || K[3] != 0 || K[6] != 0 || K[7] != 0 || K[8] != 1)
    value_error(
        fmt::format("{}: must be [[fx, 0, cx], [0, fy, cy], [0, 0, 1]], has skew {}, "
                    "[1, 0] = {} and last row [{}, {}, {}]",
                    name, K[1], K[3], K[6], K[7], K[8]));
  return {K[0], K[4], K[2], K[5]};
}

Camera from_fields(nb::handle object, const char* name) {
  Camera c;
  const auto get = [&](const char* field) {
    double value = 0;
    const nb::object given = nb::getattr(object, field, nb::none());
    if (!exact_cast(given, value))
      type_error(fmt::format("{}.{}: {}, must be a number", name, field, shown(given)));
    return value;
  };
  const auto side = [&](const char* field) {
    int value = 0;
    const nb::object given = nb::getattr(object, field, nb::none());
    if (!exact_cast(given, value))
      type_error(fmt::format("{}.{}: {}, must be a whole number", name, field, shown(given)));
    return value;
  };
  c.intrinsics = {get("fx"), get("fy"), get("cx"), get("cy")};
  const auto coefficient = [&](const char* field) {
    const double value = get(field);
    if (!std::isfinite(value))
      value_error(fmt::format("{}.{} = {}, must be finite", name, field, value));
    return value;
  };
  c.distortion = {coefficient("k1"), coefficient("k2"), coefficient("p1"), coefficient("p2"),
                  coefficient("k3"), coefficient("k4"), coefficient("k5"), coefficient("k6")};
  c.width = side("width");
  c.height = side("height");
  return c;
}

bool is_lens_camera(nb::handle object) {
  return nb::hasattr(object, "model") && nb::hasattr(object, "params") &&
         nb::hasattr(object, "first_pixel");
}

LensCamera lens_camera_of(nb::handle object, const char* name) {
  std::string model;
  int width = 0, height = 0;
  if (!nb::try_cast(nb::object(object.attr("model")), model))
    type_error(fmt::format("{}.model: {}, must be a name", name, shown(object.attr("model"))));
  const nb::object given_width = object.attr("width"), given_height = object.attr("height");
  if (!exact_cast(given_width, width) || !exact_cast(given_height, height))
    type_error(fmt::format("{}.width = {}, {}.height = {}: must be whole numbers", name,
                           shown(given_width), name, shown(given_height)));
  const std::string params_name = std::string(name) + ".params";
  const Doubles params = doubles_of(object.attr("params"), params_name.c_str());
  try {
    return {model, params.span, width, height};
  } catch (const Error& e) {
    constexpr std::string_view own = "LensCamera: ";
    const std::string text = e.what();
    value_error(
        fmt::format("{}: {}", name, text.starts_with(own) ? text.substr(own.size()) : text));
  }
}

}  // namespace

std::optional<LensCamera> lens_camera_if(nb::handle object, const char* name) {
  if (object.is_none() || !is_lens_camera(object)) return {};
  return lens_camera_of(object, name);
}

AnyCamera any_camera_of(nb::handle object, const char* name) {
  if (!object.is_none() && is_lens_camera(object)) {
    const LensCamera lens = lens_camera_of(object, name);
    return {lens.pinhole(), lens.has_lens() ? std::optional(lens) : std::nullopt};
  }
  const Camera c = camera_of(object, name);
  AnyCamera any{c.intrinsics, {}};
  if (!c.distortion.none() && c.intrinsics.valid()) any.lens.emplace(c);
  return any;
}

Camera camera_of(nb::handle object, const char* name) {
  if (object.is_none())
    type_error(fmt::format("{}: None, must be a bifocal.Camera, a 3 x 3 matrix or (fx, fy, cx, cy)",
                           name));
  if (nb::hasattr(object, "fx")) return from_fields(object, name);
  if (is_lens_camera(object))
    type_error(fmt::format("{}: a bifocal.LensCamera, must be a bifocal.Camera here", name));
  AnyArray array = array_of(object, name);
  Camera c;
  if (array.ndim() == 2) {
    c.intrinsics = from_matrix(mat3_of(object, name), name);
    return c;
  }
  need_shape(array, name, {4});
  const Numbers n = host_numbers(std::move(array), object, name);
  c.intrinsics = {n.at(0), n.at(1), n.at(2), n.at(3)};
  return c;
}

std::vector<AnyCamera> any_cameras_of(nb::handle object, const char* name) {
  const auto one = [&](nb::handle item, const std::string& called) {
    return any_camera_of(item, called.c_str());
  };
  if (object.is_none() || nb::hasattr(object, "fx") || is_lens_camera(object))
    return {one(object, name)};
  std::vector<AnyCamera> cameras;
  const bool is_list = nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object);
  if (is_list && nb::len(object) > 0 && !nb::isinstance<nb::float_>(object[0]) &&
      !nb::isinstance<nb::int_>(object[0])) {
    for (std::size_t k = 0; k < nb::len(object); ++k)
      cameras.push_back(one(object[k], fmt::format("{}[{}]", name, k)));
    return cameras;
  }
  AnyArray array = array_of(object, name);
  if (array.ndim() == 1 || (array.ndim() == 2 && array.shape(0) == 3 && array.shape(1) == 3))
    return {one(object, name)};
  if (array.ndim() == 3) {
    need_shape(array, name, {-1, 3, 3});
    for (std::size_t k = 0; k < array.shape(0); ++k)
      cameras.push_back(one(object[k], fmt::format("{}[{}]", name, k)));
    return cameras;
  }
  need_shape(array, name, {-1, 4});
  const Numbers n = host_numbers(std::move(array), object, name);
  for (std::size_t k = 0; k < n.rows(); ++k)
    cameras.push_back({{n.at(k, 0), n.at(k, 1), n.at(k, 2), n.at(k, 3)}, {}});
  return cameras;
}

std::vector<Intrinsics> pinholes_of(const std::vector<AnyCamera>& cameras, const char* name,
                                    const char* why) {
  std::vector<Intrinsics> pinholes;
  for (const AnyCamera& c : cameras) {
    if (c.lens) value_error(fmt::format("{}: has a lens; {}", name, why));
    pinholes.push_back(c.pinhole);
  }
  return pinholes;
}

}  // namespace bifocal::python
