// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <bifocal/io.hpp>

#include "io/expect.hpp"
#include "io/parse.hpp"

namespace bifocal {
namespace {

using io::parse_pair_calibration;
using test::expect_error;

constexpr const char* kPose = "R 1 0 0 0 1 0 0 0 1\nt -0.12 0 0.001\n";

PairCalibration of_cameras(const std::string& lines) {
  return parse_pair_calibration(lines + "\n" + kPose, "m");
}

TEST(PairCalibration, models_of_colmap_in_its_order_and_from_its_origin) {
  const PairCalibration c = of_cameras(
      "# Camera list\n1 OPENCV 640 480 500 501 320 240 -0.1 0.02 1e-3 -2e-3\n"
      "2 FULL_OPENCV 700 500 510 511 350 250 1 2 3 4 5 6 7 8");
  EXPECT_EQ(c.camera1.width, 640);
  EXPECT_EQ(c.camera1.height, 480);
  EXPECT_EQ(c.camera1.intrinsics.fx, 500);
  EXPECT_EQ(c.camera1.intrinsics.fy, 501);
  EXPECT_EQ(c.camera1.intrinsics.cx, 319.5);
  EXPECT_EQ(c.camera1.intrinsics.cy, 239.5);
  EXPECT_EQ(c.camera1.distortion, (Distortion{.k1 = -0.1, .k2 = 0.02, .p1 = 1e-3, .p2 = -2e-3}));
  EXPECT_EQ(c.camera2.width, 700);
  EXPECT_EQ(c.camera2.distortion,
            (Distortion{.k1 = 1, .k2 = 2, .p1 = 3, .p2 = 4, .k3 = 5, .k4 = 6, .k5 = 7, .k6 = 8}));
  EXPECT_EQ(c.cam2_from_cam1.t, (Vec3{-0.12, 0, 0.001}));
  EXPECT_EQ(c.cam2_from_cam1.R, (Mat3{1, 0, 0, 0, 1, 0, 0, 0, 1}));
}

TEST(PairCalibration, models_with_one_focal_length) {
  const PairCalibration c =
      of_cameras("1 RADIAL 640 480 500 320 240 -0.1 0.02\n2 SIMPLE_RADIAL 64 48 50 32 24 0.3");
  EXPECT_EQ(c.camera1.intrinsics.fx, 500);
  EXPECT_EQ(c.camera1.intrinsics.fy, 500);
  EXPECT_EQ(c.camera1.intrinsics.cy, 239.5);
  EXPECT_EQ(c.camera1.distortion, (Distortion{.k1 = -0.1, .k2 = 0.02}));
  EXPECT_EQ(c.camera2.intrinsics.cx, 31.5);
  EXPECT_EQ(c.camera2.distortion, Distortion{.k1 = 0.3});
  const PairCalibration one = of_cameras("7 SIMPLE_PINHOLE 640 480 500 320 240");
  EXPECT_EQ(one.camera2.intrinsics.fy, 500);  // one line: of both
  EXPECT_TRUE(one.camera1.distortion.none());
  EXPECT_EQ(of_cameras("7 PINHOLE 640 480 500 501 320 240").camera1.intrinsics.fy, 501);
}

TEST(PairCalibration, json_is_in_our_pixels) {
  const PairCalibration c = parse_pair_calibration(
      R"({"camera1": {"width": 640, "height": 480, "fx": 500, "fy": 501, "cx": 320, "cy": 240.25,
          "k1": -0.1, "k6": 2}, "camera2": {"width": 64, "height": 48, "fx": 50, "fy": 51, "cx": 32,
          "cy": 24}, "R": [1,0,0,0,1,0,0,0,1], "t": [-1,0,0], "note": "x"})",
      "m");
  EXPECT_EQ(c.camera1.intrinsics.cx, 320);
  EXPECT_EQ(c.camera1.intrinsics.cy, 240.25);
  EXPECT_EQ(c.camera1.distortion, (Distortion{.k1 = -0.1, .k6 = 2}));
  EXPECT_EQ(c.camera2.height, 48);
  EXPECT_EQ(c.cam2_from_cam1.t[0], -1);
}

TEST(PairCalibration, errors_of_text_name_line_and_value) {
  const auto fails = [](const std::string& text, const char* part) {
    expect_error([&] { (void)parse_pair_calibration(text, "c.txt"); }, part);
  };
  const std::string pinhole = "1 PINHOLE 640 480 500 500 320 240\n";
  fails("", "c.txt: has no camera");
  fails(pinhole, "has no R");
  fails(pinhole + "R 1 0 0 0 1 0 0 0 1\n", "has no t");
  fails(pinhole + "\n1 FISHEYE 640 480 1 2 3", "line 3: camera model FISHEYE");
  fails("1 OPENCV 640 480 500 500 320 240 1 2 3\n", "line 1: OPENCV has 8 parameters, here are 7");
  fails("1 PINHOLE 640\n", "line 1: 3 words");
  fails("1 PINHOLE 640 0 1 1 1 1\n", "line 1: height: 0 is not a number of pixels");
  fails("1 PINHOLE 640.5 480 1 1 1 1\n", "width: 640.5");
  fails("1 PINHOLE 640 480 -5 1 1 1\n", "line 1: focal lengths -5 1 are not positive");
  fails("1 PINHOLE 640 480 1 1 nan 1\n", "line 1: nan is not finite");
  fails("1 PINHOLE 640 480 1 x 1 1\n", "line 1: \"x\" is not a number");
  fails(pinhole + pinhole + pinhole, "line 3: a third camera");
  fails(pinhole + "R 1 0 0 0 1 0 0 0\n", "line 2: R: 8 numbers, expected 9");
  fails(pinhole + kPose + "t 1 0 0\n", "line 4: a second t");
  fails(pinhole + "R 2 0 0 0 1 0 0 0 1\nt 1 0 0\n", "line 2: R: is no rotation");
  fails(pinhole + "R -1 0 0 0 1 0 0 0 1\nt 1 0 0\n", "line 2: R: is no rotation");
  fails(pinhole + "R 1.01 0 0 0 1 0 0 0 1\nt 1 0 0\n", "line 2: R: is no rotation");
  fails(pinhole + "R nan 0 0 0 1 0 0 0 1\nt 1 0 0\n", "line 2: R: nan is not finite");
  fails(pinhole + "R 1 0 0 0 1 0 0 0 1\nt 0 0 0\n",
        "line 3: t: 0 0 0: must be finite and not zero");
  fails(pinhole + "R 1 0 0 0 1 0 0 0 1\nt 1e-320 0 0\n", "line 3: t: 1e-320 0 0: the length");
  fails(pinhole + "R 1 0 0 0 1 0 0 0 1\nt 0 1e300 0\n", "line 3: t: 0 1e+300 0: the length");
  fails("1 PINHOLE 640 480 500 1e300 1 1\n", "line 1: focal lengths 500 1e+300 are above");
  fails(pinhole + "baseline 1\n", "line 2: baseline: expected");
}

TEST(PairCalibration, errors_of_json_name_key_and_value) {
  const auto fails = [](const std::string& text, const char* part) {
    expect_error([&] { (void)parse_pair_calibration(text, "c.json"); }, part);
  };
  const std::string camera =
      R"({"width": 640, "height": 480, "fx": 500, "fy": 501, "cx": 320, "cy": 240})";
  const auto both = [&](const std::string& one, const std::string& rest) {
    return R"({"camera1": )" + one + R"(, "camera2": )" + camera + rest + "}";
  };
  fails("{", "c.json: is no JSON");
  fails("{}", "has no object \"camera1\"");
  fails(both("5", ""), "has no object \"camera1\"");
  fails(both(R"({"width": 640})", ""), "camera1 has no \"fx\"");
  fails(both(R"({"fx": "five"})", ""), "camera1: fx: \"five\" is not a number");
  fails(both(camera, ""), "has no \"R\"");
  fails(both(camera, R"(, "R": [1, 2])"), "R: an array is not an array of 9 numbers");
  fails(both(camera, R"(, "R": [1,0,0,0,1,0,0,0,null])"), "R: null is not a number");
  fails(both(camera, R"(, "R": [1,0,0,0,1,0,0,0,1], "t": [0,0,0])"), "t: 0 0 0");
  fails(both(camera, R"(, "R": )" + std::string(200000, '[')), "is no JSON");
  fails(both(camera, R"(, "R": )" + std::string(200000, '[') + std::string(200000, ']')),
        "not an array of 9");
}

}  // namespace
}  // namespace bifocal
