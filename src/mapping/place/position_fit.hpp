// SPDX-License-Identifier: BSD-3-Clause
// Positions of images against the model that the matches give.
#pragma once

#include <optional>
#include <vector>

#include "mapping/place/robust_similarity.hpp"
#include "mapping/scene.hpp"

namespace bifocal::mapping {

// Deviations of positions that state none, m: as of a receiver of one frequency in the open.
inline constexpr double kHorizontalDeviation = 3, kVerticalDeviation = 5;

// The best similarity from the registered views of a scene to their positions, and whether they
// agree.
struct PositionFit {
  Similarity similarity;
  SimilarityDeviations deviations;  // of the similarity
  std::vector<int> views;           // with a position, in ascending order
  std::vector<Vec3> errors;         // position minus model, m
  // Deviations of the positions, m: by the errors, but not below a stated deviation.
  std::vector<Vec3> assumed;
  std::vector<bool> is_outlier;  // more than four deviations from the model
  // Standard deviations, m: of the errors that are no outliers, by their medians; and as stated.
  double horizontal = 0, vertical = 0;
  double stated_horizontal = 0, stated_vertical = 0;  // medians
  double tilt = 0;   // rad between the verticals of positions and images
  double ratio = 0;  // largest ratio of deviations, outliers and tilt to their limits
  bool agrees = false;
  bool is_tilted_alone = false;  // the vertical contradicts, but no distance does

  [[nodiscard]] std::size_t outliers() const;
};
// Empty with fewer than three positions, if positions or cameras are on a line, or if the
// deviations of positions that agree with the model are too large for its scale and rotation.
[[nodiscard]] std::optional<PositionFit> fit_positions(const Scene& scene,
                                                       const std::vector<MapPosition>& positions,
                                                       std::uint64_t seed);

// The similarity that keeps the vertical of the images, for positions that contradict the model:
// scale and north by the horizontal positions, the height by the median. Empty unless the images
// state gravity or look down as in a flight (down_of_flight()).
[[nodiscard]] std::optional<Similarity> level_similarity(const Scene& scene, const PositionFit& fit,
                                                         std::uint64_t seed);

// The positions with latitude and longitude exchanged, in the frame of the graph. Empty if the
// graph's positions are not on the Earth or such a place does not exist.
[[nodiscard]] std::optional<std::vector<MapPosition>> exchanged_positions(const ViewGraph& graph);

}  // namespace bifocal::mapping
