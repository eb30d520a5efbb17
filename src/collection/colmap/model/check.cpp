// SPDX-License-Identifier: BSD-3-Clause
// Rules that hold between the items of a model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include <bifocal/camera.hpp>

#include "collection/colmap/model/frames.hpp"
#include "collection/colmap/model/parts.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::colmap::model {
namespace {

constexpr std::size_t kPointBlock = 1024;  // points of a thread at a time

// Finds items by id. Refuses duplicate ids.
template <class Id, class Item>
class Index {
 public:
  Index(const std::vector<Item>& items, Part part, const char* kind, const Refuse& refuse) {
    items_.reserve(items.size());
    for (const Item& item : items) items_.emplace_back(item.id, &item);
    if (!std::ranges::is_sorted(items_, {}, &Entry::first))
      std::ranges::stable_sort(items_, {}, &Entry::first);
    const auto twice = std::ranges::adjacent_find(items_, {}, &Entry::first);
    if (twice != items_.end())
      refuse(part, fmt::format("{} {} is there twice", kind, twice->first));
  }
  // Ids mostly have even distances, so every second step guesses the place between the least and
  // the largest id; the other steps halve the range.
  [[nodiscard]] const Item* find(Id id) const {
    std::size_t begin = 0, end = items_.size();  // of the possible places
    for (bool is_guess = true; begin < end; is_guess = !is_guess) {
      const Id least = items_[begin].first, largest = items_[end - 1].first;
      if (id < least || id > largest) break;
      const auto last = static_cast<double>(end - 1 - begin),
                 span = static_cast<double>(largest - least);
      const std::size_t place =
          begin + (is_guess && span > 0
                       ? static_cast<std::size_t>(static_cast<double>(id - least) * last / span)
                       : (end - begin) / 2);
      const Id found = items_[place].first;
      if (found == id) return items_[place].second;
      (found < id ? begin : end) = found < id ? place + 1 : place;
    }
    return nullptr;
  }

 private:
  using Entry = std::pair<Id, const Item*>;
  std::vector<Entry> items_;  // in ascending order
};

// Refuses the first item with a fault; fault_of(item) is empty without one. Items are examined in
// parallel.
template <class Item, class FaultOf>
void refuse_first(const std::vector<Item>& items, Part part, const char* kind, const Refuse& refuse,
                  const FaultOf& fault_of, std::size_t block) {
  std::vector<std::string> messages((items.size() + block - 1) / block);
  runtime::parallel_each(messages.size(), [&](std::size_t k) {
    const std::size_t end = std::min(items.size(), (k + 1) * block);
    for (std::size_t i = k * block; i < end && messages[k].empty(); ++i)
      if (const std::string fault = fault_of(items[i]); !fault.empty())
        messages[k] = fmt::format("{} {}: {}", kind, items[i].id, fault);
  });
  for (const std::string& message : messages)
    if (!message.empty()) refuse(part, message);
}

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

std::string fault_of(const ModelCamera& k) {
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
    for (const ModelCamera& k : model_.cameras)
      if (const std::string fault = fault_of(k); !fault.empty())
        refuse_(Part::cameras, fmt::format("camera {}: {}", k.id, fault));
  }

  void images() const {
    refuse_first(
        model_.images, Part::images, "image", refuse_,
        [&](const ModelImage& image) { return fault_of_image(image); }, 1);
  }

  // Every observation of a point is in the point's track and the reverse.
  void points() const {
    refuse_first(
        model_.points, Part::points, "point", refuse_,
        [&](const ModelPoint& point) { return fault_of_point(point); }, kPointBlock);
    std::size_t elements = 0;
    for (const ModelPoint& point : model_.points) elements += point.track.size();
    std::vector<std::size_t> counts(model_.images.size());
    runtime::parallel_each(counts.size(), [&](std::size_t i) {
      for (const ModelObservation& o : model_.images[i].observations)
        counts[i] += o.point_id != kNoPoint ? 1 : 0;
    });
    const std::size_t observations = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
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
  [[nodiscard]] std::string fault_of_image(const ModelImage& image) const {
    if (std::string fault = fault_of(image.cam_from_world); !fault.empty()) return fault;
    if (!cameras_.find(image.camera_id))
      return fmt::format("camera {} is not in the model", image.camera_id);
    if (image.name.empty() || image.name.find('\0') != std::string::npos) return "has no name";
    if (image.observations.size() >= std::numeric_limits<std::uint32_t>::max())
      return fmt::format("{} observations, too many", image.observations.size());
    for (std::size_t i = 0; i < image.observations.size(); ++i) {
      const ModelObservation& o = image.observations[i];
      if (!std::isfinite(o.x) || !std::isfinite(o.y))
        return fmt::format("observation {} is at {} {} px, must be finite", i, o.x, o.y);
      if (o.point_id != kNoPoint && !points_.find(o.point_id))
        return fmt::format("observation {} is of point {}, which is not in the model", i,
                           o.point_id);
    }
    return {};
  }

  [[nodiscard]] std::string fault_of_point(const ModelPoint& point) const {
    if (point.id == kNoPoint) return "the number means that there is no point";
    if (!all_finite(point.xyz)) return "a coordinate is not finite";
    for (const TrackElement& e : point.track) {
      const ModelImage* image = images_.find(e.image_id);
      if (!image) return fmt::format("image {} of its track is not in the model", e.image_id);
      if (e.observation >= image->observations.size())
        return fmt::format("observation {} of image {} in its track, the image has {}",
                           e.observation, e.image_id, image->observations.size());
      const PointId seen = image->observations[e.observation].point_id;
      if (seen == kNoPoint)
        return fmt::format("observation {} of image {} in its track is of no point for the image",
                           e.observation, e.image_id);
      if (seen != point.id)
        return fmt::format("observation {} of image {} in its track is of point {} for the image",
                           e.observation, e.image_id, seen);
    }
    return has_duplicate(point.track) ? "its track has an observation twice" : "";
  }

  static bool has_duplicate(const std::vector<TrackElement>& track) {
    const auto key = [](const TrackElement& e) {
      return std::uint64_t{e.image_id} << 32 | e.observation;
    };
    if (std::ranges::adjacent_find(track, std::ranges::greater_equal(), key) == track.end())
      return false;  // ascending
    std::vector<std::uint64_t> keys;
    keys.reserve(track.size());
    for (const TrackElement& e : track) keys.push_back(key(e));
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
  Index<Id, ModelCamera> cameras_;
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
