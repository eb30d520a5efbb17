// SPDX-License-Identifier: BSD-3-Clause
// Binds COLMAP's models as dictionaries of tuples and arrays, of which _colmap_model.py makes
// dataclasses.
#include <bifocal/colmap/model.hpp>

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "models.hpp"
#include "../files.hpp"

namespace bifocal::python {
namespace {

using namespace colmap;

template <class T>
using Array = nb::ndarray<const T, nb::c_contig, nb::device::cpu>;

nb::str name_text(const std::string& name) {
  return nb::steal<nb::str>(
      PyUnicode_DecodeFSDefaultAndSize(name.data(), static_cast<Py_ssize_t>(name.size())));
}

// w x y z and t.
nb::tuple pose_tuple(const ModelPose& pose) {
  return nb::make_tuple(copy_of(pose.rotation, {4}), copy_of(pose.translation, {3}));
}
ModelPose pose_in(nb::handle object) {
  const auto [rotation, translation] = nb::cast<std::tuple<std::array<double, 4>, Vec3>>(object);
  return {rotation, translation};
}

nb::tuple image_tuple(const ModelImage& image) {
  std::vector<double> xy;
  std::vector<std::int64_t> ids;
  xy.reserve(2 * image.observations.size()), ids.reserve(image.observations.size());
  for (const ModelObservation& o : image.observations) {
    xy.insert(xy.end(), {o.x, o.y});
    ids.push_back(static_cast<std::int64_t>(o.point_id));
  }
  const std::size_t n = ids.size();
  return nb::make_tuple(image.id, name_text(image.name), image.camera_id,
                        copy_of(image.cam_from_world.rotation, {4}),
                        copy_of(image.cam_from_world.translation, {3}),
                        array_from(std::move(xy), {n, 2}), array_from(std::move(ids), {n}));
}

ModelImage image_in(nb::handle object) {
  const nb::tuple t = nb::cast<nb::tuple>(object);
  ModelImage image;
  image.id = nb::cast<Id>(t[0]);
  image.name = file_of(t[1], "image name").path.string();
  image.camera_id = nb::cast<Id>(t[2]);
  image.cam_from_world = pose_in(nb::make_tuple(t[3], t[4]));
  const auto xy = nb::cast<Array<double>>(t[5]);
  const auto ids = nb::cast<Array<std::int64_t>>(t[6]);
  for (std::size_t i = 0; i < ids.size(); ++i)
    image.observations.push_back(
        {xy.data()[2 * i], xy.data()[2 * i + 1], static_cast<PointId>(ids.data()[i])});
  return image;
}

// Tracks of all points, one after another: rows of image and observation.
nb::tuple points_tuple(const std::vector<ModelPoint>& points) {
  std::vector<std::int64_t> ids, offsets = {0};
  std::vector<double> xyz, errors;
  std::vector<std::uint8_t> rgb;
  std::vector<std::uint32_t> tracks;
  for (const ModelPoint& p : points) {
    ids.push_back(static_cast<std::int64_t>(p.id));
    xyz.insert(xyz.end(), p.xyz.begin(), p.xyz.end());
    rgb.insert(rgb.end(), p.rgb.begin(), p.rgb.end());
    errors.push_back(p.error);
    for (const TrackElement& e : p.track) tracks.insert(tracks.end(), {e.image_id, e.observation});
    offsets.push_back(static_cast<std::int64_t>(tracks.size() / 2));
  }
  const std::size_t n = points.size(), m = tracks.size() / 2;
  return nb::make_tuple(array_from(std::move(ids), {n}), array_from(std::move(xyz), {n, 3}),
                        array_from(std::move(rgb), {n, 3}), array_from(std::move(errors), {n}),
                        array_from(std::move(offsets), {n + 1}),
                        array_from(std::move(tracks), {m, 2}));
}

std::vector<ModelPoint> points_in(const nb::tuple& t) {
  const auto ids = nb::cast<Array<std::int64_t>>(t[0]),
             offsets = nb::cast<Array<std::int64_t>>(t[4]);
  const auto xyz = nb::cast<Array<double>>(t[1]), errors = nb::cast<Array<double>>(t[3]);
  const auto rgb = nb::cast<Array<std::uint8_t>>(t[2]);
  const auto tracks = nb::cast<Array<std::uint32_t>>(t[5]);
  std::vector<ModelPoint> points(ids.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    ModelPoint& p = points[i];
    p.id = static_cast<PointId>(ids.data()[i]);
    std::copy_n(xyz.data() + 3 * i, 3, p.xyz.begin());
    std::copy_n(rgb.data() + 3 * i, 3, p.rgb.begin());
    p.error = errors.data()[i];
    for (std::int64_t k = offsets.data()[i]; k < offsets.data()[i + 1]; ++k)
      p.track.push_back({tracks.data()[2 * k], tracks.data()[2 * k + 1]});
  }
  return points;
}

nb::list rigs_list(const Model& model) {
  nb::list all;
  for (const ModelRig& rig : model.rigs) {
    nb::list sensors;
    for (const RigSensor& s : rig.sensors)
      sensors.append(nb::make_tuple(
          static_cast<int>(s.sensor.type), s.sensor.id,
          s.sensor_from_rig ? nb::object(pose_tuple(*s.sensor_from_rig)) : nb::none()));
    all.append(nb::make_tuple(rig.id, sensors));
  }
  return all;
}

nb::list frames_list(const Model& model) {
  nb::list all;
  for (const ModelFrame& frame : model.frames) {
    nb::list data;
    for (const FrameData& d : frame.data)
      data.append(nb::make_tuple(static_cast<int>(d.sensor.type), d.sensor.id, d.id));
    all.append(nb::make_tuple(frame.id, frame.rig_id, pose_tuple(frame.rig_from_world), data));
  }
  return all;
}

Sensor sensor_in(const nb::tuple& t) {
  return {static_cast<SensorType>(nb::cast<int>(t[0])), nb::cast<Id>(t[1])};
}

void take_rigs_and_frames(const nb::dict& d, Model& model) {
  for (const nb::handle object : d["rigs"]) {
    const nb::tuple t = nb::cast<nb::tuple>(object);
    ModelRig rig{nb::cast<Id>(t[0])};
    for (const nb::handle sensor : t[1]) {
      const nb::tuple s = nb::cast<nb::tuple>(sensor);
      rig.sensors.push_back({sensor_in(s)});
      if (!s[2].is_none()) rig.sensors.back().sensor_from_rig = pose_in(s[2]);
    }
    model.rigs.push_back(std::move(rig));
  }
  for (const nb::handle object : d["frames"]) {
    const nb::tuple t = nb::cast<nb::tuple>(object);
    ModelFrame frame{nb::cast<Id>(t[0]), nb::cast<Id>(t[1]), pose_in(t[2])};
    for (const nb::handle data : t[3]) {
      const nb::tuple f = nb::cast<nb::tuple>(data);
      frame.data.push_back({sensor_in(f), nb::cast<std::uint64_t>(f[2])});
    }
    model.frames.push_back(std::move(frame));
  }
}

nb::dict read(nb::handle given) {
  const FileName folder = file_of(given, "folder");
  Model model;
  try {
    const Unlocked unlocked;
    model = read_model(folder.path);
  } catch (const Error& e) {
    if (e.code() == ErrorCode::input) raise_missing(folder);
    throw;
  }
  nb::list cameras, images;
  for (const colmap::ModelCamera& k : model.cameras)
    cameras.append(nb::make_tuple(k.id, std::string(model_name(k.model)), k.width, k.height,
                                  array_from(k.params, {k.params.size()})));
  for (const ModelImage& image : model.images) images.append(image_tuple(image));
  nb::dict d;
  d["cameras"] = cameras;
  d["images"] = images;
  d["points"] = points_tuple(model.points);
  d["has_frames"] = model.has_frames;
  d["rigs"] = rigs_list(model);
  d["frames"] = frames_list(model);
  d["georeference"] = georeference_tuple(model.georeference);
  return d;
}

void write(nb::handle given, const nb::dict& d, bool is_text, bool overwrite) {
  const FileName folder = file_of(given, "folder");
  check_model_folder(folder.path, overwrite);
  Model model;
  for (const nb::handle object : d["cameras"]) {
    const auto [id, name, width, height, params] =
        nb::cast<std::tuple<Id, std::string, std::int64_t, std::int64_t, std::vector<double>>>(
            object);
    const int number = model_number(name);
    if (number < 0)
      value_error(fmt::format("camera {}: '{}' is no camera model of COLMAP", id, name));
    model.cameras.push_back({id, number, width, height, params});
  }
  for (const nb::handle object : d["images"]) model.images.push_back(image_in(object));
  model.points = points_in(nb::cast<nb::tuple>(d["points"]));
  model.has_frames = nb::cast<bool>(d["has_frames"]);
  take_rigs_and_frames(d, model);
  model.georeference = georeference_in(d["georeference"]);
  const Unlocked unlocked;
  write_model(folder.path, model, is_text ? ModelFormat::text : ModelFormat::binary, overwrite);
}

}  // namespace

nb::object georeference_tuple(const std::optional<colmap::Georeference>& place) {
  if (!place) return nb::none();
  nb::object origin = nb::none();
  if (place->origin)
    origin = nb::make_tuple(place->origin->latitude_deg, place->origin->longitude_deg,
                            place->origin->altitude_m);
  nb::list outliers;
  for (const std::string& name : place->outliers) outliers.append(name_text(name));
  const auto triple = [](const Vec3& v) { return nb::make_tuple(v[0], v[1], v[2]); };
  return nb::make_tuple(origin, place->positions, outliers, triple(place->residuals),
                        triple(place->position_deviations), triple(place->rotation_deviations_deg),
                        place->scale_deviation, place->is_adjusted,
                        nb::make_tuple(place->control_points, triple(place->control_residuals),
                                       place->check_points, triple(place->check_residuals)));
}

std::optional<colmap::Georeference> georeference_in(nb::handle object) {
  if (object.is_none()) return {};
  using Control = std::tuple<std::int64_t, Vec3, std::int64_t, Vec3>;
  const auto [origin, positions, outliers, residuals, position, rotation, scale, is_adjusted,
              control] =
      nb::cast<std::tuple<std::optional<Vec3>, std::int64_t, std::vector<nb::object>, Vec3, Vec3,
                          Vec3, double, bool, Control>>(object);
  colmap::Georeference place{.positions = positions,
                             .residuals = residuals,
                             .position_deviations = position,
                             .rotation_deviations_deg = rotation,
                             .scale_deviation = scale,
                             .is_adjusted = is_adjusted,
                             .control_points = std::get<0>(control),
                             .check_points = std::get<2>(control),
                             .control_residuals = std::get<1>(control),
                             .check_residuals = std::get<3>(control)};
  if (origin) place.origin = GeoPoint{(*origin)[0], (*origin)[1], (*origin)[2]};
  for (const nb::object& name : outliers)
    place.outliers.push_back(file_of(name, "georeference.outliers").path.string());
  return place;
}

void bind_colmap_model(nb::module_& m) {
  m.def("read_model", &read, nb::arg("folder").none(),
        nb::sig("def read_model(folder: object) -> dict[str, typing.Any]"));
  m.def("write_model", &write, nb::arg("folder").none(), nb::arg("model"), nb::arg("is_text"),
        nb::arg("overwrite"),
        nb::sig("def write_model(folder: object, model: dict[str, typing.Any], is_text: bool, "
                "overwrite: bool) -> None"));
}

}  // namespace bifocal::python
