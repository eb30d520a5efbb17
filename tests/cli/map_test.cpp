// SPDX-License-Identifier: BSD-3-Clause
// `bifocal map` and `bifocal collect --model`: models, undistorted images, and refused folders.
#include <gtest/gtest.h>
#include <bifocal/colmap/model.hpp>
#include <bifocal/io.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "cli/process.hpp"
#include "cli/views.hpp"
#include "io/exif_block.hpp"

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
  // Files that are none of a model stay.
  fs::create_directories(folder / "other/0");
  write_file(folder / "other/0/a.jpg", "a photograph");
  EXPECT_EQ(run(folder, "map out.db --out other --device cpu").code, 0);
  EXPECT_EQ(read_file(folder / "other/0/a.jpg"), "a photograph");
  // A gap in the numbers: the models are replaced, and the last one is removed.
  fs::remove_all(folder / "other/1");
  fs::copy(folder / "sparse/1", folder / "other/7");
  write_file(folder / "other/7/notes.txt", "mine");
  write_file(folder / "other/notes.txt", "mine");
  const Ran gap = run(folder, "map out.db --out other --device cpu");
  EXPECT_EQ(gap.code, 2);
  EXPECT_EQ(gap.out, "");
  ASSERT_EQ(run(folder, "map out.db --out other --device cpu --overwrite").code, 0);
  EXPECT_EQ(listing(folder / "other"),
            (std::vector<std::string>{"0", "0/a.jpg", "0/cameras.bin", "0/images.bin",
                                      "0/points3D.bin", "1", "1/cameras.bin", "1/images.bin",
                                      "1/points3D.bin", "7", "7/notes.txt", "notes.txt"}));
  // A file under a number.
  fs::create_directory(folder / "file");
  write_file(folder / "file/1", "no folder");
  const Ran file = run(folder, "map out.db --out file --device cpu --overwrite");
  EXPECT_EQ(file.code, 3);
  EXPECT_NE(file.err.find("file/1: is a file, not a folder"), std::string::npos) << file.err;
}

TEST_F(Map, looks_at_the_photographs_before_the_work) {
  ASSERT_EQ(collect("").code, 0);
  fs::create_directories(folder / "empty");
  fs::create_directories(folder / "half/a");
  write_png(folder / "half/a/0.png", ImageU8(200, 150, 1));
  for (const char* images : {"empty", "half"}) {
    const Ran wrong = run(folder, fmt::format("map out.db --out sparse --images {} --undistort "
                                              "scene --device cpu",
                                              images));
    EXPECT_EQ(wrong.code, 3);
    EXPECT_NE(wrong.err.find(std::string(images) + ": none of the 6 photographs can be used"),
              std::string::npos)
        << wrong.err;
    EXPECT_FALSE(fs::exists(folder / "sparse"));
    EXPECT_FALSE(fs::exists(folder / "scene"));
  }
}

// Keypoints of a program that rotates photographs by EXIF belong to other pixels than the stored
// ones. `turned` gives the stored pixels of a photograph.
void write_turned(const fs::path& folder, int orientation,
                  const std::function<ImageU8(const ImageU8&)>& turned) {
  write_views(folder);
  for (int i = 0; i < 3; ++i)
    write_file(folder / fmt::format("b/{}.jpg", i),
               with_exif(encode_jpeg(turned(view_of(2, i)), 95),
                         exif_block({.orientation = orientation})));
}

TEST_F(Map, notices_keypoints_of_rotated_photographs) {
  ASSERT_EQ(collect("").code, 0);
  const auto map_with = [&](const std::string& images) {
    fs::remove_all(folder / "sparse");
    return run(folder, fmt::format("map out.db --out sparse --images {} --device cpu", images));
  };
  const auto reversed = [](ImageU8 image) {  // upside down: orientation 3
    std::ranges::reverse(image.pixels);
    return image;
  };
  write_turned(folder / "reversed", 3, reversed);
  const Ran upside_down = map_with("reversed");
  EXPECT_EQ(upside_down.code, 3);
  EXPECT_NE(upside_down.err.find("the keypoints of 3 photographs are in upright pixels, after "
                                 "rotation by their EXIF orientation"),
            std::string::npos)
      << upside_down.err;
  EXPECT_NE(upside_down.err.find("b/0.jpg (3), b/1.jpg (3)"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "sparse"));
  write_turned(folder / "sideways", 6, [](const ImageU8& image) {
    ImageU8 out(image.height, image.width, 1);
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x) out.at(y, image.width - 1 - x) = image.at(x, y);
    return out;
  });
  const Ran sideways = map_with("sideways");
  EXPECT_EQ(sideways.code, 3);
  EXPECT_NE(sideways.err.find("b/2.jpg (6)"), std::string::npos) << sideways.err;
  // Keypoints of stored pixels, as those of collect.
  write_turned(folder / "stored", 3, [](const ImageU8& image) { return image; });
  EXPECT_EQ(map_with("stored").code, 0);
}

// Originals under the names of undistorted images: as files, in a linked folder, and as links to
// the photographs.
TEST_F(Map, keeps_originals_in_the_folder_of_undistorted_images) {
  ASSERT_EQ(collect("").code, 0);
  const auto refuses = [&](const std::string& out, const std::string& part, const char* flags) {
    const Ran ran = run(folder, fmt::format("map out.db --out sparse --images in --undistort {} "
                                            "--device cpu {}",
                                            out, flags));
    EXPECT_EQ(ran.code, 2) << ran.out;
    EXPECT_NE(ran.err.find(part), std::string::npos) << ran.err;
    EXPECT_FALSE(fs::exists(folder / "sparse"));
  };
  fs::create_directories(folder / "files/images/b");
  write_file(folder / "files/images/b/1.jpg", "an original");
  refuses("files", "files/images/b/1.jpg: exists already; choose another name or use --overwrite",
          "");
  EXPECT_EQ(read_file(folder / "files/images/b/1.jpg"), "an original");
  fs::create_directory(folder / "linked");
  fs::create_directory_symlink(folder / "in", folder / "linked/images");
  refuses("linked", "would be among the photographs", "--overwrite");
  fs::create_directories(folder / "links/images/b");
  fs::create_symlink(folder / "in/b/2.jpg", folder / "links/images/b/2.jpg");
  refuses("links", "would replace the input in/b/2.jpg", "--overwrite");
  const Ran first = run(folder,
                        "collect in --device cpu --database new.db --model sparse "
                        "--undistort files");
  EXPECT_EQ(first.code, 2);
  EXPECT_NE(first.err.find("use --overwrite-model"), std::string::npos) << first.err;
  EXPECT_FALSE(fs::exists(folder / "new.db"));
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
  for (const colmap::ModelCamera& camera : model.cameras)
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

TEST_F(Map, is_followed_by_depth) {
  const Ran ran = collect("--model sparse --dense dense --json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json result = json::parse(ran.out);
  EXPECT_EQ(result["model"]["models"].size(), 2U);
  const json& dense = result["dense"];
  EXPECT_EQ(dense["model"], "sparse/0");
  EXPECT_EQ(dense["out"], "dense");
  ASSERT_EQ(dense["images"].size(), 3U);
  for (const json& image : dense["images"])
    EXPECT_TRUE(fs::exists(folder / "dense/depth" / (image["name"].get<std::string>() + ".npz")));
  EXPECT_GT(dense["points"], 400 * 300 / 4);
  EXPECT_TRUE(dense["timings_ms"].contains("refine"));
  EXPECT_TRUE(result["seconds"].contains("dense"));
  EXPECT_TRUE(fs::exists(folder / "dense/fused.ply"));
  const std::string next = result["next"];  // the command for the page
  EXPECT_NE(next.find(" --model sparse --dense dense --out out.html"), std::string::npos) << next;
  const Ran page = run(folder, next.substr(std::string("bifocal ").size()));
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_NE(page.out.find(", 3 depth maps"), std::string::npos) << page.out;
  // Without work: the folder has depth already, or no model is asked for.
  const Ran again =
      run(folder, "collect in --device cpu --database new.db --model other --dense dense");
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(
      again.err.find("fused.ply: exists already; choose another name or use --overwrite-model"),
      std::string::npos)
      << again.err;
  const Ran alone = run(folder, "collect in --device cpu --database new.db --dense x");
  EXPECT_EQ(alone.code, 2);
  EXPECT_NE(alone.err.find("--dense requires --model"), std::string::npos) << alone.err;
  EXPECT_FALSE(fs::exists(folder / "new.db") || fs::exists(folder / "other"));
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

TEST_F(Map, writes_points_and_text) {
  ASSERT_EQ(collect("").code, 0);
  const std::string call = "map out.db --images in --device cpu --out sparse --ply points.ply ";
  const Ran ran = run(folder, call + "--format text --json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(listing(folder / "sparse/0"),
            (std::vector<std::string>{"cameras.txt", "images.txt", "points3D.txt"}));
  const json result = json::parse(ran.out);
  EXPECT_EQ(result["ply"], "points.ply");
  const colmap::Model model = colmap::read_model(folder / "sparse/0");
  const std::string header =
      fmt::format("ply\nformat binary_little_endian 1.0\nelement vertex {}\n", model.points.size());
  const std::string ply = read_file(folder / "points.ply");
  EXPECT_EQ(ply.substr(0, header.size()), header);
  // The last point: three floats and three bytes.
  const auto& last = model.points.back();
  const std::string colour(last.rgb.begin(), last.rgb.end());
  EXPECT_EQ(ply.substr(ply.size() - 3), colour);
  EXPECT_GT(*std::ranges::max_element(last.rgb), 0);
  // The file keeps the rule of --overwrite, before any work.
  fs::remove_all(folder / "sparse");
  const Ran again = run(folder, call);
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.err.find("points.ply: exists already"), std::string::npos) << again.err;
  EXPECT_FALSE(fs::exists(folder / "sparse"));
  EXPECT_EQ(run(folder, call + "--overwrite").code, 0);
  const Ran input = run(folder, "map out.db --device cpu --out other --ply out.db --overwrite");
  EXPECT_EQ(input.code, 2);
  EXPECT_NE(input.err.find("would replace the input out.db"), std::string::npos) << input.err;
  ASSERT_EQ(collect("--model text --format text").code, 0);
  EXPECT_TRUE(fs::exists(folder / "text/1/points3D.txt"));
}

TEST_F(Map, names_models_in_place_of_a_database) {
  ASSERT_EQ(collect("--model sparse").code, 0);
  for (const auto& [given, what] :
       {std::pair{"sparse", "sparse: is a folder of models, not a database"},
        {"sparse/1", "sparse/1: is a model, not a database"}}) {
    const Ran ran = run(folder, fmt::format("map {} --out other --device cpu", given));
    EXPECT_EQ(ran.code, 3);
    EXPECT_NE(ran.err.find(what), std::string::npos) << ran.err;
  }
  const Ran several = run(folder, "adjust sparse --out adjusted --device cpu");
  EXPECT_EQ(several.code, 3);
  EXPECT_NE(several.err.find("sparse: has the models 0 and 1; name one, such as sparse/0"),
            std::string::npos)
      << several.err;
  fs::remove_all(folder / "sparse/0");
  ASSERT_EQ(run(folder, "adjust sparse --out adjusted --device cpu").code, 0);
  EXPECT_TRUE(fs::exists(folder / "adjusted/cameras.bin"));
  const Ran itself = run(folder, "adjust sparse --out sparse --device cpu");
  EXPECT_EQ(itself.code, 2);
  EXPECT_NE(itself.err.find("--out sparse: this is the input"), std::string::npos) << itself.err;
  ASSERT_EQ(run(folder, "adjust sparse --out sparse --device cpu --overwrite").code, 0);
  EXPECT_EQ(listing(folder / "sparse"),
            (std::vector<std::string>{"1", "1/cameras.bin", "1/images.bin", "1/points3D.bin"}));
  const Ran page = run(folder, "report out.db --model sparse --out page.html");
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_NE(read_text(folder / "page.html").find("sparse/1"), std::string::npos);
}

TEST_F(Map, refuses_a_page_with_the_model_of_other_photographs) {
  ASSERT_EQ(collect("--model sparse").code, 0);
  colmap::Model model = colmap::read_model(folder / "sparse/0");
  for (colmap::ModelImage& image : model.images) image.name = "banana/" + image.name;
  colmap::write_model(folder / "other", model, colmap::ModelFormat::binary);
  const Ran ran = run(folder, "report out.db --model other --out page.html");
  EXPECT_EQ(ran.code, 3);
  EXPECT_NE(ran.err.find(fmt::format("other: has no image of out.db: its first image is {}, that "
                                     "of the database a/0.png",
                                     model.images.front().name)),
            std::string::npos)
      << ran.err;
  EXPECT_FALSE(fs::exists(folder / "page.html"));
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
