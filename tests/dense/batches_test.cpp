// SPDX-License-Identifier: BSD-3-Clause
// Depth of more views than the host completes at a time.
#include <gtest/gtest.h>
#include <bifocal/colmap/model.hpp>
#include <bifocal/dense.hpp>

#include <cmath>
#include <string>
#include <vector>

#include "dense/scene.hpp"
#include "support/data.hpp"

namespace bifocal::test {
namespace {

TEST(DenseBatches, WriteTheSameBytesForAnyNumberOfThreadsWithALens) {
  const TemporaryFolder folder;
  colmap::ModelCamera camera = small_camera();
  camera.model = colmap::model_number("SIMPLE_RADIAL"), camera.params = {66, 35.5, 26.5, -0.08};
  const std::vector<std::string> names = {"5.png", "a/4.png", "3.png", "2.png", "a/1.png", "0.png"};
  colmap::write_model(folder / "model", write_scene(folder / "photographs", names, camera),
                      colmap::ModelFormat::binary, true);
  for (const int threads : {1, 3}) {
    const ThreadLimit limit(threads);
    Queue queue;
    const WrittenDense written = dense_model(queue, {.model = folder / "model",
                                                     .photographs = folder / "photographs",
                                                     .out = folder / std::to_string(threads)});
    ASSERT_EQ(written.images.size(), names.size());
    for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(written.images[i].name, names[i]);
    EXPECT_GT(written.points, 1000);
  }
  EXPECT_TRUE(bytes_of(folder / "1") == bytes_of(folder / "3"));
}

// Each point of the cloud is a depth of its view; views follow each other.
TEST(DenseBatches, KeepPointsInTheOrderOfViews) {
  const DenseScene& scene = dense_scene();
  const DenseResult result = dense_depth(scene.views, scene.points);
  ASSERT_GT(scene.views.size(), 4U);
  ASSERT_EQ(result.maps.size(), scene.views.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < scene.views.size(); ++i) {
    const DenseView& view = scene.views[i];
    const DenseMap& map = result.maps[i];
    for (int y = 0; y < map.depth.height; ++y)
      for (int x = 0; x < map.depth.width && next < result.cloud.size(); ++x) {
        const FusedPoint& p = result.cloud[next];
        const Mat3& R = view.cam_from_world.R;
        const Vec3& t = view.cam_from_world.t;
        double in_camera[3];
        for (std::size_t k = 0; k < 3; ++k)
          in_camera[k] = R[3 * k] * double(p.x) + R[3 * k + 1] * double(p.y) +
                         R[3 * k + 2] * double(p.z) + t[k];
        const double u = view.camera.fx * in_camera[0] / in_camera[2] + view.camera.cx,
                     v = view.camera.fy * in_camera[1] / in_camera[2] + view.camera.cy;
        if (std::abs(u - x) < 0.01 && std::abs(v - y) < 0.01 &&
            std::abs(in_camera[2] - double(map.depth.at(x, y))) < 1e-3)
          ++next;
      }
  }
  EXPECT_GT(next, 10000U);
  EXPECT_EQ(next, result.cloud.size());
}

}  // namespace
}  // namespace bifocal::test
