// SPDX-License-Identifier: BSD-3-Clause
// The checks of a caller's arguments. Each throws Error(usage) that names the argument and its
// value.
#pragma once

#include <bifocal/robust.hpp>
#include <span>
#include <string_view>

#include "robust/ransac.hpp"

namespace bifocal::robust {

template <class Point>
inline constexpr std::string_view kPointsName = "point pairs";
template <>
inline constexpr std::string_view kPointsName<DepthPair> = "point pairs with depths";
template <>
inline constexpr std::string_view kPointsName<ScenePoint> = "scene points";
// The points of a problem by that name.
[[nodiscard]] std::string_view points_taken(ModelKind kind);

void check_camera(const char* name, const Intrinsics& camera);
// Throws where a matrix is zero or its numbers are too large.
void check_matrix(const char* where, std::span<const double> matrix,
                  const char* name = "the matrix");
// The model has to be of two views, and its matrix all of it.
void check_two_view_matrix(const char* where, ModelKind kind);
[[nodiscard]] Cameras checked_cameras(const char* where, ModelKind kind,
                                      std::span<const Intrinsics> cameras);
// first: the index of weights[0] among all weights of the call.
void check_weights(const char* where, std::span<const double> weights, std::size_t first = 0);
inline constexpr std::size_t kMostMatches = std::size_t{1} << 28;  // indices of columns fit an int
void check_priors(const MatchPriors& priors, std::size_t matches);

}  // namespace bifocal::robust
