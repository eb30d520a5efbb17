// SPDX-License-Identifier: BSD-3-Clause
// Extrema of differences of Gaussians on CPUs, the twin of extrema.kernel.h; compiled for every
// SIMD target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/sift/extrema.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "features/sift/extrema.hpp"

HWY_BEFORE_NAMESPACE();
namespace bifocal::features::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<float>;
using Vec = hn::Vec<Tag>;
using Mask = hn::Mask<Tag>;

// Row of a difference of Gaussians.
struct Difference {
  const float *upper, *lower;
  HWY_INLINE Vec at(int x) const {
    const Tag d;
    return hn::Sub(hn::LoadU(d, upper + x), hn::LoadU(d, lower + x));
  }
};

struct Range {
  Vec low, high;
  HWY_INLINE void add(Vec v) {
    low = hn::Min(low, v);
    high = hn::Max(high, v);
  }
  HWY_INLINE void add_row(const Difference& row, int x) {
    add(row.at(x - 1));
    add(row.at(x));
    add(row.at(x + 1));
  }
};

// Returns whether v is beyond all values before it and at least equal to the values after it.
HWY_INLINE Mask is_extremum(Vec v, const Range& before, const Range& after) {
  return hn::Or(hn::And(hn::Gt(v, before.high), hn::Ge(v, after.high)),
                hn::And(hn::Lt(v, before.low), hn::Le(v, after.low)));
}

void find_extrema(const Level* levels, int scale, int y, int border, float threshold,
                  std::vector<int>& columns) {
  const Tag d;
  const int lanes = static_cast<int>(hn::Lanes(d)), end = levels[0].width - border;
  Difference rows[3][3];  // [scale][y]
  for (int s = 0; s < 3; ++s) {
    for (int i = 0; i < 3; ++i) {
      rows[s][i] = {levels[scale + s].row(y + i - 1), levels[scale + s - 1].row(y + i - 1)};
    }
  }
  for (int x = border; x < end; x += lanes) {
    const Vec v = rows[1][1].at(x);
    Mask found = hn::And(hn::Gt(hn::Abs(v), hn::Set(d, threshold)),
                         hn::FirstN(d, static_cast<std::size_t>(end - x)));
    if (hn::AllFalse(d, found)) continue;
    const Vec left = rows[1][1].at(x - 1), right = rows[1][1].at(x + 1);
    Range before = {left, left}, after = {right, right};
    before.add_row(rows[1][0], x);
    after.add_row(rows[1][2], x);
    found = hn::And(found, is_extremum(v, before, after));
    if (hn::AllFalse(d, found)) continue;
    before.add(rows[0][1].at(x));  // few samples pass these two comparisons
    after.add(rows[2][1].at(x));
    found = hn::And(found, is_extremum(v, before, after));
    if (hn::AllFalse(d, found)) continue;
    for (int i = 0; i < 3; ++i) {
      before.add_row(rows[0][i], x);
      after.add_row(rows[2][i], x);
    }
    found = hn::And(found, is_extremum(v, before, after));
    std::uint8_t bits[HWY_MAX_BYTES / 8] = {};
    hn::StoreMaskBits(d, found, bits);
    for (int i = 0; i < lanes; i += 8) {
      for (unsigned byte = bits[i / 8]; byte != 0; byte &= byte - 1) {
        columns.push_back(x + i + std::countr_zero(byte));
      }
    }
  }
}

}  // namespace bifocal::features::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal::features {

HWY_EXPORT(find_extrema);

void find_extrema(const Level* levels, int scale, int y, int border, float threshold,
                  std::vector<int>& columns) {
  HWY_DYNAMIC_DISPATCH(find_extrema)(levels, scale, y, border, threshold, columns);
}

namespace {

// Computes the differences D = levels[i + 1] - levels[i] around a sample: [layer][y][x].
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
  const float max_offset = SiftRules::sift_max_offset();
  for (int move = 0; move <= kMoves; ++move) {
    float D[27], o[3], value, curves[3];
    differences_at(levels, x, y, layer, D);
    SiftRules::sift_quadratic(D, o, &value, curves);
    if (!std::isfinite(o[0]) || !std::isfinite(o[1]) || !std::isfinite(o[2])) return std::nullopt;
    if (std::abs(o[0]) <= max_offset && std::abs(o[1]) <= max_offset &&
        std::abs(o[2]) <= max_offset) {
      const float response = std::abs(value);
      if (response * static_cast<float>(options.octave_layers) <
              static_cast<float>(options.contrast_threshold) ||
          SiftRules::sift_on_edge(curves, static_cast<float>(options.edge_threshold))) {
        return std::nullopt;
      }
      return Extremum{static_cast<float>(x) + o[0], static_cast<float>(y) + o[1],
                      static_cast<float>(layer) + o[2], response};
    }
    // Moves by one sample at a time, so that the rows in reach are known beforehand.
    const auto step = [&](float offset) {
      return offset > max_offset ? 1 : offset < -max_offset ? -1 : 0;
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
#endif
