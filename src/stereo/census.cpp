// SPDX-License-Identifier: BSD-3-Clause
#include "stereo/census.hpp"

#include <algorithm>

#include "runtime/parallel.hpp"
#include "stereo/disparity_text.hpp"
#include "stereo/row_blocks.hpp"
#include "stereo/sgm_rows.hpp"

namespace bifocal::stereo {
namespace {

using Text = disparity_text;
constexpr int kMargin = Text::CENSUS_RX, kRows = Text::CENSUS_RY;

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
    return static_cast<std::uint32_t>(Text::smooth_weight(i, j));
  };
  const std::uint32_t side = weight(1, 1), centre = weight(1, 0), across = weight(0, 1);
  std::uint32_t* sums = column + 1;  // down the columns, for the neighbours of a row
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
      smoothed_((static_cast<std::size_t>(width) + 2 * kMargin) * static_cast<std::size_t>(height)),
      brightness_(width, height),
      scratch_(static_cast<std::size_t>(threads), Scratch(width)) {
  for (std::size_t part = 0; part < (kind_ == Text::CENSUS_FULL ? 2U : 1U); ++part) {
    codes_[0][part] = Image<std::uint32_t>(width, height);
    codes_[1][part] = Image<std::uint32_t>(reach, height);
  }
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
  census_row(c);
  for (std::size_t part = 0; !is_left && part < (full ? 2U : 1U); ++part) {
    std::uint32_t* out = codes[part].row(y);
    const std::uint32_t* in = scratch.code[part].data();
    const int reach = codes[part].width, first = width_ - 1 - min_disparity_;
    // Elements [a, b) lie inside the picture.
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
  const int tolerance = Text::census_margin(white, sizeof(T) == 1);
  smooth(left);
  code(tolerance, 0);
  smooth(right);
  code(tolerance, 1);
  for_rows(height_, [&](int y) {
    const T* in = left.row(y);
    std::uint8_t* out = brightness_.row(y);
    for (int x = 0; x < width_; ++x)
      out[x] = static_cast<std::uint8_t>(Text::brightness_of(in[x], white));
  });
}

template void CensusCoder::run(ImageView<const std::uint8_t>, ImageView<const std::uint8_t>);
template void CensusCoder::run(ImageView<const std::uint16_t>, ImageView<const std::uint16_t>);

}  // namespace bifocal::stereo
