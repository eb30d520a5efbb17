// SPDX-License-Identifier: BSD-3-Clause
// Synthetic scenes with known poses.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <bifocal/device.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/mapping.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "collection/raw_sqlite.hpp"
#include "mapping/scenes.hpp"
#include "support/data.hpp"
#include "support/long_tests.hpp"

namespace bifocal::test {
namespace {

MapResult mapped(const ViewGraph& graph, const MapOptions& options = {}) {
  Queue queue(Device("cpu"));
  return map_view_graph(queue, graph, options);
}

void print(const char* name, const MapResult& result, const SyntheticScene& scene) {
  for (std::size_t i = 0; i < result.models.size(); ++i) {
    const MapFigures& f = result.figures[i];
    const PoseErrors errors = pose_errors(result.models[i], scene);
    fmt::print(
        "{} model {}: {} images, {} points, {} observations, {:.3f} px, rotation {:.3f} deg, "
        "centre {:.3f} %\n",
        name, i, f.images, f.points, f.observations, f.mean_error, errors.rotation_deg,
        100 * errors.centre);
  }
  fmt::print("{} of {} pairs removed, {} images left out; s:", result.removed_pairs, result.pairs,
             result.left_out.size());
  for (std::size_t i = 0; i < result.seconds.size(); ++i)
    fmt::print(" {} {:.2f}", kMapStageWords[i], result.seconds[i]);
  fmt::print("\n");
}

TEST(Mapping, RingIsMappedWithNoise) {
  const SyntheticScene scene = ring(30, {});
  const MapResult result = mapped(scene.graph);
  print("ring", result, scene);
  ASSERT_EQ(result.models.size(), 1U);
  EXPECT_EQ(result.figures[0].images, 30);
  const PoseErrors errors = pose_errors(result.models[0], scene);
  EXPECT_LT(errors.rotation_deg, 0.3);
  EXPECT_LT(errors.centre, 0.01);
  EXPECT_LT(result.figures[0].mean_error, 1.5);
}

TEST(Mapping, UnknownFocalLengthIsEstimated) {
  const SyntheticScene scene =
      ring(20, {.has_prior_focal_length = false, .given_focal_factor = 1.4});
  const MapResult result = mapped(scene.graph);
  print("unknown focal length", result, scene);
  ASSERT_EQ(result.models.size(), 1U);
  EXPECT_EQ(result.figures[0].images, 20);
  EXPECT_NEAR(result.models[0].cameras[0].params[0], scene.focal_length, 0.02 * scene.focal_length);
  EXPECT_LT(pose_errors(result.models[0], scene).centre, 0.02);
}

TEST(Mapping, PrincipalPointsAreAdjustedWhereTheyAreDetermined) {
  SyntheticScene scene = ring(20, {.noise = 0.3});
  for (MapImage& image : scene.graph.images)
    for (Vec2& px : image.features) px[0] += 12, px[1] -= 9;
  const MapResult result = mapped(scene.graph);
  ASSERT_EQ(result.models.size(), 1U);
  const std::vector<double>& params = result.models[0].cameras[0].params;
  EXPECT_NEAR(params[1], 499.5 + 12, 2);
  EXPECT_NEAR(params[2], 399.5 - 9, 2);
  const std::vector<double> held =
      mapped(scene.graph, {.refine_principal_point = false}).models.at(0).cameras[0].params;
  EXPECT_EQ(held[1], 499.5);
  EXPECT_EQ(held[2], 399.5);
}

// Two images do not determine the principal point of the camera that they share with others.
TEST(Mapping, ModelsDoNotInheritPrincipalPoints) {
  SyntheticScene moved = ring(20, {.noise = 0.3});
  for (MapImage& image : moved.graph.images)
    for (Vec2& px : image.features) px[0] += 12, px[1] -= 9;
  SyntheticScene two = ring(20, {.seed = 2});
  std::erase_if(two.graph.pairs, [](const MapPair& p) { return p.image1 > 1 || p.image2 > 1; });
  const MapResult result = mapped(joined(moved, two).graph, {.min_images = 2});
  ASSERT_EQ(result.models.size(), 2U);
  EXPECT_NEAR(result.models[0].cameras[0].params[1], 499.5 + 12, 2);
  EXPECT_EQ(result.models[1].cameras[0].params[1], 499.5);
}

TEST(Mapping, StreetIsMappedWithNoise) {
  const SyntheticScene scene = street(40, {});
  const MapResult result = mapped(scene.graph);
  print("street", result, scene);
  ASSERT_EQ(result.models.size(), 1U);
  EXPECT_EQ(result.figures[0].images, 40);
  const PoseErrors errors = pose_errors(result.models[0], scene);
  EXPECT_LT(errors.rotation_deg, 1);
  EXPECT_LT(errors.centre, 0.02);
}

// Images of a street, 30 % of whose pairs are look-alikes.
class Streets : public ::testing::TestWithParam<int> {};

TEST_P(Streets, AreMappedDespiteLookAlikes) {
  if (GetParam() > 100 && !test::is_long()) GTEST_SKIP() << "the long form runs it";
  const SyntheticScene scene = street(GetParam(), {.wrong_pairs = 0.3});
  const MapResult result = mapped(scene.graph);
  print("street with look-alikes", result, scene);
  ASSERT_EQ(result.models.size(), 1U);
  EXPECT_EQ(result.figures[0].images, GetParam());
  const PoseErrors errors = pose_errors(result.models[0], scene);
  EXPECT_LT(errors.rotation_deg, 0.5);
  EXPECT_LT(errors.centre, 0.003);
}

INSTANTIATE_TEST_SUITE_P(Short, Streets, ::testing::Values(100, 400));
INSTANTIATE_TEST_SUITE_P(DISABLED_Long, Streets, ::testing::Values(1000, 5000));

TEST(Mapping, LookAlikesAreRemoved) {
  const int images = test::short_or_long(60, 100);
  const SyntheticScene scene = ring(images, {.wrong_pairs = 0.3});
  const MapResult result = mapped(scene.graph);
  print("look-alikes", result, scene);
  ASSERT_EQ(result.models.size(), 1U);
  EXPECT_EQ(result.figures[0].images, images);
  const PoseErrors errors = pose_errors(result.models[0], scene);
  EXPECT_LT(errors.rotation_deg, 0.5);
  EXPECT_LT(errors.centre, 0.01);
}

TEST(Mapping, ComponentsBecomeModels) {
  const SyntheticScene scene = joined(ring(20, {}), street(12, {}));
  const MapResult result = mapped(scene.graph);
  print("components", result, scene);
  ASSERT_EQ(result.models.size(), 2U);
  EXPECT_EQ(result.figures[0].images, 20);
  EXPECT_EQ(result.figures[1].images, 12);
  EXPECT_TRUE(result.left_out.empty());
}

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Mapping, ThreadsDoNotChangeTheBytes) {
  const SyntheticScene scene = joined(ring(12, {}), street(8, {}));
  const auto folder = std::filesystem::path(testing::TempDir()) / "mapping_threads";
  std::filesystem::remove_all(folder);
  for (const int threads : {1, 2, 5}) {
    const ThreadLimit limit(threads);
    write_models(folder / std::to_string(threads), mapped(scene.graph));
  }
  for (const char* name : {"0/images.bin", "0/points3D.bin", "0/cameras.bin", "1/images.bin"}) {
    const std::string one = bytes_of(folder / "1" / name);
    EXPECT_FALSE(one.empty());
    for (const char* threads : {"2", "5"})
      EXPECT_EQ(one, bytes_of(folder / threads / name)) << name;
  }
}

TEST(Mapping, ModelsAreNotReplacedUnlessAsked) {
  const MapResult result = mapped(ring(8, {}).graph);
  const auto folder = std::filesystem::path(testing::TempDir()) / "mapping_overwrite";
  std::filesystem::remove_all(folder);
  write_models(folder, result);
  EXPECT_THROW(write_models(folder, result), Error);
  EXPECT_NO_THROW(write_models(folder, result, true));
  EXPECT_FALSE(std::filesystem::exists(folder / ".models.part"));
  EXPECT_EQ(colmap::read_model(folder / "0").images.size(), result.models[0].images.size());
}

TEST(Mapping, DamagedRowsAndUnreadablePhotographsAreReported) {
  const TemporaryFolder folder;
  const auto file = folder / "damaged.db";
  const ViewGraph graph = ring(12, {}).graph;
  write_database(file, graph);
  Queue queue(Device("cpu"));
  EXPECT_TRUE(map_database(queue, file).damaged_rows.empty());
  RawDatabase raw(file);
  raw.run(fmt::format("UPDATE keypoints SET data = x'00' WHERE image_id = {}", graph.images[3].id));
  raw.run(fmt::format("UPDATE images SET camera_id = 77 WHERE image_id = {}", graph.images[5].id));
  // One photograph is readable; without any, the mapping is refused before it starts.
  EXPECT_THROW(map_database(queue, file, {}, folder / "photographs"), Error);
  std::filesystem::create_directory(folder / "photographs");
  const auto& camera = graph.cameras[0];
  write_png(folder / "photographs" / graph.images[0].name,
            ImageU8(static_cast<int>(camera.width), static_cast<int>(camera.height), 1));
  const MapResult result = map_database(queue, file, {}, folder / "photographs");
  ASSERT_EQ(result.models.size(), 1U);
  EXPECT_EQ(result.figures[0].images, 10);
  ASSERT_EQ(result.damaged_rows.size(), 2U);
  EXPECT_EQ(result.damaged_rows[0].row,
            fmt::format("table keypoints, image_id {}", graph.images[3].id));
  EXPECT_EQ(result.damaged_rows[1].row,
            fmt::format("table images, image_id {}", graph.images[5].id));
  EXPECT_EQ(result.damaged_rows[1].reason, "camera 77 is missing");
  ASSERT_EQ(result.without_colours.size(), 9U);
  EXPECT_EQ(result.without_colours[0].name, graph.images[1].name);
  ASSERT_EQ(result.left_out.size(), 1U);
  EXPECT_EQ(result.left_out[0].reason, LeftOutReason::no_pair);
}

TEST(Mapping, EmptyAndInvalidInput) {
  EXPECT_TRUE(mapped({}).models.empty());
  ViewGraph graph = ring(6, {}).graph;
  graph.pairs[0].inliers[0].index1 = 1U << 30U;
  EXPECT_THROW(mapped(graph), Error);
  graph = ring(6, {}).graph;
  graph.images[0].camera_id = 9;
  EXPECT_THROW(mapped(graph), Error);
  graph = ring(6, {}).graph;
  graph.pairs.clear();
  const MapResult result = mapped(graph);
  EXPECT_EQ(result.left_out.size(), 6U);
  EXPECT_EQ(result.left_out[0].reason, LeftOutReason::no_pair);
}

}  // namespace
}  // namespace bifocal::test
