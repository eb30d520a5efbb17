// SPDX-License-Identifier: BSD-3-Clause
// made_streets DATABASE TRUTH IMAGES WRONG SEED: writes the database of a synthetic street for the
// comparison of mappers (tests/mapping/scenes.hpp). WRONG is the fraction of pairs of look-alikes.
// TRUTH becomes a text file with a line for each image: its name, the rotation from the world to
// the camera (9 numbers by rows) and the centre.
#include <bifocal/colmap/database.hpp>
#include <bifocal/io.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "mapping/scenes.hpp"

namespace {

using namespace bifocal;

void write_database(const std::filesystem::path& file, const ViewGraph& graph) {
  colmap::Database database(file, colmap::Access::create);
  for (const colmap::Camera& camera : graph.cameras) database.write(camera);
  for (const MapImage& image : graph.images) {
    database.write(colmap::Image{image.id, image.name, image.camera_id});
    colmap::Keypoints keypoints;
    for (const Vec2& x : image.features)
      for (const double v : x) keypoints.data.push_back(static_cast<float>(v));
    database.write_keypoints(image.id, keypoints);
  }
  for (const MapPair& pair : graph.pairs) {
    const auto id = [&](int image) { return graph.images[static_cast<std::size_t>(image)].id; };
    database.write_matches(id(pair.image1), id(pair.image2), pair.inliers);
    database.write_geometry(
        id(pair.image1), id(pair.image2),
        {.configuration = pair.configuration, .inliers = pair.inliers, .F = pair.F});
  }
}

std::string truth_of(const test::SyntheticScene& scene) {
  std::string text;
  for (std::size_t i = 0; i < scene.poses.size(); ++i) {
    const Pose& pose = scene.poses[i];
    const Vec3 c = times(transposed(pose.R), pose.t);
    text += fmt::format("{} {} {} {} {}\n", scene.graph.images[i].name, fmt::join(pose.R, " "),
                        -c[0], -c[1], -c[2]);
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    fmt::print(stderr, "made_streets DATABASE TRUTH IMAGES WRONG SEED\n");
    return 2;
  }
  try {
    const test::SyntheticScene scene =
        test::street(std::stoi(argv[3]), {.wrong_pairs = std::stod(argv[4]),
                                          .seed = static_cast<std::uint32_t>(std::stoul(argv[5]))});
    write_database(argv[1], scene.graph);
    write_file(argv[2], truth_of(scene));
  } catch (const std::exception& e) {
    fmt::print(stderr, "made_streets: {}\n", e.what());
    return 3;
  }
  return 0;
}
