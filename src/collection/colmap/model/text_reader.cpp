// SPDX-License-Identifier: BSD-3-Clause
// Reads the text files of a model.
#include <fmt/format.h>

#include <limits>

#include "collection/colmap/model/parts.hpp"
#include "io/parse.hpp"
#include "io/reject.hpp"
#include "scene/pixel.hpp"

namespace bifocal::colmap::model {
namespace {

constexpr std::string_view kBlanks = " \t\r";

// Words of one line.
class Line {
 public:
  Line(std::string_view text, const std::string& name, int number)
      : rest_(text), name_(&name), number_(number) {
    skip_blanks();
  }
  [[nodiscard]] bool done() const { return rest_.empty(); }
  [[nodiscard]] std::string_view word(const char* what) {
    if (rest_.empty()) refuse(fmt::format("{} is missing", what));
    const std::size_t end = std::min(rest_.find_first_of(kBlanks), rest_.size());
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(end);
    skip_blanks();
    return found;
  }
  // Returns the rest of the line without blanks at its end.
  [[nodiscard]] std::string_view rest(const char* what) {
    if (rest_.empty()) refuse(fmt::format("{} is missing", what));
    const std::string_view found = rest_.substr(0, rest_.find_last_not_of(kBlanks) + 1);
    rest_ = {};
    return found;
  }
  template <class Number>
  [[nodiscard]] Number number(const char* what) {
    const std::string_view found = word(what);
    if (const auto value = io::to_number<Number>(found)) return *value;
    refuse(fmt::format("{} is '{}', must be {}", what, io::printable(found), kind<Number>()));
  }
  [[nodiscard]] PointId point_id() {
    if (rest_.starts_with("-1") && (rest_.size() == 2 || kBlanks.find(rest_[2]) < kBlanks.size())) {
      (void)word("POINT3D_ID");
      return kNoPoint;
    }
    return number<PointId>("POINT3D_ID");
  }
  [[nodiscard]] ModelPose pose() {
    const char* const names[] = {"QW", "QX", "QY", "QZ", "TX", "TY", "TZ"};
    ModelPose pose;
    for (std::size_t i = 0; i < 4; ++i) pose.rotation[i] = number<double>(names[i]);
    for (std::size_t i = 0; i < 3; ++i) pose.translation[i] = number<double>(names[4 + i]);
    return pose;
  }
  [[nodiscard]] Sensor sensor() {
    const std::string_view type = word("SENSOR_TYPE");
    const bool is_camera = type == "CAMERA", is_imu = type == "IMU";
    if (!is_camera && !is_imu && type != "INVALID")
      refuse(fmt::format("SENSOR_TYPE is '{}', must be CAMERA or IMU", io::printable(type)));
    return {is_camera ? SensorType::camera
            : is_imu  ? SensorType::imu
                      : SensorType::invalid,
            number<Id>("SENSOR_ID")};
  }
  void require_end() const {
    if (!rest_.empty()) refuse(fmt::format("'{}' after its last item", io::printable(rest_)));
  }
  [[noreturn]] void refuse(const std::string& what) const {
    io::reject(*name_, "line {}: {}", number_, what);
  }

 private:
  template <class Number>
  static const char* kind() {
    if constexpr (std::is_floating_point_v<Number>) return "a number";
    if constexpr (sizeof(Number) == 1) return "a whole number from 0 to 255";
    return std::is_signed_v<Number> ? "a whole number" : "a whole number of at least 0";
  }
  void skip_blanks() {
    const std::size_t at = rest_.find_first_not_of(kBlanks);
    rest_.remove_prefix(std::min(at, rest_.size()));
  }
  std::string_view rest_;
  const std::string* name_;
  int number_;
};

// Lines of a file.
class Lines {
 public:
  Lines(std::string_view text, const std::string& name) : text_(text), name_(name) {
    // COLMAP's files end with the end of a line. Without one the last number may be cut.
    if (text.starts_with('#') && !text.ends_with('\n') && text.find("\n# Number of ") < text.size())
      io::reject(name, "the last line has no end; the file is cut, or add an empty line");
  }
  // Returns the next line, even if it is empty. No value at the end of the file.
  [[nodiscard]] std::optional<Line> any() {
    if (at_ >= text_.size()) return {};
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = text_.substr(at_, end - at_);
    at_ = end + 1;
    return Line(line, name_, ++number_);
  }
  // Returns the next line that is neither empty nor a comment.
  [[nodiscard]] std::optional<Line> next() {
    while (at_ < text_.size()) {
      const std::size_t first = text_.find_first_not_of(kBlanks, at_);
      const bool is_data = first < text_.size() && text_[first] != '\n' && text_[first] != '#';
      std::optional<Line> line = any();
      if (is_data) return line;
    }
    return {};
  }

 private:
  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  int number_ = 0;
};

ModelCamera camera(Line& line) {
  ModelCamera k;
  k.id = line.number<Id>("CAMERA_ID");
  const std::string_view model = line.word("MODEL");
  k.model = model_number(model);
  const int count = parameter_count(k.model);
  if (count == 0)
    line.refuse(fmt::format("camera {}: '{}' is no camera model", k.id, io::printable(model)));
  k.width = line.number<std::int64_t>("WIDTH"), k.height = line.number<std::int64_t>("HEIGHT");
  while (!line.done() && k.params.size() <= static_cast<std::size_t>(count))
    k.params.push_back(line.number<double>("PARAMS"));
  if (k.params.size() != static_cast<std::size_t>(count))
    line.refuse(
        fmt::format("camera {}: {}{} parameters, {} has {}", k.id, line.done() ? "" : "more than ",
                    line.done() ? k.params.size() : static_cast<std::size_t>(count), model, count));
  scene::from_colmap(k.model, k.params);
  return k;
}

ModelPoint point(Line& line) {
  ModelPoint point;
  point.id = line.number<PointId>("POINT3D_ID");
  for (double& v : point.xyz) v = line.number<double>("XYZ");
  for (std::uint8_t& v : point.rgb) v = line.number<std::uint8_t>("RGB");
  point.error = line.number<double>("ERROR");
  while (!line.done())
    point.track.push_back({line.number<Id>("IMAGE_ID"), line.number<std::uint32_t>("POINT2D_IDX")});
  return point;
}

ModelRig rig(Line& line) {
  ModelRig rig;
  rig.id = line.number<Id>("RIG_ID");
  const auto count = line.number<std::uint32_t>("NUM_SENSORS");
  for (std::uint32_t i = 0; i < count; ++i) {
    RigSensor& one = rig.sensors.emplace_back();
    one.sensor = line.sensor();
    if (i == 0) continue;  // the reference
    const std::string_view has_pose = line.word("HAS_POSE");
    if (has_pose != "0" && has_pose != "1")
      line.refuse(fmt::format("HAS_POSE is '{}', must be 0 or 1", io::printable(has_pose)));
    if (has_pose == "1") one.sensor_from_rig = line.pose();
  }
  return rig;
}

ModelFrame frame(Line& line) {
  ModelFrame frame;
  frame.id = line.number<Id>("FRAME_ID");
  frame.rig_id = line.number<Id>("RIG_ID");
  frame.rig_from_world = line.pose();
  const auto count = line.number<std::uint32_t>("NUM_DATA_IDS");
  for (std::uint32_t i = 0; i < count; ++i) {
    const Sensor sensor = line.sensor();
    frame.data.push_back({sensor, line.number<std::uint64_t>("DATA_ID")});
  }
  return frame;
}

// An image has two lines. The second one may be empty, or missing at the end of the file.
void read_images(Lines& lines, std::vector<ModelImage>& to) {
  while (std::optional<Line> line = lines.next()) {
    ModelImage& image = to.emplace_back();
    image.id = line->number<Id>("IMAGE_ID");
    image.cam_from_world = line->pose();
    image.camera_id = line->number<Id>("CAMERA_ID");
    image.name = line->rest("NAME");
    line = lines.any();
    while (line && !line->done()) {
      ModelObservation o;
      o.x = line->number<double>("X");
      o.y = line->number<double>("Y");
      scene::from_colmap(o.x, o.y);
      o.point_id = line->point_id();
      image.observations.push_back(o);
    }
  }
}

template <class Item>
void read_list(Lines& lines, Item (*read_one)(Line&), std::vector<Item>& to) {
  while (std::optional<Line> line = lines.next()) {
    to.push_back(read_one(*line));
    line->require_end();
  }
}

}  // namespace

void text::read(Part part, std::string_view bytes, const std::string& name, Model& model) {
  Lines lines(bytes, name);
  switch (part) {
    case Part::cameras:
      return read_list(lines, camera, model.cameras);
    case Part::images:
      return read_images(lines, model.images);
    case Part::points:
      return read_list(lines, point, model.points);
    case Part::rigs:
      return read_list(lines, rig, model.rigs);
    case Part::frames:
      return read_list(lines, frame, model.frames);
  }
}

}  // namespace bifocal::colmap::model
