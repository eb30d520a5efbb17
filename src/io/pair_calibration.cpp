// SPDX-License-Identifier: BSD-3-Clause
// Reads two cameras with lens distortion and their relative pose: text with COLMAP's camera lines,
// JSON, or OpenCV's format (opencv_calibration.cpp).
#include <bifocal/geometry.hpp>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "io/parse.hpp"
#include "scene/pixel.hpp"

namespace bifocal::io {
namespace {

using Json = nlohmann::json;

// Coefficients of the kind LENS_BROWN.
constexpr double Distortion::*kBrown[] = {&Distortion::k1, &Distortion::k2, &Distortion::p1,
                                          &Distortion::p2, &Distortion::k3, &Distortion::k4,
                                          &Distortion::k5, &Distortion::k6};

// where: the line or the key, for messages.
void check_camera(const Camera& c, std::string_view name, const std::string& where) {
  const Intrinsics& k = c.intrinsics;
  const Distortion& d = c.distortion;
  for (const double v : {k.fx, k.fy, k.cx, k.cy, d.k1, d.k2, d.p1, d.p2, d.k3, d.k4, d.k5, d.k6})
    if (!std::isfinite(v)) reject(name, "{}: {} is not finite", where, v);
  if (const std::string fault = fault_of(k); !fault.empty()) reject(name, "{}: {}", where, fault);
}

void check_pose(const Pose& pose, std::string_view name, const std::string& at_R,
                const std::string& at_t) {
  for (const double v : pose.R)
    if (!std::isfinite(v)) reject(name, "{}: {} is not finite", at_R, v);
  if (const std::string fault = rotation_fault(pose.R); !fault.empty())
    reject(name, "{}: {}", at_R, fault);
  const double length = std::hypot(pose.t[0], pose.t[1], pose.t[2]);
  if (!(length > 0) || !std::isfinite(length))
    reject(name, "{}: {} {} {}: must be finite and not zero", at_t, pose.t[0], pose.t[1],
           pose.t[2]);
  if (length < kLeastBaseline || length > kMostBaseline)
    reject(name, "{}: {} {} {}: the length must be {} to {}", at_t, pose.t[0], pose.t[1], pose.t[2],
           kLeastBaseline, kMostBaseline);
}

// Parses CAMERA_ID MODEL WIDTH HEIGHT PARAMS..., in pixels relative to COLMAP's origin, the corner.
Camera camera_of_line(const LineReader& reader, std::string_view name) {
  const auto& words = reader.words();
  const std::string where = fmt::format("line {}", reader.line());
  if (words.size() < 4)
    reject(name, "{}: {} words, expected CAMERA_ID MODEL WIDTH HEIGHT PARAMS...", where,
           words.size());
  const scene::CameraModel* const model = scene::camera_model(words[1]);
  if (!model || (model->kind != scene::LENS_PINHOLE && model->kind != scene::LENS_BROWN))
    reject(name,
           "{}: camera model {}: known are SIMPLE_PINHOLE, PINHOLE, SIMPLE_RADIAL, RADIAL, OPENCV "
           "and FULL_OPENCV",
           where, printable(words[1]));
  const auto focal = static_cast<std::size_t>(model->focal_lengths),
             needed = 4 + static_cast<std::size_t>(model->parameter_count());
  if (words.size() != needed)
    reject(name, "{}: {} has {} parameters, here are {}", where, model->name, needed - 4,
           words.size() - 4);
  Camera camera;
  camera.width = side_from(reader.number(2), name, where + ": width");
  camera.height = side_from(reader.number(3), name, where + ": height");
  Intrinsics& K = camera.intrinsics;
  K = {reader.number(4), reader.number(3 + focal), reader.number(4 + focal),
       reader.number(5 + focal)};
  scene::from_colmap(K.cx, K.cy);
  for (std::size_t i = 6 + focal; i < needed; ++i)
    camera.distortion.*kBrown[model->places[i - 6 - focal]] = reader.number(i);
  check_camera(camera, name, where);
  return camera;
}

Calibration parse_text(std::string_view text, std::string_view name) {
  Pose pose;
  std::vector<Camera> cameras;
  std::string at_R, at_t;
  const auto numbers = [&](const LineReader& reader, std::size_t count, double* to,
                           std::string& at) {
    const std::string_view key = reader.words()[0];
    if (!at.empty()) reject(name, "line {}: a second {}", reader.line(), key);
    at = fmt::format("line {}: {}", reader.line(), key);
    if (reader.words().size() != count + 1)
      reject(name, "{}: {} numbers, expected {}", at, reader.words().size() - 1, count);
    for (std::size_t i = 0; i < count; ++i) to[i] = reader.number(i + 1);
  };
  LineReader reader(text, name, ",;[]=:");
  while (reader.next()) {
    const std::string_view key = reader.words()[0];
    if (key == "R") {
      numbers(reader, 9, pose.R.data(), at_R);
    } else if (key == "t" || key == "T") {
      numbers(reader, 3, pose.t.data(), at_t);
    } else if (to_number<std::int64_t>(key)) {
      if (cameras.size() == 2) reject(name, "line {}: a third camera", reader.line());
      cameras.push_back(camera_of_line(reader, name));
    } else {
      reject(name, "line {}: {}: expected a camera's number, R or t", reader.line(),
             printable(key));
    }
  }
  if (cameras.empty())
    reject(name, "has no camera (a line CAMERA_ID MODEL WIDTH HEIGHT PARAMS...)");
  if (at_R.empty()) reject(name, "has no R, the rotation from camera 1 to camera 2");
  if (at_t.empty()) reject(name, "has no t, the translation from camera 1 to camera 2");
  check_pose(pose, name, at_R, at_t);
  return {cameras.front(), cameras.back(), pose, {}};
}

// Returns a value as text for messages; only the type for arrays and objects, which may be deep.
std::string shown(const Json& value) {
  return value.is_structured() ? fmt::format("an {}", value.type_name()) : printable(value.dump());
}

double number_of(const Json& object, const std::string& key, std::string_view name,
                 const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end()) reject(name, "{} has no \"{}\"", where, key);
  if (!found->is_number()) reject(name, "{}: {}: {} is not a number", where, key, shown(*found));
  return found->get<double>();
}

Camera camera_of_json(const Json& root, const std::string& key, std::string_view name) {
  const auto found = root.find(key);
  if (found == root.end() || !found->is_object()) reject(name, "has no object \"{}\"", key);
  const auto number = [&](const char* k) { return number_of(*found, k, name, key); };
  Camera camera{{number("fx"), number("fy"), number("cx"), number("cy")},
                {},
                side_from(number("width"), name, key + ": width"),
                side_from(number("height"), name, key + ": height")};
  for (int i = 0; i < scene::kLensCoefficients[scene::LENS_BROWN].count(); ++i)
    if (const std::string k(scene::kLensCoefficients[scene::LENS_BROWN][i]); found->contains(k))
      camera.distortion.*kBrown[i] = number(k.c_str());
  check_camera(camera, name, key);
  return camera;
}

void numbers_of_json(const Json& root, const char* key, std::size_t count, double* to,
                     std::string_view name) {
  const auto found = root.find(key);
  if (found == root.end()) reject(name, "has no \"{}\"", key);
  if (!found->is_array() || found->size() != count)
    reject(name, "{}: {} is not an array of {} numbers", key, shown(*found), count);
  for (std::size_t i = 0; i < count; ++i) {
    if (!(*found)[i].is_number()) reject(name, "{}: {} is not a number", key, shown((*found)[i]));
    to[i] = (*found)[i].get<double>();
  }
}

Calibration parse_json(std::string_view text, std::string_view name) {
  Json root;
  try {
    root = Json::parse(text);
  } catch (const Json::exception& e) {
    reject(name, "is no JSON: {}", e.what());
  }
  Calibration out;
  out.camera1 = camera_of_json(root, "camera1", name);
  out.camera2 = camera_of_json(root, "camera2", name);
  Pose& pose = out.cam2_from_cam1.emplace();
  numbers_of_json(root, "R", 9, pose.R.data(), name);
  numbers_of_json(root, "t", 3, pose.t.data(), name);
  check_pose(pose, name, "R", "t");
  return out;
}

bool is_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

}  // namespace

bool is_pair_calibration(std::string_view text, std::string_view name) {
  if (is_opencv_storage(text) || is_json(text)) return true;
  LineReader reader(text, name, ",;[]=:");
  if (!reader.next()) return false;
  const auto& words = reader.words();
  const bool is_pose = words[0] == "R" || words[0] == "t" || words[0] == "T";
  return is_pose ||
         (words.size() > 3 && to_number<std::int64_t>(words[0]) && !to_number<double>(words[1]));
}

Calibration parse_pair_calibration(std::string_view text, std::string_view name) {
  refuse_camera_info(text, name);
  if (is_opencv_storage(text)) {
    const Calibration out = parse_opencv_calibration(text, name);
    check_camera(out.camera1, name, "M1");
    check_camera(out.camera2, name, "M2");
    check_pose(*out.cam2_from_cam1, name, "R", "T");
    return out;
  }
  return is_json(text) ? parse_json(text, name) : parse_text(text, name);
}

}  // namespace bifocal::io

namespace bifocal {

Calibration read_pair_calibration(const std::filesystem::path& file) {
  return io::parse_pair_calibration(read_text(file, 1 << 20), file.string());
}

Calibration read_any_calibration(const std::filesystem::path& file) {
  const std::string text = read_text(file, 1 << 20), name = file.string();
  if (io::is_pair_calibration(text, name)) return io::parse_pair_calibration(text, name);
  return io::parse_calibration(text, name);
}

}  // namespace bifocal
