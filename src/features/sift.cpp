// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/error.hpp>
#include <bifocal/features.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "features/octave.hpp"
#include "runtime/parallel.hpp"

namespace bifocal {
namespace features {
namespace {

// Blur that a photograph has already, px. Lowe assumes 0.5; with less, the finest structures of a
// sharp image come to lie within the range of scales that is searched: a quarter more correct
// matches over the Oxford pairs, as precise.
constexpr double kCameraBlur = 0.2;
constexpr double kLeastBlur = 0.3;  // px; doubling needs some

void check(bool ok, const char* name, double value, const char* wanted) {
  if (!ok)
    throw Error(ErrorCode::usage,
                fmt::format("SiftOptions::{} = {}: must be {}", name, value, wanted));
}

void check(ImageView<const std::uint8_t> grey, const SiftOptions& o) {
  check(o.max_features >= 0, "max_features", o.max_features, "0 (all) or more");
  check(o.octave_layers >= 1 && o.octave_layers <= 16, "octave_layers", o.octave_layers,
        "in 1..16");
  check(o.contrast_threshold >= 0 && o.contrast_threshold < 1e3, "contrast_threshold",
        o.contrast_threshold, "at least 0");
  check(o.edge_threshold >= 1 && o.edge_threshold < 1e6, "edge_threshold", o.edge_threshold,
        "at least 1");
  check(o.sigma >= 0.8 && o.sigma <= 8, "sigma", o.sigma, "in 0.8..8");
  if (grey.channels != 1) {
    throw Error(
        ErrorCode::usage,
        fmt::format("detect_sift: the image has {} channels, must be grey (1)", grey.channels));
  }
  if (!grey.usable()) {
    throw Error(ErrorCode::usage, "detect_sift: the view has no pixels, or rows that overlap");
  }
  if (grey.width > kMaxSiftSide || grey.height > kMaxSiftSide) {
    throw Error(ErrorCode::usage,
                fmt::format("detect_sift: image of {} x {} px, sides must be at most {}",
                            grey.width, grey.height, kMaxSiftSide));
  }
}

double blur_to(double sigma, double scale) {
  return std::max(
      kLeastBlur * scale,
      std::sqrt(std::max(0.0, sigma * sigma - kCameraBlur * kCameraBlur * scale * scale)));
}

// First level of the doubled octave, straight from the 8-bit image.
RowPairSource doubled(ImageView<const std::uint8_t> grey, const Kernel& quarter) {
  return [grey, &quarter](int first, float* row0, float* row1) {
    std::vector<const std::uint8_t*> rows;
    const int y = first / 2;
    for (int i = y - quarter.radius; i <= y + quarter.radius; ++i)
      rows.push_back(grey.row(mirrored(i, grey.height)));
    double_rows(rows.data(), quarter, row0, row1, grey.width);
  };
}

// First level at the image's own size.
Plane blurred(ImageView<const std::uint8_t> grey, double sigma) {
  const Kernel kernel = gaussian_kernel(sigma);
  Plane out(grey.width, (grey.height + kBlurRows - 1) / kBlurRows * kBlurRows);
  runtime::parallel_for(out.height / kBlurRows, [&](int group) {
    const int y = group * kBlurRows, count = 2 * kernel.radius + kBlurRows;
    Plane in(grey.width, count);
    std::vector<const float*> rows;
    float* results[kBlurRows];
    for (int i = 0; i < count; ++i) {
      convert_row(grey.row(mirrored(y - kernel.radius + i, grey.height)), in.row(i), grey.width);
      rows.push_back(in.row(i));
    }
    for (int m = 0; m < kBlurRows; ++m) results[m] = out.row(y + m);
    blur_rows(rows.data(), kernel, results, grey.width);
  });
  out.height = grey.height;
  return out;
}

RowPairSource rows_of(const Plane& plane) {
  return [&plane](int first, float* row0, float* row1) {
    std::copy_n(plane.row(first), plane.stride, row0);
    if (row1) std::copy_n(plane.row(first + 1), plane.stride, row1);
  };
}

void append(Features& all, const Features& octave, double scale, double shift) {
  for (Keypoint k : octave.keypoints) {
    k.x = static_cast<float>(k.x * scale + shift);
    k.y = static_cast<float>(k.y * scale + shift);
    k.sigma = static_cast<float>(k.sigma * scale);
    all.keypoints.push_back(k);
  }
  all.descriptors.insert(all.descriptors.end(), octave.descriptors.begin(),
                         octave.descriptors.end());
}

// All octaves down to the size in which nothing can be found.
Features detect_all(ImageView<const std::uint8_t> grey, const SiftOptions& options) {
  Features all;
  Plane plane, next;
  double scale = 1, shift = 0;
  int width = grey.width, height = grey.height;
  Kernel quarter;
  if (options.upsample) {
    width *= 2, height *= 2, scale = 0.5, shift = -0.25;
    quarter = quarter_pixel_kernel(0.5 * blur_to(options.sigma, 2));
  } else {
    plane = blurred(grey, blur_to(options.sigma, 1));
  }
  for (bool first = true; std::min(width, height) > 2 * kBorder; first = false) {
    const RowPairSource source =
        first && options.upsample ? doubled(grey, quarter) : rows_of(plane);
    append(all, detect_octave(width, height, source, options, next), scale, shift);
    plane = std::move(next);
    width = plane.width, height = plane.height, scale *= 2;
  }
  return all;
}

// By response times sigma: the responses of large features are rarer and match better.
bool stronger(const Keypoint& a, const Keypoint& b) {
  const float strength_a = a.response * a.sigma, strength_b = b.response * b.sigma;
  return std::tie(strength_b, a.y, a.x, a.sigma, a.angle_deg) <
         std::tie(strength_a, b.y, b.x, b.sigma, b.angle_deg);
}

// The same extremum reached from two samples, or found in two octaves.
bool same_point(const Keypoint& a, const Keypoint& b) {
  const float near = 0.1F * std::min(a.sigma, b.sigma), turn = std::abs(a.angle_deg - b.angle_deg);
  return std::abs(a.x - b.x) < near && std::abs(a.y - b.y) < near &&
         std::max(a.sigma, b.sigma) < 1.1F * std::min(a.sigma, b.sigma) &&
         std::min(turn, 360 - turn) < 1;
}

// Indices of the features to keep, in their final order.
std::vector<int> select(const std::vector<Keypoint>& points, int max_features) {
  std::vector<int> by_y(points.size());
  std::iota(by_y.begin(), by_y.end(), 0);
  const auto at = [&](int i) -> const Keypoint& { return points[std::size_t(i)]; };
  std::sort(by_y.begin(), by_y.end(), [&](int a, int b) {
    return std::tie(at(a).y, at(a).x, at(a).sigma, at(a).angle_deg) <
           std::tie(at(b).y, at(b).x, at(b).sigma, at(b).angle_deg);
  });
  std::vector<char> dropped(points.size());
  for (std::size_t i = 0; i < by_y.size(); ++i) {
    const Keypoint& a = at(by_y[i]);
    for (std::size_t j = i + 1; j < by_y.size() && at(by_y[j]).y - a.y < 0.1F * a.sigma; ++j) {
      const Keypoint& b = at(by_y[j]);
      if (!same_point(a, b)) continue;
      dropped[std::size_t(stronger(b, a) ? by_y[i] : by_y[j])] = 1;
    }
  }
  std::vector<int> kept;
  for (int i : by_y) {
    if (!dropped[std::size_t(i)]) kept.push_back(i);
  }
  std::sort(kept.begin(), kept.end(), [&](int a, int b) { return stronger(at(a), at(b)); });
  if (max_features > 0 && kept.size() > std::size_t(max_features))
    kept.resize(std::size_t(max_features));
  return kept;
}

}  // namespace
}  // namespace features

Features detect_sift(ImageView<const std::uint8_t> grey, const SiftOptions& options) {
  features::check(grey, options);
  if (grey.empty()) return {};
  const Features all = features::detect_all(grey, options);
  Features result;
  for (int i : features::select(all.keypoints, options.max_features)) {
    result.keypoints.push_back(all.keypoints[std::size_t(i)]);
    const auto* d = all.descriptors.data() + std::ptrdiff_t{i} * kDescriptorBytes;
    result.descriptors.insert(result.descriptors.end(), d, d + kDescriptorBytes);
  }
  return result;
}

}  // namespace bifocal
