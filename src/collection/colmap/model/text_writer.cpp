// SPDX-License-Identifier: BSD-3-Clause
// Writes the text files of a model: COLMAP's bytes, numbers with 17 significant digits.
#include <fmt/format.h>

#include <iterator>

#include "collection/colmap/model/parts.hpp"
#include "scene/pixel.hpp"

namespace bifocal::colmap::model {
namespace {

template <class... Args>
void add(std::string& to, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(to), format, std::forward<Args>(args)...);
}
void add_number(std::string& to, double value) { add(to, " {:.17g}", value); }
void add_pose_text(std::string& to, const ModelPose& pose) {
  for (const double v : pose.rotation) add_number(to, v);
  for (const double v : pose.translation) add_number(to, v);
}
void add_sensor_text(std::string& to, const Sensor& sensor) {
  const char* const types[] = {"INVALID", "CAMERA", "IMU"};
  add(to, " {} {}", types[static_cast<int>(sensor.type) + 1], sensor.id);
}

double mean(std::size_t sum, std::size_t count) {
  return count > 0 ? static_cast<double>(sum) / static_cast<double>(count) : 0;
}

std::string cameras(const Model& model) {
  std::string to =
      "# Camera list with one line of data per camera:\n"
      "#   CAMERA_ID, MODEL, WIDTH, HEIGHT, PARAMS[]\n";
  add(to, "# Number of cameras: {}\n", model.cameras.size());
  for (const ModelCamera& k : model.cameras) {
    add(to, "{} {} {} {}", k.id, model_name(k.model), k.width, k.height);
    std::vector<double> params = k.params;
    scene::to_colmap(k.model, params);
    for (const double v : params) add_number(to, v);
    to.push_back('\n');
  }
  return to;
}

std::string images(const Model& model) {
  std::size_t seen = 0;
  for (const ModelImage& image : model.images)
    for (const ModelObservation& o : image.observations) seen += o.point_id != kNoPoint;
  std::string to =
      "# Image list with two lines of data per image:\n"
      "#   IMAGE_ID, QW, QX, QY, QZ, TX, TY, TZ, CAMERA_ID, NAME\n"
      "#   POINTS2D[] as (X, Y, POINT3D_ID)\n";
  add(to, "# Number of images: {}, mean observations per image: {:.17g}\n", model.images.size(),
      mean(seen, model.images.size()));
  for (const ModelImage& image : model.images) {
    add(to, "{}", image.id);
    add_pose_text(to, image.cam_from_world);
    add(to, " {} {}\n", image.camera_id, image.name);
    for (const ModelObservation& o : image.observations) {
      double x = o.x, y = o.y;
      scene::to_colmap(x, y);
      add(to, "{:.17g} {:.17g} ", x, y);
      if (o.point_id == kNoPoint)
        to += "-1 ";
      else
        add(to, "{} ", o.point_id);  // COLMAP's lines end with a blank
    }
    to.push_back('\n');
  }
  return to;
}

std::string points(const Model& model) {
  std::size_t length = 0;
  for (const ModelPoint& point : model.points) length += point.track.size();
  std::string to =
      "# 3D point list with one line of data per point:\n"
      "#   POINT3D_ID, X, Y, Z, R, G, B, ERROR, TRACK[] as (IMAGE_ID, POINT2D_IDX)\n";
  add(to, "# Number of points: {}, mean track length: {:.17g}\n", model.points.size(),
      mean(length, model.points.size()));
  for (const ModelPoint& point : model.points) {
    add(to, "{}", point.id);
    for (const double v : point.xyz) add_number(to, v);
    for (const std::uint8_t v : point.rgb) add(to, " {}", v);
    add_number(to, point.error);
    for (const TrackElement& e : point.track) add(to, " {} {}", e.image_id, e.observation);
    to.push_back('\n');
  }
  return to;
}

std::string rigs(const Model& model) {
  std::string to =
      "# Rig calib list with one line of data per calib:\n"
      "#   RIG_ID, NUM_SENSORS, REF_SENSOR_TYPE, REF_SENSOR_ID, SENSORS[] as "
      "(SENSOR_TYPE, SENSOR_ID, HAS_POSE, [QW, QX, QY, QZ, TX, TY, TZ])\n";
  add(to, "# Number of rigs: {}\n", model.rigs.size());
  for (const ModelRig& rig : model.rigs) {
    add(to, "{} {}", rig.id, rig.sensors.size());
    for (std::size_t i = 0; i < rig.sensors.size(); ++i) {
      const RigSensor& one = rig.sensors[i];
      add_sensor_text(to, one.sensor);
      if (i == 0) continue;  // the reference
      to += one.sensor_from_rig ? " 1" : " 0";
      if (one.sensor_from_rig) add_pose_text(to, *one.sensor_from_rig);
    }
    to.push_back('\n');
  }
  return to;
}

std::string frames(const Model& model) {
  std::string to =
      "# Frame list with one line of data per frame:\n"
      "#   FRAME_ID, RIG_ID, RIG_FROM_WORLD[QW, QX, QY, QZ, TX, TY, TZ], "
      "NUM_DATA_IDS, DATA_IDS[] as (SENSOR_TYPE, SENSOR_ID, DATA_ID)\n";
  add(to, "# Number of frames: {}\n", model.frames.size());
  for (const ModelFrame& frame : model.frames) {
    add(to, "{} {}", frame.id, frame.rig_id);
    add_pose_text(to, frame.rig_from_world);
    add(to, " {}", frame.data.size());
    for (const FrameData& data : frame.data) {
      add_sensor_text(to, data.sensor);
      add(to, " {}", data.id);
    }
    to.push_back('\n');
  }
  return to;
}

}  // namespace

std::string text::bytes_of(Part part, const Model& model) {
  switch (part) {
    case Part::cameras:
      return cameras(model);
    case Part::images:
      return images(model);
    case Part::points:
      return points(model);
    case Part::rigs:
      return rigs(model);
    case Part::frames:
      return frames(model);
  }
  return {};
}

}  // namespace bifocal::colmap::model
