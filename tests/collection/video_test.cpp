// SPDX-License-Identifier: BSD-3-Clause
// Each frame of a video gives the same result as the calls for two images.
#include <bifocal/error.hpp>
#include <bifocal/video.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "support/devices.hpp"
#include "support/long_tests.hpp"
#include "support/texture.hpp"
#include "support/needs_problem.hpp"

namespace bifocal::test {
namespace {

constexpr int kWidth = 240, kHeight = 180;

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// A window that moves over a plane at constant speed; frame 4 shows another scene.
std::vector<ImageU8> moving_frames(int count) {
  const ImageU8 plane = texture(600, 300, 3), other = texture(600, 300, 4);
  std::vector<ImageU8> frames;
  for (int i = 0; i < count; ++i) {
    ImageU8 frame(kWidth, kHeight);
    const ImageU8& from = i == 4 ? other : plane;
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) frame.at(x, y) = from.at(x + 7 * i, y + 3 * i);
    frames.push_back(std::move(frame));
  }
  return frames;
}

std::vector<VideoFrame> run(VideoMatcher& matcher, const std::vector<ImageU8>& frames) {
  std::vector<VideoFrame> results;
  const auto keep = [&](std::optional<VideoFrame> frame) {
    if (frame) results.push_back(std::move(*frame));
  };
  for (const ImageU8& frame : frames) keep(matcher.add(frame));
  keep(matcher.finish());
  return results;
}

// Returns the matches of one pair, with distinct places.
std::vector<Match> matches_of(Queue& queue, const Features& one, const Features& two,
                              const MatchOptions& options) {
  FeatureSet set(queue.device());
  const ImagePair pair{set.add(queue, one), set.add(queue, two)};
  DeviceMatches found;
  match(queue, set, {&pair, 1}, options, found);
  keep_distinct_places(queue, found);
  std::vector<Match> matches(static_cast<std::size_t>(found.offsets.back()));
  found.matches.download(queue, matches);
  queue.wait();
  return matches;
}

// Reference: computes each pair separately.
void expect_pairwise(Queue& queue, const std::vector<ImageU8>& frames, const VideoOptions& options,
                     const std::vector<VideoFrame>& found, const std::string& id) {
  ASSERT_EQ(found.size(), frames.size()) << id;
  std::vector<Features> features;
  for (const ImageU8& frame : frames)
    features.push_back(options.surf ? detect_surf(queue, frame, *options.surf)
                                    : detect_sift(queue, frame, options.sift));
  for (int i = 0; i < static_cast<int>(frames.size()); ++i) {
    const VideoFrame& frame = found[static_cast<std::size_t>(i)];
    const Features& own = features[static_cast<std::size_t>(i)];
    const std::string where = fmt::format("{}, frame {}", id, i);
    EXPECT_EQ(frame.number, i);
    EXPECT_TRUE(same(frame.keypoints, own.keypoints)) << where;
    ASSERT_EQ(static_cast<int>(frame.pairs.size()), std::min(i, options.partners)) << where;
    for (int k = 0; k < static_cast<int>(frame.pairs.size()); ++k) {
      const FramePair& pair = frame.pairs[static_cast<std::size_t>(k)];
      EXPECT_EQ(pair.other, i - 1 - k) << where;
      const Features& other = features[static_cast<std::size_t>(i - 1 - k)];
      const std::vector<Match> matches = matches_of(queue, other, own, options.verify.matching);
      EXPECT_TRUE(same(pair.matches, matches)) << where;
      const std::vector<PointPair> points = matched_points(other, own, matches);
      EXPECT_TRUE(same(pair.points, points)) << where;
      const bool enough = static_cast<int>(matches.size()) >= options.verify.min_matches;
      EXPECT_EQ(enough, i != 4 && i - 1 - k != 4) << where << ": " << matches.size();
      if (!enough) {
        EXPECT_EQ(pair.estimate.outcome, Outcome::too_few_points) << where;
        continue;
      }
      const std::int64_t offsets[] = {0, static_cast<std::int64_t>(points.size())};
      Buffer<PointPair> there(queue.device(), points.size());
      there.upload(queue, points);
      std::vector<Intrinsics> camera;
      if (options.camera) camera.push_back(*options.camera);
      const BatchEstimate alone = estimate_batch(queue, options.verify.kind, there,
                                                 {.offsets = offsets,
                                                  .cameras1 = camera,
                                                  .cameras2 = camera,
                                                  .options = options.verify.robust});
      EXPECT_EQ(pair.estimate.outcome, alone.pairs[0].outcome) << where;
      EXPECT_EQ(pair.estimate.model, alone.pairs[0].model) << where;
      EXPECT_EQ(pair.estimate.num_inliers, alone.pairs[0].num_inliers) << where;
      EXPECT_TRUE(same(pair.inliers, alone.inliers)) << where;
    }
  }
}

TEST(Video, frames_equal_pairs_of_images) {
  const std::vector<ImageU8> frames = moving_frames(test::short_or_long(6, 9));
  for_each_device([&](Queue& queue, const std::string& id) {
    for (const int partners : test::short_or_long<std::vector<int>>({3}, {1, 3})) {
      const VideoOptions options{.sift = {.max_features = 400},
                                 .partners = partners,
                                 .verify = {.kind = ModelKind::homography}};
      VideoMatcher matcher(queue, kWidth, kHeight, options);
      const std::vector<VideoFrame> found = run(matcher, frames);
      expect_pairwise(queue, frames, options, found, id);
      const Estimate& moved = found[1].pairs[0].estimate;
      ASSERT_TRUE(moved.outcome == Outcome::ok) << id;
      EXPECT_NEAR(moved.model[2] / moved.model[8], -7, 0.1) << id;
      EXPECT_NEAR(moved.model[5] / moved.model[8], -3, 0.1) << id;
      expect_pairwise(queue, frames, options, run(matcher, frames), id + " again");
    }
  });
}

TEST(Video, works_with_surf_and_a_camera) {
  SKIP_UNLESS_PROBLEM_IS_BUILT(ModelKind::similarity);
  const std::vector<ImageU8> frames = moving_frames(4);
  const VideoOptions surf{.surf = SurfOptions{.max_features = 500},
                          .partners = 2,
                          .verify = {.kind = ModelKind::similarity}};
  const VideoOptions camera{.sift = {.max_features = 0},
                            .verify = {.kind = ModelKind::essential},
                            .camera = Intrinsics{300, 300, 120, 90}};
  for_each_device([&](Queue& queue, const std::string& id) {
    for (const VideoOptions& options : {surf, camera}) {
      VideoMatcher matcher(queue, kWidth, kHeight, options);
      expect_pairwise(queue, frames, options, run(matcher, frames), id);
    }
  });
}

// The first frames have few features and the later frames many, so slots grow and keep
// their contents.
TEST(Video, grows_with_its_frames) {
  std::vector<ImageU8> frames = moving_frames(4);
  const ImageU8 rich = texture(640, 480, 9);
  std::vector<ImageU8> pictures;
  for (int i = 0; i < 4; ++i) {
    ImageU8 picture(600, 440, 1, 128);
    for (int y = 0; y < 440; ++y)
      for (int x = 0; x < (i < 2 ? 120 : 600); ++x) picture.at(x, y) = rich.at(x + 2 * i, y + i);
    pictures.push_back(std::move(picture));
  }
  const VideoOptions options{.sift = {.max_features = 0, .contrast_threshold = 0.01},
                             .partners = 3,
                             .verify = {.kind = ModelKind::homography}};
  for_each_device([&](Queue& queue, const std::string& id) {
    VideoMatcher matcher(queue, 600, 440, options);
    const std::vector<VideoFrame> found = run(matcher, pictures);
    EXPECT_GT(found[3].keypoints.size(), 1024U) << id;
    EXPECT_GT(found[3].keypoints.size(), 2 * found[0].keypoints.size()) << id;
    expect_pairwise(queue, pictures, options, found, id);
  });
}

TEST(Video, memory_is_bounded) {
  const std::vector<ImageU8> frames = moving_frames(3);
  for_each_device([&](Queue& queue, const std::string& id) {
    VideoMatcher matcher(queue, kWidth, kHeight, {.sift = {.max_features = 300}, .partners = 2});
    (void)run(matcher, frames);
    const std::size_t first = matcher.memory();
    for (int i = 0; i < 10; ++i) (void)matcher.add(frames[std::size_t(i % 3)]);
    EXPECT_EQ(matcher.memory(), first) << id;
    EXPECT_EQ(first > 0, queue.device().info().kind != DeviceKind::cpu) << id;
  });
}

// Frames in device memory, in colour and of 16 bits give the same result as the host's grey image.
TEST(Video, takes_frames_of_all_kinds) {
  const std::vector<ImageU8> frames = moving_frames(3);
  for_each_device([&](Queue& queue, const std::string& id) {
    const VideoOptions options{.sift = {.max_features = 300},
                               .verify = {.kind = ModelKind::homography}};
    VideoMatcher plain(queue, kWidth, kHeight, options), mixed(queue, kWidth, kHeight, options);
    const std::vector<VideoFrame> expected = run(plain, frames);
    ImageU8 colour(kWidth, kHeight, 3);
    ImageU16 deep(kWidth, kHeight);
    for (std::size_t i = 0; i < frames[0].pixels.size(); ++i) {
      for (std::size_t c = 0; c < 3; ++c) colour.pixels[3 * i + c] = frames[0].pixels[i];
      deep.pixels[i] = static_cast<std::uint16_t>(257 * frames[1].pixels[i] + 100);
      if (frames[1].pixels[i] == 255) deep.pixels[i] = 65535;
    }
    Buffer<std::uint8_t> there(queue.device(), colour.pixels.size());
    there.upload(queue, colour.pixels);
    queue.wait();
    EXPECT_FALSE(mixed.add(there, 3)) << id;
    const auto first = mixed.add(deep), second = mixed.add(frames[2]), third = mixed.finish();
    ASSERT_TRUE(first && second && third) << id;
    EXPECT_TRUE(same(first->keypoints, expected[0].keypoints)) << id;
    EXPECT_TRUE(same(second->keypoints, expected[1].keypoints)) << id;
    EXPECT_TRUE(same(second->pairs[0].matches, expected[1].pairs[0].matches)) << id;
    EXPECT_TRUE(same(third->pairs[0].inliers, expected[2].pairs[0].inliers)) << id;
    EXPECT_FALSE(mixed.finish()) << id;
  });
}

TEST(Video, refuses_mismatched_frames_and_continues) {
  const std::vector<ImageU8> frames = moving_frames(3);
  for_each_device([&](Queue& queue, const std::string& id) {
    const auto message = [&](const VideoOptions& options) -> std::string {
      try {
        VideoMatcher(queue, kWidth, kHeight, options);
      } catch (const Error& e) {
        return e.code() == ErrorCode::usage ? e.what() : "";
      }
      return "";
    };
    EXPECT_NE(message({.partners = 0}).find("partners = 0"), std::string::npos) << id;
    EXPECT_NE(message({.partners = 257}).find("partners = 257"), std::string::npos);
    EXPECT_NE(message({.sift = {.sigma = 0}}).find("sigma = 0"), std::string::npos);
    EXPECT_NE(message({.verify = {.min_matches = 0}}).find("min_matches = 0"), std::string::npos);
    EXPECT_NE(message({.verify = {.matching = {.max_ratio = -1}}}).find("max_ratio = -1"),
              std::string::npos);
    EXPECT_NE(message({.verify = {.robust = {.threshold = -2}}}).find("threshold"),
              std::string::npos);
    EXPECT_NE(message({.verify = {.kind = ModelKind::essential}}).find("camera is not given"),
              std::string::npos);
    EXPECT_NE(message({.camera = Intrinsics{1, 1, 0, 0}}).find("camera is given"),
              std::string::npos);
    VideoMatcher matcher(queue, kWidth, kHeight, {.sift = {.max_features = 300}});
    EXPECT_FALSE(matcher.finish());
    EXPECT_FALSE(matcher.add(frames[0])) << id;
    EXPECT_THROW((void)matcher.add(texture(kWidth, kHeight + 1, 1)), Error) << id;
    EXPECT_THROW((void)matcher.add(ImageU8(kWidth, kHeight, 5)), Error) << id;
    EXPECT_EQ(matcher.add(frames[1])->number, 0) << id;  // frame 0 is still stored
    const Memory<const std::uint8_t> null;
    EXPECT_THROW((void)matcher.add(null), Error) << id;
    EXPECT_FALSE(matcher.add(frames[2])) << id;  // again a first frame
    EXPECT_EQ(matcher.finish()->number, 0) << id;
  });
}

}  // namespace
}  // namespace bifocal::test
