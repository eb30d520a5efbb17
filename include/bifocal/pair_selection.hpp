// SPDX-License-Identifier: BSD-3-Clause
// Selection of the image pairs of a collection that are worth matching: all pairs, pairs that pass
// a screen, neighbours in a sequence, similar images, images taken close together, or pairs listed
// in a file.
//
//   const ImageIndex index(images, [&](int i) { return features[i]; });
//   std::vector<ImagePair> pairs = retrieval_pairs(index, 20);
//
// Every list has image1 < image2, is ordered by image1, then image2, and contains no pair twice.
// Results are the same for any number of threads and on every machine.
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

// Returns every pair of two images once: (0, 1), (0, 2), ..., (1, 2), ...
[[nodiscard]] std::vector<ImagePair> all_pairs(int images);

// Normalises a list of pairs: orders the two images of a pair, sorts the pairs, and removes
// duplicates and pairs of an image with itself.
void tidy_pairs(std::vector<ImagePair>& pairs);

// Neighbours in a sequence: each image is paired with the next `overlap` images. With `quadratic`
// it is also paired with the images 1, 2, 4, ..., 2^(overlap - 1) positions later, so that a few
// bad images do not break the chain. These are the rules of COLMAP's sequential matcher.
struct SequentialOptions {
  int overlap = 10;
  bool quadratic = true;
};
constexpr const char* name_of(const SequentialOptions&) { return "SequentialOptions"; }
template <MaybeConst<SequentialOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [overlap, quadratic] = options;
  BIFOCAL_FIELD(overlap, "next images that each image is paired with", Range::at_least(1));
  BIFOCAL_FIELD(quadratic, "also pair images at distances of 1, 2, 4, ... positions");
}
// Returns the pairs of `images` consecutive images. Throws Error(usage) if overlap is below 1.
[[nodiscard]] std::vector<ImagePair> sequential_pairs(int images,
                                                      const SequentialOptions& options = {});

// Similarity of images computed from their own features, without external training data. K-means
// finds a vocabulary of `words` centres among the descriptors of the collection. The vector of an
// image (VLAD) holds, for each centre, the normalised sum of the residuals of the nearest features;
// each number is then replaced by its signed square root. Similar images have a small angle between
// their vectors.
//   H. Jegou, M. Douze, C. Schmid, P. Perez, Aggregating local descriptors into a compact image
//   representation, CVPR 2010;  R. Arandjelovic, A. Zisserman, All about VLAD, CVPR 2013.
struct RetrievalOptions {
  int words = 128;      // reduced to one for every 20 training descriptors
  int features = 2000;  // features of the largest scale, which are also visible from a distance
  int training = 100000;
  int iterations = 15;
  std::uint64_t seed = 0;
};
constexpr const char* name_of(const RetrievalOptions&) { return "RetrievalOptions"; }
template <MaybeConst<RetrievalOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [words, features, training, iterations, seed] = options;
  BIFOCAL_FIELD(words, "centres of the vocabulary", Range::within(1, 4096));
  BIFOCAL_FIELD(features, "features that describe an image; the largest are used",
                Range::at_least(1));
  BIFOCAL_FIELD(training, "training descriptors of the vocabulary, evenly from all images",
                Range::within(1, 1 << 24));
  BIFOCAL_FIELD(iterations, "rounds of k-means", Range::within(1, 10000));
  BIFOCAL_FIELD(seed, "seed of k-means");
}

// Image vectors for retrieval.
class ImageIndex {
 public:
  // Computes the vectors of all images.
  //
  // features: returns the features of image i; called at most twice for each image, from this
  // thread. Needs 128 bytes of memory per word and image (16 kB per image with 128 words), 128
  // bytes per training descriptor, and the features of one image. Throws Error(usage) with the
  // option that is out of range, and if the number of descriptors does not match the keypoints.
  ImageIndex(int images, const std::function<Features(int)>& features,
             const RetrievalOptions& options = {});

  [[nodiscard]] int size() const { return static_cast<int>(norms_.size()); }  // number of images
  // Returns the cosine of the angle between the vectors of two images, in [-1, 1]; 0 for an image
  // without features. Throws Error(usage) if an image does not exist.
  [[nodiscard]] double similarity(int image1, int image2) const;
  // Returns at most `count` most similar images, best first, ties by number. Excludes the image
  // itself and images without features.
  [[nodiscard]] std::vector<int> nearest(int image, int count) const;

 private:
  [[nodiscard]] const std::int8_t* vector(int image) const;
  void check(int image) const;
  std::size_t dimensions_ = 0;
  std::vector<std::int8_t> vectors_;  // [images, dimensions]
  std::vector<double> norms_;         // of the vectors; 0: no features
};

// Pairs each image, or every `step`-th from the first, with its `partners` most similar images. Any
// number of images may choose the same partner. Throws Error(usage) if partners or step is below 1.
[[nodiscard]] std::vector<ImagePair> retrieval_pairs(const ImageIndex& index, int partners,
                                                     int step = 1);

// Result of verification for a pair: number of inliers, 0 if it failed.
struct PairInliers {
  ImagePair pair{};
  int inliers = 0;
};
// Suggests pairs from verified pairs, because images with a common partner probably show the
// same scene.
//
// tried: pairs already matched. In each of `most` rounds, each of `images` images proposes its best
// candidate: an image with which it has not been tried and is in no proposal yet. The score of a
// candidate is the smaller number of inliers of the two pairs that connect it through a common
// partner, for the best such partner; ties by number. result[i] has the proposals of image i.
// Throws Error(usage) for images that do not exist.
[[nodiscard]] std::vector<std::vector<int>> suggested_partners(int images,
                                                               std::span<const PairInliers> tried,
                                                               int most);

// Screening of pairs before matching. Most pairs of a collection show different scenes. A few
// matches among the features of the largest scale detect this, at 1/64 of the cost of matching 8192
// features. docs/develop/notes/collections.md explains the choice of the constants.
//   C. Wu, Towards linear-time incremental structure from motion, 3DV 2013.
struct ScreenOptions {
  int features = 1024;  // of the largest scale; ties go to the lower index
  int min_matches = 6;
  double max_ratio = 0.75;
};
constexpr const char* name_of(const ScreenOptions&) { return "ScreenOptions"; }
template <MaybeConst<ScreenOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [features, min_matches, max_ratio] = options;
  BIFOCAL_FIELD(features, "number of features of each image that are matched; the largest are used",
                Range::at_least(1));
  BIFOCAL_FIELD(min_matches, "smallest number of matches among the largest features of a pair",
                Range::at_least(0));
  BIFOCAL_FIELD(max_ratio,
                "largest ratio of nearest and second nearest distance; matches are mutual",
                Range::above(0));
}
// Returns for each pair of the set the number of matches among these features, which is the same on
// every device. Throws Error(usage) for options out of range, and like match().
[[nodiscard]] std::vector<int> screen_pairs(Queue& queue, const FeatureSet& set,
                                            std::span<const ImagePair> pairs,
                                            const ScreenOptions& options = {});

// A pair rejected by the screen, with the number of matches among its largest features.
struct ScreenedPair {
  ImagePair pair{};
  int matches = 0;
};
// Connected components of a graph of images, to which pairs are added one after
// another (union-find).
class ImageComponents {
 public:
  explicit ImageComponents(int images);
  // Returns the lowest image of the component that contains an image.
  [[nodiscard]] int of(int image);
  // Joins the components of two images. Returns whether they were different.
  bool join(const ImagePair& pair);

 private:
  std::vector<int> parent_;
};

// Chooses the pairs most likely to link the components in which verified pairs leave the images.
// For each component these are the `most` pairs to other components with the most matches; ties by
// number. Throws Error(usage) for images that do not exist.
[[nodiscard]] std::vector<ImagePair> linking_pairs(int images, std::span<const ImagePair> verified,
                                                   std::span<const ScreenedPair> left_out,
                                                   int most);

// Pairs of images taken close together: each image is paired with the `most` nearest images
// within max_distance_m.
struct NearOptions {
  double max_distance_m = 100;
  int most = 50;
};
constexpr const char* name_of(const NearOptions&) { return "NearOptions"; }
template <MaybeConst<NearOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [max_distance_m, most] = options;
  BIFOCAL_FIELD(max_distance_m, "largest distance of a pair", Range::at_least(0), "m");
  BIFOCAL_FIELD(most, "largest number of pairs per image", Range::at_least(1));
}
// Returns the pairs by position. Images without a position are in no pair. Throws Error(usage) with
// the image whose position is not on the sphere (|lat| <= 90, |lon| <= 180), and for options out
// of range.
[[nodiscard]] std::vector<ImagePair> near_pairs(
    std::span<const std::optional<GeoPosition>> positions, const NearOptions& options = {});

// Reads pairs from a text file with two image names on a line. Skips empty lines and lines that
// begin with #. A name may contain blanks if only one division of the line gives two existing
// names. Throws Error(input) with file, line and reason: not two names, an unknown name, or an
// image paired with itself.
[[nodiscard]] std::vector<ImagePair> read_pairs(const std::filesystem::path& file,
                                                std::span<const std::string> names);

}  // namespace bifocal
