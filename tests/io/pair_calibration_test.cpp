// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <string>

#include <bifocal/io.hpp>

#include "io/expect.hpp"
#include "io/parse.hpp"
#include "support/paths.hpp"

namespace bifocal {
namespace {

using io::parse_pair_calibration;
using test::expect_error;

constexpr const char* kPose = "R 1 0 0 0 1 0 0 0 1\nt -0.12 0 0.001\n";

Calibration of_cameras(const std::string& lines) {
  return parse_pair_calibration(lines + "\n" + kPose, "m");
}

TEST(PairCalibration, colmap_models_have_its_order_and_origin) {
  const Calibration c = of_cameras(
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
  EXPECT_EQ(c.cam2_from_cam1->t, (Vec3{-0.12, 0, 0.001}));
  EXPECT_EQ(c.cam2_from_cam1->R, (Mat3{1, 0, 0, 0, 1, 0, 0, 0, 1}));
}

TEST(PairCalibration, models_with_one_focal_length_are_read) {
  const Calibration c =
      of_cameras("1 RADIAL 640 480 500 320 240 -0.1 0.02\n2 SIMPLE_RADIAL 64 48 50 32 24 0.3");
  EXPECT_EQ(c.camera1.intrinsics.fx, 500);
  EXPECT_EQ(c.camera1.intrinsics.fy, 500);
  EXPECT_EQ(c.camera1.intrinsics.cy, 239.5);
  EXPECT_EQ(c.camera1.distortion, (Distortion{.k1 = -0.1, .k2 = 0.02}));
  EXPECT_EQ(c.camera2.intrinsics.cx, 31.5);
  EXPECT_EQ(c.camera2.distortion, Distortion{.k1 = 0.3});
  const Calibration one = of_cameras("7 SIMPLE_PINHOLE 640 480 500 320 240");
  EXPECT_EQ(one.camera2.intrinsics.fy, 500);  // one line serves both cameras
  EXPECT_TRUE(one.camera1.distortion.none());
  EXPECT_EQ(of_cameras("7 PINHOLE 640 480 500 501 320 240").camera1.intrinsics.fy, 501);
}

TEST(PairCalibration, json_is_in_our_pixels) {
  const Calibration c = parse_pair_calibration(
      R"({"camera1": {"width": 640, "height": 480, "fx": 500, "fy": 501, "cx": 320, "cy": 240.25,
          "k1": -0.1, "k6": 2}, "camera2": {"width": 64, "height": 48, "fx": 50, "fy": 51, "cx": 32,
          "cy": 24}, "R": [1,0,0,0,1,0,0,0,1], "t": [-1,0,0], "note": "x"})",
      "m");
  EXPECT_EQ(c.camera1.intrinsics.cx, 320);
  EXPECT_EQ(c.camera1.intrinsics.cy, 240.25);
  EXPECT_EQ(c.camera1.distortion, (Distortion{.k1 = -0.1, .k6 = 2}));
  EXPECT_EQ(c.camera2.height, 48);
  EXPECT_EQ(c.cam2_from_cam1->t[0], -1);
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
  fails("1 PINHOLE 640 480 -5 1 1 1\n",
        "line 1: focal lengths -5 1, must be 0.001 to 1000000000 px");
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
  fails("1 PINHOLE 640 480 500 1e300 1 1\n", "line 1: focal lengths 500 1e+300, must be");
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

// These files were written by OpenCV's FileStorage.
TEST(PairCalibration, yaml_and_xml_of_opencv_are_read) {
  const std::filesystem::path folder =
      std::filesystem::path(test::kSourceFolder) / "tests/fuzz/corpus/text";
  for (const char* file : {"stereo.yml", "stereo.xml"}) {
    SCOPED_TRACE(file);
    const Calibration c = read_pair_calibration(folder / file);
    const Intrinsics &k1 = c.camera1.intrinsics, &k2 = c.camera2.intrinsics;
    EXPECT_EQ((std::array{k1.fx, k1.fy, k1.cx, k1.cy}),
              (std::array{534.25, 534.75, 341.5, 233.125}));
    EXPECT_EQ((std::array{k2.fx, k2.fy, k2.cx, k2.cy}), (std::array{537.5, 537.0, 327.25, 249.5}));
    EXPECT_EQ(c.camera1.distortion,
              (Distortion{.k1 = -0.29, .k2 = 0.11, .p1 = 1.5e-3, .p2 = -2e-4, .k3 = 0.015}));
    EXPECT_EQ(c.camera2.distortion, (Distortion{.k1 = -0.3,
                                                .k2 = 0.1,
                                                .p1 = -5e-4,
                                                .p2 = 1e-4,
                                                .k3 = 0.02,
                                                .k4 = 0.3,
                                                .k5 = -0.2,
                                                .k6 = 0.05}));
    EXPECT_EQ(c.camera1.width, 640);
    EXPECT_EQ(c.camera2.height, 480);
    EXPECT_NEAR(c.cam2_from_cam1->R[2], std::sin(0.05), 1e-15);
    EXPECT_NEAR(c.cam2_from_cam1->R[6], -std::sin(0.05), 1e-15);
    EXPECT_EQ(c.cam2_from_cam1->t, (Vec3{-3.34, 0.05, -0.02}));
  }
}

std::string matrix_yaml(const std::string& key, int rows, int cols, const std::string& data) {
  return key + ": !!opencv-matrix\n   rows: " + std::to_string(rows) +
         "\n   cols: " + std::to_string(cols) + "\n   dt: d\n   data: [ " + data + " ]\n";
}
// Returns a complete file in which a single entry is missing or replaced.
std::string opencv_yaml(const std::string& without, const std::string& instead = "") {
  std::string text = "%YAML:1.0\n---\n";
  for (const char* key : {"M1", "M2", "R", "T"}) {
    if (key == without) continue;
    text += key[0] == 'M' ? matrix_yaml(key, 3, 3, "500., 0., 320., 0., 501.,\n  240., 0., 0., 1.")
            : key[0] == 'R' ? matrix_yaml(key, 3, 3, "1, 0, 0, 0, 1, 0, 0, 0, 1")
                            : matrix_yaml(key, 3, 1, "-1., 0., 0.");
  }
  return text + instead;
}

TEST(PairCalibration, opencv_files_without_lens_and_size_are_read) {
  const Calibration c = parse_pair_calibration(opencv_yaml(""), "m");
  EXPECT_TRUE(c.camera1.distortion.none());
  EXPECT_EQ(c.camera1.width, 0);
  EXPECT_EQ(c.camera2.intrinsics.fy, 501);
  const Calibration other = parse_pair_calibration(
      opencv_yaml("M1", matrix_yaml("cameraMatrix1", 3, 3, "9, 0, 1, 0, 8, 2, 0, 0, 1")), "m");
  EXPECT_EQ(other.camera1.intrinsics.fx, 9);
}

TEST(PairCalibration, opencv_2_writes_no_document_mark) {
  std::string text = opencv_yaml("");
  text.erase(text.find("---\n"), 4);
  EXPECT_EQ(parse_pair_calibration(text, "m").camera2.intrinsics.fy, 501);
}

TEST(PairCalibration, bad_files_of_opencv_are_named) {
  const auto bad = [](const std::string& text, const std::string& what) {
    expect_error([&] { (void)parse_pair_calibration(text, "m"); }, "m: " + what);
  };
  for (const char* key : {"M1", "M2", "R", "T"})
    bad(opencv_yaml(key), std::string("has no matrix ") + key);
  bad(opencv_yaml("M1", "M1: 5\n"), "has no matrix M1");
  bad(opencv_yaml("M1", matrix_yaml("M1", 3, 3, "1, 2")), "M1: 2 numbers, but rows 3 and cols 3");
  bad(opencv_yaml("M1", matrix_yaml("M1", 1, 2, "1, 2")), "M1: a matrix of 2 numbers");
  bad(opencv_yaml("M1", matrix_yaml("M1", 3, 3, "500, 1, 3, 0, 5, 2, 0, 0, 1")), "M1: skew 1");
  bad(opencv_yaml("M1", matrix_yaml("M1", 3, 3, "500, 0, 3, 1, 5, 2, 0, 0, 1")),
      "M1: is not a camera matrix");
  bad(opencv_yaml("M1", matrix_yaml("M1", 3, 3, "-5, 0, 3, 0, 5, 2, 0, 0, 1")),
      "M1: focal lengths -5 5, must be 0.001 to");
  bad(opencv_yaml("M1", matrix_yaml("M1", 3, 3, "5, 0, x, 0, 5, 2, 0, 0, 1")),
      "M1: x is no finite");
  bad(opencv_yaml("M1", matrix_yaml("M1", 3, 3, ".Nan, 0, 1, 0, 5, 2, 0, 0, 1")),
      "M1: .Nan is no finite");
  bad(opencv_yaml("R", matrix_yaml("R", 3, 3, "1, 0, 0, 0, 2, 0, 0, 0, 1")), "R: is no rotation");
  bad(opencv_yaml("T", matrix_yaml("T", 3, 1, "0, 0, 0")), "T: 0 0 0");
  bad(opencv_yaml("", matrix_yaml("R", 3, 3, "1, 0, 0, 0, 1, 0, 0, 0, 1")), "R: a second one");
  bad(opencv_yaml("", matrix_yaml("D1", 1, 3, "1, 2, 3")), "D1: a matrix of 3 numbers");
  bad(opencv_yaml("", matrix_yaml("D2", 1, 12, "1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 9, 0")),
      "D2: coefficient 11");
  bad(opencv_yaml("", "image_width: 0\n"), "image_width: 0 is not a number of pixels");
  bad(opencv_yaml("", "D1: !!opencv-matrix\n   rows: 1\n   data: 1, 2\n"),
      "D1: data is not in brackets");
  bad("<?xml version=\"1.0\"?><x/>", "is XML without <opencv_storage>");
  bad("<opencv_storage>\n<M1 type_id=\"opencv-matrix\"><rows>3</rows>",
      "line 2: is no XML: Start-end tags mismatch");
  bad("<opencv_storage><M1></M2></opencv_storage>", "line 1: is no XML: Start-end tags mismatch");
  bad(opencv_yaml("", "a: [ 1, 2\nb: 3\n"), "line 26: is no YAML: end of sequence");
  bad(opencv_yaml("", "a: " + std::string(100000, '[')), "line 25: is no YAML: bad file");
  bad(opencv_yaml("", "a: " + std::string(200000, 'x')), "has 200");
  bad("<opencv_storage></opencv_storage>", "has no matrix M1");
}

}  // namespace
}  // namespace bifocal
