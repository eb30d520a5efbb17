// SPDX-License-Identifier: BSD-3-Clause
// A small model with a rig of two cameras: four images, three points, and one feature of no point.
#pragma once

#include <gtest/gtest.h>
#include <bifocal/colmap/model.hpp>

namespace bifocal::test {

inline colmap::Model sample_model() {
  using namespace colmap;
  Model m;
  m.cameras = {
      colmap::ModelCamera{1, model_number("SIMPLE_RADIAL"), 640, 480, {500.25, 320.1, 240.7, -0.1}},
      colmap::ModelCamera{
          4, model_number("OPENCV"), 800, 600, {600, 601, 400, 300, .1, -.2, 1e-3, 1 / 3.}}};
  m.has_frames = true;
  m.rigs = {{7,
             {{{SensorType::camera, 1}, {}},
              {{SensorType::camera, 4}, ModelPose{{1, 0, 0, 0}, {-0.5, 0, 0}}},
              {{SensorType::imu, 9}, {}}}}};
  const double q[2][4] = {{0.8, 0.6, 0, 0}, {0.6, 0, -0.8, 0}};
  for (Id f = 0; f < 2; ++f) {
    const ModelPose pose{{q[f][0], q[f][1], q[f][2], q[f][3]}, {0.1 * f, 1. / 3, 5}};
    m.frames.push_back({f + 1,
                        7,
                        pose,
                        {{{SensorType::camera, 1}, 10 + 2 * f},
                         {{SensorType::camera, 4}, 11 + 2 * f},
                         {{SensorType::imu, 9}, 77}}});
    ModelPose second = pose;
    second.translation[0] -= 0.5;
    m.images.push_back({10 + 2 * f, "left/a " + std::to_string(f) + ".jpg", 1, pose, {}});
    m.images.push_back({11 + 2 * f, "right/b" + std::to_string(f) + ".jpg", 4, second, {}});
  }
  for (std::size_t p = 0; p < 3; ++p) {
    ModelPoint point{100 + p, {0.1 * double(p), -1. / 7, 2e-5}, {1, 128, 255}, 0.75, {}};
    for (std::size_t i = p; i < 4; ++i) {
      ModelImage& image = m.images[i];
      point.track.push_back({image.id, static_cast<std::uint32_t>(image.observations.size())});
      image.observations.push_back({10.125 + double(p), 1000. / 3 + double(i), point.id});
    }
    m.points.push_back(point);
  }
  m.images[1].observations.push_back({0.5, 1.75, kNoPoint});
  return m;
}

inline void expect_equal(const colmap::Model& a, const colmap::Model& b) {
  ASSERT_EQ(a.cameras.size(), b.cameras.size());
  for (std::size_t i = 0; i < a.cameras.size(); ++i) {
    EXPECT_EQ(a.cameras[i].id, b.cameras[i].id);
    EXPECT_EQ(a.cameras[i].model, b.cameras[i].model);
    EXPECT_EQ(a.cameras[i].width, b.cameras[i].width);
    EXPECT_EQ(a.cameras[i].height, b.cameras[i].height);
    EXPECT_EQ(a.cameras[i].params, b.cameras[i].params);
  }
  EXPECT_TRUE(a.images == b.images);
  EXPECT_TRUE(a.points == b.points);
  EXPECT_EQ(a.has_frames, b.has_frames);
  EXPECT_TRUE(a.rigs == b.rigs);
  EXPECT_TRUE(a.frames == b.frames);
}

}  // namespace bifocal::test
