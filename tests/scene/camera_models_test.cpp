// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/camera.hpp>

#include <gtest/gtest.h>

#include <set>

#include "scene/camera_models.hpp"
#include "support/lens_cameras.hpp"

namespace bifocal {
namespace {

using namespace scene;

TEST(CameraModels, are_found_by_name_and_by_number) {
  std::set<std::string_view> names;
  int number = 0;
  for (const CameraModel& model : kCameraModels) {
    EXPECT_TRUE(names.insert(model.name).second) << model.name;
    EXPECT_EQ(model.number, number++) << model.name;
    EXPECT_EQ(camera_model(model.name), &model);
    EXPECT_EQ(camera_model(model.number), &model);
  }
  EXPECT_EQ(camera_model("NO_MODEL"), nullptr);
  EXPECT_EQ(camera_model(number), nullptr);
  EXPECT_EQ(camera_model(-1), nullptr);
}

TEST(CameraModels, name_focal_lengths_principal_point_and_coefficients_in_this_order) {
  for (const CameraModel& model : kCameraModels) {
    if (!model.is_supported()) continue;
    const int centre = model.principal_point();
    EXPECT_EQ(model.parameters[0], centre == 1 ? "f" : "fx") << model.name;
    EXPECT_EQ(model.parameters[centre], "cx") << model.name;
    EXPECT_EQ(model.parameters[centre + 1], "cy") << model.name;
    std::set<int> places;
    for (int i = 0; i < model.coefficient_count(); ++i) {
      const int place = model.places[static_cast<std::size_t>(i)];
      EXPECT_TRUE(places.insert(place).second) << model.name;
      EXPECT_EQ(kLensCoefficients[model.kind][place],
                model.parameters[model.first_coefficient() + i]);
    }
  }
}

TEST(CameraModels, of_a_lens_camera_have_a_row_of_test_coefficients) {
  std::size_t supported = 0;
  for (const CameraModel& model : kCameraModels) {
    supported += model.is_supported();
    EXPECT_EQ(LensCamera::parameter_count(model.name),
              model.is_supported() ? model.parameter_count() : 0);
    EXPECT_EQ(LensCamera::focal_lengths(model.name), model.focal_lengths);
    if (!model.is_supported()) continue;
    const auto row = test::lens_coefficients().find(std::string(model.name));
    ASSERT_NE(row, test::lens_coefficients().end()) << model.name;
    EXPECT_EQ(static_cast<int>(row->second.size()), model.coefficient_count()) << model.name;
  }
  EXPECT_EQ(test::lens_coefficients().size(), supported);
  EXPECT_EQ(LensCamera::parameter_count("EQUIRECTANGULAR"), 0);
}

}  // namespace
}  // namespace bifocal
