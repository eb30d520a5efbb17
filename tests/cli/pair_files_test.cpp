// SPDX-License-Identifier: BSD-3-Clause
// The files of `bifocal pair`, by default and with --all-files, and its time table.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include <nlohmann/json.hpp>

#include "cli/process.hpp"

namespace bifocal::test {
namespace {

using nlohmann::json;

json geometry_in(const std::filesystem::path& folder) {
  return json::parse(read_file(folder / "geometry.json"));
}

TEST(PairFiles, AreThoseThatAUserOpens) {
  const TemporaryFolder folder;
  write_pictures(folder);
  std::filesystem::create_directory(folder / "mine");
  const std::string pair =
      "pair left.png right.png --out o --intrinsics 400,400,199.5,149.5 --model essential";
  const Ran all = run(folder, pair + " --all-files");
  ASSERT_EQ(all.code, 0) << all.err;
  EXPECT_EQ(listing(folder / "o"),
            (std::vector<std::string>{"cloud.ply", "depth.pfm", "depth.png", "depth_deviation.pfm",
                                      "disparity.pfm", "disparity.png", "disparity_raw.pfm",
                                      "disparity_turbo.png", "geometry.json", "matches.png",
                                      "matches.txt", "rectification.npz", "rectified_left.png",
                                      "rectified_right.png", "report.html"}));
  const std::string depth = read_file(folder / "o/depth.pfm"),
                    disparity = read_file(folder / "o/disparity.png");
  EXPECT_EQ(read_pfm(folder / "o/disparity.pfm").width,
            read_image(folder / "o/rectified_left.png").width);
  // A run without the option removes the additional files.
  const Ran r = run(folder, pair);
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(listing(folder / "o"),
            (std::vector<std::string>{"cloud.ply", "depth.pfm", "disparity.png", "geometry.json",
                                      "matches.txt", "rectification.npz", "rectified_left.png",
                                      "rectified_right.png", "report.html"}));
  EXPECT_EQ(read_file(folder / "o/depth.pfm"), depth);
  EXPECT_EQ(read_file(folder / "o/disparity.png"), disparity);
  const json j = geometry_in(folder / "o");
  const std::vector<double> R = j["pose"]["R"], t = j["pose"]["t"];
  EXPECT_NEAR(R[0] + R[4] + R[8], 3, 1e-4);
  EXPECT_NEAR(t[0], -1, 1e-2);  // the right camera is to the right: X2 = X1 + t with t to the left
  EXPECT_EQ(j["dense"]["left_image"], 1);
  EXPECT_GT(j["dense"]["density"], 30);

  // Files of other programs stay, even under the names of our files.
  write_file(folder / "mine/cloud.ply", "mine");
  ASSERT_EQ(run(folder, "pair left.png planar.png --out mine").code, 0);
  EXPECT_EQ(read_file(folder / "mine/cloud.ply"), "mine");

  // A later run without a pose removes the pose files of the earlier run.
  ASSERT_EQ(run(folder, "pair left.png planar.png --out o").code, 0);
  EXPECT_EQ(listing(folder / "o").size(), 3u);
}

// Identical photographs have disparity 0, which a 16-bit image can't distinguish from unknown.
TEST(DisparityPng, HasOneForDisparityZero) {
  const TemporaryFolder folder;
  write_pictures(folder);
  const Ran r = run(folder, "stereo left.png left.png --max-disparity 16 --out o");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err.find("disparity.png"), std::string::npos) << r.err;
  const ImageF raw = read_disparity(folder / "o/disparity_raw.pfm"),
               png = read_disparity(folder / "o/disparity.png", 256);
  int zeros = 0;
  for (std::size_t i = 0; i < raw.pixels.size(); ++i) {
    ASSERT_EQ(std::isfinite(raw.pixels[i]), std::isfinite(png.pixels[i]));
    if (raw.pixels[i] != 0) continue;
    ++zeros;
    ASSERT_EQ(png.pixels[i], 1.0F / 256);
  }
  EXPECT_GT(zeros, 1000);
}

// The photograph is larger than the largest cloud of the default files. Its cloud is a part of the
// whole one. The times of the table are compared with a clock: the rest is the start of the
// process.
TEST(PairFiles, HaveACloudOfFewerPixelsAndAllTimes) {
  BIFOCAL_NEEDS_DATA("opencv_samples/aloeL.jpg");
  const TemporaryFolder folder;
  const std::string pair = fmt::format(
      "pair '{}' '{}' --intrinsics 1300,1300,640.5,554.5 --json --out ",
      data("opencv_samples/aloeL.jpg").string(), data("opencv_samples/aloeR.jpg").string());
  const auto start = std::chrono::steady_clock::now();
  const Ran some = run(folder, pair + "some");
  const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
  ASSERT_EQ(some.code, 0) << some.err;
  const json j = json::parse(some.out);
  double sum = 0;
  for (const auto& [stage, ms] : j["timings_ms"].items()) sum += ms.get<double>();
  fmt::print("pair aloe: {:.0f} ms, {:.0f} ms of them in the table\n", wall.count(), sum);
  EXPECT_GT(sum, 0.8 * wall.count());
  EXPECT_LE(sum, wall.count());
  ASSERT_EQ(run(folder, pair + "all --all-files").code, 0);
  const json all = geometry_in(folder / "all");
  EXPECT_LE(j["dense"]["cloud_points"], 500'000);
  EXPECT_GT(all["dense"]["cloud_points"], 2 * j["dense"]["cloud_points"].get<int>());
  const std::string head =
      fmt::format("element vertex {}\n", j["dense"]["cloud_points"].get<int>());
  EXPECT_NE(read_file(folder / "some/cloud.ply").find(head), std::string::npos);
  const auto bytes = [&](const char* name) {
    std::uintmax_t sum_of_bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder / name))
      sum_of_bytes += file.file_size();
    return sum_of_bytes;
  };
  fmt::print("{} bytes, with --all-files {}\n", bytes("some"), bytes("all"));
  EXPECT_LT(bytes("some"), bytes("all") / 2);
}

}  // namespace
}  // namespace bifocal::test
