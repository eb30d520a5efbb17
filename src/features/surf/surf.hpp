// SPDX-License-Identifier: BSD-3-Clause
// What the SURF detectors of all devices share on the host, and the steps of the one on CPUs.
#pragma once

#include <bifocal/features.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "lane/scalar.hpp"

namespace bifocal::features {

template <class Real>
struct surf_rules_of {
#include "lane/cpp_begin.h"

#include "features/sift/sift.lane.h"
#include "features/surf/surf.lane.h"

#include "lane/cpp_end.h"
};
using SurfRules = surf_rules_of<float>;

// A filter of the Hessian: 3 lobe px a side.
struct SurfFilter {
  int lobe;
  float scale;  // of a determinant in whole numbers
  [[nodiscard]] int reach() const { return (3 * lobe - 1) / 2; }
};
// Sampled every 1, 1, 2, 4, 8 px of the picture (the doubled one where there is).
struct SurfOctave {
  int number;
  std::array<SurfFilter, SurfRules::SURF_LAYERS> filters;
  // Samples [first, end) in which a maximum is sought in layer 1 and 2.
  std::array<int, 2> first_x, end_x, first_y, end_y;
  [[nodiscard]] int step() const { return SurfRules::surf_step(number); }
};
// Those that have room in the picture, which is enlarged already.
[[nodiscard]] std::vector<SurfOctave> surf_octaves(int width, int height,
                                                   const SurfOptions& options);

// Weights of the samples along a side of a description in the cells: [cell][sample]. The weight of
// a sample is the product of those of its row and its column.
using SurfShares = std::array<std::array<float, SurfRules::SURF_SIDE>, SurfRules::SURF_CELLS>;
[[nodiscard]] const SurfShares& surf_shares();

// Words a row: at least so many, in an odd number of cache lines. Rows a power of two apart would
// compete for the same lines of a cache.
[[nodiscard]] inline int row_words(int words) { return ((words + 15) / 16 | 1) * 16; }

// Numbers that are not set before they are written; the memory is kept when less is needed.
template <class T>
class Scratch {
 public:
  T* reserve(std::size_t size) {
    if (size > size_) numbers_ = std::make_unique_for_overwrite<T[]>(size_ = size);
    return numbers_.get();
  }
  [[nodiscard]] T* data() const { return numbers_.get(); }

 private:
  std::unique_ptr<T[]> numbers_;
  std::size_t size_ = 0;
};

// Sums of the picture's pixels (x, y) with x < column, y < row, modulo 2^32: box sums are exact.
// Column c lies at (c mod step) * pitch + c / step of a row.
struct Integral {
  Scratch<std::uint32_t> sums;
  int width = 0, height = 0;  // of the picture, px; one column and row more of sums
  int step = 1, pitch = 0;
  std::ptrdiff_t stride = 0;

  void resize(int new_width, int new_height, int new_step);
  [[nodiscard]] std::uint32_t* row(int y) const { return sums.data() + y * stride; }
};
[[nodiscard]] Integral integral_of(ImageView<const std::uint8_t> grey, bool upsample);
// The same sums for samples that are twice as far apart.
void rearrange(const Integral& integral, Integral& out);

// Determinants of samples [first, end) of row y, px; writes whole registers from out[first] on.
void determinant_row(const Integral& integral, const SurfFilter& filter, int y, int first, int end,
                     float* out);
// Samples [first, end) of the middle row of the middle layer, rows[layer][row], which are above the
// threshold and the highest of their 27; of equal ones the first (by layer, row, column).
void find_maxima(const float* const (*rows)[3], int first, int end, float threshold,
                 std::vector<int>& columns);

// A point in px of the picture.
struct SurfPoint {
  float x, y, sigma, angle_deg, response;
  bool bright;  // the centre, against what is around it
};
// Haar wavelets of one reach at every pixel of some rows: the difference to the right in the low
// half, the one down in the high half; 0 where the wavelet does not lie within the picture. A ring
// of rows, so that it stays in the cache.
struct WaveletRows {
  static constexpr int kRows = 256;
  static constexpr int kMostReach = 7;  // so that both differences are in range
  // Points of kBand rows see no others than these, where their wavelets' reach is kMostReach.
  static constexpr int kBand = 64, kFarthest = 96;
  Scratch<std::int32_t> pairs;
  int pitch = 0;

  // Rows [first, end) of the picture; row y lies at y mod kRows.
  void fill(const Integral& integral, int reach, int first, int end);
};
static_assert(WaveletRows::kBand + 2 * WaveletRows::kFarthest <= WaveletRows::kRows);

// Direction, degrees [0, 360), of Haar wavelets around the point. `rows`: those, or nullptr; the
// result is the same.
[[nodiscard]] float surf_direction(const Integral& integral, const WaveletRows* rows,
                                   const SurfPoint& point);
// Unit length, in bytes as features.hpp has it.
void quantise_surf(const float* description, int numbers, bool bright, std::uint8_t* out);
void describe_surf(const Integral& integral, const WaveletRows* rows, const SurfPoint& point,
                   int numbers, std::uint8_t* out);

}  // namespace bifocal::features
