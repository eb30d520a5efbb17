// SPDX-License-Identifier: BSD-3-Clause
// The job of a pair without a program: its files, and their cleanup.
#include <gtest/gtest.h>
#include <bifocal/error.hpp>
#include <bifocal/jobs.hpp>

#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "jobs/interrupt_guard.hpp"
#include "jobs/output_folder.hpp"
#include "support/data.hpp"

namespace bifocal::jobs {
namespace {

namespace fs = std::filesystem;

// Two photographs of one plane of noise in blocks of 4 x 4 px, 8 px apart, of 8 or 16 bits.
class PairJob : public testing::TestWithParam<int> {
 protected:
  PairJob() {
    std::mt19937 random(1);
    std::vector<std::uint8_t> blocks(90 * 60);
    for (std::uint8_t& v : blocks) v = static_cast<std::uint8_t>(random() >> 24);
    for (const int shift : {0, 8}) {
      ImageU8 image(320, 240);
      ImageU16 deep(320, 240);
      for (int y = 0; y < 240; ++y)
        for (int x = 0; x < 320; ++x) {
          image.at(x, y) = blocks[static_cast<std::size_t>((y / 4) * 90 + (x + shift) / 4)];
          deep.at(x, y) = static_cast<std::uint16_t>(257 * image.at(x, y));
        }
      const fs::path file = folder_ / (shift == 0 ? "left.png" : "right.png");
      if (GetParam() == 8)
        write_png(file, image);
      else
        write_png(file, deep);
    }
    left_ = read_photograph(folder_ / "left.png");
    right_ = read_photograph(folder_ / "right.png");
    PairOptions options;
    options.kind = ModelRequest::homography;
    result_ = estimate_pair(left_.view(), right_.view(), options);
  }

  [[nodiscard]] PairFiles files() const {
    return {left_, right_, "test", cameras_, result_, "cpu"};
  }
  [[nodiscard]] std::set<std::string> names(const fs::path& folder) const {
    std::set<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder)) all.insert(entry.path().filename());
    return all;
  }

  test::TemporaryFolder folder_;
  PairPhotograph left_, right_;
  Cameras cameras_;
  PairResult result_;
};

TEST_P(PairJob, WritesItsFilesAndReplacesThemForTheSamePhotographs) {
  EXPECT_EQ(left_.image.pixels, read_image(folder_ / "left.png").pixels);
  if (GetParam() == 8)
    EXPECT_TRUE(left_.deep.empty());
  else
    EXPECT_EQ(left_.deep.pixels, read_image_16(folder_ / "left.png").pixels);
  ASSERT_EQ(result_.outcome, Outcome::ok) << result_.reason;
  const fs::path out = folder_ / "out";
  for (int round = 0; round < 2; ++round) {
    const WrittenPair written = write_pair(files(), out, false);
    EXPECT_EQ(names(out), (std::set<std::string>{"geometry.json", "matches.txt", "report.html"}));
    EXPECT_EQ(read_text(out / "geometry.json"), written.geometry);
    EXPECT_NE(written.geometry.find("\"homography\""), std::string::npos);
    EXPECT_EQ(written.cloud_points, 0U);
  }
}

TEST_P(PairJob, KeepsFilesOfOthers) {
  const fs::path out = folder_ / "out";
  fs::create_directory(out);
  write_file(out / "cloud.ply", "mine");
  try {
    (void)write_pair(files(), out, false);
    FAIL() << "nothing thrown";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::usage);
    EXPECT_NE(std::string(e.what()).find("cloud.ply"), std::string::npos) << e.what();
  }
  EXPECT_EQ(names(out), (std::set<std::string>{"cloud.ply"}));
  EXPECT_EQ(read_text(out / "cloud.ply"), "mine");
}

INSTANTIATE_TEST_SUITE_P(Bits, PairJob, testing::Values(8, 16));

TEST(OutputFolder, IsRemovedByTheCleanUpOfAnInterrupt) {
  const test::TemporaryFolder folder;
  const fs::path out = folder / "a/b";
  OutputFolder files(out, {.names = {"x.json"}, .inputs = {}});
  write_file(files.staged("x.json"), "{}");
  {
    const auto lock = hold_interrupts();
    clean_up();
  }
  EXPECT_FALSE(fs::exists(folder / "a"));
}

TEST(OutputFolder, NamesItsArgumentInErrors) {
  try {
    const OutputFolder files("", {.names = {"x.json"}, .inputs = {}, .argument = "--out"});
    FAIL() << "nothing thrown";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "--out: the folder name is empty");
  }
}

}  // namespace
}  // namespace bifocal::jobs
