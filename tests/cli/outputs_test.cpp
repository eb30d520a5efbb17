// SPDX-License-Identifier: BSD-3-Clause
// The rule of bifocal/io.hpp: what a command did not make is replaced with --overwrite only.
// Models have their tests in map_test.cpp and adjust_test.cpp.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/process.hpp"
#include "cli/report_page.hpp"

namespace bifocal::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Writer {
  std::string command;  // with "OUT" for the output folder
  std::string record;   // its JSON file
  std::string name;     // a file that it writes
};

class OutputsOf : public ::testing::TestWithParam<Writer> {
 protected:
  void SetUp() override {
    write_pictures(folder);
    write_file(folder / "calib.txt",
               "1 PINHOLE 400 300 400 400 200 150\nR 1 0 0 0 1 0 0 0 1\nt -1 0 0\n");
  }
  [[nodiscard]] Ran to(const std::string& out, std::string images = "left.png right.png",
                       const std::string& flags = "") const {
    return run(folder, fmt::format(fmt::runtime(GetParam().command), images, out) + flags);
  }
  TemporaryFolder folder;
};

TEST_P(OutputsOf, AnotherFileIsKept) {
  fs::create_directory(folder / "out");
  write_file(folder / "out" / GetParam().name, "mine");
  write_file(folder / "out/notes.txt", "mine");
  const Ran refused = to("out");
  EXPECT_EQ(refused.code, 2) << refused.out;
  const std::string part = "out/" + GetParam().name + ": exists already";
  EXPECT_NE(refused.err.find(part), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("use --overwrite"), std::string::npos) << refused.err;
  EXPECT_EQ(read_file(folder / "out" / GetParam().name), "mine");
  EXPECT_EQ(listing(folder / "out").size(), 2U);
  ASSERT_EQ(to("out", "left.png right.png", " --overwrite").code, 0);
  EXPECT_NE(read_file(folder / "out" / GetParam().name), "mine");
  EXPECT_EQ(read_file(folder / "out/notes.txt"), "mine");
}

TEST_P(OutputsOf, ARunOnTheSameFilesIsRepeated) {
  ASSERT_EQ(to("out").code, 0);
  const auto files = listing(folder / "out");
  fs::create_directory_symlink("out", folder / "link");
  ASSERT_EQ(to("link", "./left.png right.png").code, 0);
  EXPECT_EQ(listing(folder / "out"), files);
  const json record = json::parse(read_file(folder / "out" / GetParam().record));
  EXPECT_EQ(record["files"]["read"][0], "../left.png");
  EXPECT_EQ(record["files"]["written"].size(), files.size());
}

TEST_P(OutputsOf, ARunOnOtherFilesIsKept) {
  ASSERT_EQ(to("out").code, 0);
  const std::string record = read_file(folder / "out" / GetParam().record);
  fs::copy_file(folder / "left.png", folder / "other.png");
  EXPECT_EQ(to("out", "other.png right.png").code, 2);
  EXPECT_EQ(read_file(folder / "out" / GetParam().record), record);
  EXPECT_EQ(to("out", "other.png right.png", " --overwrite").code, 0);
}

TEST_P(OutputsOf, AnInputIsNeverReplaced) {
  const std::string name = GetParam().name.ends_with(".png") ? GetParam().name : "matches.png";
  fs::create_directory(folder / "in");
  fs::create_directory_symlink("in", folder / "out");
  fs::copy_file(folder / "left.png", folder / "in" / name);
  const Ran refused = to("out", "in/" + name + " right.png", " --overwrite");
  EXPECT_EQ(refused.code, 2) << refused.out;
  EXPECT_NE(refused.err.find("would replace the input"), std::string::npos) << refused.err;
  EXPECT_EQ(read_file(folder / "in" / name), read_file(folder / "left.png"));
}

INSTANTIATE_TEST_SUITE_P(
    Commands, OutputsOf,
    ::testing::Values(
        Writer{"pair {} --out {} --intrinsics 400,400,199.5,149.5 --no-dense", "geometry.json",
               "matches.txt"},
        Writer{"stereo {} --out {} --max-disparity 32", "stereo.json", "disparity.png"},
        Writer{"rectify {} --out {} --calib calib.txt", "rectification.json", "left.png"}),
    [](const auto& command) {
      return command.param.record.substr(0, command.param.record.find('.'));
    });

TEST(Outputs, OfAPageAreThoseOfItsDatabase) {
  const TemporaryFolder folder;
  make_database(folder / "a.db", 3, {{1, 2, 50}});
  make_database(folder / "b.db", 3, {{1, 2, 50}});
  write_file(folder / "index.html", "<!DOCTYPE html><title>mine</title>");
  const Ran refused = run(folder, "report a.db --out index.html");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("index.html: exists already, and is no page of this database"),
            std::string::npos)
      << refused.err;
  ASSERT_EQ(run(folder, "report a.db --out a.html").code, 0);
  EXPECT_EQ(run(folder, "report a.db --out ./a.html").code, 0);
  EXPECT_EQ(run(folder, "report b.db --out a.html").code, 2);
  EXPECT_EQ(run(folder, "report b.db --out a.html --overwrite").code, 0);
}

TEST(Outputs, OfScenesAreThoseOfTheSameScenes) {
  const TemporaryFolder folder;
  const auto write_scenes = [&](const char* file) {
    std::vector<double> x1, x2;
    for (int i = 0; i < 40; ++i) {
      const double x = 17.0 * (i % 8), y = 23.0 * (i / 8);
      x1.insert(x1.end(), {x, y}), x2.insert(x2.end(), {x + 5, y + 3});
    }
    write_npz(folder / file,
              std::vector<NamedArray>{{"x1", {{1, 40, 2}, x1}}, {"x2", {{1, 40, 2}, x2}}});
  };
  write_scenes("a.npz");
  write_scenes("b.npz");
  const std::string estimate = "estimate homography --result r.npz --scenes ";
  write_file(folder / "r.npz", "mine");
  const Ran refused = run(folder, estimate + "a.npz");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("r.npz: exists already; choose another name or use --overwrite"),
            std::string::npos)
      << refused.err;
  EXPECT_EQ(read_file(folder / "r.npz"), "mine");
  fs::resize_file(folder / "r.npz", 0);  // an empty file, as mktemp makes it
  EXPECT_EQ(run(folder, estimate + "a.npz").code, 0);
  EXPECT_EQ(run(folder, estimate + "./a.npz").code, 0);
  EXPECT_EQ(run(folder, estimate + "b.npz").code, 2);
  EXPECT_EQ(run(folder, estimate + "b.npz --overwrite").code, 0);
}

TEST(Outputs, OfCollectAreNeverPhotographs) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "in");
  write_pictures(folder);
  fs::copy_file(folder / "left.png", folder / "in/left.png");
  const Ran refused = run(folder, "collect in --database in/left.png --overwrite --device cpu");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("would replace the input"), std::string::npos) << refused.err;
  EXPECT_EQ(read_file(folder / "in/left.png"), read_file(folder / "left.png"));
}

TEST(Outputs, OfAPlanAreThoseOfThePlan) {
  const TemporaryFolder folder;
  make_database(folder / "a.db", 3, {{1, 2, 50}});
  ASSERT_EQ(run(folder, "plan a.db --out plan --overwrite").code, 0);
  ASSERT_EQ(run(folder, "plan a.db --out plan --overwrite").code, 0);
  std::string list;
  for (const std::string& name : listing(folder / "plan"))
    if (name != "plan.json") list = name;
  fs::create_directory(folder / "other");
  write_file(folder / "other" / list, "mine");
  const Ran refused = run(folder, "plan a.db --out other --overwrite");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find(list + ": exists already"), std::string::npos) << refused.err;
  EXPECT_EQ(read_file(folder / "other" / list), "mine");
}

}  // namespace
}  // namespace bifocal::test
