// SPDX-License-Identifier: BSD-3-Clause
#include "collection/colmap/model/frames.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "collection/colmap/model/parts.hpp"

namespace bifocal::colmap::model {
namespace {

constexpr double kAgreement = 1e-9;  // of poses, relative

double distance(const Pose& a, const Pose& b) {
  double sum = 0;
  for (std::size_t i = 0; i < 9; ++i) sum += (a.R[i] - b.R[i]) * (a.R[i] - b.R[i]);
  const Vec3 shift = {a.t[0] - b.t[0], a.t[1] - b.t[1], a.t[2] - b.t[2]};
  return std::sqrt(sum) + norm(shift) / (1 + norm(a.t));
}

}  // namespace

std::vector<Id> used_camera_ids(const Model& model) {
  std::unordered_set<Id> used;
  for (const ModelImage& image : model.images) used.insert(image.camera_id);
  std::vector<Id> ids;
  for (const ModelCamera& camera : model.cameras)
    if (used.contains(camera.id)) ids.push_back(camera.id);
  return ids;
}

const RigSensor* find_sensor(const ModelRig& rig, const Sensor& sensor) {
  const auto found = std::ranges::find(rig.sensors, sensor, &RigSensor::sensor);
  return found == rig.sensors.end() ? nullptr : &*found;
}

Pose chained(const Pose& c_from_b, const Pose& b_from_a) {
  const Vec3 moved = times(c_from_b.R, b_from_a.t);
  return {times(c_from_b.R, b_from_a.R),
          {moved[0] + c_from_b.t[0], moved[1] + c_from_b.t[1], moved[2] + c_from_b.t[2]}};
}

Pose inverted(const Pose& pose) {
  const Mat3 R = transposed(pose.R);
  const Vec3 t = times(R, pose.t);
  return {R, {-t[0], -t[1], -t[2]}};
}

std::optional<Pose> pose_in_rig(const ModelRig& rig, const Sensor& sensor) {
  const RigSensor* found = find_sensor(rig, sensor);
  if (!found) return {};
  if (found == rig.sensors.data()) return Pose{};
  if (!found->sensor_from_rig) return {};
  return pose_of(*found->sensor_from_rig);
}

void take_poses_of_frames(Model& model) {
  std::unordered_map<std::uint64_t, ModelImage*> images;
  for (ModelImage& image : model.images) images.emplace(image.id, &image);
  std::unordered_map<Id, const ModelRig*> rigs;
  for (const ModelRig& rig : model.rigs) rigs.emplace(rig.id, &rig);
  for (const ModelFrame& frame : model.frames)
    for (const FrameData& data : frame.data) {
      const auto found = images.find(data.id);
      if (data.sensor.type != SensorType::camera || found == images.end()) continue;
      const std::optional<Pose> sensor_from_rig = pose_in_rig(*rigs.at(frame.rig_id), data.sensor);
      if (!sensor_from_rig) continue;
      const Pose pose = chained(*sensor_from_rig, pose_of(frame.rig_from_world));
      ModelPose& own = found->second->cam_from_world;
      if (!(distance(pose_of(own), pose) <= kAgreement)) own = model_pose(pose);
    }
}

}  // namespace bifocal::colmap::model
