// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/pair_selection.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "collection/vlad.hpp"
#include "runtime/parallel.hpp"

namespace bifocal {
namespace {

using collection::Vocabulary;

constexpr int kTrainingOfAWord = 20;

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorCode::usage, message); }

void check(int images, const RetrievalOptions& o) {
  if (images < 0) fail(fmt::format("ImageIndex: images = {}: must be at least 0", images));
  check_options(o);
}

Features checked(Features f, int image) {
  if (f.descriptors.size() != f.keypoints.size() * kDescriptorBytes)
    fail(fmt::format("ImageIndex: image {}: {} keypoints, but {} bytes of descriptors", image,
                     f.size(), f.descriptors.size()));
  return f;
}

// Returns about o.training descriptors: the same number from each image, evenly spaced among the
// largest features that describe the image.
std::vector<std::uint8_t> training_descriptors(int images,
                                               const std::function<Features(int)>& features,
                                               const RetrievalOptions& o) {
  std::vector<std::uint8_t> all;
  // Large collections are subsampled: every step-th image suffices for the training.
  const int step = std::max(1, images / o.training);
  const int chosen = (images + step - 1) / std::max(step, 1);
  for (int i = 0; i < images; i += step) {
    const auto own = collection::largest_features(checked(features(i), i), o.features);
    const auto count = static_cast<std::int64_t>(own.size() / kDescriptorBytes);
    const std::int64_t wanted = std::min<std::int64_t>(count, (o.training + chosen - 1) / chosen);
    for (std::int64_t k = 0; k < wanted; ++k) {
      const auto at = own.begin() + k * count / wanted * kDescriptorBytes;
      all.insert(all.end(), at, at + kDescriptorBytes);
    }
  }
  return all;
}

// Quantises a vector to 8 bits per coordinate. This precision suffices for a direction, and sums of
// products of such coordinates are exact.
void quantise(const std::vector<float>& vector, std::int8_t* to) {
  float largest = 0;
  for (const float v : vector) largest = std::max(largest, std::abs(v));
  for (std::size_t i = 0; i < vector.size(); ++i)
    to[i] = largest > 0 ? static_cast<std::int8_t>(std::lrint(127 * vector[i] / largest)) : 0;
}

// Returns the exact inner product: sums of 2^16 products of at most 127^2 stay below 2^31.
std::int64_t product(const std::int8_t* a, const std::int8_t* b, std::size_t count) {
  constexpr std::size_t kPiece = 1 << 16;
  std::int64_t sum = 0;
  for (std::size_t first = 0; first < count; first += kPiece) {
    const std::size_t end = std::min(count, first + kPiece);
    int own = 0;
    for (std::size_t i = first; i < end; ++i) own += int{a[i]} * int{b[i]};
    sum += own;
  }
  return sum;
}

}  // namespace

ImageIndex::ImageIndex(int images, const std::function<Features(int)>& features,
                       const RetrievalOptions& options) {
  bifocal::check(images, options);
  norms_.assign(static_cast<std::size_t>(images), 0);
  const auto training = training_descriptors(images, features, options);
  // A word with only a few descriptors coincides with them, so its residuals vanish.
  const auto most_words = static_cast<int>(training.size() / kDescriptorBytes / kTrainingOfAWord);
  const Vocabulary vocabulary = collection::train_vocabulary(
      training, std::clamp(most_words, 1, options.words), options.iterations, options.seed);
  dimensions_ = vocabulary.words * kDescriptorBytes;
  vectors_.resize(norms_.size() * dimensions_);
  for (int i = 0; i < images && dimensions_ > 0; ++i) {
    const auto own = collection::largest_features(checked(features(i), i), options.features);
    std::int8_t* const to = vectors_.data() + static_cast<std::size_t>(i) * dimensions_;
    quantise(collection::vlad(vocabulary, own), to);
    norms_[static_cast<std::size_t>(i)] =
        std::sqrt(static_cast<double>(product(to, to, dimensions_)));
  }
}

const std::int8_t* ImageIndex::vector(int image) const {
  return vectors_.data() + static_cast<std::size_t>(image) * dimensions_;
}

void ImageIndex::check(int image) const {
  if (image < 0 || image >= size())
    fail(fmt::format("ImageIndex: image {}: there are {}", image, size()));
}

double ImageIndex::similarity(int image1, int image2) const {
  check(image1), check(image2);
  const double norm =
      norms_[static_cast<std::size_t>(image1)] * norms_[static_cast<std::size_t>(image2)];
  if (!(norm > 0)) return 0;
  return static_cast<double>(product(vector(image1), vector(image2), dimensions_)) / norm;
}

std::vector<int> ImageIndex::nearest(int image, int count) const {
  check(image);
  if (count < 0) fail(fmt::format("ImageIndex::nearest: count = {}: must be 0 or more", count));
  std::vector<std::pair<double, int>> others;
  if (norms_[static_cast<std::size_t>(image)] > 0) {
    for (int k = 0; k < size(); ++k) {
      if (k != image && norms_[static_cast<std::size_t>(k)] > 0)
        others.emplace_back(-similarity(image, k), k);
    }
  }
  const auto wanted = std::min(others.size(), static_cast<std::size_t>(count));
  std::partial_sort(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(wanted),
                    others.end());
  std::vector<int> best;
  for (std::size_t k = 0; k < wanted; ++k) best.push_back(others[k].second);
  return best;
}

std::vector<ImagePair> retrieval_pairs(const ImageIndex& index, int partners, int step) {
  if (partners < 1)
    fail(fmt::format("retrieval_pairs: partners = {}: must be at least 1", partners));
  if (step < 1) fail(fmt::format("retrieval_pairs: step = {}: must be at least 1", step));
  const int queries = (index.size() + step - 1) / step;
  std::vector<std::vector<int>> found(static_cast<std::size_t>(queries));
  runtime::parallel_for(queries, [&](int q) {
    found[static_cast<std::size_t>(q)] = index.nearest(q * step, partners);
  });
  std::vector<ImagePair> pairs;
  for (int q = 0; q < queries; ++q) {
    for (const int other : found[static_cast<std::size_t>(q)]) pairs.push_back({q * step, other});
  }
  tidy_pairs(pairs);
  return pairs;
}

}  // namespace bifocal
