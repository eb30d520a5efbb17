// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "runtime/parallel.hpp"
#include "stereo/disparity_text.hpp"
#include "stereo/sgm.hpp"

namespace bifocal::stereo {
namespace {

using Text = disparity_text;
constexpr int kMargin = Text::CENSUS_RX, kRows = Text::CENSUS_RY;
constexpr int kRowsATask = 32;

// Smoothed rows with repeated borders.
struct Smoothed {
  int stride = 0;
  std::vector<std::uint16_t> values;

  [[nodiscard]] std::uint16_t* row(int y) {
    return values.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(stride) + kMargin;
  }
};

template <class T>
void smooth_row(ImageView<const T> image, int y, std::uint16_t* out,
                std::vector<std::uint32_t>& column) {
  const T* above = image.row(std::max(y - 1, 0));
  const T* here = image.row(y);
  const T* below = image.row(std::min(y + 1, image.height - 1));
  const auto weight = [](int i, int j) {
    return static_cast<std::uint32_t>(Text::smooth_weight(i, j));
  };
  const std::uint32_t side = weight(1, 1), centre = weight(1, 0), across = weight(0, 1);
  std::uint32_t* sums = column.data() + 1;  // down the columns, for the neighbours of a row
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

template <class T>
CensusPicture census_picture(ImageView<const T> image, const SgmOptions& options) {
  const int width = image.width, height = image.height;
  const int white = options.white > 0 ? options.white : sizeof(T) == 1 ? 255 : 65535;
  const int kind = static_cast<int>(options.census);
  Smoothed smoothed;
  smoothed.stride = width + 2 * kMargin;
  smoothed.values.resize(static_cast<std::size_t>(smoothed.stride) *
                         static_cast<std::size_t>(height));
  CensusPicture p;
  p.width = width;
  p.height = height;
  p.low = Image<std::uint32_t>(width, height);
  if (kind == Text::CENSUS_FULL) p.high = Image<std::uint32_t>(width, height);
  p.brightness = ImageU8(width, height);
  const int tasks = (height + kRowsATask - 1) / kRowsATask;
  runtime::parallel_for(tasks, [&](int task) {
    std::vector<std::uint32_t> column(static_cast<std::size_t>(width) + 2);
    for (int y = task * kRowsATask; y < std::min(height, (task + 1) * kRowsATask); ++y) {
      smooth_row(image, y, smoothed.row(y), column);
      for (int x = 0; x < width; ++x)
        p.brightness.at(x, y) =
            static_cast<std::uint8_t>(Text::brightness_of(image.at(x, y), white));
    }
  });
  const int tolerance = Text::census_margin(white, sizeof(T) == 1);
  runtime::parallel_for(tasks, [&](int task) {
    std::vector<std::uint16_t> halves(4 * static_cast<std::size_t>(width));
    CensusRow c;
    c.width = width;
    c.kind = kind;
    c.tolerance = tolerance;
    for (std::size_t k = 0; k < 4; ++k)
      c.half[k] = halves.data() + k * static_cast<std::size_t>(width);
    for (int y = task * kRowsATask; y < std::min(height, (task + 1) * kRowsATask); ++y) {
      for (int j = -kRows; j <= kRows; ++j)
        c.rows[kRows + j] = smoothed.row(std::clamp(y + j, 0, height - 1));
      c.low = p.low.row(y);
      c.high = p.high.empty() ? nullptr : p.high.row(y);
      census_row(c);
    }
  });
  return p;
}

template CensusPicture census_picture(ImageView<const std::uint8_t>, const SgmOptions&);
template CensusPicture census_picture(ImageView<const std::uint16_t>, const SgmOptions&);

}  // namespace bifocal::stereo
