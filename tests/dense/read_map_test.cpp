// SPDX-License-Identifier: BSD-3-Clause
// Reading the depth maps that `bifocal dense` writes.
#include <gtest/gtest.h>
#include <bifocal/colmap/model.hpp>
#include <bifocal/dense.hpp>
#include <bifocal/io.hpp>

#include <cmath>
#include <string>
#include <vector>

#include "dense/scene.hpp"
#include "io/expect.hpp"
#include "support/data.hpp"

namespace bifocal::test {
namespace {

NamedArray floats(const char* name, std::vector<std::int64_t> shape, std::size_t count) {
  return {name, {std::move(shape), std::vector<float>(count, 1)}};
}

TEST(ReadDenseMap, GivesTheArraysOfTheFile) {
  const TemporaryFolder folder;
  const colmap::Model model =
      write_scene(folder / "in", {"0.png", "1.png", "2.png"}, small_camera());
  colmap::write_model(folder / "model", model, colmap::ModelFormat::binary);
  std::filesystem::remove(folder / "in/2.png");
  Queue queue;
  const WrittenDense written = dense_model(
      queue, {.model = folder / "model", .photographs = folder / "in", .out = folder / "out"});
  for (const DenseImage& image : written.images) {
    const std::filesystem::path file = folder / "out/depth" / (image.name + ".npz");
    const DenseMap map = read_dense_map(file);
    EXPECT_EQ(map.reason, image.reason);
    EXPECT_EQ(map.reason, image.name == "2.png" ? "its photograph is missing" : "");
    for (const auto& [width, height] : {std::pair(map.depth.width, map.depth.height),
                                        {map.deviation.width, map.deviation.height},
                                        {map.normal.width, map.normal.height},
                                        {map.views.width, map.views.height}})
      EXPECT_TRUE(width == 72 && height == 54);
    const NpzFile npz(file);
    const auto depth = std::get<std::vector<float>>(npz.read("depth").values);
    int known = 0;
    for (std::size_t i = 0; i < depth.size(); ++i) {
      EXPECT_TRUE(depth[i] == map.depth.pixels[i] || std::isnan(map.depth.pixels[i]));
      EXPECT_EQ(std::isnan(map.deviation.pixels[i]), map.views.pixels[i] == 0);
      known += map.views.pixels[i] > 0;
    }
    EXPECT_EQ(known, std::lround(72 * 54 * image.known));
    EXPECT_EQ(std::get<std::vector<std::int8_t>>(npz.read("normal").values), map.normal.pixels);
  }
}

TEST(ReadDenseMap, RefusesOtherArrays) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::vector<NamedArray>& arrays, const std::string& reason) {
    write_npz(folder / "a.npz", arrays);
    expect_error([&] { (void)read_dense_map(folder / "a.npz"); }, "a.npz: " + reason);
  };
  refused({floats("depth", {6}, 6)}, "depth is float32 [6], which is no depth map");
  refused({floats("depth", {2, 3}, 6), floats("deviation", {2, 3}, 6)},
          "deviation is float32 [2, 3]");
  refused({floats("depth", {2, 3}, 6), {"deviation", {{3, 2}, std::vector<Float16>(6)}}},
          "deviation is float16 [3, 2]");
  refused({floats("depth", {0, 3}, 0)}, "depth is float32 [0, 3]");
  expect_error([&] { (void)read_dense_map(folder / "none.npz"); }, "none.npz");
}

}  // namespace
}  // namespace bifocal::test
