// SPDX-License-Identifier: BSD-3-Clause
// How models of two views move within their kind, to first order.
#pragma once

#include <array>
#include <bifocal/robust.hpp>
#include <vector>

#include "robust/small_matrices.hpp"

namespace bifocal::robust {

// Two unit vectors across a unit vector.
[[nodiscard]] std::array<Vec3, 2> across(const Vec3& v);

// Rows of nine numbers, each a direction in which a model of nine numbers moves within its kind.
using Directions = std::vector<Row9>;

// Of a linear kind: its free numbers but for the scale; of F without what changes its rank.
[[nodiscard]] Directions linear_directions(ModelKind kind, const Mat3& m);

// How E = [t]x R / sqrt 2 moves with (w, u): turns of R about the axes, or about y alone, and two
// steps of t across itself.
[[nodiscard]] Directions motion_directions(const Pose& pose, bool upright);

}  // namespace bifocal::robust
