// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include <bifocal/io.hpp>

#include "io/expect.hpp"
#include "io/parse.hpp"
#include "support/data.hpp"

namespace bifocal {
namespace {

using io::parse_calibration;
using io::parse_correspondences;
using io::parse_depth_pairs;
using io::parse_scene_points;
using test::expect_error;

TEST(Correspondences, ReadsCountCommentsAndWindowsLines) {
  const auto rows =
      parse_correspondences("# head\r\n2\r\n\r\n1 2\t3 4 # c\r\n+5 -6e1 nan inf\r\n", "m");
  ASSERT_EQ(rows.points.size(), 2u);
  EXPECT_TRUE(rows.weights.empty());
  EXPECT_EQ(rows.points[0].y2, 4);
  EXPECT_EQ(rows.points[1].x1, 5);
  EXPECT_EQ(rows.points[1].y1, -60);
  EXPECT_TRUE(std::isnan(rows.points[1].x2));
  EXPECT_TRUE(std::isinf(rows.points[1].y2));
  EXPECT_EQ(parse_correspondences("1 2 3 4 0.25", "m").weights, std::vector<double>{0.25});
}

TEST(Correspondences, ErrorsNameLineAndText) {
  const auto fails = [](const char* text, const char* part) {
    expect_error([=] { (void)parse_correspondences(text, "p.txt"); }, part);
  };
  fails("1 2 3 4\n1 2 x3 4\n", "p.txt: line 2: \"x3\" is not a number");
  fails("1 2 3 4\n\n1 2 3\n", "line 3: 3 numbers");
  fails("1 2 3 4\n1 2 3 4 5\n", "line 2: 5 numbers, the rows before have 4");
  fails("3\n1 2 3 4\n", "announces 3 rows, 1 are there");
  fails("2.5\n1 2 3 4\n", "line 1: \"2.5\" is neither");
  fails("1,2,3,4\n", "neither a row nor a number of rows: blanks separate numbers, not commas");
  fails("1 2 3 4 -1\n", "weight \"-1\"");
  fails("1 2 3 1e999\n", "\"1e999\" is not a number");
  fails("# nothing\n", "holds no rows");
}

TEST(ScenePoints, ReadsFiveNumbers) {
  const auto points = parse_scene_points("1\n1 2 3 4 5\n", "m");
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].y, 2);
  EXPECT_EQ(points[0].Z, 5);
  expect_error([] { (void)parse_scene_points("1 2 3 4\n", "s.txt"); }, "s.txt: line 1: 4 numbers");
}

TEST(DepthPairs, ReadsSixNumbers) {
  const auto points = parse_depth_pairs("2\n1 2 3 4 5 6\n1 2 3 4 nan 0\n", "m");
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].y2, 4);
  EXPECT_EQ(points[0].depth1, 5);
  EXPECT_EQ(points[0].depth2, 6);
  EXPECT_TRUE(std::isnan(points[1].depth1));
  expect_error([] { (void)parse_depth_pairs("1 2 3 4 5 6\n1 2 3 4\n", "d.txt"); },
               "d.txt: line 2: 4 numbers, expected x1 y1 x2 y2 depth1 depth2");
}

TEST(Calibration, ReadsItsThreeForms) {
  for (const char* text : {"800 801 320 240", "800, 801\r\n320 240\r\n",
                           "800 0 320\n0 801 240\n0 0 1\n", "[800 0 320; 0 801 240; 0 0 1]"}) {
    const Calibration c = parse_calibration(text, "m");
    EXPECT_EQ(c.camera1.intrinsics.fx, 800) << text;
    EXPECT_EQ(c.camera2.intrinsics.fy, 801) << text;
    EXPECT_EQ(c.camera1.intrinsics.cx, 320) << text;
    EXPECT_EQ(c.camera2.intrinsics.cy, 240) << text;
    EXPECT_FALSE(c.baseline) << text;
  }
  const Calibration c = parse_calibration(
      " cam0=[ 9.5 0 2 ; 0 9.5 3 ; 0 0 1 ] \ncam1 = [9.5 0 4;0 9.5 3;0 0 1]\n baseline= 19.3\n"
      "ndisp=70 \nisint=0\n",
      "m");
  EXPECT_EQ(c.camera1.intrinsics.cx, 2);
  EXPECT_EQ(c.camera2.intrinsics.cx, 4);
  EXPECT_EQ(c.doffs, 2);
  EXPECT_EQ(c.baseline, 19.3);
  EXPECT_EQ(c.max_disparity, 70);
}

TEST(Calibration, RefusesInvalidCameras) {
  const auto fails = [](const char* text, const char* part) {
    expect_error([=] { (void)parse_calibration(text, "c.txt"); }, part);
  };
  fails("1 2 3", "3 numbers, expected 4");
  fails("800 0 320 0 800 240 0 0 2", "is not a camera matrix");
  fails("800 5 320 0 800 240 0 0 1", "skew 5");
  fails("-800 800 320 240", "focal lengths -800 800, must be 0.001 to");
  fails("1e-300 800 320 240", "focal lengths 1e-300 800, must be");
  fails("800 800 1e300 240", "principal point 1e+300 240, must be within");
  fails("nan 800 320 240", "not finite");
  fails("800 80O 320 240", "line 1: \"80O\" is not a number");
  fails("cam0=[1 0 2; 0 1 2; 0 0 1]", "has no cam1");
  fails("cam0=[1 0 2; 0 1 2; 0 0]", "line 1: cam0: 8 numbers");
  fails("cam0=[1 0 2; 0 1 2; 0 0 1]\ncam1=[1 0 2; 0 1 2; 0 0 1]\nndisp=1.5", "ndisp 1.5");
}

TEST(Intrinsics, ParsesTheFlag) {
  const Intrinsics camera = parse_intrinsics("800.5, 801,320,240");
  EXPECT_EQ(camera.fx, 800.5);
  EXPECT_EQ(camera.cy, 240);
  for (const char* text : {"", "1,2,3", "1,2,3,4,5", "1,2,3,x", "0,1,2,3", "nan,1,2,3", "1,2,3,"}) {
    expect_error([=] { (void)parse_intrinsics(text); }, "expected fx,fy,cx,cy", ErrorCode::usage);
  }
}

}  // namespace
}  // namespace bifocal
