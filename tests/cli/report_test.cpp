// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <set>

#include "cli/report_page.hpp"
#include "support/long_tests.hpp"

namespace bifocal::test {
namespace {

using Edge = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
std::set<Edge> edges_of(const json& data) {
  const auto a = numbers<std::uint32_t>(data["edges"]["a"]);
  const auto b = numbers<std::uint32_t>(data["edges"]["b"]);
  const auto inliers = numbers<std::uint32_t>(data["edges"]["inliers"]);
  std::set<Edge> edges;
  for (std::size_t e = 0; e < a.size(); ++e) edges.insert({a[e], b[e], inliers[e]});
  EXPECT_EQ(edges.size(), a.size());
  return edges;
}

TEST(Cli, report_has_the_numbers_of_the_database) {
  const TemporaryFolder folder;
  make_database(folder / "a.db", 6, kPairs);
  write_file(
      folder / "run.json",
      R"({"seconds": {"features": 12.3}, "left_out": [{"name": "x.jpg", "reason": "cut"}]})");
  const Ran r = run(folder, "report a.db --out a.html --run run.json --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const json said = json::parse(r.out);
  const std::string html = read_file(folder / "a.html");
  EXPECT_EQ(said["bytes"], html.size());
  EXPECT_EQ(said["images"], 6);
  EXPECT_EQ(said["verified"], 4);
  EXPECT_EQ(said["components"], 2);
  EXPECT_EQ(said["pairs"], 4);
  const json data = data_of(html);
  EXPECT_EQ(edges_of(data), (std::set<Edge>{{0, 1, 100}, {1, 2, 350}, {0, 2, 20}, {3, 4, 60}}));
  EXPECT_EQ(data["images"]["names"][5], "<b>0006</b>.png");
  EXPECT_EQ(numbers<std::int32_t>(data["images"]["component"]),
            (std::vector<std::int32_t>{0, 0, 0, 1, 1, -1}));
  EXPECT_EQ(numbers<std::int32_t>(data["images"]["matched"]),
            (std::vector<std::int32_t>{3, 2, 3, 2, 1, 1}));
  // The triangle's weakest link is not its weakest pair.
  const auto inliers = numbers<std::uint32_t>(data["edges"]["inliers"]);
  const auto of = [&](const char* table) {
    std::vector<std::uint32_t> list;
    for (const std::size_t e : data["tables"][table]) list.push_back(inliers[e]);
    return list;
  };
  EXPECT_EQ(of("Weakest links"), (std::vector<std::uint32_t>{60, 100, 350}));
  EXPECT_EQ(of("Weakest pairs"), (std::vector<std::uint32_t>{20, 60, 100, 350}));
  EXPECT_EQ(of("Strongest pairs"), (std::vector<std::uint32_t>{350, 100, 60, 20}));
  int verified = 0, rejected = 0;
  for (const int count : data["histogram"]["verified"]) verified += count;
  for (const int count : data["histogram"]["rejected"]) rejected += count;
  EXPECT_EQ(verified, 4);
  EXPECT_EQ(rejected, 2);
  // Upper triangle of 6 cells a row: cells 0-1 0-2 0-3 0-4 0-5 follow 0-0, and likewise in
  // each row.
  const auto cells = numbers<std::uint8_t>(data["matrix"]["cells"]);
  ASSERT_EQ(cells.size(), 21U);
  EXPECT_EQ(cells[5], 1);    // 1 and 6 of the database: matches alone
  EXPECT_EQ(cells[7], 255);  // 2 and 3: the strongest
  EXPECT_EQ(cells[3], 0);    // 1 and 4: no matches
  for (const char* text : {"<td>degenerate</td><td>2</td>", "<td>calibrated</td><td>4</td>",
                           "&lt;b&gt;0006&lt;/b&gt;.png</td><td>1 pair with matches",
                           "<td>x.jpg</td><td>cut</td>", "<td>features</td><td>12.3 s</td>"})
    EXPECT_NE(html.find(text), std::string::npos) << text;
  EXPECT_EQ(html.find("<b>"), std::string::npos);
}

// The page shows all inliers if its size limit allows, else at least 300, spread evenly over
// their list.
TEST(Cli, report_triangulates_pairs) {
  const TemporaryFolder folder;
  make_database(folder / "a.db", 3, {{1, 3, 350}, {1, 2, 30}});
  const double baseline = camera_x(3) - camera_x(1);
  for (const auto& [room, most] : {std::pair("24M", 350), {"23K", 349}}) {
    ASSERT_EQ(run(folder, fmt::format("report a.db --out a.html --max-size {}", room)).code, 0);
    const json data = data_of(read_file(folder / "a.html"));
    ASSERT_EQ(data["pairs"].size(), 2U);
    const json& pair = data["pairs"][0];  // the strongest is first
    const auto points = numbers<float>(pair["points"]);
    const auto positions = numbers<std::uint16_t>(pair["positions"]);
    const int count = static_cast<int>(points.size() / 3);
    ASSERT_EQ(pair["inliers"], points.size() / 3);
    ASSERT_EQ(positions.size(), 4 * (points.size() / 3 + 10));
    const auto residual = numbers<std::uint16_t>(pair["residuals"]);
    ASSERT_EQ(residual.size(), positions.size() / 4);
    EXPECT_LE(*std::max_element(residual.begin(), residual.end()), 256 * 0.01);
    EXPECT_LE(count, most);
    EXPECT_GE(count, most == 350 ? 350 : 300);
    for (int k = 0; k < count; ++k) {
      const auto [X, Y, Z] = scene_point(k * 350 / count);
      const auto at = static_cast<std::size_t>(k);
      EXPECT_NEAR(points[3 * at] * baseline, X - camera_x(1), 1e-3);
      EXPECT_NEAR(points[3 * at + 1] * baseline, Y, 1e-3);
      EXPECT_NEAR(points[3 * at + 2] * baseline, Z, 2e-3);
      EXPECT_NEAR(positions[4 * at] / 65535.0 * 1280 - 0.5, kFocal * (X - camera_x(1)) / Z + kCx,
                  0.02);
      EXPECT_NEAR(positions[4 * at + 3] / 65535.0 * 960 - 0.5, kFocal * Y / Z + kCy, 0.02);
    }
  }
}

// Poses come from E, or from F and the focal lengths; a camera that only rotated has none.
TEST(Cli, report_computes_poses_and_names_their_source) {
  const TemporaryFolder folder;
  make_database(folder / "a.db", 5, {{1, 2, 200}, {1, 3, 190}, {1, 4, 180}, {1, 5, 170}});
  {
    Database db(folder / "a.db", Access::write);
    const auto rewrite = [&](Id b, std::uint32_t inliers, Configuration configuration,
                             std::optional<Mat3> E, std::optional<Mat3> F) {
      colmap::TwoViewGeometry g = geometry_of(1, b, inliers);
      g.configuration = configuration;
      g.cam2_from_cam1.reset();
      g.E = E, g.F = F;
      if (configuration == Configuration::panoramic) g.H = Mat3{1, 0, 0, 0, 1, 0, 0, 0, 1};
      db.write_geometry(1, b, g);
    };
    const Mat3 E = {0, 0, 0, 0, 0, 1, 0, -1, 0};  // essential matrix for a translation along x
    // x2' F x1 = y2 - y1, up to scale: K^-T E K^-1.
    const Mat3 F = {0, 0, 0, 0, 0, 1, 0, -1, 0};
    rewrite(2, 200, Configuration::calibrated, E, {});
    rewrite(3, 190, Configuration::uncalibrated, {}, F);
    rewrite(4, 180, Configuration::panoramic, E, F);
    rewrite(5, 170, Configuration::planar_or_panoramic, {}, {});
  }
  ASSERT_EQ(run(folder, "report a.db --out a.html").code, 0);
  const json data = data_of(read_file(folder / "a.html"));
  ASSERT_EQ(data["pairs"].size(), 4U);
  const char* sources[] = {"Depth from the pose of the essential matrix.",
                           "Depth from F and the focal lengths in the database.",
                           "No depth: the camera only rotated.",
                           "No depth: the pair has no pose, E or F."};
  for (std::size_t k = 0; k < 4; ++k) {
    const json& pair = data["pairs"][k];
    EXPECT_EQ(pair["source"], sources[k]);
    EXPECT_EQ(pair.contains("H"), k == 2);
    EXPECT_EQ(pair.contains("F"), k < 2);
    ASSERT_EQ(pair.contains("points"), k < 2) << k;
    if (k >= 2) continue;
    const auto points = numbers<float>(pair["points"]);
    const double baseline = camera_x(static_cast<Id>(k) + 2) - camera_x(1);
    for (int i = 0; i < 170; ++i)
      EXPECT_NEAR(points[3 * static_cast<std::size_t>(i) + 2] * baseline, scene_point(i)[2], 5e-3);
  }
}

// A planar pair has a homography, but its inliers may be those of E. The page shows the residuals
// of the matrix that the inliers fit, and H if they fit both.
TEST(Cli, report_shows_residuals_of_the_matrix_of_the_inliers) {
  const TemporaryFolder folder;
  make_database(folder / "a.db", 3, {{1, 2, 200}, {1, 3, 190}});
  {
    Database db(folder / "a.db", Access::write);
    colmap::Keypoints first = db.keypoints(1), shifted = first;  // of a plane
    for (std::size_t k = 0; k < shifted.data.size(); k += 2) shifted.data[k] -= 30;
    db.write_keypoints(3, shifted);
    for (const auto& [b, inliers] : {std::pair<Id, std::uint32_t>(2, 200), {3, 190}}) {
      colmap::TwoViewGeometry g = geometry_of(1, b, inliers);
      g.configuration = Configuration::planar_or_panoramic;
      g.cam2_from_cam1.reset();
      g.E = Mat3{0, 0, 0, 0, 0, 1, 0, -1, 0};
      g.H = Mat3{1, 0, -30, 0, 1, 0, 0, 0, 1};
      db.write_geometry(1, b, g);
    }
  }
  ASSERT_EQ(run(folder, "report a.db --out a.html").code, 0);
  const json data = data_of(read_file(folder / "a.html"));
  ASSERT_EQ(data["pairs"].size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    const json& pair = data["pairs"][k];
    EXPECT_EQ(pair.contains("H"), k == 1);
    EXPECT_EQ(pair.contains("F"), k == 0);
    const auto residuals = numbers<std::uint16_t>(pair["residuals"]);
    ASSERT_GE(residuals.size(), 190U);
    EXPECT_LE(*std::max_element(residuals.begin(), residuals.end()), 256 * 0.01) << k;
  }
}

// Inliers decide the geometry, so that a match of keypoints that do not exist is left out.
TEST(Cli, report_leaves_out_matches_without_keypoints) {
  const TemporaryFolder folder;
  make_database(folder / "a.db", 2, {{1, 2, 100}});
  std::vector<colmap::IndexPair> matches = {{4000000000, 4294967295}, {7, 4000000000}};
  for (std::uint32_t k = 0; k < 105; ++k) matches.push_back({k, k});
  Database(folder / "a.db", Access::write).write_matches(1, 2, matches);
  const Ran r = run(folder, "report a.db --out a.html");
  ASSERT_EQ(r.code, 0) << r.err;
  const json data = data_of(read_file(folder / "a.html"));
  EXPECT_EQ(data["pairs"][0]["inliers"], 100);
  EXPECT_EQ(numbers<std::uint16_t>(data["pairs"][0]["positions"]).size(), 4U * 105);
}

TEST(Cli, report_shows_photographs_and_names_unreadable_files) {
  const TemporaryFolder folder;
  make_database(folder / "a.db", 4, {{1, 2, 50}, {2, 3, 40}, {3, 4, 30}});
  std::filesystem::create_directory(folder / "pictures");
  // The '/' of the name makes a folder.
  std::filesystem::create_directory(folder / "pictures" / "<b>0001<");
  write_png(folder / "pictures/<b>0001</b>.png", texture(1280, 960, 1));
  std::filesystem::create_directory(folder / "pictures" / "<b>0002<");
  write_png(folder / "pictures/<b>0002</b>.png", texture(640, 480, 1));
  std::filesystem::create_directory(folder / "pictures" / "<b>0003<");
  write_file(folder / "pictures/<b>0003</b>.png", "no picture");
  const Ran r = run(folder, "report a.db --images pictures --out a.html --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string html = read_file(folder / "a.html");
  const json data = data_of(html);
  ASSERT_EQ(data["thumbnails"].size(), 1U);
  const auto jpeg = numbers<std::uint8_t>(data["thumbnails"]["0"]);
  const ImageU8 picture =
      decode_image({reinterpret_cast<const char*>(jpeg.data()), jpeg.size()}, "thumbnail");
  EXPECT_EQ(picture.width, 320);
  EXPECT_EQ(picture.height, 240);
  EXPECT_NE(html.find("Photographs that could not be shown: 3"), std::string::npos);
  EXPECT_NE(html.find("has 640 x 480 px, its camera 1280 x 960"), std::string::npos);
}

// 700 images in a ring, each with 99 partners: 69,300 edges. Size and edges are bounded, every
// image stays connected, and two runs give the same page.
TEST(Cli, report_of_a_large_graph_is_bounded) {
  const TemporaryFolder folder;
  constexpr Id kImages = 700;
  std::vector<Pair> pairs;
  for (Id i = 0; i < kImages; ++i)
    for (Id step = 1; step <= 99; ++step)
      pairs.push_back({i + 1, (i + step) % kImages + 1, 100 - step});
  make_database(folder / "a.db", kImages, pairs);
  const Ran r = run(folder, "report a.db --out a.html --max-size 3M --json");
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string html = read_file(folder / "a.html");
  EXPECT_LT(html.size(), 3U << 20);
  const json said = json::parse(r.out), data = data_of(html);
  EXPECT_EQ(said["verified"], 69300);
  EXPECT_GT(said["pairs"], 50);
  EXPECT_EQ(data["matrix"]["size"], 512);
  const std::set<Edge> edges = edges_of(data);
  EXPECT_GE(edges.size(), 60000U);
  EXPECT_LE(edges.size(), 60045U);  // and the edges of the tables
  std::vector<int> degree(kImages);
  for (const auto& [a, b, inliers] : edges) ++degree[a], ++degree[b];
  EXPECT_GT(*std::min_element(degree.begin(), degree.end()), 150);
  // Neighbours are drawn nearer to each other than images half the ring apart.
  const auto x = numbers<std::uint16_t>(data["images"]["x"]);
  const auto y = numbers<std::uint16_t>(data["images"]["y"]);
  const auto far = [&](Id step) {
    double sum = 0;
    for (Id i = 0; i < kImages; ++i) {
      const Id j = (i + step) % kImages;
      sum += std::hypot(double(x[i]) - x[j], double(y[i]) - y[j]);
    }
    return sum / kImages;
  };
  EXPECT_LT(10 * far(1), far(kImages / 2));
  if (!test::is_long()) return;
  ASSERT_EQ(run(folder, "report a.db --out b.html --max-size 3M --json").code, 0);
  EXPECT_EQ(data, data_of(read_file(folder / "b.html")));
}

TEST(Cli, report_names_errors) {
  const TemporaryFolder folder;
  make_database(folder / "a.db", 3, {{1, 2, 50}});
  make_database(folder / "empty.db", 0, {});
  make_database(folder / "damaged.db", 3, {{1, 2, 50}});
  Database(folder / "damaged.db", Access::write).write_keypoints(2, {});
  write_file(folder / "text.db", "this is no database, and long enough to be told apart");
  write_file(folder / "list.json", "[1]");
  std::filesystem::create_directory(folder / "folder");
  const auto fails = [&](const std::string& arguments, int code, const std::string& part) {
    const Ran r = run(folder, "report " + arguments);
    EXPECT_EQ(r.code, code) << arguments << r.err;
    EXPECT_NE(r.err.find(part), std::string::npos) << r.err;
  };
  fails("none.db --out a.html", 3, "none.db: can't be read");
  fails("text.db --out a.html", 3, "text.db: is no SQLite database");
  fails("empty.db --out a.html", 3, "empty.db: has no images");
  fails("damaged.db --out a.html", 3, "images 1 and 2: match of keypoints 0 and 0");
  fails("a.db", 2, "--out");
  fails("--out a.html", 2, "DATABASE");
  fails("a.db --out a.db", 2, "would replace the input a.db");
  fails("a.db --out folder", 3, "folder: is a folder");
  fails("a.db --out list.json", 2,
        "list.json: exists already, and is no page of this database; choose another name or use "
        "--overwrite");
  fails("a.db --out none/a.html", 3, "none/a.html");
  fails("a.db --out a.html --images none", 3, "none: is no folder");
  fails("a.db --out a.html --run none.json", 3, "none.json");
  fails("a.db --out a.html --run list.json", 3, "list.json: is not the output");
  // Only the inputs remain, and the files that SQLite keeps next to the databases it read.
  std::vector<std::string> left = listing(folder.path());
  std::erase_if(left, [](const std::string& name) {
    return name.ends_with(".db-shm") || name.ends_with(".db-wal");
  });
  EXPECT_EQ(left, (std::vector<std::string>{"a.db", "damaged.db", "empty.db", "folder", "list.json",
                                            "text.db"}));
}

}  // namespace
}  // namespace bifocal::test
