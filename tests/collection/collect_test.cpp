// SPDX-License-Identifier: BSD-3-Clause
// collect() makes a database of photographs on every device, with the cameras and positions from
// their EXIF data.
#include <bifocal/collect.hpp>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/rectify.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

#include "collection/collect/resident.hpp"
#include "io/exif_block.hpp"
#include "support/data.hpp"
#include "support/devices.hpp"
#include "support/long_tests.hpp"
#include "support/texture.hpp"

namespace bifocal::test {
namespace {

using colmap::Configuration;

class Photographs : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder / "in"); }
  void add(const std::string& name, const ImageU8& image, const ExifTags& tags = {}) const {
    write_file(folder / ("in/" + name), with_exif(encode_jpeg(image, 95), exif_block(tags)));
  }
  // Adds warped views of one plane, so every pair is related by a homography.
  void add_views(int count) const {
    const ImageU8 plane = texture(400, 300, 5);
    for (int i = 0; i < count; ++i) {
      const double a = 0.04 * i;
      add(fmt::format("{}.jpg", i),
          warp(plane, {1 - a, a, 6.0 * i, -a, 1, 3.0 * i, 1e-4 * i, 5e-5 * i, 1}, 400, 300));
    }
  }
  CollectResult run(Queue& queue, const CollectOptions& options = {}) const {
    const std::vector<std::string> in = {(folder / "in").string()};
    return collect(queue, list_photographs(in), folder / "out.db", options);
  }
  CollectResult run(const CollectOptions& options = {}) const {
    Queue queue;
    return run(queue, options);
  }
  TemporaryFolder folder;
};

TEST_F(Photographs, give_the_same_pairs_on_every_device) {
  add_views(4);
  add("other.jpg", texture(380, 310, 77));
  for_each_device([&](Queue& queue, const std::string& id) {
    std::string first;  // with a block of four, rows of pairs wait for each other on a GPU
    for (const int block : short_or_long<std::vector<int>>({0, 4}, {0, 2, 4})) {
      const CollectResult result = run(queue, {.block_size = block});
      EXPECT_EQ(result.images, 5) << id;
      EXPECT_EQ(result.pairs, 10) << id;
      EXPECT_EQ(result.verified, 6) << id;
      const std::string bytes = read_file(folder / "out.db");
      if (first.empty()) first = bytes;
      EXPECT_TRUE(first == bytes) << id;
      const colmap::Database database(folder / "out.db");
      for (const colmap::PairRows& row : database.geometry_rows()) {
        const bool is_plane = row.image1 <= 4 && row.image2 <= 4;
        EXPECT_EQ(row.configuration,
                  is_plane ? Configuration::planar_or_panoramic : Configuration::degenerate)
            << id << ' ' << row.image1 << ' ' << row.image2;
      }
      std::filesystem::remove(folder / "out.db");
    }
  });
}

// The run succeeds with the number of bytes that the message names, on a GPU or OpenCL device in
// bands, and the database is the same.
TEST_F(Photographs, larger_than_the_memory_are_refused_before_any_work) {
  add_views(2);
  add("large.jpg", texture(1200, 900, 5));
  // With this few features a pair takes less memory than a photograph, on a GPU as well.
  const SiftOptions sift = {.max_features = 1000, .contrast_threshold = 0.02};
  const auto least_of = [&](Queue& queue, int side) -> std::int64_t {
    try {
      const CollectResult result =
          run(queue, {.sift = sift, .max_side = side, .max_memory = 1 << 20});
      ADD_FAILURE() << result.images;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::usage);
      const std::string text = e.what(), start =
                                             "max_memory = 1048576 bytes: the photograph large.jpg "
                                             "of 1200 x 900 px takes at least ";
      EXPECT_FALSE(std::filesystem::exists(folder / "out.db.part"));
      if (text.starts_with(start)) return std::stoll(text.substr(start.size()));
      ADD_FAILURE() << text;
    }
    return 0;
  };
  for_each_device([&](Queue& queue, const std::string& id) {
    const std::int64_t whole = least_of(queue, 3200), least = least_of(queue, 600);
    EXPECT_LT(least, whole) << id;
    EXPECT_THROW((void)run(queue, {.sift = sift, .max_side = 600, .max_memory = least - 1}), Error)
        << id;
    std::string first;
    for (const std::int64_t memory : {std::int64_t{4} << 30, least}) {
      EXPECT_EQ(run(queue, {.sift = sift, .max_side = 600, .max_memory = memory}).images, 3) << id;
      const std::string bytes = read_file(folder / "out.db");
      if (first.empty()) first = bytes;
      EXPECT_TRUE(first == bytes) << id;
      std::filesystem::remove(folder / "out.db");
    }
  });
}

// Another version may have other tables.
TEST_F(Photographs, unfinished_work_of_another_version_is_refused_and_kept) {
  add_views(2);
  const std::filesystem::path part = folder / "out.db.part";
  { const colmap::Database other(part, colmap::Access::create); }
  try {
    (void)run();
    ADD_FAILURE() << "went on";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::usage);
    EXPECT_NE(std::string(e.what()).find("out.db.part: unfinished run of another version"),
              std::string::npos)
        << e.what();
  }
  EXPECT_TRUE(std::filesystem::exists(part));
}

// The keypoints equal the output of detect_surf; no descriptors are written, because COLMAP
// expects SIFT's.
TEST_F(Photographs, have_surf_features_on_request) {
  add_views(3);
  add("other.jpg", texture(380, 310, 77));
  const SurfOptions surf{.max_features = 700};
  for_each_device([&](Queue& queue, const std::string& id) {
    std::string first;
    for (const int block : {2, 0}) {
      const CollectResult result = run(queue, {.surf = surf, .block_size = block});
      EXPECT_EQ(result.images, 4) << id;
      EXPECT_EQ(result.verified, 3) << id;
      const std::string bytes = read_file(folder / "out.db");
      if (first.empty()) first = bytes;
      EXPECT_TRUE(first == bytes) << id;
      const colmap::Database database(folder / "out.db");
      EXPECT_TRUE(database.descriptors(1).data.empty());
      const ImageU8 grey = to_grey(read_image(folder / "in/0.jpg"));
      const auto expected = colmap::keypoints_of(detect_surf(queue, grey, surf).keypoints);
      const std::vector<float> there = database.keypoints(1).data;
      ASSERT_EQ(there.size(), expected.data.size()) << id;
      EXPECT_GT(expected.size(), 100U);
      for (std::size_t i = 0; i < there.size(); ++i)  // half a pixel was added and removed
        ASSERT_NEAR(there[i], expected.data[i], 1e-4) << id << ' ' << i;
      std::filesystem::remove(folder / "out.db");
    }
  });
  const auto message = [&](const CollectOptions& options) -> std::string {
    try {
      run(options);
    } catch (const Error& e) {
      return e.code() == ErrorCode::usage ? e.what() : "";
    }
    return "";
  };
  EXPECT_NE(message({.surf = SurfOptions{.octaves = 9}}).find("octaves = 9"), std::string::npos);
  EXPECT_NE(message({.sift = {.octave_layers = 99}}).find("octave_layers = 99"), std::string::npos);
  EXPECT_NE(message({.surf = surf, .given = {.source = "f.h5"}}).find("surf and given"),
            std::string::npos);
}

// Keypoints have six columns as in COLMAP and equal the output of detect_sift with shapes; matches
// are verified as usual.
TEST_F(Photographs, have_affine_shapes_on_request) {
  add_views(3);
  const SiftOptions sift{.max_features = 700, .affine_shape = true};
  for_each_device([&](Queue& queue, const std::string& id) {
    EXPECT_EQ(run(queue, {.sift = sift}).verified, 3) << id;
    const colmap::Keypoints there = colmap::Database(folder / "out.db").keypoints(1);
    const ImageU8 grey = to_grey(read_image(folder / "in/0.jpg"));
    const auto expected = colmap::keypoints_of(detect_sift(queue, grey, sift));
    ASSERT_EQ(there.columns, 6) << id;
    ASSERT_EQ(there.data.size(), expected.data.size()) << id;
    EXPECT_GT(expected.size(), 100U);
    int shaped = 0;
    for (std::size_t i = 0; i < there.data.size(); i += 6) {
      shaped += there.data[i + 2] != there.data[i + 5];
      for (std::size_t k = i; k < i + 6; ++k)  // half a pixel was added and removed
        ASSERT_NEAR(there.data[k], expected.data[k], 1e-4) << id << ' ' << k;
    }
    EXPECT_GT(shaped, 50) << id;
    std::filesystem::remove(folder / "out.db");
  });
}

// Interrupted and finished runs with other feature options are another run's work.
TEST_F(Photographs, with_other_feature_options_are_another_run) {
  add_views(2);
  run({.surf = SurfOptions{}});
  const CollectOptions sift{.sift = {}}, fewer{.surf = SurfOptions{.threshold = 1e-3}};
  for (const auto& [other, why] : {std::pair(sift, "sift.affine_shape was not given and is no"),
                                   std::pair(fewer, "surf.threshold was 0.00025 and is 0.001")}) {
    try {
      run(other);
      FAIL();
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
    }
  }
  EXPECT_TRUE(run({.surf = SurfOptions{}}).was_complete);
}

// The devices are copies of one device with separate queues and features. The results and the
// written bytes do not depend on the number of devices, nor on whether images have to be
// loaded again.
TEST_F(Photographs, give_the_same_database_on_several_devices) {
  add_views(5);
  add("other.jpg", texture(380, 310, 77));
  for_each_device([&](Queue& queue, const std::string& id) {
    const DeviceSet three({queue.device(), queue.device(), queue.device()});
    const std::vector<std::string> in = {(folder / "in").string()};
    std::string first;
    for (const DeviceSet& devices : {DeviceSet(queue), three}) {
      const std::vector<int> one_block = {first.empty() ? 2 : 0};
      for (const int block : is_long() ? std::vector{2, 0} : one_block) {
        const CollectResult result =
            collect(devices, list_photographs(in), folder / "out.db", {.block_size = block});
        EXPECT_EQ(result.pairs, 15) << id;
        EXPECT_EQ(result.verified, 10) << id;
        const std::string bytes = read_file(folder / "out.db");
        if (first.empty()) first = bytes;
        EXPECT_TRUE(first == bytes) << id << ' ' << devices.id() << ' ' << block;
        std::filesystem::remove(folder / "out.db");
      }
    }
  });
}

TEST_F(Photographs, of_one_camera_share_it) {
  const ImageU8 image = texture(90, 60, 1);
  const ExifTags mine = {.focal_on_film_mm = 50, .make = "A", .model = "B"};
  ExifTags longer = mine;
  longer.focal_on_film_mm = 85;
  add("0.jpg", image, mine);
  add("1.jpg", image, longer);
  add("2.jpg", image, mine);
  add("3.jpg", image);
  add("4.jpg", image);
  add("5.jpg", texture(60, 90, 1), mine);
  const auto cameras = [&](CameraSharing sharing) {
    run({.cameras = {.sharing = sharing}, .overwrite = true});
    const colmap::Database database(folder / "out.db");
    std::vector<colmap::Id> of;
    for (const colmap::Image& i : database.images()) of.push_back(i.camera_id);
    return of;
  };
  EXPECT_EQ(cameras(CameraSharing::each), (std::vector<colmap::Id>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(cameras(CameraSharing::single), (std::vector<colmap::Id>{1, 1, 1, 1, 1, 2}));
  EXPECT_EQ(cameras(CameraSharing::automatic), (std::vector<colmap::Id>{1, 2, 1, 3, 3, 4}));
  const std::vector<colmap::ModelCamera> all = colmap::Database(folder / "out.db").cameras();
  ASSERT_EQ(all.size(), 4U);
  const double diagonal = std::hypot(90, 60) / std::hypot(36, 24);
  EXPECT_TRUE(all[0].has_prior_focal_length);
  EXPECT_NEAR(all[0].params[0], 50 * diagonal, 1e-9);
  EXPECT_NEAR(all[1].params[0], 85 * diagonal, 1e-9);
  EXPECT_FALSE(all[2].has_prior_focal_length);
  EXPECT_EQ(all[2].params, (std::vector<double>{108, 44.5, 29.5, 0}));
  EXPECT_EQ(all[3].params[1], 29.5);
}

TEST_F(Photographs, have_any_camera_model) {
  add("0.jpg", texture(90, 60, 1));
  const auto params = [&](const std::string& model) {
    run({.cameras = {.model = model}, .overwrite = true});
    const colmap::ModelCamera camera = colmap::Database(folder / "out.db").cameras().at(0);
    EXPECT_EQ(colmap::model_name(camera.model), model);
    return camera.params;
  };
  EXPECT_EQ(params("SIMPLE_PINHOLE"), (std::vector<double>{108, 44.5, 29.5}));
  EXPECT_EQ(params("PINHOLE"), (std::vector<double>{108, 108, 44.5, 29.5}));
  EXPECT_EQ(params("RADIAL"), (std::vector<double>{108, 44.5, 29.5, 0, 0}));
  EXPECT_EQ(params("OPENCV"), (std::vector<double>{108, 108, 44.5, 29.5, 0, 0, 0, 0}));
  try {
    run({.cameras = {.model = "FOV"}, .overwrite = true});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::usage);
    EXPECT_NE(std::string(e.what()).find("FOV"), std::string::npos);
  }
}

TEST_F(Photographs, are_paired_by_position) {
  const ImageU8 image = texture(90, 60, 1);
  const auto at = [](double second) {
    return ExifTags{.latitude = {48, 30, second}, .longitude = {7, 45, 0}};
  };
  add("0.jpg", image, at(0));
  add("1.jpg", image, at(2));  // 62 m
  add("2.jpg", image, at(4));
  add("3.jpg", image);
  const CollectResult result = run({.pairs = PairChoice::gps, .gps = {.max_distance_m = 70}});
  EXPECT_EQ(result.pairs, 2);
  std::set<std::pair<colmap::Id, colmap::Id>> pairs;
  for (const colmap::PairRows& r : colmap::Database(folder / "out.db").match_rows())
    pairs.emplace(r.image1, r.image2);
  EXPECT_EQ(pairs, (std::set<std::pair<colmap::Id, colmap::Id>>{{1, 2}, {2, 3}}));
}

// Features of reduced images are at their positions in the full images.
TEST_F(Photographs, above_max_side_are_reduced) {
  add_views(2);
  run({.max_side = 200});
  const colmap::Database database(folder / "out.db");
  const colmap::Keypoints k = database.keypoints(1);
  float most = 0;
  for (std::size_t i = 0; i < k.size(); ++i)
    most = std::max(most, k.data[i * static_cast<std::size_t>(k.columns)]);
  EXPECT_GT(most, 300);
  EXPECT_LE(most, 399.5F);
  const auto geometry = database.geometry(1, 2);
  ASSERT_TRUE(geometry && geometry->H);
  // Maps view 0, the plane itself, to view 1.
  const Mat3 truth = {0.96, 0.04, 6, -0.04, 1, 3, 1e-4, 5e-5, 1};
  const Mat3& H = *geometry->H;
  for (const auto& [x, y] : {std::pair{50.0, 60.0}, std::pair{300.0, 200.0}}) {
    const auto moved = [&, x = x, y = y](const Mat3& m) {
      const double w = m[6] * x + m[7] * y + m[8];
      return std::pair((m[0] * x + m[1] * y + m[2]) / w, (m[3] * x + m[4] * y + m[5]) / w);
    };
    EXPECT_NEAR(moved(H).first, moved(truth).first, 0.5);
    EXPECT_NEAR(moved(H).second, moved(truth).second, 0.5);
  }
}

TEST_F(Photographs, are_locked_by_one_process) {
  add("0.jpg", texture(90, 60, 1));
  // A second process meets the lock; here it is a call from inside the first call.
  bool refused = false;
  CollectOptions options;
  options.progress = [&](const CollectProgress&) {
    if (refused) return;
    try {
      run();
    } catch (const Error& e) {
      refused = e.code() == ErrorCode::input &&
                std::string(e.what()).find("another process") != std::string::npos;
    }
  };
  run(options);
  EXPECT_TRUE(refused);
}

// Splits all pairs of some images into pieces and returns the places of each piece.
std::vector<collection::Places> pieces_of(std::span<const ImagePair> pairs, int images, int height,
                                          std::size_t most) {
  collection::PairPieces pieces(pairs, images, height);
  std::vector<collection::Places> all;
  for (collection::Places places; pieces.next(most, places);) all.push_back(places);
  return all;
}

TEST(PairPieces, are_in_order_with_enough_memory_or_single_rows) {
  const std::vector<ImagePair> pairs = all_pairs(9);
  for (const auto& [images, height] : {std::pair(9, 3), std::pair(2, 1), std::pair(4, 1)}) {
    std::size_t next = 0;
    for (const collection::Places& piece : pieces_of(pairs, images, height, 7)) {
      EXPECT_LE(piece.size(), 7U);
      for (const std::size_t place : piece) EXPECT_EQ(place, next++);
    }
    EXPECT_EQ(next, pairs.size());
  }
}

// Each piece needs few images at a time, and processing several rows together loads fewer images.
TEST(PairPieces, fit_in_the_memory_and_load_few_images_twice) {
  const std::vector<ImagePair> pairs = all_pairs(60);
  std::map<int, std::size_t> loads;  // key: height
  for (const int height : {1, 2, 5}) {
    std::set<std::size_t> seen;
    std::set<int> before;
    for (const collection::Places& piece : pieces_of(pairs, 10, height, 1000)) {
      std::set<int> images;
      for (const std::size_t place : piece) {
        EXPECT_TRUE(seen.insert(place).second);
        images.insert({pairs[place].image1, pairs[place].image2});
      }
      EXPECT_LE(images.size(), 10U);
      for (const int image : images) loads[height] += !before.contains(image);
      before = images;
    }
    EXPECT_EQ(seen.size(), pairs.size());
  }
  EXPECT_LT(loads[2], loads[1] * 6 / 10);
  EXPECT_LT(loads[5], loads[2] * 7 / 10);
}

}  // namespace
}  // namespace bifocal::test
