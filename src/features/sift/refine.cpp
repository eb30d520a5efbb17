// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "features/sift/octave.hpp"

namespace bifocal::features {
namespace {

// The differences D = levels[i + 1] - levels[i] around a sample: [layer][y][x].
void differences_at(const Level* levels, int x, int y, int layer, float* D) {
  for (int ds = -1; ds <= 1; ++ds) {
    for (int dy = -1; dy <= 1; ++dy) {
      const float* upper = levels[layer + ds + 1].row(y + dy) + x;
      const float* lower = levels[layer + ds].row(y + dy) + x;
      for (int dx = -1; dx <= 1; ++dx) *D++ = upper[dx] - lower[dx];
    }
  }
}

}  // namespace

std::optional<Extremum> refine(const Level* levels, int x, int y, int layer,
                               const SiftOptions& options) {
  const int width = levels[0].width, height = levels[0].height;
  const float settled = SiftRules::sift_settled();
  for (int move = 0; move <= kMoves; ++move) {
    float D[27];
    differences_at(levels, x, y, layer, D);
    const auto o = SiftRules::sift_quadratic(D);
    if (!std::isfinite(o.x) || !std::isfinite(o.y) || !std::isfinite(o.layer)) return std::nullopt;
    if (std::abs(o.x) <= settled && std::abs(o.y) <= settled && std::abs(o.layer) <= settled) {
      const float response = std::abs(o.value);
      if (response * static_cast<float>(options.octave_layers) <
              static_cast<float>(options.contrast_threshold) ||
          SiftRules::sift_on_edge(o, static_cast<float>(options.edge_threshold))) {
        return std::nullopt;
      }
      return Extremum{static_cast<float>(x) + o.x, static_cast<float>(y) + o.y,
                      static_cast<float>(layer) + o.layer, response};
    }
    // One sample at a time, so that the rows in reach are known beforehand.
    const auto step = [&](float away) { return away > settled ? 1 : away < -settled ? -1 : 0; };
    x += step(o.x), y += step(o.y), layer += step(o.layer);
    if (x < kBorder || x >= width - kBorder || y < kBorder || y >= height - kBorder || layer < 1 ||
        layer > options.octave_layers) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace bifocal::features
