// SPDX-License-Identifier: BSD-3-Clause
// Integral images on CPUs, the twin of surf_search.kernel.h.
#include <bifocal/error.hpp>

#include <algorithm>

#include "features/surf/surf.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::features {
namespace {

constexpr int kBandRows = 64;
constexpr int kSlack = 64;  // sums by which whole registers may exceed the end

// Computes row y of the doubled image, whose pixel i lies at i / 2 - 1/4. Values are twice
// as large.
void doubled_row(ImageView<const std::uint8_t> grey, int y, std::vector<int>& near,
                 std::vector<std::uint16_t>& out) {
  const std::uint8_t* here = grey.row(y / 2);
  const int other_y = std::clamp(y / 2 + (y % 2 ? 1 : -1), 0, grey.height - 1);
  const std::uint8_t* other = grey.row(other_y);
  for (int x = 0; x < grey.width; ++x) near[std::size_t(x)] = 3 * here[x] + other[x];
  for (int x = 0; x < grey.width; ++x) {
    const int left = near[std::size_t(std::max(x - 1, 0))];
    const int right = near[std::size_t(std::min(x + 1, grey.width - 1))];
    const int tripled = 3 * near[std::size_t(x)] + 4;
    out[std::size_t(2 * x)] = static_cast<std::uint16_t>((tripled + left) / 8);
    out[std::size_t(2 * x + 1)] = static_cast<std::uint16_t>((tripled + right) / 8);
  }
}

template <class Pixel>
void add_row(const Pixel* pixels, const std::uint32_t* above, std::uint32_t* out, int width) {
  std::uint32_t sum = out[0] = 0;
  for (int x = 0; x < width; ++x) {
    sum += pixels[x];
    out[x + 1] = above[x + 1] + sum;
  }
}

}  // namespace

void Integral::resize(int new_width, int new_height, int new_step) {
  width = new_width, height = new_height, step = new_step;
  pitch = (width + step) / step;
  stride = row_words(pitch * step);
  (void)sums.reserve(static_cast<std::size_t>(stride * (height + 1) + kSlack));
}

// Computes the sums in bands. Each band starts from zeros; then the last row of the band above
// is added.
Integral integral_of(ImageView<const std::uint8_t> grey, bool upsample) {
  const int enlarged = upsample ? 2 : 1;
  Integral out;
  out.resize(grey.width * enlarged, grey.height * enlarged, 1);
  std::fill_n(out.row(0), out.stride, 0U);
  const int rows = runtime::thread_count() > 1 ? kBandRows : out.height;
  const int bands = (out.height + rows - 1) / rows;
  runtime::parallel_for(bands, [&](int band) {
    const std::vector<std::uint32_t> zeros(static_cast<std::size_t>(out.stride));
    std::vector<int> near(static_cast<std::size_t>(upsample ? grey.width : 0));
    std::vector<std::uint16_t> doubled(2 * near.size());
    for (int y = band * rows; y < std::min((band + 1) * rows, out.height); ++y) {
      if (y % kBandRows == 0) check_cancelled();
      const std::uint32_t* above = y == band * rows ? zeros.data() : out.row(y);
      if (upsample) {
        doubled_row(grey, y, near, doubled);
        add_row(doubled.data(), above, out.row(y + 1), out.width);
      } else {
        add_row(grey.row(y), above, out.row(y + 1), out.width);
      }
    }
  });
  const auto add_to = [&](int y, const std::uint32_t* above) {
    std::uint32_t* row = out.row(y);
    for (int x = 0; x <= out.width; ++x) row[x] += above[x];
  };
  for (int band = 1; band < bands; ++band)
    add_to(std::min((band + 1) * rows, out.height), out.row(band * rows));
  runtime::parallel_for(bands - 1, [&](int i) {
    const int first = (i + 1) * rows;
    for (int y = first + 1; y < std::min(first + rows, out.height); ++y) add_to(y, out.row(first));
  });
  return out;
}

void rearrange(const Integral& integral, Integral& out) {
  out.resize(integral.width, integral.height, 2 * integral.step);
  runtime::parallel_for((integral.height + kBandRows) / kBandRows, [&](int band) {
    const int end = std::min((band + 1) * kBandRows, integral.height + 1);
    for (int y = band * kBandRows; y < end; ++y) {
      for (int phase = 0; phase < integral.step; ++phase) {
        const std::uint32_t* in = integral.row(y) + std::ptrdiff_t{phase} * integral.pitch;
        std::uint32_t* even = out.row(y) + std::ptrdiff_t{phase} * out.pitch;
        std::uint32_t* odd = even + std::ptrdiff_t{integral.step} * out.pitch;
        const int pairs = integral.pitch / 2;
        for (int k = 0; k < pairs; ++k) even[k] = in[2 * k], odd[k] = in[2 * k + 1];
        if (integral.pitch % 2) even[pairs] = in[2 * pairs];
      }
    }
  });
}

}  // namespace bifocal::features
