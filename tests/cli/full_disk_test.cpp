// SPDX-License-Identifier: BSD-3-Clause
// Every command that writes, on a disk that is full after some kilobytes: a message that names the
// file and the reason, the documented exit code, and no half-written file. With free space the same
// command ends with the bytes of an undisturbed run.
#include <gtest/gtest.h>

#include "cli/pairs_database.hpp"
#include "cli/process.hpp"
#include "cli/small_disk.hpp"
#include "collection/sample_model.hpp"
#include "support/long_tests.hpp"

namespace bifocal::test {
namespace {

constexpr std::int64_t kRoom = 64 << 10;  // KB

class FullDisk : public testing::Test {
 protected:
  void SetUp() override {
    if (!disk.refused().empty())
      GTEST_SKIP() << "no small disk can be mounted: " << disk.refused() << " (root may)";
  }
  std::int64_t size_kb(const std::string& name) {
    return static_cast<std::int64_t>(std::filesystem::file_size(folder / name) / 1024) + 1;
  }
  std::string bytes(const std::string& name) { return read_file(folder / name); }
  void succeeds(const std::string& arguments) {
    const Ran r = run(folder, arguments);
    EXPECT_EQ(r.code, 0) << arguments << ": " << r.err;
  }
  // Expects this exit code and a message that contains all `parts`.
  void fails(const std::string& arguments, int code, const std::vector<std::string>& parts) {
    const Ran r = run(folder, arguments);
    EXPECT_EQ(r.code, code) << arguments << ": " << r.err;
    for (const std::string& part : parts)
      EXPECT_NE(r.err.find(part), std::string::npos) << arguments << ": " << r.err;
  }

  SmallDisk disk;
  const TemporaryFolder& folder = disk.folder();
};

constexpr const char* kFull = "no space left on its disk; free some, and the same command resumes";

TEST_F(FullDisk, verify_resumes) {
  make_database(folder / "clean.db", 48);  // 1128 pairs: two pieces
  std::filesystem::copy_file(folder / "clean.db", folder / "whole.db");
  succeeds("verify whole.db --max-iterations 300");
  const std::int64_t clean = size_kb("clean.db"), more = size_kb("whole.db") - clean;
  // The disk is full at the start, while the log is written, or when the first piece is in the log
  // but not yet in the file.
  for (const std::int64_t room : {std::int64_t{4}, std::int64_t{60}, more, 2 * more}) {
    disk.clear(clean + room);
    std::filesystem::copy_file(folder / "clean.db", disk.path() / "a.db");
    const Ran r = run(folder, "verify disk/a.db --max-iterations 300");
    EXPECT_TRUE(r.code != 0 || room >= more) << room;
    if (r.code != 0) {
      EXPECT_EQ(r.code, 3) << r.err;
      EXPECT_NE(r.err.find("disk/a.db: "), std::string::npos) << r.err;
      EXPECT_NE(r.err.find(kFull), std::string::npos) << r.err;
    }
    disk.grow(kRoom);
    // A piece is written as a whole or not at all.
    const std::size_t rows = colmap::Database(disk.path() / "a.db").geometry_rows().size();
    EXPECT_TRUE(rows == 0 || rows == 1024 || rows == 1128) << rows;
    succeeds("verify disk/a.db --max-iterations 300");
    EXPECT_TRUE(bytes("disk/a.db") == bytes("whole.db")) << room;
  }
}

TEST_F(FullDisk, shards_and_merge_ask_to_be_tried_again) {
  make_database(folder / "clean.db", 30);  // 435 pairs
  std::filesystem::copy_file(folder / "clean.db", folder / "whole.db");
  succeeds("verify whole.db");
  disk.clear(8);
  fails("plan clean.db --out disk/plan --pairs-per-shard 200", 75,
        {"disk/plan/shard-", ".pairs: can't be written: No space left on device"});
  EXPECT_FALSE(std::filesystem::exists(folder / "disk/plan/plan.json"));
  disk.grow(24);
  succeeds("plan clean.db --out disk/plan --pairs-per-shard 200");
  fails("run-shard disk/plan 0", 75,
        {"disk/plan/shard-0.result: can't be written: No space left on device"});
  EXPECT_EQ(
      listing(folder / "disk/plan"),
      (std::vector<std::string>{"plan.json", "shard-0.pairs", "shard-1.pairs", "shard-2.pairs"}));
  disk.grow(kRoom);
  for (const char* k : {"0", "1", "2"}) succeeds(std::string("run-shard disk/plan ") + k);
  std::filesystem::rename(folder / "disk/plan", folder / "disk/kept");
  std::filesystem::copy(folder / "disk/kept", folder / "plan");
  disk.clear(size_kb("clean.db") + 48);
  std::filesystem::copy_file(folder / "clean.db", folder / "disk/a.db");
  fails("merge plan --into disk/a.db", 75, {"disk/a.db: ", kFull});
  disk.grow(kRoom);
  succeeds("merge plan --into disk/a.db");
  EXPECT_TRUE(bytes("disk/a.db") == bytes("whole.db"));
}

TEST_F(FullDisk, collect_resumes) {
  std::filesystem::create_directory(folder / "in");
  for (int k = 0; k < 3; ++k)
    write_png(folder / fmt::format("in/{}.png", k),
              warp(texture(400, 300, 1), {1, 0, 8.0 * k, 0, 1, 3.0 * k, 0, 0, 1}, 400, 300));
  succeeds("collect in --database whole.db");
  int told = 0;
  // The disk may be full at any moment, including the last, when the database gets its name.
  int code = -1;
  for (std::int64_t room = 4; code != 0; room += test::short_or_long(304, 76)) {
    ASSERT_LT(room, kRoom);
    disk.clear(room);
    const Ran r = run(folder, "collect in --database disk/a.db");
    code = r.code;
    if (r.code != 0) {
      ++told;
      EXPECT_EQ(r.code, 3) << r.err;
      EXPECT_NE(r.err.find("disk/a.db"), std::string::npos) << r.err;
      EXPECT_TRUE(r.err.find(kFull) != std::string::npos ||
                  r.err.find("No space left on device") != std::string::npos)
          << r.err;
      EXPECT_FALSE(std::filesystem::exists(folder / "disk/a.db"));
      disk.grow(kRoom);
      succeeds("collect in --database disk/a.db");
    }
    EXPECT_TRUE(bytes("disk/a.db") == bytes("whole.db")) << room;
    EXPECT_EQ(listing(folder / "disk"), std::vector<std::string>{"a.db"}) << room;
  }
  EXPECT_GE(told, test::short_or_long(2, 10));
}

// A model whose text has 60 KB.
colmap::Model large_model() {
  colmap::Model model = sample_model();
  model.images[0].observations.resize(7000);
  return model;
}

// Files and folders of results are written as a whole or not at all.
TEST_F(FullDisk, results_are_complete_or_absent) {
  write_pictures(folder);
  make_database(folder / "a.db", 12);
  succeeds("verify a.db");
  colmap::write_model(folder / "model", large_model(), colmap::ModelFormat::text);
  struct Case {
    std::string arguments, message;
  };
  const Case cases[] = {
      {"report a.db --out disk/r.html", "disk/r.html: can't be written: No space left on device"},
      {"pair left.png right.png --out disk/p", "disk/p/"},
      {"adjust model --out disk/m --device cpu --no-refine-poses", "disk/m/"},
      {"stereo left.png right.png --max-disparity 40 --out disk/s", "disk/s/"},
  };
  for (const Case& c : cases) {
    std::vector<std::string> whole;
    for (const std::int64_t room : {std::int64_t{4}, std::int64_t{24}, std::int64_t{44}, kRoom}) {
      disk.clear(room);
      if (room < kRoom) {
        fails(c.arguments, 3, {c.message, "can't be written: No space left on device"});
        EXPECT_EQ(run(folder, c.arguments).err.find(".bifocal-"), std::string::npos);
        EXPECT_EQ(listing(folder / "disk"), std::vector<std::string>{}) << c.arguments;
        continue;
      }
      succeeds(c.arguments);
      EXPECT_FALSE(listing(folder / "disk").empty());
    }
  }
}

}  // namespace
}  // namespace bifocal::test
