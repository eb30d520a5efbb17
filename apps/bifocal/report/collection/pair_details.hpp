// SPDX-License-Identifier: BSD-3-Clause
// The page shows this of single pairs: some of their inliers, the scene points of these, and small
// pictures of the images.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/collection/view_graph.hpp"

namespace bifocal::cli {

// Inliers of a pair, evenly over their list: so many wherever there is room, and at most.
inline constexpr std::size_t kFewestPoints = 300, kMostPoints = 1500;
inline constexpr int kThumbnailSide = 320;    // px
inline constexpr int kThumbnailQuality = 70;  // of JPEG

struct PairDetails {
  int edge = 0;                          // of ViewGraph::edges
  std::vector<std::uint16_t> positions;  // [shown, 4]: x1 y1 x2 y2, 0 to 65535 across the picture
  std::vector<float> points;  // [shown, 3] in the frame of the first camera, or NaN; or empty
  std::vector<double> pose;   // R by rows, t of cam2_from_cam1; with points
  std::string source;         // where the pose comes from, or why there is none
};

// Returns the details of edges, in their order, each with at most so many points. Throws
// Error(input) naming the pair where an inlier is no keypoint.
[[nodiscard]] std::vector<PairDetails> pair_details(const colmap::Database& database,
                                                    const ViewGraph& graph,
                                                    const std::vector<int>& edges,
                                                    std::size_t points_of_pair);

// Their bytes as JPEG, by image; and which of the images have none, with the reason.
struct Thumbnails {
  std::map<int, std::string> pictures;
  std::vector<std::pair<std::string, std::string>> left_out;
  std::int64_t bytes = 0;
  std::size_t over = 0;  // images that were not looked at, the bytes being full
};
// Returns small pictures of the images in their order, until they take `most` bytes. They are grey,
// in the pixels of the file.
[[nodiscard]] Thumbnails thumbnails(const ViewGraph& graph, const std::vector<int>& images,
                                    const std::filesystem::path& folder, std::int64_t most,
                                    unsigned threads);

}  // namespace bifocal::cli
