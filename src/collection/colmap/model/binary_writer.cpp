// SPDX-License-Identifier: BSD-3-Clause
// Writes the binary files of a model.
#include <algorithm>
#include <bit>
#include <vector>

#include "collection/colmap/model/parts.hpp"
#include "runtime/parallel.hpp"
#include "scene/pixel.hpp"

namespace bifocal::colmap::model {
namespace {

constexpr std::size_t kItemBlock = 4096;  // items of a thread at a time

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

void add_item(std::string& to, const ModelCamera& k) {
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
  static_assert(sizeof(ModelObservation) == 24, "x, y and the number of the point");
  for (ModelObservation o : image.observations) {
    scene::to_colmap(o.x, o.y);
    add(to, o);
  }
}

void add_item(std::string& to, const ModelPoint& point) {
  add(to, point.id);
  for (const double v : point.xyz) add(to, v);
  for (const std::uint8_t v : point.rgb) add(to, v);
  add(to, point.error);
  add_count(to, point.track.size());
  static_assert(sizeof(TrackElement) == 8, "the numbers of the image and of the observation");
  for (const TrackElement& e : point.track) add(to, e);
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
std::string list_of(const std::vector<Item>& items, std::size_t block) {
  std::vector<std::string> blocks((items.size() + block - 1) / block);
  runtime::parallel_each(blocks.size(), [&](std::size_t k) {
    const std::size_t end = std::min(items.size(), (k + 1) * block);
    for (std::size_t i = k * block; i < end; ++i) add_item(blocks[k], items[i]);
  });
  std::size_t size = sizeof(std::uint64_t);
  for (const std::string& one : blocks) size += one.size();
  std::string bytes;
  bytes.reserve(size);
  add_count(bytes, items.size());
  for (std::string& one : blocks) {
    bytes += one;
    one = {};
  }
  return bytes;
}

}  // namespace

std::string binary::bytes_of(Part part, const Model& model) {
  switch (part) {
    case Part::cameras:
      return list_of(model.cameras, kItemBlock);
    case Part::images:
      return list_of(model.images, 1);
    case Part::points:
      return list_of(model.points, kItemBlock);
    case Part::rigs:
      return list_of(model.rigs, kItemBlock);
    case Part::frames:
      return list_of(model.frames, kItemBlock);
  }
  return {};
}

}  // namespace bifocal::colmap::model
