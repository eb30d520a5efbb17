// SPDX-License-Identifier: BSD-3-Clause
// bifocal estimate --scenes processes every trial of a file and writes a file of results.
#include <gtest/gtest.h>

#include <bifocal/io.hpp>
#include <bifocal/robust.hpp>

#include <nlohmann/json.hpp>

#include "cli/process.hpp"
#include "support/needs_problem.hpp"

namespace bifocal::test {
namespace {

using nlohmann::json;

constexpr std::size_t kTrials = 4, kPoints = 120;
constexpr Intrinsics kCamera{500, 500, 320, 240};

struct Trials {
  std::vector<PointPair> pairs;
  std::vector<NamedArray> arrays;  // arrays of the file
};

// Makes three trials of a plane or a volume with one wrong match in four; in the last trial all
// points are NaN.
Trials trials_of(bool plane) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> unit(-1, 1);
  Trials trials;
  for (std::size_t i = 0; i < kTrials * kPoints; ++i) {
    const double X = unit(random), Y = unit(random), Z = plane ? 4 + 0.3 * X : 4 + unit(random);
    PointPair p{320 + 500 * X / Z, 240 + 500 * Y / Z, 320 + 500 * (X - 1) / (Z + 0.2),
                240 + 500 * Y / (Z + 0.2)};
    if (i % 4 == 0) p.x2 = 320 + 300 * unit(random), p.y2 = 240 + 200 * unit(random);
    if (i >= (kTrials - 1) * kPoints) p.x1 = std::nan("");
    trials.pairs.push_back(p);
  }
  std::vector<double> x1, x2;
  for (const PointPair& p : trials.pairs) {
    x1.insert(x1.end(), {p.x1, p.y1});
    x2.insert(x2.end(), {p.x2, p.y2});
  }
  const std::vector<std::int64_t> shape = {kTrials, kPoints, 2};
  const Mat3 K = kCamera.matrix();
  trials.arrays = {{"K", {{3, 3}, std::vector<double>(K.begin(), K.end())}},
                   {"scene", {{}, std::string("general")}},
                   {"x1", {shape, x1}},
                   {"x2", {shape, x2}}};
  return trials;
}

template <class T>
std::vector<T> values(const NpzFile& file, const char* name, std::vector<std::int64_t> shape) {
  const NpyArray array = file.read(name);
  EXPECT_EQ(array.shape, shape) << name;
  return std::get<std::vector<T>>(array.values);
}

// Checks that the file holds the library's result for each trial with the same options.
void expect_library_result(const NpzFile& file, const Trials& trials, const std::string& model,
                           const RobustOptions& options) {
  EXPECT_EQ(std::get<std::string>(file.read("problem").values), model);
  EXPECT_EQ(std::get<std::string>(file.read("name").values), "bifocal");
  const auto ok = values<std::uint8_t>(file, "ok", {kTrials});
  const auto M = values<double>(file, "model", {kTrials, 3, 3});
  const auto inliers = values<std::uint8_t>(file, "inliers", {kTrials, kPoints});
  std::vector<double> R, t;
  EXPECT_EQ(file.contains("R"), model == "essential");
  if (model == "essential") {
    R = values<double>(file, "R", {kTrials, 3, 3});
    t = values<double>(file, "t", {kTrials, 3});
  }
  for (std::size_t k = 0; k < kTrials; ++k) {
    const std::span points = std::span(trials.pairs).subspan(k * kPoints, kPoints);
    EstimateResult r;
    Pose pose;
    if (model == "essential") {
      const RelativePoseResult e =
          estimate_relative_pose(ModelKind::essential, points,
                                 {.cameras = std::array{kCamera, kCamera}, .options = options});
      r = e;
      if (e.ok()) pose = e.pose;
      EXPECT_TRUE(std::equal(pose.R.begin(), pose.R.end(), R.begin() + std::ptrdiff_t(9 * k)));
      EXPECT_TRUE(std::equal(pose.t.begin(), pose.t.end(), t.begin() + std::ptrdiff_t(3 * k)));
    } else {
      r = model == "homography" ? estimate(ModelKind::homography, points, {.options = options})
                                : estimate(ModelKind::fundamental, points, {.options = options});
    }
    EXPECT_EQ(ok[k] != 0, r.ok());
    EXPECT_EQ(r.ok(), k + 1 < kTrials);
    EXPECT_TRUE(std::equal(r.model.begin(), r.model.end(), M.begin() + std::ptrdiff_t(9 * k)));
    EXPECT_TRUE(std::equal(r.inliers.begin(), r.inliers.end(),
                           inliers.begin() + std::ptrdiff_t(kPoints * k)));
  }
}

TEST(Scenes, every_trial_equals_the_library_result) {
  const TemporaryFolder folder;
  for (const std::string model : {"homography", "fundamental", "essential"}) {
    SCOPED_TRACE(model);
    const Trials trials = trials_of(model == "homography");
    write_npz(folder / "s.npz", trials.arrays);
    const Ran ran = run(
        folder, fmt::format("estimate {} --scenes s.npz --result r.npz --threshold "
                            "1.5 --max-iterations 700 --min-inlier-ratio 0.2 --seed 3 --threads 2",
                            model));
    ASSERT_EQ(ran.code, 0) << ran.err;
    const NpzFile file(folder / "r.npz");
    expect_library_result(
        file, trials, model,
        {.threshold = 1.5, .max_iterations = 700, .min_inlier_ratio = 0.2, .seed = 3});
    const auto times = values<double>(file, "time_ms", {kTrials});
    EXPECT_GT(times[0], 0);
    EXPECT_EQ(times, std::vector<double>(kTrials, times[0]));  // the mean of all trials
    const json summary = json::parse(ran.out);
    EXPECT_EQ(summary["trials"], kTrials);
    EXPECT_EQ(summary["points"], kPoints);
    EXPECT_EQ(summary["failures"], 1);
    EXPECT_EQ(summary["problem"], model);
    EXPECT_NEAR(summary["mean_ms"].get<double>(), times[0], 1e-9 * times[0]);
  }
}

TEST(Scenes, with_depths_equal_the_library_result) {
  SKIP_UNLESS_PROBLEM_IS_BUILT(ModelKind::monodepth_shared_focal);
  const TemporaryFolder folder;
  Trials trials = trials_of(false);
  std::vector<double> depths;
  std::vector<DepthPair> points;
  for (std::size_t i = 0; i < kTrials * kPoints; ++i) {
    const PointPair& p = trials.pairs[i];
    // y1 / y2 equals Z2 / Z1 relative to the principal point, and Z2 is Z1 + 0.2; wrong matches get
    // arbitrary depths.
    const double z = std::abs(0.2 / ((p.y1 - 240) / (p.y2 - 240) - 1));
    depths.insert(depths.end(), {z, z + 0.2});
    points.push_back({p.x1, p.y1, p.x2, p.y2, depths[2 * i], depths[2 * i + 1]});
  }
  trials.arrays.push_back({"depths", {{kTrials, kPoints, 2}, depths}});
  write_npz(folder / "s.npz", trials.arrays);
  const Ran ran = run(folder,
                      "estimate monodepth_shared_focal --scenes s.npz --result r.npz "
                      "--min-inlier-ratio 0.2 --max-iterations 700");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const NpzFile file(folder / "r.npz");
  const auto M = values<double>(file, "model", {kTrials, 3, 3});
  const auto f = values<double>(file, "focal_length", {kTrials});
  for (std::size_t k = 0; k < kTrials; ++k) {
    const EstimateResult r =
        estimate(ModelKind::monodepth_shared_focal,
                 std::span<const DepthPair>(points).subspan(k * kPoints, kPoints),
                 {.cameras = std::array{kCamera},
                  .options = {.max_iterations = 700, .min_inlier_ratio = 0.2}});
    EXPECT_TRUE(std::equal(r.model.begin(), r.model.end(), M.begin() + std::ptrdiff_t(9 * k)));
    EXPECT_EQ(r.focal_length, f[k]);
  }
}

// Each trial runs with the number of iterations of a single pair, which easy scenes do not need.
TEST(Scenes, one_by_one_differs_only_in_times_for_easy_scenes) {
  const TemporaryFolder folder;
  write_npz(folder / "s.npz", trials_of(true).arrays);
  ASSERT_EQ(run(folder, "estimate homography --scenes s.npz --result a.npz").code, 0);
  ASSERT_EQ(run(folder, "estimate homography --scenes s.npz --result b.npz --one-by-one").code, 0);
  const NpzFile a(folder / "a.npz"), b(folder / "b.npz");
  ASSERT_EQ(a.names(), b.names());
  for (const std::string& name : a.names()) {
    if (name == "time_ms") continue;
    EXPECT_TRUE(a.read(name).values == b.read(name).values) << name;
  }
  const auto times = values<double>(b, "time_ms", {kTrials});
  EXPECT_NE(times, std::vector<double>(kTrials, times[0]));
}

TEST(Scenes, float32_is_read_and_no_camera_is_needed_without_an_essential_matrix) {
  const TemporaryFolder folder;
  Trials trials = trials_of(true);
  trials.arrays.erase(trials.arrays.begin());
  for (std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    auto& x = trials.arrays[i].array.values;
    const auto doubles = std::get<std::vector<double>>(x);
    x = std::vector<float>(doubles.begin(), doubles.end());
  }
  write_npz(folder / "s.npz", trials.arrays);
  const Ran ran = run(folder, "estimate homography --scenes s.npz --result r.npz");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(json::parse(ran.out)["failures"], 1);
  const Ran none = run(folder, "estimate essential --scenes s.npz --result r.npz");
  EXPECT_EQ(none.code, 3);
  EXPECT_NE(none.err.find("s.npz: has no array K"), std::string::npos) << none.err;
}

TEST(Scenes, no_geometry_in_any_trial_is_exit_code_5_with_a_result) {
  const TemporaryFolder folder;
  Trials trials = trials_of(true);
  trials.arrays[2].array.values = std::vector<double>(kTrials * kPoints * 2, 7.0);
  write_npz(folder / "s.npz", trials.arrays);
  const Ran ran = run(folder, "estimate homography --scenes s.npz --result r.npz");
  EXPECT_EQ(ran.code, 5);
  EXPECT_NE(ran.err.find("s.npz: no geometry found in any trial"), std::string::npos) << ran.err;
  EXPECT_EQ(values<std::uint8_t>(NpzFile(folder / "r.npz"), "ok", {kTrials}),
            std::vector<std::uint8_t>(kTrials, 0));
}

struct Bad {
  std::string arguments;
  int code;
  std::string named;

  friend void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.arguments; }
};

class BadScenes : public testing::TestWithParam<Bad> {};

TEST_P(BadScenes, are_named_and_leave_no_files) {
  const TemporaryFolder folder;
  const std::vector<NamedArray> good = trials_of(true).arrays;
  write_npz(folder / "s.npz", good);
  const auto changed = [&](const char* file, std::size_t i, NpyArray array) {
    std::vector<NamedArray> arrays = good;
    arrays[i].array = std::move(array);
    write_npz(folder / file, arrays);
  };
  changed("flat.npz", 2, {{6}, std::vector<double>(6)});
  changed("three.npz", 2, {{1, 2, 3}, std::vector<double>(6)});
  changed("other.npz", 3, {{1, 3, 2}, std::vector<double>(6)});
  changed("none.npz", 2, {{0, 120, 2}, std::vector<double>()});
  changed("whole.npz", 2, {{1, 3, 2}, std::vector<std::int64_t>(6)});
  std::vector<NamedArray> deep = good;
  deep.push_back({"depths", {{1, 3, 2}, std::vector<double>(6)}});
  write_npz(folder / "deep.npz", deep);
  changed("text.npz", 0, {{}, std::string("K")});
  changed("skew.npz", 0, {{3, 3}, std::vector<double>{500, 3, 320, 0, 500, 240, 0, 0, 1}});
  changed("zero.npz", 0, {{3, 3}, std::vector<double>(9)});
  const std::string bytes = read_file(folder / "s.npz");
  write_file(folder / "short.npz", std::string_view(bytes).substr(0, bytes.size() / 2));
  std::string damaged = bytes;
  damaged[bytes.find("x2.npy") + 1000] ^= 1;
  write_file(folder / "damaged.npz", damaged);
  write_file(folder / "points.txt", "1 2 3 4\n");
  const auto before = listing(folder.path());
  const auto [arguments, code, named] = GetParam();
  const Ran ran = run(folder, "estimate " + arguments);
  EXPECT_EQ(ran.code, code) << ran.err;
  EXPECT_NE(ran.err.find(named), std::string::npos) << ran.err;
  EXPECT_EQ(listing(folder.path()), before);
  EXPECT_EQ(read_file(folder / "s.npz"), bytes);
}

INSTANTIATE_TEST_SUITE_P(
    Usage, BadScenes,
    testing::Values(
        Bad{"homography", 2, "--points is required"},
        Bad{"homography --scenes s.npz", 2, "--scenes requires --result"},
        Bad{"homography --result r.npz", 2, "--result requires --scenes"},
        Bad{"homography --points points.txt --result r.npz", 2, "--result requires --scenes"},
        Bad{"homography --points points.txt --one-by-one", 2, "--one-by-one requires --scenes"},
        Bad{"homography --scenes s.npz --result r.npz --points points.txt", 2, "excludes"},
        Bad{"essential --scenes s.npz --result r.npz --intrinsics 1,1,0,0", 2, "excludes"},
        Bad{"essential --scenes s.npz --result r.npz --calib c.txt", 2, "excludes"},
        Bad{"homography --scenes s.npz --result s.npz", 2, "s.npz: would replace the input s.npz"},
        Bad{"homography --scenes s.npz --result ./s.npz", 2,
            "./s.npz: would replace the input s.npz"}));

INSTANTIATE_TEST_SUITE_P(
    Input, BadScenes,
    testing::Values(
        Bad{"homography --scenes missing.npz --result r.npz", 3, "missing.npz: can't be read"},
        Bad{"homography --scenes points.txt --result r.npz", 3, "points.txt: is not an NPZ file"},
        Bad{"homography --scenes short.npz --result r.npz", 3, "short.npz: truncated NPZ"},
        Bad{"homography --scenes damaged.npz --result r.npz", 3,
            "damaged.npz: array x2: damaged: its checksum"},
        Bad{"homography --scenes flat.npz --result r.npz", 3,
            "flat.npz: array x1 is float64 [6], not float64 [trials, points, 2]"},
        Bad{"homography --scenes three.npz --result r.npz", 3, "x1 is float64 [1, 2, 3]"},
        Bad{"homography --scenes other.npz --result r.npz", 3, "x2 is float64 [1, 3, 2]"},
        Bad{"homography --scenes none.npz --result r.npz", 3, "it has no points"},
        Bad{"homography --scenes whole.npz --result r.npz", 3, "x1 is int64 [1, 3, 2]"},
        Bad{"monodepth_shared_focal --scenes s.npz --result r.npz", 3, "s.npz: "},
        Bad{"monodepth_shared_focal --scenes deep.npz --result r.npz", 3,
            "depths is float64 [1, 3, 2]"},
        Bad{"essential --scenes text.npz --result r.npz", 3, "array K is a string"},
        Bad{"essential --scenes skew.npz --result r.npz", 3, "array K is [500 3 320"},
        Bad{"essential --scenes zero.npz --result r.npz", 3, "array K is [0 0 0"},
        Bad{"homography --scenes s.npz --result no/r.npz", 3, "no/r.npz: can't be written"},
        Bad{"homography --scenes s.npz --result .", 3, ".: is a folder"},
        Bad{"homography --scenes s.npz --result ''", 2, "--result: the file name is empty"}));

}  // namespace
}  // namespace bifocal::test
