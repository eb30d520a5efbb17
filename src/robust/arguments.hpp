// SPDX-License-Identifier: BSD-3-Clause
// Checks of the caller's arguments. Each throws Error(usage) that names the argument and its value.
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
// Returns the name of the point type that the problem takes.
[[nodiscard]] std::string_view points_name(ModelKind kind);

void check_camera(const char* name, const Intrinsics& camera);
// Throws if the matrix is zero or not finite, or its squared elements overflow.
void check_matrix(const char* where, std::span<const double> matrix,
                  const char* name = "the matrix");
// Throws unless the problem is a two-view model that its matrix describes completely (without
// lens distortion).
void check_two_view_matrix(const char* where, ModelKind kind);
[[nodiscard]] Cameras checked_cameras(const char* where, ModelKind kind,
                                      std::span<const Intrinsics> cameras);
// first: index of weights[0] among all weights of the call.
void check_weights(const char* where, std::span<const double> weights, std::size_t first = 0);
// Column indices must fit an int.
inline constexpr std::size_t kMostMatches = std::size_t{1} << 28;
void check_priors(const MatchPriors& priors, std::size_t matches);

}  // namespace bifocal::robust
