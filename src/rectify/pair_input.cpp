// SPDX-License-Identifier: BSD-3-Clause
#include "rectify/pair_input.hpp"

#include <bifocal/error.hpp>
#include <bifocal/geometry.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rectify/sampling_map.hpp"

namespace bifocal::rectification {
namespace {

double largest_entry(const Mat3& F) {
  double largest = 0;
  for (const double v : F) largest = std::max(largest, std::abs(v));
  return largest;
}

}  // namespace

double ImageSizes::largest_area() const {
  return std::max(double(width1) * double(height1), double(width2) * double(height2));
}

void check_sizes(const char* function, const ImageSizes& s) {
  for (const int size : {s.width1, s.height1, s.width2, s.height2})
    if (size < 1 || size > kMaxSide)
      throw Error(ErrorCode::usage, fmt::format("{}: image size {}: must be positive, at most {}",
                                                function, size, kMaxSide));
}

void check_matrix(const char* function, const Mat3& F) {
  for (const double v : F)
    if (!std::isfinite(v))
      throw Error(ErrorCode::usage, fmt::format("{}: F is not finite", function));
  if (!(largest_entry(F) > 0))
    throw Error(ErrorCode::usage, fmt::format("{}: F is zero", function));
}

Pose checked_pose(const char* function, const Intrinsics& camera1, const Intrinsics& camera2,
                  const Pose& pose) {
  const auto fail = [&](const std::string& message) {
    throw Error(ErrorCode::usage, fmt::format("{}: {}", function, message));
  };
  for (const Intrinsics& k : {camera1, camera2})
    if (!k.valid() || !std::isfinite(k.fx + k.fy + k.cx + k.cy))
      fail(fmt::format("camera {},{},{},{}: fx and fy must be positive, all finite", k.fx, k.fy,
                       k.cx, k.cy));
  const double length = norm(pose.t);
  if (!(length > 0) || !std::isfinite(length))
    fail(fmt::format("baseline t = {},{},{}: must be finite and not zero", pose.t[0], pose.t[1],
                     pose.t[2]));
  return {checked_rotation(fmt::format("{}: R", function), pose.R), pose.t};
}

std::string doubt_of(const Intrinsics& camera1, const Intrinsics& camera2, const ImageSizes& s) {
  const std::string first = intrinsics_doubt(camera1, s.width1, s.height1);
  if (!first.empty()) return "camera 1: " + first;
  const std::string second = intrinsics_doubt(camera2, s.width2, s.height2);
  return second.empty() ? second : "camera 2: " + second;
}

NormalisedF normalised(const Mat3& F, const ImageSizes& s) {
  const double unit_px = std::max({s.width1, s.height1, s.width2, s.height2});
  const auto to_px = [&](const Vec2& centre) {
    return Mat3{unit_px, 0, centre[0], 0, unit_px, centre[1], 0, 0, 1};
  };
  NormalisedF out{
      unit_px, to_px(centre_of(s.width1, s.height1)), to_px(centre_of(s.width2, s.height2)), {}};
  out.f = rank_two(times(transposed(out.px2), times(scaled(F, 1 / largest_entry(F)), out.px1)));
  return out;
}

}  // namespace bifocal::rectification
