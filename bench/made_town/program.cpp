// SPDX-License-Identifier: BSD-3-Clause
// made_town FOLDER TRUTH COUNT SEED: renders COUNT JPEG photographs of 1600 x 1200 of a synthetic
// town, for the time from photographs to a model and the errors of depth maps. A camera whose focal
// length is 0.8 of the image width walks around a ring between two rows of houses with unique
// textures and looks 50 and 15 degrees to the left and to the right of its direction. File k is the
// same in every run with the same COUNT, SEED and options. TRUTH becomes a text file with the true
// poses (true_poses.hpp).
#include <bifocal/colmap/model.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "renderer.hpp"
#include "runtime/parallel.hpp"
#include "scene.hpp"
#include "true_poses.hpp"

namespace bifocal::bench {
namespace {

constexpr int kQuality = 90;
constexpr double kStep = 0.6;  // m between photographs

struct Order {
  std::filesystem::path photographs, truth, depth, model;
  int count = 0;
  std::uint32_t seed = 0;
  std::vector<int> size{1600, 1200};  // px
  bool is_hard = false;
};

std::string file_name(int k) { return fmt::format("{:05}.jpg", k); }

void write_depth(const std::filesystem::path& file, Rendered&& rendered) {
  const std::int64_t width = rendered.rgb.width, height = rendered.rgb.height;
  write_npz(file,
            std::array{NamedArray{"depth", {{height, width}, std::move(rendered.depth)}},
                       NamedArray{"normal", {{height, width, 3}, std::move(rendered.normal)}}});
}

colmap::Model true_model(const std::vector<Pose>& poses, const Lens& lens) {
  colmap::Model model;
  model.cameras.push_back(
      {.id = 1,
       .model = colmap::model_number("SIMPLE_PINHOLE"),
       .width = lens.width,
       .height = lens.height,
       .params = {lens.focal(), 0.5 * (lens.width - 1), 0.5 * (lens.height - 1)},
       .has_prior_focal_length = true});
  for (std::size_t k = 0; k < poses.size(); ++k)
    model.images.push_back({.id = static_cast<colmap::Id>(k + 1),
                            .name = file_name(static_cast<int>(k)),
                            .camera_id = 1,
                            .cam_from_world = colmap::model_pose(poses[k])});
  return model;
}

void make(const Order& order) {
  const Lens lens{order.size[0], order.size[1]};
  std::mt19937 random(order.seed);
  const double radius = std::max(15.0, order.count * kStep / (2 * std::numbers::pi));
  const Town town = order.is_hard ? hard_town(radius, random) : plain_town(radius, random);
  std::vector<Pose> poses;
  std::string truth;
  for (int k = 0; k < order.count; ++k) {
    poses.push_back(camera_pose(k, order.count, town.street, random));
    truth += true_pose(file_name(k), poses.back());
  }
  std::filesystem::create_directories(order.photographs);
  if (!order.depth.empty()) std::filesystem::create_directories(order.depth);
  runtime::parallel_for(order.count, [&](int k) {
    Rendered rendered =
        render(town, poses[static_cast<std::size_t>(k)], lens, static_cast<std::uint32_t>(k));
    write_file(order.photographs / file_name(k), encode_jpeg(rendered.rgb, kQuality));
    if (!order.depth.empty())
      write_depth(order.depth / (file_name(k) + ".npz"), std::move(rendered));
  });
  write_file(order.truth, truth);
  if (!order.model.empty())
    colmap::write_model(order.model, true_model(poses, lens), colmap::ModelFormat::binary, true);
}

}  // namespace
}  // namespace bifocal::bench

int main(int argc, char** argv) {
  bifocal::bench::Order order;
  CLI::App app("Renders photographs of a synthetic town.", "made_town");
  app.add_option("FOLDER", order.photographs, "Folder of the photographs")->required();
  app.add_option("TRUTH", order.truth, "Text file of the true poses")->required();
  app.add_option("COUNT", order.count, "Number of photographs")
      ->required()
      ->check(CLI::Range(1, 99999));
  app.add_option("SEED", order.seed, "Seed of layout and poses")->required();
  app.add_option("--size", order.size, "Size of the photographs W,H, px")
      ->delimiter(',')
      ->expected(2)
      ->check(CLI::Range(16, 10000));
  app.add_option("--depth", order.depth,
                 "Folder of NAME.jpg.npz: depth (float32, m along the optical axis, NaN: sky) and "
                 "normal (int8, 127: 1, camera axes)");
  app.add_option("--model", order.model, "Folder of a COLMAP model with the true poses");
  app.add_flag("--hard", order.is_hard,
               "Gaps, fences of 5 cm bars, mirrors, plain walls, a layout by SEED");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  try {
    bifocal::bench::make(order);
  } catch (const std::exception& e) {
    fmt::print(stderr, "made_town: {}\n", e.what());
    return 3;
  }
  return 0;
}
