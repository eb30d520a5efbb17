// SPDX-License-Identifier: BSD-3-Clause
// Functions that the SURF detectors of all devices share on the host, and the steps of the detector
// on CPUs.
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

// Filter of the Hessian, with sides of 3 lobe px.
struct SurfFilter {
  int lobe;
  float scale;  // scale of a determinant in whole numbers
  [[nodiscard]] int reach() const { return (3 * lobe - 1) / 2; }
};
// Octave with samples every 1, 1, 2, 4 or 8 px of the image, after doubling if it is doubled.
struct SurfOctave {
  int number;
  std::array<SurfFilter, SurfRules::SURF_LAYERS> filters;
  // Samples [first, end) in which maxima of layers 1 and 2 are searched.
  std::array<int, 2> first_x, end_x, first_y, end_y;
  [[nodiscard]] int step() const { return SurfRules::surf_step(number); }
};
// Returns the octaves that fit into an image of the given size, which includes the enlargement.
[[nodiscard]] std::vector<SurfOctave> surf_octaves(int width, int height,
                                                   const SurfOptions& options);

// Weights of the samples along a side of a description in its cells: [cell][sample]. The weight of
// a sample is the product of the weights of its row and its column.
using SurfShares = std::array<std::array<float, SurfRules::SURF_SIDE>, SurfRules::SURF_CELLS>;
[[nodiscard]] const SurfShares& surf_shares();

// Returns the words per row: at least `words`, in an odd number of cache lines. Rows whose distance
// is a power of two would compete for the same cache lines.
[[nodiscard]] inline int row_words(int words) { return ((words + 15) / 16 | 1) * 16; }

// Numbers that are not initialised. The memory is kept if later less is needed.
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

// Integral image: sums of the pixels (x, y) with x < column, y < row, modulo 2^32, so that box sums
// are exact. Column c lies at (c mod step) * pitch + c / step of a row.
struct Integral {
  Scratch<std::uint32_t> sums;
  int width = 0, height = 0;  // image, px; the sums have one column and one row more
  int step = 1, pitch = 0;
  std::ptrdiff_t stride = 0;

  void resize(int new_width, int new_height, int new_step);
  [[nodiscard]] std::uint32_t* row(int y) const { return sums.data() + y * stride; }
};
[[nodiscard]] Integral integral_of(ImageView<const std::uint8_t> grey, bool upsample);
// Rearranges the sums for samples that are twice as far apart.
void rearrange(const Integral& integral, Integral& out);

// Computes the determinants of samples [first, end) of row y, px. Writes whole registers from
// out[first] on.
void determinant_row(const Integral& integral, const SurfFilter& filter, int y, int first, int end,
                     float* out);
// Appends the samples [first, end) of the middle row of the middle layer, rows[layer][row], that
// are above the threshold and the highest of their 27. Among equal samples the first (by layer,
// row, column) counts.
void find_maxima(const float* const (*rows)[3], int first, int end, float threshold,
                 std::vector<int>& columns);

// A point in px of the image.
struct SurfPoint {
  float x, y, sigma, angle_deg, response;
  bool bright;  // whether the centre is brighter than its surroundings
};
// Haar wavelets of one reach at every pixel of some rows: the difference to the right in the low
// half, the difference down in the high half, and 0 if the wavelet exceeds the image. The rows form
// a ring, so that they stay in the cache.
struct WaveletRows {
  static constexpr int kRows = 256;
  static constexpr int kMostReach = 7;  // both differences fit 16 bits
  // Points in kBand rows read no rows farther away than kFarthest, if their wavelets have a reach
  // of kMostReach.
  static constexpr int kBand = 64, kFarthest = 96;
  Scratch<std::int32_t> pairs;
  int pitch = 0;

  // Computes rows [first, end) of the image; row y lies at y mod kRows.
  void fill(const Integral& integral, int reach, int first, int end);
};
static_assert(WaveletRows::kBand + 2 * WaveletRows::kFarthest <= WaveletRows::kRows);

// Returns the direction, degrees [0, 360), of Haar wavelets around the point. rows: computed
// wavelets or nullptr, with the same result.
[[nodiscard]] float surf_direction(const Integral& integral, const WaveletRows* rows,
                                   const SurfPoint& point);
// Normalises to unit length, and writes bytes as described in features.hpp.
void quantise_surf(const float* description, int numbers, bool bright, std::uint8_t* out);
void describe_surf(const Integral& integral, const WaveletRows* rows, const SurfPoint& point,
                   int numbers, std::uint8_t* out);

}  // namespace bifocal::features
