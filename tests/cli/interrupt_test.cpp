// SPDX-License-Identifier: BSD-3-Clause
// Ctrl-C and SIGTERM print what is left of the work.
#include <gtest/gtest.h>

#include "cli/interrupted.hpp"
#include "cli/pairs_database.hpp"
#include "cli/views.hpp"

namespace bifocal::test {
namespace {

namespace fs = std::filesystem;

const std::string kNothing = "bifocal: interrupted; nothing was written\n",
                  kResumed = "bifocal: interrupted; the same command resumes the work\n";

TEST(Interrupt, SaysHowToResume) {
  const TemporaryFolder folder;
  make_database(folder / "part.db", 60);
  ASSERT_EQ(run(folder, "plan part.db --out plan").code, 0);
  const auto expect_note = [&](const std::vector<std::string>& arguments, const std::string& note) {
    const std::string err = interrupted(folder.path(), arguments,
                                        [](pid_t child) { return has_opened(child, "part.db"); });
    EXPECT_NE(err.find("bifocal: interrupted; " + note), std::string::npos) << err;
  };
  const std::string again = "the same command resumes the work",
                    over = "the same command starts again; pairs not verified yet keep their rows";
  expect_note({"run-shard", "plan", "0", "--threads", "1"},
              "the same command computes this shard again");
  ASSERT_EQ(run(folder, "run-shard plan 0").code, 0);
  {
    colmap::Database database(folder / "part.db", colmap::Access::write);
    const colmap::Transaction lock(database);  // the commands wait for it
    database.write(colmap::Image{999, "other", 1});
    expect_note({"merge", "plan"}, again);
    expect_note({"verify", "part.db"}, again);
    expect_note({"verify", "part.db", "--overwrite"}, over);
  }
  EXPECT_EQ(run(folder, "merge plan").code, 0);
}

TEST(Interrupt, LeavesNoFilesOfAPair) {
  const TemporaryFolder folder;
  write_pictures(folder);
  const std::vector<std::string> before = listing(folder.path());
  const auto has_begun = [&](pid_t) {
    return fs::exists(folder / "o") && !fs::is_empty(folder / "o");
  };
  for (const int signal : {SIGINT, SIGTERM}) {
    EXPECT_EQ(interrupted(folder.path(), {"pair", "left.png", "right.png", "--out", "o"}, has_begun,
                          signal),
              kNothing);
    EXPECT_EQ(listing(folder.path()), before);
  }
  EXPECT_EQ(interrupted(folder.path(),
                        {"stereo", "left.png", "right.png", "--out", "o", "--max-disparity", "32"},
                        has_begun),
            kNothing);
  EXPECT_EQ(listing(folder.path()), before);
}

TEST(Interrupt, LeavesNoModel) {
  const TemporaryFolder folder;
  make_database(folder / "part.db", 60);
  ASSERT_EQ(run(folder, "verify part.db --device cpu").code, 0);
  const std::vector<std::string> before = listing(folder.path());
  for (const int signal : {SIGINT, SIGTERM})
    EXPECT_EQ(interrupted(
                  folder.path(), {"map", "part.db", "--out", "sparse", "--device", "cpu"},
                  [](pid_t child) { return has_opened(child, "part.db"); }, signal),
              kNothing);
  EXPECT_EQ(listing(folder.path()), before);
}

TEST(Interrupt, LeavesWorkOfACollection) {
  const TemporaryFolder folder;
  write_views(folder / "in");
  for (const int signal : {SIGINT, SIGTERM})
    EXPECT_EQ(interrupted(
                  folder.path(), {"collect", "in", "--database", "out.db", "--device", "cpu"},
                  [](pid_t child) { return has_opened(child, "out.db.part"); }, signal),
              kResumed);
  EXPECT_TRUE(fs::exists(folder / "out.db.part"));
  EXPECT_EQ(run(folder, "collect in --database out.db --device cpu").code, 0);
}

}  // namespace
}  // namespace bifocal::test
