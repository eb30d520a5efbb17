// SPDX-License-Identifier: BSD-3-Clause
// The problems of two views: homography, fundamental and essential matrix. All are scored in pixels
// that are shifted by a centre of each image and divided by one length for both, so that
// coordinates are about unit size and one threshold serves.
#pragma once

#include <bifocal/robust.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "robust/columns.hpp"
#include "robust/problem.hpp"

namespace bifocal::robust {

// Scoring coordinates: (px - centre) / length; centres x1, y1, x2, y2.
struct Frame {
  std::array<double, 4> centre{};
  double length = 1;
};

struct TwoViewPoints {
  std::vector<int> order;       // original index of each point
  std::vector<int> not_finite;  // original indices
  Frame frame;
  double area = 0, diagonal = 0;  // of the smaller bounding box of the points of an image, px
  std::optional<Columns> columns;

  [[nodiscard]] int count() const { return static_cast<int>(order.size()); }
};
// `centre`: the principal points; the median point of each image by default.
[[nodiscard]] TwoViewPoints two_view_points(std::span<const PointPair> points, std::uint64_t seed,
                                            const std::array<double, 4>* centre = nullptr);

[[nodiscard]] std::unique_ptr<Problem> homography_problem(const TwoViewPoints& points,
                                                          double threshold);
[[nodiscard]] std::unique_ptr<Problem> fundamental_problem(const TwoViewPoints& points,
                                                           double threshold);

// Of normalised points: the frame's centre has to be the principal points.
[[nodiscard]] std::unique_ptr<Problem> essential_problem(const TwoViewPoints& points,
                                                         const Intrinsics& camera1,
                                                         const Intrinsics& camera2,
                                                         double threshold);
// E of a model of essential_problem, |E| = 1.
[[nodiscard]] Mat3 essential_of(const Frame& frame, const Intrinsics& camera1,
                                const Intrinsics& camera2, const Model& model);

// Between scoring coordinates and those of the result: px, or the normalised image plane for E.
[[nodiscard]] Mat3 homography_in_pixels(const Frame& frame, const Model& model);
[[nodiscard]] Mat3 fundamental_in_pixels(const Frame& frame, const Model& model);

}  // namespace bifocal::robust
