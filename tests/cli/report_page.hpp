// SPDX-License-Identifier: BSD-3-Clause
// Databases with a known scene for the pages of bifocal report, and a reader for the numbers in
// a page.
#pragma once

#include <gtest/gtest.h>
#include <bifocal/colmap/database.hpp>

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/process.hpp"

namespace bifocal::test {

using colmap::Access, colmap::Configuration, colmap::Database, colmap::Id;
using nlohmann::json;

inline constexpr int kPoints = 400;
inline constexpr double kFocal = 1000, kCx = 639.5, kCy = 479.5;

// Points in front of cameras that all look along z; camera i is at (0.3 i, 0, 0).
inline Vec3 scene_point(int k) {
  return {std::sin(1.7 * k) * 1.2 + 0.9, std::cos(2.3 * k) * 1.2, 5 + 2 * std::sin(0.9 * k)};
}
inline double camera_x(Id image) { return 0.3 * image; }

inline colmap::TwoViewGeometry geometry_of(Id a, Id b, std::uint32_t inliers) {
  colmap::TwoViewGeometry g;
  g.configuration = Configuration::calibrated;
  for (std::uint32_t k = 0; k < inliers; ++k) g.inliers.push_back({k, k});
  g.cam2_from_cam1 = Pose{.t = {camera_x(a) < camera_x(b) ? -1.0 : 1.0, 0, 0}};
  return g;
}

struct Pair {
  Id a, b;
  std::uint32_t inliers;  // 0: degenerate
};

inline void make_database(const std::filesystem::path& file, Id images,
                          const std::vector<Pair>& pairs) {
  Database db(file, Access::create);
  colmap::Transaction all(db);
  db.write(colmap::ModelCamera{1, 1, 1280, 960, {kFocal, kFocal, kCx, kCy}, true});
  for (Id i = 1; i <= images; ++i) {
    db.write(colmap::Image{i, fmt::format("<b>{:04}</b>.png", i), 1});
    colmap::Keypoints points;
    for (int k = 0; k < kPoints; ++k) {
      const auto [X, Y, Z] = scene_point(k);
      points.data.push_back(float(kFocal * (X - camera_x(i)) / Z + kCx));
      points.data.push_back(float(kFocal * Y / Z + kCy));
    }
    db.write_keypoints(i, points);
  }
  for (const auto& [a, b, inliers] : pairs) {
    std::vector<colmap::IndexPair> matches;
    for (std::uint32_t k = 0; k < inliers + 10; ++k) matches.push_back({k, k});
    db.write_matches(a, b, matches);
    db.write_geometry(a, b,
                      inliers > 0
                          ? geometry_of(a, b, inliers)
                          : colmap::TwoViewGeometry{Configuration::degenerate, {}, {}, {}, {}, {}});
  }
  all.commit();
}

inline json data_of(const std::string& html) {
  const std::string start = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = html.find(start) + start.size();
  return json::parse(html.substr(from, html.find("</script>", from) - from));
}

// Decodes base64 of little-endian numbers.
template <class T>
std::vector<T> numbers(const json& text) {
  std::string bytes;
  unsigned group = 0, bits = 0;
  for (const char c : text.get<std::string>()) {
    const auto digit =
        std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
            .find(c);
    if (digit == std::string_view::npos) break;
    group = group << 6 | static_cast<unsigned>(digit);
    if ((bits += 6) >= 8) bytes += static_cast<char>(group >> (bits -= 8) & 255);
  }
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

// A graph of a triangle, a separate pair, and an image whose only pair was rejected.
inline const std::vector<Pair> kPairs = {{1, 2, 100}, {2, 3, 350}, {1, 3, 20},
                                         {4, 5, 60},  {1, 6, 0},   {3, 4, 0}};

}  // namespace bifocal::test
