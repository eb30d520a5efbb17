// SPDX-License-Identifier: BSD-3-Clause
// Plans, lists and results of shards with correct checksums but arbitrary contents, as anybody
// could write them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bifocal/colmap/verify.hpp>
#include <bit>
#include <bifocal/io.hpp>
#include <cstring>

#include "cli/pairs_database.hpp"
#include "collection/shards/result_file.hpp"
#include "io/expect.hpp"
#include "support/data.hpp"

namespace bifocal::test {
namespace {

class ShardFiles : public testing::Test {
 protected:
  void SetUp() override {
    make_database(folder / "part.db", 12);
    plan = colmap::plan_shards(folder / "part.db", folder / "plan", {.pairs_per_shard = 20});
    ASSERT_EQ(plan.shards(), 4);
  }
  void run_all() const {
    for (int k = 0; k < plan.shards(); ++k)
      ASSERT_EQ(colmap::run_shard(DeviceSet("cpu"), plan, k, {}).end, colmap::ShardEnd::done);
  }
  void merge() const { (void)colmap::merge_shards(colmap::read_plan(folder / "plan"), {}); }

  TemporaryFolder folder;
  colmap::Plan plan;
};

TEST_F(ShardFiles, ResultsOutsideTheListAreRefused) {
  run_all();
  const std::filesystem::path file = folder / "plan/shard-2.result";
  const std::string whole = read_file(file), database = read_file(folder / "part.db");
  constexpr std::size_t kSum = 8;
  // Finds the first row with inliers; rows begin after the file header.
  std::size_t at = 56;
  std::uint32_t row[6] = {};  // image1 image2 configuration known matches inliers
  for (; row[5] == 0; at += 24 + 8 * std::size_t{row[5]}) {
    std::memcpy(row, whole.data() + at, sizeof row);
    if (row[5] > 0) break;
    at += 8 * (9 * static_cast<std::size_t>(std::popcount(row[3] & 7U)) + (row[3] & 8U ? 12 : 0));
  }
  const auto place = [&](std::size_t k) { return at + 4 * k; };
  const auto changed = [&](std::size_t where, std::uint32_t value, const std::string& why) {
    std::string bytes = whole.substr(0, whole.size() - kSum);
    std::memcpy(bytes.data() + where, &value, sizeof value);
    const std::uint64_t sum = colmap::checksum_of(bytes);
    write_file(file, bytes + std::string(reinterpret_cast<const char*>(&sum), kSum));
    expect_error([&] { merge(); }, "1 of 4 shards are not done:\n  shard 2 " + why);
    EXPECT_TRUE(read_file(folder / "part.db") == database) << why;
  };
  changed(place(0), row[0] + 1, "has 30 matches of images");
  changed(place(1), 0, "has 30 matches of images");
  changed(place(4), 29, "has 29 matches of images");
  changed(place(2), 10, "is damaged: images");
  changed(place(3), 16, "is damaged: images");
  changed(place(5), 31, "is damaged: images");
  changed(place(6), 4000000, "is damaged: a match of keypoints 4000000 and ");
  changed(place(6) + 8 * std::size_t{row[5]} + 4, 0x7ff80000,
          "is damaged: the geometry of images");  // a NaN
  // Rows of another shard under this shard's name.
  std::string other = read_file(folder / "plan/shard-1.result");
  std::memcpy(other.data() + 12, whole.data() + 12, 4);
  const std::uint64_t sum =
      colmap::checksum_of(std::string_view(other).substr(0, other.size() - kSum));
  std::memcpy(other.data() + other.size() - kSum, &sum, kSum);
  write_file(file, other);
  expect_error([&] { merge(); }, "shard 2 has 30 matches of images");
  // A file larger than any result of this shard is not read.
  std::filesystem::resize_file(file, std::uintmax_t{1} << 32);
  expect_error([&] { merge(); }, "has 4294967296 bytes, more than the ");
  write_file(file, whole);
  EXPECT_NO_THROW(merge());
  EXPECT_FALSE(read_file(folder / "part.db") == database);
}

TEST_F(ShardFiles, APoseThatIsNoRotationIsLeftOutByName) {
  run_all();
  colmap::ShardContent content = colmap::read_result(plan, 1);
  std::filesystem::remove(colmap::result_file(plan, 1));
  const auto wrong = std::ranges::find_if(content.rows, [](const colmap::ShardRow& row) {
    return row.geometry.cam2_from_cam1.has_value();
  });
  ASSERT_NE(wrong, content.rows.end());
  for (double& v : wrong->geometry.cam2_from_cam1->R) v *= 2;
  {
    colmap::ResultWriter out(plan, 1, content.rows.size());
    for (const colmap::ShardRow& row : content.rows) out.add(row);
    out.commit();
  }
  const auto [image1, image2] = wrong->pair;
  const colmap::VerifyProgress done = colmap::merge_shards(plan, {});
  EXPECT_EQ(done.done, 66);
  EXPECT_EQ(done.left_out, 0);
  ASSERT_EQ(done.odd_rows.size(), 1U);
  EXPECT_EQ(done.odd_rows[0].row, fmt::format("images i{} and i{}", image1, image2));
  EXPECT_EQ(done.odd_rows[0].reason.find("R of its pose is no rotation: "), 0U);
  EXPECT_EQ(done.odd_rows[0].use, colmap::RowUse::without_pose);
  const colmap::Database database(folder / "part.db");
  EXPECT_EQ(database.geometry_rows().size(), 66U);
  EXPECT_FALSE(database.geometry(image1, image2)->cam2_from_cam1);
  EXPECT_EQ(database.geometry(image1, image2)->inliers, wrong->geometry.inliers);
}

// Numbers are range-checked before use, even if the hash is correct.
TEST_F(ShardFiles, NumbersOfAPlanAreWithinTheirRanges) {
  const std::filesystem::path file = folder / "plan/plan.json";
  const std::string whole = read_file(file);
  const auto changed = [&](const std::string& name, const std::string& value,
                           const std::string& why) {
    const std::size_t at = whole.find("\"" + name + "\": ");
    ASSERT_NE(at, std::string::npos) << name;
    const std::size_t first = at + name.size() + 4, end = whole.find_first_of(",\n", first);
    write_file(file, whole.substr(0, first) + value + whole.substr(end));
    expect_error([&] { (void)colmap::read_plan(folder / "plan"); }, "plan.json: " + why);
  };
  changed("pairs", "9223372036854775807", "pairs is 9223372036854775807, must be a whole number");
  changed("pairs", "4611686018427387904", "is damaged or was changed: 4 lists");
  changed("pairs", "-1", "pairs is -1");
  changed("pairs", "66.0", "pairs is 66.0");
  changed("pairs_per_shard", "0", "pairs_per_shard is 0");
  changed("pairs_per_shard", "18446744073709551616", "pairs_per_shard is 1.8446744073709552e+19");
  changed("matches", "1e300", "matches is 1e+300");
  changed("verified_before", "true", "verified_before is true");
  changed("overwrite", "1", "overwrite is 1, must be true or false");
  changed("threshold", "-1", "threshold is -1");
  changed("threshold", "1e999", "is no plan: ");
  changed("min_inliers", "2147483648", "min_inliers is 2147483648");
  changed("min_inliers", "16", "is damaged or was changed: its hash differs");
  changed("seed", "-3", "seed is -3");
  changed("views", "\"x\"", "views is \"x\", must be of 32 hexadecimal digits");
  changed("lists", "[[[[[[", "is no plan: lists in lists");
  changed("database", "\"\"", "database is ");
  write_file(file, whole);
  EXPECT_EQ(colmap::read_plan(folder / "plan").hash, plan.hash);
}

TEST_F(ShardFiles, LinesOfAListAreChecked) {
  const auto refused = [](const std::string& text, std::int64_t count, const std::string& why) {
    expect_error([&] { (void)colmap::parse_list(text, count, "l"); }, "l: " + why);
  };
  EXPECT_EQ(colmap::parse_list("1 2 30\n1 3 4294967295\n", 2, "l")[1].matches, 4294967295);
  refused("1 2 30\n", 2, "has 1 pairs, planned are 2");
  refused("1 2 30\n1 3 30", 2, "line 2: must be two images");
  refused("1 2 30\n1 2 30\n", 2, "line 2");
  refused("1 3 30\n1 2 30\n", 2, "line 2");
  for (const char* line : {"2 1 30\n", "1 1 30\n", "-1 2 30\n", "1 2 -1\n", "1 2 4294967296\n",
                           "1 2147483647 3\n", "1 2\n", "1 2 ", "1", " 1 2 3\n", "\n", "1  2 3\n"})
    refused(line, 1, "line 1");
}

}  // namespace
}  // namespace bifocal::test
