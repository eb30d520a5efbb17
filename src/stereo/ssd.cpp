// SPDX-License-Identifier: BSD-3-Clause
// The order of work: bands of rows (one a thread), in each band chunks of disparities whose column
// sums stay in the cache, in each chunk a sweep down the rows. Winners of several chunks are merged
// row by row; integers make every order give the same.
#include "stereo/ssd.hpp"

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <vector>

#include "runtime/parallel.hpp"
#include "stereo/disparity_text.hpp"
#include "stereo/ssd_sweep.hpp"

namespace bifocal::stereo {
namespace {

constexpr int kMinBandRows = 32;
constexpr std::size_t kSumsBytes = 640
                                   << 10;  // column sums of one chunk: most of an L2 cache of 1 MB

using Aligned = hwy::AlignedFreeUniquePtr<std::uint32_t[]>;
Aligned zeros(std::size_t count) {
  Aligned p = hwy::AllocateAligned<std::uint32_t>(count);
  std::fill_n(p.get(), count, 0U);
  return p;
}

// Pictures with repeated borders; the right one reversed: element j of a right row is column width
// - 1 + radius - first - j.
struct Padded {
  int columns = 0, right_columns = 0;
  std::vector<std::uint8_t> left, right, nothing;

  [[nodiscard]] const std::uint8_t* left_row(int y) const {
    return left.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(columns);
  }
  [[nodiscard]] const std::uint8_t* right_row(int y) const {
    return right.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(right_columns);
  }
};

struct Problem {
  int width = 0, height = 0, radius = 0;
  int first = 0, end = 0;  // disparities that some pixel can have
  int key_bits = 0;
  Padded pictures;
};

// The most low bits of a key that leave room for the largest cost.
int key_bits_for(int window) {
  const std::uint64_t largest = std::uint64_t{65025} * static_cast<unsigned>(window * window);
  int bits = 10;  // 1024 disparities; pixels shifted by half of it have to fit 16 bits
  while ((largest + 1) << bits > 0xffffffffU) --bits;
  return bits;
}

Padded pad(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right, int radius,
           int first, int right_columns) {
  Padded p;
  p.columns = left.width + 2 * radius;
  p.right_columns = right_columns;
  const auto rows = static_cast<std::size_t>(left.height);
  p.left.resize(rows * static_cast<std::size_t>(p.columns));
  p.right.resize(rows * static_cast<std::size_t>(right_columns));
  p.nothing.resize(static_cast<std::size_t>(std::max(p.columns, right_columns)));
  const int start = left.width - 1 + radius - first;  // right column of element 0
  // Elements [a, b) lie inside the picture.
  const int a = std::clamp(start - (left.width - 1), 0, right_columns);
  const int b = std::clamp(start + 1, a, right_columns);
  runtime::parallel_for(left.height, [&](int y) {
    const std::uint8_t* in = left.row(y);
    auto* out = p.left.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(p.columns);
    std::fill_n(out, radius, in[0]);
    std::copy_n(in, left.width, out + radius);
    std::fill_n(out + radius + left.width, radius, in[left.width - 1]);
    in = right.row(y);
    out = p.right.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(right_columns);
    std::fill_n(out, a, in[left.width - 1]);
    for (int j = a; j < b; ++j) out[j] = in[start - j];
    std::fill_n(out + b, right_columns - b, in[0]);
  });
  return p;
}

// Winners of one band so far; with one chunk only a single row of it is kept.
struct Winners {
  int width;
  std::vector<std::uint32_t> left_cost, right_cost;
  std::vector<int> left, right;
  std::vector<std::int8_t> offset;

  Winners(int w, int rows) : width(w) {
    const auto n = static_cast<std::size_t>(w) * static_cast<std::size_t>(rows);
    left_cost.resize(n);
    right_cost.resize(n);
    left.resize(n);
    right.resize(n);
    offset.resize(n);
  }
  [[nodiscard]] std::size_t at(int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(width);
  }
  void clear(int row) {
    const auto n = static_cast<std::ptrdiff_t>(at(row));
    std::fill_n(left_cost.begin() + n, width, ~0U);
    std::fill_n(right_cost.begin() + n, width, ~0U);
    std::fill_n(left.begin() + n, width, kNoDisparity);
    std::fill_n(right.begin() + n, width, kNoDisparity);
    std::fill_n(offset.begin() + n, width, std::int8_t{0});
  }
};

// One chunk of disparities [begin, end) in one band of rows. Its lanes reach one disparity further
// on both sides where the range goes on, for the parabola.
class Chunk {
 public:
  Chunk(const Problem& problem, int begin, int end)
      : p_(problem), begin_(begin), end_(end), lane0_(std::max(begin - 1, p_.first)) {
    const int used = std::min(end + 1, p_.end) - lane0_;
    s_.width = p_.width;
    s_.radius = p_.radius;
    s_.columns = p_.width + 2 * p_.radius;
    s_.lanes = (used + kLaneStep - 1) / kLaneStep * kLaneStep;
    s_.key_bits = p_.key_bits;
    const auto lanes = static_cast<std::size_t>(s_.lanes),
               columns = static_cast<std::size_t>(s_.columns);
    const std::size_t keys = static_cast<std::size_t>(p_.width) - 1 + lanes,
                      wide = columns - 1 + lanes;
    sums_ = zeros((columns + 1) * lanes);
    s_.sums = sums_.get();
    const std::size_t sizes[] = {columns,
                                 columns,
                                 wide,
                                 wide,
                                 3 * lanes,
                                 lanes,
                                 keys,
                                 static_cast<std::size_t>(p_.width),
                                 static_cast<std::size_t>(p_.width),
                                 static_cast<std::size_t>(p_.width),
                                 keys};
    std::size_t total = 0;
    for (std::size_t n : sizes) total += (n + kLaneStep - 1) / kLaneStep * kLaneStep;
    scratch_ = zeros(total);
    std::uint32_t* at = scratch_.get();
    std::uint32_t *lane_mask = nullptr, *right_mask = nullptr;
    std::uint32_t** places[] = {&s_.left.plus, &s_.left.minus, &s_.right.plus, &s_.right.minus,
                                &s_.boxes,     &lane_mask,     &right_mask,    &s_.left_keys,
                                &s_.below,     &s_.above,      &s_.right_keys};
    for (std::size_t i = 0; i < std::size(sizes); ++i) {
      *places[i] = at;
      at += (sizes[i] + kLaneStep - 1) / kLaneStep * kLaneStep;
    }
    for (int l = 0; l < s_.lanes; ++l)
      lane_mask[l] = lane0_ + l >= begin && lane0_ + l < end ? 0U : ~0U;
    for (int j = 0; j < static_cast<int>(keys); ++j)
      right_mask[j] = inside(right_column(j)) ? 0U : ~0U;
    s_.lane_mask = lane_mask;
    s_.right_mask = right_mask;
    s_.clear_begin = lane0_ + s_.lanes - 1;
    s_.clear_end = p_.width + lane0_;
  }

  // Column sums of the window one row above row y.
  void prepare(int y) {
    for (int row = std::max(0, y - 1 - p_.radius); row < y + p_.radius && row < p_.height; ++row) {
      pairs(row, -1);
      move_sums(s_);
    }
  }
  void search(int y) {
    pairs(y + p_.radius, y - 1 - p_.radius);
    sweep_row(s_);
  }
  void merge(Winners& w, int row) const {
    const std::uint32_t lane_bits = (1U << p_.key_bits) - 1;
    const std::size_t base = w.at(row);
    for (int x = 0; x < p_.width; ++x) {
      const std::uint32_t key = s_.left_keys[x], cost = key >> p_.key_bits;
      if (key == ~0U || cost >= w.left_cost[base + static_cast<std::size_t>(x)]) continue;
      const int d = lane0_ + static_cast<int>(key & lane_bits);
      w.left_cost[base + static_cast<std::size_t>(x)] = cost;
      w.left[base + static_cast<std::size_t>(x)] = d;
      w.offset[base + static_cast<std::size_t>(x)] = offset(x, d, cost);
    }
    for (int x = 0; x < p_.width; ++x) {
      const int j = p_.width - 1 - lane0_ - x;
      if (j < 0 || j >= p_.width - 1 + s_.lanes) continue;
      const std::uint32_t key = s_.right_keys[j], cost = key >> p_.key_bits;
      if (key == ~0U || cost >= w.right_cost[base + static_cast<std::size_t>(x)]) continue;
      w.right_cost[base + static_cast<std::size_t>(x)] = cost;
      w.right[base + static_cast<std::size_t>(x)] = lane0_ + static_cast<int>(key & lane_bits);
    }
  }

 private:
  [[nodiscard]] int right_column(int j) const { return p_.width - 1 - lane0_ - j; }
  [[nodiscard]] bool inside(int x) const { return x >= 0 && x < p_.width; }
  [[nodiscard]] bool searched(int x, int d) const {
    return d >= p_.first && d < p_.end && inside(x - d);
  }

  [[nodiscard]] std::int8_t offset(int x, int d, std::uint32_t cost) const {
    if (!searched(x, d - 1) || !searched(x, d + 1)) return 0;
    return static_cast<std::int8_t>(disparity_text::parabola_offset(
        static_cast<int>(s_.below[x]), static_cast<int>(cost), static_cast<int>(s_.above[x])));
  }

  // Rows outside the pictures add nothing on either side.
  void pairs(int enter, int leave) {
    const Padded& q = p_.pictures;
    const int plus = p_.key_bits / 2, minus = p_.key_bits - plus, skip = lane0_ - p_.first;
    const bool in = enter >= 0 && enter < p_.height, out = leave >= 0;
    make_pairs(in ? q.left_row(enter) : q.nothing.data(),
               out ? q.left_row(leave) : q.nothing.data(), s_.columns, plus, minus, s_.left);
    make_pairs(in ? q.right_row(enter) + skip : q.nothing.data(),
               out ? q.right_row(leave) + skip : q.nothing.data(), s_.columns - 1 + s_.lanes, plus,
               minus, s_.right);
  }

  const Problem& p_;
  int begin_, end_, lane0_;
  Sweep s_;
  Aligned sums_, scratch_;
};

void search_band(const Problem& p, int y0, int y1, int chunks, const WinnerSink& sink) {
  const int count = p.end - p.first;
  Winners winners(p.width, chunks > 1 ? y1 - y0 : 1);
  for (int i = 0; i < std::max(1, chunks); ++i) {
    const auto bound = [&](int k) {
      return p.first + static_cast<int>(std::int64_t{count} * k / chunks);
    };
    std::unique_ptr<Chunk> chunk;
    if (chunks > 0) {
      chunk = std::make_unique<Chunk>(p, bound(i), bound(i + 1));
      chunk->prepare(y0);
    }
    for (int y = y0; y < y1; ++y) {
      const int row = chunks > 1 ? y - y0 : 0;
      if (i == 0) winners.clear(row);
      if (chunk) {
        chunk->search(y);
        chunk->merge(winners, row);
      }
      if (i + 1 < chunks) continue;
      const std::size_t at = winners.at(row);
      sink(y, {winners.left.data() + at, winners.offset.data() + at, winners.right.data() + at});
    }
  }
}

}  // namespace

void ssd_winners(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right,
                 const SsdOptions& options, const WinnerSink& sink) {
  Problem p;
  p.width = left.width;
  p.height = left.height;
  p.radius = options.window / 2;
  p.first = std::max(options.min_disparity, 1 - p.width);
  p.end = std::max(p.first, std::min(options.min_disparity + options.disparities, p.width));
  p.key_bits = key_bits_for(options.window);
  const int columns = p.width + 2 * p.radius, count = p.end - p.first;
  int chunks = 0;
  if (count > 0) {
    const int cached = static_cast<int>(kSumsBytes / (4 * static_cast<std::size_t>(columns)));
    const int most = std::min(1 << p.key_bits, std::max(64, cached / kLaneStep * kLaneStep));
    chunks = count <= most ? 1 : (count + most - 3) / (most - 2);
    // The last chunk's lanes are rounded up.
    p.pictures = pad(left, right, p.radius, p.first, columns - 1 + count + 2 * kLaneStep);
  }
  const int bands = std::clamp(p.height / kMinBandRows, 1, runtime::thread_count());
  runtime::parallel_for(bands, [&](int band) {
    const auto row = [&](int k) { return static_cast<int>(std::int64_t{p.height} * k / bands); };
    search_band(p, row(band), row(band + 1), chunks, sink);
  });
}

}  // namespace bifocal::stereo
