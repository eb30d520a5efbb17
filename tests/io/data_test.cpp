// SPDX-License-Identifier: BSD-3-Clause
// All real files of the test data can be read.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include <bifocal/io.hpp>

#include "support/data.hpp"

namespace bifocal {
namespace {

TEST(Data, EveryPictureReads) {
  BIFOCAL_NEEDS_DATA("");
  std::map<std::string, int> read;
  // Sets may be links.
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           test::data(""), std::filesystem::directory_options::follow_directory_symlink)) {
    const std::string kind = entry.path().extension().string();
    if (kind == ".png" || kind == ".jpg" || kind == ".pgm" || kind == ".ppm") {
      const ImageU8 image = read_image(entry.path());
      EXPECT_GT(image.width * image.height, 1000) << entry.path();
      ++read[kind];
    } else if (kind == ".pfm") {
      const ImageF map = read_pfm(entry.path());
      EXPECT_GT(map.width * map.height, 1000) << entry.path();
      ++read[kind];
    }
  }
  if (read.empty()) GTEST_SKIP() << "no test data at " << test::data("");
}

TEST(Data, MotorcycleIsUpright) {
  BIFOCAL_NEEDS_DATA("middlebury_2014_q/Motorcycle");
  const auto folder = test::data("middlebury_2014_q/Motorcycle");
  const ImageF truth = read_disparity(folder / "disp0GT.pfm");
  const ImageU8 picture = read_image(folder / "im0.png");
  EXPECT_EQ(truth.width, picture.width);
  EXPECT_EQ(truth.height, picture.height);
  double top = 0, bottom = 0;  // the floor in front is nearer than the shelves behind
  for (int x = 0; x < truth.width; ++x) {
    top = std::fmax(top, truth.at(x, 60));
    bottom = std::fmax(bottom, truth.at(x, truth.height - 5));
  }
  EXPECT_GT(bottom, top);
  const Calibration calibration = read_calibration(folder / "calib.txt");
  EXPECT_EQ(calibration.camera1.intrinsics.fx, 999.421);
  EXPECT_EQ(calibration.doffs, 32.778);
  EXPECT_EQ(calibration.baseline, 193.001);
  EXPECT_EQ(calibration.max_disparity, 70);
}

TEST(Data, EveryCalibrationFileReads) {
  for (const auto& entry : std::filesystem::directory_iterator(test::data("middlebury_2014_q"))) {
    if (!entry.is_directory()) continue;
    EXPECT_GT(read_calibration(entry.path() / "calib.txt").max_disparity, 0);
  }
}

TEST(Data, CamerasAndPointsOfFountainRead) {
  const std::string folder = "strecha/fountain-P11/";
  for (const char* view : {"0001", "0005"})
    EXPECT_NEAR(
        read_calibration(test::data(folder + "fountain_" + view + ".K")).camera1.intrinsics.fx,
        2759.5, 1.0);
  const auto file = test::data(folder + "fountain_0001_0005_pts.txt");
  EXPECT_EQ(read_correspondences(file).points.size(), 270U);
}

}  // namespace
}  // namespace bifocal
