// SPDX-License-Identifier: BSD-3-Clause
// The jobs of a model without a program: adjust_and_write() and collect_and_map().
#include <gtest/gtest.h>
#include <bifocal/colmap/model.hpp>
#include <bifocal/error.hpp>
#include <bifocal/jobs.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "adjust/scene_model.hpp"
#include "adjust/scenes.hpp"
#include "cli/views.hpp"
#include "collection/sample_model.hpp"
#include "support/data.hpp"

namespace bifocal::jobs {
namespace {

namespace fs = std::filesystem;

template <class Call>
std::string usage_error_of(const Call& call) {
  try {
    call();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::usage) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "nothing thrown";
  return {};
}

TEST(AdjustJob, WritesWhatTheLibraryFindsAndItsCovariances) {
  const test::TemporaryFolder folder;
  colmap::write_model(folder / "in",
                      test::model_of(test::make_scene({.images = 8, .points = 100}).start),
                      colmap::ModelFormat::text);
  colmap::Model expected = colmap::read_model(folder / "in");
  std::vector<std::string> calls;
  AdjustFiles files{.model = folder / "in", .out = folder / "out"};
  files.adjust.adjust.covariance = true;
  files.adjusting = [&](const colmap::Model& model, colmap::BundleAdjustOptions& options) {
    calls.push_back("adjusting");
    options.constant_images = {model.images[1].id};
  };
  files.adjusted = [&] { calls.push_back("adjusted"); };
  Queue queue{Device("cpu")};
  const colmap::BundleAdjustResult result = adjust_and_write(queue, files);
  EXPECT_EQ(calls, (std::vector<std::string>{"adjusting", "adjusted"}));
  (void)colmap::bundle_adjust(expected, {.constant_images = {expected.images[1].id}});
  test::expect_equal(expected, colmap::read_model(folder / "out"));
  EXPECT_EQ(colmap::model_format(folder / "out"), colmap::ModelFormat::text);
  EXPECT_EQ(NpzFile(folder / "out/covariances.npz").read("poses").shape[0], 8);
  EXPECT_TRUE(result.adjustment.is_converged());
  // Another model stays without `overwrite`; without covariances their file stays, too, if the job
  // has none.
  const std::string refused = usage_error_of([&] { (void)adjust_and_write(queue, files); });
  EXPECT_NE(refused.find("out/cameras.txt: exists already"), std::string::npos) << refused;
  files.adjust.adjust.covariance = files.has_covariance_file = false;
  files.overwrite = true;
  files.format = colmap::ModelFormat::binary;
  (void)adjust_and_write(queue, files);
  EXPECT_TRUE(fs::exists(folder / "out/covariances.npz"));
  EXPECT_EQ(colmap::model_format(folder / "out"), colmap::ModelFormat::binary);
  EXPECT_FALSE(fs::exists(folder / "out/cameras.txt"));
  files.has_covariance_file = true;
  (void)adjust_and_write(queue, files);
  EXPECT_FALSE(fs::exists(folder / "out/covariances.npz"));
}

TEST(CollectJob, MakesADatabaseAndItsModels) {
  const test::TemporaryFolder folder;
  test::write_views(folder / "in");
  CollectionFiles files{.photographs = list_photographs({{(folder / "in").string()}}),
                        .database = folder / "out.db"};
  const DeviceSet devices("cpu");
  // Without a folder there is no model.
  EXPECT_FALSE(collect_and_map(devices, files).models.has_value());
  files.models.out = folder / "sparse";
  files.models.undistorted = folder / "scene";
  std::int64_t verified = 0;
  files.collected = [&](const WrittenCollection& done) {
    verified = done.result.verified;
    EXPECT_FALSE(fs::exists(folder / "sparse"));
  };
  const WrittenCollection done = collect_and_map(devices, files);
  EXPECT_TRUE(done.result.was_complete);
  EXPECT_EQ(done.result.verified, 6);
  EXPECT_EQ(verified, 6);
  EXPECT_TRUE(done.contradicting.empty());
  ASSERT_TRUE(done.models && done.models->undistorted);
  EXPECT_EQ(done.models->result.models.size(), 2U);
  EXPECT_EQ(colmap::read_model(folder / "sparse/1").images.size(), 3U);
  EXPECT_EQ(done.models->undistorted->model.images.size(), 3U);
  // The folder of the models is refused before the photographs are read.
  files.database = folder / "new.db";
  const std::string refused = usage_error_of([&] { (void)collect_and_map(devices, files); });
  EXPECT_NE(refused.find("sparse/0: there is a model already"), std::string::npos) << refused;
  EXPECT_FALSE(fs::exists(folder / "new.db"));
}

TEST(CollectJob, ComputesDepthOfTheFirstModel) {
  const test::TemporaryFolder folder;
  test::write_views(folder / "in");
  CollectionFiles files{.photographs = list_photographs({{(folder / "in").string()}}),
                        .database = folder / "out.db"};
  files.dense.out = folder / "dense";
  files.dense.dense.max_size = 160;
  const DeviceSet devices("cpu");
  EXPECT_EQ(usage_error_of([&] { (void)collect_and_map(devices, files); }),
            "dense: needs a folder of models");
  files.models.out = folder / "sparse";
  std::size_t models = 0;
  files.mapped = [&](const WrittenModels& written) {
    models = written.result.models.size();
    EXPECT_TRUE(fs::exists(folder / "sparse/1"));
    EXPECT_FALSE(fs::exists(folder / "dense"));
  };
  const WrittenCollection done = collect_and_map(devices, files);
  EXPECT_EQ(models, 2U);
  ASSERT_TRUE(done.dense);
  const colmap::Model first = colmap::read_model(folder / "sparse/0"),
                      cameras = colmap::read_model(folder / "dense/cameras");
  ASSERT_EQ(done.dense->images.size(), first.images.size());
  for (std::size_t i = 0; i < first.images.size(); ++i) {
    EXPECT_EQ(done.dense->images[i].name, first.images[i].name);
    EXPECT_EQ(cameras.images[i].name, first.images[i].name);
    EXPECT_TRUE(fs::exists(folder / "dense/depth" / (first.images[i].name + ".npz")));
  }
  EXPECT_GT(done.dense->points, 160 * 120 / 4);
  // Outputs that exist are refused before the photographs are read.
  files.database = folder / "new.db";
  files.models.out = folder / "other";
  for (const char* file : {"dense/fused.ply", "dense/depth/b/1.jpg.npz"}) {
    fs::remove_all(folder / "dense");
    fs::create_directories((folder / file).parent_path());
    write_file(folder / file, "an original");
    const std::string refused = usage_error_of([&] { (void)collect_and_map(devices, files); });
    EXPECT_NE(refused.find(std::string(file) + ": exists already"), std::string::npos) << refused;
    EXPECT_EQ(read_file(folder / file), "an original");
  }
  EXPECT_FALSE(fs::exists(folder / "new.db") || fs::exists(folder / "other"));
}

}  // namespace
}  // namespace bifocal::jobs
