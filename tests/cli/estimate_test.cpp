// SPDX-License-Identifier: BSD-3-Clause
// The output of bifocal estimate for one pair, by model and outcome.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include <nlohmann/json.hpp>

#include "cli/process.hpp"
#include "support/needs_problem.hpp"
#include "synthetic/facades.hpp"

namespace bifocal::test {
namespace {

using nlohmann::json;

// Distorts a point of a 640 x 480 image by a lens with k = -0.2 in units of half the diagonal.
std::string through_lens(double x, double y) {
  const double u = (x - 320) / 400, v = (y - 240) / 400;
  const double scale = 800 / (1 + std::sqrt(1 + 0.8 * (u * u + v * v)));
  return fmt::format("{} {} ", 320 + scale * u, 240 + scale * v);
}

TEST(Cli, estimate_prints_the_distortion_of_a_lens) {
  SKIP_UNLESS_PROBLEM_IS_BUILT(ModelKind::radial_fundamental);
  const TemporaryFolder folder;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::string points;
  for (int i = 0; i < 80; ++i) {
    const double X = 2 * unit(random), Y = 1.5 * unit(random), Z = 4 + unit(random);
    const double u = 0.96 * X + 0.28 * Z - 2, w = 0.96 * Z - 0.28 * X + 1;
    points += through_lens(320 + 500 * X / Z, 240 + 500 * Y / Z) +
              through_lens(320 + 500 * u / w, 240 + 500 * Y / w) + "\n";
  }
  write_file(folder / "points.txt", points);
  const std::string command = "estimate radial_fundamental --points points.txt ";
  const auto told = [&](const std::string& camera) {
    const Ran r = run(folder, command + camera);
    EXPECT_EQ(r.code, 0) << r.err;
    return json::parse(r.out);
  };
  const json half = told("--principal-point 320,240");
  EXPECT_EQ(half["model"]["kind"], "radial_fundamental");
  EXPECT_EQ(half["inliers"], 80);
  EXPECT_NEAR(half["distortion"].get<double>(), -0.2, 1e-4);
  EXPECT_LT(half["distortion_deviation"].get<double>(), 0.01);
  EXPECT_EQ(half["distortion_unit"], 400);
  EXPECT_NEAR(told("--intrinsics 200,200,320,240")["distortion"].get<double>(), -0.05, 1e-4);
  const Ran none = run(folder, command);
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("--principal-point"), std::string::npos) << none.err;
}

// Files of points: a plane, a sideways motion, a motion with a rotation, and a scene with depth.
class EstimateFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string plane = "# x1 y1 x2 y2\n", depth, scene, turned, depths;
    for (int i = 0; i < 60; ++i) {
      const double X = unit(random), Y = unit(random), Z = 4 + unit(random);
      const double x = 320 + 500 * X / Z, y = 240 + 500 * Y / Z;
      depth += fmt::format("{} {} {} {}\n", x, y, 320 + 500 * (X - 1) / Z, y);
      plane += fmt::format("{} {} {} {}\n", x, y, 0.9 * x + 7, 0.9 * y - 3);
      // Camera 2 is rotated about y, then x, and stands to the side of camera 1 and behind it.
      const double u = 0.96 * X + 0.28 * Z - 2, w = 0.96 * Z - 0.28 * X + 1;
      const double v = 0.96 * Y - 0.28 * w, far = 0.28 * Y + 0.96 * w;
      turned += fmt::format("{} {} {} {}\n", x, y, 320 + 500 * u / far, 240 + 500 * v / far);
      depths += fmt::format("{} {} {} {} {} {}\n", x, y, 320 + 500 * u / far, 240 + 500 * v / far,
                            Z, i % 10 ? 3 * far + 1 : 0);
      scene += fmt::format("{} {} {} {} {}\n", x, y, X + 10, Y, Z);
    }
    plane += "nan 1 2 3\n";
    write_file(folder / "plane.txt", plane);
    write_file(folder / "depth.txt", depth);
    write_file(folder / "scene.txt", scene);
    write_file(folder / "turned.txt", turned);
    write_file(folder / "depths.txt", depths);
  }
  json result(const std::string& arguments) {
    const Ran r = run(folder, "estimate " + arguments);
    EXPECT_EQ(r.code, 0) << r.err;
    return json::parse(r.out);
  }
  const TemporaryFolder folder;
  std::mt19937 random{3};
  std::uniform_real_distribution<double> unit{-1, 1};
};

TEST_F(EstimateFiles, each_model_is_printed) {
  SKIP_UNLESS_PROBLEM_IS_BUILT(ModelKind::absolute_pose);
  const json H = result("homography --points plane.txt");
  EXPECT_EQ(H["inliers"], 60);
  EXPECT_EQ(H["not_finite"], json::array({60}));
  EXPECT_NEAR(H["model"]["H"][2].get<double>() / H["model"]["H"][8].get<double>(), 7, 1e-3);
  EXPECT_EQ(result("fundamental --points depth.txt")["model"]["kind"], "fundamental");
  const json E = result("essential --points depth.txt --intrinsics 500,500,320,240 --seed 5");
  EXPECT_EQ(E["seed"], 5);
  EXPECT_NEAR(E["pose"]["t"][0].get<double>(), -1, 1e-6);
  const json P = result("absolute_pose --points scene.txt --intrinsics 500,500,320,240");
  EXPECT_NEAR(P["pose"]["t"][0].get<double>(), -10, 1e-3);

  const Ran none = run(folder, "estimate absolute_pose --points scene.txt");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("--intrinsics"), std::string::npos);
}

TEST_F(EstimateFiles, a_focal_length_is_printed_if_the_camera_rotates) {
  SKIP_UNLESS_PROBLEM_IS_BUILT(ModelKind::shared_focal);
  // Parallel optical axes do not determine the focal length.
  const json open = result("shared_focal --points depth.txt --principal-point 320,240");
  EXPECT_EQ(open["model"]["kind"], "shared_focal");
  EXPECT_EQ(open["focal_deviation"], nullptr);
  for (const char* camera : {"--principal-point 320,240", "--intrinsics 1,1,320,240"}) {
    const json told = result(std::string("shared_focal --points turned.txt ") + camera);
    EXPECT_NEAR(told["focal_length"].get<double>(), 500, 0.1);
    EXPECT_LT(told["focal_deviation"].get<double>(), 20);
    EXPECT_NEAR(told["pose"]["R"][0].get<double>(), 0.96, 1e-3);
  }
  SKIP_UNLESS_PROBLEM_IS_BUILT(ModelKind::monodepth_shared_focal);
  // Depths determine the shared focal length; one match in ten has no depth.
  const json deep = result("monodepth_shared_focal --points depths.txt --principal-point 320,240");
  EXPECT_NEAR(deep["focal_length"].get<double>(), 500, 0.1);
  EXPECT_NEAR(deep["pose"]["R"][0].get<double>(), 0.96, 1e-3);
  EXPECT_EQ(deep["inliers"], 60);
  for (const auto& [model, file, named] :
       {std::tuple{"monodepth_shared_focal", "turned.txt", "x1 y1 x2 y2 depth1 depth2"},
        std::tuple{"shared_focal", "depths.txt", "line 1: 6 numbers"}}) {
    const Ran r =
        run(folder, fmt::format("estimate {} --points {} --principal-point 320,240", model, file));
    EXPECT_EQ(r.code, 3) << file;
    EXPECT_NE(r.err.find(named), std::string::npos) << r.err;
  }
  for (const char* wrong : {"shared_focal --points turned.txt",
                            "shared_focal --points turned.txt --principal-point 320",
                            "essential --points turned.txt --principal-point 320,240"}) {
    const Ran r = run(folder, std::string("estimate ") + wrong);
    EXPECT_EQ(r.code, 2) << wrong;
    EXPECT_NE(r.err.find("--principal-point"), std::string::npos) << r.err;
  }
  const Ran two = run(folder,
                      "estimate shared_focal --points turned.txt --intrinsics 1,1,320,240 "
                      "--intrinsics2 1,1,300,240");
  EXPECT_EQ(two.code, 2);
  EXPECT_NE(two.err.find("--intrinsics2: two cameras"), std::string::npos) << two.err;
}

TEST_F(EstimateFiles, weights_and_a_dominant_plane_count) {
  // Matches of the second plane have weight 0 and do not count.
  std::string weighted;
  for (int i = 0; i < 90; ++i) {
    const double x = 200 + 5 * i, y = 300 + 40 * unit(random), s = i % 3 ? 1.1 : 0.9;
    weighted += fmt::format("{} {} {} {} {}\n", x, y, s * x + 7, s * y - 3, i % 3 ? 0 : 2.5);
  }
  write_file(folder / "weighted.txt", weighted);
  const json W = result("homography --points weighted.txt");
  EXPECT_EQ(W["inliers"], 30);
  EXPECT_NEAR(W["model"]["H"][0].get<double>() / W["model"]["H"][8].get<double>(), 0.9, 1e-6);

  // A plane alone determines no fundamental matrix; only the flag tests this.
  std::string flat;
  for (int i = 0; i < 90; ++i) {
    const double x = 640 * unit(random), y = 480 * unit(random), w = 1 + 2e-4 * x;
    flat += fmt::format("{} {} {} {}\n", x, y, (0.9 * x + 7) / w + 0.3 * unit(random),
                        (0.9 * y - 3) / w + 0.3 * unit(random));
  }
  write_file(folder / "flat.txt", flat);
  EXPECT_EQ(result("fundamental --points flat.txt")["outcome"], "ok");
  EXPECT_EQ(result("fundamental --points depth.txt --dominant-plane")["outcome"], "ok");
  const Ran plane_alone = run(folder, "estimate fundamental --points flat.txt --dominant-plane");
  EXPECT_EQ(plane_alone.code, 5);
  EXPECT_NE(plane_alone.err.find("the points coincide, lie on a line"), std::string::npos);
}

TEST(Cli, repeated_structure_is_a_warning_and_with_strict_exit_code_5) {
  for (const double repeated : {1.0, 0.0}) {
    const TemporaryFolder folder;
    std::mt19937_64 random(1);
    std::string points;
    for (const PointPair& p : synthetic::make_facade({.repeated = repeated}, random).points)
      points += fmt::format("{} {} {} {}\n", p.x1, p.y1, p.x2, p.y2);
    write_file(folder / "points.txt", points);
    const std::string command = "estimate fundamental --points points.txt --threshold 2.5";
    const Ran r = run(folder, command), strict = run(folder, command + " --strict");
    ASSERT_EQ(r.code, 0) << r.err;
    const json repetition = json::parse(r.out)["repetition"];
    EXPECT_EQ(repetition["is_doubted"], repeated == 1);
    EXPECT_EQ(repetition["rival_ratio"].get<double>() > 0.3, repeated == 1);
    EXPECT_EQ(r.err.find("bifocal: warning: points.txt: repeated structure: ") == 0, repeated == 1)
        << r.err;
    EXPECT_EQ(strict.code, repeated == 1 ? 5 : 0);
    EXPECT_EQ(strict.out, r.out);
  }
}

TEST(Cli, a_model_that_is_not_significant_is_printed_with_exit_code_5) {
  const TemporaryFolder folder;
  std::mt19937 random(3);
  std::string rows;
  for (int i = 0; i < 12; ++i)
    rows += fmt::format("{} {} {} {}\n", random() % 640, random() % 480, random() % 640,
                        random() % 480);
  write_file(folder / "wrong.txt", rows);
  const Ran r = run(folder, "estimate homography --points wrong.txt --mask");
  EXPECT_EQ(r.code, 5);
  const json j = json::parse(r.out);
  EXPECT_EQ(j["outcome"], "not_significant");
  EXPECT_GT(j["significance"].get<double>(), -2);
  EXPECT_EQ(j["model"]["H"].size(), 9u);
  int inliers = 0;
  for (const int flag : j["inlier_mask"]) inliers += flag;
  EXPECT_EQ(j["inliers"], inliers);
  EXPECT_GE(inliers, 4);
  const Ran short_output = run(folder, "estimate homography --points wrong.txt");
  EXPECT_FALSE(json::parse(short_output.out).contains("inlier_mask"));
  EXPECT_LT(std::count(short_output.out.begin(), short_output.out.end(), '\n'), 20);
  EXPECT_LT(short_output.out.find("\"model\""), short_output.out.find("\"inliers\""));
}

}  // namespace
}  // namespace bifocal::test
