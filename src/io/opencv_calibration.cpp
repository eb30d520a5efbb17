// SPDX-License-Identifier: BSD-3-Clause
// Reads a stereo calibration written by OpenCV's FileStorage, as YAML or XML: matrices M1 D1
// M2 D2 R T. Only top-level entries that are matrices or plain numbers are used; all other
// entries are ignored.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <pugixml.hpp>
#include <string>

#include "io/parse.hpp"

namespace bifocal::io {
namespace {

constexpr std::size_t kMostNumbers = 64;  // of a matrix; further numbers are ignored
// yaml-cpp takes 240 bytes of memory per byte of text; a calibration has about 2000 bytes.
constexpr std::size_t kMostYamlBytes = 1 << 17;

// An entry of the file, as words.
struct Entry {
  bool is_matrix = false;
  std::string rows, cols;
  std::vector<std::string> data;  // for a number, the number itself
};
using Entries = std::map<std::string, Entry, std::less<>>;

void add(Entries& entries, const std::string& key, Entry entry, std::string_view name) {
  if (!entry.is_matrix && (entry.data.size() != 1 || !to_number<double>(entry.data[0]))) return;
  if (!entries.emplace(key, std::move(entry)).second)
    reject(name, "{}: a second one", printable(key));
}

std::string word_of(const YAML::Node& node) {
  return node.IsDefined() && node.IsScalar() ? node.Scalar() : std::string();
}

// Reads "KEY: number", or "KEY: !!opencv-matrix" with rows, cols, dt, data: [ ... ].
Entries entries_of_yaml(std::string_view text, std::string_view name) {
  if (text.size() > kMostYamlBytes)
    reject(name, "has {} bytes, more than the {} of a YAML file", text.size(), kMostYamlBytes);
  Entries entries;
  try {
    for (const auto& pair : YAML::Load(std::string(text))) {
      const YAML::Node& value = pair.second;
      if (!pair.first.IsDefined() || !pair.first.IsScalar()) continue;
      const std::string& key = pair.first.Scalar();
      Entry entry;
      entry.is_matrix = value.Tag().ends_with("opencv-matrix") && value.IsMap();
      if (entry.is_matrix) {
        entry.rows = word_of(value["rows"]);
        entry.cols = word_of(value["cols"]);
        const YAML::Node data = value["data"];
        if (!data.IsDefined() || !data.IsSequence())
          reject(name, "{}: data is not in brackets", printable(key));
        for (std::size_t i = 0; i < std::min(data.size(), kMostNumbers + 1); ++i)
          entry.data.push_back(word_of(data[i]));
      } else {
        entry.data = {word_of(value)};
      }
      add(entries, key, std::move(entry), name);
    }
  } catch (const YAML::Exception& e) {
    reject(name, "line {}: is no YAML: {}", e.mark.line + 1, printable(e.msg));
  }
  return entries;
}

// Reads <opencv_storage> with <KEY>number</KEY>, or <KEY type_id="opencv-matrix"> with <rows>,
// <cols>, <dt>, <data>.
Entries entries_of_xml(std::string_view text, std::string_view name) {
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(text.data(), text.size());
  if (!parsed) {
    const std::string_view read = text.substr(0, std::size_t(parsed.offset));
    reject(name, "line {}: is no XML: {}", 1 + std::count(read.begin(), read.end(), '\n'),
           parsed.description());
  }
  const pugi::xml_node root = document.child("opencv_storage");
  if (!root) reject(name, "is XML without <opencv_storage>");
  Entries entries;
  for (const pugi::xml_node node : root.children()) {
    Entry entry;
    entry.is_matrix = std::string_view(node.attribute("type_id").value()) == "opencv-matrix";
    entry.rows = node.child_value("rows");
    entry.cols = node.child_value("cols");
    LineReader words(entry.is_matrix ? node.child_value("data") : node.child_value(), name, ",");
    while (entry.data.size() <= kMostNumbers && words.next())
      entry.data.insert(entry.data.end(), words.words().begin(), words.words().end());
    add(entries, node.name(), std::move(entry), name);
  }
  return entries;
}

// Returns the first entry with any of the names; nullptr if none exists.
const Entries::value_type* find(const Entries& entries, std::initializer_list<const char*> names) {
  for (const char* key : names) {
    const auto found = entries.find(std::string_view(key));
    if (found != entries.end()) return &*found;
  }
  return nullptr;
}

// Returns the numbers of a matrix that must have one of the sizes.
std::vector<double> matrix(const Entries& entries, std::initializer_list<const char*> names,
                           std::initializer_list<std::size_t> sizes, std::string_view name) {
  const auto* found = find(entries, names);
  if (!found || !found->second.is_matrix) reject(name, "has no matrix {}", *names.begin());
  const auto& [key, entry] = *found;
  std::vector<double> values;
  for (const std::string& word : entry.data) {
    const auto value = to_number<double>(word);
    if (!value || !std::isfinite(*value))
      reject(name, "{}: {} is no finite number", printable(key), printable(word));
    values.push_back(*value);
  }
  const auto rows = to_number<std::size_t>(entry.rows), cols = to_number<std::size_t>(entry.cols);
  const bool fits = rows && cols && *rows <= kMostNumbers && *cols <= kMostNumbers &&
                    *rows * *cols == values.size();
  if (!fits)
    reject(name, "{}: {} numbers, but rows {} and cols {}", printable(key), values.size(),
           printable(entry.rows), printable(entry.cols));
  if (std::find(sizes.begin(), sizes.end(), values.size()) == sizes.end())
    reject(name, "{}: a matrix of {} numbers does not belong there", printable(key), values.size());
  return values;
}

int side(const Entries& entries, std::initializer_list<const char*> names, std::string_view name) {
  const auto* found = find(entries, names);
  if (!found || found->second.is_matrix) return 0;
  return side_from(*to_number<double>(found->second.data[0]), name, found->first);
}

Camera camera(const Entries& entries, std::initializer_list<const char*> M,
              std::initializer_list<const char*> D, std::string_view name) {
  Camera c;
  c.intrinsics = camera_from(matrix(entries, M, {9}, name), name, *M.begin());
  std::vector<double> d;
  if (find(entries, D)) d = matrix(entries, D, {4, 5, 8, 12, 14}, name);
  for (std::size_t i = 8; i < d.size(); ++i)
    if (d[i] != 0)
      reject(name, "{}: coefficient {} is {}: thin prisms and tilted sensors are not known",
             *D.begin(), i + 1, d[i]);
  d.resize(8);
  c.distortion = {.k1 = d[0],
                  .k2 = d[1],
                  .p1 = d[2],
                  .p2 = d[3],
                  .k3 = d[4],
                  .k4 = d[5],
                  .k5 = d[6],
                  .k6 = d[7]};
  c.width = side(entries, {"image_width", "width"}, name);
  c.height = side(entries, {"image_height", "height"}, name);
  if ((c.width == 0) != (c.height == 0)) c.width = c.height = 0;
  return c;
}

}  // namespace

bool is_opencv_storage(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return text.starts_with("%YAML") || text.starts_with("<?xml") ||
         text.starts_with("<opencv_storage>");
}

Calibration parse_opencv_calibration(std::string_view text, std::string_view name) {
  const bool is_yaml = text.find('%') < text.find('<');
  const Entries entries = is_yaml ? entries_of_yaml(text, name) : entries_of_xml(text, name);
  if (!find(entries, {"M1", "K1", "cameraMatrix1"}) &&
      !find(entries, {"M2", "K2", "cameraMatrix2"}) && find(entries, {"R"}) &&
      find(entries, {"T", "t"}))
    reject(name,
           "has R and T, and no camera (M1, D1, M2, D2): OpenCV's stereo_calib writes those to "
           "another file (intrinsics.yml); put the matrices of both into one file");
  Calibration out;
  out.camera1 = camera(entries, {"M1", "K1", "cameraMatrix1"}, {"D1", "distCoeffs1"}, name);
  out.camera2 = camera(entries, {"M2", "K2", "cameraMatrix2"}, {"D2", "distCoeffs2"}, name);
  if (!find(entries, {"R"}) && !find(entries, {"T", "t"}))
    reject(name,
           "has the cameras, and neither R nor T: OpenCV's stereo_calib writes those to another "
           "file (extrinsics.yml); put the matrices of both into one file");
  const std::vector<double> R = matrix(entries, {"R"}, {9}, name),
                            t = matrix(entries, {"T", "t"}, {3}, name);
  Pose& pose = out.cam2_from_cam1.emplace();
  std::copy(R.begin(), R.end(), pose.R.begin());
  std::copy(t.begin(), t.end(), pose.t.begin());
  return out;
}

}  // namespace bifocal::io
