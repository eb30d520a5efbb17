// SPDX-License-Identifier: BSD-3-Clause
// Disparity files, clouds and drawn images.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include <bifocal/draw.hpp>
#include <bifocal/io.hpp>

#include "io/expect.hpp"
#include "support/data.hpp"

namespace bifocal {
namespace {

using test::expect_error;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(Disparity, PfmStoresUnknownAsInfinity) {
  const test::TemporaryFolder folder;
  ImageF map(4, 1);
  map.pixels = {1.5f, kNaN, kInf, 0};
  write_disparity_pfm(folder / "d.pfm", map);
  EXPECT_EQ(read_pfm(folder / "d.pfm").pixels, (std::vector<float>{1.5f, kInf, kInf, 0}));
  const ImageF back = read_disparity(folder / "d.pfm");
  EXPECT_EQ(back.pixels[0], 1.5f);
  EXPECT_TRUE(std::isnan(back.pixels[1]));
  EXPECT_TRUE(std::isnan(back.pixels[2]));
  EXPECT_EQ(back.pixels[3], 0);
}

TEST(Disparity, PngCountsValuesOutOfRange) {
  const test::TemporaryFolder folder;
  ImageF map(7, 1);
  map.pixels = {1.5f, kNaN, 255.99f, 0, -2, 256, 1.0f / 512};
  EXPECT_EQ(write_disparity_png16(folder / "d.png", map), 3);
  const auto samples = read_samples(folder / "d.png");
  EXPECT_EQ(samples.pixels, (std::vector<std::uint16_t>{384, 0, 65533, 0, 0, 0, 1}));
  const ImageF back = read_disparity(folder / "d.png", 256);
  EXPECT_EQ(back.pixels[0], 1.5f);
  EXPECT_TRUE(std::isnan(back.pixels[1]));
  expect_error([&] { (void)read_disparity(folder / "d.png", 0); }, "scale 0", ErrorCode::usage);
}

TEST(Turbo, ShowsRangeUnknownPixelsAndLegend) {
  ImageF map(300, 4, 1, 10);
  map.at(0, 0) = 0;
  map.at(1, 0) = 20;
  map.at(2, 0) = kNaN;
  const ImageU8 picture = turbo_picture(map, 0, 20);
  EXPECT_EQ(picture.width, 300);
  EXPECT_GT(picture.height, 4 + 20);
  const auto pixel = [&](int x, int y) {
    return std::array{picture.at(x, y, 0), picture.at(x, y, 1), picture.at(x, y, 2)};
  };
  EXPECT_EQ(pixel(2, 0), (std::array<std::uint8_t, 3>{0, 0, 0}));
  EXPECT_GT(pixel(1, 0)[0], 3 * pixel(1, 0)[2]);  // red end
  EXPECT_GT(pixel(5, 0)[1], 230);                 // green middle
  EXPECT_EQ(pixel(6, 4 + 8), pixel(0, 0));        // the bar starts with lo
  // The colours of a range from high to low.
  const ImageU8 descending = turbo_picture(map, 20, 0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(descending.at(0, 0, i), picture.at(1, 0, i));
    EXPECT_EQ(descending.at(1, 0, i), picture.at(0, 0, i));
    EXPECT_EQ(descending.at(6, 4 + 8, i), picture.at(0, 0, i));  // the bar still starts with blue
  }
  for (const int width : {1, 5, 40}) EXPECT_EQ(turbo_picture(ImageF(width, 1), 1, 1).width, width);
  expect_error([] { (void)turbo_picture(ImageF(2, 2), kNaN, 1); }, "range", ErrorCode::usage);
}

TEST(Ply, IsBinaryLittleEndian) {
  const test::TemporaryFolder folder;
  write_ply(folder / "c.ply", std::vector<CloudPoint>{{1, 2, -3, 4, 5, 6}, {0, 0, 0, 255, 0, 1}});
  const std::string bytes = read_file(folder / "c.ply");
  const std::string end = "end_header\n";
  const std::size_t body = bytes.find(end) + end.size();
  EXPECT_NE(bytes.find("element vertex 2\n"), std::string::npos);
  ASSERT_EQ(bytes.size() - body, 30u);
  EXPECT_EQ(bytes.substr(body, 15), std::string("\0\0\x80\x3f\0\0\0\x40\0\0\x40\xc0\4\5\6", 15));
}

TEST(Ply, HasDoublesForPointsFarFromTheOrigin) {
  const test::TemporaryFolder folder;
  const double far = 5334000.654321;
  write_ply(folder / "c.ply", std::vector<WorldPoint>{{1, far, -3, 4, 5, 6}});
  const std::string bytes = read_file(folder / "c.ply");
  const std::string end = "end_header\n";
  const std::size_t body = bytes.find(end) + end.size();
  EXPECT_NE(bytes.find("property double y\n"), std::string::npos);
  ASSERT_EQ(bytes.size() - body, 27u);
  double y = 0;
  std::memcpy(&y, bytes.data() + body + 8, 8);
  EXPECT_EQ(y, far);
}

TEST(Ply, PointsAreReadAsWritten) {
  const test::TemporaryFolder folder;
  std::vector<CloudPoint> written;
  for (int i = 0; i < 100000; ++i)
    written.push_back({float(i), 0.5F, -float(i), std::uint8_t(i), 1, std::uint8_t(i / 256)});
  write_ply(folder / "c.ply", written);
  std::vector<CloudPoint> read;
  const auto visit = [&](std::span<const CloudPoint> points) {
    read.insert(read.end(), points.begin(), points.end());
  };
  EXPECT_EQ(read_ply(folder / "c.ply", visit), 100000);
  ASSERT_EQ(read.size(), written.size());
  for (std::size_t i = 0; i < read.size(); i += 777) {
    const CloudPoint &a = read[i], &b = written[i];
    EXPECT_TRUE(a.x == b.x && a.y == b.y && a.z == b.z && a.r == b.r && a.g == b.g && a.b == b.b);
  }
  written = {{1, 2, 3, 4, 5, 6}, {1, float(kNaN), 3, 4, 5, 6}};
  write_ply(folder / "n.ply", written);
  read.clear();
  EXPECT_EQ(read_ply(folder / "n.ply", visit), 2);
  EXPECT_EQ(read.size(), 1U);
}

TEST(Ply, OtherFilesAreRefusedByName) {
  const test::TemporaryFolder folder;
  write_ply(folder / "good.ply", std::vector<CloudPoint>{{1, 2, -3, 4, 5, 6}});
  const std::string good = read_file(folder / "good.ply");
  const auto refused = [&](const std::string& from, const std::string& to, const char* reason) {
    std::string bytes = good;
    bytes.replace(bytes.find(from), from.size(), to);
    write_file(folder / "c.ply", bytes);
    expect_error([&] { (void)read_ply(folder / "c.ply"); }, "c.ply: " + std::string(reason));
  };
  refused("binary_little_endian", "ascii", "is not a PLY file");
  refused("end_header", "", "is not a PLY file");
  refused("vertex 1", "vertex 2", "is truncated: 2 points in the header, 1 in the file");
  refused("vertex 1", "vertex 9223372036854775807", "is truncated");
  refused("vertex 1", "vertex -1", "'element vertex -1' is not the number of vertices");
  refused("vertex 1", "vertex", "'element vertex' is not the number of vertices");
  refused("element vertex 1\n", "", "has no x of the type float");
  refused("vertex 1", "face 1", "'element face 1' is not the number of vertices");
  refused("float y", "double y", "has no y of the type float");
  refused("uchar red", "uchar r", "has no red of the type uchar");
  refused("float z", "list uchar int z", "'property list uchar int z' is not a number");
  expect_error([&] { (void)read_ply(folder / "none.ply"); }, "none.ply");
  expect_error([&] { (void)read_ply(folder.path()); }, folder.path().string());
}

TEST(Draw, LinesStayInsideAndReachTheirEnds) {
  ImageU8 picture(20, 10, 3);
  draw_line(picture, 2, 5, 17, 5, {200, 100, 50});
  EXPECT_EQ(picture.at(10, 5, 0), 200);
  EXPECT_EQ(picture.at(10, 4, 0), 0);
  EXPECT_EQ(picture.at(19, 5, 0), 0);
  const ImageU8 before = picture;
  draw_line(picture, kNaN, 0, 5, 5, {255, 255, 255});
  EXPECT_THROW(draw_line(picture, 0, 0, 5, 5, {}, std::numeric_limits<double>::infinity()), Error);
  EXPECT_THROW(draw_text(picture, 0, 0, "a", {}, 100'000'000), Error);
  EXPECT_THROW((void)to_grey(ImageView<const std::uint8_t>{nullptr, 4, 4, 1}), Error);
  EXPECT_THROW((void)to_grey({picture.pixels.data(), 4, 4, 3, 4}), Error);
  draw_line(picture, -1e30, 3, 1e30, 3, {255, 255, 255});
  draw_line(picture, 100, 100, 200, 150, {255, 255, 255});
  draw_circle(picture, kNaN, 2, 3, {255, 255, 255});
  draw_text(picture, 1000, -50, "far", {255, 255, 255});
  EXPECT_EQ(picture.pixels, before.pixels);
  draw_line(picture, -1000, -1000, 1000, 1000, {255, 255, 255}, 3);
  EXPECT_EQ(picture.at(7, 7, 2), 255);
  draw_circle(picture, 10, 5, 4, {1, 2, 3});
  EXPECT_EQ(picture.at(14, 5, 2), 3);
}

TEST(Draw, MatchesAreChosenEvenlyAndChecked) {
  const ImageU8 grey(40, 30, 1, 50), colour(20, 50, 4, 60);
  const std::vector<PointPair> points = {{5, 5, 5, 5}, {9, 9, 9, 9}, {kNaN, 1, 2, 3}};
  const std::vector<std::uint8_t> inliers = {1, 0, 1};
  const ImageU8 picture = draw_matches(grey, colour, points, inliers, 10);
  EXPECT_EQ(picture.channels, 3);
  EXPECT_EQ(picture.height, 50);
  EXPECT_EQ(picture.at(20, 5, 1) > 150, true);
  EXPECT_EQ(draw_matches(grey, colour, points, inliers, 0).pixels,
            side_by_side(grey, colour).picture.pixels);
  expect_error([&] { (void)draw_matches(grey, colour, points, std::vector<std::uint8_t>{1}); },
               "1 inlier marks for 3 points", ErrorCode::usage);
}

TEST(Draw, EpipolarLinesPassThroughTheirPoints) {
  const ImageU8 grey(60, 40, 1, 50);
  const Mat3 F = {0, 0, 0, 0, 0, -1, 0, 1, 0};  // pure x translation: the same row
  const std::vector<PointPair> points = {{10, 20, 30, 20}};
  const ImageU8 picture = draw_epipolar_lines(grey, grey, points, {}, F);
  for (const int x : {0, 55, 64 + 5, 64 + 59}) EXPECT_NE(picture.at(x, 20, 1), 50) << x;
  EXPECT_EQ(picture.at(0, 30, 1), 50);
  EXPECT_EQ(draw_epipolar_lines(grey, grey, points, {}, Mat3{}).width, 124);
}

TEST(Draw, BlendIsGreyWhereTheWarpAgrees) {
  ImageU8 first(30, 20);
  for (int i = 0; i < 600; ++i) first.pixels[std::size_t(i)] = std::uint8_t(i * 7);
  ImageU8 second(30, 20, 1, 90);
  for (int y = 0; y < 20; ++y) {
    for (int x = 3; x < 30; ++x) second.at(x, y) = first.at(x - 3, y);
  }
  const ImageU8 picture = blend_warped(first, second, {1, 0, 3, 0, 1, 0, 0, 0, 1});
  for (int x = 3; x < 30; ++x) EXPECT_EQ(picture.at(x, 9, 0), picture.at(x, 9, 1));
  EXPECT_EQ(picture.at(0, 0, 0), 30);
  EXPECT_EQ(blend_warped(first, second, Mat3{}).at(5, 5, 0), second.at(5, 5) / 3);
}

}  // namespace
}  // namespace bifocal
