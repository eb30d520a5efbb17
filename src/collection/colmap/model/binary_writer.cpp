// SPDX-License-Identifier: BSD-3-Clause
// Writes the binary files of a model.
#include <bit>

#include "collection/colmap/model/parts.hpp"
#include "scene/pixel.hpp"

namespace bifocal::colmap::model {
namespace {

static_assert(std::endian::native == std::endian::little);

template <class Number>
void add(std::string& to, Number value) {
  static_assert(std::is_trivially_copyable_v<Number>);
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}
void add_count(std::string& to, std::size_t count) { add(to, static_cast<std::uint64_t>(count)); }
void add_small_count(std::string& to, std::size_t count) {
  add(to, static_cast<std::uint32_t>(count));
}
void add_pose(std::string& to, const ModelPose& pose) {
  for (const double v : pose.rotation) add(to, v);
  for (const double v : pose.translation) add(to, v);
}
void add_sensor(std::string& to, const Sensor& sensor) {
  add(to, static_cast<std::int32_t>(sensor.type));
  add(to, sensor.id);
}

void add_item(std::string& to, const Camera& k) {
  add(to, k.id);
  add(to, static_cast<std::int32_t>(k.model));
  add(to, static_cast<std::uint64_t>(k.width));
  add(to, static_cast<std::uint64_t>(k.height));
  std::vector<double> params = k.params;
  scene::to_colmap(k.model, params);
  for (const double v : params) add(to, v);
}

void add_item(std::string& to, const ModelImage& image) {
  add(to, image.id);
  add_pose(to, image.cam_from_world);
  add(to, image.camera_id);
  to += image.name;
  to.push_back('\0');
  add_count(to, image.observations.size());
  for (const ModelObservation& o : image.observations) {
    double x = o.x, y = o.y;
    scene::to_colmap(x, y);
    add(to, x);
    add(to, y);
    add(to, o.point_id);
  }
}

void add_item(std::string& to, const ModelPoint& point) {
  add(to, point.id);
  for (const double v : point.xyz) add(to, v);
  for (const std::uint8_t v : point.rgb) add(to, v);
  add(to, point.error);
  add_count(to, point.track.size());
  for (const TrackElement& e : point.track) {
    add(to, e.image_id);
    add(to, e.observation);
  }
}

void add_item(std::string& to, const ModelRig& rig) {
  add(to, rig.id);
  add_small_count(to, rig.sensors.size());
  for (std::size_t i = 0; i < rig.sensors.size(); ++i) {
    const RigSensor& one = rig.sensors[i];
    add_sensor(to, one.sensor);
    if (i == 0) continue;  // the reference
    add(to, static_cast<std::uint8_t>(one.sensor_from_rig ? 1 : 0));
    if (one.sensor_from_rig) add_pose(to, *one.sensor_from_rig);
  }
}

void add_item(std::string& to, const ModelFrame& frame) {
  add(to, frame.id);
  add(to, frame.rig_id);
  add_pose(to, frame.rig_from_world);
  add_small_count(to, frame.data.size());
  for (const FrameData& data : frame.data) {
    add_sensor(to, data.sensor);
    add(to, data.id);
  }
}

template <class Item>
std::string list_of(const std::vector<Item>& items) {
  std::string bytes;
  add_count(bytes, items.size());
  for (const Item& item : items) add_item(bytes, item);
  return bytes;
}

}  // namespace

std::string binary::bytes_of(Part part, const Model& model) {
  switch (part) {
    case Part::cameras:
      return list_of(model.cameras);
    case Part::images:
      return list_of(model.images);
    case Part::points:
      return list_of(model.points);
    case Part::rigs:
      return list_of(model.rigs);
    case Part::frames:
      return list_of(model.frames);
  }
  return {};
}

}  // namespace bifocal::colmap::model
