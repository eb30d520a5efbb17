// SPDX-License-Identifier: BSD-3-Clause
// Devices with too little memory: a message with the requested and the free bytes, the documented
// exit code, and no half-written file; with enough memory the same command is resumed.
#include <gtest/gtest.h>
#include <bifocal/device.hpp>

#include <nlohmann/json.hpp>

#include "cli/pairs_database.hpp"
#include "cli/process.hpp"
#include "support/long_tests.hpp"

namespace bifocal::test {
namespace {

class FullDevice : public testing::Test {
 protected:
  void SetUp() override {
    for (const DeviceInfo& info : list_devices())
      if (info.kind != DeviceKind::cpu && device.empty()) device = info.id;  // CUDA before OpenCL
    if (device.empty()) GTEST_SKIP() << "no CUDA or OpenCL device";
  }
  void TearDown() override { unsetenv("BIFOCAL_DEVICE_MEMORY"); }
  Ran run_with(const char* memory, const std::string& arguments) {
    setenv("BIFOCAL_DEVICE_MEMORY", memory, 1);
    Ran r = run(folder, arguments + " --device " + device);
    unsetenv("BIFOCAL_DEVICE_MEMORY");
    return r;
  }
  void succeeds(const std::string& arguments) {
    const Ran r = run(folder, arguments + " --device " + device);
    EXPECT_EQ(r.code, 0) << arguments << ": " << r.err;
  }
  void expect_told(const Ran& r, int code) {
    EXPECT_EQ(r.code, code) << r.err;
    for (const std::string& part : {device, std::string("out of memory: "), std::string(" free")})
      EXPECT_NE(r.err.find(part), std::string::npos) << r.err;
  }

  TemporaryFolder folder;
  std::string device;
};

TEST_F(FullDevice, verify_reports_it_and_resumes) {
  make_database(folder / "clean.db", 30);
  std::filesystem::copy_file(folder / "clean.db", folder / "whole.db");
  succeeds("verify whole.db");
  std::filesystem::copy_file(folder / "clean.db", folder / "a.db");
  // Memory runs out at once, or while copies are in flight. Limits are repeated, because a run may
  // end before its copies do.
  for (const char* memory : test::short_or_long<std::vector<const char*>>(
           {"64K", "2M", "4M"}, {"64K", "1M", "2M", "3M", "4M", "6M", "1M", "2M", "3M", "4M"})) {
    const Ran r = run_with(memory, "verify a.db");
    if (std::string(memory) == "64K" || r.code != 0) expect_told(r, 4);
    const std::size_t rows = colmap::Database(folder / "a.db").geometry_rows().size();
    EXPECT_TRUE(rows == 0 || rows == 435) << rows;
  }
  succeeds("verify a.db");
  EXPECT_TRUE(read_file(folder / "a.db") == read_file(folder / "whole.db"));
}

TEST_F(FullDevice, shards_ask_to_be_tried_again) {
  make_database(folder / "part.db", 20);
  std::filesystem::copy_file(folder / "part.db", folder / "whole.db");
  succeeds("verify whole.db");
  ASSERT_EQ(run(folder, "plan part.db --out plan --pairs-per-shard 100").code, 0);
  const Ran one = run_with("64K", "run-shard plan 0 --json");
  expect_told(one, 75);
  const nlohmann::json said = nlohmann::json::parse(one.out);
  EXPECT_EQ(said["code"], 75);
  EXPECT_NE(said["reason"].get<std::string>().find("out of memory"), std::string::npos);
  EXPECT_EQ(listing(folder / "plan"),
            (std::vector<std::string>{"plan.json", "shard-0.pairs", "shard-1.pairs"}));
  for (const char* k : {"0", "1"}) succeeds(std::string("run-shard plan ") + k);
  EXPECT_EQ(run(folder, "merge plan").code, 0);
  EXPECT_TRUE(read_file(folder / "part.db") == read_file(folder / "whole.db"));
}

TEST_F(FullDevice, collect_reports_it_and_resumes) {
  std::filesystem::create_directory(folder / "in");
  for (int k = 0; k < 2; ++k)
    write_png(folder / fmt::format("in/{}.png", k),
              warp(texture(400, 300, 1), {1, 0, 8.0 * k, 0, 1, 3.0 * k, 0, 0, 1}, 400, 300));
  succeeds("collect in --database whole.db");
  for (const char* memory : {"64K", "2M", "8M"}) {
    const Ran r = run_with(memory, "collect in --database a.db");
    if (std::string(memory) == "64K" || r.code != 0) expect_told(r, 4);
  }
  succeeds("collect in --database a.db");
  EXPECT_TRUE(read_file(folder / "a.db") == read_file(folder / "whole.db"));
}

TEST_F(FullDevice, pair_and_stereo_leave_no_files) {
  write_pictures(folder);
  const std::vector<std::string> before = listing(folder.path());
  for (const char* arguments :
       {"pair left.png right.png --out p", "stereo left.png right.png --max-disparity 40 --out s",
        "stereo left.png right.png --max-disparity 40 --method ssd --out s"}) {
    const Ran r = run_with("64K", arguments);
    EXPECT_EQ(r.code, 4) << arguments << r.err;
    EXPECT_NE(r.err.find(device), std::string::npos) << r.err;
    EXPECT_TRUE(r.err.find(" free") != std::string::npos ||
                r.err.find("bytes on " + device + ", of which 52428 may be taken") !=
                    std::string::npos)
        << r.err;
    EXPECT_EQ(listing(folder.path()), before);
  }
}

// All scale-space levels of such an image take 96 MB; processed in bands they take 19 MB or more.
TEST_F(FullDevice, images_processed_in_bands_have_the_same_matches) {
  const ImageU8 scene = texture(900, 700, 1);
  write_png(folder / "left.png", scene);
  write_png(folder / "right.png", warp(scene, {1, 0.02, 5, -0.01, 1, 9, 0, 0, 1}, 900, 700));
  const std::string pair = "pair left.png right.png --kind homography --out ";
  succeeds(pair + "whole");
  for (const char* memory :
       test::short_or_long<std::vector<const char*>>({"60M"}, {"90M", "60M"})) {
    const Ran r = run_with(memory, pair + memory);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(read_file(folder / memory / "matches.txt") ==
                read_file(folder / "whole" / "matches.txt"))
        << memory;
  }
}

TEST_F(FullDevice, invalid_limits_are_refused) {
  for (const char* memory : {"x", "-3", "0", "5T", "12345678901234567890", "3 M"}) {
    const Ran r = run_with(memory, "stereo none.png none.png --max-disparity 4 --out s");
    EXPECT_EQ(r.code, 2) << memory << r.err;
    EXPECT_NE(r.err.find(fmt::format("BIFOCAL_DEVICE_MEMORY = '{}', must be", memory)),
              std::string::npos)
        << r.err;
  }
}

}  // namespace
}  // namespace bifocal::test
