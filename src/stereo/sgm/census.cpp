// SPDX-License-Identifier: BSD-3-Clause
// Twin: census.kernel.h (GPUs). Computes smoothed images, census codes and the brightness on CPUs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stereo/sgm/census.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>

#include "runtime/cancel.hpp"
#include "runtime/parallel.hpp"
#include "stereo/maps.hpp"
#include "stereo/row_blocks.hpp"
#include "stereo/rules.hpp"
#include "stereo/sgm/census.hpp"

HWY_BEFORE_NAMESPACE();
namespace bifocal::stereo {
namespace HWY_NAMESPACE {

// Writes the result of one comparison to bit `bit` of half a code.
HWY_INLINE void compare(const std::uint16_t* HWY_RESTRICT neighbour,
                        const std::uint16_t* HWY_RESTRICT centre, int width, int tolerance, int bit,
                        std::uint16_t* HWY_RESTRICT half) {
  const auto margin = static_cast<std::uint16_t>(tolerance),
             mark = static_cast<std::uint16_t>(1U << bit);
  const std::uint16_t clear = bit == 0 ? 0 : 0xffff;
  for (int x = 0; x < width; ++x) {
    const auto limit = static_cast<std::uint16_t>(centre[x] + margin);
    const std::uint16_t set = neighbour[x] > limit ? mark : std::uint16_t{0};
    half[x] = static_cast<std::uint16_t>((half[x] & clear) | set);
  }
}

void census_row(const CensusRow& c) {
  int bits = 0;
  for (int j = -Rules::CENSUS_RY; j <= Rules::CENSUS_RY; ++j) {
    for (int i = -Rules::CENSUS_RX; i <= Rules::CENSUS_RX; ++i) {
      if (!Rules::census_takes(c.kind, i, j)) continue;
      const bool facing = c.kind == Rules::CENSUS_SYMMETRIC;
      compare(c.rows[3 + j] + i, facing ? c.rows[3 - j] - i : c.rows[3], c.width, c.tolerance,
              bits % 16, c.half[bits / 16]);
      ++bits;
    }
  }
  const auto join = [&](int first, std::uint32_t* HWY_RESTRICT out) {
    const std::uint16_t* HWY_RESTRICT low = c.half[first];
    const std::uint16_t* HWY_RESTRICT high = c.half[first + 1];
    for (int x = 0; x < c.width; ++x) out[x] = low[x] | std::uint32_t{high[x]} << 16;
  };
  join(0, c.low);
  if (bits > 32) join(2, c.high);
}

}  // namespace HWY_NAMESPACE
}  // namespace bifocal::stereo
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal::stereo {
HWY_EXPORT(census_row);
namespace {

constexpr int kMargin = Rules::CENSUS_RX, kRows = Rules::CENSUS_RY;

template <class T>
int white_of(int white) {
  return white > 0 ? white : sizeof(T) == 1 ? 255 : 65535;
}

template <class T>
void smooth_row(ImageView<const T> image, int y, std::uint16_t* out, std::uint32_t* column) {
  const T* above = image.row(std::max(y - 1, 0));
  const T* here = image.row(y);
  const T* below = image.row(std::min(y + 1, image.height - 1));
  const auto weight = [](int i, int j) {
    return static_cast<std::uint32_t>(Rules::smooth_weight(i, j));
  };
  const std::uint32_t side = weight(1, 1), centre = weight(1, 0), across = weight(0, 1);
  std::uint32_t* sums = column + 1;  // sums down the columns, shared by the neighbours in a row
  for (int x = 0; x < image.width; ++x)
    sums[x] = centre * here[x] + side * (std::uint32_t{above[x]} + below[x]);
  sums[-1] = sums[0];
  sums[image.width] = sums[image.width - 1];
  for (int x = 0; x < image.width; ++x) {
    const std::uint32_t sum = sums[x - 1] + across * sums[x] + sums[x + 1];
    out[x] = static_cast<std::uint16_t>(sizeof(T) == 1 ? sum : sum / 64);
  }
  std::fill(out - kMargin, out, out[0]);
  std::fill(out + image.width, out + image.width + kMargin, out[image.width - 1]);
}

}  // namespace

CensusCoder::Scratch::Scratch(int width)
    : column(static_cast<std::size_t>(width) + 2), halves(4 * static_cast<std::size_t>(width)) {
  for (auto& part : code) part.resize(static_cast<std::size_t>(width));
}

CensusCoder::CensusCoder(int width, int height, int reach, const SgmOptions& options, int threads)
    : width_(width),
      height_(height),
      min_disparity_(options.min_disparity),
      kind_(static_cast<int>(options.census)),
      white_(options.white),
      scratch_(static_cast<std::size_t>(threads), Scratch(width)) {
  for (std::size_t part = 0; part < (kind_ == Rules::CENSUS_FULL ? 2U : 1U); ++part) {
    fit(codes_[0][part], width, height);
    fit(codes_[1][part], reach, height);
  }
  fit(brightness_, width, height);
  runtime::grow(smoothed_,
                (static_cast<std::size_t>(width) + 2 * kMargin) * static_cast<std::size_t>(height));
}

std::size_t CensusCoder::bytes(int width, int height, int reach, const SgmOptions& options,
                               int threads) {
  const std::size_t codes = options.census == Census::full ? 8 : 4;
  const auto w = static_cast<std::size_t>(width), h = static_cast<std::size_t>(height);
  return h * (2 * (w + 2 * kMargin) + w + codes * (w + static_cast<std::size_t>(reach))) +
         static_cast<std::size_t>(threads) * 20 * (w + 1);
}

std::uint16_t* CensusCoder::smoothed_row(int y) {
  const std::size_t stride = static_cast<std::size_t>(width_) + 2 * kMargin;
  return smoothed_.data() + static_cast<std::size_t>(y) * stride + kMargin;
}

int CensusCoder::workers() const {
  return std::min(runtime::thread_count(), static_cast<int>(scratch_.size()));
}

template <class T>
void CensusCoder::smooth(ImageView<const T> image) {
  const auto rows = [&](int worker, int begin, int end) {
    std::uint32_t* column = scratch_[static_cast<std::size_t>(worker)].column.data();
    for (int y = begin; y < end; ++y) smooth_row(image, y, smoothed_row(y), column);
  };
  for_row_blocks(workers(), height_, rows);
}

void CensusCoder::code_row(int y, int tolerance, std::size_t picture, Scratch& scratch) {
  Codes& codes = codes_[picture];
  const bool is_left = picture == 0, full = !codes[1].empty();
  CensusRow c;
  c.width = width_;
  c.kind = kind_;
  c.tolerance = tolerance;
  for (std::size_t k = 0; k < 4; ++k)
    c.half[k] = scratch.halves.data() + k * static_cast<std::size_t>(width_);
  for (int j = -kRows; j <= kRows; ++j)
    c.rows[kRows + j] = smoothed_row(std::clamp(y + j, 0, height_ - 1));
  c.low = is_left ? codes[0].row(y) : scratch.code[0].data();
  c.high = !full ? nullptr : is_left ? codes[1].row(y) : scratch.code[1].data();
  HWY_DYNAMIC_DISPATCH(census_row)(c);
  for (std::size_t part = 0; !is_left && part < (full ? 2U : 1U); ++part) {
    std::uint32_t* out = codes[part].row(y);
    const std::uint32_t* in = scratch.code[part].data();
    const int reach = codes[part].width, first = width_ - 1 - min_disparity_;
    // Elements [a, b) lie inside the image.
    const int a = std::clamp(first - (width_ - 1), 0, reach), b = std::clamp(first + 1, a, reach);
    std::fill_n(out, a, in[width_ - 1]);
    if (a < b) std::reverse_copy(in + first - b + 1, in + first - a + 1, out + a);
    std::fill_n(out + b, reach - b, in[0]);
  }
}

void CensusCoder::code(int tolerance, std::size_t picture) {
  const auto rows = [&](int worker, int begin, int end) {
    for (int y = begin; y < end; ++y)
      code_row(y, tolerance, picture, scratch_[static_cast<std::size_t>(worker)]);
  };
  for_row_blocks(workers(), height_, rows);
}

template <class T>
void CensusCoder::run(ImageView<const T> left, ImageView<const T> right) {
  const int white = white_of<T>(white_);
  const int tolerance = Rules::census_margin(white, sizeof(T) == 1);
  smooth(left);
  code(tolerance, 0);
  smooth(right);
  code(tolerance, 1);
  for_rows(height_, [&](int y) {
    const T* in = left.row(y);
    std::uint8_t* out = brightness_.row(y);
    for (int x = 0; x < width_; ++x)
      out[x] = static_cast<std::uint8_t>(Rules::brightness_of(in[x], white));
  });
}

bool CensusCoder::is_clear(int disparities) const {
  const int across = Rules::samples_in_row(width_, disparities, min_disparity_),
            down = (height_ + Rules::SAMPLE_STEP - 1) / Rules::SAMPLE_STEP,
            needed = Rules::clear_needed(across * down);
  int clear = 0;
  for (int y = 0; y < height_ && clear < needed; y += Rules::SAMPLE_STEP) {
    for (int i = 0; i < across; ++i) {
      const int x = Rules::first_sample(disparities, min_disparity_) + i * Rules::SAMPLE_STEP,
                from = width_ - 1 - x;
      const bool full = left(1, y) != nullptr;
      clear += Rules::has_clear_match(left(0, y)[x], full ? left(1, y)[x] : 0, right(0, y) + from,
                                      full ? right(1, y) + from : nullptr, full, 1, disparities);
    }
  }
  return clear >= needed;
}

template void CensusCoder::run(ImageView<const std::uint8_t>, ImageView<const std::uint8_t>);
template void CensusCoder::run(ImageView<const std::uint16_t>, ImageView<const std::uint16_t>);

}  // namespace bifocal::stereo
#endif
