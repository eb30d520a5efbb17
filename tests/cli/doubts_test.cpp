// SPDX-License-Identifier: BSD-3-Clause
// Doubts of models in JSON, in sentences and on the page, and --strict.
#include <gtest/gtest.h>
#include <bifocal/io.hpp>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/process.hpp"
#include "cli/views.hpp"
#include "mapping/doubtful_scenes.hpp"

namespace bifocal::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

TEST(CliDoubts, are_listed_printed_and_shown) {
  const TemporaryFolder folder;
  make_database(folder / "d.db", Take::overlay, 0);
  const Ran ran = run(folder, "map d.db --out m --device cpu --json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json model = json::parse(ran.out)["models"][0];
  EXPECT_EQ(model["folder"], "m/0");
  ASSERT_FALSE(model["doubts"].empty());
  const json& doubt = model["doubts"].back();
  EXPECT_EQ(doubt["kind"], "static_matches");
  EXPECT_GT(doubt["value"], doubt["limit"]);
  EXPECT_EQ(doubt["pairs"][0].size(), 2U);
  const std::string text = doubt["text"];
  const Ran printed = run(folder, "map d.db --out m --device cpu --overwrite");
  EXPECT_NE(printed.out.find("doubted: m/0: " + text + " (static_matches)\n"), std::string::npos)
      << printed.out;
}

TEST(CliDoubts, strict_writes_no_doubted_model) {
  const TemporaryFolder folder;
  make_database(folder / "d.db", Take::overlay, 0);
  const Ran ran = run(folder, "map d.db --out m --device cpu --json --strict");
  EXPECT_EQ(ran.code, 5);
  EXPECT_FALSE(fs::exists(folder / "m"));
  const json model = json::parse(ran.out)["models"][0];
  EXPECT_TRUE(model["folder"].is_null());
  EXPECT_FALSE(model["doubts"].empty());
  const Ran printed = run(folder, "map d.db --out m --device cpu --strict");
  EXPECT_EQ(printed.code, 5);
  EXPECT_NE(printed.out.find("not written: "), std::string::npos) << printed.out;
  // Without a doubt the option has no effect.
  make_database(folder / "good.db", Take::orbit, 0);
  EXPECT_EQ(run(folder, "map good.db --out g --device cpu --strict").code, 0);
  EXPECT_TRUE(fs::exists(folder / "g/0/cameras.bin"));
  // Without a new model the old ones stay.
  EXPECT_EQ(run(folder, "map d.db --out g --device cpu --strict --overwrite").code, 5);
  EXPECT_TRUE(fs::exists(folder / "g/0/cameras.bin"));
}

TEST(CliDoubts, strict_collects_and_writes_no_doubted_model) {
  const TemporaryFolder folder;
  write_views(folder / "in");
  const std::string command = "collect in/b --database b.db --model m --undistort s --device cpu ";
  const Ran ran = run(folder, command + "--strict --json");
  EXPECT_EQ(ran.code, 5) << ran.err;
  EXPECT_FALSE(fs::exists(folder / "m"));
  EXPECT_FALSE(fs::exists(folder / "s"));
  const json result = json::parse(ran.out);
  EXPECT_EQ(result["verified"], 3);
  ASSERT_EQ(result["model"]["models"].size(), 1U);
  EXPECT_TRUE(result["model"]["models"][0]["folder"].is_null());
  EXPECT_FALSE(result["model"]["models"][0]["doubts"].empty());
  EXPECT_FALSE(result["model"].contains("undistorted"));
  // Without the option the same database gets its model.
  EXPECT_EQ(run(folder, command).code, 0);
  EXPECT_TRUE(fs::exists(folder / "m/0/cameras.bin"));
}

TEST(CliDoubts, are_on_the_page) {
  const TemporaryFolder folder;
  make_database(folder / "d.db", Take::slider, 0);
  const Ran ran = run(folder, "map d.db --out m --device cpu --json");
  const json models = json::parse(ran.out)["models"];
  ASSERT_FALSE(models.empty());
  ASSERT_EQ(run(folder, "report d.db --model m --out page.html").code, 0);
  const std::string page = read_text(folder / "page.html");
  EXPECT_NE(page.find("Doubts of the models"), std::string::npos);
  EXPECT_NE(page.find(std::string(models[0]["doubts"][0]["kind"])), std::string::npos);
}

}  // namespace
}  // namespace bifocal::test
