// SPDX-License-Identifier: BSD-3-Clause
// Jobs with files: results, notes, cancellation.
#include <bifocal/colmap/model.hpp>
#include <bifocal/io.hpp>

#include <atomic>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <set>
#include <vector>

#include "cli/views.hpp"
#include "interface.hpp"
#include "support/data.hpp"

namespace bifocal::test {
namespace {

namespace fs = std::filesystem;

// What callbacks record, and when they cancel.
struct Calls {
  std::set<std::string> stages;
  std::vector<std::string> notes;
  std::string cancels_in;
  std::atomic<int> asked = 0;
  bool is_cancelled = false;

  [[nodiscard]] bf_callbacks callbacks() {
    auto all = sized<bf_callbacks>();
    all.user = this;
    all.progress = [](void* user, const bf_progress* p) {
      auto& self = *static_cast<Calls*>(user);
      EXPECT_EQ(p->size, sizeof(bf_progress));
      self.stages.insert(p->stage);
      return int(p->stage == self.cancels_in);
    };
    all.is_cancelled = [](void* user) {
      auto& self = *static_cast<Calls*>(user);
      ++self.asked;
      return int(self.is_cancelled);
    };
    all.note = [](void* user, const char* text) {
      static_cast<Calls*>(user)->notes.emplace_back(text);
    };
    return all;
  }
  [[nodiscard]] bool has_note(const std::string& part) const {
    for (const std::string& note : notes)
      if (note.find(part) != std::string::npos) return true;
    return false;
  }
};

class CJobs : public CInterface {
 protected:
  void SetUp() override {
    CInterface::SetUp();
    write_views(folder / "in");
  }
  [[nodiscard]] std::string at(const std::string& name) const { return (folder / name).string(); }
  // Makes options with callbacks and settings.
  void make(OptionsHandle& options, const char* call, Calls& calls,
            const std::vector<std::pair<const char*, const char*>>& settings = {}) {
    const bf_callbacks callbacks = calls.callbacks();
    expect_ok(bf_options_create(call, options.out()));
    expect_ok(bf_options_set_callbacks(options, &callbacks));
    for (const auto& [name, value] : settings) expect_ok(bf_options_set(options, name, value));
  }
  int collect(const bf_options* options, bf_collect_result* result) {
    const std::string in = at("in"), database = at("out.db");
    const char* const paths[] = {in.c_str()};
    return bf_collect(queue, paths, 1, database.c_str(), options, result);
  }
  TemporaryFolder folder;
};

TEST_F(CJobs, AFolderBecomesModelsAndDepth) {
  write_file(folder / "in/broken.jpg", "no photograph");
  Calls calls;
  OptionsHandle collect_options, map_options, adjust_options, dense_options;
  make(collect_options, "collect", calls);
  make(map_options, "map", calls);
  make(adjust_options, "adjust", calls, {{"adjust.loss", "cauchy"}, {"format", "text"}});
  make(dense_options, "dense", calls, {{"max_size", "96"}, {"maps", "none"}});
  auto collected = sized<bf_collect_result>();
  expect_ok(collect(collect_options, &collected));
  EXPECT_EQ(collected.images, 6);
  EXPECT_EQ(collected.left_out, 1);
  EXPECT_EQ(collected.verified, 6);
  EXPECT_EQ(collected.was_complete, 0);
  EXPECT_TRUE(calls.has_note("broken.jpg: left out: "));
  EXPECT_TRUE(calls.stages.contains("features") && calls.stages.contains("matches"));
  expect_ok(collect(collect_options, &collected));
  EXPECT_EQ(collected.was_complete, 1);

  const std::string database = at("out.db"), in = at("in"), sparse = at("sparse");
  auto mapped = sized<bf_map_result>();
  expect_ok(bf_map(queue, database.c_str(), in.c_str(), sparse.c_str(), map_options, &mapped));
  EXPECT_EQ(mapped.models, 2);
  EXPECT_EQ(mapped.images, 3);
  EXPECT_GT(mapped.points, 50);
  EXPECT_LT(mapped.mean_error, 1);
  EXPECT_EQ(mapped.doubted > 0, calls.has_note("model 0: ") || calls.has_note("model 1: "));
  EXPECT_TRUE(calls.stages.contains("rotations"));
  expect_usage(bf_map(queue, database.c_str(), in.c_str(), sparse.c_str(), map_options, nullptr),
               "there is a model already");

  auto adjusted = sized<bf_adjust_result>();
  const std::string first = at("sparse/0"), out = at("adjusted"), dense = at("dense");
  expect_ok(bf_adjust(queue, first.c_str(), out.c_str(), adjust_options, &adjusted));
  EXPECT_EQ(adjusted.images, 3);
  EXPECT_LE(adjusted.final_rms, adjusted.initial_rms * 1.1);
  EXPECT_EQ(colmap::model_format(out), colmap::ModelFormat::text);

  auto depth = sized<bf_dense_result>();
  expect_ok(bf_dense(queue, first.c_str(), in.c_str(), dense.c_str(), dense_options, &depth));
  EXPECT_EQ(depth.images, 3);
  EXPECT_EQ(depth.with_depth, 3);
  EXPECT_GT(depth.points, 1000);
  EXPECT_TRUE(fs::exists(folder / "dense/fused.ply"));
  EXPECT_FALSE(fs::exists(folder / "dense/depth"));
}

TEST_F(CJobs, ModelsAreReadAsTheyAre) {
  const ModelHandle model;
  ModelHandle missing;
  expect_failure(bf_model_read(at("none").c_str(), missing.out()), BF_INPUT, "none");
  expect_ok(collect(nullptr, nullptr));
  expect_ok(bf_map(queue, at("out.db").c_str(), nullptr, at("sparse").c_str(), nullptr, nullptr));
  ModelHandle read;
  expect_ok(bf_model_read(at("sparse/0").c_str(), read.out()));
  const colmap::Model expected = colmap::read_model(folder / "sparse/0");
  auto info = sized<bf_model_info>();
  expect_ok(bf_model_get(read, &info));
  ASSERT_EQ(info.points, std::ssize(expected.points));
  ASSERT_EQ(info.images, std::ssize(expected.images));
  for (std::int64_t i = 0; i < info.points; ++i) {
    const colmap::ModelPoint& point = expected.points[std::size_t(i)];
    double xyz[3];
    std::memcpy(xyz, static_cast<const char*>(info.xyz.data) + i * info.xyz.stride, sizeof xyz);
    EXPECT_EQ(xyz[2], point.xyz[2]);
    EXPECT_EQ(static_cast<const double*>(info.errors.data)[i], point.error);
    bf_array track = {};
    expect_ok(bf_model_track(read, i, &track));
    EXPECT_EQ(track.rows, std::ssize(point.track));
    EXPECT_EQ(*static_cast<const std::uint32_t*>(track.data), point.track[0].image_id);
  }
  auto image = sized<bf_model_image_info>();
  expect_ok(bf_model_image(read, 1, &image));
  EXPECT_EQ(image.name, expected.images[1].name);
  EXPECT_EQ(image.t[0], expected.images[1].cam_from_world.translation[0]);
  EXPECT_EQ(image.observations.rows, std::ssize(expected.images[1].observations));
  auto camera = sized<bf_camera_info>();
  expect_ok(bf_model_camera(read, 0, &camera));
  EXPECT_EQ(camera.width, expected.cameras[0].width);
  EXPECT_STREQ(camera.model, "SIMPLE_RADIAL");
  EXPECT_EQ(camera.params.rows, 4);
  expect_usage(bf_model_camera(read, 99, &camera), "index = 99");
  expect_ok(bf_model_write(read, at("copy").c_str(), "text", 0));
  EXPECT_EQ(colmap::read_model(folder / "copy").points, expected.points);
  expect_usage(bf_model_write(read, at("copy").c_str(), "text", 0), "copy");
  expect_ok(bf_model_write(read, at("copy").c_str(), "binary", 1));
  expect_usage(bf_model_write(read, at("new").c_str(), "xml", 0), "format = xml: must be one of");
}

TEST_F(CJobs, MissingFilesAreNamed) {
  const std::string missing = at("no such folder"), database = at("new.db");
  const char* const paths[] = {missing.c_str()};
  expect_failure(bf_collect(queue, paths, 1, database.c_str(), nullptr, nullptr), BF_INPUT,
                 "no such folder");
  EXPECT_FALSE(fs::exists(database));
  expect_failure(bf_map(queue, database.c_str(), nullptr, at("a").c_str(), nullptr, nullptr),
                 BF_INPUT, "new.db");
  expect_failure(bf_adjust(queue, missing.c_str(), at("b").c_str(), nullptr, nullptr), BF_INPUT,
                 "no such folder");
  expect_failure(
      bf_dense(queue, missing.c_str(), missing.c_str(), at("c").c_str(), nullptr, nullptr),
      BF_INPUT, "no such folder");
}

TEST_F(CJobs, ACallbackCancelsAndTheCallIsResumed) {
  Calls calls;
  OptionsHandle options, map_options;
  make(options, "collect", calls);
  calls.cancels_in = "matches";
  auto result = sized<bf_collect_result>();
  result.images = 17;
  expect_failure(collect(options, &result), BF_CANCELLED, "cancelled by a callback");
  EXPECT_EQ(result.images, 17);
  EXPECT_FALSE(fs::exists(folder / "out.db"));
  calls.cancels_in.clear();
  expect_ok(collect(options, &result));
  EXPECT_EQ(result.is_resumed, 1);
  EXPECT_EQ(result.verified, 6);
  make(map_options, "map", calls);
  for (const char* stage : {"read", "adjust"}) {
    calls.cancels_in = stage;
    EXPECT_EQ(
        bf_map(queue, at("out.db").c_str(), nullptr, at("sparse").c_str(), map_options, nullptr),
        BF_CANCELLED);
    EXPECT_FALSE(fs::exists(folder / "sparse/0"));
  }
}

TEST_F(CJobs, AQuestionThatIsAnsweredCancels) {
  Calls calls;
  calls.is_cancelled = true;
  OptionsHandle options, pair_options;
  make(options, "collect", calls);
  expect_failure(collect(options, nullptr), BF_CANCELLED, "bf_collect: cancelled");
  EXPECT_GT(calls.asked, 0);
  // The next call of the thread is not cancelled.
  expect_ok(collect(nullptr, nullptr));
  make(pair_options, "pair", calls);
  PairHandle pair;
  EXPECT_EQ(bf_pair_photographs(queue, at("in/a/0.png").c_str(), at("in/a/1.png").c_str(), "auto",
                                at("pair").c_str(), pair_options, pair.out()),
            BF_CANCELLED);
  EXPECT_EQ(pair.get, nullptr);
  EXPECT_FALSE(fs::exists(folder / "pair"));
}

TEST_F(CJobs, APairHasGeometryAndFiles) {
  Calls calls;
  OptionsHandle options;
  make(options, "pair", calls,
       {{"camera1", "400,400,199.5,149.5"},
        {"camera2", "400,400,199.5,149.5"},
        {"max_dense_pixels", "30000"}});
  PairHandle pair, again;
  const std::string left = at("in/a/0.png"), right = at("in/a/1.png"), out = at("pair");
  expect_ok(bf_pair_photographs(queue, left.c_str(), right.c_str(), "essential", out.c_str(),
                                options, pair.out()));
  auto info = sized<bf_pair_info>();
  expect_ok(bf_pair_get(pair, &info));
  EXPECT_STREQ(info.kind, "essential");
  EXPECT_STREQ(info.outcome, "ok");
  EXPECT_GT(info.num_inliers, 30);
  EXPECT_EQ(info.inliers.rows, info.points.rows);
  EXPECT_NEAR(std::hypot(info.t[0], info.t[1], info.t[2]), 1, 1e-9);
  EXPECT_TRUE(std::isnan(info.focal_length));
  ASSERT_NE(info.depth.data, nullptr);
  EXPECT_EQ(info.depth.rows, 300);
  EXPECT_EQ(info.depth.columns, 400);
  EXPECT_GT(info.cloud.rows, 1000);
  EXPECT_EQ(info.cloud.stride, info.cloud_colours.stride);
  EXPECT_TRUE(fs::exists(folder / "pair/report.html") && fs::exists(folder / "pair/cloud.ply"));
  EXPECT_TRUE(calls.stages.size() > 2);
  fs::create_directories(folder / "other");
  write_file(folder / "other/report.html", "mine");
  expect_usage(bf_pair_photographs(queue, left.c_str(), right.c_str(), "auto", at("other").c_str(),
                                   options, again.out()),
               "report.html");
  expect_usage(bf_pair_photographs(queue, left.c_str(), right.c_str(), "sphere", nullptr, options,
                                   again.out()),
               "kind = sphere: must be one of auto, homography, fundamental, essential");
  expect_failure(bf_pair_photographs(queue, left.c_str(), at("in/a/9.png").c_str(), "auto", nullptr,
                                     nullptr, again.out()),
                 BF_INPUT, "9.png");
  EXPECT_EQ(again.get, nullptr);
}

}  // namespace
}  // namespace bifocal::test
