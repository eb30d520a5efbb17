// SPDX-License-Identifier: BSD-3-Clause
// `bifocal collect`: database contents, skipped files, and equal bytes after interruptions.
#include <gtest/gtest.h>
#include <bifocal/collect.hpp>
#include <bifocal/colmap/database.hpp>
#include <bifocal/io.hpp>

#include <algorithm>
#include <fstream>
#include <random>
#include <set>

#include <nlohmann/json.hpp>

#include "cli/process.hpp"
#include "cli/views.hpp"
#include "support/long_tests.hpp"
#include "support/paths.hpp"

namespace bifocal::test {
namespace {

using nlohmann::json;

// Folders with three views of each of two scenes; add_odd_ones() adds damaged and foreign files.
class Collect : public ::testing::Test {
 protected:
  void SetUp() override { write_views(folder / "in"); }
  void add_odd_ones() const {
    const std::string jpeg = text_of(folder / "in/b/0.jpg");
    write_file(folder / "in/b/cut.jpg", std::string_view(jpeg).substr(0, jpeg.size() / 2));
    write_file(folder / "in/text.png", "no picture");
    std::ofstream(folder / "in/empty.jpg");
    std::filesystem::create_symlink("nowhere", folder / "in/dangling.jpg");
    write_png(folder / "in/flat.png", ImageU8(320, 200, 3, 128));
    write_png(folder / "in/tiny.png", ImageU8(1, 1));
    write_png(folder / "in/small.png", texture(200, 150, 11));
    write_file(folder / "in/notes.txt", "not looked at");
  }
  json collected(const std::string& options) const {
    const Ran r = run(folder, "collect in --database out.db --json " + options);
    EXPECT_EQ(r.code, 0) << r.err;
    return r.code == 0 ? json::parse(r.out) : json();
  }
  // Returns the database of an uninterrupted run with the options and removes out.db.
  std::string undisturbed(const std::string& options) const {
    (void)collected(options);
    const std::string bytes = text_of(folder / "out.db");
    std::filesystem::remove(folder / "out.db");
    return bytes;
  }
  // Runs and kills the process after `seconds`. Returns 0 if it ended before.
  [[nodiscard]] int run_for(double seconds, const std::string& options) const {
    return std::system(fmt::format("cd '{}' && timeout -s KILL {:.3f} '{}' collect in --database "
                                   "out.db {} >.out 2>.err </dev/null",
                                   folder.path().string(), seconds, test::kProgram, options)
                           .c_str());
  }
  TemporaryFolder folder;
};

std::string name_of(const colmap::Database& database, colmap::Id id) {
  for (const colmap::Image& image : database.images())
    if (image.id == id) return image.name;
  return {};
}

TEST_F(Collect, finds_the_pairs_of_each_scene) {
  const json result = collected("");
  EXPECT_EQ(result["images"], 6);
  EXPECT_EQ(result["pairs"], 15);
  EXPECT_EQ(result["verified"], 6);
  EXPECT_EQ(result["complete_before"], false);
  EXPECT_FALSE(std::filesystem::exists(folder / "out.db.part"));
  EXPECT_FALSE(std::filesystem::exists(folder / "out.db.lock"));

  const colmap::Database database(folder / "out.db");
  EXPECT_EQ(database.match_rows().size(), 15U);
  std::set<std::string> verified;
  for (const colmap::PairRows& row : database.geometry_rows()) {
    if (row.rows == 0) {
      EXPECT_EQ(row.configuration, colmap::Configuration::degenerate);
      continue;
    }
    EXPECT_GE(static_cast<int>(row.configuration), 2);
    EXPECT_GE(row.rows, 15);
    const auto geometry = database.geometry(row.image1, row.image2);
    EXPECT_TRUE(geometry->F || geometry->H);
    verified.insert(name_of(database, row.image1) + " " + name_of(database, row.image2));
  }
  EXPECT_EQ(verified,
            (std::set<std::string>{"a/0.png a/1.png", "a/0.png a/2.png", "a/1.png a/2.png",
                                   "b/0.jpg b/1.jpg", "b/0.jpg b/2.jpg", "b/1.jpg b/2.jpg"}));
}

TEST_F(Collect, the_database_has_features_and_guessed_cameras) {
  (void)collected("--max-features 300");
  const colmap::Database database(folder / "out.db");
  const auto images = database.images();
  ASSERT_EQ(images.size(), 6U);
  EXPECT_EQ(images[0].name, "a/0.png");
  EXPECT_EQ(images[5].name, "b/2.jpg");
  const auto cameras = database.cameras();
  ASSERT_EQ(cameras.size(), 1U);  // photographs of one size without EXIF share a camera
  for (const colmap::ModelCamera& camera : cameras) {
    EXPECT_EQ(colmap::model_name(camera.model), "SIMPLE_RADIAL");
    EXPECT_EQ(camera.params, (std::vector<double>{480, 199.5, 149.5, 0}));
    EXPECT_FALSE(camera.has_prior_focal_length);
  }
  for (const colmap::Image& image : images) {
    const auto keypoints = database.keypoints(image.id);
    EXPECT_EQ(keypoints.size(), 300U);
    EXPECT_EQ(database.descriptors(image.id).size(), 300U);
    for (std::size_t i = 0; i < keypoints.size(); ++i) {
      const float x = keypoints.data[i * std::size_t(keypoints.columns)];
      ASSERT_TRUE(x >= -0.5 && x <= 399.5) << x;
    }
  }
}

TEST_F(Collect, given_intrinsics_are_one_camera_and_give_poses) {
  (void)collected("--intrinsics 400,410,199.5,149.5");
  const colmap::Database database(folder / "out.db");
  ASSERT_EQ(database.cameras().size(), 1U);
  EXPECT_EQ(database.cameras()[0].params, (std::vector<double>{400, 410, 199.5, 149.5}));
  EXPECT_TRUE(database.cameras()[0].has_prior_focal_length);
  int posed = 0;
  for (const colmap::PairRows& row : database.geometry_rows()) {
    if (row.configuration != colmap::Configuration::calibrated) continue;
    const auto geometry = database.geometry(row.image1, row.image2);
    ASSERT_TRUE(geometry->E && geometry->cam2_from_cam1);
    // The camera moved to the right.
    EXPECT_LT(geometry->cam2_from_cam1->t[0], -0.99);
    ++posed;
  }
  EXPECT_EQ(posed, 6);
}

TEST_F(Collect, leaves_out_unreadable_files) {
  add_odd_ones();
  const Ran r = run(folder, "collect in --database out.db --json --max-side 380");
  ASSERT_EQ(r.code, 0) << r.err;
  const json result = json::parse(r.out);
  EXPECT_EQ(result["images"], 9);
  EXPECT_EQ(result["verified"], 6);
  std::set<std::string> names;
  for (const json& l : result["left_out"]) {
    names.insert(l["name"]);
    EXPECT_NE(r.err.find("left out: " + l["name"].get<std::string>() + ": "), std::string::npos);
  }
  EXPECT_EQ(names, (std::set<std::string>{"b/cut.jpg", "dangling.jpg", "empty.jpg", "text.png"}));
  const colmap::Database database(folder / "out.db");
  std::set<std::string> images;
  for (const colmap::Image& image : database.images()) images.insert(image.name);
  EXPECT_TRUE(images.contains("flat.png"));
  EXPECT_FALSE(images.contains("text.png"));
}

TEST_F(Collect, has_the_same_bytes_for_any_threads_blocks_and_memory) {
  add_odd_ones();
  const std::string expected = undisturbed("");
  for (const char* way : {"--threads 1", "--threads 2 --block-size 2", "--max-memory 48M"})
    EXPECT_TRUE(undisturbed(way) == expected) << way;
}

// The run is killed repeatedly at random moments.
TEST_F(Collect, has_the_same_bytes_after_kills) {
  add_odd_ones();
  std::mt19937 random(std::random_device{}());
  int kills = 0;
  for (const char* options : {"", "--block-size 2", "--pairs retrieval --partners 3"}) {
    const auto start = std::chrono::steady_clock::now();
    const std::string expected = undisturbed(options);
    const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - start;
    for (int round = 0; round < test::short_or_long(1, 3); ++round) {
      for (int attempt = 0; !std::filesystem::exists(folder / "out.db"); ++attempt) {
        ASSERT_LT(attempt, 300) << "never ends";
        const double seconds = whole.count() * (random() % 1000 / 1500.0 + attempt * 0.02);
        kills += run_for(seconds + 0.005, options) != 0;
      }
      // A kill after the renaming leaves files that the next call removes.
      const json last = collected(options);
      EXPECT_EQ(last["complete_before"], true);
      EXPECT_EQ(last["images"], 9);
      EXPECT_TRUE(text_of(folder / "out.db") == expected) << options << ", " << kills << " kills";
      for (const char* left : {"out.db.part", "out.db.part-wal", "out.db.lock"})
        EXPECT_FALSE(std::filesystem::exists(folder / left)) << left;
      std::filesystem::remove(folder / "out.db");
    }
  }
  EXPECT_GE(kills, test::short_or_long(3, 9));
}

// Writes a grid of points with random descriptors of 16 numbers, equal for all photographs of
// a scene.
void write_given(const std::filesystem::path& folder, const std::string& name, unsigned scene,
                 int shift) {
  std::mt19937 random(scene);
  std::vector<float> points, values;
  for (int i = 0; i < 300; ++i) {
    points.push_back(static_cast<float>(random() % 300 + 5U * unsigned(shift)));
    points.push_back(static_cast<float>(random() % 290));
    for (int k = 0; k < 16; ++k) values.push_back(static_cast<float>(random() % 1000) - 500);
  }
  std::filesystem::create_directories((folder / name).parent_path());
  write_npz(folder / (name + ".npz"),
            std::vector<NamedArray>{{"keypoints", {{300, 2}, points}},
                                    {"descriptors", {{300, 16}, values}}});
}

TEST_F(Collect, has_the_same_bytes_of_given_features_after_kills) {
  add_odd_ones();
  for (int i = 0; i < 3; ++i) {
    write_given(folder / "given", fmt::format("a/{}.png", i), 1, i);
    write_given(folder / "given", fmt::format("b/{}.jpg", i), 2, i);
  }
  const std::string options = "--features given --block-size 2";
  const auto start = std::chrono::steady_clock::now();
  const std::string expected = undisturbed(options);
  const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - start;
  std::mt19937 random(2);
  int kills = 0;
  for (int round = 0; round < 5; ++round) {
    for (int attempt = 0; !std::filesystem::exists(folder / "out.db"); ++attempt) {
      ASSERT_LT(attempt, 300) << "never ends";
      kills += run_for(whole.count() * (random() % 1000 / 1200.0 + attempt * 0.02), options) != 0;
    }
    const json last = collected(options);
    EXPECT_EQ(last["images"], 6);
    EXPECT_EQ(last["verified"], 6);
    EXPECT_TRUE(text_of(folder / "out.db") == expected) << kills << " kills";
    std::filesystem::remove(folder / "out.db");
  }
  EXPECT_GE(kills, 3);
  const Ran refused =
      run(folder, "collect in --database out.db --features given --pairs retrieval");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("found by features detected here"), std::string::npos) << refused.err;
}

TEST_F(Collect, resumes_an_interrupted_run) {
  // The time limit is too short for all stages; a resumed run does not repeat finished work.
  add_odd_ones();
  const std::string expected = undisturbed("");
  bool resumed = false;
  for (int ms = 20; !resumed && ms < 5000; ms += 20) {
    std::filesystem::remove(folder / "out.db");
    (void)run_for(ms / 1000.0, "");
    if (std::filesystem::exists(folder / "out.db")) continue;
    resumed = collected("")["resumed"].get<bool>();
  }
  EXPECT_TRUE(resumed);
  EXPECT_TRUE(text_of(folder / "out.db") == expected);
}

// A full disk is reported; with free space the run is resumed.
TEST_F(Collect, resumes_after_a_full_disk) {
  const std::string expected = undisturbed("");
  int told = 0;
  for (const int kilobytes : {20, 100, 300, 600}) {  // limit of a file's size
    const int status = std::system(
        fmt::format(
            "cd '{}' && (trap '' XFSZ; ulimit -f {}; exec '{}' collect in --database out.db "
            ">.out 2>.err </dev/null)",
            folder.path().string(), kilobytes, test::kProgram)
            .c_str());
    if (std::filesystem::exists(folder / "out.db")) break;
    EXPECT_EQ(WEXITSTATUS(status), 3);
    const std::string err = text_of(folder / ".err");
    EXPECT_NE(err.find("out.db"), std::string::npos) << err;
    ++told;
  }
  EXPECT_GE(told, 2);
  if (!std::filesystem::exists(folder / "out.db")) (void)collected("");
  EXPECT_TRUE(text_of(folder / "out.db") == expected);
}

TEST_F(Collect, a_finished_database_is_left_alone) {
  const std::string bytes = [&] {
    (void)collected("");
    return text_of(folder / "out.db");
  }();
  const json again = collected("");
  EXPECT_EQ(again["complete_before"], true);
  EXPECT_EQ(again["images"], 6);
  EXPECT_EQ(again["pairs"], 15);
  EXPECT_EQ(again["verified"], 6);
  const auto refused = [&](const std::string& options, const std::string& why) {
    const Ran r = run(folder, "collect in --database out.db " + options);
    EXPECT_EQ(r.code, 3) << r.err;
    EXPECT_NE(r.err.find(why), std::string::npos) << r.err;
    EXPECT_TRUE(text_of(folder / "out.db") == bytes);
  };
  refused("--max-features 100", "sift.max_features was 12288 and is 100");
  refused("--domain-size-pooling", "sift.domain_size_pooling was no and is yes");
  refused("--affine-shape", "sift.affine_shape was no and is yes");
  write_png(folder / "in/a/0.png", texture(100, 100, 3));
  refused("", "a/0.png has changed since");
  EXPECT_EQ(collected("--overwrite")["images"], 6);
  write_png(folder / "in/new.png", texture(100, 100, 3));
  EXPECT_EQ(collected("")["images"], 7);
  std::filesystem::remove(folder / "in/new.png");
  const Ran r = run(folder, "collect in --database out.db");
  EXPECT_EQ(r.code, 3) << r.err;
  EXPECT_NE(r.err.find("new.png was among its photographs"), std::string::npos) << r.err;
}

TEST_F(Collect, a_foreign_file_is_left_alone) {
  write_file(folder / "out.db", "my thesis");
  Ran r = run(folder, "collect in --database out.db");
  EXPECT_EQ(r.code, 3) << r.err;
  EXPECT_NE(r.err.find("out.db: exists already and is no database"), std::string::npos) << r.err;
  EXPECT_EQ(read_file(folder / "out.db"), "my thesis");
  std::filesystem::remove(folder / "out.db");
  { colmap::Database(folder / "out.db", colmap::Access::create); }
  r = run(folder, "collect in --database out.db");
  EXPECT_EQ(r.code, 3) << r.err;
  EXPECT_NE(r.err.find("was not made by collecting"), std::string::npos) << r.err;
}

TEST_F(Collect, pairs_come_from_a_file) {
  write_file(folder / "pairs.txt", "a/0.png a/2.png\nb/0.jpg a/1.png\n");
  const json result = collected("--pairs pairs.txt");
  EXPECT_EQ(result["pairs"], 2);
  EXPECT_EQ(result["verified"], 1);
  write_file(folder / "wrong.txt", "a/0.png a/7.png\n");
  const Ran r = run(folder, "collect in --database other.db --pairs wrong.txt");
  EXPECT_EQ(r.code, 3);
  EXPECT_NE(r.err.find("wrong.txt, line 1: no image 'a/7.png'"), std::string::npos) << r.err;
}

TEST_F(Collect, pairs_come_from_sequence_and_retrieval) {
  EXPECT_EQ(collected("--pairs sequential --overlap 1 --loop-period 0")["pairs"], 5);
  std::filesystem::remove(folder / "out.db");
  const json look = collected("--pairs retrieval --partners 2");
  EXPECT_EQ(look["verified"], 6);
  EXPECT_LE(look["pairs"], 9);
}

TEST_F(Collect, surf_replaces_rootsift) {
  const json result = collected("--features surf --max-features 500 --pairs retrieval");
  EXPECT_EQ(result["verified"], 6);
  EXPECT_LE(result["features"], 3000);
  const auto settings = read_collect_summary(folder / "out.db").settings;
  EXPECT_TRUE(std::ranges::any_of(settings, [](auto& s) { return s.first == "surf.upright"; }));
}

TEST_F(Collect, reports_missing_geometry) {
  std::filesystem::remove_all(folder / "in/b");
  std::filesystem::remove(folder / "in/a/1.png");
  write_png(folder / "in/a/2.png", texture(300, 300, 99));
  const Ran r = run(folder, "collect in --database out.db");
  EXPECT_EQ(r.code, 5) << r.err;
  EXPECT_TRUE(std::filesystem::exists(folder / "out.db"));
}

TEST_F(Collect, refuses_bad_arguments) {
  const auto refused = [&](const std::string& arguments, int code, const std::string& why) {
    const Ran r = run(folder, "collect " + arguments);
    EXPECT_EQ(r.code, code) << arguments << ": " << r.err;
    EXPECT_NE(r.err.find(why), std::string::npos) << arguments << ": " << r.err;
  };
  refused("--database out.db", 2, "IMAGES");
  refused("in", 2, "--database");
  refused("none --database out.db", 3, "none: there is no such file or folder");
  refused("in --database out.db --pairs nowhere.txt", 3, "nowhere.txt");
  refused("in --database out.db --camera two", 2, "--camera");
  refused("in --database out.db --camera-model ROUND", 2, "--camera-model");
  refused("in --database out.db --intrinsics 1,2", 2, "1,2");
  refused("in --database out.db --features orb", 2, "orb");
  refused("in --database out.db --features surf --max-distance 1", 2, "--max-distance");
  refused("in --database out.db --features surf --domain-size-pooling", 2, "is only for SIFT");
  refused("in --database out.db --features given.h5 --domain-size-pooling", 2, "given.h5");
  refused("in --database out.db --features given.h5 --affine-shape", 2, "is only for SIFT");
  refused("in --database no/such/folder/out.db", 3, "no/such/folder");
  std::filesystem::create_directory(folder / "void");
  refused("void --database out.db", 3, "no photographs");
  EXPECT_EQ(listing(folder.path()).size(), 10U);  // in, in/a, in/b, six images, void
}

}  // namespace
}  // namespace bifocal::test
