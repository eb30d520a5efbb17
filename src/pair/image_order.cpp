// SPDX-License-Identifier: BSD-3-Clause
#include "pair/image_order.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstring>
#include <tuple>
#include <utility>

namespace bifocal::pair {
namespace {

PointPair exchanged(const PointPair& p) { return {p.x2, p.y2, p.x1, p.y1}; }

void exchange(std::vector<PointPair>& points) {
  for (PointPair& p : points) p = exchanged(p);
}

Pose inverse_of(const Pose& pose) {
  Pose out{transposed(pose.R), {}};
  const Vec3 t = times(out.R, pose.t);
  for (std::size_t i = 0; i < 3; ++i) out.t[i] = 0 - t[i];  // 0, not -0
  return out;
}

void move(const Pose& pose, std::vector<Vec3>& points) {
  for (Vec3& X : points) {
    const Vec3 Y = times(pose.R, X);
    for (std::size_t i = 0; i < 3; ++i) X[i] = Y[i] + pose.t[i];
  }
}

// Returns the inverse of H with |H| = 1, or the transposed E or F.
Mat3 exchanged(ModelKind kind, const Mat3& model) {
  if (problem_info(kind).symbol != "H") return transposed(model);
  Mat3 H = inverse(model);
  double squares = 0;
  for (const double h : H) squares += h * h;
  if (!(squares > 0) || !std::isfinite(squares)) return model;  // zero: no model was found
  for (double& h : H) h /= std::sqrt(squares);
  return H;
}

}  // namespace

bool is_second_first(ImageView<const std::uint8_t> image1, ImageView<const std::uint8_t> image2) {
  const auto shape = [](const auto& image) {
    return std::tuple(image.width, image.height, image.channels);
  };
  if (shape(image1) != shape(image2)) return shape(image2) < shape(image1);
  const auto bytes = static_cast<std::size_t>(image1.width) * std::size_t(image1.channels);
  for (int y = 0; y < image1.height; ++y)
    if (const int order = std::memcmp(image1.row(y), image2.row(y), bytes); order != 0)
      return order > 0;
  return false;
}

PairOptions exchanged(PairOptions options) {
  std::swap(options.camera1, options.camera2);
  return options;
}

PairInput exchanged(const PairInput& input, std::vector<PointPair>& matches) {
  PairInput out = input;
  std::swap(out.mask1, out.mask2);
  if (!input.matches) return out;
  matches.assign(input.matches->begin(), input.matches->end());
  exchange(matches);
  out.matches = matches;
  return out;
}

RelativePoseResult exchanged(ModelKind kind, RelativePoseResult found) {
  found.model = exchanged(kind, found.model);
  move(found.pose, found.triangulated);
  found.pose = inverse_of(found.pose);
  return found;
}

void exchange_images(PairResult& r) {
  std::swap(r.keypoints1, r.keypoints2);
  for (Match& m : r.matches) std::swap(m.index1, m.index2);
  exchange(r.points);
  r.estimate.model = exchanged(r.kind, r.estimate.model);
  r.estimate.pose = inverse_of(r.estimate.pose);
  if (r.undistorted) {
    std::swap(r.undistorted->image1, r.undistorted->image2);
    exchange(r.undistorted->points);
    r.undistorted->F = transposed(r.undistorted->F);
  }
  if (!r.cam2_from_cam1) return;
  move(*r.cam2_from_cam1, r.triangulated);
  r.cam2_from_cam1 = inverse_of(*r.cam2_from_cam1);
}

}  // namespace bifocal::pair
