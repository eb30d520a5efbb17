// SPDX-License-Identifier: BSD-3-Clause
// Poses of rigs, frames and images, and their cameras.
#pragma once

#include <bifocal/colmap/model.hpp>

namespace bifocal::colmap::model {

// Returns the ids of the cameras that images use, in the order of the model.
[[nodiscard]] std::vector<Id> used_camera_ids(const Model& model);

// Returns null if the rig has no such sensor.
[[nodiscard]] const RigSensor* find_sensor(const ModelRig& rig, const Sensor& sensor);

// Returns sensor_from_rig: the identity for the reference sensor, no value if the pose is unknown.
[[nodiscard]] std::optional<Pose> pose_in_rig(const ModelRig& rig, const Sensor& sensor);

[[nodiscard]] Pose chained(const Pose& c_from_b, const Pose& b_from_a);
[[nodiscard]] Pose inverted(const Pose& pose);

}  // namespace bifocal::colmap::model
