// SPDX-License-Identifier: BSD-3-Clause
// The file is compiled without fused multiply-adds (CMakeLists.txt), so that all machines give
// the same bits.
#include "collection/vlad.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "collection/screen.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::collection {
namespace {

constexpr std::size_t kDimensions = kDescriptorBytes;
constexpr std::size_t kWordStep = 16;  // words compared with a descriptor at once
constexpr std::size_t kTogether = 4;   // descriptors compared with the words at once
constexpr std::size_t kChunk = 2048;   // descriptors per work package

// Assigns kTogether descriptors to their nearest words. The products of each descriptor
// with kWordStep words stay in registers; they are summed in the order of the dimensions
// for any register width.
void assign(const Vocabulary& v, const std::uint8_t* descriptors, int* words) {
  float x[kTogether][kDimensions];
  for (std::size_t q = 0; q < kTogether; ++q)
    for (std::size_t d = 0; d < kDimensions; ++d)
      x[q][d] = static_cast<float>(descriptors[q * kDimensions + d]);
  float best[kTogether];
  std::fill_n(best, kTogether, -std::numeric_limits<float>::infinity());
  for (std::size_t first = 0; first < v.stride(); first += kWordStep) {
    float score[kTogether][kWordStep] = {};
    for (std::size_t d = 0; d < kDimensions; ++d) {
      const float* centre = v.centres.data() + d * v.stride() + first;
      for (std::size_t q = 0; q < kTogether; ++q)
        for (std::size_t w = 0; w < kWordStep; ++w) score[q][w] += x[q][d] * centre[w];
    }
    for (std::size_t q = 0; q < kTogether; ++q)
      for (std::size_t w = 0; w < kWordStep; ++w) {
        const float own = score[q][w] - v.half_norm[first + w];
        if (own > best[q]) best[q] = own, words[q] = static_cast<int>(first + w);
      }
  }
}

Vocabulary make_vocabulary(std::size_t words) {
  const std::size_t stride = (words + kWordStep - 1) / kWordStep * kWordStep;
  return {words, std::vector<float>(kDimensions * stride),
          std::vector<float>(stride, std::numeric_limits<float>::max())};
}

void set_centre(Vocabulary& v, std::size_t word, const std::array<double, kDimensions>& centre) {
  double norm2 = 0;
  for (std::size_t d = 0; d < kDimensions; ++d) {
    v.centres[d * v.stride() + word] = static_cast<float>(centre[d]);
    norm2 += centre[d] * centre[d];
  }
  v.half_norm[word] = static_cast<float>(norm2 / 2);
}

// Draws `wanted` different indices from [0, count), determined by the seed.
std::vector<std::size_t> choose(std::size_t count, std::size_t wanted, std::uint64_t seed) {
  std::vector<std::size_t> places(count);
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < wanted; ++i)
    std::swap(places[i], places[i + static_cast<std::size_t>(random() % (count - i))]);
  places.resize(wanted);
  return places;
}

// Number and sum of the descriptors assigned to each word.
struct Sums {
  std::vector<std::int64_t> count, sum;  // [words], [words, 128]
};
Sums sum_by_word(const Vocabulary& v, std::span<const std::uint8_t> descriptors,
                 std::span<const int> words) {
  Sums sums{std::vector<std::int64_t>(v.words), std::vector<std::int64_t>(v.words * kDimensions)};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto word = static_cast<std::size_t>(words[i]);
    ++sums.count[word];
    for (std::size_t d = 0; d < kDimensions; ++d)
      sums.sum[word * kDimensions + d] += descriptors[i * kDimensions + d];
  }
  return sums;
}

}  // namespace

void assign_words(const Vocabulary& v, std::span<const std::uint8_t> descriptors,
                  std::span<int> words) {
  const int chunks = static_cast<int>((words.size() + kChunk - 1) / kChunk);
  runtime::parallel_for(chunks, [&](int chunk) {
    const std::size_t begin = static_cast<std::size_t>(chunk) * kChunk;
    const std::size_t end = std::min(begin + kChunk, words.size());
    for (std::size_t i = begin; i < end; i += kTogether) {
      std::uint8_t some[kTogether * kDimensions] = {};
      int found[kTogether] = {};
      const std::size_t count = std::min(kTogether, end - i);
      std::copy_n(descriptors.data() + i * kDimensions, count * kDimensions, some);
      assign(v, some, found);
      std::copy_n(found, count, words.data() + i);
    }
  });
}

Vocabulary train_vocabulary(std::span<const std::uint8_t> descriptors, int words, int iterations,
                            std::uint64_t seed) {
  const std::size_t count = descriptors.size() / kDimensions;
  Vocabulary v = make_vocabulary(std::min(static_cast<std::size_t>(words), count));
  std::array<double, kDimensions> centre{};
  const std::vector<std::size_t> first = choose(count, v.words, seed);
  for (std::size_t w = 0; w < v.words; ++w) {
    std::copy_n(descriptors.data() + first[w] * kDimensions, kDimensions, centre.begin());
    set_centre(v, w, centre);
  }
  std::vector<int> nearest(count), before;
  for (int iteration = 0; iteration < iterations; ++iteration) {
    assign_words(v, descriptors, nearest);
    if (nearest == before) break;
    before = nearest;
    const Sums sums = sum_by_word(v, descriptors, nearest);
    for (std::size_t w = 0; w < v.words; ++w) {
      if (sums.count[w] == 0) continue;  // a word without descriptors keeps its centre
      for (std::size_t d = 0; d < kDimensions; ++d)
        centre[d] = double(sums.sum[w * kDimensions + d]) / double(sums.count[w]);
      set_centre(v, w, centre);
    }
  }
  return v;
}

std::vector<float> vlad(const Vocabulary& v, std::span<const std::uint8_t> descriptors) {
  std::vector<int> words(descriptors.size() / kDimensions);
  assign_words(v, descriptors, words);
  const Sums sums = sum_by_word(v, descriptors, words);
  std::vector<double> residuals(v.words * kDimensions);
  double all2 = 0;
  for (std::size_t w = 0; w < v.words; ++w) {
    double* cell = residuals.data() + w * kDimensions;
    double norm2 = 0;
    for (std::size_t d = 0; d < kDimensions; ++d) {
      cell[d] = double(sums.sum[w * kDimensions + d]) -
                double(sums.count[w]) * double(v.centres[d * v.stride() + w]);
      norm2 += cell[d] * cell[d];
    }
    if (!(norm2 > 0)) continue;
    const double norm = std::sqrt(norm2);
    for (std::size_t d = 0; d < kDimensions; ++d) {
      cell[d] = std::copysign(std::sqrt(std::abs(cell[d]) / norm), cell[d]);
      all2 += cell[d] * cell[d];
    }
  }
  std::vector<float> vector(residuals.size());
  const double scale = all2 > 0 ? 1 / std::sqrt(all2) : 0;
  std::transform(residuals.begin(), residuals.end(), vector.begin(),
                 [=](double r) { return static_cast<float>(r * scale); });
  return vector;
}

std::vector<std::uint8_t> largest_features(const Features& f, int most) {
  return features_at(f, largest_keypoints(f.keypoints, most)).descriptors;
}

}  // namespace bifocal::collection
