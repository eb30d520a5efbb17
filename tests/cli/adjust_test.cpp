// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/colmap/bundle_adjust.hpp>
#include <bifocal/device.hpp>

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "adjust/scene_model.hpp"
#include "adjust/scenes.hpp"
#include "cli/process.hpp"
#include "collection/sample_model.hpp"
#include "support/paths.hpp"

namespace bifocal::test {
namespace {

using colmap::Id, colmap::Model, colmap::ModelFormat, colmap::read_model, colmap::write_model;
using nlohmann::json;

// Written and read once: coordinates near 0 are rounded when their origin moves by half a pixel.
const Model& small_model() {
  static const Model model = [] {
    const TemporaryFolder folder;
    write_model(folder.path(), model_of(make_scene({.images = 8, .points = 100}).start),
                ModelFormat::binary);
    return read_model(folder.path());
  }();
  return model;
}

TEST(Cli, adjust_says_what_it_found) {
  const TemporaryFolder folder;
  write_model(folder / "in", small_model(), ModelFormat::binary);
  const Ran r = run(folder, "adjust in --out out --device cpu");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out.find("Bundle adjustment of 8 images, 1 camera and "), 0U) << r.out;
  EXPECT_NE(r.out.find(" converged after "), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("The mean reprojection error fell from "), std::string::npos) << r.out;
  EXPECT_EQ(listing(folder / "out"),
            (std::vector<std::string>{"cameras.bin", "images.bin", "points3D.bin"}));
  const Ran j =
      run(folder, "adjust in --out out --overwrite --device cpu --json --loss cauchy --threads 1");
  ASSERT_EQ(j.code, 0) << j.err;
  const json found = json::parse(j.out);
  EXPECT_EQ(found["images"], 8);
  EXPECT_EQ(found["device"], "cpu");
  EXPECT_TRUE(found["converged"]);
  EXPECT_LT(found["final_cost"], found["initial_cost"]);
  EXPECT_LT(found["final_mean_error"], 1);
  EXPECT_EQ(found["history"].size(), found["iterations"].get<std::size_t>() + 1);
}

TEST(Cli, adjust_writes_what_the_library_finds) {
  const TemporaryFolder folder;
  Model model = small_model();
  write_model(folder / "in", model, ModelFormat::text);
  ASSERT_EQ(run(folder, "adjust in --out out --device cpu").code, 0);
  (void)colmap::bundle_adjust(model);
  expect_equal(model, read_model(folder / "out"));
  EXPECT_EQ(colmap::model_format(folder / "out"), ModelFormat::text);
  // Binary files replace the text files.
  ASSERT_EQ(
      run(folder, "adjust in --out out --overwrite --device cpu --format binary --threads 2").code,
      0);
  EXPECT_EQ(listing(folder / "out"),
            (std::vector<std::string>{"cameras.bin", "images.bin", "points3D.bin"}));
  expect_equal(model, read_model(folder / "out"));
}

TEST(Cli, adjust_keeps_what_is_constant) {
  const TemporaryFolder folder;
  const Model model = small_model();
  write_model(folder / "in", model, ModelFormat::binary);
  write_file(folder / "images.txt", "image 2.jpg\r\n\nimage 5.jpg");
  write_file(folder / "points.txt", "7\n9 11\n");
  const Ran r = run(folder,
                    "adjust in --out out --device cpu --constant-cameras 1 --constant-images "
                    "images.txt --constant-points points.txt");
  ASSERT_EQ(r.code, 0) << r.err;
  const Model after = read_model(folder / "out");
  EXPECT_EQ(after.cameras[0].params, model.cameras[0].params);
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_EQ(after.images[i].cam_from_world == model.images[i].cam_from_world, i == 1 || i == 4)
        << i;
  for (const std::size_t point : {6U, 8U, 10U})
    EXPECT_EQ(after.points[point].xyz, model.points[point].xyz);
  EXPECT_NE(after.points[7].xyz, model.points[7].xyz);
  const Ran none = run(folder,
                       "adjust in --out none --device cpu --no-refine-poses "
                       "--no-refine-points --constant-cameras 1");
  ASSERT_EQ(none.code, 0) << none.err;
  EXPECT_EQ(none.out.find("Nothing was adjusted: "), 0U) << none.out;
  EXPECT_EQ(read_model(folder / "none").images, model.images);
}

TEST(Cli, adjust_says_what_constants_leave_free) {
  const TemporaryFolder folder;
  write_model(folder / "in", small_model(), ModelFormat::binary);
  write_file(folder / "image.txt", "image 2.jpg\n");
  write_file(folder / "point.txt", "7\n");
  int runs = 0;
  const auto adjusted = [&](const std::string& flags) {
    return run(folder, fmt::format("adjust in --out {} --device cpu {}", ++runs, flags));
  };
  const auto expect = [&](const std::string& flags, const std::string& words, const json& freedom) {
    const Ran text = adjusted(flags), j = adjusted(flags + " --json");
    EXPECT_EQ(text.out.find("do not determine") != std::string::npos, !words.empty()) << text.out;
    EXPECT_NE(text.out.find(words), std::string::npos) << text.out;
    EXPECT_EQ(json::parse(j.out)["freedom"], freedom) << j.out;
    EXPECT_EQ(json::parse(j.out)["undetermined"], "");
  };
  expect("", "", {{"position", 3}, {"rotation", 3}, {"scale", 1}});
  expect("--constant-images image.txt", "do not determine scale, which follows the input.",
         {{"position", 0}, {"rotation", 0}, {"scale", 1}});
  expect("--constant-points point.txt",
         "do not determine rotation and scale, which follow the input.",
         {{"position", 0}, {"rotation", 3}, {"scale", 1}});
  expect("--constant-images image.txt --constant-points point.txt", "",
         {{"position", 0}, {"rotation", 0}, {"scale", 0}});
}

TEST(Cli, adjust_names_an_image_that_is_not_determined) {
  const TemporaryFolder folder;
  Model model = small_model();
  // Image 4 keeps the observations of two points.
  int kept = 0;
  for (colmap::ModelPoint& point : model.points) {
    const auto of_image = std::ranges::find(point.track, Id{4}, &colmap::TrackElement::image_id);
    if (of_image == point.track.end() || ++kept <= 2) continue;
    model.images[3].observations[of_image->observation].point_id = colmap::kNoPoint;
    point.track.erase(of_image);
  }
  write_model(folder / "in", model, ModelFormat::binary);
  const Ran r = run(folder, "adjust in --out out --device cpu --covariance");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("There are no covariances: the observations do not determine image 4 "
                       "(image 4.jpg)."),
            std::string::npos)
      << r.out;
  EXPECT_FALSE(std::filesystem::exists(folder / "out/covariances.npz"));
}

TEST(Cli, adjust_names_a_camera_without_a_size) {
  const TemporaryFolder folder;
  write_model(folder / "in", small_model(), ModelFormat::text);
  std::string cameras = text_of(folder / "in/cameras.txt");
  cameras.replace(cameras.find(" 1000 800 "), 10, " 0 800 ");
  write_file(folder / "in/cameras.txt", cameras);
  const Ran r = run(folder, "adjust in --out out --device cpu");
  EXPECT_EQ(r.code, 3);
  EXPECT_NE(r.err.find("cameras.txt: camera 1: 0 x 800 px, must be 1 to"), std::string::npos)
      << r.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST(Cli, adjust_replaces_its_input_only_when_told) {
  const TemporaryFolder folder;
  write_model(folder / "in", small_model(), ModelFormat::binary);
  const Ran refused = run(folder, "adjust in --out ./in --device cpu");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("--out ./in: this is the input; --overwrite replaces it"),
            std::string::npos)
      << refused.err;
  expect_equal(small_model(), read_model(folder / "in"));
  ASSERT_EQ(run(folder, "adjust in --out in --overwrite --device cpu").code, 0);
  EXPECT_NE(read_model(folder / "in").points[3].xyz, small_model().points[3].xyz);
}

// B, through a link, in the other format, and a part of a model.
TEST(Cli, adjust_keeps_other_models) {
  const TemporaryFolder folder;
  write_model(folder / "A", small_model(), ModelFormat::binary);
  const auto refuses = [&](const std::string& out, const std::string& file) {
    const Ran r = run(folder, fmt::format("adjust A --out {} --device cpu", out));
    EXPECT_EQ(r.code, 2) << r.err;
    EXPECT_NE(r.err.find(file + ": exists already; choose another name or use --overwrite"),
              std::string::npos)
        << r.err;
  };
  write_model(folder / "B", sample_model(), ModelFormat::text);
  write_file(folder / "B/project.ini", "mine");
  refuses("B", "B/cameras.txt");
  std::filesystem::create_directory_symlink("B", folder / "link");
  refuses("link", "link/cameras.txt");
  std::filesystem::create_directories(folder / "part");
  std::filesystem::create_directories(folder / "numbers");
  write_file(folder / "part/images.bin", "half a model");
  refuses("part", "part/images.bin");
  write_file(folder / "numbers/covariances.npz", "numbers");
  refuses("numbers", "numbers/covariances.npz");
  expect_equal(sample_model(), read_model(folder / "B"));
  std::filesystem::create_directory_symlink("A", folder / "same");
  const Ran same = run(folder, "adjust A --out same --device cpu");
  EXPECT_EQ(same.code, 2);
  EXPECT_NE(same.err.find("--out same: this is the input"), std::string::npos) << same.err;
  ASSERT_EQ(run(folder, "adjust A --out B --overwrite --device cpu").code, 0);
  EXPECT_EQ(listing(folder / "B"),
            (std::vector<std::string>{"cameras.bin", "images.bin", "points3D.bin", "project.ini"}));
}

TEST(Cli, adjust_writes_covariances) {
  const TemporaryFolder folder;
  write_model(folder / "in", small_model(), ModelFormat::binary);
  const Ran r = run(folder, "adjust in --out out --device cpu --covariance");
  ASSERT_EQ(r.code, 0) << r.err;
  const NpzFile file(folder / "out/covariances.npz");
  using Shape = std::vector<std::int64_t>;
  EXPECT_EQ(file.read("poses").shape, (Shape{8, 6, 6}));
  EXPECT_EQ(file.read("points").shape, (Shape{100, 3, 3}));
  EXPECT_EQ(file.read("camera_1").shape, (Shape{4, 4}));
  EXPECT_EQ(file.read("image_ids").shape, (Shape{8}));
  // Observations have a standard deviation of 0.5 px.
  EXPECT_NEAR(std::get<std::vector<double>>(file.read("variance").values)[0], 0.25, 0.03);
  EXPECT_GT(std::get<std::vector<double>>(file.read("points").values)[0], 0);
  ASSERT_EQ(run(folder, "adjust in --out out --overwrite --device cpu").code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "out/covariances.npz"));
}

TEST(Cli, adjust_names_what_is_wrong) {
  const TemporaryFolder folder;
  write_model(folder / "in", small_model(), ModelFormat::binary);
  write_model(folder / "rig", sample_model(), ModelFormat::binary);
  write_file(folder / "names.txt", "image 99.jpg\n");
  std::filesystem::create_directory(folder / "empty");
  const auto fails = [&](const std::string& arguments, int code, const std::string& part) {
    const Ran r = run(folder, "adjust " + arguments);
    EXPECT_EQ(r.code, code) << arguments;
    EXPECT_NE(r.err.find(part), std::string::npos) << r.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "out")) << arguments;
  };
  fails("", 2, "MODEL");
  fails("in", 2, "--out");
  fails("none --out out", 3, "none: there is no such folder");
  fails("empty --out out", 3, "empty: has no model");
  fails("in --out names.txt", 3, "--out names.txt: can't write there");
  fails("in --out out --loss l1", 2, "--loss");
  fails("in --out out --max-iterations -1", 2, "--max-iterations");
  fails("in --out out --device cuda:99", 4, "cuda:99");
  fails("in --out out --constant-cameras 1,x", 2, "--constant-cameras: 'x' is no number");
  fails("in --out out --constant-cameras 5", 2, "camera 5 is not in the model");
  fails("in --out out --constant-images names.txt", 3,
        "names.txt: the model has no image 'image 99.jpg'");
  fails("rig --out out --device cpu", 2, "frame 1: images 10 and 11 are of one rig");
  std::filesystem::resize_file(folder / "in/images.bin", 100);
  fails("in --out out", 3, "bytes that follow can't hold them; the file is cut");
}

// A program that works for some seconds.
class LongAdjust : public testing::Test {
 protected:
  void SetUp() override {
    Model model =
        model_of(make_scene({.images = 60, .points = 4000, .model = "FULL_OPENCV"}).start);
    write_model(folder / "in", model, ModelFormat::binary);
    write_model(folder / "out", small_model(), ModelFormat::binary);
    child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      (void)!freopen((folder / ".out").c_str(), "w", stdout);
      (void)!freopen((folder / ".err").c_str(), "w", stderr);
      execl(test::kProgram, test::kProgram, "adjust", (folder / "in").c_str(), "--out",
            (folder / "out").c_str(), "--overwrite", "--device", "cpu", "--solver", "iterative",
            "--cg-tolerance", "1e-12", "--function-tolerance", "0", "--parameter-tolerance", "0",
            nullptr);
      _exit(127);
    }
    while (listing(folder / "out").size() < 4) wait(10);  // until it has its staging folder
    wait(300);
  }
  static void wait(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }
  int end_by(int signal) const {
    kill(child, signal);
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  }
  const TemporaryFolder folder;
  pid_t child = 0;
};

TEST_F(LongAdjust, keeps_the_best_model_after_an_interrupt) {
  const int status = end_by(SIGINT);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_EQ(read_model(folder / "out").images.size(), 60U);
  EXPECT_NE(text_of(folder / ".out").find("this is the best model so far"), std::string::npos);
  EXPECT_EQ(listing(folder / "out").size(), 3U);
}

TEST_F(LongAdjust, leaves_the_old_model_when_it_is_killed) {
  EXPECT_TRUE(WIFSIGNALED(end_by(SIGKILL)));
  expect_equal(small_model(), read_model(folder / "out"));
}

TEST_F(LongAdjust, leaves_the_old_model_when_it_is_told_to_end) {
  const int status = end_by(SIGTERM);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 130) << status;
  const std::string err = text_of(folder / ".err");
  EXPECT_TRUE(err.ends_with("bifocal: interrupted; nothing was written\n")) << err;
  expect_equal(small_model(), read_model(folder / "out"));
  EXPECT_EQ(listing(folder / "out").size(), 3U);
}

}  // namespace
}  // namespace bifocal::test
