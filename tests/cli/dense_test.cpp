// SPDX-License-Identifier: BSD-3-Clause
// `bifocal dense`: text, JSON, files and the input that it refuses.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/interrupted.hpp"
#include "cli/process.hpp"
#include "dense/scene.hpp"

namespace bifocal::test {
namespace {

using nlohmann::json;

void write_project(const TemporaryFolder& folder) {
  const colmap::Model model =
      write_scene(folder / "photographs", {"0.png", "1.png", "2.png"}, small_camera());
  colmap::write_model(folder / "model", model, colmap::ModelFormat::binary);
}

const std::string kCall = "dense model --images photographs --device cpu --min-agreeing 1 ";

TEST(CliDense, WritesMapsAndSaysHowMuchIsKnown) {
  const TemporaryFolder folder;
  write_project(folder);
  const Ran r = run(folder, kCall + "--out o");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("depth of 3 images, known for "), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("o/fused.ply: "), std::string::npos) << r.out;
  EXPECT_EQ(listing(folder / "o"),
            (std::vector<std::string>{"cameras", "cameras/cameras.bin", "cameras/images.bin",
                                      "cameras/points3D.bin", "depth", "depth/0.png.npz",
                                      "depth/1.png.npz", "depth/2.png.npz", "fused.ply"}));
  const Ran again = run(folder, kCall + "--out o");
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.err.find("--overwrite"), std::string::npos) << again.err;
  EXPECT_EQ(run(folder, kCall + "--out o --overwrite").code, 0);
}

TEST(CliDense, JsonHasEveryImage) {
  const TemporaryFolder folder;
  write_project(folder);
  std::filesystem::remove(folder / "photographs/1.png");
  const Ran r = run(folder, kCall + "--out o --maps none --json");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(listing(folder / "o"), (std::vector<std::string>{"fused.ply"}));
  const json j = json::parse(r.out);
  EXPECT_EQ(j["model"], "model");
  EXPECT_EQ(j["out"], "o");
  EXPECT_EQ(j["device"], "cpu");
  EXPECT_EQ(j["resumed"], 0);
  ASSERT_EQ(j["images"].size(), 3U);
  EXPECT_EQ(j["images"][0]["name"], "0.png");
  EXPECT_GT(j["images"][0]["known"], 0.1);
  EXPECT_FALSE(j["images"][0].contains("reason"));
  EXPECT_EQ(j["images"][1]["reason"], "its photograph is missing");
  EXPECT_EQ(j["images"][1]["known"], 0);
  for (const char* stage : {"match", "refine", "compare"})
    EXPECT_TRUE(j["timings_ms"].contains(stage)) << j["timings_ms"];
  const std::string ply = read_file(folder / "o/fused.ply");
  EXPECT_NE(ply.find(fmt::format("element vertex {}\n", j["points"].get<int>())),
            std::string::npos);
}

TEST(CliDense, RefusedInputIsNamedAndLeavesNoFiles) {
  const TemporaryFolder folder;
  write_project(folder);
  const auto before = listing(folder.path());
  const auto fails = [&](const std::string& arguments, int code, const std::string& named) {
    const Ran r = run(folder, "dense " + arguments);
    EXPECT_EQ(r.code, code) << arguments << r.err;
    EXPECT_NE(r.err.find(named), std::string::npos) << r.err;
    EXPECT_EQ(listing(folder.path()), before) << arguments;
  };
  const std::string good = "model --images photographs --out o ";
  fails("", 2, "MODEL");
  fails("model --out o", 2, "--images");
  fails("model --images photographs", 2, "--out");
  fails(good + "--maps png", 2, "--maps");
  fails(good + "--views 0", 2, "--views");
  fails(good + "--views 17", 2, "--views");
  fails(good + "--min-agreeing x", 2, "--min-agreeing");
  fails(good + "--max-size 63", 2, "--max-size");
  fails(good + "--min-depth 5 --max-depth 4", 2, "min_depth: 5 is not below max_depth, 4");
  fails(good + "--device cpu,cpu", 2, "--device cpu,cpu: depth is computed on one device");
  fails(good + "--device cuda:77", 4, "cuda:77");
  fails("missing --images photographs --out o", 3, "missing");
  fails("model --images missing --out o", 3, "missing: is no folder of photographs");
  fails("model --images photographs --out model/cameras.bin", 3, "model/cameras.bin");
}

TEST(CliDense, AnInterruptedRunIsResumed) {
  const TemporaryFolder folder;
  write_project(folder);
  std::vector<std::string> words;
  for (const char* word : {"dense", "model", "--images", "photographs", "--out", "o", "--device",
                           "cpu", "--min-agreeing", "1"})
    words.emplace_back(word);
  for (const int signal : {SIGINT, SIGTERM})
    EXPECT_EQ(
        interrupted(
            folder.path(), words, [](pid_t child) { return has_opened(child, ".dense"); }, signal),
        "bifocal: interrupted; the same command resumes the work\n");
  EXPECT_EQ(run(folder, kCall + "--out o").code, 0);
}

// One model is taken; of several the message has the names.
TEST(CliDense, TakesTheModelInsideAFolder) {
  const TemporaryFolder folder;
  write_project(folder);
  std::filesystem::create_directory(folder / "sparse");
  std::filesystem::rename(folder / "model", folder / "sparse/0");
  const std::string call = "dense sparse --images photographs --device cpu --min-agreeing 1 ";
  const Ran one = run(folder, call + "--out o --json");
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(json::parse(one.out)["model"], "sparse/0");
  std::filesystem::copy(folder / "sparse/0", folder / "sparse/1");
  const Ran two = run(folder, call + "--out p");
  EXPECT_EQ(two.code, 3);
  EXPECT_NE(two.err.find("sparse: has the models 0 and 1; name one, such as sparse/0"),
            std::string::npos)
      << two.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "p"));
}

TEST(CliDense, NamesPhotographsOfAnotherFolder) {
  const TemporaryFolder folder;
  write_project(folder);
  std::filesystem::create_directory(folder / "others");
  write_png(folder / "others/x.png", texture(64, 48, 1));
  const Ran r = run(folder, "dense model --images others --device cpu --out o");
  EXPECT_EQ(r.code, 3);
  EXPECT_NE(r.err.find("others/0.png: is missing, as are all photographs of the model; others has "
                       "x.png"),
            std::string::npos)
      << r.err;
}

}  // namespace
}  // namespace bifocal::test
