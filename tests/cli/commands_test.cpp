// SPDX-License-Identifier: BSD-3-Clause
// Every command keeps its contract.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include <nlohmann/json.hpp>

#include "cli/process.hpp"
#include "support/needs_problem.hpp"

namespace bifocal::test {
namespace {

using nlohmann::json;

constexpr const char* kCameras = "--intrinsics 400,400,199.5,149.5";

json json_of(const std::filesystem::path& file) { return json::parse(read_file(file)); }

TEST(Cli, pair_of_a_plane_writes_the_homography) {
  const TemporaryFolder folder;
  write_pictures(folder);
  const Ran r = run(folder, "pair left.png planar.png --out a/b --json");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(listing(folder / "a/b"),
            (std::vector<std::string>{"geometry.json", "matches.txt", "report.html"}));
  const json j = json_of(folder / "a/b/geometry.json");
  EXPECT_EQ(j, json::parse(r.out));
  EXPECT_EQ(j["outcome"], "ok");
  EXPECT_EQ(j["model"]["kind"], "homography");
  const std::vector<double> H = j["model"]["H"],
                            truth = {0.95, 0.1, 5, -0.08, 0.98, 12, 1e-4, 5e-5, 1};
  for (std::size_t i = 0; i < 9; ++i)
    EXPECT_NEAR(H[i] / H[8], truth[i], 2e-3 * (1 + std::abs(truth[i]))) << i;
  EXPECT_GT(j["inliers"], 100);
  EXPECT_GE(j["matches"], j["inliers"]);
  EXPECT_EQ(j["seed"], 0);
  EXPECT_EQ(j["device"], "cpu");
  for (const char* stage : {"reading", "features", "pose", "files", "page"})
    EXPECT_TRUE(j["timings_ms"].contains(stage)) << stage;

  std::size_t rows = 0, inliers = 0;
  std::istringstream lines(read_file(folder / "a/b/matches.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    ++rows;
    inliers += line.ends_with(" 1");
  }
  EXPECT_EQ(rows, j["matches"]);
  EXPECT_EQ(inliers, j["inliers"]);
}

TEST(Cli, pair_takes_surf_masks_and_a_balanced_cap) {
  const TemporaryFolder folder;
  write_pictures(folder);
  const ImageU8 picture = read_image((folder / "left.png").string());
  ImageU8 mask(picture.width, picture.height);  // the lower half
  for (int y = picture.height / 2; y < picture.height; ++y)
    std::fill_n(mask.row(y), picture.width, std::uint8_t{255});
  write_png((folder / "mask.png").string(), mask);
  const Ran r = run(folder,
                    "pair left.png planar.png --out o --features surf --max-features 600 "
                    "--balance 8 --mask1 mask.png");
  ASSERT_EQ(r.code, 0) << r.err;
  const json j = json_of(folder / "o/geometry.json");
  EXPECT_EQ(j["model"]["kind"], "homography");
  EXPECT_LE(j["images"][1]["features"], 600);
  EXPECT_GT(j["inliers"], 20);
  std::istringstream lines(read_file(folder / "o/matches.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    double x1 = 0, y1 = 0;
    std::istringstream(line) >> x1 >> y1;
    EXPECT_GE(y1, picture.height / 2 - 0.5) << line;
  }
}

TEST(Cli, pair_pools_domain_sizes_and_takes_shapes) {
  const TemporaryFolder folder;
  write_pictures(folder);
  const std::string pair = "pair left.png planar.png --features sift --out ";
  ASSERT_EQ(run(folder, pair + "plain").code, 0);
  const Ran r = run(folder, pair + "pooled --domain-size-pooling");
  ASSERT_EQ(r.code, 0) << r.err;
  const json plain = json_of(folder / "plain/geometry.json"),
             pooled = json_of(folder / "pooled/geometry.json");
  EXPECT_EQ(pooled["images"][0]["features"], plain["images"][0]["features"]);
  EXPECT_NE(read_file(folder / "pooled/matches.txt"), read_file(folder / "plain/matches.txt"));
  EXPECT_GT(pooled["inliers"], 20);
  const Ran affine = run(folder, pair + "affine --affine-shape");
  ASSERT_EQ(affine.code, 0) << affine.err;
  const json shaped = json_of(folder / "affine/geometry.json");
  EXPECT_GT(shaped["images"][0]["features"], plain["images"][0]["features"]);
  EXPECT_GT(shaped["inliers"], 20);
}

TEST(Cli, report_is_self_contained_and_escapes_its_text) {
  const TemporaryFolder folder;
  write_pictures(folder);
  std::filesystem::rename(folder / "left.png", folder / "a <b> & 'c'.png");
  const Ran r = run(folder, "pair \"a <b> & 'c'.png\" planar.png --out o");
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string html = read_file(folder / "o/report.html");
  EXPECT_NE(html.find("a &lt;b&gt; &amp; 'c'.png"), std::string::npos);
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  for (const char* outside : {"http:", "https:", "<script src", "<link", "src=\"/", "url("}) {
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
  }
  EXPECT_NE(html.find("src=\"data:image/jpeg;base64,"), std::string::npos);
}

TEST(Cli, geometry_is_byte_identical_for_any_number_of_threads) {
  const TemporaryFolder folder;
  write_pictures(folder);
  for (const int threads : {1, 2}) {
    const Ran r =
        run(folder,
            fmt::format(
                "pair left.png right.png --out o{0} {1} --kind essential --threads {0} --seed 7 "
                "--all-files",
                threads, kCameras));
    ASSERT_EQ(r.code, 0) << r.err;
  }
  const auto without_times = [&](const std::string& name) {
    auto j = nlohmann::ordered_json::parse(read_file(folder / name));
    EXPECT_EQ(j.erase("timings_ms"), 1u);
    return j.dump(2);
  };
  EXPECT_EQ(without_times("o1/geometry.json"), without_times("o2/geometry.json"));
  for (const char* name : {"matches.txt", "disparity.pfm", "cloud.ply", "rectified_left.png"}) {
    EXPECT_EQ(read_file(folder / (std::string("o1/") + name)),
              read_file(folder / (std::string("o2/") + name)))
        << name;
  }
}

TEST(Cli, a_photograph_may_come_through_a_pipe) {
  const TemporaryFolder folder;
  write_pictures(folder);
  ASSERT_EQ(std::system(fmt::format("cd '{}' && mkfifo pipe && (cat left.png >pipe &)",
                                    folder.path().string())
                            .c_str()),
            0);
  const Ran r = run(folder, "pair pipe planar.png --out o");
  EXPECT_EQ(r.code, 0) << r.err;
}

// Time is printed, not tested, because the machine may be busy. Sanitizers need several times
// the memory.
TEST(Cli, pair_of_graf_uses_little_memory) {
  SKIP_UNLESS_PROBLEM_IS_BUILT(ModelKind::shared_focal);
  BIFOCAL_NEEDS_DATA("opencv_samples/graf1.png");
  const TemporaryFolder folder;
  const auto start = std::chrono::steady_clock::now();
  const Ran r =
      run(folder, fmt::format("pair '{}' '{}' --out o", data("opencv_samples/graf1.png").string(),
                              data("opencv_samples/graf3.png").string()));
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ASSERT_EQ(r.code, 0) << r.err;
  rusage used{};
  ASSERT_EQ(getrusage(RUSAGE_CHILDREN, &used), 0);
  fmt::print("pair graf1 graf3: {:.2f} s, peak {} MB\n", seconds, used.ru_maxrss / 1000);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LE(used.ru_maxrss, 500'000);
#endif
}

TEST(Cli, stereo_reports_its_doubts) {
  const TemporaryFolder folder;
  write_pictures(folder);
  write_png(folder / "flat.png", ImageU8(200, 120, 1, std::uint8_t{9}));
  const Ran flat = run(folder, "stereo flat.png flat.png --max-disparity 32 --out o");
  EXPECT_EQ(flat.code, 0) << flat.err;
  EXPECT_NE(flat.out.find("density 0.00 %"), std::string::npos) << flat.out;
  EXPECT_NE(flat.err.find("no disparity is known"), std::string::npos) << flat.err;
  const Ran same = run(folder, "stereo left.png left.png --max-disparity 32 --out o --overwrite");
  EXPECT_NE(same.err.find("the same image twice"), std::string::npos) << same.err;
  EXPECT_EQ(run(folder, "stereo left.png right.png --max-disparity 32 --out o --overwrite").err,
            "");
  const Ran narrow =
      run(folder, "stereo left.png right.png --max-disparity 14 --out o --overwrite");
  EXPECT_NE(narrow.err.find("matches have disparities outside of the search of 0 to 13 px; the "
                            "matches need "),
            std::string::npos)
      << narrow.err;
  EXPECT_NE(narrow.err.find(" px: use --m"), std::string::npos) << narrow.err;
  EXPECT_EQ(json_of(folder / "o/stereo.json")["doubts"].size(), 1U);
}

TEST(Cli, no_geometry_is_exit_code_5_with_a_reason) {
  const TemporaryFolder folder;
  write_png(folder / "flat.png", ImageU8(64, 64, 1, std::uint8_t{9}));
  write_png(folder / "dot.png", ImageU8(1, 1, 3, std::uint8_t{9}));
  const Ran r = run(folder, "pair flat.png dot.png --out o");
  EXPECT_EQ(r.code, 5);
  EXPECT_NE(r.err.find("flat.png"), std::string::npos) << r.err;
  const json j = json_of(folder / "o/geometry.json");
  EXPECT_EQ(j["outcome"], "too_few_points");
  EXPECT_FALSE(j["reason"].get<std::string>().empty());
  EXPECT_FALSE(j.contains("model"));
  EXPECT_EQ(j["inliers"], 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "o/report.html"));
}

TEST(Cli, pair_reports_its_attempts) {
  const TemporaryFolder folder;
  write_pictures(folder);
  write_png(folder / "flat.png", ImageU8(120, 90, 1, std::uint8_t{90}));
  const Ran r = run(folder, "pair left.png flat.png --out o"),
            once = run(folder, "pair left.png flat.png --out p --no-escalate"),
            enough = run(folder, "pair left.png planar.png --out q");
  EXPECT_NE(r.out.find("tries: as asked: "), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("; affine shapes: "), std::string::npos) << r.out;
  const json tries = json_of(folder / "o/geometry.json")["tries"];
  ASSERT_EQ(tries.size(), 2u);
  EXPECT_EQ(tries[0]["name"], "as asked");
  EXPECT_EQ(tries[1]["name"], "affine shapes");
  EXPECT_EQ(tries[0]["taken"], true);
  EXPECT_EQ(tries[1]["taken"], false);
  EXPECT_EQ(tries[1]["inliers"], 0);
  EXPECT_GT(tries[1]["ms"], 0);
  EXPECT_NE(read_file(folder / "o/report.html").find("Tries: as asked: "), std::string::npos);
  EXPECT_EQ(once.out.find("tries"), std::string::npos);
  EXPECT_FALSE(json_of(folder / "p/geometry.json").contains("tries"));
  EXPECT_FALSE(json_of(folder / "q/geometry.json").contains("tries"));
}

TEST(Cli, stereo_finds_the_planes_and_scores_itself) {
  const TemporaryFolder folder;
  write_pictures(folder);
  ImageF truth(400, 300);
  for (int y = 0; y < 300; ++y) {
    for (int x = 0; x < 400; ++x) truth.at(x, y) = static_cast<float>(10 + 6 * (x / 100));
  }
  write_pfm(folder / "truth.pfm", truth);
  write_file(folder / "calib.txt",
             "cam0=[400 0 199.5; 0 400 149.5; 0 0 1]\ncam1=[400 0 199.5; 0 400 149.5; 0 0 "
             "1]\ndoffs=0\nbaseline=100\n"
             "width=400\nheight=300\nndisp=48\n");
  const Ran r = run(folder,
                    "stereo left.png right.png --out o --calib calib.txt --truth truth.pfm "
                    "--method ssd --window 9 "
                    "--json");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(
      listing(folder / "o"),
      (std::vector<std::string>{"cloud.ply", "disparity.pfm", "disparity.png", "disparity_raw.pfm",
                                "disparity_turbo.png", "report.html", "stereo.json"}));
  const json j = json_of(folder / "o/stereo.json");
  EXPECT_EQ(j, json::parse(r.out));
  EXPECT_EQ(j["max_disparity"], 48);
  EXPECT_GT(j["density"], 75);
  EXPECT_LT(j["bad1"], 6);
  EXPECT_LT(j["bad2_filled"], 15);
  for (const char* key : {"bad2", "avgerr", "bad1_filled", "avgerr_filled", "timings_ms"})
    EXPECT_TRUE(j.contains(key));
  for (const char* stage : {"reading", "dense", "checks", "files", "page"})
    EXPECT_TRUE(j["timings_ms"].contains(stage)) << stage;
  EXPECT_TRUE(std::isfinite(read_pfm(folder / "o/disparity.pfm").at(200, 150)));

  // The default method has a smaller error and writes its confidence.
  const Ran sgm =
      run(folder, "stereo left.png right.png --out o --calib calib.txt --truth truth.pfm --json");
  ASSERT_EQ(sgm.code, 0) << sgm.err;
  const json better = json::parse(sgm.out);
  EXPECT_EQ(better["method"], "sgm");
  EXPECT_EQ(better["paths"], 8);
  EXPECT_LT(better["bad2_filled"], j["bad2_filled"]);
  EXPECT_LT(better["bad2_filled"], 8);
  const ImageU8 confidence = read_image(folder / "o/confidence.png");
  const ImageF raw = read_disparity(folder / "o/disparity_raw.pfm");
  for (int y = 0; y < 300; ++y) {
    for (int x = 0; x < 400; ++x)
      ASSERT_EQ(confidence.at(x, y) == 0, std::isnan(raw.at(x, y))) << x << " " << y;
  }
}

TEST(Cli, stereo_takes_deep_and_coloured_pictures_and_little_memory) {
  const TemporaryFolder folder;
  write_pictures(folder);
  for (const char* side : {"left", "right"}) {
    const ImageU8 grey = to_grey(read_image(folder / fmt::format("{}.png", side)));
    ImageU16 deep(grey.width, grey.height);
    ImageU8 colour(grey.width, grey.height, 3);
    for (std::size_t i = 0; i < grey.pixels.size(); ++i) {
      deep.pixels[i] = static_cast<std::uint16_t>(grey.pixels[i] * 257);
      for (std::size_t c = 0; c < 3; ++c) colour.pixels[3 * i + c] = grey.pixels[i];
    }
    write_png(folder / fmt::format("{}16.png", side), deep);
    write_png(folder / fmt::format("{}rgb.png", side), colour);
    write_png(folder / fmt::format("{}grey.png", side), grey);
  }
  const auto filled = [&](const std::string& arguments) {
    const Ran r = run(folder, "stereo " + arguments + " --out o --overwrite --max-disparity 48");
    EXPECT_EQ(r.code, 0) << r.err;
    return read_disparity(folder / "o/disparity.pfm");
  };
  const ImageF expected = filled("leftgrey.png rightgrey.png");
  EXPECT_EQ(filled("leftrgb.png rightrgb.png").pixels, expected.pixels);
  EXPECT_EQ(filled("leftgrey.png right16.png").pixels, expected.pixels);
  EXPECT_EQ(filled("leftgrey.png rightgrey.png --max-memory 9M --threads 1").pixels,
            expected.pixels);
  const ImageF deep = filled("left16.png right16.png");
  int close = 0;  // smoothing rounds differently at 16 bits
  for (std::size_t i = 0; i < deep.pixels.size(); ++i)
    close += std::abs(deep.pixels[i] - expected.pixels[i]) <= 0.5F ? 1 : 0;
  EXPECT_GT(close, 0.98 * static_cast<double>(deep.pixels.size()));
}

// Checks that every kind of device is listed, or is missing with a reason and a remedy, as text and
// as JSON.
void expect_every_kind(const TemporaryFolder& folder) {
  const json found = json::parse(run(folder, "devices --json").out);
  const Ran text = run(folder, "devices");
  EXPECT_EQ(text.code, 0);
  std::set<std::string> kinds;
  for (const json& device : found["devices"]) {
    kinds.insert(device["kind"]);
    EXPECT_GT(device["memory_bytes"], 0);
    EXPECT_NE(text.out.find(device["id"].get<std::string>() + " "), std::string::npos) << text.out;
  }
  // A kind may have working devices and also a driver that is reported as missing or wrong.
  std::set<std::string> missing_kinds;
  for (const json& missing : found["missing"]) {
    EXPECT_TRUE(missing_kinds.insert(missing["kind"]).second) << missing;
    kinds.insert(missing["kind"]);
    for (const char* key : {"reason", "remedy"})
      EXPECT_NE(text.out.find(missing[key].get<std::string>()), std::string::npos) << text.out;
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"cpu", "cuda", "opencl"}));
  EXPECT_EQ(found["devices"][0]["id"], "cpu");
  EXPECT_GT(found["devices"][0]["cores"], 0);
}

TEST(Cli, devices_are_listed_despite_broken_drivers) {
  const TemporaryFolder folder;
  expect_every_kind(folder);
  setenv("OCL_ICD_VENDORS", folder.path().c_str(), 1);  // read by the loader: no driver at all
  expect_every_kind(folder);
  std::ofstream(folder / "a.icd") << "/no/such/driver.so\n";
  std::ofstream(folder / "b.icd") << "libm.so.6\n";  // a library, but no driver
  expect_every_kind(folder);
  unsetenv("OCL_ICD_VENDORS");
}

}  // namespace
}  // namespace bifocal::test
