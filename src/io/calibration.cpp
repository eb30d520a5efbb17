// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "io/parse.hpp"

namespace bifocal {
namespace io {
namespace {

constexpr std::string_view kBrackets = ",;[]";
// Largest accepted skew as a fraction of fx. It moves a point of a 45 degree field by less than
// 0.01 px in 1000. Calibrations that estimate skew leave such residues.
constexpr double kMaxSkew = 1e-5;

double only_number(const LineReader& reader, std::string_view name) {
  if (reader.words().size() != 2) {
    reject(name, "line {}: {} needs one number", reader.line(), reader.words()[0]);
  }
  const double value = reader.number(1);
  if (!std::isfinite(value)) {
    reject(name, "line {}: {} is not finite", reader.line(), reader.words()[0]);
  }
  return value;
}

Intrinsics matrix_of_line(const LineReader& reader, std::string_view name) {
  std::vector<double> values;
  for (std::size_t i = 1; i < reader.words().size(); ++i) values.push_back(reader.number(i));
  const std::string what = fmt::format("line {}: {}", reader.line(), reader.words()[0]);
  if (values.size() != 9) reject(name, "{}: {} numbers, expected 9", what, values.size());
  return camera_from(values, name, what);
}

// Parses lines "key=value" with blanks anywhere. Unknown keys are ignored.
Calibration parse_middlebury(std::string_view text, std::string_view name) {
  Calibration result;
  Camera &one = result.camera1, &two = result.camera2;
  std::optional<double> doffs;
  LineReader reader(text, name, ",;[]=");
  while (reader.next()) {
    const std::string_view key = reader.words()[0];
    if (key == "cam0") one.intrinsics = matrix_of_line(reader, name);
    if (key == "cam1") two.intrinsics = matrix_of_line(reader, name);
    if (key == "doffs") {
      doffs = only_number(reader, name);
      if (std::abs(*doffs) > kMostPx)
        reject(name, "line {}: doffs {}, must be within {} px", reader.line(), *doffs, kMostPx);
    }
    if (key == "baseline") {
      result.baseline = only_number(reader, name);
      if (*result.baseline < kLeastBaseline || *result.baseline > kMostBaseline) {
        reject(name, "line {}: baseline {} is no length, must be {} to {}", reader.line(),
               *result.baseline, kLeastBaseline, kMostBaseline);
      }
    }
    if (key == "width" || key == "height") {
      (key == "width" ? one.width : one.height) = side_from(
          only_number(reader, name), name, fmt::format("line {}: {}", reader.line(), key));
    }
    if (key == "ndisp") {
      const double disparities = only_number(reader, name);
      if (disparities < 0 || disparities > 65536 || disparities != std::floor(disparities)) {
        reject(name, "line {}: ndisp {} is not a number of disparities", reader.line(),
               disparities);
      }
      result.max_disparity = int(disparities);
    }
  }
  if (!one.intrinsics.valid()) reject(name, "has no cam0");
  if (!two.intrinsics.valid()) reject(name, "has no cam1");
  if (one.width == 0 || one.height == 0) one.width = one.height = 0;
  two.width = one.width, two.height = one.height;
  result.doffs = doffs.value_or(two.intrinsics.cx - one.intrinsics.cx);
  return result;
}

bool is_middlebury(std::string_view text, std::string_view name) {
  LineReader reader(text, name, ",;[]=");
  while (reader.next()) {
    if (reader.words()[0] == "cam0" || reader.words()[0] == "cam1") return true;
  }
  return false;
}

}  // namespace

Intrinsics camera_from(const std::vector<double>& v, std::string_view name, std::string_view what) {
  for (const double x : v) {
    if (!std::isfinite(x)) reject(name, "{}: {} is not finite", what, x);
  }
  Intrinsics camera;
  if (v.size() == 4) {
    camera = {v[0], v[1], v[2], v[3]};
  } else if (v.size() == 9) {
    camera = {v[0], v[4], v[2], v[5]};
    if (std::abs(v[1]) > kMaxSkew * std::abs(v[0])) {
      reject(name, "{}: skew {} is not supported", what, v[1]);
    }
    if (v[3] != 0 || v[6] != 0 || v[7] != 0 || std::abs(v[8] - 1) > 1e-6) {
      reject(name, "{}: is not a camera matrix fx 0 cx, 0 fy cy, 0 0 1", what);
    }
  } else {
    reject(name, "{}: {} numbers, expected 4 (fx fy cx cy) or 9 (3 x 3 matrix)", what, v.size());
  }
  if (const std::string fault = fault_of(camera); !fault.empty()) {
    reject(name, "{}: {}", what, fault);
  }
  return camera;
}

int side_from(double value, std::string_view name, std::string_view what) {
  if (!(value >= 1) || value > double(kMaxImagePixels) || value != std::floor(value))
    reject(name, "{}: {} is not a number of pixels", what, value);
  return static_cast<int>(value);
}

void refuse_camera_info(std::string_view text, std::string_view name) {
  const auto has = [&](std::string_view key) { return text.find(key) != text.npos; };
  if (!has("camera_matrix") || !(has("distortion_model") || has("image_width"))) return;
  if (text.starts_with("%YAML") || text.starts_with("<")) return;  // OpenCV's format for one camera
  reject(name,
         "is ROS's camera_info of one camera: for one camera of both photographs give fx fy cx cy "
         "(camera_matrix: data has fx 0 cx 0 fy cy 0 0 1); for a pair a file with M1, D1, M2, D2, "
         "R and T");
}

Calibration parse_calibration(std::string_view text, std::string_view name) {
  refuse_camera_info(text, name);
  if (is_middlebury(text, name)) return parse_middlebury(text, name);
  std::vector<double> values;
  LineReader reader(text, name, kBrackets);
  while (reader.next() && values.size() <= 9) {
    for (std::size_t i = 0; i < reader.words().size(); ++i) values.push_back(reader.number(i));
  }
  Calibration result;
  result.camera1.intrinsics = result.camera2.intrinsics = camera_from(values, name, "calibration");
  return result;
}

}  // namespace io

Calibration read_calibration(const std::filesystem::path& file) {
  return io::parse_calibration(read_text(file, 1 << 20), file.string());
}

Intrinsics parse_intrinsics(std::string_view text) {
  const auto bad = [&](std::string_view why) -> Error {
    return {ErrorCode::usage, fmt::format("intrinsics \"{}\": {}, expected fx,fy,cx,cy in px",
                                          io::printable(text), why)};
  };
  double v[4];
  std::string_view rest = text;
  for (int i = 0; i < 4; ++i) {
    const std::size_t comma = rest.find(',');
    if ((comma == std::string_view::npos) != (i == 3)) throw bad("not four numbers");
    std::string_view word = rest.substr(0, comma);
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    const auto value = io::to_number<double>(word);
    if (!value || !std::isfinite(*value)) {
      throw bad(fmt::format("\"{}\" is not a finite number", io::printable(word)));
    }
    v[i] = *value;
    if (i < 3) rest.remove_prefix(comma + 1);
  }
  const Intrinsics camera{v[0], v[1], v[2], v[3]};
  if (const std::string fault = io::fault_of(camera); !fault.empty()) throw bad(fault);
  return camera;
}

// Returns why intrinsics are doubtful, or an empty text. In an image twice or half as large, the
// principal point appears half or a quarter of a side off the centre; a camera's own images rarely
// reach a fifth.
std::string intrinsics_doubt(const Intrinsics& K, double width, double height) {
  constexpr double kMostOffCentre = 0.2;
  if (!(width >= 1) || !(height >= 1)) return {};
  const bool is_off_centre = std::abs(K.cx - (width - 1) / 2) > kMostOffCentre * width ||
                             std::abs(K.cy - (height - 1) / 2) > kMostOffCentre * height;
  if (is_off_centre)
    return fmt::format(
        "the principal point ({:g}, {:g}) is far from the centre of {:.0f} x {:.0f} px: are these "
        "the intrinsics of another image size?",
        K.cx, K.cy, width, height);
  const double longest = std::max(width, height);
  for (const double f : {K.fx, K.fy})
    if (!io::is_possible_focal_length(f, longest))
      return fmt::format(
          "a focal length of {:g} px is a field of view of {:.3g} degrees for {:.0f} px: no lens "
          "has it",
          f, io::field_of_view_deg(f, longest), longest);
  return {};
}

}  // namespace bifocal
