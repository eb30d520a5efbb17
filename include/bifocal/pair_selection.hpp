// SPDX-License-Identifier: BSD-3-Clause
// Which pairs of a collection are worth matching: all of them, those that pass a
// screen, neighbours in a sequence, images that look alike, that were taken near each other, or
// that a file lists.
//
//   const ImageIndex index(images, [&](int i) { return features[i]; });
//   std::vector<ImagePair> pairs = retrieval_pairs(index, 20);
//
// Every list has image1 < image2, is ordered by image1, then image2, and has no pair twice. All is
// the same for any number of threads, and on every machine.
#pragma once

#include <bifocal/features.hpp>
#include <bifocal/fields.hpp>
#include <bifocal/matching.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bifocal {

// Every pair of two images once: (0, 1), (0, 2), ..., (1, 2), ...
[[nodiscard]] std::vector<ImagePair> all_pairs(int images);

// Brings any list into that form: images of a pair in order, pairs ordered, each once. A pair of an
// image with itself is dropped.
void tidy_pairs(std::vector<ImagePair>& pairs);

// Each image with the `overlap` next ones; with `quadratic` also with those 1, 2, 4, ...,
// 2^(overlap - 1) places on, so that a slip of a few images does not break the chain (the rules of
// COLMAP's sequential matcher). Throws Error(usage) when overlap is below 1.
struct SequentialOptions {
  int overlap = 10;
  bool quadratic = true;
};
constexpr const char* name_of(const SequentialOptions&) { return "SequentialOptions"; }
template <MaybeConst<SequentialOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [overlap, quadratic] = options;
  BIFOCAL_FIELD(overlap, "neighbours of an image", Range::at_least(1));
  BIFOCAL_FIELD(quadratic, "with each image those 1, 2, 4, ... places further on, too");
}
[[nodiscard]] std::vector<ImagePair> sequential_pairs(int images,
                                                      const SequentialOptions& options = {});

// How alike images look, from their own features: no training data of others, nothing to fetch. A
// vocabulary of `words` centres is found among the collection's descriptors by k-means; an image is
// described by the sums of the residuals of its features from their nearest centres (VLAD), each
// sum normalised, then the signed square root of each number; images are alike when these vectors
// point the same way.
//   H. Jegou, M. Douze, C. Schmid, P. Perez, Aggregating local descriptors into a compact image
//   representation, CVPR 2010;  R. Arandjelovic, A. Zisserman, All about VLAD, CVPR 2013.
struct RetrievalOptions {
  int words = 128;      // at most one for 20 training descriptors
  int features = 2000;  // those of the largest scale: they are seen from afar, too
  int training = 100000;
  int iterations = 15;
  std::uint64_t seed = 0;
};
constexpr const char* name_of(const RetrievalOptions&) { return "RetrievalOptions"; }
template <MaybeConst<RetrievalOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [words, features, training, iterations, seed] = options;
  BIFOCAL_FIELD(words, "centres of the vocabulary", Range::within(1, 4096));
  BIFOCAL_FIELD(features, "features of an image that describe it, those of the largest scale",
                Range::at_least(1));
  BIFOCAL_FIELD(training, "descriptors that the vocabulary is found among, of all images alike",
                Range::within(1, 1 << 24));
  BIFOCAL_FIELD(iterations, "rounds of k-means", Range::within(1, 10000));
  BIFOCAL_FIELD(seed, "seed of k-means");
}

class ImageIndex {
 public:
  // `features(i)` gives the features of image i; it is called at most twice for each, from this
  // thread. Memory: 128 bytes a word and image (16 kB an image as a rule), 128 bytes a training
  // descriptor, the features of one image. Throws Error(usage) naming an option out of range, and
  // for descriptors that don't fit the keypoints.
  ImageIndex(int images, const std::function<Features(int)>& features,
             const RetrievalOptions& options = {});

  [[nodiscard]] int size() const { return static_cast<int>(norms_.size()); }  // images
  // Cosine of the angle between two images' vectors, [-1, 1]; 0 for an image without features.
  // Throws Error(usage) for an image that is not there.
  [[nodiscard]] double similarity(int image1, int image2) const;
  // The images most alike, best first, ties by number: at most `count`, not the image itself and
  // none without features.
  [[nodiscard]] std::vector<int> nearest(int image, int count) const;

 private:
  [[nodiscard]] const std::int8_t* vector(int image) const;
  void check(int image) const;
  std::size_t dimensions_ = 0;
  std::vector<std::int8_t> vectors_;  // [images, dimensions]
  std::vector<double> norms_;         // of the vectors; 0: no features
};

// Each image (of every `step`-th, from the first) with the `partners` most alike: as many again
// may choose it. Throws Error(usage) when partners or step is below 1.
[[nodiscard]] std::vector<ImagePair> retrieval_pairs(const ImageIndex& index, int partners,
                                                     int step = 1);

// Verification found this of a pair.
struct PairInliers {
  ImagePair pair{};
  int inliers = 0;
};
// Pairs that verified ones suggest: images that share a partner are likely to show the same. In
// turn, `most` times, each of `images` images proposes the best other one that it has not been
// tried with and that is in no proposal with it yet: one that is reached over a partner is as good
// as the worse of the two pairs on the way, at its best partner; ties by number. result[i] has the
// proposals of image i. Throws Error(usage) for images that are not there.
[[nodiscard]] std::vector<std::vector<int>> suggested_partners(int images,
                                                               std::span<const PairInliers> tried,
                                                               int most);

// Screening: most pairs of a collection show nothing in common, and a few matches among the
// features of largest scale tell, at 1/64 of the cost of matching 8192 features.
// docs/notes/collections.md has how the numbers were chosen.
//   C. Wu, Towards linear-time incremental structure from motion, 3DV 2013.
struct ScreenOptions {
  int features = 1024;  // ties go to the lower index
  int min_matches = 6;
  double max_ratio = 0.75;
};
constexpr const char* name_of(const ScreenOptions&) { return "ScreenOptions"; }
template <MaybeConst<ScreenOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [features, min_matches, max_ratio] = options;
  BIFOCAL_FIELD(features, "largest features of each image that are matched", Range::at_least(1));
  BIFOCAL_FIELD(min_matches, "matches among the largest features of each that a pair needs",
                Range::at_least(0));
  BIFOCAL_FIELD(max_ratio, "nearest over second nearest distance; matches are mutual",
                Range::above(0));
}
// How many of these features match, of each pair of the set: the same number on every device.
// Throws Error(usage) for options out of range, and as match() does.
[[nodiscard]] std::vector<int> screen_pairs(Queue& queue, const FeatureSet& set,
                                            std::span<const ImagePair> pairs,
                                            const ScreenOptions& options = {});

// A pair that the screen left out, and how many of its largest features match.
struct ScreenedPair {
  ImagePair pair{};
  int matches = 0;
};
// Components of a graph of images, which pairs join one after another (union-find).
class ImageComponents {
 public:
  explicit ImageComponents(int images);
  // Returns the lowest image of the component that an image is in.
  [[nodiscard]] int of(int image);
  // Joins the components of two images, and says whether they were two.
  bool join(const ImagePair& pair);

 private:
  std::vector<int> parent_;
};

// Chooses the pairs that are most likely to link the components in which verified pairs leave the
// images: for each component the `most` pairs to others that have most matches, ties by number.
// Throws Error(usage) for images that are not there.
[[nodiscard]] std::vector<ImagePair> linking_pairs(int images, std::span<const ImagePair> verified,
                                                   std::span<const ScreenedPair> left_out,
                                                   int most);

// Each image with the `most` nearest ones among those not further away. Images without a position
// are in no pair. Throws Error(usage) naming an image whose position is not on the sphere (|lat| <=
// 90, |lon| <= 180), and options out of range.
struct NearOptions {
  double max_distance_m = 100;
  int most = 50;
};
constexpr const char* name_of(const NearOptions&) { return "NearOptions"; }
template <MaybeConst<NearOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [max_distance_m, most] = options;
  BIFOCAL_FIELD(max_distance_m, "largest distance of a pair", Range::at_least(0), "m");
  BIFOCAL_FIELD(most, "pairs of an image, at most", Range::at_least(1));
}
[[nodiscard]] std::vector<ImagePair> near_pairs(
    std::span<const std::optional<GeoPosition>> positions, const NearOptions& options = {});

// The pairs that a text file lists, two names of images a line; empty lines and lines that begin
// with # are skipped. A name may contain blanks where only one way to cut the line gives two names
// that are there. Throws Error(input) naming file, line and what is wrong: no two names, a name
// that is not in the list, an image with itself.
[[nodiscard]] std::vector<ImagePair> read_pairs(const std::filesystem::path& file,
                                                std::span<const std::string> names);

}  // namespace bifocal
