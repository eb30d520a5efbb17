// SPDX-License-Identifier: BSD-3-Clause
// Calibrations, rectified pairs and options as users bring them.
#include <gtest/gtest.h>
#include <unistd.h>
#include <bifocal/colmap/database.hpp>

#include <nlohmann/json.hpp>

#include "cli/pairs_database.hpp"
#include "cli/process.hpp"
#include "support/paths.hpp"

namespace bifocal::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

// OpenCV's calibration file of left.png and right.png without an image size, written as if the
// images were `scale` times as large.
std::string calibration(double scale) {
  const std::string K = fmt::format("[{0}, 0., {1}, 0., {0}, {2}, 0., 0., 1.]", 400 * scale,
                                    (399 * scale + scale - 1) / 2, (299 * scale + scale - 1) / 2);
  const auto matrix = [](const char* name, int rows, int cols, const std::string& numbers) {
    return fmt::format("{}: !!opencv-matrix\n  rows: {}\n  cols: {}\n  dt: d\n  data: {}\n", name,
                       rows, cols, numbers);
  };
  return "%YAML:1.0\n---\n" + matrix("M1", 3, 3, K) + matrix("D1", 1, 5, "[0., 0., 0., 0., 0.]") +
         matrix("M2", 3, 3, K) + matrix("D2", 1, 5, "[0., 0., 0., 0., 0.]") +
         matrix("R", 3, 3, "[1., 0., 0., 0., 1., 0., 0., 0., 1.]") +
         matrix("T", 3, 1, "[-0.1, 0., 0.]");
}

TEST(FieldCases4, a_calibration_of_another_size_is_doubted_by_rectify) {
  const TemporaryFolder folder;
  write_pictures(folder);
  for (const double scale : {2.0, 0.5, 1.0}) {
    write_file(folder / "c.yml", calibration(scale));
    const Ran r = run(folder, "rectify left.png right.png --out o --calib c.yml --json");
    EXPECT_EQ(r.code, 0) << r.err;
    const json j = json::parse(r.out);
    EXPECT_EQ(j.contains("doubt"), scale != 1) << scale;
    if (scale == 1) {
      EXPECT_EQ(r.err, "");
    } else {
      expect_part(r.err, "bifocal: warning: c.yml: camera 1: the principal point (");
      expect_part(r.err, "is far from the centre of 400 x 300 px");
    }
  }
  // pair and stereo print the same doubt.
  write_file(folder / "K.txt", "800 0 399.5 0 800 299.5 0 0 1\n");
  const std::string doubt =
      "the principal point (399.5, 299.5) is far from the centre of 400 x 300";
  expect_part(run(folder, "pair left.png right.png --out p --calib K.txt --no-dense").err, doubt);
  expect_part(run(folder, "stereo left.png right.png --out s --calib K.txt --max-disparity 40").err,
              doubt);
  for (const char* page : {"p/report.html", "s/report.html"})
    expect_part(read_file(folder / page), "Warning: ");
}

TEST(FieldCases4, pair_reads_the_calibrations_of_rectify) {
  const TemporaryFolder folder;
  write_pictures(folder);
  write_file(folder / "c.yml", calibration(1));
  write_file(folder / "c.txt",
             "1 RADIAL 400 300 400 200 150 -0.1 0.01\nR 1 0 0 0 1 0 0 0 1\nt -0.1 0 0\n");
  write_file(folder / "c.json", R"({"camera1": {"width": 640, "height": 300, "fx": 400, "fy": 400,
    "cx": 199.5, "cy": 149.5}, "camera2": {"width": 400, "height": 300, "fx": 400, "fy": 400,
    "cx": 199.5, "cy": 149.5}, "R": [1, 0, 0, 0, 1, 0, 0, 0, 1], "t": [-0.1, 0, 0]})");
  const auto pair = [&](const std::string& file) {
    return run(folder, fmt::format("pair left.png right.png --out {0}.o --no-dense --json --calib "
                                   "{0}",
                                   file));
  };
  for (const char* file : {"c.yml", "c.txt"}) {
    const Ran r = pair(file);
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(json::parse(r.out)["cameras"]["first"]["fx"], 400);
    EXPECT_EQ(json::parse(r.out)["cameras"]["second"]["cx"], 199.5);
    EXPECT_EQ(r.err.find("its lens distortion is not used") != std::string::npos,
              std::string(file) == "c.txt");
  }
  const Ran other = pair("c.json");
  EXPECT_EQ(other.code, 3);
  expect_part(other.err, "c.json: is for 640 x 300 px, but left.png is 400 x 300 px");
}

TEST(FieldCases4, doffs_that_differs_from_the_principal_points_is_doubted) {
  const TemporaryFolder folder;
  write_pictures(folder);
  const auto stereo = [&](const std::string& line) {
    write_file(folder / "calib.txt",
               "cam0=[400 0 190 0 400 149.5 0 0 1]\ncam1=[400 0 205 0 400 149.5 0 0 1]\n"
               "width=400\nheight=300\nndisp=40\nbaseline=100\n" +
                   line);
    return run(folder, "stereo left.png right.png --calib calib.txt --out o --json");
  };
  const Ran doubted = stereo("doffs=0\n");
  EXPECT_EQ(doubted.code, 0);
  expect_part(doubted.err,
              "calib.txt: doffs is 0 px, but the principal points of its cameras differ by 15 px");
  EXPECT_EQ(json::parse(doubted.out)["doubts"].size(), 1U);
  EXPECT_EQ(stereo("doffs=15\n").err, "");
  EXPECT_EQ(stereo("").err, "");
}

TEST(FieldCases4, a_baseline_that_is_no_length_makes_no_cloud) {
  const TemporaryFolder folder;
  write_pictures(folder);
  const auto stereo = [&](const std::string& line) {
    write_file(folder / "calib.txt",
               "cam0=[400 0 199.5; 0 400 149.5; 0 0 1]\ncam1=[400 0 199.5; 0 400 149.5; 0 0 1]\n"
               "ndisp=40\n" +
                   line);
    fs::remove_all(folder / "o");
    return run(folder, "stereo left.png right.png --calib calib.txt --out o");
  };
  for (const char* baseline : {"1e-300", "1e300", "0", "-5", "1e-30"}) {
    const Ran r = stereo(fmt::format("baseline={}\n", baseline));
    EXPECT_EQ(r.code, 3) << baseline;
    expect_part(r.err, "calib.txt: line 4: baseline");
    EXPECT_FALSE(fs::exists(folder / "o/cloud.ply"));
  }
  EXPECT_EQ(stereo("baseline=100\ndoffs=1e300\n").code, 3);
  const Ran good = stereo("baseline=193.001\n");
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_TRUE(fs::exists(folder / "o/cloud.ply"));
  const Ran without = stereo("");
  EXPECT_EQ(without.code, 0);
  EXPECT_FALSE(fs::exists(folder / "o/cloud.ply"));
  expect_part(without.err, "no cloud: calib.txt: has no baseline");
}

TEST(FieldCases4, exchanged_pictures_are_noticed) {
  const TemporaryFolder folder;
  write_pictures(folder);
  write_file(folder / "calib.txt",
             "cam0=[400 0 199.5; 0 400 149.5; 0 0 1]\ncam1=[400 0 199.5; 0 400 149.5; 0 0 1]\n"
             "baseline=100\nndisp=40\n");
  const Ran r = run(folder, "stereo right.png left.png --calib calib.txt --out o --json");
  EXPECT_EQ(r.code, 0) << r.err;
  expect_part(r.err, "with the images exchanged: left.png seems to be the left image");
  expect_part(r.err, "no cloud: the images seem to be exchanged");
  EXPECT_FALSE(fs::exists(folder / "o/cloud.ply"));
  EXPECT_EQ(json::parse(r.out)["doubts"].size(), 1U);
  expect_part(read_file(folder / "o/report.html"), "left.png seems to be the left image");
  // Runs the disparity range that the message proposes.
  const Ran negative =
      run(folder, "stereo right.png left.png --out n --min-disparity=-39 --max-disparity 1 --json");
  EXPECT_EQ(negative.code, 0) << negative.err;
  EXPECT_GT(json::parse(negative.out)["density"], 50);
  EXPECT_EQ(run(folder, "stereo left.png right.png --calib calib.txt --out g").err, "");
}

TEST(FieldCases4, files_of_one_camera_are_named) {
  const TemporaryFolder folder;
  write_pictures(folder);
  write_file(folder / "ros.yaml",
             "image_width: 400\nimage_height: 300\ncamera_name: left\ncamera_matrix:\n  rows: 3\n"
             "  cols: 3\n  data: [400, 0, 199.5, 0, 400, 149.5, 0, 0, 1]\n"
             "distortion_model: plumb_bob\n");
  for (const char* command : {"rectify", "stereo --max-disparity 40", "pair"}) {
    const Ran r =
        run(folder, fmt::format("{} left.png right.png --out o --calib ros.yaml", command));
    EXPECT_EQ(r.code, 3) << command;
    expect_part(r.err, "ros.yaml: is ROS's camera_info of one camera");
  }
  const std::string both = calibration(1);
  const std::size_t at = both.find("R: !!");
  write_file(folder / "intrinsics.yml", both.substr(0, at));
  write_file(folder / "extrinsics.yml", "%YAML:1.0\n---\n" + both.substr(at));
  for (const char* file : {"intrinsics.yml", "extrinsics.yml"}) {
    const Ran r = run(folder, fmt::format("rectify left.png right.png --out o --calib {}", file));
    EXPECT_EQ(r.code, 3);
    expect_part(r.err, "put the matrices of both into one file");
  }
}

TEST(FieldCases4, options_and_devices_are_named) {
  const TemporaryFolder folder;
  write_pictures(folder);
  const auto refused = [&](const std::string& arguments, const char* part) {
    const Ran r = run(folder, arguments);
    EXPECT_EQ(r.code, 2) << arguments;
    expect_part(r.err, part);
  };
  refused("pair left.png right.png --output o", "--output: no such option");
  refused("stereo left.png right.png --outt o --max-disparity 9", "--outt: no such option");
  refused("collect --databse o.db", "--databse: no such option");
  for (const char* device : {"gpu", "cuda0", "CPU", "opencl:x", "cuda:"})
    refused(fmt::format("pair left.png right.png --out o --device {}", device),
            "must be cpu, auto, cuda");
  for (const char* device : {"opencl:0,opencl:0", "cuda:all", "cpu,cpu"})
    refused(fmt::format("pair left.png right.png --out o --device {}", device),
            "one device is expected here");
  EXPECT_EQ(run(folder, "pair left.png right.png --out o --device cuda:77").code, 4);
}

TEST(FieldCases4, masks_without_features_are_named) {
  const TemporaryFolder folder;
  write_pictures(folder);
  write_png(folder / "black.png", ImageU8(400, 300));
  const Ran r = run(folder, "pair left.png right.png --out o --mask1 black.png --mask2 black.png");
  EXPECT_EQ(r.code, 5);
  expect_part(r.err, "the first and the second photograph has no feature inside its mask");
  expect_part(run(folder, "pair left.png right.png --out o --overwrite --mask2 black.png").err,
              "the second photograph has no feature inside its mask");
  write_png(folder / "flat.png", ImageU8(400, 300));
  expect_part(run(folder, "pair flat.png right.png --out o --overwrite").err,
              "the first photograph has no feature");
}

// Matches of a moved camera, with the second image mirrored.
TEST(FieldCases4, mirrored_matches_are_doubted) {
  const TemporaryFolder folder;
  const auto estimate = [&](bool is_mirrored) {
    std::string rows;
    for (int i = 0; i < 100; ++i) {
      const double X = (i * 37 % 100) / 50.0 - 1, Y = (i * 61 % 100) / 50.0 - 1,
                   Z = 4 + (i * 17 % 100) / 50.0, c = std::cos(0.3), s = std::sin(0.3);
      const double x = c * X + s * (Z - 5) - 0.2, z = -s * X + c * (Z - 5) + 5;
      const double u = 1000 * x / z + 639.5;
      rows += fmt::format("{} {} {} {}\n", 1000 * X / Z + 639.5, 1000 * Y / Z + 479.5,
                          is_mirrored ? 1279 - u : u, 1000 * Y / z + 479.5);
    }
    write_file(folder / "m.txt", rows);
    return run(folder,
               "estimate essential --points m.txt --intrinsics 1000,1000,639.5,479.5 --strict");
  };
  const Ran good = estimate(false), r = estimate(true);
  EXPECT_EQ(good.err, "");
  EXPECT_EQ(good.code, 0);
  EXPECT_EQ(r.code, 5);
  expect_part(r.err, "100 once the second image is mirrored");
  EXPECT_TRUE(json::parse(r.out).contains("doubt"));
}

TEST(FieldCases4, thresholds_hold_in_any_unit) {
  const TemporaryFolder folder;
  // An affine map from px to geographic degrees, with noise of a tenth of the threshold.
  std::string rows;
  for (int i = 0; i < 60; ++i) {
    const double x = i * 37 % 100 * 10, y = i * 61 % 97 * 8, e = 1e-7 * (i % 5 - 2);
    const double u = 48.1 + 1e-5 * x + 2e-6 * y, v = 11.5 - 3e-6 * x + 1.2e-5 * y;
    rows += fmt::format("{} {} {:.12g} {:.12g}\n", x, y, i % 4 ? u + e : u + 1e-3 * (i % 7 + 1),
                        i % 4 ? v - e : v - 2e-3 * (i % 5 + 1));
  }
  write_file(folder / "latlon.txt", rows);
  const Ran r = run(folder, "estimate homography --points latlon.txt --threshold 1e-6");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(json::parse(r.out)["inliers"], 45);
}

// The report of a database in a folder without write permission; SQLite cannot create the log that
// readers need there.
TEST(FieldCases4, a_finished_database_is_read_without_write_permission) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "P");
  make_database(folder / "P/a.db", 4);
  ASSERT_EQ(run(folder, "verify P/a.db").code, 0);
  fs::permissions(folder / "P/a.db", fs::perms(0444));
  fs::permissions(folder / "P", fs::perms(0555));
  fs::permissions(folder.path(), fs::perms(0777));
  for (const char* command :
       {"report P/a.db --out page.html", "verify P/a.db", "plan P/a.db --out plan"}) {
    // Root may write everywhere, so the command runs as another user.
    const std::string user =
        geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
    const int status =
        std::system(fmt::format("cd '{}' && {}'{}' {} >/dev/null 2>.err", folder.path().string(),
                                user, test::kProgram, command)
                        .c_str());
    const std::string err = text_of(folder / ".err");
    if (err.find("setpriv") != std::string::npos) GTEST_SKIP() << err;
    EXPECT_EQ(WEXITSTATUS(status), 0) << command << ": " << err;
  }
  fs::permissions(folder / "P", fs::perms(0755));
}

}  // namespace
}  // namespace bifocal::test
