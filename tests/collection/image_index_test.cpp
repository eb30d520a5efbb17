// SPDX-License-Identifier: BSD-3-Clause
// Retrieval of similar images: vectors are compared with a plain reference, rankings are tested on
// scenes whose images share features.
#include <bifocal/error.hpp>
#include <bifocal/pair_selection.hpp>
#include <bifocal/device.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "collection/vlad.hpp"

namespace bifocal::test {
namespace {

// Adds a descriptor near one of 40 prototypes, because descriptors of images cluster by content.
void add_feature(Features& f, std::mt19937& random, unsigned prototype, float sigma) {
  std::mt19937 shape(prototype);
  f.keypoints.push_back({float(random() % 800), float(random() % 600), sigma, 0, 1});
  for (int k = 0; k < kDescriptorBytes; ++k) {
    const int value = int(shape() % 120) + int(random() % 30);
    f.descriptors.push_back(std::uint8_t(value));
  }
}

// Returns image `number` of a scene: 45 of its 60 features are near the scene's own ten prototypes.
Features view_of(unsigned scene, unsigned number, int count = 60) {
  std::mt19937 random(100 * scene + number);
  Features f;
  for (int i = 0; i < count; ++i) {
    const unsigned own = 1000 + 10 * scene + random() % 10, any = 1000 + random() % 40;
    add_feature(f, random, i % 4 < 3 ? own : any, 1 + float(i % 7));
  }
  return f;
}

std::vector<Features> four_scenes(int count = 60) {
  std::vector<Features> images;
  for (unsigned i = 0; i < 24; ++i) images.push_back(view_of(i % 4, i, count));
  return images;
}

ImageIndex index_of(const std::vector<Features>& images, const RetrievalOptions& options = {}) {
  return {static_cast<int>(images.size()), [&](int i) { return images[std::size_t(i)]; }, options};
}

std::vector<double> plain_vlad(const collection::Vocabulary& v, const Features& f) {
  std::vector<double> all(v.words * kDescriptorBytes);
  for (int i = 0; i < f.size(); ++i) {
    double best = 1e30;
    std::size_t word = 0;
    for (std::size_t w = 0; w < v.words; ++w) {
      double d2 = 0;
      for (std::size_t d = 0; d < kDescriptorBytes; ++d)
        d2 += std::pow(f.descriptors[std::size_t(i) * kDescriptorBytes + d] -
                           double(v.centres[d * v.stride() + w]),
                       2);
      if (d2 < best) best = d2, word = w;
    }
    for (std::size_t d = 0; d < kDescriptorBytes; ++d)
      all[word * kDescriptorBytes + d] += f.descriptors[std::size_t(i) * kDescriptorBytes + d] -
                                          double(v.centres[d * v.stride() + word]);
  }
  for (std::size_t w = 0; w < v.words; ++w) {
    double norm2 = 0;
    for (std::size_t d = 0; d < kDescriptorBytes; ++d)
      norm2 += std::pow(all[w * kDescriptorBytes + d], 2);
    for (std::size_t d = 0; d < kDescriptorBytes && norm2 > 0; ++d)
      all[w * kDescriptorBytes + d] /= std::sqrt(norm2);
  }
  double norm2 = 0;
  for (double& value : all) {
    value = std::copysign(std::sqrt(std::abs(value)), value);
    norm2 += value * value;
  }
  for (double& value : all) value /= norm2 > 0 ? std::sqrt(norm2) : 1;
  return all;
}

TEST(Vlad, equals_plain_sums) {
  const std::vector<Features> images = four_scenes();
  std::vector<std::uint8_t> training;
  for (const Features& f : images)
    training.insert(training.end(), f.descriptors.begin(), f.descriptors.end());
  const auto vocabulary = collection::train_vocabulary(training, 19, 10, 3);
  ASSERT_EQ(vocabulary.words, 19U);
  for (const Features& f : images) {
    const auto expected = plain_vlad(vocabulary, f);
    const auto found = collection::vlad(vocabulary, f.descriptors);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-5) << i;
  }
}

TEST(Vlad, k_means_lowers_the_distances_to_the_centres) {
  const std::vector<Features> images = four_scenes();
  std::vector<std::uint8_t> training;
  for (const Features& f : images)
    training.insert(training.end(), f.descriptors.begin(), f.descriptors.end());
  const auto cost = [&](int iterations) {
    const auto v = collection::train_vocabulary(training, 30, iterations, 5);
    std::vector<int> words(training.size() / kDescriptorBytes);
    collection::assign_words(v, training, words);
    double sum = 0;
    for (std::size_t i = 0; i < training.size(); ++i) {
      const auto word = std::size_t(words[i / kDescriptorBytes]);
      sum += std::pow(training[i] - double(v.centres[i % kDescriptorBytes * v.stride() + word]), 2);
    }
    return sum;
  };
  const double start = cost(0), once = cost(1), end = cost(15);
  EXPECT_LT(once, start);
  EXPECT_LT(end, once);
}

TEST(Vlad, the_features_of_the_largest_scale_are_taken) {
  Features f;
  std::mt19937 random(1);
  for (int i = 0; i < 10; ++i) add_feature(f, random, unsigned(i), float((i * 7) % 10 / 2));
  const auto three = collection::largest_features(f, 3);
  std::vector<std::uint8_t> expected;
  std::vector<int> order = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return f.keypoints[std::size_t(a)].sigma > f.keypoints[std::size_t(b)].sigma;
  });
  order.resize(3);
  std::sort(order.begin(), order.end());
  for (const int i : order)
    expected.insert(expected.end(), f.descriptors.begin() + i * kDescriptorBytes,
                    f.descriptors.begin() + (i + 1) * kDescriptorBytes);
  EXPECT_EQ(three, expected);
  EXPECT_EQ(collection::largest_features(f, 10), f.descriptors);
  EXPECT_EQ(collection::largest_features(f, 99), f.descriptors);
}

TEST(ImageIndex, finds_the_images_of_the_same_scene) {
  const std::vector<Features> images = four_scenes(240);
  const ImageIndex index = index_of(images, {.words = 8});
  for (int i = 0; i < index.size(); ++i) {
    const std::vector<int> best = index.nearest(i, 5);
    ASSERT_EQ(best.size(), 5U);
    for (const int other : best) EXPECT_EQ(other % 4, i % 4) << i;
  }
  // Retrieved pairs join images of one scene: six images in each of four scenes give 15 pairs each.
  const auto pairs = retrieval_pairs(index, 5);
  EXPECT_EQ(pairs.size(), 60U);
  for (const ImagePair& p : pairs) EXPECT_EQ(p.image1 % 4, p.image2 % 4);
}

TEST(ImageIndex, is_the_same_for_any_number_of_threads) {
  const std::vector<Features> images = four_scenes();
  const ImageIndex index = index_of(images, {.words = 50});
  const ThreadLimit one(1);
  const ImageIndex again = index_of(images, {.words = 50});
  for (int i = 0; i < index.size(); ++i)
    for (int k = 0; k < index.size(); ++k)
      ASSERT_EQ(index.similarity(i, k), again.similarity(i, k)) << i << ' ' << k;
}

TEST(ImageIndex, is_symmetric_and_one_for_copies) {
  std::vector<Features> images = four_scenes();
  images.push_back(images[3]);
  const ImageIndex index = index_of(images);
  EXPECT_NEAR(index.similarity(3, 24), 1, 1e-12);
  EXPECT_NEAR(index.similarity(5, 5), 1, 1e-12);
  EXPECT_EQ(index.similarity(2, 9), index.similarity(9, 2));
  EXPECT_EQ(index.nearest(24, 1), std::vector<int>{3});
  EXPECT_EQ(index.nearest(3, 1), std::vector<int>{24});
}

TEST(ImageIndex, images_without_features_have_no_partners) {
  std::vector<Features> images = {view_of(0, 0), {}, view_of(0, 1), {}, view_of(1, 2)};
  const ImageIndex index = index_of(images);
  EXPECT_TRUE(index.nearest(1, 10).empty());
  EXPECT_EQ(index.similarity(1, 2), 0);
  EXPECT_EQ(index.nearest(0, 10).size(), 2U);
  for (const ImagePair& p : retrieval_pairs(index, 10)) {
    EXPECT_NE(p.image1 % 2, 1);
    EXPECT_NE(p.image2 % 2, 1);
  }
  EXPECT_TRUE(retrieval_pairs(index_of({{}, {}}), 3).empty());
}

TEST(ImageIndex, works_for_few_images) {
  EXPECT_TRUE(retrieval_pairs(index_of({}), 3).empty());
  EXPECT_TRUE(retrieval_pairs(index_of({view_of(0, 0)}), 3).empty());
  EXPECT_EQ(retrieval_pairs(index_of({view_of(0, 0), view_of(1, 1)}), 3).size(), 1U);
  // Fewer descriptors than words.
  const ImageIndex index = index_of({view_of(0, 0, 3), view_of(0, 1, 2)}, {.words = 128});
  EXPECT_EQ(retrieval_pairs(index, 3).size(), 1U);
}

TEST(ImageIndex, asks_only_for_every_step_th_image) {
  const ImageIndex index = index_of(four_scenes());
  const auto pairs = retrieval_pairs(index, 2, 10);
  EXPECT_LE(pairs.size(), 6U);
  EXPECT_GE(pairs.size(), 3U);
  for (const ImagePair& p : pairs) EXPECT_TRUE(p.image1 % 10 == 0 || p.image2 % 10 == 0);
}

TEST(ImageIndex, names_errors) {
  const std::vector<Features> images = {view_of(0, 0), view_of(0, 1)};
  const auto fails = [&](const auto& body, const std::string& what) {
    try {
      body();
      ADD_FAILURE() << "nothing thrown: " << what;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::usage);
      EXPECT_NE(std::string(e.what()).find(what), std::string::npos) << e.what();
    }
  };
  fails([&] { index_of(images, {.words = 0}); }, "words = 0");
  fails([&] { index_of(images, {.words = 5000}); }, "words = 5000");
  fails([&] { index_of(images, {.features = 0}); }, "features = 0");
  fails([&] { index_of(images, {.training = 0}); }, "training = 0");
  fails([&] { index_of(images, {.iterations = 0}); }, "iterations = 0");
  fails([&] { ImageIndex(-1, {}); }, "images = -1");
  const ImageIndex index = index_of(images);
  fails([&] { (void)index.similarity(0, 2); }, "image 2");
  fails([&] { (void)index.nearest(-1, 2); }, "image -1");
  fails([&] { (void)index.nearest(0, -2); }, "count = -2");
  fails([&] { (void)retrieval_pairs(index, 0); }, "partners = 0");
  fails([&] { (void)retrieval_pairs(index, 1, 0); }, "step = 0");
  std::vector<Features> torn = images;
  torn[1].descriptors.pop_back();
  fails([&] { index_of(torn); }, "image 1");
}

}  // namespace
}  // namespace bifocal::test
