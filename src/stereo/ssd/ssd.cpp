// SPDX-License-Identifier: BSD-3-Clause
// Twin: ssd.kernel.h (GPUs). Block matching on CPUs.
//
// The rows are divided into bands, one per thread. In each band the disparities are divided into
// chunks whose column sums stay in the cache, and each chunk sweeps down the rows. The winners of
// several chunks are merged row by row; integers give the same result in any order.
#include <bifocal/error.hpp>
#include "stereo/ssd/ssd.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "runtime/cancel.hpp"
#include "runtime/parallel.hpp"
#include "stereo/aligned.hpp"
#include "stereo/rules.hpp"
#include "stereo/row_blocks.hpp"
#include "stereo/ssd/ssd_sweep.hpp"

namespace bifocal::stereo {
namespace {

constexpr int kMinBandRows = 32;
// Bytes of the column sums of one chunk: most of an L2 cache of 1 MB.
constexpr std::size_t kSumsBytes = 640 << 10;

// Images with repeated borders. The right image is reversed: element j of a right row is column
// width - 1 + radius - first - j.
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

struct Search {
  int width = 0, height = 0, radius = 0;
  int min_disparity = 0;
  int first = 0, end = 0;  // disparities that at least one pixel can have
  int key_bits = 0;
  int chunks = 0;
  Padded pictures;

  // Returns the first disparity of chunk i.
  [[nodiscard]] int bound(int i) const {
    return first + static_cast<int>(std::int64_t{end - first} * i / chunks);
  }
};

// Returns the largest number of low bits in a key that leaves enough bits for the largest cost.
int key_bits_for(int window) {
  const std::uint64_t largest = std::uint64_t{65025} * static_cast<unsigned>(window * window);
  int bits = 10;  // 1024 disparities; pixels shifted by half of the bits must fit 16 bits
  while ((largest + 1) << bits > 0xffffffffU) --bits;
  return bits;
}

Padded make_padded(int width, int height, int radius, int right_columns) {
  Padded p;
  p.columns = width + 2 * radius;
  p.right_columns = right_columns;
  const auto rows = static_cast<std::size_t>(height);
  runtime::grow(p.left, rows * static_cast<std::size_t>(p.columns));
  runtime::grow(p.right, rows * static_cast<std::size_t>(right_columns));
  p.nothing.resize(static_cast<std::size_t>(std::max(p.columns, right_columns)));
  return p;
}

void pad(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right, int radius,
         int first, Padded& p) {
  const int start = left.width - 1 + radius - first;  // right column of element 0
  // Elements [a, b) lie inside the image.
  const int a = std::clamp(start - (left.width - 1), 0, p.right_columns);
  const int b = std::clamp(start + 1, a, p.right_columns);
  for_rows(left.height, [&](int y) {
    const std::uint8_t* in = left.row(y);
    auto* out = p.left.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(p.columns);
    std::fill_n(out, radius, in[0]);
    std::copy_n(in, left.width, out + radius);
    std::fill_n(out + radius + left.width, radius, in[left.width - 1]);
    in = right.row(y);
    out = p.right.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(p.right_columns);
    std::fill_n(out, a, in[left.width - 1]);
    for (int j = a; j < b; ++j) out[j] = in[start - j];
    std::fill_n(out + b, p.right_columns - b, in[0]);
  });
}

// Winners so far. With a single chunk only one row of each band is kept.
struct Winners {
  int width;
  std::vector<std::uint32_t> left_cost, right_cost;
  std::vector<std::uint16_t> disparity, right_index;

  [[nodiscard]] std::size_t bytes() const { return disparity.size() * (2 * 4 + 2 * 2); }
  Winners(int w, int rows) : width(w) {
    const auto n = static_cast<std::size_t>(w) * static_cast<std::size_t>(rows);
    runtime::grow(left_cost, n);
    runtime::grow(right_cost, n);
    runtime::grow(disparity, n);
    runtime::grow(right_index, n);
  }
  [[nodiscard]] std::size_t at(int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(width);
  }
  void clear(int row) {
    const auto n = static_cast<std::ptrdiff_t>(at(row));
    std::fill_n(left_cost.begin() + n, width, ~0U);
    std::fill_n(right_cost.begin() + n, width, ~0U);
    std::fill_n(disparity.begin() + n, width, std::uint16_t{Rules::UNKNOWN_DISPARITY});
    std::fill_n(right_index.begin() + n, width, std::uint16_t{Rules::NO_CANDIDATE});
  }
};

// One chunk of disparities [begin, end) in one band of rows. The parabola needs neighbours, so the
// lanes include one more disparity on each side unless the range ends there.
class Chunk {
 public:
  // Allocates memory for any chunk of the problem, which must outlive this object.
  explicit Chunk(const Search& problem) : p_(problem) {
    int most = 0;
    for (int i = 0; i < p_.chunks; ++i)
      most = std::max(most, lanes_of(p_.bound(i), p_.bound(i + 1)));
    sums_size_ = (static_cast<std::size_t>(columns()) + 1) * static_cast<std::size_t>(most);
    sums_ = Aligned<std::uint32_t>(sums_size_);
    std::size_t total = 0;
    for (const std::size_t n : scratch_sizes(most)) total += n;
    scratch_size_ = total;
    scratch_ = Aligned<std::uint32_t>(total);
  }
  [[nodiscard]] std::size_t bytes() const { return 4 * (sums_size_ + scratch_size_); }

  // Selects the disparities [begin, end) for the following calls.
  void begin(int begin, int end) {
    begin_ = begin;
    end_ = end;
    lane0_ = std::max(begin - 1, p_.first);
    s_.width = p_.width;
    s_.radius = p_.radius;
    s_.columns = columns();
    s_.lanes = lanes_of(begin, end);
    s_.key_bits = p_.key_bits;
    s_.sums = sums_.get();
    std::fill_n(s_.sums,
                (static_cast<std::size_t>(s_.columns) + 1) * static_cast<std::size_t>(s_.lanes),
                0U);
    std::uint32_t* at = scratch_.get();
    std::uint32_t *lane_mask = nullptr, *right_mask = nullptr;
    std::uint32_t** places[] = {&s_.left.plus, &s_.left.minus, &s_.right.plus, &s_.right.minus,
                                &s_.boxes,     &lane_mask,     &right_mask,    &s_.left_keys,
                                &s_.below,     &s_.above,      &s_.right_keys, &s_.last_keys};
    const auto sizes = scratch_sizes(s_.lanes);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      *places[i] = at;
      at += sizes[i];
    }
    std::fill(scratch_.get(), at, 0U);
    for (int l = 0; l < s_.lanes; ++l)
      lane_mask[l] = lane0_ + l >= begin && lane0_ + l < end ? 0U : ~0U;
    for (int j = 0; j < p_.width - 1 + s_.lanes; ++j)
      right_mask[j] = inside(right_column(j)) ? 0U : ~0U;
    s_.lane_mask = lane_mask;
    s_.right_mask = right_mask;
    s_.clear_begin = lane0_ + s_.lanes - 1;
    s_.clear_end = p_.width + lane0_;
  }

  // Computes the column sums of the window one row above row y.
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
      const std::size_t at = base + static_cast<std::size_t>(x);
      const std::uint32_t key = s_.left_keys[x], cost = key >> p_.key_bits;
      if (key == ~0U || cost > w.left_cost[at]) continue;
      const int d = lane0_ + static_cast<int>(key & lane_bits),
                last = lane0_ + static_cast<int>(~s_.last_keys[x] & lane_bits);
      std::uint16_t& disparity = w.disparity[at];
      const bool is_better = cost < w.left_cost[at];
      const int first = is_better ? d : whole_disparity(disparity);
      w.left_cost[at] = cost;
      if (is_better)
        disparity = static_cast<std::uint16_t>((d - p_.min_disparity) * Rules::SUBPIXELS +
                                               offset(x, d, cost));
      if (Rules::is_tied(first, last)) disparity = Rules::UNKNOWN_DISPARITY;
    }
    for (int x = 0; x < p_.width; ++x) {
      const int j = p_.width - 1 - lane0_ - x;
      if (j < 0 || j >= p_.width - 1 + s_.lanes) continue;
      const std::size_t at = base + static_cast<std::size_t>(x);
      const std::uint32_t key = s_.right_keys[j], cost = key >> p_.key_bits;
      if (key == ~0U || cost >= w.right_cost[at]) continue;
      w.right_cost[at] = cost;
      w.right_index[at] =
          static_cast<std::uint16_t>(lane0_ + static_cast<int>(key & lane_bits) - p_.min_disparity);
    }
  }

 private:
  [[nodiscard]] int columns() const { return p_.width + 2 * p_.radius; }
  [[nodiscard]] int lanes_of(int begin, int end) const {
    const int used = std::min(end + 1, p_.end) - std::max(begin - 1, p_.first);
    return (used + kLaneStep - 1) / kLaneStep * kLaneStep;
  }
  // Returns the sizes of the scratch arrays of a chunk, padded.
  [[nodiscard]] std::array<std::size_t, 12> scratch_sizes(int lane_count) const {
    const auto lanes = static_cast<std::size_t>(lane_count),
               cols = static_cast<std::size_t>(columns()),
               width = static_cast<std::size_t>(p_.width);
    const std::size_t keys = width - 1 + lanes, wide = cols - 1 + lanes;
    std::array<std::size_t, 12> sizes{cols, cols,  wide,  wide,  3 * lanes, lanes,
                                      keys, width, width, width, keys,      width};
    for (std::size_t& n : sizes) n = (n + kLaneStep - 1) / kLaneStep * kLaneStep;
    return sizes;
  }
  [[nodiscard]] int right_column(int j) const { return p_.width - 1 - lane0_ - j; }
  [[nodiscard]] bool inside(int x) const { return x >= 0 && x < p_.width; }
  [[nodiscard]] bool searched(int x, int d) const {
    return d >= p_.first && d < p_.end && inside(x - d);
  }

  // Returns the whole disparity of an earlier chunk's winner, or a distant disparity if the winner
  // is unknown.
  [[nodiscard]] int whole_disparity(std::uint16_t disparity) const {
    return disparity == Rules::UNKNOWN_DISPARITY
               ? p_.first - 2
               : (disparity + Rules::SUBPIXELS / 2) / Rules::SUBPIXELS + p_.min_disparity;
  }
  [[nodiscard]] int offset(int x, int d, std::uint32_t cost) const {
    if (!searched(x, d - 1) || !searched(x, d + 1)) return 0;
    return Rules::parabola_offset(static_cast<int>(s_.below[x]), static_cast<int>(cost),
                                  static_cast<int>(s_.above[x]));
  }

  // Rows outside the images are 0 on both sides, so that they add 0 to the costs.
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

  const Search& p_;
  int begin_ = 0, end_ = 0, lane0_ = 0;
  Sweep s_;
  std::size_t sums_size_ = 0, scratch_size_ = 0;
  Aligned<std::uint32_t> sums_, scratch_;
};

Search make_search(int width, int height, const SsdOptions& options) {
  Search p;
  p.width = width;
  p.height = height;
  p.radius = options.window / 2;
  p.min_disparity = options.min_disparity;
  p.first = std::max(options.min_disparity, 1 - p.width);
  p.end = std::max(p.first, std::min(options.min_disparity + options.disparities, p.width));
  p.key_bits = key_bits_for(options.window);
  const int columns = p.width + 2 * p.radius, count = p.end - p.first;
  if (count == 0) return p;
  const int cached = static_cast<int>(kSumsBytes / (4 * static_cast<std::size_t>(columns)));
  const int most = std::min(1 << p.key_bits, std::max(64, cached / kLaneStep * kLaneStep));
  p.chunks = count <= most ? 1 : (count + most - 3) / (most - 2);
  // The number of lanes of the last chunk is rounded up.
  p.pictures = make_padded(width, height, p.radius, columns - 1 + count + 2 * kLaneStep);
  return p;
}

}  // namespace

class SsdSearch::Work {
 public:
  Work(ImageSize size, const SsdOptions& options, int threads)
      : p_(make_search(size.width, size.height, options)),
        most_bands_(std::clamp(size.height / kMinBandRows, 1, threads)),
        winners_(size.width, p_.chunks > 1 ? size.height : most_bands_) {
    for (int band = 0; band < most_bands_ && p_.chunks > 0; ++band) chunks_.emplace_back(p_);
  }

  void run(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right,
           const SsdSink& sink) {
    if (p_.chunks > 0) pad(left, right, p_.radius, p_.first, p_.pictures);
    const int bands = std::min(most_bands_, runtime::thread_count());
    const auto search = [&](int band) {
      const auto row = [&](int k) { return static_cast<int>(std::int64_t{p_.height} * k / bands); };
      search_band(band, row(band), row(band + 1), sink);
    };
    runtime::parallel_for(bands, std::ref(search));
  }

  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = p_.pictures.left.size() + p_.pictures.right.size() + winners_.bytes();
    for (const Chunk& chunk : chunks_) sum += chunk.bytes();
    return sum;
  }

 private:
  void search_band(int band, int y0, int y1, const SsdSink& sink) {
    Chunk* chunk = p_.chunks > 0 ? &chunks_[static_cast<std::size_t>(band)] : nullptr;
    for (int i = 0; i < std::max(1, p_.chunks); ++i) {
      if (chunk) {
        chunk->begin(p_.bound(i), p_.bound(i + 1));
        chunk->prepare(y0);
      }
      for (int y = y0; y < y1; ++y) {
        check_cancelled();
        const int row = p_.chunks > 1 ? y : band;
        if (i == 0) winners_.clear(row);
        if (chunk) {
          chunk->search(y);
          chunk->merge(winners_, row);
        }
        if (i + 1 < p_.chunks) continue;
        const std::size_t at = winners_.at(row);
        sink(y, {winners_.disparity.data() + at, winners_.right_index.data() + at});
      }
    }
  }

  Search p_;
  int most_bands_;
  Winners winners_;
  std::vector<Chunk> chunks_;  // one per band
};

void forget_unclear(ImageView<std::uint16_t> disparity, const SsdOptions& options) {
  const int x0 = Rules::first_sample(options.disparities, options.min_disparity),
            across =
                Rules::samples_in_row(disparity.width, options.disparities, options.min_disparity);
  int samples = 0, known = 0;
  for (int y = 0; y < disparity.height; y += Rules::SAMPLE_STEP) {
    for (int i = 0; i < across; ++i, ++samples)
      known += disparity.at(x0 + i * Rules::SAMPLE_STEP, y) != Rules::UNKNOWN_DISPARITY ? 1 : 0;
  }
  if (known >= Rules::clear_needed(samples)) return;
  for (int y = 0; y < disparity.height; ++y)
    std::fill_n(disparity.row(y), disparity.width, std::uint16_t{Rules::UNKNOWN_DISPARITY});
}

SsdSearch::SsdSearch(ImageSize size, const SsdOptions& options, int threads)
    : work_(std::make_unique<Work>(size, options, threads)) {}
SsdSearch::~SsdSearch() = default;
void SsdSearch::run(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right,
                    const SsdSink& sink) {
  work_->run(left, right, sink);
}
std::size_t SsdSearch::bytes() const { return work_->bytes(); }

}  // namespace bifocal::stereo
