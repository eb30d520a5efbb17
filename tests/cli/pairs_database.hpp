// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/colmap/database.hpp>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "synthetic/two_view_scenes.hpp"

namespace bifocal::test {

// Writes a database of all pairs of the images; every third pair shows a scene.
inline void make_database(const std::filesystem::path& file, colmap::Id images) {
  colmap::Database db(file, colmap::Access::create);
  colmap::Transaction all(db);
  db.write(colmap::ModelCamera{1, 1, 1280, 960, {1000, 1000, 640, 480}, true});
  std::vector<colmap::Keypoints> points(images + 1);
  std::mt19937_64 random(1);
  for (colmap::Id i = 1; i <= images; ++i) db.write(colmap::Image{i, "i" + std::to_string(i), 1});
  for (colmap::Id i = 1; i <= images; ++i) {
    for (colmap::Id j = i + 1; j <= images; ++j) {
      const double right = (i + j) % 3 == 0 ? 0.9 : 0;
      std::vector<colmap::IndexPair> pair;
      for (const PointPair& p :
           synthetic::make_scene({.points = 30, .inliers = right}, random).points) {
        pair.push_back({std::uint32_t(points[i].size()), std::uint32_t(points[j].size())});
        points[i].data.insert(points[i].data.end(), {float(p.x1), float(p.y1)});
        points[j].data.insert(points[j].data.end(), {float(p.x2), float(p.y2)});
      }
      db.write_matches(i, j, pair);
    }
  }
  for (colmap::Id i = 1; i <= images; ++i) db.write_keypoints(i, points[i]);
  all.commit();
}

}  // namespace bifocal::test
