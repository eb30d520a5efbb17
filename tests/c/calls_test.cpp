// SPDX-License-Identifier: BSD-3-Clause
// Calls on arrays: the results are those of the library, and wrong arguments are refused.
#include <bifocal/io.hpp>
#include <bifocal/matching.hpp>
#include <bifocal/robust.hpp>
#include <bifocal/two_view.hpp>
#include <bifocal/version.hpp>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "c/call.hpp"
#include "cli/views.hpp"
#include "interface.hpp"
#include "support/data.hpp"
#include "support/needs_problem.hpp"

namespace bifocal {

// A struct to which `added` was appended.
struct Grown {
  std::size_t size;
  double first, added;
};
template <>
inline constexpr std::size_t c::kFirstSize<Grown> = offsetof(Grown, added);

namespace test {
namespace {

bf_array array_of(const ImageU8& image) {
  return {image.pixels.data(), image.height, 0, image.width, image.channels, BF_U8, BF_HOST};
}
bf_array array_of(const std::vector<PointPair>& points) {
  return {points.data(), std::ssize(points), 0, 4, 1, BF_F64, BF_HOST};
}
// Points on a plane, 20 % of them moved far away.
std::vector<PointPair> plane_points(int count) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> at(0, 600);
  std::vector<PointPair> points;
  for (int i = 0; i < count; ++i) {
    const double x = at(random), y = at(random);
    points.push_back({x, y, 0.9 * x + 0.1 * y + 12, y - 0.05 * x + 5});
    if (i % 5 == 0) points.back().x2 = at(random), points.back().y2 = at(random);
  }
  return points;
}

TEST(CVersion, IsThatOfTheHeader) {
  EXPECT_STREQ(bf_version(), BIFOCAL_VERSION);
  EXPECT_EQ(bf_interface_version(), 1000 * BF_INTERFACE_MAJOR + BF_INTERFACE_MINOR);
}

TEST(CDevices, TheFirstIsTheCpu) {
  std::int64_t count = 0;
  expect_ok(bf_device_count(&count));
  ASSERT_GE(count, 1);
  auto info = sized<bf_device_info>();
  expect_ok(bf_device_get(0, &info));
  EXPECT_STREQ(info.id, "cpu");
  EXPECT_GT(info.cores, 0);
  EXPECT_EQ(info.is_gpu, 0);
  expect_usage(bf_device_get(count, &info), "must be below");
  QueueHandle queue, both;
  expect_failure(bf_queue_open("cuda:99", queue.out()), BF_DEVICE, "cuda:99");
  EXPECT_EQ(queue.get, nullptr);
  expect_usage(bf_queue_open("cpu,", queue.out()), "bf_queue_open: ");
  expect_ok(bf_queue_open("cpu,cpu", both.out()));
  auto opened = sized<bf_queue_info>();
  expect_ok(bf_queue_get(both, &opened));
  EXPECT_STREQ(opened.devices, "cpu,cpu");
  EXPECT_STREQ(opened.warning, "");
  expect_usage(bf_set_threads(-1), "threads = -1");
  expect_ok(bf_set_threads(1));
  expect_ok(bf_set_threads(0));
}

TEST_F(CInterface, NullIsRefusedByName) {
  FeaturesHandle features;
  EstimatesHandle estimates;
  PairHandle pair;
  ModelHandle model;
  const bf_array none = {};
  auto info = sized<bf_features_info>();
  auto input = sized<bf_estimate_input>();
  expect_usage(bf_queue_open(nullptr, nullptr), "bf_queue_open: out is NULL");
  expect_usage(bf_queue_get(nullptr, nullptr), "bf_queue_get: queue is NULL");
  expect_usage(bf_device_count(nullptr), "bf_device_count: count is NULL");
  expect_usage(bf_device_get(0, nullptr), "bf_device_get: out is NULL");
  expect_usage(bf_options_create(nullptr, nullptr), "bf_options_create: out is NULL");
  expect_usage(bf_options_set(nullptr, "a", "b"), "bf_options_set: options is NULL");
  expect_usage(bf_options_get(nullptr, 0, nullptr), "bf_options_get: options is NULL");
  expect_usage(bf_options_set_callbacks(nullptr, nullptr), "options is NULL");
  expect_usage(bf_image_read(nullptr, nullptr), "bf_image_read: out is NULL");
  expect_usage(bf_image_get(nullptr, nullptr), "bf_image_get: image is NULL");
  expect_usage(bf_detect(nullptr, &none, nullptr, nullptr, features.out()), "queue is NULL");
  expect_usage(bf_detect(queue, nullptr, nullptr, nullptr, features.out()), "image is NULL");
  expect_usage(bf_detect(queue, &none, nullptr, nullptr, nullptr), "out is NULL");
  expect_usage(bf_features_create(nullptr, &none, features.out()), "keypoints is NULL");
  expect_usage(bf_features_get(nullptr, &info), "features is NULL");
  expect_usage(bf_match(queue, nullptr, nullptr, nullptr, nullptr), "bf_match: out is NULL");
  expect_usage(bf_matches_get(nullptr, nullptr), "matches is NULL");
  expect_usage(bf_estimate(queue, nullptr, nullptr, estimates.out()), "input is NULL");
  expect_usage(bf_estimate(queue, &input, nullptr, estimates.out()), "its kind is NULL");
  expect_usage(bf_estimates_get(nullptr, 0, nullptr), "estimates is NULL");
  expect_usage(bf_pair_photographs(queue, nullptr, "b", "auto", nullptr, nullptr, pair.out()),
               "file1 is NULL");
  expect_usage(bf_pair_get(nullptr, nullptr), "pair is NULL");
  expect_usage(bf_collect(queue, nullptr, 1, "a.db", nullptr, nullptr), "paths is NULL");
  expect_usage(bf_collect(queue, nullptr, 0, "a.db", nullptr, nullptr), "bf_collect: ");
  expect_usage(bf_map(queue, nullptr, nullptr, "out", nullptr, nullptr), "database is NULL");
  expect_usage(bf_adjust(queue, "a", nullptr, nullptr, nullptr), "out is NULL");
  expect_usage(bf_dense(nullptr, "a", "b", "c", nullptr, nullptr), "queue is NULL");
  expect_usage(bf_model_read(nullptr, model.out()), "folder is NULL");
  expect_usage(bf_model_get(nullptr, nullptr), "model is NULL");
  expect_usage(bf_model_track(nullptr, 0, nullptr), "model is NULL");
  bf_queue_free(nullptr);
  bf_model_free(nullptr);
}

TEST_F(CInterface, StructsOfOtherVersionsAreChecked) {
  // A struct of a later version with two more members.
  struct Later {
    bf_queue_info info;
    std::int64_t more[2];
  } later = {{sizeof(Later), nullptr, nullptr}, {5, 5}};
  expect_ok(bf_queue_get(queue, &later.info));
  EXPECT_STREQ(later.info.devices, "cpu");
  EXPECT_EQ(later.info.size, sizeof(Later));
  EXPECT_EQ(later.more[0] + later.more[1], 0);
  for (const std::size_t size : {std::size_t{0}, sizeof(bf_queue_info) - 1, std::size_t{1} << 40}) {
    bf_queue_info info = {size, nullptr, nullptr};
    expect_usage(bf_queue_get(queue, &info), "its size is " + std::to_string(size));
    EXPECT_EQ(info.devices, nullptr);
    bf_map_result result = {};
    result.size = size;
    expect_usage(bf_map(queue, "no.db", nullptr, "no", nullptr, &result), "result: its size is");
  }
  struct LaterCallbacks {
    bf_callbacks callbacks;
    void (*more)();
  } callbacks = {{sizeof(LaterCallbacks), nullptr, nullptr, nullptr, nullptr}, nullptr};
  OptionsHandle options;
  expect_ok(bf_options_create("map", options.out()));
  expect_ok(bf_options_set_callbacks(options, &callbacks.callbacks));
  callbacks.more = [] {};
  expect_usage(bf_options_set_callbacks(options, &callbacks.callbacks),
               "members that this library");
}

TEST(CStructs, ProgramsWithoutAnAppendedMemberWork) {
  constexpr std::size_t kOld = offsetof(Grown, added);
  Grown old = {kOld, 1, 7};
  c::give(Grown{0, 2, 3}, &old);
  EXPECT_EQ(old.size, kOld);
  EXPECT_EQ(old.first, 2);
  EXPECT_EQ(old.added, 7);  // not the caller's
  EXPECT_EQ(c::input(&old, "old").first, 2);
  EXPECT_EQ(c::input(&old, "old").added, 0);
  old.size = sizeof(Grown);
  EXPECT_EQ(c::input(&old, "old").added, 7);
  old.size = kOld - 1;
  EXPECT_THROW(c::check_size(&old, "old"), Error);
}

TEST_F(CInterface, FeaturesAndMatchesAreThoseOfTheLibrary) {
  const ImageU8 left = view_of(1, 0), right = view_of(1, 1);
  const Features expected = detect_sift(left), other = detect_sift(right);
  FeaturesHandle first, second, masked;
  // Rows of the first image have gaps.
  std::vector<std::uint8_t> gaps(std::size_t(left.height) * 1500, 99);
  for (int y = 0; y < left.height; ++y)
    std::memcpy(&gaps[std::size_t(y) * 1500], left.row(y), std::size_t(left.width * left.channels));
  const bf_array strided = {gaps.data(),   left.height, 1500,   left.width,
                            left.channels, BF_U8,       BF_HOST};
  const bf_array packed = array_of(right);
  expect_ok(bf_detect(queue, &strided, nullptr, nullptr, first.out()));
  expect_ok(bf_detect(queue, &packed, nullptr, nullptr, second.out()));
  auto info = sized<bf_features_info>();
  expect_ok(bf_features_get(first, &info));
  ASSERT_EQ(info.keypoints.rows, expected.size());
  EXPECT_EQ(info.keypoints.stride, 20);
  EXPECT_EQ(info.shapes.data, nullptr);
  EXPECT_EQ(
      std::memcmp(info.keypoints.data, expected.keypoints.data(), 20 * expected.keypoints.size()),
      0);
  EXPECT_EQ(
      std::memcmp(info.descriptors.data, expected.descriptors.data(), expected.descriptors.size()),
      0);
  // Features that are given match as those that were found.
  FeaturesHandle copy;
  bf_array positions = info.keypoints;
  positions.columns = 2;
  expect_ok(bf_features_create(&positions, &info.descriptors, copy.out()));
  MatchesHandle matches;
  expect_ok(bf_match(queue, copy, second, nullptr, matches.out()));
  auto found = sized<bf_matches_info>();
  expect_ok(bf_matches_get(matches, &found));
  const std::vector<Match> wanted = match(expected, other);
  ASSERT_EQ(found.indexes.rows, std::ssize(wanted));
  EXPECT_GT(wanted.size(), 50U);
  const auto* const indexes = static_cast<const char*>(found.indexes.data);
  const auto* const points = static_cast<const double*>(found.points.data);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::int32_t pair[2];
    std::memcpy(pair, indexes + std::int64_t(i) * found.indexes.stride, sizeof pair);
    EXPECT_EQ(pair[0], wanted[i].index1);
    EXPECT_EQ(pair[1], wanted[i].index2);
    EXPECT_EQ(points[4 * i], expected.keypoints[std::size_t(pair[0])].x);
  }
  const ImageU8 black(left.width, left.height);
  const bf_array mask = array_of(black);
  expect_ok(bf_detect(queue, &strided, &mask, nullptr, masked.out()));
  expect_ok(bf_features_get(masked, &info));
  EXPECT_EQ(info.keypoints.rows, 0);
  EXPECT_EQ(info.keypoints.data, nullptr);
}

TEST_F(CInterface, UnusableArraysAreRefused) {
  const ImageU8 image = view_of(1, 0);
  const auto refused = [&](const char* message, const auto& change) {
    bf_array array = array_of(image);
    change(array);
    FeaturesHandle features;
    expect_usage(bf_detect(queue, &array, nullptr, nullptr, features.out()), message);
    EXPECT_EQ(features.get, nullptr);
  };
  refused("image: its data is NULL", [](bf_array& a) { a.data = nullptr; });
  refused("BF_CUDA", [](bf_array& a) { a.place = BF_CUDA; });
  refused("image: its place is 7", [](bf_array& a) { a.place = 7; });
  refused("image: its type is 7, must be 1", [](bf_array& a) { a.type = BF_F32; });
  refused("image: its stride is 3 bytes", [](bf_array& a) { a.stride = 3; });
  refused("image: -1 rows", [](bf_array& a) { a.rows = -1; });
  refused("with 5 channels", [](bf_array& a) { a.channels = 5; });
  refused("rows begin at odd bytes", [](bf_array& a) {
    a.type = BF_U16, a.columns /= 2, a.stride = a.columns * a.channels * 2 + 1, a.rows = 1;
  });
  FeaturesHandle features;
  const bf_array keypoints = {image.pixels.data(), 2, 0, 6, 1, BF_F32, BF_HOST};
  const bf_array descriptors = {image.pixels.data(), 3, 0, 128, 1, BF_U8, BF_HOST};
  expect_usage(bf_features_create(&keypoints, &descriptors, features.out()),
               "keypoints: has 6 columns and 1 channels, must have 2 to 5 columns");
  bf_array two = keypoints;
  two.columns = 2;
  expect_usage(bf_features_create(&two, &descriptors, features.out()), "3 rows, keypoints has 2");
}

TEST_F(CInterface, EstimatesAreThoseOfTheLibrary) {
  SKIP_UNLESS_PROBLEM_IS_BUILT(ModelKind::homography);
  const std::vector<PointPair> points = plane_points(200);
  const EstimateResult expected = estimate_homography(points, {.threshold = 1.5});
  ASSERT_TRUE(expected.ok());
  OptionsHandle options;
  expect_ok(bf_options_create("estimate", options.out()));
  expect_ok(bf_options_set(options, "threshold", "1.5"));
  // Points are the first four columns of rows of 48 bytes.
  std::vector<DepthPair> wide;
  for (const PointPair& p : points) wide.push_back({p.x1, p.y1, p.x2, p.y2, NAN, NAN});
  auto input = sized<bf_estimate_input>();
  input.kind = "homography";
  input.points = {wide.data(), std::ssize(wide), sizeof(DepthPair), 4, 1, BF_F64, BF_HOST};
  auto info = sized<bf_estimate_info>();
  for (const char* kind : {"homography", "auto"}) {
    EstimatesHandle estimates;
    input.kind = kind;
    expect_ok(bf_estimate(queue, &input, options, estimates.out()));
    expect_ok(bf_estimates_get(estimates, 0, &info));
    EXPECT_STREQ(info.kind, "homography");
    EXPECT_STREQ(info.outcome, "ok");
    EXPECT_EQ(info.num_inliers, expected.num_inliers);
    EXPECT_EQ(std::memcmp(info.model, expected.model.data(), sizeof info.model), 0);
    EXPECT_EQ(std::memcmp(info.inliers.data, expected.inliers.data(), points.size()), 0);
    EXPECT_TRUE(std::isnan(info.R[0]) && std::isnan(info.focal_length));
    EXPECT_NE(std::string(info.reason), "");
    expect_usage(bf_estimates_get(estimates, 1, &info), "index = 1: must be below 1");
  }
  input.points = array_of(points);
  input.points.rows = 3;
  EstimatesHandle few;
  expect_ok(bf_estimate(queue, &input, nullptr, few.out()));
  expect_ok(bf_estimates_get(few, 0, &info));
  EXPECT_STREQ(info.outcome, "too_few_points");
  EXPECT_TRUE(std::isnan(info.model[0]) && std::isnan(info.rms));
}

TEST_F(CInterface, ABatchIsTheSamePairsAlone) {
  SKIP_UNLESS_PROBLEM_IS_BUILT(ModelKind::homography);
  const std::vector<PointPair> points = plane_points(300);
  const std::int64_t offsets[] = {10, 200, 300};
  auto input = sized<bf_estimate_input>();
  input.kind = "homography";
  input.points = array_of(points);
  input.offsets = {offsets, 3, 0, 1, 1, BF_I64, BF_HOST};
  Queue own;
  const BatchEstimate expected =
      estimate_batch(own, ModelKind::homography, points.data(), {.offsets = offsets});
  EstimatesHandle estimates;
  expect_ok(bf_estimate_batch(queue, &input, nullptr, estimates.out()));
  std::int64_t count = 0;
  expect_ok(bf_estimates_count(estimates, &count));
  ASSERT_EQ(count, 2);
  auto info = sized<bf_estimate_info>();
  for (std::size_t k = 0; k < 2; ++k) {
    expect_ok(bf_estimates_get(estimates, std::int64_t(k), &info));
    EXPECT_EQ(info.num_inliers, expected.pairs[k].num_inliers);
    EXPECT_EQ(std::memcmp(info.model, expected.pairs[k].model.data(), sizeof info.model), 0);
    EXPECT_EQ(info.inliers.rows, offsets[k + 1] - offsets[k]);
    EXPECT_EQ(std::memcmp(info.inliers.data, &expected.inliers[std::size_t(offsets[k] - 10)],
                          std::size_t(info.inliers.rows)),
              0);
  }
  const std::vector<double> weights(100, 1);
  const auto refused = [&](const char* message, const auto& change) {
    bf_estimate_input wrong = input;
    change(wrong);
    EstimatesHandle none;
    expect_usage(bf_estimate_batch(queue, &wrong, nullptr, none.out()), message);
  };
  refused("offsets: are 10 to 300, points has 299 rows", [](auto& in) { in.points.rows = 299; });
  refused("weights: has 100 rows, points has 300",
          [&](auto& in) { in.weights = {weights.data(), 100, 0, 1, 1, BF_F64, BF_HOST}; });
  refused("offsets: needs a row", [](auto& in) { in.offsets.rows = 0; });
  refused("offsets: is in the memory of a device", [](auto& in) { in.offsets.place = BF_CUDA; });
  refused("kind = plane: must be auto or one of homography", [](auto& in) { in.kind = "plane"; });
  refused("rows in device memory must have no gaps",
          [](auto& in) { in.points.place = BF_CUDA, in.points.stride = 64; });
  refused("points: BF_CUDA needs a queue on a CUDA device, this one is on cpu",
          [](auto& in) { in.points.place = BF_CUDA; });
  EstimatesHandle none;
  expect_usage(bf_estimate(queue, &input, nullptr, none.out()),
               "offsets: are for bf_estimate_batch()");
  input.offsets = {};
  input.points.rows = std::numeric_limits<std::int64_t>::max();
  expect_failure(bf_estimate(queue, &input, nullptr, none.out()), BF_MEMORY, "of this length");
  input.points.place = BF_CUDA;
  expect_usage(bf_estimate(queue, &input, nullptr, none.out()), "this function takes BF_HOST only");
}

TEST(CErrors, EveryThreadHasItsMessage) {
  expect_usage(bf_set_threads(-2), "threads = -2");
  std::thread([] {
    EXPECT_STREQ(bf_error(), "");
    expect_usage(bf_set_threads(-3), "threads = -3");
  }).join();
  EXPECT_NE(std::string(bf_error()).find("threads = -2"), std::string::npos);
  ImageHandle image;
  const std::string name(5000, 'x');
  EXPECT_EQ(bf_image_read(name.c_str(), image.out()), BF_INPUT);
  EXPECT_EQ(std::string(bf_error()).size(), 4095U);
}

TEST(CImages, PixelsAreThoseOfTheFile) {
  const TemporaryFolder folder;
  const ImageU8 view = view_of(1, 0);
  write_png(folder / "a.png", view);
  ImageHandle image, missing;
  expect_ok(bf_image_read((folder / "a.png").c_str(), image.out()));
  auto info = sized<bf_image_info>();
  expect_ok(bf_image_get(image, &info));
  EXPECT_EQ(info.pixels.rows, view.height);
  EXPECT_EQ(info.pixels.columns, view.width);
  EXPECT_EQ(info.pixels.type, BF_U8);
  EXPECT_EQ(std::memcmp(info.pixels.data, view.pixels.data(), view.pixels.size()), 0);
  EXPECT_TRUE(std::isnan(info.fx));
  expect_failure(bf_image_read((folder / "b.png").c_str(), missing.out()), BF_INPUT, "b.png");
}

}  // namespace
}  // namespace test
}  // namespace bifocal
