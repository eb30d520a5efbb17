// SPDX-License-Identifier: BSD-3-Clause
// Collections and databases as users bring them: odd rows, masks and links, frame numbers without
// leading zeros, names from other systems.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <bifocal/collect.hpp>
#include <bifocal/colmap/database.hpp>

#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/pairs_database.hpp"
#include "cli/process.hpp"
#include "support/long_tests.hpp"
#include "support/paths.hpp"

namespace bifocal::test {
namespace {

namespace fs = std::filesystem;
using colmap::Configuration, colmap::Database;
using nlohmann::json;

void copy_case(const TemporaryFolder& folder, const std::string& name, const std::string& to) {
  fs::copy_file(data("field_cases/" + name), folder / to);
  fs::permissions(folder / to, fs::perms::owner_all);
}

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(FieldCases, a_camera_without_a_focal_length_is_reported) {
  BIFOCAL_NEEDS_DATA("field_cases");
  const TemporaryFolder folder;
  copy_case(folder, "focal_zero.db", "a.db");
  const Ran r = run(folder, "verify a.db --json");
  ASSERT_EQ(r.code, 0) << r.err;
  expect_part(r.err,
              "table cameras, camera_id 2: focal lengths 0 0, must be positive: 1 pair verified as "
              "uncalibrated, without this camera");
  const json result = json::parse(r.out);
  EXPECT_EQ(result["pairs"], 2);
  EXPECT_EQ(result["left_out"], 0);
  EXPECT_EQ(result["configurations"]["calibrated"], 1);
  EXPECT_EQ(result["configurations"]["uncalibrated"], 1);
  EXPECT_EQ(result["odd_rows"][0]["row"], "table cameras, camera_id 2");
  EXPECT_EQ(result["odd_rows"][0]["use"], "uncalibrated");
  EXPECT_EQ(result["odd_rows"][0]["pairs"], 1);
}

TEST(FieldCases, pairs_of_odd_rows_are_left_out_and_reported) {
  const TemporaryFolder folder;
  make_database(folder / "a.db", 7);
  {
    Database db(folder / "a.db", colmap::Access::write);
    db.write_keypoints(3, {});
    db.write_matches(1, 2, std::vector<colmap::IndexPair>{{100000, 0}});
  }
  fs::copy_file(folder / "a.db", folder / "shards.db");
  fs::copy_file(folder / "a.db", folder / "none.db");
  const Ran r = run(folder, "verify a.db --json");
  ASSERT_EQ(r.code, 0) << r.err;
  expect_part(r.err, "table keypoints, image_id 3: has no keypoints: 6 pairs left out");
  expect_part(r.err, "table matches, images 1 and 2: match 0 is of keypoints 100000 and 0");
  const json result = json::parse(r.out);
  EXPECT_EQ(result["pairs"], 14);
  EXPECT_EQ(result["left_out"], 7);
  ASSERT_EQ(result["odd_rows"].size(), 2U);
  EXPECT_EQ(Database(folder / "a.db").geometry_rows().size(), 14U);
  expect_part(run(folder, "verify a.db").out, "left out: 7");
  // Shards give the same bytes and report the odd rows in the shard that has their pairs.
  ASSERT_EQ(run(folder, "plan shards.db --out plan --pairs-per-shard 8").code, 0);
  std::string told;
  for (int k = 0; k < 3; ++k) {
    const Ran shard = run(folder, fmt::format("run-shard plan {} --json", k));
    EXPECT_EQ(shard.code, 0) << shard.err;
    told += shard.err;
    EXPECT_TRUE(json::parse(shard.out).contains("left_out"));
  }
  expect_part(told, "has no keypoints");
  expect_part(told, "match 0 is of keypoints 100000 and 0");
  const Ran merged = run(folder, "merge plan --json");
  ASSERT_EQ(merged.code, 0) << merged.err;
  EXPECT_EQ(json::parse(merged.out)["left_out"], 7);
  EXPECT_EQ(json::parse(merged.out)["pairs"], 14);
  EXPECT_TRUE(read_file(folder / "shards.db") == read_file(folder / "a.db"));
  // If no pair could be verified, the database itself is reported as damaged.
  {
    Database db(folder / "none.db", colmap::Access::write);
    for (colmap::Id i = 1; i <= 7; ++i) db.write_keypoints(i, {});
  }
  const Ran none = run(folder, "verify none.db");
  EXPECT_EQ(none.code, 3);
  expect_part(none.err, "no pair could be verified");
}

TEST(FieldCases, intrinsics_of_pictures_of_another_size) {
  BIFOCAL_NEEDS_DATA("field_cases");
  const TemporaryFolder folder;
  const std::string F = data("field_cases").string();
  const Ran r = run(folder, fmt::format("collect {}/two_sizes --database out.db --intrinsics "
                                        "600,600,319.5,239.5",
                                        F));
  EXPECT_EQ(r.code, 3);
  expect_part(r.err, "two_sizes/2.jpg: has 320 x 240 px and 1.jpg has 640 x 480 px");
  EXPECT_EQ(listing(folder.path()), std::vector<std::string>{});
}

TEST(FieldCases, a_byte_order_mark_in_a_list) {
  const TemporaryFolder folder;
  if (fs::exists(data_path("field_cases"))) {
    copy_case(folder, "pairs_bom.db", "a.db");
    const Ran r = run(folder, fmt::format("verify a.db --json --pairs {}",
                                          data("field_cases/pairs_bom.txt").string()));
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(json::parse(r.out)["pairs"].get<int>() + json::parse(r.out)["unmatched"].get<int>(),
              1);
  }
  make_database(folder / "b.db", 4);
  write_file(folder / "pairs.txt", "\xef\xbb\xbfi1 i2 \r\ni2 i3\t\r\n");
  const Ran r = run(folder, "verify b.db --json --pairs pairs.txt");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(json::parse(r.out)["pairs"], 2);
  write_file(folder / "wide.txt", std::string_view("\xff\xfei\0001\0 \0i\0002\0", 12));
  const Ran wide = run(folder, "verify b.db --pairs wide.txt");
  EXPECT_EQ(wide.code, 3);
  expect_part(wide.err, "wide.txt: is text in UTF-16: save it as UTF-8");
}

// Writes views of one scene, each moved a little.
void write_views(const TemporaryFolder& folder, const std::vector<std::string>& names) {
  const ImageU8 scene = texture(300, 200, 1);
  for (std::size_t i = 0; i < names.size(); ++i) {
    ImageU8 view(260, 200);
    for (int y = 0; y < 200; ++y)
      for (int x = 0; x < 260; ++x) view.at(x, y) = scene.at(x + 3 * int(i), y);
    fs::create_directories((folder / names[i]).parent_path());
    write_png(folder / names[i], view);
  }
}

TEST(FieldCases, a_folder_that_links_to_its_parent) {
  const TemporaryFolder folder;
  write_views(folder, {"P/1.png", "P/sub/2.png"});
  fs::create_symlink("..", folder / "P/sub/up");
  const Ran r = run(folder, "collect P --database out.db --json");
  ASSERT_EQ(r.code, 0) << r.err;
  expect_part(r.err, "not read: sub/up: is a link to the folder ");
  const json result = json::parse(r.out);
  EXPECT_EQ(result["images"], 2);
  EXPECT_EQ(result["pairs"], 1);
  EXPECT_EQ(result["other_files"][0]["name"], "sub/up");
}

// The run is killed as soon as its work file has a log; the work file is removed, the log stays.
TEST(FieldCases, a_log_without_its_work_file_is_ignored) {
  const TemporaryFolder folder;
  std::vector<std::string> names;
  for (int i = 0; i < 10; ++i) names.push_back(fmt::format("in/{}.png", i));
  write_views(folder, names);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    (void)!freopen("/dev/null", "w", stdout);
    execl(test::kProgram, test::kProgram, "collect", (folder / "in").c_str(), "--database",
          (folder / "out.db").c_str(), "--device", "cpu", "--threads", "1", nullptr);
    _exit(127);
  }
  const auto has_log = [&] {
    std::error_code none;
    return fs::file_size(folder / "out.db.part-wal", none) > 0 && !none;
  };
  while (!has_log()) {
    ASSERT_EQ(waitpid(child, nullptr, WNOHANG), 0) << "ended without a log";
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  fs::remove(folder / "out.db.part");
  for (const char* gone : {"in/3.png", "in/7.png"}) fs::remove(folder / gone);
  const Ran r = run(folder, "collect in --database out.db --device cpu --json");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err.find("internal error"), std::string::npos) << r.err;
  expect_part(r.err, "only the log of an unfinished run was found: started again");
  const json result = json::parse(r.out);
  EXPECT_EQ(result["resumed"], false);
  EXPECT_EQ(result["images"], 8);
  EXPECT_EQ(result["pairs"], 28);
  for (const std::string& name : listing(folder.path()))
    EXPECT_TRUE(name == "out.db" || name.starts_with("in")) << name;
}

TEST(FieldCases, missing_positions_are_reported) {
  const TemporaryFolder folder;
  write_views(folder, {"in/1.png", "in/2.png"});
  Ran r = run(folder, "collect in --database out.db --pairs gps --json");
  EXPECT_EQ(r.code, 5) << r.err;
  expect_part(r.err, "no photograph has a position (EXIF's GPS): 0 of 2");
  expect_part(r.err, "no pair to match");
  EXPECT_EQ(r.err.find("no geometry found"), std::string::npos) << r.err;
  EXPECT_EQ(json::parse(r.out)["notes"][0], "no photograph has a position (EXIF's GPS): 0 of 2");
  r = run(folder, "collect in/1.png --database one.db");
  EXPECT_EQ(r.code, 5) << r.err;
  expect_part(r.err, "one photograph alone makes no pair");
}

TEST(FieldCases, frames_without_leading_zeros_are_in_order) {
  const TemporaryFolder folder;
  std::vector<std::string> names;
  for (int i = 1; i <= 12; ++i) names.push_back(fmt::format("frames/frame_{}.png", i));
  write_views(folder, names);
  const Ran r = run(folder,
                    "collect frames --database out.db --pairs sequential --overlap 1 "
                    "--loop-period 0 --max-features 100 --json");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(json::parse(r.out)["pairs"], 11);
  const Database database(folder / "out.db");
  const auto images = database.images();
  for (std::size_t i = 0; i < images.size(); ++i)
    EXPECT_EQ(images[i].name, fmt::format("frame_{}.png", i + 1));
  for (const colmap::PairRows& row : database.match_rows()) EXPECT_EQ(row.image2, row.image1 + 1);
}

// Checks that all output of the command is valid UTF-8.
void expect_utf8(const Ran& r) {
  EXPECT_EQ(valid_utf8(r.out), r.out);
  EXPECT_EQ(valid_utf8(r.err), r.err);
}

TEST(FieldCases, names_that_are_no_utf8_are_printed_as_utf8) {
  const TemporaryFolder folder;
  const std::string odd = "caf\xe9", shown = "caf\xef\xbf\xbd";
  write_views(folder, {odd + "/1.png", odd + "/2.png", odd + "/3.png"});
  write_file(folder / (odd + "/bad\xff.png"), "no picture");
  fs::create_symlink("..", folder / (odd + "/up\xfe"));
  const auto ran = [&](const std::string& arguments, int code = 0) {
    const Ran r = run(folder, arguments);
    EXPECT_EQ(r.code, code) << arguments << ": " << r.err;
    EXPECT_EQ(r.err.find("internal error"), std::string::npos) << r.err;
    expect_utf8(r);
    return r;
  };
  const std::string database = fmt::format("'{}.db'", odd);
  const Ran collected = ran(fmt::format("collect '{}' --database {} --json", odd, database));
  const json result = json::parse(collected.out);
  EXPECT_EQ(result["database"], shown + ".db");
  EXPECT_EQ(result["left_out"][0]["name"], "bad\xef\xbf\xbd.png");
  EXPECT_EQ(result["images"], 3);
  write_file(folder / "run.json", collected.out);
  (void)ran(fmt::format("collect '{}' --database {}", odd, database));  // complete
  (void)ran(fmt::format("collect . --database all.db --json"));
  const Database all(folder / "all.db");
  EXPECT_EQ(all.images().at(0).name, odd + "/1.png");  // as it is on the disk
  // The report finds photographs by the bytes of their names.
  const Ran report = ran("report all.db --images . --out report.html --run run.json --json");
  EXPECT_EQ(json::parse(report.out)["pictures"], 3);
  const std::string page = read_file(folder / "report.html");
  EXPECT_EQ(valid_utf8(page), page);
  EXPECT_NE(page.find("caf\\ufffd/1.png"), std::string::npos);
  (void)ran(fmt::format("report {} --out '{}.html'", database, odd));
  // Plans name a database by its bytes.
  (void)ran(fmt::format("plan {} --out '{}.plan' --overwrite --json", database, odd));
  (void)ran(fmt::format("run-shard '{}.plan' 0 --json", odd));
  (void)ran(fmt::format("merge '{}.plan' --json", odd));
  (void)ran(fmt::format("verify {} --json", database));
  (void)ran(fmt::format("verify '{}.none' --json", odd), 3);
  (void)ran(fmt::format("pair '{0}/1.png' '{0}/2.png' --out '{0}.pair' --json", odd));
  for (const char* name : {"report.html", "geometry.json"}) {
    const std::string text = read_file(folder / (odd + ".pair/" + name));
    EXPECT_EQ(valid_utf8(text), text) << name;
  }
  (void)ran(fmt::format("estimate homography --points '{}.txt'", odd), 3);
  (void)ran(fmt::format("stereo '{0}/1.png' '{0}/none.png' --out s --max-disparity 16", odd), 3);
}

TEST(FieldCases, a_database_of_names_in_latin1) {
  BIFOCAL_NEEDS_DATA("field_cases");
  const TemporaryFolder folder;
  copy_case(folder, "latin1_name.db", "a.db");
  const Ran r = run(folder, "report a.db --out report.html --json");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(json::parse(r.out)["images"], 2);
  const std::string page = read_file(folder / "report.html");
  EXPECT_EQ(valid_utf8(page), page);
  EXPECT_NE(page.find("caf\\ufffd 1.jpg"), std::string::npos);
}

// Images of half or twice the calibrated size, and a shorter focal length.
TEST(FieldCases, intrinsics_of_another_size_are_doubted_by_pair) {
  BIFOCAL_NEEDS_DATA("collections/fountain-P11/0004.jpg");
  const TemporaryFolder folder;
  const auto pair = [&](double scale) {
    const std::string photographs =
        fmt::format("'{}' '{}'", data("collections/fountain-P11/0004.jpg").string(),
                    data("collections/fountain-P11/0005.jpg").string());
    const Ran r = run(
        folder, fmt::format("pair {} --out o{} --strict --intrinsics {},{},{},{}", photographs,
                            scale, 1379.7 * scale, 1382.1 * scale, 760.1 * scale, 503.2 * scale));
    EXPECT_EQ(r.code, scale == 1 ? 0 : 5) << r.err;
    const json geometry = json::parse(read_file(folder / fmt::format("o{}/geometry.json", scale)));
    // Deviations that assume correct cameras are not stated next to the doubt.
    EXPECT_EQ(r.out.find("deviation of the pose: unknown: the intrinsics are doubted") <
                  std::string::npos,
              scale != 1)
        << r.out;
    EXPECT_EQ(r.out.find("% (median)") < std::string::npos, scale == 1) << r.out;
    EXPECT_EQ(geometry.contains("pose_deviation"), scale == 1);
    EXPECT_EQ(geometry.contains("dense") && geometry["dense"].contains("depth_deviation"),
              scale == 1);
    return std::pair{r.err, geometry};
  };
  const auto [good, geometry] = pair(1);
  EXPECT_EQ(good.find("warning"), std::string::npos) << good;
  EXPECT_FALSE(geometry.contains("doubt"));
  for (const double scale : test::short_or_long<std::vector<double>>({0.8}, {2.0, 0.5, 0.8})) {
    const auto [told, doubted] = pair(scale);
    expect_part(told, scale == 0.8 ? "bifocal: warning: the matches contradict these intrinsics"
                                   : "bifocal: warning: the principal point");
    EXPECT_TRUE(doubted.contains("doubt")) << scale;
  }
}

TEST(FieldCases, estimate_takes_metres_and_doubts_a_translation) {
  BIFOCAL_NEEDS_DATA("field_cases/table_px_metres.txt");
  const TemporaryFolder folder;
  const auto estimate = [&](const std::string& rest) {
    return json::parse(run(folder, "estimate " + rest).out);
  };
  const auto file = [](const char* name) {
    return data(std::string("field_cases/") + name).string();
  };
  const json map = estimate(
      fmt::format("homography --points '{}' --threshold 0.01", file("table_px_metres.txt")));
  EXPECT_EQ(map["outcome"], "ok");
  EXPECT_EQ(map["inliers"], 32);
  for (const int f : {950, 1000, 1050})
    EXPECT_EQ(estimate(fmt::format("essential --points '{}' --intrinsics {},{},640,480",
                                   file("turned_camera.txt"), f, f))["outcome"],
              "rotation_only")
        << f;
}

}  // namespace
}  // namespace bifocal::test
