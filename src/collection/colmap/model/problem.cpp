// SPDX-License-Identifier: BSD-3-Clause
// Models as problems of the bundle adjuster, and back.
#include <fmt/format.h>
#include <bifocal/error.hpp>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <bifocal/colmap/bundle_adjust.hpp>

#include "collection/colmap/model/frames.hpp"
#include "scene/camera_models.hpp"

namespace bifocal::colmap {
namespace {

template <class... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> what, Args&&... args) {
  throw Error(ErrorCode::usage, "model: " + fmt::format(what, std::forward<Args>(args)...));
}

// Throws if a listed number is not in the model.
template <class Number, class Item>
std::unordered_set<Number> listed(const std::vector<Number>& numbers,
                                  const std::vector<Item>& items, const char* list,
                                  const char* kind) {
  std::unordered_set<Number> left(numbers.begin(), numbers.end());
  if (left.empty()) return left;
  for (const Item& item : items) left.erase(item.id);
  if (!left.empty())
    refuse("{}: {} {} is not in the model", list, kind, *std::ranges::min_element(left));
  return {numbers.begin(), numbers.end()};
}

// Returns the cameras of a problem.
template <class ModelOrConst>
auto used_cameras(ModelOrConst& model) {
  const std::vector<Id> ids = model::used_camera_ids(model);
  std::vector<decltype(&model.cameras[0])> cameras;
  for (auto& camera : model.cameras)
    if (cameras.size() < ids.size() && camera.id == ids[cameras.size()]) cameras.push_back(&camera);
  return cameras;
}

AdjustCamera adjust_camera(const ModelCamera& camera, const BundleAdjustOptions& options) {
  const std::string name(model_name(camera.model));
  const scene::CameraModel* const model = scene::supported_model(name);
  if (!model) refuse("camera {}: cameras of the model {} can't be adjusted", camera.id, name);
  AdjustCamera out{name, camera.params};
  const auto focal = static_cast<std::size_t>(model->focal_lengths), count = camera.params.size();
  out.constant_params.assign(count, !options.refine_extra_params);
  for (std::size_t i = 0; i < focal; ++i) out.constant_params[i] = !options.refine_focal_length;
  for (std::size_t i = focal; i < focal + 2; ++i)
    out.constant_params[i] = !options.refine_principal_point;
  return out;
}

// Finds the images and the rig of a frame.
class Frames {
 public:
  explicit Frames(const Model& model) : model_(model) {
    for (std::size_t i = 0; i < model.images.size(); ++i) images_.emplace(model.images[i].id, i);
    for (const ModelRig& rig : model.rigs) rigs_.emplace(rig.id, &rig);
  }
  // Calls visit(place of the image, its sensor) for the images of a frame.
  template <class Visit>
  void each_image(const ModelFrame& frame, const Visit& visit) const {
    for (const FrameData& data : frame.data) {
      const auto found = images_.find(data.id);
      if (data.sensor.type == SensorType::camera && found != images_.end())
        visit(found->second, data.sensor);
    }
  }
  [[nodiscard]] const ModelRig& rig(const ModelFrame& frame) const {
    return *rigs_.at(frame.rig_id);
  }

  // The pose of a frame can follow from the pose of one image only.
  void require_single_images(const AdjustProblem& problem) const {
    for (const ModelFrame& frame : model_.frames) {
      std::vector<Id> images;
      bool is_adjusted = false, is_known = true;
      each_image(frame, [&](std::size_t place, const Sensor& sensor) {
        images.push_back(model_.images[place].id);
        is_adjusted = is_adjusted || !problem.images[place].is_constant;
        is_known = is_known && model::pose_in_rig(rig(frame), sensor);
      });
      if (!is_adjusted) continue;
      if (images.size() > 1)
        refuse(
            "frame {}: images {} and {} are of one rig, whose cameras would move apart; keep "
            "the poses constant or set separate_frames",
            frame.id, images[0], images[1]);
      if (!is_known)
        refuse("frame {}: the pose of image {} in rig {} is not known; set separate_frames",
               frame.id, images[0], frame.rig_id);
    }
  }

 private:
  const Model& model_;
  std::unordered_map<std::uint64_t, std::size_t> images_;
  std::unordered_map<Id, const ModelRig*> rigs_;
};

void add_observations(const Model& model, const BundleAdjustOptions& options,
                      AdjustProblem& problem) {
  std::unordered_map<PointId, int> places;
  places.reserve(model.points.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < model.points.size(); ++i) {
    const ModelPoint& point = model.points[i];
    problem.points.push_back(point.xyz);
    if (point.track.size() < static_cast<std::size_t>(options.min_track_length)) continue;
    places.emplace(point.id, static_cast<int>(i));
    count += point.track.size();
  }
  problem.observations.reserve(count);
  for (std::size_t i = 0; i < model.images.size(); ++i)
    for (const ModelObservation& o : model.images[i].observations) {
      if (o.point_id == kNoPoint) continue;
      const auto found = places.find(o.point_id);
      if (found != places.end())
        problem.observations.push_back({static_cast<int>(i), found->second, o.x, o.y});
    }
}

// Compares to the last bit.
bool are_same(const Pose& a, const Pose& b) { return a.R == b.R && a.t == b.t; }

void take_camera(ModelCamera& camera, const AdjustCamera& adjusted) {
  for (std::size_t i = 0; i < camera.params.size(); ++i)
    if (!adjusted.is_constant && !adjusted.constant_params[i])
      camera.params[i] = adjusted.params[i];
}

void take_frames(Model& model, const std::vector<bool>& has_moved) {
  const Frames frames(model);
  for (ModelFrame& frame : model.frames)
    frames.each_image(frame, [&](std::size_t place, const Sensor& sensor) {
      if (!has_moved[place]) return;
      const ModelRig& rig = frames.rig(frame);
      const ModelPose& pose = model.images[place].cam_from_world;
      if (sensor == rig.sensors.front().sensor)
        frame.rig_from_world = pose;
      else
        frame.rig_from_world = model_pose(
            model::chained(model::inverted(*model::pose_in_rig(rig, sensor)), pose_of(pose)));
    });
}

}  // namespace

AdjustProblem adjust_problem(const Model& model, const BundleAdjustOptions& options) {
  check_model(model);
  const auto cameras =
                 listed(options.constant_cameras, model.cameras, "constant_cameras", "camera"),
             images = listed(options.constant_images, model.images, "constant_images", "image");
  const auto points = listed(options.constant_points, model.points, "constant_points", "point");
  AdjustProblem problem;
  std::unordered_map<Id, int> place_of_camera;
  for (const ModelCamera* camera : used_cameras(model)) {
    place_of_camera.emplace(camera->id, static_cast<int>(problem.cameras.size()));
    problem.cameras.push_back(adjust_camera(*camera, options));
    problem.cameras.back().is_constant = cameras.contains(camera->id);
  }
  for (const ModelImage& image : model.images)
    problem.images.push_back({pose_of(image.cam_from_world), place_of_camera.at(image.camera_id),
                              !options.refine_poses || images.contains(image.id)});
  if (!options.separate_frames) Frames(model).require_single_images(problem);
  add_observations(model, options, problem);
  if (!options.refine_points) problem.constant_points.assign(model.points.size(), true);
  if (options.refine_points && !points.empty())
    for (const ModelPoint& point : model.points)
      problem.constant_points.push_back(points.contains(point.id));
  return problem;
}

void take_adjusted(Model& model, const AdjustProblem& problem, const BundleAdjustOptions& options) {
  const std::vector<ModelCamera*> cameras = used_cameras(model);
  if (cameras.size() != problem.cameras.size() || model.images.size() != problem.images.size() ||
      model.points.size() != problem.points.size())
    refuse("the problem was not made of this model");
  for (std::size_t i = 0; i < cameras.size(); ++i) take_camera(*cameras[i], problem.cameras[i]);
  std::vector<bool> has_moved(model.images.size());
  for (std::size_t i = 0; i < model.images.size(); ++i) {
    ModelPose& pose = model.images[i].cam_from_world;
    has_moved[i] = !are_same(pose_of(pose), problem.images[i].cam_from_world);
    if (has_moved[i]) pose = model_pose(problem.images[i].cam_from_world);
  }
  for (std::size_t i = 0; i < model.points.size(); ++i) model.points[i].xyz = problem.points[i];
  if (options.separate_frames) {
    model.has_frames = false;
    model.rigs.clear(), model.frames.clear();
  } else {
    take_frames(model, has_moved);
  }
}

}  // namespace bifocal::colmap
