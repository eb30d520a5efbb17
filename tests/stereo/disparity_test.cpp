// SPDX-License-Identifier: BSD-3-Clause
// The filters after the choice of winners: cross-check, sub-pixel, fill, score, cloud; and the
// quality on real pairs.
#include <bifocal/error.hpp>
#include <bifocal/stereo.hpp>
#include <bifocal/device.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <cstring>
#include <random>

#include "stereo/fill.hpp"
#include "stereo/reference_filter.hpp"
#include "stereo/reference_ssd.hpp"
#include "support/data.hpp"

namespace bifocal {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

bool same_bits(const ImageF& a, const ImageF& b) {
  return a.pixels.size() == b.pixels.size() &&
         std::memcmp(a.pixels.data(), b.pixels.data(), a.pixels.size() * sizeof(float)) == 0;
}

// A band-limited texture at column x.
double texture(double x, int y) {
  return 127 + 40 * std::sin(0.31 * x + 0.7 * y) + 35 * std::sin(0.17 * x - 1.3 * y) +
         30 * std::sin(0.47 * x + 2.1 * y);
}
ImageU8 textured(int width, int height, double shift) {
  ImageU8 image(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      image.at(x, y) = static_cast<std::uint8_t>(std::lround(texture(x + shift, y)));
  return image;
}

TEST(Disparity, recovers_a_sub_pixel_shift) {
  const ImageU8 left = textured(120, 40, 0);
  for (double shift : {0.0, 3.0, 5.25, 7.5, -4.3}) {
    const ImageU8 right = textured(120, 40, shift);
    const DisparityMap map =
        stereo_ssd(left, right, {.min_disparity = -10, .disparities = 24, .window = 9});
    for (int y = 0; y < 40; ++y)
      for (int x = 20; x < 100; ++x) ASSERT_NEAR(map.raw.at(x, y), shift, 0.12) << x << " " << y;
  }
}

TEST(Disparity, cross_check_keeps_consistent_pixels) {
  std::mt19937 random(1);
  ImageU8 left(50, 12), right(50, 12);
  for (auto* image : {&left, &right})
    for (std::uint8_t& v : image->pixels) v = static_cast<std::uint8_t>(random());
  for (double threshold : {-1.0, 0.0, 1.0, 2.5}) {
    SsdOptions o{.min_disparity = -2, .disparities = 20, .window = 3};
    o.filter.cross_check = threshold;
    const test::SsdReference r = test::ssd_reference(left, right, o);
    const DisparityMap map = stereo_ssd(left, right, o);
    int known = 0;
    for (int i = 0; i < 600; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const int d = r.left[at];
      const bool keep =
          d != test::kNoDisparity &&
          (threshold < 0 || std::abs(d - r.right[static_cast<std::size_t>(i - d)]) <= threshold);
      known += keep ? 1 : 0;
      ASSERT_EQ(std::isnan(map.raw.pixels[at]), !keep);
      if (keep) {
        ASSERT_EQ(map.raw.pixels[at],
                  static_cast<float>(d) + static_cast<float>(r.offset[at]) / 32);
      }
      ASSERT_FALSE(std::isnan(map.filled.pixels[at]));
    }
    EXPECT_DOUBLE_EQ(map.density, known / 6.0);
  }
}

ImageU16 background_of(const ImageU16& map) {
  const stereo::ImageSize size{map.width, map.height};
  Queue queue;
  const Device& device = queue.device();
  stereo::DisparityBuffer disparity(device, map.pixels.size());
  const stereo::DisparityBuffer filled(device, map.pixels.size());
  const auto rows = static_cast<std::size_t>(map.height);
  stereo::FillScratch scratch{.disparity = {device, map.pixels.size()},
                              .ends = {},
                              .row_known = {device, rows},
                              .row_source = {device, rows}};
  disparity.upload(queue, map.pixels);
  stereo::fill_unknown(queue, size, Fill::background, 0, disparity, scratch, filled);
  ImageU16 out(map.width, map.height);
  filled.download(queue, std::span<std::uint16_t>(out.pixels));
  return out;
}

TEST(Disparity, fill_takes_the_background) {
  constexpr std::uint16_t o = 0xffff;
  ImageU16 map(6, 4);
  map.pixels = {o, o, o, o, o, o,  //
                o, 5, o, o, 3, o,  //
                o, o, o, o, o, o,  //
                2, o, 7, o, o, o};
  // A 2 lies to the left of the 7, but the second smallest value in its surroundings is the 5.
  EXPECT_EQ(background_of(map).pixels, (std::vector<std::uint16_t>{5, 5, 7, 3, 3, 3,  //
                                                                   5, 5, 3, 5, 3, 3,  //
                                                                   5, 5, 7, 7, 3, 3,  //
                                                                   2, 5, 7, 7, 7, 7}));
}

TEST(Disparity, rows_without_a_value_repeat_the_nearest_row) {
  std::mt19937 random(4);
  for (int round = 0; round < 50; ++round) {
    ImageU16 map(3, 1 + static_cast<int>(random() % 40));
    for (std::uint16_t& v : map.pixels)
      v = random() % 16 == 0 ? static_cast<std::uint16_t>(random() % 500) : test::kUnknownDisparity;
    EXPECT_EQ(background_of(map).pixels, test::reference_background(map).pixels) << round;
  }
}

// An algorithm whose time grows with the square of the rows would take hours here.
TEST(Disparity, tall_images_without_a_value_are_fast) {
  constexpr int kRows = 1 << 21;
  ImageU16 map(1, kRows, 1, test::kUnknownDisparity);
  EXPECT_EQ(background_of(map).pixels, map.pixels);
  map.at(0, 5) = 7;
  EXPECT_EQ(background_of(map).at(0, kRows - 1), 7);
}

SsdOptions filled_by(Fill fill) {
  SsdOptions o{.disparities = 16};
  o.filter.fill = fill;
  return o;
}

TEST(Disparity, no_fill_keeps_unknown_pixels) {
  const ImageU8 left = textured(60, 20, 0), right = textured(60, 20, 4);
  const DisparityMap map = stereo_ssd(left, right, filled_by(Fill::none));
  EXPECT_TRUE(same_bits(map.raw, map.filled));
  EXPECT_LT(map.density, 100);
  for (const Fill fill : {Fill::background, Fill::mean}) {
    const DisparityMap other = stereo_ssd(left, right, filled_by(fill));
    EXPECT_TRUE(same_bits(map.raw, other.raw));
    for (float v : other.filled.pixels) ASSERT_FALSE(std::isnan(v));
  }
}

TEST(Disparity, an_unknown_image_stays_unknown) {
  const DisparityMap map =
      stereo_ssd(ImageU8(8, 5), ImageU8(8, 5), {.min_disparity = 40, .disparities = 3});
  EXPECT_EQ(map.density, 0);
  for (float v : map.filled.pixels) EXPECT_TRUE(std::isnan(v));
}

TEST(Disparity, threads_do_not_change_a_bit) {
  const ImageU8 left = textured(90, 200, 0), right = textured(90, 200, 3.4);
  const auto run = [&](int threads) {
    ThreadLimit limit(threads);
    return stereo_ssd(left, right, {.disparities = 30});
  };
  const DisparityMap one = run(1), two = run(2);
  EXPECT_TRUE(same_bits(one.raw, two.raw));
  EXPECT_TRUE(same_bits(one.filled, two.filled));
}

TEST(Disparity, bad_arguments_name_the_option_and_value) {
  const auto message = [](const ImageU8& left, const ImageU8& right, const SsdOptions& o) {
    try {
      (void)stereo_ssd(left, right, o);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::usage);
      return std::string(e.what());
    }
    return std::string("nothing thrown");
  };
  const ImageU8 good(8, 8);
  for (int window : {-3, 0, 1, 4, 33})
    EXPECT_NE(message(good, good, {.window = window}).find("window = " + std::to_string(window)),
              std::string::npos);
  for (int disparities : {-1, 0, 1025})
    EXPECT_NE(message(good, good, {.disparities = disparities})
                  .find("disparities = " + std::to_string(disparities)),
              std::string::npos);
  EXPECT_NE(message(good, good, {.min_disparity = 1 << 30}).find("min_disparity"),
            std::string::npos);
  EXPECT_NE(message(good, good, {.filter = {.cross_check = std::nan("")}}).find("cross_check"),
            std::string::npos);
  EXPECT_NE(message(good, ImageU8(8, 9), {}).find("8 x 9"), std::string::npos);
  EXPECT_NE(message(good, ImageU8(8, 8, 3), {}).find("grey"), std::string::npos);
  EXPECT_NE(message(ImageU8(), ImageU8(), {}).find("empty"), std::string::npos);
}

TEST(Disparity, score_counts_as_defined) {
  DisparityMap map;
  map.raw = ImageF(4, 2);
  map.filled = ImageF(4, 2);
  ImageF truth(4, 2);
  ImageU16 mask(4, 2, 1, 255);
  truth.pixels = {10, 10, 10, 10, 10, std::numeric_limits<float>::infinity(), kNan, 10};
  map.raw.pixels = {10, 11.5F, 12.5F, kNan, 10, 1, 1, 99};
  map.filled.pixels = {10, 11.5F, 12.5F, 9, kNan, 1, 1, 99};
  mask.pixels[7] = 128;
  const StereoScore s = score_disparity(map, truth, mask);
  EXPECT_EQ(s.scored, 5);
  EXPECT_DOUBLE_EQ(s.density, 80);
  EXPECT_DOUBLE_EQ(s.bad1, 50);
  EXPECT_DOUBLE_EQ(s.bad2, 25);
  EXPECT_DOUBLE_EQ(s.avgerr, 1);
  EXPECT_DOUBLE_EQ(s.bad1_filled, 60);
  EXPECT_DOUBLE_EQ(s.bad2_filled, 40);
  EXPECT_DOUBLE_EQ(s.avgerr_filled, 1.25);
  EXPECT_EQ(score_disparity(map, truth).scored, 6);
  EXPECT_THROW((void)score_disparity(map, ImageF(4, 3)), Error);
}

TEST(Disparity, cloud_has_the_known_points_in_the_left_frame) {
  ImageF disparity(4, 1);
  disparity.pixels = {8, kNan, -5, -2};
  ImageU8 colour(4, 1, 3);
  colour.pixels = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const Intrinsics camera{100, 50, 1, 2};
  const std::vector<CloudPoint> points = disparity_to_cloud(disparity, colour, camera, 2, 0.5);
  ASSERT_EQ(points.size(), 1U);  // the last pixels have d + doffs <= 0
  EXPECT_FLOAT_EQ(points[0].z, 5);
  EXPECT_FLOAT_EQ(points[0].x, -0.05F);
  EXPECT_FLOAT_EQ(points[0].y, -0.2F);
  EXPECT_EQ(points[0].g, 2);
  EXPECT_THROW((void)disparity_to_cloud(disparity, ImageU8(2, 1), camera, 2, 0.5), Error);
  EXPECT_THROW((void)disparity_to_cloud(disparity, colour, camera, 2, 0), Error);
}

// Reads the truth and keeps pixels that the right view's truth confirms within 1 px; all remaining
// pixels become unknown.
ImageF confirmed_truth(const std::string& left, const std::string& right, double scale) {
  ImageF truth = read_disparity(test::data(left), scale);
  const ImageF other = read_disparity(test::data(right), scale);
  for (int y = 0; y < truth.height; ++y) {
    for (int x = 0; x < truth.width; ++x) {
      float& t = truth.at(x, y);
      const double seen = std::nearbyint(x - t);
      const bool inside = seen >= 0 && seen < truth.width;
      if (!inside || !(std::abs(other.at(static_cast<int>(seen), y) - t) <= 1)) t = kNan;
    }
  }
  return truth;
}

StereoScore score_pair(const std::string& left, const std::string& right, int disparities,
                       const ImageF& truth, const ImageU16& mask = {}) {
  const DisparityMap map =
      stereo_ssd(to_grey(read_image(test::data(left))), to_grey(read_image(test::data(right))),
                 {.disparities = disparities, .window = 15});
  return score_disparity(map, truth, mask);
}

TEST(Disparity, motorcycle_is_as_good_as_the_plain_method) {
  BIFOCAL_NEEDS_DATA("middlebury_2014_q/Motorcycle");
  const std::string base = "middlebury_2014_q/Motorcycle/";
  const StereoScore s =
      score_pair(base + "im0.png", base + "im1.png", 70, read_pfm(test::data(base + "disp0GT.pfm")),
                 read_samples(test::data(base + "mask0nocc.png")));
  RecordProperty("bad2_filled", std::to_string(s.bad2_filled));
  EXPECT_EQ(s.scored, 319078);
  EXPECT_LE(s.bad2_filled, 17.0);
}

TEST(Disparity, cones_and_teddy_are_as_good_as_the_plain_method) {
  BIFOCAL_NEEDS_DATA("middlebury_2003/cones");
  for (const auto& [name, bound] :
       {std::pair{std::string("cones"), 11.1}, std::pair{std::string("teddy"), 17.1}}) {
    const std::string base = "middlebury_2003/" + name + "/";
    const StereoScore s = score_pair(base + "im2.png", base + "im6.png", 64,
                                     confirmed_truth(base + "disp2.png", base + "disp6.png", 4));
    RecordProperty("bad2_filled_" + name, std::to_string(s.bad2_filled));
    EXPECT_LE(s.bad2_filled, bound) << name;
  }
}

// Figures of docs/stereo.md for semi-global matching: bad 2 px of the filled pixels, and their
// mean error.
struct Claim {
  std::string folder, left, right, truth, right_truth, mask;
  double scale;
  int disparities;
  double bad2, avgerr;

  // The name of the scene; MotorcycleE has another exposure on the right.
  [[nodiscard]] std::string name() const {
    const std::string scene = std::filesystem::path(folder).parent_path().filename().string();
    return right.starts_with("..") ? scene + "E" : scene;
  }
  friend void PrintTo(const Claim& claim, std::ostream* out) { *out << claim.name(); }
};

std::vector<Claim> claims_of_sgm() {
  const auto third = [](const std::string& name, int disparities, double bad2, double avgerr,
                        const std::string& right = "im1.png") {
    return Claim{"middlebury_2014_q/" + name + "/",
                 "im0.png",
                 right,
                 "disp0GT.pfm",
                 "",
                 "mask0nocc.png",
                 1,
                 disparities,
                 bad2,
                 avgerr};
  };
  const auto second = [](const std::string& folder, const std::string& left,
                         const std::string& right, const std::string& truth,
                         const std::string& right_truth, double scale, int disparities, double bad2,
                         double avgerr) {
    return Claim{folder, left, right, truth, right_truth, "", scale, disparities, bad2, avgerr};
  };
  return {{"middlebury_2001/tsukuba/", "imL.png", "imR.png", "truedisp.pgm", "", "nonocc.png", 16,
           16, 2.21, 0.353},
          second("middlebury_2001/venus/", "im2.ppm", "im6.ppm", "disp2.pgm", "disp6.pgm", 8, 32,
                 0.28, 0.159),
          second("middlebury_2003/cones/", "im2.png", "im6.png", "disp2.png", "disp6.png", 4, 64,
                 2.87, 0.390),
          second("middlebury_2003/teddy/", "im2.png", "im6.png", "disp2.png", "disp6.png", 4, 64,
                 2.58, 0.330),
          third("Motorcycle", 70, 3.71, 0.713),
          third("Adirondack", 73, 1.91, 0.456),
          third("Piano", 65, 9.67, 0.787),
          third("Playtable", 73, 8.44, 1.405),
          third("Motorcycle", 70, 3.38, 0.683, "../MotorcycleE/im1.png"),
          second("middlebury_2006/Midd1/", "view1.png", "view5.png", "disp1.png", "disp5.png", 3,
                 80, 19.47, 2.414),
          second("middlebury_2006/Midd2/", "view1.png", "view5.png", "disp1.png", "disp5.png", 3,
                 80, 21.77, 2.481),
          third("Vintage", 190, 19.33, 2.911),
          third("Shelves", 60, 22.40, 1.731)};
}

class SgmClaims : public testing::TestWithParam<Claim> {};

TEST_P(SgmClaims, are_true) {
  const Claim& c = GetParam();
  BIFOCAL_NEEDS_DATA(c.folder);
  const ImageF truth = c.right_truth.empty()
                           ? read_disparity(test::data(c.folder + c.truth), c.scale)
                           : confirmed_truth(c.folder + c.truth, c.folder + c.right_truth, c.scale);
  ImageU16 mask;
  if (!c.mask.empty()) {
    const ImageU8 picture = read_image(test::data(c.folder + c.mask));  // may have a palette
    mask = ImageU16(picture.width, picture.height);
    for (int y = 0; y < mask.height; ++y) {
      for (int x = 0; x < mask.width; ++x) mask.at(x, y) = picture.at(x, y);
    }
  }
  const DisparityMap map =
      stereo_sgm(read_image(test::data(c.folder + c.left)),
                 read_image(test::data(c.folder + c.right)), {.disparities = c.disparities});
  const StereoScore s = score_disparity(map, truth, mask);
  EXPECT_LE(s.bad2_filled, c.bad2 + 0.1);
  EXPECT_LE(s.avgerr_filled, c.avgerr + 0.01);
}

INSTANTIATE_TEST_SUITE_P(, SgmClaims, testing::ValuesIn(claims_of_sgm()),
                         [](const auto& test) { return test.param.name(); });

}  // namespace
}  // namespace bifocal
