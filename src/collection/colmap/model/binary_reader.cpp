// SPDX-License-Identifier: BSD-3-Clause
// Reads the binary files of a model.
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <type_traits>

#include "collection/colmap/model/parts.hpp"
#include "io/reject.hpp"
#include "scene/pixel.hpp"

namespace bifocal::colmap::model {
namespace {

static_assert(std::endian::native == std::endian::little);

// Least number of bytes of an item. Counts that the file can't hold are refused by them.
constexpr std::size_t kPoseBytes = 7 * sizeof(double), kCameraBytes = 24,
                      kImageBytes = 4 + kPoseBytes + 4 + 1 + 8, kObservationBytes = 24,
                      kPointBytes = 8 + 24 + 3 + 8 + 8, kTrackBytes = 8, kRigBytes = 8,
                      kSensorBytes = 8, kFrameBytes = 8 + kPoseBytes + 4, kDataBytes = 16;

// Reads the numbers of a file in sequence.
class Bytes {
 public:
  Bytes(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  // Messages name this item from now on.
  template <class Number>
  void begin(const char* kind, Number id) {
    kind_ = kind;
    id_ = static_cast<std::uint64_t>(id);
  }
  template <class Number>
  [[nodiscard]] Number next() {
    static_assert(std::is_trivially_copyable_v<Number>);
    if (bytes_.size() - at_ < sizeof(Number)) refuse_cut();
    Number value;
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  // Reads a number of items, each of at least `least_bytes`.
  template <class Number>
  [[nodiscard]] std::size_t count(std::size_t least_bytes, const char* items) {
    const auto count = next<Number>();
    const std::size_t left = bytes_.size() - at_;
    if (count > left / least_bytes)
      io::reject(name_, "{}says {} {}, the {} bytes that follow can't hold them; the file is cut",
                 item(), count, items, left);
    return static_cast<std::size_t>(count);
  }
  // Reads the bytes up to the next zero and skips the zero.
  [[nodiscard]] std::string_view word() {
    const std::size_t end = bytes_.find('\0', at_);
    if (end == std::string_view::npos) refuse_cut();
    const std::string_view found = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return found;
  }
  [[nodiscard]] ModelPose pose() {
    ModelPose pose;
    for (double& v : pose.rotation) v = next<double>();
    for (double& v : pose.translation) v = next<double>();
    return pose;
  }
  [[nodiscard]] Sensor sensor() {
    const auto type = next<std::int32_t>();
    if (type < -1 || type > 1)
      io::reject(name_, "{}sensor type {}, must be 0 (CAMERA) or 1 (IMU)", item(), type);
    return {static_cast<SensorType>(type), next<Id>()};
  }
  void require_end() const {
    if (at_ < bytes_.size())
      io::reject(name_, "has {} bytes after its last item", bytes_.size() - at_);
  }
  [[nodiscard]] std::string item() const {
    return kind_ ? fmt::format("{} {}: ", kind_, id_) : std::string();
  }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  [[noreturn]] void refuse_cut() const {
    io::reject(name_, "{}ends too early, after {} bytes; the file is cut", item(), bytes_.size());
  }
  std::string_view bytes_;
  const std::string& name_;
  std::size_t at_ = 0;
  const char* kind_ = nullptr;
  std::uint64_t id_ = 0;
};

ModelCamera camera(Bytes& in) {
  ModelCamera k;
  k.id = in.next<Id>();
  in.begin("camera", k.id);
  k.model = in.next<std::int32_t>();
  const int count = parameter_count(k.model);
  if (count == 0) io::reject(in.name(), "{}number {} is no camera model", in.item(), k.model);
  const auto width = in.next<std::uint64_t>(), height = in.next<std::uint64_t>();
  if (width > kMaxImages || height > kMaxImages)
    io::reject(in.name(), "{}{} x {} px, at most {} a side", in.item(), width, height, kMaxImages);
  k.width = static_cast<std::int64_t>(width), k.height = static_cast<std::int64_t>(height);
  for (int i = 0; i < count; ++i) k.params.push_back(in.next<double>());
  scene::from_colmap(k.model, k.params);
  return k;
}

ModelImage image(Bytes& in) {
  ModelImage image;
  image.id = in.next<Id>();
  in.begin("image", image.id);
  image.cam_from_world = in.pose();
  image.camera_id = in.next<Id>();
  image.name = in.word();
  image.observations.resize(in.count<std::uint64_t>(kObservationBytes, "observations"));
  for (ModelObservation& o : image.observations) {
    o.x = in.next<double>(), o.y = in.next<double>();
    scene::from_colmap(o.x, o.y);
    o.point_id = in.next<PointId>();
  }
  return image;
}

ModelPoint point(Bytes& in) {
  ModelPoint point;
  point.id = in.next<PointId>();
  in.begin("point", point.id);
  for (double& v : point.xyz) v = in.next<double>();
  for (std::uint8_t& v : point.rgb) v = in.next<std::uint8_t>();
  point.error = in.next<double>();
  point.track.resize(in.count<std::uint64_t>(kTrackBytes, "observations"));
  for (TrackElement& e : point.track) e = {in.next<Id>(), in.next<std::uint32_t>()};
  return point;
}

ModelRig rig(Bytes& in) {
  ModelRig rig;
  rig.id = in.next<Id>();
  in.begin("rig", rig.id);
  const std::size_t count = in.count<std::uint32_t>(kSensorBytes, "sensors");
  for (std::size_t i = 0; i < count; ++i) {
    RigSensor& one = rig.sensors.emplace_back();
    one.sensor = in.sensor();
    if (i == 0) continue;  // the reference
    const auto has_pose = in.next<std::uint8_t>();
    if (has_pose > 1)
      io::reject(in.name(), "{}sensor {} says {} for whether it has a pose, must be 0 or 1",
                 in.item(), one.sensor.id, has_pose);
    if (has_pose == 1) one.sensor_from_rig = in.pose();
  }
  return rig;
}

ModelFrame frame(Bytes& in) {
  ModelFrame frame;
  frame.id = in.next<Id>();
  in.begin("frame", frame.id);
  frame.rig_id = in.next<Id>();
  frame.rig_from_world = in.pose();
  frame.data.resize(in.count<std::uint32_t>(kDataBytes, "data ids"));
  for (FrameData& data : frame.data) data = {in.sensor(), in.next<std::uint64_t>()};
  return frame;
}

template <class Item>
void read_list(Bytes& in, std::size_t least_bytes, const char* items, Item (*read_one)(Bytes&),
               std::vector<Item>& to) {
  const std::size_t count = in.count<std::uint64_t>(least_bytes, items);
  to.reserve(count);
  for (std::size_t i = 0; i < count; ++i) to.push_back(read_one(in));
  in.require_end();
}

}  // namespace

void binary::read(Part part, std::string_view bytes, const std::string& name, Model& model) {
  Bytes in(bytes, name);
  switch (part) {
    case Part::cameras:
      return read_list(in, kCameraBytes, "cameras", camera, model.cameras);
    case Part::images:
      return read_list(in, kImageBytes, "images", image, model.images);
    case Part::points:
      return read_list(in, kPointBytes, "points", point, model.points);
    case Part::rigs:
      return read_list(in, kRigBytes, "rigs", rig, model.rigs);
    case Part::frames:
      return read_list(in, kFrameBytes, "frames", frame, model.frames);
  }
}

}  // namespace bifocal::colmap::model
