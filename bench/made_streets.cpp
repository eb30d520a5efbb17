// SPDX-License-Identifier: BSD-3-Clause
// made_streets DATABASE TRUTH IMAGES WRONG SEED: writes the database of a synthetic street for the
// comparison of mappers (tests/mapping/scenes.hpp). WRONG is the fraction of pairs of look-alikes.
// TRUTH becomes a text file with the true poses (true_poses.hpp).
#include <bifocal/io.hpp>

#include <fmt/format.h>

#include <string>

#include "mapping/scenes.hpp"
#include "true_poses.hpp"

namespace {

using namespace bifocal;

std::string truth_of(const test::SyntheticScene& scene) {
  std::string text;
  for (std::size_t i = 0; i < scene.poses.size(); ++i)
    text += bench::true_pose(scene.graph.images[i].name, scene.poses[i]);
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
    test::write_database(argv[1], scene.graph);
    write_file(argv[2], truth_of(scene));
  } catch (const std::exception& e) {
    fmt::print(stderr, "made_streets: {}\n", e.what());
    return 3;
  }
  return 0;
}
