// SPDX-License-Identifier: BSD-3-Clause
// `bifocal rectify` from a calibration file and from matches, and the input that it refuses.
#include <gtest/gtest.h>

#include <bifocal/rectify.hpp>

#include <nlohmann/json.hpp>

#include "cli/process.hpp"

namespace bifocal::test {
namespace {

using nlohmann::json;

// Returns 200 matches of a scene seen by two cameras of 400 x 300 px; `forward` means a motion
// along the optical axis.
std::string matches_text(bool forward) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> u(-1, 1);
  std::string text;
  for (int i = 0; i < 200;) {
    const double z = 6 + 3 * u(random), x = 0.4 * z * u(random), y = 0.3 * z * u(random);
    const double x2 = x - (forward ? 0 : 1), y2 = y + (forward ? 0 : 0.1), z2 = forward ? z - 1 : z;
    const double u2 = 420 * x2 / z2 + 199.5, v2 = 420 * y2 / z2 + 149.5;
    if (u2 < 0 || v2 < 0 || u2 > 399 || v2 > 299) continue;
    text += fmt::format("{} {} {} {} 1\n", 400 * x / z + 199.5, 400 * y / z + 149.5, u2, v2);
    ++i;
  }
  return text + "3 4 300 200 0\n";  // an outlier, as `pair` marks it
}

TEST(CliRectify, a_calibrated_pair_of_parallel_cameras_keeps_its_pictures) {
  const TemporaryFolder folder;
  write_pictures(folder);
  write_file(folder / "c.txt",
             "1 PINHOLE 400 300 400 400 200 150\nR 1 0 0 0 1 0 0 0 1\nt -0.25 0 0\n");
  const Ran r = run(folder, "rectify left.png right.png --calib c.txt --out o --json");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(listing(folder / "o"), (std::vector<std::string>{"left.png", "rectification.json",
                                                             "rectification.npz", "right.png"}));
  EXPECT_EQ(read_rectification(folder / "o/rectification.npz").kind, RectificationKind::planar);
  EXPECT_EQ(read_image(folder / "o/left.png").pixels, read_image(folder / "left.png").pixels);
  EXPECT_EQ(read_image(folder / "o/right.png").pixels, read_image(folder / "right.png").pixels);
  const json j = json::parse(r.out);
  EXPECT_EQ(j, json::parse(read_file(folder / "o/rectification.json")));
  EXPECT_EQ(j["swapped"], false);
  EXPECT_EQ(j["baseline"], 0.25);
  EXPECT_EQ(j["Q"].size(), 16u);
  EXPECT_NEAR(j["Q"][14].get<double>(), 4, 1e-12);  // 1 / baseline
  EXPECT_EQ(j["input1"]["cx"], 199.5);
}

TEST(CliRectify, png_files_keep_16_bits) {
  const TemporaryFolder folder;
  ImageU16 deep(40, 30, 3);
  for (std::size_t i = 0; i < deep.pixels.size(); ++i)
    deep.pixels[i] = static_cast<std::uint16_t>(i * 7919);
  write_png(folder / "deep.png", ImageView<const std::uint16_t>(deep));
  write_png(folder / "flat.png", ImageU8(40, 30, 1, std::uint8_t{9}));
  write_file(folder / "c.txt", "1 PINHOLE 40 30 40 40 20 15\nR 1 0 0 0 1 0 0 0 1\nt -0.25 0 0\n");
  const Ran r = run(folder, "rectify deep.png flat.png --calib c.txt --out o");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(read_image_16(folder / "o/left.png").pixels, deep.pixels);
  EXPECT_EQ(read_image(folder / "o/right.png").pixels, read_image(folder / "flat.png").pixels);
}

TEST(CliRectify, distortion_is_removed_and_swapped_cameras_are_named) {
  const TemporaryFolder folder;
  write_pictures(folder);
  write_file(folder / "c.json",
             R"({"camera1": {"width": 400, "height": 300, "fx": 400, "fy": 400, "cx": 199.5,
                "cy": 149.5, "k1": -0.2, "p1": 0.001}, "camera2": {"width": 400, "height": 300,
                "fx": 380, "fy": 385, "cx": 201, "cy": 149}, "R": [1,0,0,0,1,0,0,0,1],
                "t": [0.25,0.01,0]})");
  const Ran r = run(folder, "rectify left.png right.png --calib c.json --out o");
  ASSERT_EQ(r.code, 0) << r.err;
  const json j = json::parse(read_file(folder / "o/rectification.json"));
  EXPECT_EQ(j["swapped"], true);
  EXPECT_EQ(j["left"], "right.png");
  EXPECT_EQ(j["input2"]["k1"], -0.2);
  EXPECT_NE(r.out.find("RIGHT is the left image"), std::string::npos);
  const ImageU8 left = read_image(folder / "o/left.png");
  EXPECT_EQ(left.width, j["width"]);
  EXPECT_EQ(left.height, j["height"]);
}

TEST(CliRectify, matches_alone_give_equal_rows_and_a_range) {
  const TemporaryFolder folder;
  write_pictures(folder);
  write_file(folder / "m.txt", matches_text(false));
  const Ran r = run(folder, "rectify left.png right.png --matches m.txt --out o --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const json j = json::parse(r.out);
  EXPECT_EQ(j["inliers"], 200);
  EXPECT_LT(j["vertical_disparity"]["percentile95"].get<double>(), 1e-6);
  EXPECT_FALSE(j.contains("Q"));
  EXPECT_LT(j["min_disparity"].get<int>(), j["max_disparity"].get<int>());
  EXPECT_LT(j["max_disparity"].get<int>() - j["min_disparity"].get<int>(), 250);
}

TEST(CliRectify, outliers_infinity_and_half_a_pixel_are_no_error) {
  const TemporaryFolder folder;
  write_pictures(folder);
  write_file(folder / "m.txt",
             matches_text(false) + "9000 1 2 3 0\nnan 1 2 3 1\n1 inf 2 3 1\n400 300 -1 -1 1\n");
  const Ran r = run(folder, "rectify left.png right.png --matches m.txt --out o");
  EXPECT_EQ(r.code, 0) << r.err;
}

TEST(CliRectify, every_device_writes_the_same_pictures) {
  const TemporaryFolder folder;
  write_pictures(folder);
  write_file(folder / "m.txt", matches_text(false));
  for (const DeviceInfo& device : list_devices()) {
    const Ran r = run(folder, fmt::format("rectify left.png right.png --matches m.txt --out '{}' "
                                          "--device {}",
                                          device.id, device.id));
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(read_file(folder / device.id / "left.png"), read_file(folder / "cpu/left.png"));
    EXPECT_EQ(read_file(folder / device.id / "right.png"), read_file(folder / "cpu/right.png"));
  }
}

TEST(CliRectify, forward_motion_selects_polar_rectification_with_an_inverse_map) {
  const TemporaryFolder folder;
  write_pictures(folder);
  write_file(folder / "m.txt", matches_text(true));
  write_file(folder / "c.txt",
             "1 PINHOLE 400 300 400 400 200 150\nR 1 0 0 0 1 0 0 0 1\nt 0 0 -1\n");
  for (const std::string from : {"--matches m.txt", "--calib c.txt"}) {
    const Ran r = run(folder, "rectify left.png right.png --out o --overwrite --json " + from);
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(listing(folder / "o"), (std::vector<std::string>{"left.png", "rectification.json",
                                                               "rectification.npz", "right.png"}));
    const json j = json::parse(r.out);
    EXPECT_EQ(j["method"], "polar");
    EXPECT_NE(j["reason"].get<std::string>().find("epipole"), std::string::npos);
    EXPECT_EQ(j["cyclic"], true);
    EXPECT_FALSE(j.contains("H1"));
    if (from == "--matches m.txt") {
      EXPECT_LT(j["vertical_disparity"]["percentile95"].get<double>(), 1e-3);
    }
    const Rectification map = read_rectification(folder / "o/rectification.npz");
    EXPECT_EQ(map.kind, RectificationKind::polar);
    EXPECT_EQ(map.width, j["width"]);
    EXPECT_EQ(map.height, j["height"]);
    const ImageU8 left = read_image(folder / "o/left.png"),
                  in = read_image(folder / (map.is_swapped ? "right.png" : "left.png"));
    const Vec2 p = photograph_point(map, 0, {100, 200});
    const double u = p[0] - std::floor(p[0]), v = p[1] - std::floor(p[1]);
    const int x = static_cast<int>(p[0]), y = static_cast<int>(p[1]);
    const double expected = (1 - v) * ((1 - u) * in.at(x, y) + u * in.at(x + 1, y)) +
                            v * ((1 - u) * in.at(x, y + 1) + u * in.at(x + 1, y + 1));
    EXPECT_NEAR(left.at(100, 200), expected, 1);
  }
  // A later planar run replaces the map.
  write_file(folder / "s.txt", matches_text(false));
  const Ran r =
      run(folder, "rectify left.png right.png --out o --overwrite --json --matches s.txt");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(json::parse(r.out)["method"], "planar");
  EXPECT_EQ(listing(folder / "o"), (std::vector<std::string>{"left.png", "rectification.json",
                                                             "rectification.npz", "right.png"}));
  EXPECT_EQ(read_rectification(folder / "o/rectification.npz").kind, RectificationKind::planar);
  EXPECT_EQ(run(folder, "rectify left.png right.png --out p --matches s.txt --method polar").code,
            0);
  EXPECT_TRUE(std::filesystem::exists(folder / "p/rectification.npz"));
}

TEST(CliRectify, impossible_input_is_named_and_leaves_no_files) {
  const TemporaryFolder folder;
  write_pictures(folder);
  write_file(folder / "forward.txt", matches_text(true));
  write_file(folder / "two.txt", "1 2 3 4\n5 6 7 8\n");
  write_file(folder / "outside1.txt", matches_text(false) + "# next\n401 20 30 40 1\n");
  write_file(folder / "outside2.txt", matches_text(false) + "10 20 30 -1.5 1\n");
  write_file(folder / "small.txt",
             "1 PINHOLE 40 30 400 400 20 15\nR 1 0 0 0 1 0 0 0 1\nt -0.25 0 0\n");
  write_file(folder / "fisheye.txt", "1 FISHEYE 400 300 400 400 20 15\n");
  write_file(folder / "along.txt",
             "1 PINHOLE 400 300 400 400 200 150\nR 1 0 0 0 1 0 0 0 1\nt 0 0 1\n");
  write_file(folder / "bent.json",
             R"({"camera1": {"width": 400, "height": 300, "fx": 400, "fy": 400, "cx": 199.5,
                "cy": 149.5, "k1": -0.1}, "camera2": {"width": 400, "height": 300, "fx": 400, "fy": 400, "cx": 199.5, "cy": 149.5},
                "R": [1,0,0,0,1,0,0,0,1], "t": [0,0,1]})");
  const auto before = listing(folder.path());
  const auto fails = [&](const std::string& arguments, int code, const char* named) {
    const Ran r = run(folder, "rectify left.png right.png " + arguments);
    EXPECT_EQ(r.code, code) << arguments << r.err;
    EXPECT_NE(r.err.find(named), std::string::npos) << r.err;
    EXPECT_EQ(listing(folder.path()), before) << arguments;
  };
  fails("--out o", 2, "either --calib or --matches");
  fails("--out o --calib a --matches b", 2, "--calib");
  fails("--matches two.txt", 2, "--out");
  fails("--out o --calib missing.txt", 3, "missing.txt");
  fails("--out o --calib fisheye.txt", 3, "fisheye.txt: line 1: camera model FISHEYE");
  fails("--out o --calib small.txt", 3, "small.txt: camera 1 is for 40 x 30 px");
  fails("--out o --calib along.txt --max-scale 0", 2, "--max-scale: 0");
  fails("--out o --matches two.txt --device cuda:77", 4, "cuda:77");
  fails("--out o --matches two.txt", 5, "fewer matches than a model needs");
  fails("--out o --matches forward.txt --method planar", 5, "epipole");
  fails("--out o --matches forward.txt --method round", 2, "--method");
  fails("--out o --matches outside1.txt", 3,
        "outside1.txt: row 202: 401 20 is outside left.png, 400 x 300 px");
  fails("--out o --matches outside2.txt", 3,
        "outside2.txt: row 202: 30 -1.5 is outside right.png, 400 x 300 px");
  fails("--out o --calib along.txt --method planar", 5, "epipole");
  fails("--out o --calib bent.json", 5, "needs cameras without lens distortion");
  fails("--out o --calib bent.json --method polar", 2, "bent.json");
  fails("--out . --calib along.txt", 2, "would replace the input");
}

}  // namespace
}  // namespace bifocal::test
