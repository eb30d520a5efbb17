// SPDX-License-Identifier: BSD-3-Clause
// `bifocal map` and `bifocal collect --model`: models, undistorted images, and refused folders.
#include <gtest/gtest.h>
#include <bifocal/colmap/model.hpp>
#include <bifocal/io.hpp>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/process.hpp"
#include "cli/views.hpp"

namespace bifocal::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Map : public ::testing::Test {
 protected:
  void SetUp() override { write_views(folder / "in"); }
  [[nodiscard]] Ran collect(const std::string& options) const {
    return run(folder, "collect in --device cpu --database out.db " + options);
  }
  TemporaryFolder folder;
};

TEST_F(Map, makes_a_model_of_each_scene) {
  ASSERT_EQ(collect("").code, 0);
  const Ran ran = run(folder, "map out.db --out sparse --images in --device cpu");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("sparse/0: 3 images"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("sparse/1: 3 images"), std::string::npos) << ran.out;
  const Ran again = run(folder, "map out.db --out sparse --device cpu");
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.err.find("sparse/0: there is a model already"), std::string::npos) << again.err;
  EXPECT_NE(again.err.find("use --overwrite"), std::string::npos) << again.err;
  // A folder that is no model is noticed before the work.
  std::filesystem::create_directories(folder / "other/0");
  write_file(folder / "other/0/a.jpg", "a photograph");
  const Ran other = run(folder, "map out.db --out other --device cpu");
  EXPECT_EQ(other.code, 3);
  EXPECT_NE(other.err.find("other/0: is there, but is no model"), std::string::npos) << other.err;
  EXPECT_EQ(other.out, "");
  EXPECT_EQ(run(folder, "map out.db --out sparse --device cpu --overwrite").code, 0);
}

TEST_F(Map, undistorts_the_images_of_the_first_model) {
  ASSERT_EQ(collect("").code, 0);
  const Ran ran =
      run(folder, "map out.db --out sparse --images in --undistort scene --json --device cpu");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json result = json::parse(ran.out);
  EXPECT_EQ(result["models"].size(), 2U);
  EXPECT_EQ(result["undistorted"]["images"], 3);
  EXPECT_TRUE(result["undistorted"]["left_out"].empty());
  EXPECT_TRUE(result["timings_ms"].contains("undistort"));
  const colmap::Model model = colmap::read_model(folder / "scene/sparse/0");
  for (const colmap::Camera& camera : model.cameras)
    EXPECT_EQ(colmap::model_name(camera.model), "PINHOLE");
  for (const colmap::ModelImage& image : model.images)
    EXPECT_EQ(read_image(folder / "scene/images" / image.name).width, model.cameras[0].width);
}

TEST_F(Map, follows_collect) {
  const Ran ran = collect("--model sparse --undistort scene");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("verified"), std::string::npos);
  EXPECT_NE(ran.out.find("sparse/0: 3 images"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("scene: 3 undistorted images and their model, of sparse/0 only"),
            std::string::npos)
      << ran.out;
  const Ran again = collect("--model sparse");
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.err.find("use --overwrite-model"), std::string::npos) << again.err;
  const Ran replaced = collect("--model sparse --overwrite-model --json");
  ASSERT_EQ(replaced.code, 0) << replaced.err;
  const json result = json::parse(replaced.out);
  EXPECT_EQ(result["complete_before"], true);
  EXPECT_EQ(result["model"]["models"].size(), 2U);
}

TEST_F(Map, is_shown_on_the_page_of_the_collection) {
  ASSERT_EQ(collect("--model sparse").code, 0);
  const Ran ran = run(folder, "report out.db --model sparse --out page.html");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const std::string page = read_text(folder / "page.html");
  EXPECT_NE(page.find("<h2>Sparse models</h2>"), std::string::npos);
  EXPECT_NE(page.find("sparse/1</td><td>3 images"), std::string::npos);
  std::size_t cameras = 0;
  for (std::size_t at = 0; (at = page.find("class=\"camera\"", at)) != std::string::npos; ++at)
    ++cameras;
  EXPECT_EQ(cameras, 12U);  // of two models, from above and from the side
  const Ran one = run(folder, "report out.db --model sparse/1 --out page.html");
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_NE(read_text(folder / "page.html").find("<h2>Sparse model</h2>"), std::string::npos);
  const Ran none = run(folder, "report out.db --model in --out other.html");
  EXPECT_EQ(none.code, 3);
  EXPECT_NE(none.err.find("in: has no model"), std::string::npos) << none.err;
  EXPECT_FALSE(fs::exists(folder / "other.html"));
}

TEST_F(Map, refuses_folders_before_any_work) {
  fs::create_directories(folder / "scene");
  fs::rename(folder / "in", folder / "scene/images");
  const Ran among = run(folder,
                        "collect scene/images --device cpu --database out.db --model sparse "
                        "--undistort scene");
  EXPECT_EQ(among.code, 2);
  EXPECT_NE(among.err.find("would be among the photographs"), std::string::npos) << among.err;
  EXPECT_FALSE(fs::exists(folder / "out.db"));
  const Ran alone =
      run(folder, "collect scene/images --device cpu --database out.db --undistort x");
  EXPECT_EQ(alone.code, 2);
  EXPECT_NE(alone.err.find("--undistort requires --model"), std::string::npos) << alone.err;
  write_file(folder / "file", "no folder");
  const Ran file = run(folder, "collect scene/images --device cpu --database out.db --model file");
  EXPECT_EQ(file.code, 3);
  EXPECT_NE(file.err.find("file: is a file"), std::string::npos) << file.err;
  EXPECT_FALSE(fs::exists(folder / "out.db"));
  const Ran needed = run(folder, "map none.db --out sparse --undistort x");
  EXPECT_EQ(needed.code, 2);
  EXPECT_NE(needed.err.find("--undistort requires --images"), std::string::npos) << needed.err;
  const Ran missing = run(folder, "map none.db --out sparse --images nowhere --undistort x");
  EXPECT_EQ(missing.code, 3);
  EXPECT_NE(missing.err.find("nowhere: is no folder of photographs"), std::string::npos)
      << missing.err;
}

TEST_F(Map, says_that_a_database_has_no_model) {
  fs::remove_all(folder / "in/a");
  fs::remove(folder / "in/b/2.jpg");
  const Ran ran = collect("--model sparse");
  EXPECT_EQ(ran.code, 5) << ran.err;
  EXPECT_NE(ran.out.find("no model was found"), std::string::npos) << ran.out;
  EXPECT_FALSE(fs::exists(folder / "sparse"));
}

}  // namespace
}  // namespace bifocal::test
