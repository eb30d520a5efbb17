// SPDX-License-Identifier: BSD-3-Clause
// Selection of features by masks and by caps balanced over the image, for SIFT and SURF on
// every device.
#include <bifocal/device.hpp>
#include <bifocal/error.hpp>
#include <bifocal/features.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

#include "features/pictures.hpp"
#include "support/devices.hpp"

namespace bifocal::test {
namespace {

constexpr int kWidth = 230, kHeight = 171;
using Mask = ImageView<const std::uint8_t>;

// Both detectors, with the options that matter here.
struct Detector {
  const char* name;
  Features (*detect)(Queue& queue, const ImageU8& image, int most, int balance, Mask mask);
};
const Detector kDetectors[] = {
    {"SIFT",
     [](Queue& queue, const ImageU8& image, int most, int balance, Mask mask) {
       return detect_sift(queue, image, {.max_features = most, .balance = balance}, mask);
     }},
    {"SURF", [](Queue& queue, const ImageU8& image, int most, int balance, Mask mask) {
       return detect_surf(queue, image,
                          {.max_features = most, .upsample = true, .balance = balance}, mask);
     }}};

template <class Body>
void for_each_detector(const Body& body) {
  for_each_device([&](Queue& queue, const std::string& id) {
    for (const Detector& detector : kDetectors) {
      SCOPED_TRACE(std::string(detector.name) + ", " + id);
      body([&](const ImageU8& image, int most, int balance, Mask mask) {
        return detector.detect(queue, image, most, balance, mask);
      });
    }
  });
}

void expect_same(const Features& f, const Features& all, const std::vector<int>& chosen) {
  ASSERT_EQ(f.keypoints.size(), chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto from = static_cast<std::size_t>(chosen[i]);
    EXPECT_EQ(0, std::memcmp(&f.keypoints[i], &all.keypoints[from], sizeof(Keypoint))) << i;
    EXPECT_EQ(0, std::memcmp(&f.descriptors[128 * i], &all.descriptors[128 * from], 128)) << i;
  }
}

std::pair<int, int> pixel_of(const Keypoint& k) {
  return {std::clamp(int(std::lround(k.x)), 0, kWidth - 1),
          std::clamp(int(std::lround(k.y)), 0, kHeight - 1)};
}

// Reference: in each round every cell gives its strongest remaining feature, the strongest
// cell first.
std::vector<int> chosen_in_turn(const Features& all, int most, int balance) {
  const int side = (kWidth + balance - 1) / balance;
  std::map<std::pair<int, int>, std::vector<int>> cells;
  for (int i = 0; i < all.size(); ++i) {
    const auto [x, y] = pixel_of(all.keypoints[std::size_t(i)]);
    cells[{x / side, y / side}].push_back(i);
  }
  std::vector<int> chosen;
  for (std::size_t round = 0; chosen.size() < std::size_t(most); ++round) {
    std::vector<int> taken;
    for (const auto& [cell, list] : cells) {
      if (round < list.size()) taken.push_back(list[round]);
    }
    std::sort(taken.begin(), taken.end());  // the output is in order of strength
    for (int i : taken) {
      if (chosen.size() < std::size_t(most)) chosen.push_back(i);
    }
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

TEST(Selection, rounds_take_the_strongest_feature_of_each_cell) {
  const ImageU8 image = random_blobs(kWidth, kHeight, 7);
  for_each_detector([&](const auto& detect) {
    const Features all = detect(image, 0, 0, {});
    ASSERT_GT(all.size(), 120);
    for (const auto& [most, balance] :
         {std::pair(60, 4), {60, 1}, {60, 16}, {100, 7}, {1, 5}, {60, 128}}) {
      SCOPED_TRACE(std::to_string(most) + " in " + std::to_string(balance));
      expect_same(detect(image, most, balance, {}), all, chosen_in_turn(all, most, balance));
    }
    std::vector<int> everything(static_cast<std::size_t>(all.size()));
    for (int i = 0; i < all.size(); ++i) everything[std::size_t(i)] = i;
    expect_same(detect(image, 5000, 4, {}), all, everything);
    expect_same(detect(image, 0, 4, {}), all, everything);
  });
}

// The list has more keys than are sorted in one piece, and more than one piece per group.
TEST(Selection, large_lists_are_balanced_over_cells) {
  const ImageU8 image = noise(kWidth, kHeight, 4);
  for_each_detector([&](const auto& detect) {
    const Features all = detect(image, 0, 0, {});
    ASSERT_GT(all.size(), 200);  // SURF has 1900
    for (int most : {all.size() / 3, all.size() - 40})
      expect_same(detect(image, most, 3, {}), all, chosen_in_turn(all, most, 3));
  });
}

TEST(Selection, masks_keep_allowed_features) {
  const ImageU8 image = random_blobs(kWidth, kHeight, 7);
  ImageU8 wide(kWidth + 13, kHeight, 1, 77);  // with a gap between its rows
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x)
      wide.at(x, y) = (x / 31 + y / 23) % 3 ? 0 : std::uint8_t(x | 1);
  }
  const Mask mask(wide.pixels.data(), kWidth, kHeight, 1, kWidth + 13);
  const ImageU8 nothing(kWidth, kHeight);
  for_each_detector([&](const auto& detect) {
    const Features all = detect(image, 0, 0, {});
    std::vector<int> allowed;
    for (int i = 0; i < all.size(); ++i) {
      const auto [x, y] = pixel_of(all.keypoints[std::size_t(i)]);
      if (mask.at(x, y) != 0) allowed.push_back(i);
    }
    ASSERT_GT(allowed.size(), 25U);
    ASSERT_LT(allowed.size(), all.keypoints.size() / 2);
    const Features some = detect(image, 0, 0, mask);
    expect_same(some, all, allowed);
    // A cap counts only features that the mask allows.
    expect_same(detect(image, 20, 0, mask), all, {allowed.begin(), allowed.begin() + 20});
    expect_same(detect(image, 20, 6, mask), some, chosen_in_turn(some, 20, 6));
    EXPECT_EQ(detect(image, 0, 0, nothing).size(), 0);
  });
}

TEST(Selection, detectors_keep_their_mask) {
  std::vector<ImageU8> pictures;
  for (unsigned seed = 1; seed <= 3; ++seed)
    pictures.push_back(random_blobs(kWidth, kHeight, seed));
  const std::vector<ImageView<const std::uint8_t>> views(pictures.begin(), pictures.end());
  ImageU8 half(kWidth, kHeight);
  for (int y = 0; y < kHeight; ++y) std::fill_n(half.row(y), kWidth / 2, std::uint8_t{255});
  for_each_device([&](Queue& queue, const std::string& id) {
    const SurfOptions options{.max_features = 40, .balance = 5};
    SurfDetector detector(queue, kWidth, kHeight, options, 2);
    const std::vector<Features> before = detector(views);
    detector.set_mask(half);
    const std::vector<Features> masked = detector(views);
    for (std::size_t k = 0; k < views.size(); ++k) {
      const Features expected = detect_surf(queue, views[k], options, half);
      EXPECT_GT(expected.size(), 5) << id;
      for (const Keypoint& p : expected.keypoints) EXPECT_LT(p.x, kWidth / 2 + 0.5F) << id;
      EXPECT_EQ(masked[k].descriptors, expected.descriptors) << id;
    }
    detector.set_mask({});
    const std::vector<Features> after = detector(views);
    EXPECT_EQ(after[2].descriptors, before[2].descriptors) << id;
    EXPECT_NE(after[2].descriptors, masked[2].descriptors) << id;
    EXPECT_THROW(detector.set_mask(ImageU8(kWidth, kHeight + 1)), Error) << id;
  });
}

template <class Call>
void expect_refused(const Call& call, const std::string& text) {
  try {
    call();
    ADD_FAILURE() << text << " not refused";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::usage);
    EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
  }
}

TEST(Selection, refuses_invalid_masks_and_balances) {
  const ImageU8 image(30, 20);
  for_each_detector([&](const auto& detect) {
    for (int balance : {-1, 129})
      expect_refused([&] { (void)detect(image, 0, balance, {}); },
                     "balance = " + std::to_string(balance));
    expect_refused([&] { (void)detect(image, 0, 0, ImageU8(20, 30)); }, "mask of 20 x 30 px");
    expect_refused([&] { (void)detect(image, 0, 0, ImageU8(30, 20, 3)); }, "with 3 channels");
    expect_refused([&] { (void)detect(image, 0, 0, Mask(nullptr, 30, 20)); }, "mask");
    EXPECT_EQ(detect(image, 0, 3, ImageU8(30, 20, 1, 1)).size(), 0);
  });
}

}  // namespace
}  // namespace bifocal::test
