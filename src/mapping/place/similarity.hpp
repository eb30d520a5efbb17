// SPDX-License-Identifier: BSD-3-Clause
// Similarities between worlds.
#pragma once

#include <bifocal/colmap/model.hpp>
#include <bifocal/geometry.hpp>

#include <optional>
#include <span>

#include "mapping/algebra.hpp"

namespace bifocal::mapping {

// X -> scale R X + t.
struct Similarity {
  double scale = 1;
  Mat3 R = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  Vec3 t = {0, 0, 0};
};
[[nodiscard]] inline Vec3 moved(const Similarity& s, const Vec3& X) {
  return sum(scaled(bifocal::times(s.R, X), s.scale), s.t);
}

// Returns the similarity with the least sum of weights |to - moved(from)|^2. No value for fewer
// than three points of positive weight, points on a line, and points that are not finite.
//   S. Umeyama, Least-squares estimation of transformation parameters between two point patterns,
//   PAMI 13(4), 1991.
[[nodiscard]] std::optional<Similarity> similarity_of(std::span<const Vec3> from,
                                                      std::span<const Vec3> to,
                                                      std::span<const double> weights);

// Returns the extent of points across the line that fits them best, as a root mean square, by
// their weights; 0 without a weight.
[[nodiscard]] double extent_across(std::span<const Vec3> points, std::span<const double> weights);

// Moves poses and points of a model, with its rigs and frames.
void transform(colmap::Model& model, const Similarity& similarity);

}  // namespace bifocal::mapping
