// SPDX-License-Identifier: BSD-3-Clause
#include "dense/images.hpp"

#include <algorithm>
#include <cstddef>

#include "runtime/parallel.hpp"

namespace bifocal::dense {
namespace {

ImageU8 half_of(const ImageU8& fine) {
  ImageU8 half(fine.width / 2, fine.height / 2);
  runtime::parallel_for(half.height, [&](int y) {
    const std::uint8_t *top = fine.row(2 * y), *low = fine.row(2 * y + 1);
    std::uint8_t* out = half.row(y);
    for (int x = 0; x < half.width; ++x)
      out[x] = static_cast<std::uint8_t>(
          (top[2 * x] + top[2 * x + 1] + low[2 * x] + low[2 * x + 1] + 2) / 4);
  });
  return half;
}

void write_level(const ImageU8& image, const Shape& shape, std::uint32_t* words) {
  constexpr int kMargin = kernels::patch_match::PATCH_MARGIN;
  const int right = shape.across() + kMargin, rows = shape.height + 2 * kMargin;
  runtime::parallel_for(rows, [&](int k) {
    const int y = std::clamp(k - kMargin, 0, shape.height - 1),
              below = std::clamp(k - kMargin + 1, 0, shape.height - 1);
    const std::uint8_t *top = image.row(y), *low = image.row(below);
    std::uint32_t* out =
        words + static_cast<std::size_t>(k) * static_cast<std::size_t>(shape.pitch());
    for (int x = -kMargin; x < right; ++x) {
      const int a = std::clamp(x, 0, shape.width - 1), b = std::clamp(x + 1, 0, shape.width - 1);
      *out++ = top[a] | std::uint32_t{top[b]} << 8 | std::uint32_t{low[a]} << 16 |
               std::uint32_t{low[b]} << 24;
    }
  });
}

}  // namespace

void write_pyramid(const ImageU8& grey, std::span<std::uint32_t> words) {
  ImageU8 level = grey;
  std::size_t begin = 0;
  for (const Shape& shape : Shape{grey.width, grey.height}.levels()) {
    if (begin > 0) level = half_of(level);
    write_level(level, shape, words.data() + begin);
    begin += shape.size();
  }
}

}  // namespace bifocal::dense
