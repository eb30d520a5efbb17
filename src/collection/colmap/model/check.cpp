// SPDX-License-Identifier: BSD-3-Clause
// Rules that hold between the items of a model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include <bifocal/camera.hpp>

#include "collection/colmap/model/frames.hpp"
#include "collection/colmap/model/parts.hpp"

namespace bifocal::colmap::model {
namespace {

// Finds items by id. Refuses duplicate ids.
template <class Id, class Item>
class Index {
 public:
  Index(const std::vector<Item>& items, Part part, const char* kind, const Refuse& refuse) {
    places_.reserve(items.size());
    for (const Item& item : items)
      if (!places_.emplace(item.id, &item).second)
        refuse(part, fmt::format("{} {} is there twice", kind, item.id));
  }
  [[nodiscard]] const Item* find(Id id) const {
    const auto found = places_.find(id);
    return found == places_.end() ? nullptr : found->second;
  }

 private:
  std::unordered_map<Id, const Item*> places_;
};

template <class Numbers>
bool all_finite(const Numbers& numbers) {
  return std::ranges::all_of(numbers, [](double v) { return std::isfinite(v); });
}

std::string fault_of(const ModelPose& pose) {
  if (!all_finite(pose.rotation) || !all_finite(pose.translation))
    return "the pose has a number that is not finite";
  double length = 0;
  for (const double v : pose.rotation) length += v * v;
  if (!(length >= 1e-200 && length <= 1e200)) return "the quaternion's length is 0 or beyond 1e100";
  return {};
}

std::string fault_of(const Camera& k) {
  const int count = parameter_count(k.model);
  if (count == 0) return fmt::format("number {} is no camera model", k.model);
  const std::string_view name = model_name(k.model);
  if (k.params.size() != static_cast<std::size_t>(count))
    return fmt::format("{} parameters, {} has {}", k.params.size(), name, count);
  if (k.width < 1 || k.height < 1 || k.width > kMaxImages || k.height > kMaxImages)
    return fmt::format("{} x {} px, must be 1 to {}", k.width, k.height, kMaxImages);
  if (!all_finite(k.params)) return "a parameter is not finite";
  for (int i = 0; i < LensCamera::focal_lengths(name); ++i)
    if (!(k.params[static_cast<std::size_t>(i)] > 0))
      return fmt::format("focal length {} px, must be above 0",
                         k.params[static_cast<std::size_t>(i)]);
  return {};
}

class Checker {
 public:
  Checker(const Model& model, const Refuse& refuse)
      : model_(model),
        refuse_(refuse),
        cameras_(model.cameras, Part::cameras, "camera", refuse),
        images_(model.images, Part::images, "image", refuse),
        points_(model.points, Part::points, "point", refuse) {}

  void cameras() const {
    for (const Camera& k : model_.cameras)
      if (const std::string fault = fault_of(k); !fault.empty())
        refuse_(Part::cameras, fmt::format("camera {}: {}", k.id, fault));
  }

  void images() const {
    for (const ModelImage& image : model_.images) {
      const auto refuse = [&](const std::string& what) {
        refuse_(Part::images, fmt::format("image {}: {}", image.id, what));
      };
      if (const std::string fault = fault_of(image.cam_from_world); !fault.empty()) refuse(fault);
      if (!cameras_.find(image.camera_id))
        refuse(fmt::format("camera {} is not in the model", image.camera_id));
      if (image.name.empty() || image.name.find('\0') != std::string::npos) refuse("has no name");
      if (image.observations.size() >= std::numeric_limits<std::uint32_t>::max())
        refuse(fmt::format("{} observations, too many", image.observations.size()));
      for (std::size_t i = 0; i < image.observations.size(); ++i) {
        const ModelObservation& o = image.observations[i];
        if (!std::isfinite(o.x) || !std::isfinite(o.y))
          refuse(fmt::format("observation {} is at {} {} px, must be finite", i, o.x, o.y));
        if (o.point_id != kNoPoint && !points_.find(o.point_id))
          refuse(fmt::format("observation {} is of point {}, which is not in the model", i,
                             o.point_id));
      }
    }
  }

  // Every observation of a point is in the point's track and the reverse.
  void points() const {
    std::size_t elements = 0, observations = 0;
    for (const ModelPoint& point : model_.points) {
      elements += point.track.size();
      check_point(point);
    }
    for (const ModelImage& image : model_.images)
      for (const ModelObservation& o : image.observations) observations += o.point_id != kNoPoint;
    // Every element of a track names an observation of its point and none twice: if the numbers
    // are equal, no observation is left.
    if (elements != observations) find_missing_element();
  }

  void rigs() const {
    if (!model_.has_frames && !(model_.rigs.empty() && model_.frames.empty()))
      refuse_(Part::rigs, "a model without has_frames has rigs or frames");
    if (!model_.has_frames) return;
    const Index<Id, ModelRig> rigs(model_.rigs, Part::rigs, "rig", refuse_);
    const Index<Id, ModelFrame> frames(model_.frames, Part::frames, "frame", refuse_);
    for (const ModelRig& rig : model_.rigs) check_rig(rig);
    std::unordered_map<Id, Id> frame_of_image;
    for (const ModelFrame& frame : model_.frames) {
      const ModelRig* rig = rigs.find(frame.rig_id);
      if (!rig)
        refuse_(Part::frames,
                fmt::format("frame {}: rig {} is not in the model", frame.id, frame.rig_id));
      check_frame(frame, *rig, frame_of_image);
    }
    for (const ModelImage& image : model_.images)
      if (!frame_of_image.contains(image.id))
        refuse_(Part::frames, fmt::format("image {} is in no frame", image.id));
  }

 private:
  void check_point(const ModelPoint& point) const {
    const auto refuse = [&](const std::string& what) {
      refuse_(Part::points, fmt::format("point {}: {}", point.id, what));
    };
    if (point.id == kNoPoint) refuse("the number means that there is no point");
    if (!all_finite(point.xyz)) refuse("a coordinate is not finite");
    for (const TrackElement& e : point.track) {
      const ModelImage* image = images_.find(e.image_id);
      if (!image) refuse(fmt::format("image {} of its track is not in the model", e.image_id));
      if (e.observation >= image->observations.size())
        refuse(fmt::format("observation {} of image {} in its track, the image has {}",
                           e.observation, e.image_id, image->observations.size()));
      const PointId seen = image->observations[e.observation].point_id;
      if (seen == kNoPoint)
        refuse(fmt::format("observation {} of image {} in its track is of no point for the image",
                           e.observation, e.image_id));
      if (seen != point.id)
        refuse(fmt::format("observation {} of image {} in its track is of point {} for the image",
                           e.observation, e.image_id, seen));
    }
    if (has_duplicate(point.track)) refuse("its track has an observation twice");
  }

  static bool has_duplicate(const std::vector<TrackElement>& track) {
    std::vector<std::uint64_t> keys;
    keys.reserve(track.size());
    for (const TrackElement& e : track)
      keys.push_back(std::uint64_t{e.image_id} << 32 | e.observation);
    std::ranges::sort(keys);
    return std::ranges::adjacent_find(keys) != keys.end();
  }

  void find_missing_element() const {
    for (const ModelImage& image : model_.images)
      for (std::size_t i = 0; i < image.observations.size(); ++i) {
        const PointId id = image.observations[i].point_id;
        if (id == kNoPoint) continue;
        const TrackElement element{image.id, static_cast<std::uint32_t>(i)};
        if (std::ranges::find(points_.find(id)->track, element) == points_.find(id)->track.end())
          refuse_(Part::points, fmt::format("point {}: its track lacks observation {} of image {}",
                                            id, i, image.id));
      }
  }

  void check_rig(const ModelRig& rig) const {
    const auto refuse = [&](const std::string& what) {
      refuse_(Part::rigs, fmt::format("rig {}: {}", rig.id, what));
    };
    for (std::size_t i = 0; i < rig.sensors.size(); ++i) {
      const auto& [sensor, pose] = rig.sensors[i];
      if (sensor.type == SensorType::camera && !cameras_.find(sensor.id))
        refuse(fmt::format("camera {} is not in the model", sensor.id));
      for (std::size_t k = 0; k < i; ++k)
        if (rig.sensors[k].sensor == sensor)
          refuse(fmt::format("sensor {} is there twice", sensor.id));
      if (i == 0 && pose) refuse("the reference sensor has a pose");
      if (!pose) continue;
      if (const std::string fault = fault_of(*pose); !fault.empty())
        refuse(fmt::format("sensor {}: {}", sensor.id, fault));
    }
  }

  void check_frame(const ModelFrame& frame, const ModelRig& rig,
                   std::unordered_map<Id, Id>& frame_of_image) const {
    const auto refuse = [&](const std::string& what) {
      refuse_(Part::frames, fmt::format("frame {}: {}", frame.id, what));
    };
    if (const std::string fault = fault_of(frame.rig_from_world); !fault.empty()) refuse(fault);
    for (const FrameData& data : frame.data) {
      if (!find_sensor(rig, data.sensor))
        refuse(fmt::format("sensor {} is not in rig {}", data.sensor.id, rig.id));
      // COLMAP keeps images without a pose in frames, but not in the list of images.
      const ModelImage* image = image_of(data, images_);
      if (!image) continue;
      if (image->camera_id != data.sensor.id)
        refuse(fmt::format("image {} is of camera {}, not of {}", image->id, image->camera_id,
                           data.sensor.id));
      if (!frame_of_image.emplace(image->id, frame.id).second)
        refuse(fmt::format("image {} is in two frames", image->id));
    }
  }

  template <class Images>
  static const ModelImage* image_of(const FrameData& data, const Images& images) {
    const bool is_image = data.sensor.type == SensorType::camera && data.id < kMaxImages;
    return is_image ? images.find(static_cast<Id>(data.id)) : nullptr;
  }

  const Model& model_;
  const Refuse& refuse_;
  Index<Id, Camera> cameras_;
  Index<Id, ModelImage> images_;
  Index<PointId, ModelPoint> points_;
};

}  // namespace

void check(const Model& model, const Refuse& refuse) {
  const Checker checker(model, refuse);
  checker.cameras();
  checker.images();
  checker.points();
  checker.rigs();
}

}  // namespace bifocal::colmap::model
