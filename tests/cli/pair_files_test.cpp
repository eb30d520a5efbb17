// SPDX-License-Identifier: BSD-3-Clause
// The files of `bifocal pair`, by default and with --all-files, and its time table.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include <nlohmann/json.hpp>

#include "cli/process.hpp"
#include "support/long_tests.hpp"

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
      "pair left.png right.png --out o --intrinsics 400,400,199.5,149.5 --kind essential";
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
  const Ran refused = run(folder, "pair left.png planar.png --out mine");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("mine/cloud.ply: exists already"), std::string::npos) << refused.err;
  ASSERT_EQ(run(folder, "pair left.png planar.png --out mine --overwrite").code, 0);
  EXPECT_EQ(read_file(folder / "mine/cloud.ply"), "mine");

  // A later run without a pose removes the pose files of the earlier run.
  ASSERT_EQ(run(folder, "pair left.png planar.png --out o").code, 2);
  ASSERT_EQ(run(folder, "pair left.png planar.png --out o --overwrite").code, 0);
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
// whole one. The times of the table are compared with a clock (times_test.cpp).
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
  EXPECT_GT(sum, 0.95 * wall.count());
  EXPECT_LE(sum, wall.count());
  EXPECT_LE(j["dense"]["cloud_points"], 500'000);
  if (!test::is_long()) return;
  ASSERT_EQ(run(folder, pair + "all --all-files").code, 0);
  const json all = geometry_in(folder / "all");
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

// Mean of red minus blue over known pixels of the columns [begin, end) of the disparities' picture.
double redness(const ImageU8& picture, const ImageF& disparity, double begin, double end) {
  double sum = 0, count = 0;
  for (int y = 0; y < disparity.height; ++y)
    for (int x = int(begin * disparity.width); x < int(end * disparity.width); ++x)
      if (std::isfinite(disparity.at(x, y)))
        sum += picture.at(x, y, 0) - picture.at(x, y, 2), count += 1;
  EXPECT_GT(count, 1000);
  return sum / count;
}

// The nearest of the planes is on the right. In one order of the files disparities decrease as
// points come nearer.
TEST(PairFiles, ShowNearAsRedInBothOrders) {
  const TemporaryFolder folder;
  write_pictures(folder);
  for (const std::string order : {"left.png right.png", "right.png left.png"}) {
    const Ran r =
        run(folder, "pair " + order +
                        " --out o --overwrite --intrinsics 400,400,199.5,149.5 --kind essential "
                        "--all-files --json");
    ASSERT_EQ(r.code, 0) << r.err;
    const json dense = json::parse(r.out)["dense"];
    EXPECT_EQ(dense["rectification"], "planar");
    EXPECT_EQ(dense["reversed"], order.starts_with("right"));
    const ImageU8 picture = read_image(folder / "o/disparity_turbo.png");
    const ImageF disparity = read_pfm(folder / "o/disparity_raw.pfm");
    EXPECT_GT(redness(picture, disparity, 0.8, 1), 50 + redness(picture, disparity, 0, 0.2));
    EXPECT_NE(read_file(folder / "o/report.html").find("px; near is red. "), std::string::npos);
  }
}

// The camera moves forward. Planes side by side; those on the right are nearer and grow more.
TEST(PairFiles, PolarDisparitiesAreNotDescribedAsDepths) {
  const TemporaryFolder folder;
  const ImageU8 far = texture(400, 300, 1);
  ImageU8 near(400, 300, 1);
  for (int y = 0; y < 300; ++y)
    for (int x = 0; x < 400; ++x)
      for (int plane = 3; plane >= 0; --plane) {
        const double scale = 1.06 + 0.04 * plane;
        const double u = 199.5 + (x - 199.5) / scale, v = 149.5 + (y - 149.5) / scale;
        if (int(u) / 100 != plane && plane > 0) continue;
        near.at(x, y) = far.at(int(u + 0.5), int(v + 0.5));
        break;
      }
  write_png(folder / "far.png", far);
  write_png(folder / "near.png", near);
  for (const std::string order : {"far.png near.png", "near.png far.png"}) {
    const Ran r =
        run(folder, "pair " + order +
                        " --out o --overwrite --intrinsics 400,400,199.5,149.5 --kind essential "
                        "--all-files --json");
    ASSERT_EQ(r.code, 0) << r.err;
    const json dense = json::parse(r.out)["dense"];
    EXPECT_EQ(dense["rectification"], "polar");
    const bool is_reversed = dense["reversed"];
    const std::string page = read_file(folder / "o/report.html");
    EXPECT_EQ(page.find("near is red"), std::string::npos);
    EXPECT_NE(page.find(is_reversed ? "px; the lowest is red. " : "px; the highest is red. "),
              std::string::npos);
    const ImageU8 picture = read_image(folder / "o/disparity_turbo.png");
    const ImageF disparity = read_pfm(folder / "o/disparity_raw.pfm");
    double known = 0, sum = 0, sum_red = 0, product = 0;
    for (int y = 0; y < disparity.height; ++y)
      for (int x = 0; x < disparity.width; ++x) {
        const double d = disparity.at(x, y), red = picture.at(x, y, 0) - picture.at(x, y, 2);
        if (!std::isfinite(d)) continue;
        known += 1, sum += d, sum_red += red, product += d * red;
      }
    ASSERT_GT(known, 1000);
    EXPECT_EQ(known * product < sum * sum_red, is_reversed);
  }
}

TEST(Pair, PointsOutRectifiedPhotographs) {
  const TemporaryFolder folder;
  write_pictures(folder);
  const std::string text = "px in the median: the photographs are rectified, and bifocal stereo ";
  const Ran r = run(folder, "pair left.png right.png --kind fundamental --out o");
  EXPECT_NE(r.out.find(text + "left.png right.png matches them as they are\n"), std::string::npos)
      << r.out;
  const std::string page = read_file(folder / "o/report.html");
  EXPECT_NE(page.find("<td>Camera 1</td><td>unknown; for the depth 480 px are assumed</td>"),
            std::string::npos);
  // The same pair, both photographs on their sides.
  for (const char* name : {"left", "right"}) {
    const ImageU8 image = read_image(folder / fmt::format("{}.png", name));
    ImageU8 rotated(image.height, image.width, image.channels);
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x) rotated.at(image.height - 1 - y, x) = image.at(x, y);
    write_png(folder / fmt::format("{}_rotated.png", name), rotated);
  }
  const Ran rotated =
      run(folder, "pair left_rotated.png right_rotated.png --kind fundamental --no-dense --out p");
  EXPECT_EQ(rotated.code, 0) << rotated.err;
  EXPECT_EQ(rotated.out.find(text), std::string::npos) << rotated.out;
}

TEST(PairFiles, AgreeAboutARefusedPair) {
  const TemporaryFolder folder;
  write_png(folder / "a.png", texture(400, 300, 1));
  write_png(folder / "b.png", texture(400, 300, 2));
  const Ran r = run(folder, "pair a.png b.png --out o --json --threshold 40 --no-dense");
  ASSERT_EQ(r.code, 5) << r.err;
  EXPECT_EQ(json::parse(r.out)["inliers"], 0);
  const std::string page = read_file(folder / "o/report.html");
  EXPECT_NE(page.find("<td>Inliers</td><td>0</td>"), std::string::npos);
  EXPECT_NE(page.find("<td>Model</td><td>none</td>"), std::string::npos);
}

}  // namespace
}  // namespace bifocal::test
