// SPDX-License-Identifier: BSD-3-Clause
// Data of single pairs on the page: some of their matches with residuals, the scene points of the
// inliers, and thumbnails of the images.
#pragma once

#include <cstdint>
#include <filesystem>
#include <future>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "jobs/report/collection/view_graph.hpp"

namespace bifocal::jobs {

// Number of inliers shown of a pair, evenly selected from its list: minimum if the page is full,
// and maximum.
inline constexpr std::size_t kFewestPoints = 300, kMostPoints = 1500;
// One outlier is shown for this number of possible inliers.
inline constexpr std::size_t kInliersPerOutlier = 3;
inline constexpr int kThumbnailSide = 320;    // px
inline constexpr int kThumbnailQuality = 70;  // JPEG quality

struct PairDetails {
  int edge = 0;  // index into ViewGraph::edges
  // [matches, 4]: x1 y1 x2 y2, 0 to 65535 across the image; inliers first.
  std::vector<std::uint16_t> positions;
  std::size_t inliers = 0;
  // [matches] in 1/256 px, 65535 if larger or unknown; empty without a model.
  std::vector<std::uint16_t> residuals;
  // F, or H of a planar or rotated pair if the inliers fit it, by rows, for px of the images; empty
  // if a lens bends lines.
  std::vector<double> model;
  bool is_homography = false;
  std::vector<float> points;  // [inliers, 3] in the frame of the first camera, or NaN; or empty
  std::vector<double> pose;   // R by rows, then t of cam2_from_cam1; present with points
  std::string source;         // source of the pose, or the reason for its absence
};

// Returns the details of edges in their order, each with at most points_of_pair inliers. Throws
// Error(input) with the pair if a match has an index that is not a keypoint.
[[nodiscard]] std::vector<PairDetails> pair_details(const colmap::Database& database,
                                                    const ViewGraph& graph,
                                                    const std::vector<int>& edges,
                                                    std::size_t points_of_pair);

// Checks that a name stays inside the folder, because a database may come from an untrusted source.
[[nodiscard]] bool stays_inside(const std::filesystem::path& name);

// Calls make(k) for k = 0, 1, ... below `count` on threads, and take(k, result) in this order until
// it returns false. Returns the number of items taken, the same for any number of threads.
template <class Make, class Take>
std::size_t in_batches(std::size_t count, unsigned threads, const Make& make, const Take& take) {
  for (std::size_t k = 0; k < count;) {
    std::vector<std::future<decltype(make(k))>> batch;
    for (std::size_t j = k; j < count && batch.size() < threads; ++j)
      batch.push_back(std::async(std::launch::async, [&make, j] { return make(j); }));
    for (auto& made : batch)
      if (!take(k, made.get()))
        return k;
      else
        ++k;
  }
  return count;
}

// JPEG thumbnails by image, and the images without a thumbnail with the reasons.
struct Thumbnails {
  std::map<int, std::string> pictures;
  std::vector<std::pair<std::string, std::string>> left_out;
  std::int64_t bytes = 0;
  std::size_t over = 0;  // images without a thumbnail because the limit of bytes was reached
};
// Returns thumbnails of the images in their order, up to a total of `most` bytes. They are grey and
// not rotated by EXIF.
[[nodiscard]] Thumbnails thumbnails(const ViewGraph& graph, const std::vector<int>& images,
                                    const std::filesystem::path& folder, std::int64_t most,
                                    unsigned threads);

}  // namespace bifocal::jobs
