// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "features/octave.hpp"

namespace bifocal::features {
namespace {

// A little more than half a sample: a point halfway between two samples would be sent to and fro.
constexpr float kSettled = 0.6F;

// Value, gradient and Hessian of D = levels[i + 1] - levels[i] by central differences; order x, y,
// layer.
struct Quadratic {
  float value;
  float g[3];
  float xx, yy, ss, xy, xs, ys;
};

Quadratic quadratic_at(const Level* levels, int x, int y, int layer) {
  const auto D = [&](int dx, int dy, int ds) {
    return levels[layer + ds + 1].at(x + dx, y + dy) - levels[layer + ds].at(x + dx, y + dy);
  };
  const auto mixed = [](float pp, float pm, float mp, float mm) {
    return 0.25F * (pp - pm - mp + mm);
  };
  const float v = D(0, 0, 0);
  const float x1 = D(1, 0, 0), x0 = D(-1, 0, 0), y1 = D(0, 1, 0), y0 = D(0, -1, 0), s1 = D(0, 0, 1),
              s0 = D(0, 0, -1);
  return {v,
          {0.5F * (x1 - x0), 0.5F * (y1 - y0), 0.5F * (s1 - s0)},
          x1 + x0 - 2 * v,
          y1 + y0 - 2 * v,
          s1 + s0 - 2 * v,
          mixed(D(1, 1, 0), D(1, -1, 0), D(-1, 1, 0), D(-1, -1, 0)),
          mixed(D(1, 0, 1), D(1, 0, -1), D(-1, 0, 1), D(-1, 0, -1)),
          mixed(D(0, 1, 1), D(0, 1, -1), D(0, -1, 1), D(0, -1, -1))};
}

// Offset of the stationary point, -H^-1 g by cofactors; false when the Hessian is singular.
bool stationary_offset(const Quadratic& q, float* offset) {
  const float c00 = q.yy * q.ss - q.ys * q.ys, c01 = q.ys * q.xs - q.xy * q.ss,
              c02 = q.xy * q.ys - q.yy * q.xs;
  const float c11 = q.xx * q.ss - q.xs * q.xs, c12 = q.xy * q.xs - q.xx * q.ys,
              c22 = q.xx * q.yy - q.xy * q.xy;
  const float determinant = q.xx * c00 + q.xy * c01 + q.xs * c02;
  if (determinant == 0) return false;
  offset[0] = -(c00 * q.g[0] + c01 * q.g[1] + c02 * q.g[2]) / determinant;
  offset[1] = -(c01 * q.g[0] + c11 * q.g[1] + c12 * q.g[2]) / determinant;
  offset[2] = -(c02 * q.g[0] + c12 * q.g[1] + c22 * q.g[2]) / determinant;
  return std::isfinite(offset[0]) && std::isfinite(offset[1]) && std::isfinite(offset[2]);
}

bool on_edge(const Quadratic& q, float largest_ratio) {
  const float trace = q.xx + q.yy, determinant = q.xx * q.yy - q.xy * q.xy;
  return !(trace * trace * largest_ratio < (largest_ratio + 1) * (largest_ratio + 1) * determinant);
}

}  // namespace

std::optional<Extremum> refine(const Level* levels, int x, int y, int layer,
                               const SiftOptions& options) {
  const int width = levels[0].width, height = levels[0].height;
  for (int move = 0; move <= kMoves; ++move) {
    const Quadratic q = quadratic_at(levels, x, y, layer);
    float o[3];
    if (!stationary_offset(q, o)) return std::nullopt;
    if (std::abs(o[0]) <= kSettled && std::abs(o[1]) <= kSettled && std::abs(o[2]) <= kSettled) {
      const float response =
          std::abs(q.value + 0.5F * (q.g[0] * o[0] + q.g[1] * o[1] + q.g[2] * o[2]));
      if (response * static_cast<float>(options.octave_layers) <
              static_cast<float>(options.contrast_threshold) ||
          on_edge(q, static_cast<float>(options.edge_threshold))) {
        return std::nullopt;
      }
      return Extremum{static_cast<float>(x) + o[0], static_cast<float>(y) + o[1],
                      static_cast<float>(layer) + o[2], response};
    }
    // One sample at a time, so that the rows in reach are known beforehand.
    const auto step = [](float offset) {
      return offset > kSettled ? 1 : offset < -kSettled ? -1 : 0;
    };
    x += step(o[0]), y += step(o[1]), layer += step(o[2]);
    if (x < kBorder || x >= width - kBorder || y < kBorder || y >= height - kBorder || layer < 1 ||
        layer > options.octave_layers) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace bifocal::features
