// SPDX-License-Identifier: BSD-3-Clause
// `bifocal collect --device auto` keeps the device that began the work.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/process.hpp"
#include "cli/views.hpp"
#include "collection/raw_sqlite.hpp"

namespace bifocal::test {
namespace {

using nlohmann::json;

class CollectDevice : public ::testing::Test {
 protected:
  void SetUp() override { write_views(folder / "in"); }
  json collected(const std::string& options) const {
    const Ran r = run(folder, "collect in --database out.db --json " + options);
    EXPECT_EQ(r.code, 0) << r.err;
    return r.code == 0 ? json::parse(r.out) : json();
  }
  TemporaryFolder folder;
};

TEST_F(CollectDevice, IsKept) {
  const json devices = json::parse(run(folder, "devices --json").out)["devices"];
  if (devices.size() < 2) GTEST_SKIP() << "there is no device beside the CPU";
  const std::string device = devices[1]["id"];
  EXPECT_EQ(collected("--device " + device)["device"], device);
  EXPECT_EQ(collected("")["complete_before"], true);
  write_png(folder / "in/new.png", texture(100, 100, 3));
  const json more = collected("");
  EXPECT_EQ(more["images"], 7);
  EXPECT_EQ(more["device"], device);
  const Ran other = run(folder, "collect in --database out.db --device cpu");
  EXPECT_EQ(other.code, 3);
  EXPECT_NE(other.err.find("made with other options: device was "), std::string::npos) << other.err;
  for (const char* log : {"out.db-wal", "out.db-shm"})
    EXPECT_FALSE(std::filesystem::exists(folder / log)) << log;
}

TEST_F(CollectDevice, IsNamedIfItIsMissing) {
  (void)collected("--device cpu");
  RawDatabase(folder / "out.db")
      .run("UPDATE bifocal_collect SET value = 'Fast GPU' WHERE name = 'device'");
  const Ran gone = run(folder, "collect in --database out.db");
  EXPECT_EQ(gone.code, 4);
  for (const char* part : {"out.db: this run began on 'Fast GPU'", "it has cpu (", "--overwrite"})
    EXPECT_NE(gone.err.find(part), std::string::npos) << gone.err;
  EXPECT_EQ(collected("--overwrite")["complete_before"], false);
}

}  // namespace
}  // namespace bifocal::test
