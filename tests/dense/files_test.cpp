// SPDX-License-Identifier: BSD-3-Clause
// Depth maps and clouds of models as files.
#include <gtest/gtest.h>
#include <bifocal/colmap/model.hpp>
#include <bifocal/dense.hpp>
#include <bifocal/io.hpp>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "dense/scene.hpp"
#include "io/expect.hpp"
#include "support/data.hpp"

namespace bifocal::test {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string>& names() {
  static const std::vector<std::string> all = {"east/0.png", "east/1.png", "2.png", "3.png"};
  return all;
}

// A model with its photographs in a folder.
struct Project {
  TemporaryFolder folder;
  colmap::Model model;

  explicit Project(const colmap::ModelCamera& camera = small_camera()) {
    model = write_scene(folder / "photographs", names(), camera);
    write();
  }
  void write() const {
    colmap::write_model(folder / "model", model, colmap::ModelFormat::binary, true);
  }
  [[nodiscard]] DenseFiles files(const std::string& out = "out") const {
    return {.model = folder / "model", .photographs = folder / "photographs", .out = folder / out};
  }
};

WrittenDense dense(const DenseFiles& files) {
  Queue queue;
  return dense_model(queue, files);
}

// The bytes of all files outside of the hidden folder of unfinished work.
std::map<std::string, std::string> visible_bytes_of(const fs::path& folder) {
  std::map<std::string, std::string> bytes = bytes_of(folder);
  std::erase_if(bytes, [](const auto& file) { return file.first.starts_with(".dense/"); });
  return bytes;
}

// The project, its output in `out` and the result. Tests do not change it.
struct Finished {
  Project project;
  WrittenDense written = dense(project.files());
};
const Finished& finished() {
  static const Finished once;
  return once;
}

TEST(DenseFiles, HaveMapsCamerasAndACloud) {
  const auto& [project, written] = finished();
  std::vector<std::string> found;
  for (const auto& [name, bytes] : bytes_of(project.folder / "out")) found.push_back(name);
  EXPECT_EQ(found, (std::vector<std::string>{"cameras/cameras.bin", "cameras/images.bin",
                                             "cameras/points3D.bin", "depth/2.png.npz",
                                             "depth/3.png.npz", "depth/east/0.png.npz",
                                             "depth/east/1.png.npz", "fused.ply"}));
  EXPECT_FALSE(fs::exists(project.folder / "out/.dense"));
  ASSERT_EQ(written.images.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(written.images[i].name, names()[i]);
    EXPECT_EQ(written.images[i].reason, "");
    EXPECT_GT(written.images[i].known, 0.3);
    EXPECT_LE(written.images[i].known, 1);
  }
  EXPECT_EQ(written.resumed, 0);
  const colmap::Model cameras = colmap::read_model(project.folder / "out/cameras");
  ASSERT_EQ(cameras.images.size(), 4U);
  EXPECT_TRUE(cameras.points.empty());
  EXPECT_EQ(cameras.cameras[0].params, project.model.cameras[0].params);
}

TEST(DenseFiles, MapsHaveTheirTypesAndTheValuesOfDenseDepth) {
  const auto& [project, written] = finished();
  for (std::size_t i = 0; i < 4; ++i) {
    const NpzFile file(project.folder / "out/depth" / (names()[i] + ".npz"));
    EXPECT_EQ(describe(file.read("depth")), "float32 [54, 72]");
    EXPECT_EQ(describe(file.read("deviation")), "float16 [54, 72]");
    EXPECT_EQ(describe(file.read("normal")), "int8 [54, 72, 3]");
    EXPECT_EQ(describe(file.read("views")), "uint8 [54, 72]");
    const auto depth = std::get<std::vector<float>>(file.read("depth").values);
    const auto deviation = std::get<std::vector<Float16>>(file.read("deviation").values);
    const auto normal = std::get<std::vector<std::int8_t>>(file.read("normal").values);
    const auto views = std::get<std::vector<std::byte>>(file.read("views").values);
    int known = 0;
    for (std::size_t k = 0; k < depth.size(); ++k) {
      const bool is_known = views[k] != std::byte{0};
      known += is_known;
      EXPECT_EQ(is_known, depth[k] > 0);
      EXPECT_EQ(is_known, float(deviation[k]) > 0);
      const bool has_normal =
          normal[3 * k] != 0 || normal[3 * k + 1] != 0 || normal[3 * k + 2] != 0;
      EXPECT_EQ(is_known, has_normal);
    }
    EXPECT_EQ(written.images[i].known, known / (72 * 54.0));
  }
}

TEST(DenseFiles, TheHeaderOfTheCloudCountsItsPoints) {
  const auto& [project, written] = finished();
  const std::string ply = read_file(project.folder / "out/fused.ply");
  const std::string end = "end_header\n";
  const std::size_t body = ply.find(end) + end.size();
  EXPECT_NE(ply.find("\nelement vertex " + std::to_string(written.points) + "\n"),
            std::string::npos);
  EXPECT_EQ(ply.size() - body, 32U * std::size_t(written.points));
  EXPECT_GT(written.points, 1000);
}

TEST(DenseFiles, WithoutMapsTheCloudIsTheSame) {
  const auto& [project, written] = finished();
  DenseFiles files = project.files("cloud");
  files.maps = DenseMaps::none;
  EXPECT_EQ(dense(files).points, written.points);
  const auto found = bytes_of(project.folder / "cloud");
  EXPECT_EQ(found.size(), 1U);
  EXPECT_EQ(found.at("fused.ply"), read_file(project.folder / "out/fused.ply"));
}

// A map as COLMAP's scripts read it: width&height&channels& and float32, channel after channel.
struct Workspace {
  int width = 0, height = 0, channels = 0;
  std::vector<float> values;
};
Workspace read_workspace(const fs::path& file) {
  const std::string bytes = read_file(file);
  Workspace map;
  std::size_t at = 0;
  for (int* value : {&map.width, &map.height, &map.channels}) {
    const std::size_t end = bytes.find('&', at);
    *value = std::stoi(bytes.substr(at, end - at));
    at = end + 1;
  }
  map.values.resize((bytes.size() - at) / sizeof(float));
  std::memcpy(map.values.data(), bytes.data() + at, map.values.size() * sizeof(float));
  return map;
}

TEST(DenseFiles, AWorkspaceOfColmapHasTheSameDepthsAndNormals) {
  const auto& [project, written] = finished();
  DenseFiles files = project.files("workspace");
  files.maps = DenseMaps::colmap;
  EXPECT_EQ(dense(files).points, written.points);
  const fs::path stereo = files.out / "stereo";
  EXPECT_EQ(read_file(stereo / "fusion.cfg"), "east/0.png\neast/1.png\n2.png\n3.png\n");
  for (const std::string& name : names()) {
    const NpzFile npz(project.folder / "out/depth" / (name + ".npz"));
    const auto depth = std::get<std::vector<float>>(npz.read("depth").values);
    const auto normal = std::get<std::vector<std::int8_t>>(npz.read("normal").values);
    const Workspace depths = read_workspace(stereo / "depth_maps" / (name + ".geometric.bin")),
                    normals = read_workspace(stereo / "normal_maps" / (name + ".geometric.bin"));
    ASSERT_EQ(depths.channels, 1);
    ASSERT_EQ(normals.channels, 3);
    ASSERT_EQ(depths.values.size(), depth.size());
    ASSERT_EQ(normals.values.size(), normal.size());
    EXPECT_EQ(std::size_t(depths.width * depths.height), depth.size());
    for (std::size_t i = 0; i < depth.size(); ++i) {
      ASSERT_EQ(depths.values[i], std::isnan(depth[i]) ? 0 : depth[i]);
      for (std::size_t c = 0; c < 3; ++c)
        ASSERT_NEAR(normals.values[c * depth.size() + i], normal[3 * i + c] / 127.0, 0.01);
    }
    EXPECT_EQ(read_image(files.out / "images" / name).width, depths.width);
  }
  // COLMAP chooses neighbours by the points.
  const colmap::Model sparse = colmap::read_model(files.out / "sparse");
  EXPECT_EQ(sparse.points, project.model.points);
  EXPECT_FALSE(fs::exists(files.out / "depth"));
}

// Cancels a run after `calls` calls of its progress.
void interrupt(const DenseFiles& files, int calls) {
  DenseFiles stopped = files;
  int called = 0;
  stopped.dense.progress = [&](const DenseProgress&) {
    if (++called >= calls) throw Cancelled();
  };
  EXPECT_THROW((void)dense(stopped), Cancelled);
}

TEST(DenseFiles, AnInterruptedRunIsResumedToTheSameBytes) {
  const auto& [project, written] = finished();
  const auto expected = bytes_of(project.folder / "out");
  // 4 calls in each of the stages match, refine and agree.
  for (const auto& [calls, resumed] : {std::pair{2, 2}, {6, 4}, {11, 4}}) {
    const DenseFiles files = project.files("resumed" + std::to_string(calls));
    interrupt(files, calls);
    EXPECT_TRUE(visible_bytes_of(files.out).empty()) << calls;
    const WrittenDense again = dense(files);
    EXPECT_EQ(again.resumed, resumed) << calls;
    EXPECT_EQ(again.points, written.points) << calls;
    EXPECT_EQ(bytes_of(files.out), expected) << calls;
  }
}

TEST(DenseFiles, WorkWithOtherOptionsIsNotResumed) {
  const auto& [project, written] = finished();
  DenseFiles files = project.files("other");
  interrupt(files, 6);
  files.dense.views = 1, files.dense.min_agreeing = 1;
  EXPECT_EQ(dense(files).resumed, 0);
  EXPECT_FALSE(fs::exists(files.out / ".dense"));
}

TEST(DenseFiles, ImagesOfTwoSizesAreResumedToTheSameBytes) {
  Project project;
  colmap::ModelCamera& narrow = project.model.cameras.emplace_back(small_camera());
  narrow.id = 2, narrow.width = 40;
  const LensCamera lens("PINHOLE", narrow.params, 40, 54);
  for (const unsigned i : {1U, 3U}) {
    project.model.images[i].camera_id = narrow.id;
    write_png(project.folder / "photographs" / names()[i], render(lens, scene_poses(4)[i], i).grey);
  }
  project.write();
  EXPECT_GT(dense(project.files()).points, 500);
  for (const int calls : {1, 2, 6}) {
    const DenseFiles files = project.files("stopped" + std::to_string(calls));
    interrupt(files, calls);
    EXPECT_GT(dense(files).resumed, 0);
    EXPECT_TRUE(bytes_of(files.out) == bytes_of(project.folder / "out")) << calls;
  }
}

TEST(DenseFiles, WorkOfAnotherLensIsNotResumed) {
  colmap::ModelCamera camera = small_camera();
  camera.model = colmap::model_number("SIMPLE_RADIAL"), camera.params = {66, 35.5, 26.5, -0.001};
  Project project(camera);
  interrupt(project.files(), 1);
  project.model.cameras[0].params[3] = -0.0011;  // the undistorted camera stays the same
  project.write();
  EXPECT_EQ(dense(project.files()).resumed, 0);
}

TEST(DenseFiles, AreReplacedOnlyOnRequest) {
  const Project project;
  DenseFiles files = project.files();
  files.dense.views = 1, files.dense.min_agreeing = 1;
  const auto expect_refused = [&](const std::string& file) {
    fs::create_directories((files.out / file).parent_path());
    write_file(files.out / file, "kept");
    const auto before = bytes_of(files.out);
    expect_error([&] { (void)dense(files); }, file, ErrorCode::usage);
    EXPECT_EQ(bytes_of(files.out), before);
    fs::remove_all(files.out);
  };
  expect_refused("fused.ply");
  expect_refused("depth/east/1.png.npz");
  const auto before = bytes_of(project.folder.path());
  fs::create_directories(files.out / "cameras");
  write_file(files.out / "cameras/cameras.txt", "kept");
  expect_error([&] { (void)dense(files); }, "cameras: there is a model already", ErrorCode::usage);
  // A text model does not stay next to the new binary model.
  write_file(files.out / "cameras/rigs.bin", "old");
  write_file(files.out / "fused.ply", "old");
  files.overwrite = true;
  (void)dense(files);
  EXPECT_FALSE(fs::exists(files.out / "cameras/cameras.txt"));
  EXPECT_FALSE(fs::exists(files.out / "cameras/rigs.bin"));
  EXPECT_GT(fs::file_size(files.out / "fused.ply"), 1000U);
  EXPECT_EQ(colmap::read_model(files.out / "cameras").images.size(), 4U);
  for (const auto& [name, bytes] : before)
    EXPECT_EQ(read_file(project.folder / name), bytes) << name;
}

TEST(DenseFiles, TheModelItselfIsNotReplaced) {
  const Project project;
  DenseFiles files = project.files();
  fs::create_directories(files.out);
  fs::rename(files.model, files.out / "cameras");
  files.model = files.out / "cameras", files.overwrite = true;
  const auto before = bytes_of(project.folder.path());
  expect_error([&] { (void)dense(files); }, "would replace the input", ErrorCode::usage);
  EXPECT_EQ(bytes_of(project.folder.path()), before);
}

TEST(DenseFiles, AMissingPhotographIsAReason) {
  const Project project;
  fs::remove(project.folder / "photographs/east/1.png");
  const WrittenDense written = dense(project.files());
  EXPECT_EQ(written.images[1].reason, "its photograph is missing");
  EXPECT_EQ(written.images[1].known, 0);
  for (const std::size_t i : {0U, 2U, 3U}) {
    EXPECT_EQ(written.images[i].reason, "");
    EXPECT_GT(written.images[i].known, 0.1);
  }
  const NpzFile file(project.folder / "out/depth/east/1.png.npz");
  EXPECT_EQ(describe(file.read("depth")), "float32 [54, 72]");
}

TEST(DenseFiles, PhotographsThatAreAllMissingAreAnError) {
  const Project project;
  for (const std::string& name : names()) fs::remove(project.folder / "photographs" / name);
  expect_error([&] { (void)dense(project.files()); },
               "photographs/east/0.png: is missing, as are all photographs of the model");
  fs::remove_all(project.folder / "photographs");
  expect_error([&] { (void)dense(project.files()); }, "photographs: is no folder of photographs");
  EXPECT_FALSE(fs::exists(project.folder / "out"));
}

TEST(DenseFiles, AFailedRunLeavesNoFileOutsideOfItsFolder) {
  const Project project;
  write_png(project.folder / "photographs/3.png", ImageU8(71, 54, 1));
  expect_error([&] { (void)dense(project.files()); },
               "photographs/3.png: has 71 x 54 px, its camera 72 x 54");
  write_file(project.folder / "photographs/3.png", "no image");
  expect_error([&] { (void)dense(project.files()); }, "photographs/3.png");
  EXPECT_TRUE(visible_bytes_of(project.folder / "out").empty());
}

TEST(DenseFiles, NamesMustStayBelowTheFolder) {
  Project project;
  for (const char* name :
       {"../0.png", "east/../../0.png", "/0.png", "..", ".", "east/", "./0.png"}) {
    project.model.images[0].name = name;
    project.write();
    expect_error([&] { (void)dense(project.files()); },
                 "image 1: the name '" + std::string(name) + "' is no path below a folder",
                 ErrorCode::usage);
  }
  EXPECT_FALSE(fs::exists(project.folder / "out"));
}

TEST(DenseFiles, RangesOfOptionsAreChecked) {
  DenseFiles files = finished().project.files("unused");
  files.dense.min_depth = 5, files.dense.max_depth = 4;
  expect_error([&] { (void)dense(files); }, "min_depth: 5 is not below max_depth, 4",
               ErrorCode::usage);
  EXPECT_FALSE(fs::exists(files.out));
}

TEST(DenseFiles, LensCamerasBecomeUndistortedCameras) {
  colmap::ModelCamera camera = small_camera();
  camera.model = colmap::model_number("SIMPLE_RADIAL");
  camera.params = {66, 35.5, 26.5, -0.08};
  const Project project(camera);
  const WrittenDense written = dense(project.files());
  const colmap::Model cameras = colmap::read_model(project.folder / "out/cameras");
  const colmap::ModelCamera& out = cameras.cameras[0];
  EXPECT_EQ(colmap::model_name(out.model), "PINHOLE");
  // Every pixel has the depth of a photograph of the undistorted camera.
  const LensCamera pinhole(colmap::model_name(out.model), out.params, out.width, out.height);
  int known = 0, good = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const Rendered truth = render(pinhole, colmap::pose_of(cameras.images[i].cam_from_world), 1);
    const NpyArray depth =
        NpzFile(project.folder / "out/depth" / (names()[i] + ".npz")).read("depth");
    EXPECT_EQ(depth.shape, (std::vector<std::int64_t>{out.height, out.width}));
    const auto& values = std::get<std::vector<float>>(depth.values);
    for (std::size_t k = 0; k < values.size(); ++k) {
      known += values[k] > 0;
      good += std::abs(values[k] - truth.depth.pixels[k]) < 0.02F * truth.depth.pixels[k];
    }
  }
  std::printf("%d of %d depths within 2 %%\n", good, known);
  EXPECT_GT(known, 2000);
  EXPECT_GT(good, 0.8 * known);
}

TEST(DenseFiles, LargeImagesAreReduced) {
  const Project project;
  DenseFiles files = project.files();
  files.dense.max_size = 64;
  (void)dense(files);
  const colmap::ModelCamera camera = colmap::read_model(files.out / "cameras").cameras[0];
  EXPECT_EQ(camera.width, 64);
  EXPECT_EQ(camera.height, 48);
  EXPECT_NEAR(camera.params[0], 66 / 1.125, 1e-9);
  EXPECT_NEAR(camera.params[2], 31.5, 1e-9);
  EXPECT_EQ(describe(NpzFile(files.out / "depth/2.png.npz").read("depth")), "float32 [48, 64]");
}

}  // namespace
}  // namespace bifocal::test
